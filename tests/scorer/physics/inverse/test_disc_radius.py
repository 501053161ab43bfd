"""The discs' radius from a picture and from the usual sizes."""

from __future__ import annotations

import pytest

from scorer.physics.inverse.disc_radius import DiscRadius, weigh_radius


def test_a_radius_seen_near_the_regulation_is_the_regulation() -> None:
    found = weigh_radius(DiscRadius(mm=16.3, sigma_mm=0.4))
    assert found.mm == pytest.approx(16.1, abs=0.05)
    assert found.sigma_mm < 0.35


@pytest.mark.parametrize("mm", [14.2, 18.2])
def test_a_radius_seen_far_from_the_regulation_stands_by_itself(mm: float) -> None:
    found = weigh_radius(DiscRadius(mm=mm, sigma_mm=0.4))
    assert found.mm == pytest.approx(mm, abs=0.3)
    assert found.sigma_mm == pytest.approx(0.4, abs=0.1)


def test_between_the_two_the_radius_is_less_sure_than_either() -> None:
    between = weigh_radius(DiscRadius(mm=14.9, sigma_mm=0.4))
    assert between.sigma_mm > weigh_radius(DiscRadius(mm=14.2, sigma_mm=0.4)).sigma_mm


def test_a_radius_that_was_measured_exactly_is_taken() -> None:
    assert weigh_radius(DiscRadius(mm=15.0, sigma_mm=0.01)).mm == pytest.approx(15.0, abs=0.01)
