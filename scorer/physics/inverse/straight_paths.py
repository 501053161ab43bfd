"""The straight parts of a tracked path around its closest approach to a place.

A disc slides straight between two bounces, so a path is a chain of straight parts joined by turns.
There is one place per frame, and a turn is between two of them, where the lines of the places
before and after intersect. If a path has fewer than two places on either side, no turn is found.
"""

from __future__ import annotations

import numpy as np

from calibration.board import FloatArray
from calibration.parameters import StageParameters, parameter


class StraightPathsParameters(StageParameters):
    """Parameters of ``straight_paths``."""

    #: A point farther off the line of the others comes after a bounce.
    straight_sigmas: float = parameter(
        3.5, unit="sigma", source="exceeded by chance by one place in two thousand"
    )
    #: Number of points of the path used on either side.
    most_places: int = parameter(
        8,
        unit="",
        source="chosen: a quarter of a second; beyond it, the error of the slope costs more "
        "than further points gain",
    )
    #: A path that turns by more than this was not deflected by a graze: such a graze would move the
    #: other disc farther than those considered here.
    turn_rad: float = parameter(
        0.2,
        unit="rad",
        source="chosen: a graze 0.7 mm deep turns a path by this; at 400 mm/s, it also moves "
        "the other disc by 4 mm",
    )


PARAMS = StraightPathsParameters()


def list_approaches(gaps_mm: FloatArray, near_mm: float) -> list[list[int]]:
    """Steps with the closest approach of a path, from gaps (n,) under ``near_mm``: one, or two that
    meet in the closest place.
    """
    approaches: list[list[int]] = []
    for k in np.flatnonzero(gaps_mm < near_mm).tolist():
        if gaps_mm[k] > gaps_mm[max(k - 1, 0) : k + 2].min():
            continue
        if approaches and approaches[-1][-1] == k - 1:
            approaches[-1].append(k)
        else:
            approaches.append([k])
    return approaches


def measure_step_offsets(path_mm: FloatArray, place_mm: FloatArray) -> FloatArray:
    """Vectors (n - 1, 2) to a place (2,) from the nearest points of the straight lines between
    places (n, 2)."""
    begin, step = path_mm[:-1], np.diff(path_mm, axis=0)
    length2 = np.maximum((step**2).sum(axis=1), 1e-9)
    share = np.clip(((place_mm - begin) * step).sum(axis=1) / length2, 0, 1)
    return np.asarray(place_mm - begin - share[:, None] * step)


def count_straight(bases_mm: FloatArray, covariances_mm2: FloatArray) -> int:
    """Number of first places (n, 2) on one line, up to ``most_places``."""
    most = min(len(bases_mm), PARAMS.most_places)
    for count in range(most, 2, -1):
        middle = bases_mm[:count].mean(axis=0)
        *_, axes = np.linalg.svd(bases_mm[:count] - middle)
        off = (bases_mm[:count] - middle) @ axes[1]
        sigma = np.sqrt(np.einsum("i,nij,j->n", axes[1], covariances_mm2[:count], axes[1]))
        if (np.abs(off) < PARAMS.straight_sigmas * sigma).all():
            return count
    return min(most, 2)


def passes_within(bases_mm: FloatArray, k: int, place_mm: FloatArray) -> bool:
    """Whether the line of a straight path passes a place between its bases ``k`` and the next, or
    in a step next to them.
    """
    way = bases_mm[-1] - bases_mm[0]
    along = (bases_mm - place_mm) @ way / max(float(np.linalg.norm(way)), 1e-9)
    step = abs(float(along[k + 1] - along[k]))
    return float(along[k]) < step and float(along[k + 1]) > -step


def find_turn(before_mm: FloatArray, after_mm: FloatArray) -> FloatArray | None:
    """The intersection (2,) of two straight parts (n, 2) of a path, if it turns there by more than
    a graze; None if it continues straight, or if either is too short.
    """
    if min(len(before_mm), len(after_mm)) < 2:
        return None
    ways = before_mm[-1] - before_mm[0], after_mm[-1] - after_mm[0]
    one, other = (way / max(float(np.linalg.norm(way)), 1e-9) for way in ways)
    cross = float(one[0] * other[1] - one[1] * other[0])
    if one @ other > 0 and abs(cross) < np.sin(PARAMS.turn_rad):
        return None
    off = after_mm.mean(axis=0) - before_mm.mean(axis=0)
    if abs(cross) < np.sin(PARAMS.turn_rad):  # straight back
        return np.asarray((before_mm[-1] + after_mm[0]) / 2)
    along = float(off[0] * other[1] - off[1] * other[0]) / cross
    return np.asarray(before_mm.mean(axis=0) + along * one)


def choose_side(
    bases_mm: FloatArray, rows: tuple[int, int, int], turn_mm: FloatArray, place_mm: FloatArray
) -> slice | None:
    """The straight part of a path with a turn on which it passed a place; None at the turn itself.

    rows  the first place of the straight part before the turn, its last, and the last after it
    """
    first, k, last = rows
    before, after = bases_mm[k] - bases_mm[first], bases_mm[last] - bases_mm[k + 1]
    if (place_mm - turn_mm) @ before < 0:
        return slice(first, k + 1)
    return slice(k + 1, last + 1) if (place_mm - turn_mm) @ after > 0 else None
