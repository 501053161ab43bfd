"""A photo's score for its page: plain values for two drawings.

One is over the photo, in its pixels; the other over the rectified image, in millimetres from the
board's centre with y downwards, as on screens.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from calibration.board import BoardSpec, FloatArray
from calibration.circle import circle_mm
from calibration.phrase import Phrase, term
from calibration.placed_disc import Team
from calibration.pose import View
from scorer.match.state import MatchSetup
from scorer.photo.corrections import CorrectedDisc, rank_zones
from scorer.photo.questions import Question
from scorer.photo.rectified_image import flip_y, format_points, inner_edges_mm
from scorer.photo.score_overlay import find_deciding_edge
from scorer.zones import CallCertainty, TeamTotal
from vision.reading import Reading
from webapp.jobs.snapshot_job import SnapshotResult
from webapp.pages.snapshot.call_labels import describe_figures, describe_place

_CURVE_POINTS = 120
#: Size of letters over a disc, in its radii, and of the area around it to tap.
_LETTER_RADII, _FINGER_RADII = 1.4, 1.5
#: The close-up shows this much of the board around a disc, mm.
_CLOSE_HALF_MM = 30.0
#: Distance shown to either side of a question's place, mm; half of it up and down.
_LOOK_HALF_MM = 60.0
#: Rec. 601 luma above which dark letters are easier to read.
_LIGHT_LUMA = 140


def build_photo_drawing(seen: SnapshotResult, discs: Sequence[CorrectedDisc]) -> dict[str, object]:
    """The drawing over a photo with a board, in its pixels."""
    view, (reading, spec) = seen.view, _get_reading(seen)
    assert view is not None
    placed = [disc for disc in discs if disc.at_mm is not None]
    hole = circle_mm(spec.hole_centre_mm, spec.hole_radius_mm, _CURVE_POINTS)
    rings = [view.project_plane(ring) for ring in (*inner_edges_mm(spec), hole)]
    return {
        "window": seen.window_px,
        "line_px": max(1.0, (seen.window_px or (0, 0, 900, 0))[2] / 550),
        "rings": [format_points(ring) for ring in rings],
        "discs": [_photo_disc(seen, disc, view, reading.disc.contact_radius_mm) for disc in placed],
        "unexplained": [
            _place(view.project_plane(question.centre_mm[None])[0])
            for question in seen.score.asked
            if question.disc is None and question.centre_mm is not None
        ],
    }


def _get_reading(seen: SnapshotResult) -> tuple[Reading, BoardSpec]:
    """The reading of a photo that shows a board, and the board itself."""
    reading = seen.score.reading
    assert reading is not None
    assert reading.board is not None
    return reading, reading.board.spec


def _photo_disc(
    seen: SnapshotResult, disc: CorrectedDisc, view: View, radius_mm: float
) -> dict[str, object]:
    assert disc.at_mm is not None
    radius_px = radius_mm / view.mm_per_px(disc.at_mm)
    return {
        **build_row(seen, disc),
        "foot": format_points(view.project_plane(circle_mm(disc.at_mm, radius_mm, 40))),
        "at": _place(view.project_plane(disc.at_mm[None], 9.0)[0]),
        "letter_px": round(_LETTER_RADII * radius_px, 1),
        "finger_px": round(_FINGER_RADII * radius_px, 1),
    }


def build_row(seen: SnapshotResult, disc: CorrectedDisc) -> dict[str, object]:
    """A disc as a row of a table."""
    return {
        "number": disc.number,
        "team": disc.team.number,
        "colour": disc.team.colour_hex,
        "colour_name": disc.team.colour_name,
        "ink": "#14100c" if _is_light(disc.team) else "#ffffff",
        "zone": disc.zone,
        "state": _state(disc),
        "words": _describe_disc(seen, disc),
        "figures": None if disc.read is None else describe_figures(disc.read),
        "is_open": disc.is_open,
        "is_removed": disc.is_removed,
        "is_corrected": disc.is_corrected,
    }


def _state(disc: CorrectedDisc) -> str:
    if disc.is_removed:
        return "removed"
    if disc.is_open:
        return "is-close"
    return "corrected" if disc.is_corrected else "sure"


def _describe_disc(seen: SnapshotResult, disc: CorrectedDisc) -> str:
    """The facts of the call for a person."""
    if disc.is_removed:
        return Phrase("does not count")
    if disc.read is None:
        return Phrase("added by hand")
    if disc.is_corrected:
        return Phrase(
            "read as %(colour_name)s %(zone)s",
            colour_name=term(disc.read.team.colour_name),
            zone=disc.read.call.zone,
        )
    if not disc.is_open and disc.read.call.call is CallCertainty.CLOSE:
        return "checked"
    reading, spec = _get_reading(seen)
    return describe_place(disc.read, spec, reading.disc.contact_radius_mm)


def list_open_questions(seen: SnapshotResult, open_discs: Sequence[int]) -> list[Question]:
    """The questions to answer before trusting the totals, those with the largest effect first.

    open_discs  numbers of the discs with a close call that nobody has checked
    """
    return [
        question
        for question in seen.score.asked
        if question.disc is None or question.disc + 1 in open_discs
    ]


def build_first_look(
    seen: SnapshotResult, questions: Sequence[Question]
) -> dict[str, object] | None:
    """The rectified image around the place to check first, with the disc's number if it is one."""
    first = next((question for question in questions if question.centre_mm is not None), None)
    if first is None or first.centre_mm is None:
        return None
    x, y, half = float(first.centre_mm[0]), -float(first.centre_mm[1]), _LOOK_HALF_MM
    return {
        "box": (round(x - half, 2), round(y - half / 2, 2), 2 * half, half),
        "at": (round(x, 2), round(y, 2)),
        "plan_half": seen.plan_half_mm,
        "disc": None if first.disc is None else first.disc + 1,
    }


def build_side_choices(
    setup: MatchSetup, totals: Sequence[TeamTotal], teams: Sequence[Team], chosen: Sequence[str]
) -> list[dict[str, object]]:
    """The sides with the colours that may be their own.

    chosen  the numbers of the sides' colours, "none" for none on the board; "" if unknown
    """
    by_value = {str(team.number): team for team in teams}
    in_hole = {total.team: total.twenties for total in totals}
    return [
        {
            "name": name,
            "chosen": value,
            "colour_name": by_value[value].colour_name if value in by_value else None,
            "colour": by_value[value].colour_hex if value in by_value else None,
            "choices": [
                {
                    "value": str(team.number),
                    "name": team.colour_name,
                    "colour": team.colour_hex,
                    "in_hole": in_hole[team.number],
                }
                for team in teams
            ],
        }
        for name, value in zip(setup.sides, chosen, strict=True)
    ]


def build_close_up(seen: SnapshotResult, disc: CorrectedDisc) -> dict[str, object]:
    """The rectified image around a disc, magnified: its contact edge, the lines, and the possible
    zones.
    """
    reading, spec = _get_reading(seen)
    at = np.zeros(2) if disc.at_mm is None else disc.at_mm
    x, y = float(at[0]), -float(at[1])
    half = _CLOSE_HALF_MM
    drawing: dict[str, object] = {
        "box": (round(x - half, 2), round(y - half, 2), 2 * half, 2 * half),
        "plan_half": seen.plan_half_mm,
        "lines": [format_points(flip_y(edge)) for edge in inner_edges_mm(spec)],
        "hole": (spec.hole_centre_mm[0], -spec.hole_centre_mm[1], spec.hole_radius_mm),
        "foot": (round(x, 2), round(y, 2), reading.disc.contact_radius_mm),
        "deciding": None,
        "scale": (round(x + half - 14, 2), round(y + half - 4, 2)),
        "zones": [
            {
                "zone": zone.zone,
                "percent": None if zone.probability is None else _format_percent(zone.probability),
                "is_now": zone.zone == disc.zone and not disc.is_removed,
            }
            for zone in rank_zones(disc)
        ],
    }
    if disc.read is not None:
        centre, radius = find_deciding_edge(disc.read, spec)
        drawing["deciding"] = (centre[0], -centre[1], round(radius, 3))
    return drawing


def build_plan_drawing(seen: SnapshotResult) -> dict[str, object]:
    """The whole rectified image with the lines, for pointing at a place."""
    reading, spec = _get_reading(seen)
    return {
        "plan_half": seen.plan_half_mm,
        "foot": round(reading.disc.contact_radius_mm, 2),
        "lines": [format_points(flip_y(edge)) for edge in inner_edges_mm(spec)],
    }


def _format_percent(chance: float) -> str:
    """A chance in percent, as people write it; never quite 100%."""
    if chance > 0.995:
        return Phrase(">99%%")
    return Phrase("<1%%") if chance < 0.005 else Phrase("%(percent).0f%%", percent=100 * chance)


def _place(point: FloatArray) -> tuple[float, float]:
    return round(float(point[0]), 1), round(float(point[1]), 1)


def _is_light(team: Team) -> bool:
    red, green, blue = team.colour_rgb
    return 0.299 * red + 0.587 * green + 0.114 * blue > _LIGHT_LUMA
