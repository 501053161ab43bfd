"""The plots of the physics page, as SVG.

``python docs/make_plots.py [BENCH.json]`` draws the distance that spin adds, by the simulator and
by the differential equation in fine steps; and, from the output of ``crokinole bench physics
--json``, the accuracy of the simulator and of pymunk.
"""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from make_figures import BLUE, INK, RED, SOFT, Drawing

from sample_images.friction_table.tabulate_friction import (
    friction_force_ratio,
    friction_torque_ratio,
)
from webapp.library import simulate_shot

_SPEED_MM_S, _FRICTION, _GRAVITY_MM_S2, _RADIUS_MM = 500.0, 0.1, 9810.0, 15.875
#: The bench counts a shot that leaves other discs on the board as a larger error than this.
_MOST_MM = 100.0
#: Steps of the reference integration, s.
_STEP_S = 1e-5


def draw_spin_range() -> None:
    """The extra distance of a spinning disc, against its ratio of rim speed to speed."""
    sheet = Drawing(760, 360, "How much farther a spinning disc runs")
    left, bottom, width, height = 70.0, 300.0, 640.0, 240.0

    def place(ratio: float, times: float) -> tuple[float, float]:
        return left + width * ratio / 1.5, bottom - height * (times - 1) / 0.6

    _draw_axes(sheet, left, bottom, width, height)
    for tick in (0, 0.5, 1, 1.5):
        sheet.text(place(tick, 1)[0], bottom + 22, f"{tick:g}", anchor="middle", size=13)
    for tick in (1, 1.2, 1.4, 1.6):
        sheet.text(left - 8, place(0, tick)[1] + 5, f"{tick:.1f}", anchor="end", size=13)
    ratios = [0.1 * k for k in range(16)]
    unspun = _integrate(0.0)
    sheet.line(*(place(each, _integrate(each) / unspun) for each in ratios), colour=BLUE, width=3)
    rule = [place(each, 1 + each**2 / 4) for each in ratios]
    sheet.line(*rule, colour=SOFT, dash="6 5")
    for ratio in (0, 0.25, 0.5, 0.75, 1.0, 1.25, 1.5):
        sheet.oval(*place(ratio, _simulate(ratio) / _simulate(0.0)), 5, 5, fill=RED, stroke=RED)
    sheet.text(left + 20, 76, "red: the simulator", colour=RED, size=14)
    sheet.text(
        left + 20, 98, "blue: the differential equation, stepped by 10 µs", colour=BLUE, size=14
    )
    sheet.text(left + 20, 120, "grey: 1 + ¼ (Rω / v)²", colour=SOFT, size=14)
    sheet.text(left, 40, "stopping distance, relative to a disc without spin")
    sheet.text(left + width / 2, 345, "Rω / v at the start", anchor="middle", size=13)
    sheet.save("spin_range")


def _integrate(ratio: float) -> float:
    """Stopping distance, mm, of a disc that starts with R w = ``ratio`` times its speed."""
    speed, rim, far = _SPEED_MM_S, ratio * _SPEED_MM_S, 0.0
    slow = _FRICTION * _GRAVITY_MM_S2 * _STEP_S
    while speed > 0:
        share = speed / rim if rim > 1e-9 else math.inf
        force = friction_force_ratio(share) if rim > 1e-9 else 1.0
        torque = friction_torque_ratio(share) if rim > 1e-9 else 0.0
        far += speed * _STEP_S
        speed -= slow * force
        rim = max(0.0, rim - 2 * slow * torque)  # a uniform disc's moment of inertia is m R² / 2
    return far


def _simulate(ratio: float) -> float:
    """The same by the simulator, on an empty part of a board."""
    spin = ratio * _SPEED_MM_S / _RADIUS_MM
    start = {"x_mm": 150.0, "y_mm": -200.0}
    flick = {"speed_mm_s": _SPEED_MM_S, "direction_deg": 90.0, "spin_rad_s": spin}
    outcome = simulate_shot(
        {"discs": [], "physics": {"friction": _FRICTION}, "shot": {"id": "s", **start, **flick}}
    )
    end = outcome.discs[0]
    assert end.x_mm is not None
    assert end.y_mm is not None
    return math.hypot(end.x_mm - start["x_mm"], end.y_mm - start["y_mm"])


def draw_engines(figures: Sequence[Mapping[str, Any]]) -> None:
    """The median error of both engines, and their shots per second, on logarithmic axes."""
    shown = [figure for figure in figures if figure["median_error_mm"] is not None]
    sheet = Drawing(760, 110 + 46 * len(shown), "Error of a shot's worst disc")
    left, width = 160.0, 470.0

    def along(error_mm: float) -> float:
        return left + width * (math.log10(max(error_mm, 0.01)) + 2) / 4.2

    for power in range(-2, 3):
        x = along(10.0**power)
        sheet.line((x, 60), (x, 60 + 46 * len(shown)), colour="#dcdcd6", width=1)
        sheet.text(x, 80 + 46 * len(shown), f"{10.0**power:g} mm", anchor="middle", size=13)
    for row, each in enumerate(shown):
        y = 70 + 46 * row
        colour = RED if str(each["engine"]).startswith("events") else BLUE
        error_mm = each["median_error_mm"]
        end = along(min(error_mm, _MOST_MM))
        words = f"{error_mm:.2g} mm" if error_mm < _MOST_MM else "other discs stay"
        sheet.shape((left, y), (end, y), (end, y + 24), (left, y + 24), fill=colour)
        name = str(each["engine"]).replace("events", "ours")
        sheet.text(left - 10, y + 17, name, anchor="end", size=14)
        sheet.text(end + 6, y + 17, words, size=13)
    sheet.text(
        20, 34, "12 discs: distance of the worst disc from pymunk at 1/100,000 s, median of shots"
    )
    sheet.save("physics_engines")


def _draw_axes(sheet: Drawing, left: float, bottom: float, width: float, height: float) -> None:
    sheet.line((left, bottom), (left + width, bottom), colour=INK)
    sheet.line((left, bottom), (left, bottom - height), colour=INK)


if __name__ == "__main__":
    draw_spin_range()
    for path in sys.argv[1:]:
        draw_engines(json.loads(Path(path).read_text(encoding="utf-8")))
