"""What lies over the 20-hole: a disc in it, one that leans on its edge, nothing, or a doubt.

A disc in the hole shows its team's colour and a gap all round (``hole``); one that leans covers
what only a leaner would (``lean``). A team's colour that fills the hole without a gap is most often
a disc, too, but a person is asked; so they are where it fills the hole as paint would. Knows what
to make of these signs; measures nothing itself.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from calibration.camera import FloatArray
from calibration.state import DiscState, PlacedDisc
from vision.hole import HoleLook, look_into_hole
from vision.lean import HoleCover, cover_of_hole
from vision.reading import Unexplained
from vision.scene import Scene

#: Confidence in a disc over the hole that a person should confirm: less than a certain call needs.
_DOUBTFUL = 0.6
#: The place of a leaner is this rough, of a disc in the hole this, mm.
_LEANING_SIGMA_MM, _IN_HOLE_SIGMA_MM = 4.0, 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class OverHole:
    """The disc over the hole, if there is one, and what a person should look at there."""

    discs: tuple[PlacedDisc, ...] = ()
    unexplained: tuple[Unexplained, ...] = ()


def look_over_hole(scene: Scene, teams_lab: FloatArray, flat_mm: FloatArray) -> OverHole:
    """What lies over the hole of a board with discs on the surface at ``flat_mm`` (n, 2)."""
    look = look_into_hole(scene.picture, scene.spec, scene.shape.radius_mm, teams_lab)
    cover = cover_of_hole(scene.picture, scene.spec, scene.shape, teams_lab, flat_mm)
    if cover is None:
        return OverHole()
    is_sure = surely_leans(look, cover)
    if is_sure or (cover.leans and not look.shows_gap_all_round):
        return OverHole(discs=(_leaner(cover, is_sure=is_sure),))
    is_told_by_colour = look.shows_team and not look.may_be_shade
    is_filled = cover.is_filled and (is_told_by_colour or look.has_gap_all_round)
    if look.shows_gap or is_filled:
        return OverHole(discs=(_sunk(scene, look, cover),))
    is_full = is_told_by_colour and cover.is_full_of_colour
    if look.may_hold_disc or look.has_black_gap or is_full:
        reason = "a disc may lie in the hole, or lean on its edge"
        return OverHole(unexplained=(Unexplained(centre_mm=scene.hole_mm, reason=reason),))
    return OverHole()


def surely_leans(look: HoleLook, cover: HoleCover) -> bool:
    """Whether nobody would doubt that a disc leans: it covers what a leaner does, and leaves no gap
    all round."""
    return cover.plainly_leans and not look.has_gap_all_round


def _leaner(cover: HoleCover, *, is_sure: bool) -> PlacedDisc:
    return PlacedDisc(
        centre_mm=cover.foot_mm,
        covariance_mm2=_LEANING_SIGMA_MM**2 * np.eye(2),
        team=cover.team,
        state=DiscState.LEANING,
        confidence=1.0 if is_sure else _DOUBTFUL,
    )


def _sunk(scene: Scene, look: HoleLook, cover: HoleCover) -> PlacedDisc:
    is_sure = look.shows_gap_all_round and look.shows_team and not cover.leans
    return PlacedDisc(
        centre_mm=scene.hole_mm,
        covariance_mm2=_IN_HOLE_SIGMA_MM**2 * np.eye(2),
        team=look.team,
        state=DiscState.IN_HOLE,
        confidence=1.0 if is_sure else _DOUBTFUL,
    )
