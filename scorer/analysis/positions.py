"""Positions of a round between two sides as numbers: the input of the value network.

A position is a board, the side to shoot, the discs left, both sides' skills and the rules. It is
turned so that the side to shoot sits in the lowest quadrant. Whether a disc can be hit is measured
by straight lines to it from five places on the shooting line, counting lines that no post or other
disc blocks.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import product

import numpy as np

from calibration.numerics.arrays import BoolArray, FloatArray
from scorer.physics.scene import TableSpec
from scorer.physics.skills import Skill
from scorer.rules.board_geometry import LINE_5, LINE_10, LINE_15
from scorer.rules.choices import ContactRule, OpenTarget, OutAtRest, PenaltyScope
from scorer.rules.options import RuleOptions
from scorer.zone_values import TWENTY, ZONES

#: A place far off every board: no disc.
NOWHERE_MM = 1e5
#: Azimuths of the places from which lines are drawn, from the middle of a quadrant.
_AZIMUTHS_RAD = np.radians([-38.0, -19.0, 0.0, 19.0, 38.0])
#: A line is blocked by an obstacle nearer than this share of the distance at which they touch.
_BLOCKED = 0.8
#: Number of positions processed at once, chosen to fit a processor's cache.
_ROWS = 128
#: Within this distance, a target does not block the line to itself, mm.
_TOUCHING_MM = 1.0
#: Distance from the hole within which a disc is easily knocked in, mm; distance beyond which a disc
#: is easily removed, mm.
_NEAR_HOLE_MM, _FAR_OUT_MM = 50.0, 260.0
#: The smallest and largest scatter of players whose rounds were simulated.
_SKILL_RANGE = np.array([[7.0, 0.117], [19.0, 0.3]])
#: Factors that bring features close to 1.
_AIM_MRAD, _SPEED_RATIO, _POINTS, _SHOTS = 10.0, 0.15, 40.0, 12.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Positions:
    """Positions of n rounds, turned so that the side to shoot sits in the lowest quadrant.

    places_mm  (n, d, 2); a place off the surface has no disc
    own        (n, d) whether the discs belong to the side to shoot
    left       (n, 2) discs left to shoot, of the side to shoot and of the other side
    skills     (n, 2, 2) of both sides: direction in mrad, speed relative
    turn_rad   turn of the next shooter's quadrant from this one's
    """

    places_mm: FloatArray
    own: BoolArray
    left: FloatArray
    skills: FloatArray
    turn_rad: float = math.pi


def skill_rows(own: Skill, other: Skill, count: int) -> FloatArray:
    """Both sides' skills in the form of ``Positions`` (count, 2, 2), within those of training."""
    rows = np.array([[side.aim_mrad, side.speed_ratio] for side in (own, other)])
    return np.tile(np.clip(rows, *_SKILL_RANGE), (count, 1, 1))


def turn_places(places_mm: FloatArray, angle_rad: float) -> FloatArray:
    """Places (..., 2), turned around the board's centre."""
    c, s = math.cos(angle_rad), math.sin(angle_rad)
    return np.asarray(places_mm @ np.array([[c, s], [-s, c]]))


def find_clear_mm(table: TableSpec, places_mm: FloatArray) -> list[FloatArray]:
    """Distance of discs (..., 2) clear inside the 15-, 10- and 5-line; 0 or less: not clear."""
    spec, edge_mm = table.board, table.disc.contact_radius_mm
    return [
        np.asarray(spec.inside_line_mm(line, places_mm) - spec.line_width_mm / 2 - edge_mm)
        for line in (LINE_15, LINE_10, LINE_5)
    ]


def read_zones(clear_mm: list[FloatArray]) -> FloatArray:
    """The zone values of discs on the surface, by their distance inside the lines."""
    points = np.zeros(clear_mm[0].shape)
    for line in (LINE_5, LINE_10, LINE_15):
        points[clear_mm[line] > 0] = ZONES[line]
    return points


def board_points(table: TableSpec, places_mm: FloatArray) -> FloatArray:
    """The zone values of discs (..., 2); 0 without a disc."""
    return read_zones(find_clear_mm(table, places_mm))


def features(table: TableSpec, options: RuleOptions, at: Positions) -> FloatArray:
    """The numbers (n, ``FEATURE_COUNT``) that describe positions."""
    away = np.hypot(at.places_mm[..., 0], at.places_mm[..., 1])
    is_there = away < table.board.surface_radius_mm
    points = board_points(table, at.places_mm)
    lanes = find_open_shares(table, at.places_mm, is_there, at.own, at.turn_rad)
    near = np.exp(-((away / _NEAR_HOLE_MM) ** 2))
    columns: list[FloatArray] = []
    for mine, hole in ((at.own & is_there, lanes[:, -2]), (~at.own & is_there, lanes[:, -1])):
        open_share = np.where(mine, lanes[:, :-2], 0.0)
        threat = open_share * points
        columns += [
            *(np.asarray((mine & (points == value)).sum(axis=1) / 4.0) for value in ZONES[:3]),
            np.asarray(~mine.any(axis=1), dtype=np.float64),
            threat.sum(axis=1) / TWENTY,
            threat.max(axis=1, initial=0.0) / TWENTY,
            (mine & (lanes[:, :-2] == 0)).sum(axis=1) / 4.0,
            (mine * near).sum(axis=1),
            (open_share * near).sum(axis=1),
            (mine & (away > _FAR_OUT_MM)).sum(axis=1) / 4.0,
            hole,
        ]
    left, total = at.left, at.left.sum(axis=1)
    sign = np.where(at.own, 1.0, -1.0)
    columns += [(sign * points).sum(axis=1) / _POINTS, *(left / _SHOTS).T, np.exp(-total / 4.0)]
    columns += [(total == count) * 1.0 for count in (1, 2, 3)]
    columns += list((at.skills / [_AIM_MRAD, _SPEED_RATIO]).reshape(-1, 4).T)
    columns += [np.full(len(total), value) for value in _rule_features(options)]
    return np.stack(columns, axis=1)


#: Columns of the discs left, of both sides, in twelfths.
DISCS_LEFT = slice(23, 25)
#: Number of features of a position.
FEATURE_COUNT = 2 * 11 + 4 + 3 + 4 + 5


def _rule_features(options: RuleOptions) -> tuple[float, ...]:
    """Features of the rules that change how a round continues."""
    wide = (PenaltyScope.TOUCHED, PenaltyScope.INVOLVED)
    return (
        float(options.open_target is not OpenTarget.ANYWHERE),
        float(options.out_at_rest is OutAtRest.TOUCHING_LINE),
        float(options.contact is ContactRule.SHOOTER_ONLY),
        float(options.miss_penalty is not PenaltyScope.SHOOTER),
        float(options.miss_penalty in wide),
    )


def find_open_shares(
    table: TableSpec,
    places_mm: FloatArray,
    is_there: BoolArray,
    own: BoolArray,
    turn_rad: float,
) -> FloatArray:
    """The share (n, d + 2) of unblocked lines: to discs, from the quadrant of the side that may
    remove them, and to the hole, from the quadrants of the next shooter and of this one.
    """
    count, size = is_there.shape[0], is_there.shape[1] + 2
    azimuths = _AZIMUTHS_RAD - math.pi / 2
    lines = [table.board.line_points_mm(LINE_5, azimuths + turn) for turn in (0.0, turn_rad)]
    starts = np.stack(lines).astype(np.float32)
    hole = np.broadcast_to(np.asarray(table.board.hole_centre_mm), (count, 2, 2))
    targets = np.concatenate([places_mm, hole], axis=1).astype(np.float32)
    side = np.concatenate([own, np.tile([True, False], (count, 1))], axis=1).astype(np.intp)
    discs = np.where(is_there[..., None], places_mm, NOWHERE_MM)
    posts = np.broadcast_to(table.posts_mm, (count, *table.posts_mm.shape))
    reach = [2 * table.disc.radius_mm] * discs.shape[1] + [table.post_reach_mm] * posts.shape[1]
    # Columns x, y, 1, so that one product has every line's distances to every obstacle.
    blocks = np.ones((count, 3, len(reach)), dtype=np.float32)
    blocks[:, :2] = np.concatenate([discs, posts], axis=1).transpose(0, 2, 1)
    scaled = blocks / (_BLOCKED * np.array(reach, dtype=np.float32))
    share = np.zeros((count, size))
    for first, place in product(range(0, count, _ROWS), range(len(azimuths))):
        rows = slice(first, first + _ROWS)
        start = starts[side[rows], place]
        ahead = targets[rows] - start
        length = np.maximum(np.hypot(ahead[..., 0], ahead[..., 1]), np.float32(1.0))
        (ux, uy), (x, y) = (np.moveaxis(one, -1, 0) for one in (ahead / length[..., None], start))
        along = np.stack([ux, uy, -ux * x - uy * y], axis=-1) @ blocks[rows]
        across = np.stack([-uy, ux, uy * x - ux * y], axis=-1) @ scaled[rows]
        is_before = along < (length - np.float32(_TOUCHING_MM))[..., None]
        share[rows] += ~((np.abs(across) < 1) & (along > 0) & is_before).any(axis=-1)
    return share / len(azimuths)
