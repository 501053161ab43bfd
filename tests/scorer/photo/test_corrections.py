"""A person's corrections of a reading, and their effect on the points."""

from __future__ import annotations

import pytest
from example_reading import BLACK, EVERYTHING, WHITE, disc, frame, reading

from calibration.placed_disc import DiscState, PlacedDisc
from scorer.photo.corrections import (
    MAX_CORRECTIONS,
    Correction,
    CorrectionError,
    DiscAddition,
    DiscRemoval,
    DiscRestoration,
    TeamCorrection,
    ZoneCorrection,
    apply_corrections,
    count_totals,
    describe_corrections,
    list_teams,
    rank_zones,
)
from scorer.photo.score import Score, score_reading
from scorer.zones import CallCertainty


@pytest.fixture(scope="module")
def score() -> Score:
    picture = frame()
    return score_reading(picture, reading(picture, EVERYTHING))


def points(score: Score, *corrections: Correction) -> list[tuple[int, int]]:
    totals = count_totals(score, apply_corrections(score, corrections))
    return [(total.points, total.twenties) for total in totals]


def test_without_corrections_all_is_as_it_was_read(score: Score) -> None:
    assert points(score) == [(total.points, total.twenties) for total in score.totals]
    assert describe_corrections(apply_corrections(score)) == ()


def test_zone_team_removal_and_addition_change_the_totals(score: Score) -> None:
    (white, white_20s), (black, black_20s) = points(score)
    first = apply_corrections(score)[0]
    gain = 20 - first.zone
    assert points(score, ZoneCorrection(disc=1, zone=20))[0][0] == white + gain
    assert points(score, TeamCorrection(disc=1, team=1)) == [
        (white - first.zone, white_20s - (first.zone == 20)),
        (black + first.zone, black_20s + (first.zone == 20)),
    ]
    assert points(score, DiscRemoval(disc=1))[0][0] == white - first.zone
    assert points(score, DiscRemoval(disc=1), DiscRestoration(disc=1)) == points(score)
    assert points(score, DiscAddition(team=1, zone=20))[1] == (black + 20, black_20s + 1)


def test_corrections_are_told_in_words_for_the_log(score: Score) -> None:
    discs = apply_corrections(
        score,
        [
            ZoneCorrection(disc=1, zone=0),
            DiscRemoval(disc=2),
            DiscAddition(team=0, zone=5, at_mm=(1.0, 2.0)),
        ],
    )
    first, second, last = describe_corrections(discs)
    assert first.endswith("to 0")
    assert "does not count" in second
    assert last == f"white disc {len(discs)} added, 5"


def test_confirming_a_close_call_settles_it_and_is_no_correction() -> None:
    picture = frame()
    score = score_reading(picture, reading(picture, (disc(84.6, 0.0),)))
    (close,) = apply_corrections(score)
    assert close.is_open
    (settled,) = apply_corrections(score, [ZoneCorrection(disc=1, zone=close.zone)])
    assert (settled.is_open, settled.is_corrected) == (False, False)
    assert describe_corrections([settled]) == ()


def test_alternatives_stand_in_the_order_of_their_chance() -> None:
    picture = frame()
    score = score_reading(picture, reading(picture, (disc(84.6, 0.0), disc(150.0, 0.0))))
    close, sure = sorted(apply_corrections(score), key=lambda correction: not correction.is_open)
    first, second, *rest = rank_zones(close)
    assert {first.zone, second.zone} == {10, 15}
    assert first.probability is not None
    assert second.probability is not None
    assert first.probability > second.probability
    assert first.probability + second.probability == pytest.approx(1.0)
    assert all(entry.probability is None for entry in rest)
    assert [zone.zone for zone in rank_zones(sure)][:1] == [10]
    assert {zone.zone for zone in rank_zones(sure)} == {20, 15, 10, 5, 0}


#: Uncertain discs about which the margin says nothing, or not everything, and their possible
#: values.
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
    (shown,) = apply_corrections(score_reading(picture, reading(picture, (lies,))))
    assert shown.read is not None
    assert shown.read.call.call is CallCertainty.CLOSE
    ranked = rank_zones(shown)
    assert {option.zone for option in ranked[: len(zones)]} == zones
    assert [option.probability for option in ranked] == [None] * 5


def test_a_picture_of_one_colour_offers_another() -> None:
    picture = frame()
    score = score_reading(picture, reading(picture))
    assert len(list_teams(score)) >= 2


@pytest.mark.parametrize(
    "wrong",
    [
        ZoneCorrection(disc=99, zone=5),
        ZoneCorrection(disc=1, zone=7),
        TeamCorrection(disc=1, team=5),
        TeamCorrection(disc=1, team=-1),
        DiscAddition(team=9, zone=5),
        DiscRemoval(disc=0),
    ],
    ids=str,
)
def test_what_cannot_be_is_refused(score: Score, wrong: Correction) -> None:
    with pytest.raises(CorrectionError):
        apply_corrections(score, [wrong])


def test_corrections_without_end_are_refused(score: Score) -> None:
    with pytest.raises(CorrectionError, match="another photo"):
        apply_corrections(score, [DiscAddition(team=0, zone=5)] * (MAX_CORRECTIONS + 1))
