"""The rotation between the board frames of two readings of one board, and their matching discs.

Rings, posts and quadrants look alike from four sides. So the two frames differ by quarter turns and
by some tenths of a degree, the accuracy of the lines. Among the four quarter turns and the possible
matches of teams, the one with the likeliest assignment of discs is chosen (Hungarian method, Kuhn
1955; Mahalanobis distances). If another is about as likely and only one camera saw some of the
discs, their positions are ambiguous and the rotation is unknown.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import permutations

import numpy as np

from calibration.camera import FloatArray
from calibration.numerics.assignment import assign
from calibration.parameters import StageParameters, parameter
from calibration.placed_disc import DiscState, PlacedDisc, Team
from vision.reading import Reading


class ReadingRegistrationParameters(StageParameters):
    """Parameters of ``registration``."""

    #: Two bases closer than this belong to one disc, whatever their sigmas: two discs do not fit
    #: into that distance.
    same_radii: float = parameter(
        1.5, unit="radii", source="chosen: the centres of two discs are 2 radii or more apart"
    )
    #: Cost of a disc that only one camera saw, and of a disc seen with different teams.
    alone_cost: float = parameter(
        5.0, unit="log", source="chosen: one disc in 150 is missed without a reason"
    )
    team_cost: float = parameter(
        3.0, unit="log", source="chosen: one disc in twenty is seen with another team"
    )
    #: The second likeliest rotation is ruled out if its cost is higher by this.
    clear_cost: float = parameter(
        5.0,
        unit="log",
        source="chosen: one disc more that matches: a disc matches by chance in one of 300 "
        "cases (a disc's area divided by the surface's)",
    )
    #: One sigma of the rotation that remains between the two frames, and of their origins, per
    #: axis.
    turn_sigma_rad: float = parameter(
        0.005, unit="rad", source="chosen: 0.3°, the accuracy of traced quadrant lines and posts"
    )
    origin_sigma_mm: float = parameter(
        0.3, unit="mm", source="chosen: rings are drawn concentric to within about this"
    )
    #: Two cameras see the colours of one team with a smaller difference than this, in sRGB from 0
    #: to 1.
    other_colour: float = parameter(
        0.3,
        unit="sRGB",
        source="chosen: colours that differ by more than this are distinct at a glance",
    )


PARAMS = ReadingRegistrationParameters()
#: Largest squared Mahalanobis distance between two bases of one disc: 99.73% of a chi-square with
#: two degrees of freedom.
GATE_M2 = 11.83
#: Rounds of reweighted least squares for the rotation that remains.
_TURN_ROUNDS = 3


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Registration:
    """The registration of two readings of one board.

    turn_rad  from the other's board frame to the lead's, counter-clockwise
    is_clear  whether discs determine the turn; if not, no disc seen by one camera depends on it
    pairs     (index in the lead, index in the other) of the same disc
    team_of   the lead's team number for those of the other's teams that are the same
    """

    turn_rad: float
    is_clear: bool
    pairs: tuple[tuple[int, int], ...]
    team_of: Mapping[int, int]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Match:
    quarter: int
    cost: float
    pairs: tuple[tuple[int, int], ...]
    team_of: Mapping[int, int]


def register_readings(
    lead: Reading, other: Reading, known_rad: float | None = None
) -> Registration | None:
    """The registration of two readings; None if the turn is ambiguous.

    ``known_rad`` is the turn from earlier readings, which is refined by some tenths of a degree.
    """
    known = None if known_rad is None else round(known_rad / (math.pi / 2)) % 4
    matches = [
        _match_discs(lead, other, quarter, team_of)
        for quarter in (range(4) if known is None else (known,))
        for team_of in _list_team_maps(lead.teams, other.teams)
    ]
    best = min(matches, key=lambda match: match.cost)
    rivals = [match.cost for match in matches if match.quarter != best.quarter]
    is_clear = known is not None or min(rivals) - best.cost >= PARAMS.clear_cost
    if not is_clear and _moves_with_turn(other, best):
        return None
    return Registration(
        is_clear=is_clear,
        turn_rad=best.quarter * math.pi / 2 + _measure_turn(lead, other, best),
        pairs=best.pairs,
        team_of=_drop_unlike_teams(lead, other, best),
    )


def _moves_with_turn(other: Reading, match: _Match) -> bool:
    """Whether any disc that only the other camera saw is outside the hole."""
    seen = {j for _, j in match.pairs}
    return any(
        disc.state is not DiscState.IN_HOLE for j, disc in enumerate(other.discs) if j not in seen
    )


def rotation(angle_rad: float) -> FloatArray:
    """The matrix (2, 2) that rotates points counter-clockwise."""
    cos, sin = math.cos(angle_rad), math.sin(angle_rad)
    return np.array([[cos, -sin], [sin, cos]])


def measure_m2(one: PlacedDisc, other: PlacedDisc, turn_rad: float, turn_sigma_rad: float) -> float:
    """Squared Mahalanobis distance of two bases after turning the other's frame; the rotation's
    uncertainty is added along the tangent.
    """
    away, covariance = _compare_bases(one, other, turn_rad)
    across = rotation(math.pi / 2) @ one.centre_mm
    covariance = covariance + turn_sigma_rad**2 * np.outer(across, across)
    return float(away @ np.linalg.solve(covariance, away))


def _compare_bases(
    one: PlacedDisc, other: PlacedDisc, turn_rad: float
) -> tuple[FloatArray, FloatArray]:
    """The difference (2,) of two bases, in one frame, and its covariance (2, 2)."""
    turn = rotation(turn_rad)
    away = one.centre_mm - turn @ other.centre_mm
    covariance = one.covariance_mm2 + turn @ other.covariance_mm2 @ turn.T
    return away, covariance + PARAMS.origin_sigma_mm**2 * np.eye(2)


def _match_discs(lead: Reading, other: Reading, quarter: int, team_of: Mapping[int, int]) -> _Match:
    """The likeliest assignment of discs at a quarter turn, and its cost: minus the log-likelihood,
    up to a constant.
    """
    gain = np.array(
        [
            [_gain(one, two, quarter, lead.disc.radius_mm, team_of) for two in other.discs]
            for one in lead.discs
        ]
    ).reshape(len(lead.discs), len(other.discs))
    rows, columns = assign(-gain)
    pairs = [(int(i), int(j)) for i, j in zip(rows, columns, strict=True) if gain[i, j] > 0]
    unlike = sum(
        _colour_distance(_team(lead, number), _team(other, theirs))
        for theirs, number in team_of.items()
    )
    alone = PARAMS.alone_cost * (len(lead.discs) + len(other.discs))
    cost = alone + unlike - sum(float(gain[pair]) for pair in pairs)
    return _Match(quarter=quarter, cost=cost, pairs=tuple(pairs), team_of=team_of)


def _gain(
    one: PlacedDisc, two: PlacedDisc, quarter: int, radius_mm: float, team_of: Mapping[int, int]
) -> float:
    """Gain in log-likelihood if two discs are the same; 0 if they cannot be."""
    turn_rad = quarter * math.pi / 2
    m2 = measure_m2(one, two, turn_rad, PARAMS.turn_sigma_rad)
    away_mm = float(np.linalg.norm(_compare_bases(one, two, turn_rad)[0]))
    same_mm = PARAMS.same_radii * radius_mm
    if m2 > GATE_M2 and away_mm > same_mm:
        return 0.0
    beyond = away_mm / same_mm if m2 > GATE_M2 else 0.0
    cost = min(m2, GATE_M2) / 2 + beyond
    if team_of.get(two.team) != one.team:
        cost += PARAMS.team_cost
    return max(2 * PARAMS.alone_cost - cost, 0.0)


def _measure_turn(lead: Reading, other: Reading, match: _Match) -> float:
    """The small rotation, rad, that remains after the quarter turns: iteratively reweighted least
    squares over flat discs, with a normal prior.
    """
    turn_rad, left = match.quarter * math.pi / 2, 0.0
    flat = [
        (lead.discs[i], other.discs[j])
        for i, j in match.pairs
        if lead.discs[i].state is other.discs[j].state is DiscState.FLAT
    ]
    for _ in range(_TURN_ROUNDS):
        information, weighted = PARAMS.turn_sigma_rad**-2, 0.0
        for one, two in flat:
            away, covariance = _compare_bases(one, two, turn_rad)
            across = rotation(turn_rad + math.pi / 2) @ two.centre_mm
            m2 = measure_m2(one, two, turn_rad + left, 0.0)
            weight = min(1.0, GATE_M2 / max(m2, 1e-9))
            solved = weight * np.linalg.solve(covariance, across)
            information += float(solved @ across)
            weighted += float(solved @ away)
        left = weighted / information
    return left


# Teams


def _list_team_maps(lead: Sequence[Team], other: Sequence[Team]) -> Iterator[dict[int, int]]:
    """Every maximal one-to-one map from the other's teams to the lead's."""
    ours, theirs = [team.number for team in lead], [team.number for team in other]
    if len(theirs) <= len(ours):
        for chosen in permutations(ours, len(theirs)):
            yield dict(zip(theirs, chosen, strict=True))
        return
    for chosen in permutations(theirs, len(ours)):
        yield dict(zip(chosen, ours, strict=True))


def _drop_unlike_teams(lead: Reading, other: Reading, match: _Match) -> dict[int, int]:
    """The team map without pairs that have neither matching discs nor similar colours."""
    shown = {(lead.discs[i].team, other.discs[j].team) for i, j in match.pairs}
    return {
        theirs: number
        for theirs, number in match.team_of.items()
        if (number, theirs) in shown
        or _colour_distance(_team(lead, number), _team(other, theirs)) < PARAMS.other_colour
    }


def _team(reading: Reading, number: int) -> Team:
    return next(team for team in reading.teams if team.number == number)


def _colour_distance(one: Team, other: Team) -> float:
    """Distance of two colours in sRGB from 0 to 1; less than the cost of a disc of another team."""
    return math.dist(one.colour_rgb, other.colour_rgb) / 255
