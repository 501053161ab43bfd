"""A camera's sightings become entries of the match, with a question if it missed a shot."""

from __future__ import annotations

from dataclasses import replace

import pytest
from played_matches import start

from scorer.match.events import (
    BoardCorrected,
    Disputed,
    MatchError,
    RoundScored,
    ShotPlayed,
    StarterSeen,
    TwentyCounted,
)
from scorer.match.fold import enter_sighting, fold
from scorer.match.sighting import SightedDisc, SightedTotal, Sighting, SightingKind
from scorer.match.sighting_entries import end_as_seen, make_entries

LOG = [replace(start("nca", "two"), colours=("red", "black"))]
STATE = fold(LOG)
COLOURS = STATE.setup.colours
FIRST, SECOND = COLOURS[STATE.round.starter], COLOURS[1 - STATE.round.starter]


def sighted(name: str, colour: str) -> SightedDisc:
    return SightedDisc(id=name, colour=colour, zone=10, place_mm=(0.0, 120.0))


def shot(colour: str, number: int = 1, verdict: str = "legal", **facts) -> Sighting:
    disc = sighted("1", colour)
    return Sighting(
        what=SightingKind.SHOT,
        colour=colour,
        number=number,
        after=(disc,),
        verdict=verdict,
        **facts,
    )


def test_a_shot_of_the_expected_player_is_one_entry() -> None:
    (entry,) = make_entries(STATE, shot(FIRST)) or ()
    assert isinstance(entry, ShotPlayed)
    assert entry.player == STATE.round.starter
    assert [disc.side for disc in entry.board] == [STATE.round.starter]


def test_the_first_shot_of_another_side_shows_who_started() -> None:
    starter, entry = make_entries(STATE, shot(SECOND)) or ()
    assert starter == StarterSeen(player=1 - STATE.round.starter)
    assert isinstance(entry, ShotPlayed)


def test_a_second_shot_of_one_side_asks_about_the_one_between() -> None:
    log = [*LOG, *enter_sighting(LOG, shot(FIRST))]
    again = replace(shot(FIRST, 2), before=(sighted("1", FIRST),), after=(sighted("1", FIRST),))
    question, entry = make_entries(fold(log), again) or ()
    assert isinstance(question, BoardCorrected)
    assert (question.missed, question.by_camera) == (1, True)
    assert isinstance(entry, ShotPlayed)


def test_a_doubtful_shot_opens_a_dispute() -> None:
    sighting = shot(FIRST, verdict="needs_review", question="Did it touch?")
    entry, dispute = make_entries(STATE, sighting) or ()
    assert isinstance(entry, ShotPlayed)
    assert isinstance(dispute, Disputed)
    assert "Did it touch?" in dispute.about


def test_a_colour_without_a_side_waits_only_if_a_side_may_play_it() -> None:
    unknown = fold([start("nca", "two")])
    assert make_entries(unknown, shot("red")) is None
    with pytest.raises(MatchError):
        make_entries(STATE, replace(shot("green"), teams=("green", "red", "black")))


def test_a_twenty_counts_for_the_side_of_its_colour() -> None:
    sighting = Sighting(what=SightingKind.TWENTY, colour=SECOND)
    assert make_entries(STATE, sighting) == (
        TwentyCounted(side=1 - STATE.round.starter, sighting=sighting),
    )


def test_a_round_is_worth_its_totals_by_colour() -> None:
    totals = (SightedTotal(colour=SECOND, points=35, twenties=1),)
    (entry,) = make_entries(STATE, Sighting(what=SightingKind.ROUND, totals=totals)) or ()
    assert isinstance(entry, RoundScored)
    side = 1 - STATE.round.starter
    assert (entry.points or ())[side] == 35
    assert (entry.twenties or ())[side] == 1


def test_without_a_seen_end_there_is_none_to_enter() -> None:
    with pytest.raises(MatchError):
        end_as_seen(STATE)
