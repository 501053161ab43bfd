"""A score as the JSON that programs read, key by key.

Knows the published format (``schemas/score.schema.json``). Everything is in pixels of the picture
as stored after EXIF rotation, and in board millimetres.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from calibration.pose import View
from calibration.state import Team
from webapp.photo.score import CalledDisc, Score

#: Places after the point: a micrometre, a hundredth of a pixel.
_MM_DECIMALS, _PX_DECIMALS, _RATIO_DECIMALS = 3, 2, 6


def score_json(score: Score) -> dict[str, Any]:
    """One image's entry of the list that ``crokinole score --json`` prints."""
    view = full_size_view(score)
    return {
        "image": score.image,
        "status": score.status.value,
        "reason": score.reason or " ".join(score.concerns) or None,
        "needs_review": score.needs_review,
        "camera": None if view is None else _camera_json(view),
        "board": None if view is None else _board_json(score, view),
        "discs": [] if view is None else [_disc_json(each, view) for each in score.discs],
        "totals": _totals_json(score),
    }


def full_size_view(score: Score) -> View | None:
    """The view in pixels of the stored picture, None when no board was found."""
    if score.frame is None or score.reading is None or score.reading.board is None:
        return None
    return score.reading.board.view.rescale(1.0 / score.frame.scale)


def colour_hex(team: Team) -> str:
    """The team's colour as #rrggbb."""
    red, green, blue = team.colour_rgb
    return f"#{red:02x}{green:02x}{blue:02x}"


def _camera_json(view: View) -> dict[str, float]:
    camera = view.camera
    return {
        "fx_px": round(camera.fx_px, _PX_DECIMALS),
        "fy_px": round(camera.fy_px, _PX_DECIMALS),
        "cx_px": round(camera.cx_px, _PX_DECIMALS),
        "cy_px": round(camera.cy_px, _PX_DECIMALS),
        "k1": round(camera.k1, _RATIO_DECIMALS),
        "k2": round(camera.k2, _RATIO_DECIMALS),
        "tilt_deg": round(view.cam_from_board.tilt_deg, 3),
    }


def _board_json(score: Score, view: View) -> dict[str, Any]:
    assert score.frame is not None
    assert score.reading is not None
    assert score.reading.board is not None
    fit = score.reading.board
    pose = view.cam_from_board
    return {
        "cam_from_board": {
            "R": [[round(float(value), 9) for value in row] for row in pose.rotation],
            "t_mm": _round_all(pose.translation_mm, _MM_DECIMALS),
        },
        "residual_px": round(fit.residual_px / score.frame.scale, 3),
        "line_radii_mm": _round_all(fit.spec.line_radii_mm, _MM_DECIMALS),
        "hole_px": _pixel_json(view, fit.spec.hole_centre_mm),
    }


def _disc_json(each: CalledDisc, view: View) -> dict[str, Any]:
    centre_mm = each.disc.centre_mm
    return {
        "team": each.team.number,
        "colour": colour_hex(each.team),
        "colour_name": each.team.colour_name,
        "x_mm": round(float(centre_mm[0]), _MM_DECIMALS),
        "y_mm": round(float(centre_mm[1]), _MM_DECIMALS),
        "foot_px": _pixel_json(view, centre_mm),
        "state": each.disc.state.value,
        "zone": each.call.zone,
        "margin_mm": round(each.call.margin_mm, _MM_DECIMALS),
        "sigma_mm": round(each.call.sigma_mm, _MM_DECIMALS),
        "call": each.call.call.value,
    }


def _totals_json(score: Score) -> list[dict[str, Any]]:
    if score.reading is None:
        return []
    names = {team.number: team.colour_name for team in score.reading.teams}
    return [
        {
            "team": total.team,
            "colour_name": names[total.team],
            "points": total.points,
            "twenties": total.twenties,
        }
        for total in score.totals
    ]


def _pixel_json(view: View, point_mm: Any) -> list[float]:
    return _round_all(
        view.project_plane(np.asarray(point_mm, dtype=np.float64)[None])[0], _PX_DECIMALS
    )


def _round_all(values: Any, places: int) -> list[float]:
    return [round(float(value), places) for value in values]
