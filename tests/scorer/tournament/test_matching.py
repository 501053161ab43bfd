"""The heaviest matching of entries, with as many pairs as possible."""

from __future__ import annotations

from scorer.tournament.matching import match_entries


def test_as_many_as_can_be_are_paired_before_weights_count() -> None:
    weights = {(1, 2): 100, (0, 1): 1, (2, 3): 1}
    assert {frozenset(pair) for pair in match_entries(weights)} == {
        frozenset((0, 1)),
        frozenset((2, 3)),
    }


def test_of_matchings_of_one_size_the_heaviest_is_taken_though_all_weights_are_negative() -> None:
    weights = {(0, 1): -5, (2, 3): -5, (0, 2): -2, (1, 3): -9, (0, 3): -3, (1, 2): -6}
    assert {frozenset(pair) for pair in match_entries(weights)} == {
        frozenset((0, 3)),
        frozenset((1, 2)),
    }
