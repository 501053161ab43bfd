"""Refuses impossible boards: overlapping discs, or two in the hole.

Overlap within measuring error is allowed: the simulator's noise, or the positions' sigmas. A disc
that leans after the shot may overlap others. A disc over the hole before the shot may also lean,
and so overlap another at its height.
"""

from __future__ import annotations

import math
from itertools import combinations
from typing import NamedTuple

from calibration.placed_disc import DiscState
from scorer import zones
from scorer.physics.scene import PARAMS as SCENE_PARAMS
from scorer.rules.board_geometry import BoardGeometry
from scorer.rules.shot import DiscId, ShotFacts

_ON_SURFACE = (DiscState.FLAT, DiscState.OVERHANGING)


def check_boards(shot: ShotFacts, geometry: BoardGeometry) -> None:
    """Raise ``ValueError``, in one sentence, for an impossible board before or after the shot."""
    in_hole = [disc.id for disc in shot.after if disc.state is DiscState.IN_HOLE]
    if len(in_hole) > 1:
        raise ValueError(
            f'Discs {in_hole[0]} and {in_hole[1]} are both in the hole in "after"; only one fits.'
        )
    before = [_Place(disc.id, disc.x_mm, disc.y_mm, 0.0) for disc in shot.before]
    after = [
        _Place(disc.id, disc.x_mm, disc.y_mm, disc.sigma_mm)
        for disc in shot.after
        if disc.x_mm is not None and disc.y_mm is not None and disc.state in _ON_SURFACE
    ]
    leaning = {disc.id for disc in before if geometry.is_at_hole(disc.x_mm, disc.y_mm)}
    for board, discs, may_lean in (("before", before, leaning), ("after", after, set[DiscId]())):
        for one, other in combinations(discs, 2):
            overlap_mm = _find_unexplained_overlap(one, other, geometry)
            if {one.id, other.id} & may_lean:
                overlap_mm -= geometry.disc.height_mm
            if overlap_mm > 0:
                raise ValueError(
                    f'Discs {one.id} and {other.id} overlap in "{board}" by {overlap_mm:.1f} mm '
                    "more than the measurement error; correct their positions."
                )


class _Place(NamedTuple):
    """Position of a disc on the surface, and its uncertainty."""

    id: DiscId
    x_mm: float
    y_mm: float
    sigma_mm: float


def _find_unexplained_overlap(one: _Place, other: _Place, geometry: BoardGeometry) -> float:
    """Overlap of two discs beyond measuring error, mm; 0 or less if there is none."""
    apart_mm = math.hypot(one.x_mm - other.x_mm, one.y_mm - other.y_mm)
    by_sigmas_mm = zones.find_close_sigmas() * math.hypot(one.sigma_mm, other.sigma_mm)
    explained_mm = max(SCENE_PARAMS.noise_overlap_mm, by_sigmas_mm)
    return 2 * geometry.disc.radius_mm - apart_mm - explained_mm
