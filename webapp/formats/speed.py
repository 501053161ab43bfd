"""Shots in files, for ``crokinole speed``, and what they say about a board as JSON and words.

Knows the format: a list of boards before and after, as for ``crokinole explain`` without teams,
each with points on the way or with its known flick. ``schemas/shots.schema.json`` describes the
file, ``speed.schema.json`` the answer.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from calibration.board_speed import BoardSpeed
from scorer.physics.inverse.board_speed_fit import (
    KnownFlick,
    PredictionErrors,
    SpeedFitShot,
    evaluate_prediction,
    fit_speed,
)
from scorer.physics.inverse.observations import BoardPair, Spreads, derive_spreads
from scorer.physics.parameters import apply_board_speed
from scorer.physics.scene import TableSpec
from webapp.formats.pair import parse_boards
from webapp.formats.scene import parse_table, read_number, refuse_unknown

_SHOT_KEYS = {"shooter_id", "before", "after", "track", "flick"}
_FLICK_KEYS = {"speed_mm_s", "direction_deg", "speed_sigma_mm_s", "direction_sigma_deg"}
#: One sigma of a known flick when the file does not say: 1% of its speed, and degrees.
_SPEED_SIGMA, _DIRECTION_SIGMA_DEG = 0.01, 0.2
#: Fewer shots than this cannot be halved.
_MIN_SHOTS = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class SpeedReport:
    """A board's speed, and how well one half of the shots predicts the other.

    before, after  with the speed that was known, and with the one fitted to the other half
    """

    speed: BoardSpeed
    used: tuple[int, ...]
    left_out: tuple[int, ...]
    before: PredictionErrors
    after: PredictionErrors
    predicted_shots: int


def parse_shots(
    content: Mapping[str, Any], known: TableSpec
) -> tuple[TableSpec, list[SpeedFitShot]]:
    """The shots of a file. Raises ``ValueError``, naming field and value."""
    refuse_unknown(content, {"board", "disc", "physics", "shots"}, "file")
    table, shots = parse_table(content, known), content.get("shots")
    if not isinstance(shots, list):
        raise ValueError(f"shots must be a list, not {json.dumps(shots)}")
    if len(shots) < _MIN_SHOTS:
        raise ValueError(f"shots: {len(shots)} are too few; {_MIN_SHOTS} are needed, 12 are good")
    return table, [_parse_shot(each, index, table) for index, each in enumerate(shots)]


def make_speed_report(table: TableSpec, shots: list[SpeedFitShot], spreads: Spreads) -> SpeedReport:
    """A board's speed from all shots, tested on half of them. Raises ``ValueError``."""
    whole = fit_speed(table, shots)
    training, test_shots = shots[::2], shots[1::2]
    half = fit_speed(table, training).speed
    fitted_table = TableSpec(
        board=table.board, disc=table.disc, physics=apply_board_speed(table.physics, half)
    )
    return SpeedReport(
        speed=whole.speed,
        used=whole.used,
        left_out=whole.left_out,
        before=evaluate_prediction(table, test_shots, spreads=spreads),
        after=evaluate_prediction(fitted_table, test_shots, spreads=derive_spreads(half)),
        predicted_shots=len(test_shots),
    )


def report_json(report: SpeedReport) -> dict[str, Any]:
    """What ``crokinole speed --json`` prints."""
    speed = report.speed
    return {
        "friction": round(speed.friction, 5),
        "restitution": round(speed.restitution, 4),
        "post_restitution": round(speed.post_restitution, 4),
        "sigmas": [round(float(each), 6) for each in speed.sigmas],
        "covariance": speed.covariance.tolist(),
        "used": list(report.used),
        "left_out": list(report.left_out),
        "prediction": {
            "shots": report.predicted_shots,
            "median_error_mm": _prediction_json(report.after),
            "median_error_before_mm": _prediction_json(report.before),
            "elsewhere": report.after.state_mismatches,
            "elsewhere_before": report.before.state_mismatches,
        },
    }


def report_lines(report: SpeedReport) -> list[str]:
    """What a person reads."""
    speed = report.speed
    rows = zip(
        ("friction", "restitution of discs", "restitution of posts"),
        (speed.friction, speed.restitution, speed.post_restitution),
        speed.sigmas.tolist(),
        strict=True,
    )
    lines = [f"{name:22}{value:.4f} ± {sigma:.4f}" for name, value, sigma in rows]
    lines.append(f"from {len(report.used)} shots" + _describe_left_out(report))
    lines.append(
        f"Half of the shots predict where the worst disc of the others ends to "
        f"{_describe_prediction(report.after)}; it was {_describe_prediction(report.before)}."
    )
    return lines


def _describe_left_out(report: SpeedReport) -> str:
    if not report.left_out:
        return ""
    named = ", ".join(str(index) for index in report.left_out)
    return f"; no flick explains shots[{named}] well, so they are left out"


def _describe_prediction(prediction: PredictionErrors) -> str:
    seen = _prediction_json(prediction)
    middle = "no distance at all" if seen is None else f"{seen:.1f} mm (median)"
    return f"{middle}, {prediction.state_mismatches} in another state"


def _prediction_json(prediction: PredictionErrors) -> float | None:
    return round(prediction.median_mm, 2) if prediction.errors_mm else None


def _parse_shot(content: Any, index: int, table: TableSpec) -> SpeedFitShot:
    name = f"shots[{index}]"
    if not isinstance(content, Mapping):
        raise ValueError(f"{name} must be a JSON object, not {json.dumps(content)}")
    refuse_unknown(content, _SHOT_KEYS, name)
    try:
        pair: BoardPair = parse_boards(content, table).pair
    except ValueError as error:
        raise ValueError(f"{name}: {error}") from error
    flick = content.get("flick")
    if flick is None and pair.track is None:
        raise ValueError(f"{name} needs a track or a known flick")
    return SpeedFitShot(
        pair=pair, flick=None if flick is None else _parse_flick(flick, f"{name}.flick")
    )


def _parse_flick(content: Any, name: str) -> KnownFlick:
    if not isinstance(content, Mapping):
        raise ValueError(f"{name} must be a JSON object, not {json.dumps(content)}")
    refuse_unknown(content, _FLICK_KEYS, name)
    speed = _read_positive(content, "speed_mm_s", name)
    return KnownFlick(
        speed_mm_s=speed,
        direction_rad=math.radians(read_number(content, "direction_deg", name)),
        speed_sigma_mm_s=_read_positive(content, "speed_sigma_mm_s", name, _SPEED_SIGMA * speed),
        direction_sigma_rad=math.radians(
            _read_positive(content, "direction_sigma_deg", name, _DIRECTION_SIGMA_DEG)
        ),
    )


def _read_positive(
    content: Mapping[str, Any], key: str, name: str, default: float | None = None
) -> float:
    value = read_number(content, key, name, default)
    if value <= 0:
        raise ValueError(f"{name}.{key} must be above 0, not {value:g}")
    return value
