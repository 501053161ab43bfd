"""The best shots on a board in a file, as JSON, in words and as a picture.

Knows the format: discs as in a scene, each with its ``team``; ``start`` is where the shooter's disc
is placed, the middle of the lowest quadrant's line when left out.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from scorer.physics.engine import simulate
from scorer.physics.prediction import Forecast, Skill, advise
from scorer.physics.scene import FlickSpec, PhysicsScene, SceneDisc, TableSpec, separate_overlaps
from webapp.formats.scene import parse_discs, parse_table, read_number, refuse_unknown

_SHOOTER = "shooter"
#: Widest scatter of aim that is advised for, mrad: a sixth of a right angle.
_MAX_SCATTER_MRAD = 250.0


@dataclass(frozen=True, slots=True, kw_only=True)
class ShotAdvice:
    """The best shots on a board, best first."""

    table: TableSpec
    discs: tuple[SceneDisc, ...]
    shots: tuple[Forecast, ...]

    def scene(self, rank: int) -> PhysicsScene:
        """The board with one of the shots."""
        x, y, speed, direction, spin = (float(value) for value in self.shots[rank].shot)
        shot = FlickSpec(
            id=_SHOOTER,
            x_mm=x,
            y_mm=y,
            speed_mm_s=speed,
            direction_deg=math.degrees(direction) % 360,
            spin_rad_s=spin,
        )
        return PhysicsScene(table=self.table, discs=self.discs, shot=shot)


def advise_shots(
    content: Mapping[str, Any], team: str, aim_mrad: float, known: TableSpec | None = None
) -> ShotAdvice:
    """Advice for a file's board. Raises ``ValueError``, naming field and value.

    known  what is known of the table; what the file says of it comes first
    """
    refuse_unknown(content, {"board", "disc", "physics", "discs", "start"}, "board")
    if not 0 < aim_mrad <= _MAX_SCATTER_MRAD:
        raise ValueError(f"--aim must lie between 0 and {_MAX_SCATTER_MRAD:g}, not {aim_mrad:g}")
    table, discs = parse_table(content, known), parse_discs(content.get("discs", []), "discs")
    teams = [str(each.get("team")) for each in content.get("discs", [])]
    if "None" in teams:
        raise ValueError(f"discs[{teams.index('None')}].team is missing")
    start = content.get("start", {"x_mm": 0.0, "y_mm": -table.board.line_radii_mm[2]})
    if not isinstance(start, Mapping):
        raise ValueError(f"start must be a JSON object, not {start!r}")
    x, y = read_number(start, "x_mm", "start"), read_number(start, "y_mm", "start")
    shot = FlickSpec(id=_SHOOTER, x_mm=x, y_mm=y, speed_mm_s=0.0, direction_deg=0.0)
    scene = PhysicsScene(table=table, discs=discs, shot=shot)
    places = separate_overlaps(table, scene.places_mm)
    team_of = {disc.id: name for disc, name in zip(discs, teams, strict=True)}
    own = np.array([team_of[name] == team for name in scene.ids[1:]], dtype=bool)
    shots = advise(table, places[1:], own, places[0], Skill(aim_mrad=aim_mrad))
    return ShotAdvice(table=table, discs=discs, shots=shots)


def advice_json(advice: ShotAdvice) -> list[dict[str, Any]]:
    """A list, the best shot first."""
    return [
        {
            "speed_mm_s": round(float(each.shot[2]), 1),
            "direction_deg": round(math.degrees(each.shot[3]) % 360, 2),
            "points": round(each.points, 2),
            "p_twenty": round(each.twenty, 3),
            "p_stays": round(each.stays, 3),
            "p_foul": round(each.foul, 3),
        }
        for each in advice.shots
    ]


def advice_lines(advice: ShotAdvice) -> list[str]:
    """What a person reads."""
    return [
        f"{rank}. {each['speed_mm_s']:.0f} mm/s towards {each['direction_deg']:.1f}°: "
        f"{each['points']:+.1f} points; twenty {each['p_twenty']:.0%}, "
        f"stays {each['p_stays']:.0%}, foul {each['p_foul']:.0%}"
        for rank, each in enumerate(advice_json(advice), start=1)
    ]


def draw_best_shot(advice: ShotAdvice, path: Path) -> None:
    """Draw the best shot as it goes without scatter. Raises ``OSError`` and ``ValueError``."""
    from webapp.photo.shot_plot import draw_shot, save_picture

    scene = advice.scene(0)
    save_picture(draw_shot(scene, simulate(scene)), path)
