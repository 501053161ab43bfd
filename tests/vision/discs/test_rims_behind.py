"""Rims behind the places of discs' regions in an oblique view."""

from __future__ import annotations

import numpy as np
import pytest

from vision.discs.outline.contour import DiscGeometry
from vision.discs.region.rims_behind import FittedRims, find_rims_behind

SHAPE = DiscGeometry(radius_mm=15.9, height_mm=9.5)
#: Seen at 72°, a disc's height hides 29 mm behind it.
EYE_MM = np.array([0.0, -1231.0, 400.0])


def rims(*of_each: tuple[tuple[float, float], float, float]) -> FittedRims:
    base_mm, log_odds, share = zip(*of_each, strict=True)
    return FittedRims(base_mm=np.array(base_mm), log_odds=np.array(log_odds), share=np.array(share))


FOUND = rims(((0.0, 0.0), 2.0, 0.15))


@pytest.mark.parametrize(
    ("place", "log_odds", "share", "is_there"),
    [
        ((2.0, 14.0), 1.9, 0.26, True),
        ((2.0, 14.0), 1.5, 0.26, False),
        ((2.0, 14.0), 4.0, 0.16, False),
        ((12.0, 14.0), 4.0, 0.26, False),
        ((2.0, -14.0), 4.0, 0.26, False),
        ((2.0, 5.0), 4.0, 0.26, False),
        ((2.0, 34.0), 4.0, 0.26, False),
    ],
    ids=["behind", "less sure", "no more votes", "beside", "nearer", "the same", "another disc"],
)
def test_a_disc_has_the_rim_behind_its_region_that_is_as_sure_and_has_more_votes(
    place: tuple[float, float], log_odds: float, share: float, is_there: bool
) -> None:
    behind = find_rims_behind(FOUND, rims((place, log_odds, share)), EYE_MM, SHAPE)
    assert behind.tolist() == [0 if is_there else -1]


def test_of_several_rims_behind_a_region_the_surest_is_its_discs() -> None:
    several = rims(((0.0, 12.0), 2.5, 0.3), ((0.0, 15.0), 3.5, 0.25), ((0.0, 40.0), 9.0, 0.5))
    assert find_rims_behind(FOUND, several, EYE_MM, SHAPE).tolist() == [1]


def test_without_votes_every_disc_keeps_its_own_rim() -> None:
    none = FittedRims(base_mm=np.zeros((0, 2)), log_odds=np.zeros(0), share=np.zeros(0))
    assert find_rims_behind(FOUND, none, EYE_MM, SHAPE).tolist() == [-1]
