"""What a person puts right on a reading, and what follows for points."""

from __future__ import annotations

import pytest
from example_reading import BLACK, EVERYTHING, WHITE, disc, frame, reading

from calibration.state import DiscState, PlacedDisc
from scorer.zones import Call
from webapp.corrections import (
    MOST,
    Added,
    Correction,
    CorrectionError,
    Owned,
    Removed,
    Restored,
    Zoned,
    in_words,
    ranked_zones,
    shown_discs,
    teams_of,
    totals_of,
)
from webapp.score import Score, score_reading


@pytest.fixture(scope="module")
def score() -> Score:
    picture = frame()
    return score_reading(picture, reading(picture, EVERYTHING))


def points(score: Score, *corrections: Correction) -> list[tuple[int, int]]:
    totals = totals_of(score, shown_discs(score, corrections))
    return [(each.points, each.twenties) for each in totals]


def test_without_corrections_all_is_as_it_was_read(score: Score) -> None:
    assert points(score) == [(each.points, each.twenties) for each in score.totals]
    assert in_words(shown_discs(score)) == ()


def test_zone_team_removal_and_addition_change_the_totals(score: Score) -> None:
    (white, white_20s), (black, black_20s) = points(score)
    first = shown_discs(score)[0]
    gain = 20 - first.zone
    assert points(score, Zoned(disc=1, zone=20))[0][0] == white + gain
    assert points(score, Owned(disc=1, team=1)) == [
        (white - first.zone, white_20s - (first.zone == 20)),
        (black + first.zone, black_20s + (first.zone == 20)),
    ]
    assert points(score, Removed(disc=1))[0][0] == white - first.zone
    assert points(score, Removed(disc=1), Restored(disc=1)) == points(score)
    assert points(score, Added(team=1, zone=20))[1] == (black + 20, black_20s + 1)


def test_corrections_are_told_in_words_for_the_log(score: Score) -> None:
    discs = shown_discs(
        score, [Zoned(disc=1, zone=0), Removed(disc=2), Added(team=0, zone=5, at_mm=(1.0, 2.0))]
    )
    first, second, last = in_words(discs)
    assert first.endswith("to 0")
    assert "does not count" in second
    assert last == f"white disc {len(discs)} added, 5"


def test_confirming_a_close_call_settles_it_and_is_no_correction() -> None:
    picture = frame()
    score = score_reading(picture, reading(picture, (disc(84.6, 0.0),)))
    (close,) = shown_discs(score)
    assert close.is_open
    (settled,) = shown_discs(score, [Zoned(disc=1, zone=close.zone)])
    assert (settled.is_open, settled.is_corrected) == (False, False)
    assert in_words([settled]) == ()


def test_alternatives_stand_in_the_order_of_their_chance() -> None:
    picture = frame()
    score = score_reading(picture, reading(picture, (disc(84.6, 0.0), disc(150.0, 0.0))))
    close, sure = sorted(shown_discs(score), key=lambda each: not each.is_open)
    first, second, *rest = ranked_zones(close)
    assert {first.zone, second.zone} == {10, 15}
    assert first.chance is not None
    assert second.chance is not None
    assert first.chance > second.chance
    assert first.chance + second.chance == pytest.approx(1.0)
    assert all(each.chance is None for each in rest)
    assert [each.zone for each in ranked_zones(sure)][:1] == [10]
    assert {each.zone for each in ranked_zones(sure)} == {20, 15, 10, 5, 0}


#: Doubtful discs of which the margin says nothing, or not all, and what they may be worth.
NOT_BY_MARGIN = {
    "hardly seen": (disc(60.0, 20.0, WHITE, confidence=0.6), {15}),
    "a doubtful 20": (disc(0.6, -0.4, BLACK, DiscState.IN_HOLE, confidence=0.6), {20, 15}),
    "leaning at the hole": (disc(-9.0, 12.0, WHITE, DiscState.LEANING, confidence=0.8), {20, 15}),
    "leaning on a post": (disc(0.0, 125.0, WHITE, DiscState.LEANING), {10, 15}),
    "flat where none can lie": (disc(2.0, 0.0, WHITE), {20, 15}),
    "doubtful on the rim": (disc(0.0, 328.0, BLACK, DiscState.OVERHANGING, confidence=0.6), {0, 5}),
}


@pytest.mark.parametrize(("lies", "zones"), NOT_BY_MARGIN.values(), ids=NOT_BY_MARGIN)
def test_no_chance_is_told_of_what_not_the_margin_leaves_in_doubt(
    lies: PlacedDisc, zones: set[int]
) -> None:
    picture = frame()
    (shown,) = shown_discs(score_reading(picture, reading(picture, (lies,))))
    assert shown.read is not None
    assert shown.read.call.call is Call.CLOSE
    ranked = ranked_zones(shown)
    assert {each.zone for each in ranked[: len(zones)]} == zones
    assert [each.chance for each in ranked] == [None] * 5


def test_a_picture_of_one_colour_offers_another() -> None:
    picture = frame()
    score = score_reading(picture, reading(picture))
    assert len(teams_of(score)) >= 2


@pytest.mark.parametrize(
    "wrong",
    [
        Zoned(disc=99, zone=5),
        Zoned(disc=1, zone=7),
        Owned(disc=1, team=5),
        Owned(disc=1, team=-1),
        Added(team=9, zone=5),
        Removed(disc=0),
    ],
    ids=str,
)
def test_what_cannot_be_is_refused(score: Score, wrong: Correction) -> None:
    with pytest.raises(CorrectionError):
        shown_discs(score, [wrong])


def test_corrections_without_end_are_refused(score: Score) -> None:
    with pytest.raises(CorrectionError, match="another photograph"):
        shown_discs(score, [Added(team=0, zone=5)] * (MOST + 1))
