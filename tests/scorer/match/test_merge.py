"""Entries made on an older state of a match: merged, already entered, or left to a person."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from played_matches import scored, shots, start

from scorer.match.events import (
    DiscCorrected,
    DiscInZone,
    Disputed,
    Event,
    FoulCalled,
    RoundCorrected,
    RoundScored,
    RoundStarted,
    ShotPlayed,
    StarterChosen,
    TimeRanOut,
    TwentyCounted,
    Undone,
)
from scorer.match.fold import fold
from scorer.match.merge import ConflictError, merge_event
from scorer.rules.choices import CalledFoul

ANN, BOB = TwentyCounted(side=0), TwentyCounted(side=1)
SEEN: list[Event] = [start(), scored(45, 20, twenties=(1, 0))]
ROUND = scored(40, 15, twenties=(1, 0))
TWO_MORE = scored(80, 15, twenties=(3, 0))
FOUL = FoulCalled(player=0, foul=CalledFoul.COACHING)
ANN_SHOT = ShotPlayed(player=1, verdict="legal", board=(), twenties=(0, 0))


def merge(entry: Event, *since: Event, seen: Sequence[Event] = SEEN) -> Event | None:
    """The merged entry after others' entries; the resulting log folds."""
    log = [*seen, *since]
    merged = merge_event(entry, log, version=len(seen)).event
    if merged is not None:
        fold([*log, merged])
    return merged


@pytest.mark.parametrize(
    ("entry", "since", "entered"),
    [
        (ANN, [BOB, BOB], ANN),  # an increment, whatever others counted for the other side
        (ANN, [ANN, Undone()], ANN),
        (ROUND, [FOUL], ROUND),
        (ROUND, [TwentyCounted(side=1)], scored(40, 35, twenties=(1, 1))),
        (TWO_MORE, [ANN, ANN, ANN], TWO_MORE),  # both counted the same 20
        (ROUND, [ROUND], None),
        (RoundStarted(), [RoundStarted(minutes=5)], None),
        (Undone(), [Undone()], None),
        (ANN_SHOT, [ANN_SHOT], None),
        (Disputed(about="A 15?"), [Disputed(about="A 15?")], None),
        (Disputed(about="A 15?"), [FOUL], Disputed(about="A 15?")),
        (
            RoundCorrected(round=1, points=(50, 20), twenties=(1, 0)),
            [RoundCorrected(round=1, points=(45, 25), twenties=(1, 0))],
            RoundCorrected(round=1, points=(50, 25), twenties=(1, 0)),
        ),
    ],
)
def test_what_goes_together_is_merged(
    entry: Event, since: list[Event], entered: Event | None
) -> None:
    assert merge(entry, *since) == entered


@pytest.mark.parametrize(
    ("entry", "since", "words", "ways_out"),
    [
        (ANN, [ANN, BOB], "Add a 20 for Ann. The count went from 0 to 1 in the meantime", 2),
        (ANN, [ROUND], "Someone entered round 2 in the meantime: Ann 40, Bob 15", 3),
        (ROUND, [scored(35, 15)], "You entered Ann 40, Bob 15 .* Which is right", 2),
        (TWO_MORE, [ANN], "20s differently: Ann 1, Bob 0. You entered Ann 3, Bob 0", 2),
        (ROUND, [Undone()], "Round 1 was undone", 2),
        (Undone(), [ANN], "Someone else has entered “20 added for Ann”", 2),
        (FOUL, [FOUL], "Someone else called this", 2),
        (TimeRanOut(), [ROUND], "Someone entered round 2 in the meantime", 1),
        (
            RoundCorrected(round=1, points=(50, 20), twenties=(1, 0)),
            [RoundCorrected(round=1, points=(55, 20), twenties=(1, 0))],
            "corrected to Ann 55, Bob 20 in the meantime. You entered Ann 50, Bob 20",
            2,
        ),
    ],
)
def test_what_does_not_is_asked_with_both_values(
    entry: Event, since: list[Event], words: str, ways_out: int
) -> None:
    with pytest.raises(ConflictError, match=words) as conflict:
        merge(entry, *since)
    options = conflict.value.options
    assert len(options) == ways_out
    for option in options:
        if option.event is not None:
            fold([*SEEN, *since, option.event])


def test_a_20_that_two_remove_is_asked_about() -> None:
    less = replace(ANN, change=-1)
    with pytest.raises(ConflictError, match="The count went from 2 to 1 in"):
        merge(less, less, seen=[start(), ANN, ANN])


def test_the_only_20_that_two_remove_is_removed_once() -> None:
    less = replace(ANN, change=-1)
    merged = merge_event(less, [start(), ANN, less], version=2)
    assert (merged.event, merged.note) == (
        None,
        "Someone already made this change. 20s for Ann now: 0.",
    )


def test_starter_and_disc_that_two_chose_differently_are_asked_about() -> None:
    fresh = [start()]
    with pytest.raises(ConflictError, match="chosen Bob to start"):
        merge(
            StarterChosen(player=0), StarterChosen(player=1), seen=[*fresh, StarterChosen(player=0)]
        )
    lying = (DiscInZone(id="a", side=0, zone=10),)
    board = [*fresh, replace(ANN_SHOT, player=0, board=lying)]
    with pytest.raises(ConflictError, match="worth 15"):
        merge(DiscCorrected(disc="a", zone=5), DiscCorrected(disc="a", zone=15), seen=board)
    assert (
        merge(DiscCorrected(disc="a", zone=15), DiscCorrected(disc="a", zone=15), seen=board)
        is None
    )


def test_counts_of_a_round_follow_the_20s_that_others_counted() -> None:
    counted = RoundScored(points=(35, 10), twenties=(1, 0), counts=((1, 1, 0, 0), (0, 0, 1, 0)))
    merged = merge(counted, BOB, seen=[start(), ANN])
    assert isinstance(merged, RoundScored)
    assert (merged.points, merged.twenties) == ((35, 30), (1, 1))
    assert merged.counts == ((1, 1, 0, 0), (1, 0, 1, 0))
    assert fold([start(), ANN, BOB, merged]).rounds[0].points == (35, 30)


def test_own_later_entries_are_known_to_whoever_made_them() -> None:
    log = [*SEEN, ANN, ROUND, BOB]
    own = {2, 3, 4}
    assert merge_event(Undone(), log, version=2, own=own).event == Undone()
    with pytest.raises(ConflictError):
        merge_event(Undone(), log, version=2, own={2, 3})


@given(st.lists(st.sampled_from([ANN, BOB]), max_size=6), st.lists(st.sampled_from([ANN, BOB])))
def test_no_twenty_is_lost_in_any_order_if_the_asked_for_are_added(
    mine: list[Event], theirs: list[Event]
) -> None:
    log: list[Event] = [start(discs_singles=12), *theirs[:6]]
    for entry in mine:
        own = range(1 + len(theirs[:6]), len(log))
        try:
            merged = merge_event(entry, log, version=1, own=own).event
        except ConflictError as conflict:
            assert entry in theirs[:6]
            merged = conflict.options[0].event
        assert merged is not None
        log.append(merged)
    counted = fold(log).round.twenties
    assert counted == tuple([*mine, *theirs[:6]].count(entry) for entry in (ANN, BOB))


def test_a_round_that_was_shot_to_its_end_is_scored_once() -> None:
    log = shots([start()], 16)
    by_shots = replace(scored(), points=None)
    assert merge(by_shots, by_shots, seen=log) is None
