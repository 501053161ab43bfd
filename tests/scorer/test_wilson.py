"""Wilson's interval against published values and its limits."""

from __future__ import annotations

import pytest

from scorer.wilson import wilson_interval


@pytest.mark.parametrize(
    ("successes", "trials", "interval"),
    [
        # Newcombe, Statist. Med. 17, 857 (1998), table I, method 3
        (81, 263, (0.2553, 0.3662)),
        (15, 148, (0.0624, 0.1605)),
        (0, 20, (0.0, 0.1611)),
        (1, 29, (0.0061, 0.1718)),
        (0, 0, (0.0, 1.0)),
    ],
)
def test_an_interval_is_the_published_one(successes, trials, interval) -> None:
    assert wilson_interval(successes, trials) == pytest.approx(interval, abs=1e-4)


def test_all_or_none_of_a_few_mirror_each_other() -> None:
    low, high = wilson_interval(7, 7)
    assert (1 - high, 1 - low) == pytest.approx(wilson_interval(0, 7))


def test_impossible_counts_are_refused() -> None:
    with pytest.raises(ValueError, match="cannot be"):
        wilson_interval(3, 2)
