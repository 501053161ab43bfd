"""The score of one disc, by its bottom edge, with its certainty.

A disc that touches a line scores the lower zone. Its margin to a line, in board mm, is the radius
of the line's inner edge, minus the distance of the base's centre from the line's centre, minus the
radius of the contact edge. A positive margin means clear inside. The margin's variance is the sum
of those of the radial place, the contact edge, the line and its paint, taken as independent and
linear. Errors of margins follow Student's t with that sigma, because large errors are far more
frequent than in a normal distribution. A call that is wrong more often than a stated rate is close,
and never silently decided.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from calibration.board import BoardSpec, FloatArray
from calibration.disc import ContactEdge
from calibration.parameters import StageParameters, cached_by_settings, parameter
from calibration.placed_disc import DiscState, PlacedDisc
from scorer.zone_values import TWENTY, ZONES


class ZoneParameters(StageParameters):
    """Parameters of zone calls."""

    #: A call with a higher probability of being wrong is close.
    wrong_rate: float = parameter(
        0.002,
        unit="probability",
        source="chosen: at the limit of certain calls, one in 500 is wrong",
    )
    #: Margins err by Student's t: its degrees of freedom, an even number, and its scale.
    tail_freedom: int = parameter(
        8,
        unit="",
        source="measured: the likeliest of 4, 6 and 8 for 430 discs on 25 rendered boards",
    )
    tail_scale: float = parameter(
        0.83,
        unit="σ",
        source="measured on the same discs: 20 were on the other side of a line, 17.5 expected",
    )
    #: Below this confidence the detection itself is uncertain, whatever the margin.
    min_confidence: float = parameter(
        0.9,
        unit="probability",
        source="chosen: at this confidence, one such disc in ten would be wrong",
    )
    #: One sigma of the place of a line's inner edge, if computed from the line's middle and width.
    line_edge_sigma_mm: float = parameter(
        0.1, unit="mm", source="chosen: the unevenness of a painted line's edge"
    )
    #: One sigma of the hole's radius.
    hole_edge_sigma_mm: float = parameter(
        0.5, unit="mm", source="chosen: the uncertainty caused by the bevel of the hole's edge"
    )


PARAMS = ZoneParameters()


class CallCertainty(StrEnum):
    """The certainty of a zone call."""

    CERTAIN = "certain"
    CLOSE = "close"


class Boundary(StrEnum):
    """An edge that decides between two zones."""

    HOLE = "hole"
    LINE_15 = "15-line"
    LINE_10 = "10-line"
    LINE_5 = "5-line"


#: Every margin has some uncertainty, mm.
_LEAST_SIGMA_MM = 1e-9
_LINES = (Boundary.LINE_15, Boundary.LINE_10, Boundary.LINE_5)


@dataclass(frozen=True, slots=True, kw_only=True)
class ZoneCall:
    """The score of a disc.

    margin_mm    distance of the contact edge inside ``boundary``; negative: touching or outside
    sigma_mm     one standard deviation of the margin
    probability  probability that its side of ``boundary`` is right; 1 if the margin does not decide
    alternative  the other possible zone; None if the call is certain, or if the uncertainty is not
                 about a line but about whether it is a disc, its team or its state
    """

    zone: int
    margin_mm: float
    sigma_mm: float
    boundary: Boundary
    call: CallCertainty
    alternative: int | None = None
    probability: float = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class TeamTotal:
    """The total of one team's discs."""

    team: int
    points: int
    twenties: int


@dataclass(frozen=True, slots=True, kw_only=True)
class _Margin:
    boundary: Boundary
    margin_mm: float
    sigma_mm: float

    @property
    def wrong_side(self) -> float:
        """The chance that the disc is on the other side of the boundary."""
        return compute_tail(abs(self.margin_mm) / max(self.sigma_mm, _LEAST_SIGMA_MM))

    @property
    def is_clear(self) -> bool:
        """Whether the disc's side of the boundary is hardly ever wrong."""
        return self.wrong_side < PARAMS.wrong_rate


def compute_tail(sigmas: float) -> float:
    """The chance that the error of a margin exceeds the given number of sigmas to one side.

    Student's t with an even number of degrees of freedom (Abramowitz and Stegun, 26.7.4).
    """
    freedom = PARAMS.tail_freedom
    angle = math.atan(sigmas / (PARAMS.tail_scale * math.sqrt(freedom)))
    term = total = 1.0
    for k in range(1, freedom // 2):
        term *= (2 * k - 1) / (2 * k) * math.cos(angle) ** 2
        total += term
    return (1.0 - math.sin(angle) * total) / 2.0


@cached_by_settings()
def find_close_sigmas() -> float:
    """The least margin of a certain call, in sigmas: where the tail falls to ``wrong_rate``."""
    low, high = 0.0, 100.0
    while high - low > 1e-6:
        middle = (low + high) / 2
        low, high = (middle, high) if compute_tail(middle) > PARAMS.wrong_rate else (low, middle)
    return high


def call_zone(disc: PlacedDisc, board: BoardSpec, edge: ContactEdge) -> ZoneCall:
    """The disc's score on this board, and the other possible zone if it is close."""
    if disc.state is DiscState.IN_HOLE:
        return _call_at_hole(disc, board, edge, zone=TWENTY, alternative=15)
    if disc.state is DiscState.LEANING and _is_at_hole(disc, board, edge):
        return _call_at_hole(disc, board, edge, zone=15, alternative=TWENTY)
    if disc.state is DiscState.OVERHANGING:
        return _call_overhanging(disc, board, edge)
    return _call_by_lines(disc, board, edge)


def total_by_team(
    calls: Iterable[tuple[int, ZoneCall]], teams: Iterable[int]
) -> tuple[TeamTotal, ...]:
    """Points and twenties of each of ``teams``, from (team, call) of every disc."""
    counted = list(calls)
    return tuple(
        TeamTotal(
            team=team,
            points=sum(call.zone for owner, call in counted if owner == team),
            twenties=sum(call.zone == TWENTY for owner, call in counted if owner == team),
        )
        for team in teams
    )


def _call_at_hole(
    disc: PlacedDisc, board: BoardSpec, edge: ContactEdge, *, zone: int, alternative: int
) -> ZoneCall:
    """The call of a disc in or on the hole, which its state decides and not its margin."""
    margin = _hole_margin(disc, board, edge)
    is_certain = disc.confidence >= PARAMS.min_confidence
    return ZoneCall(
        zone=zone,
        margin_mm=margin.margin_mm,
        sigma_mm=margin.sigma_mm,
        boundary=Boundary.HOLE,
        call=CallCertainty.CERTAIN if is_certain else CallCertainty.CLOSE,
        alternative=None if is_certain else alternative,
    )


def _call_overhanging(disc: PlacedDisc, board: BoardSpec, edge: ContactEdge) -> ZoneCall:
    """Zero: a disc over the surface's edge is beyond the 5-line, whatever its margin."""
    outermost = _line_margins(disc, board, edge)[-1]
    is_certain = outermost.is_clear and disc.confidence >= PARAMS.min_confidence
    return ZoneCall(
        zone=0,
        margin_mm=outermost.margin_mm,
        sigma_mm=outermost.sigma_mm,
        boundary=outermost.boundary,
        call=CallCertainty.CERTAIN if is_certain else CallCertainty.CLOSE,
        alternative=None if is_certain else 5,
        probability=1.0 - outermost.wrong_side,
    )


def _call_by_lines(disc: PlacedDisc, board: BoardSpec, edge: ContactEdge) -> ZoneCall:
    """The call of a disc on the surface, or leaning on a post with its lowest edge there.

    Two cases are uncertain even with a clear margin: a disc on a post, whose lowest edge is not a
    circle, and a disc that would hang over the hole, where none can be flat.
    """
    margins = _line_margins(disc, board, edge)
    deciding = min(margins, key=lambda margin: abs(margin.margin_mm))
    touched = sum(margin.margin_mm <= 0 for margin in margins)
    is_over_hole = _is_clearly_over_hole(disc, board)
    is_certain = (
        deciding.is_clear
        and disc.confidence >= PARAMS.min_confidence
        and disc.state is DiscState.FLAT
        and not is_over_hole
    )
    return ZoneCall(
        zone=ZONES[touched],
        margin_mm=deciding.margin_mm,
        sigma_mm=deciding.sigma_mm,
        boundary=deciding.boundary,
        call=CallCertainty.CERTAIN if is_certain else CallCertainty.CLOSE,
        alternative=TWENTY if is_over_hole else _zone_across(deciding, disc),
        probability=1.0 - deciding.wrong_side,
    )


def _zone_across(margin: _Margin, disc: PlacedDisc) -> int | None:
    """The zone across the boundary, if the disc may really have it; None otherwise."""
    if margin.is_clear and disc.state is not DiscState.LEANING:
        return None
    line = _LINES.index(margin.boundary)
    return ZONES[line + 1] if margin.margin_mm > 0 else ZONES[line]


def _line_margins(disc: PlacedDisc, board: BoardSpec, edge: ContactEdge) -> tuple[_Margin, ...]:
    """Margins to the 15-, 10- and 5-line, with the lines' own centres and shapes."""
    return tuple(_line_margin(disc, board, edge, line) for line in range(len(_LINES)))


def _line_margin(disc: PlacedDisc, board: BoardSpec, edge: ContactEdge, line: int) -> _Margin:
    """Margin to one line."""
    inside_mm = float(board.inside_line_mm(line, disc.centre_mm[None])[0])
    _, variance_mm2 = _distance(
        disc.centre_mm - np.asarray(board.line_centres_mm[line]), disc.covariance_mm2
    )
    line_mm2 = (board.line_width_sigma_mm / 2) ** 2 + board.line_sigmas_mm[line] ** 2
    known_mm2 = edge.radius_sigma_mm**2 + PARAMS.line_edge_sigma_mm**2 + line_mm2
    return _Margin(
        boundary=_LINES[line],
        margin_mm=inside_mm - board.line_width_mm / 2 - edge.radius_mm,
        sigma_mm=float(np.sqrt(variance_mm2 + known_mm2)),
    )


def _hole_margin(disc: PlacedDisc, board: BoardSpec, edge: ContactEdge) -> _Margin:
    """Distance of the contact edge inside the hole."""
    distance_mm, variance_mm2 = _distance(
        disc.centre_mm - np.asarray(board.hole_centre_mm), disc.covariance_mm2
    )
    known_mm2 = variance_mm2 + edge.radius_sigma_mm**2 + PARAMS.hole_edge_sigma_mm**2
    return _Margin(
        boundary=Boundary.HOLE,
        margin_mm=board.hole_radius_mm - (distance_mm + edge.radius_mm),
        sigma_mm=float(np.sqrt(known_mm2)),
    )


def _is_at_hole(disc: PlacedDisc, board: BoardSpec, edge: ContactEdge) -> bool:
    """Whether the disc reaches over the hole's edge, so that it leans there and not on a post."""
    distance_mm, _ = _distance(
        disc.centre_mm - np.asarray(board.hole_centre_mm), disc.covariance_mm2
    )
    return distance_mm < board.hole_radius_mm + edge.radius_mm


def _is_clearly_over_hole(disc: PlacedDisc, board: BoardSpec) -> bool:
    """Whether the disc's centre is certainly over the hole, where it would have tipped into it."""
    distance_mm, variance_mm2 = _distance(
        disc.centre_mm - np.asarray(board.hole_centre_mm), disc.covariance_mm2
    )
    sigma_mm = float(np.sqrt(variance_mm2 + PARAMS.hole_edge_sigma_mm**2))
    return board.hole_radius_mm - distance_mm > find_close_sigmas() * sigma_mm


def _distance(offset_mm: FloatArray, covariance_mm2: FloatArray) -> tuple[float, float]:
    """Length of ``offset_mm`` (2,) and its variance; at the centre, that of the worst direction."""
    length_mm = float(np.hypot(offset_mm[0], offset_mm[1]))
    worst_mm2 = float(np.linalg.eigvalsh(covariance_mm2)[-1])
    if length_mm**2 <= worst_mm2:
        return length_mm, worst_mm2
    radial = offset_mm / length_mm
    return length_mm, float(radial @ covariance_mm2 @ radial)
