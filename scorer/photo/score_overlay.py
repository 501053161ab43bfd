"""A score drawn over its picture: the labels of all calls, and the summary of both teams."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from calibration.board import BoardSpec
from scorer.photo.called_disc import CalledDisc
from scorer.photo.score import Score
from scorer.zones import Boundary, CallCertainty
from vision.draw.overlay import CERTAIN_COLOUR, CLOSE_COLOUR, DiscLabel, draw_overlay
from vision.draw.summary_panel import SummaryPanel, SummaryRow


def draw_score(score: Score) -> np.ndarray | None:
    """The picture with its calls and the places in question drawn on it, (height, width, 3) BGR;
    None if it was not scored.
    """
    if score.frame is None or score.reading is None or score.reading.board is None:
        return None
    spec = score.reading.board.spec
    labels = [_make_label(number, disc, spec) for number, disc in enumerate(score.discs, start=1)]
    asked = {tuple(one.centre_mm) for one in score.asked if one.centre_mm is not None}
    marked = tuple(one for one in score.reading.unexplained if tuple(one.centre_mm) in asked)
    reading = replace(score.reading, unexplained=marked)
    return draw_overlay(score.frame, reading, labels, _make_summary_panel(score))


def _make_label(number: int, disc: CalledDisc, spec: BoardSpec) -> DiscLabel:
    centre_mm, radius_mm = find_deciding_edge(disc, spec)
    return DiscLabel(
        disc=disc.disc,
        number=number,
        colour_rgb=disc.team.colour_rgb,
        zone=disc.call.zone,
        is_close=disc.call.call is CallCertainty.CLOSE,
        words=_describe_call(disc),
        margin_mm=disc.call.margin_mm,
        deciding_centre_mm=centre_mm,
        deciding_radius_mm=radius_mm,
    )


def _describe_call(disc: CalledDisc) -> str:
    """The call with its margin."""
    call = disc.call
    if call.call is CallCertainty.CLOSE and call.alternative is None:
        what = "seen unclearly" if disc.disc.has_clear_team else "whose it is unclear"
        return f"{call.zone}, {what}"
    zones = str(call.zone) if call.alternative is None else f"{call.zone} or {call.alternative}"
    return f"{zones}:  {call.margin_mm:+.1f} ± {call.sigma_mm:.1f} mm"


def find_deciding_edge(disc: CalledDisc, spec: BoardSpec) -> tuple[tuple[float, float], float]:
    """Centre and radius, mm, of the circle from which the disc's margin is measured."""
    if disc.call.boundary is Boundary.HOLE:
        return spec.hole_centre_mm, spec.hole_radius_mm
    line = (Boundary.LINE_15, Boundary.LINE_10, Boundary.LINE_5).index(disc.call.boundary)
    centre_mm = spec.line_centres_mm[line]
    distance_mm = float(np.linalg.norm(disc.disc.centre_mm - np.asarray(centre_mm)))
    inside_mm = float(spec.inside_line_mm(line, disc.disc.centre_mm[None])[0])
    return (centre_mm[0], centre_mm[1]), distance_mm + inside_mm - spec.line_width_mm / 2


def _make_summary_panel(score: Score) -> SummaryPanel:
    assert score.reading is not None
    teams = {team.number: team for team in score.reading.teams}
    rows = tuple(
        SummaryRow(
            colour_rgb=teams[total.team].colour_rgb,
            name=teams[total.team].colour_name,
            points=total.points,
            remark=_describe_twenties(total.twenties),
        )
        for total in score.totals
    )
    if score.needs_review:
        verdict = " ".join(score.concerns)
    elif score.discs:
        verdict = "Every call is certain."
    else:
        verdict = "No discs on the board."
    colour = CLOSE_COLOUR if score.needs_review else CERTAIN_COLOUR
    return SummaryPanel(rows=rows, verdict=verdict, verdict_rgb=colour)


def _describe_twenties(twenties: int) -> str:
    if twenties == 0:
        return ""
    return "one 20" if twenties == 1 else f"{twenties} 20s"
