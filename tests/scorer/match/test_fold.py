"""Properties of a match as the fold of its events, and events as JSON."""

from __future__ import annotations

import functools
import json
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from played_matches import scored, start

from scorer.match.events import (
    CameraSaw,
    DiscCorrected,
    DiscInZone,
    Disputed,
    Event,
    MatchError,
    MatchMoved,
    RoundCorrected,
    RoundScored,
    Ruled,
    ShootoutPlayed,
    ShotPlayed,
    TimeRanOut,
    Undone,
    event_from_json,
    event_json,
)
from scorer.match.fold import enter_event, fold
from scorer.match.scoring import check_round
from scorer.match.sighting import Sighting, SightingKind
from scorer.match.state import MatchState
from scorer.match.undo import find_entry_taken_back, find_round_taken_back
from scorer.rules.sets import rule_set


def append_event(log: Sequence[Event], event: Event) -> tuple[Event, ...]:
    """The log with one more event. Raises ``MatchError`` when it cannot be entered."""
    enter_event(log, event)
    return (*log, event)


@st.composite
def logs(draw: Any) -> list[Event]:
    """Any match of up to 24 possible events."""
    rules = draw(st.sampled_from(["mayday", "cogitate", "traditional", "family", "nca"]))
    format_ = draw(st.sampled_from(sorted(rule_set(rules).options.formats)))
    log: list[Event] = [start(rules, str(format_))]
    for _ in range(draw(st.integers(0, 24))):
        event = draw(_events(fold(log)))
        try:
            log = list(append_event(log, event))
        except MatchError:
            continue
    return log


def _events(state: MatchState) -> st.SearchStrategy[Event]:
    return _any_event(len(state.setup.sides), 0 if state.turn is None else state.turn)


@functools.cache
def _any_event(count: int, turn: int) -> st.SearchStrategy[Event]:
    """Built once for a number of sides and a turn, because building takes longer than drawing."""
    points = st.tuples(*[st.integers(0, 36).map(lambda count: 5 * count)] * count)
    few = st.tuples(*[st.integers(0, 1)] * count)
    disc = st.builds(
        DiscInZone,
        id=st.sampled_from("abcdef"),
        side=st.integers(0, count - 1),
        zone=st.sampled_from([0, 5, 10, 15]),
    )
    board = st.lists(disc, max_size=4, unique_by=lambda disc: disc.id).map(tuple)
    return st.one_of(
        st.builds(scored, *[st.integers(0, 12).map(lambda count: 5 * count)] * count),
        st.builds(RoundScored, points=points, twenties=few),
        st.builds(
            ShotPlayed,
            player=st.just(turn),
            verdict=st.just("legal"),
            board=board,
            twenties=few,
        ),
        st.just(Undone()),
        st.just(TimeRanOut()),
        st.builds(Disputed, about=st.text(max_size=5)),
        st.builds(Ruled, dispute=st.integers(1, 2), decision=st.just("so")),
        st.builds(RoundCorrected, round=st.integers(1, 3), points=points, twenties=few),
        st.builds(DiscCorrected, disc=st.sampled_from("abc"), zone=st.sampled_from([0, 10])),
        st.builds(ShootoutPlayed, twenties=few),
    )


@settings(max_examples=40)
@given(logs())
def test_replaying_a_log_gives_the_same_state(log: list[Event]) -> None:
    assert fold(log) == fold(tuple(log))
    text = json.dumps([event_json(event) for event in log])
    again = [event_from_json(load) for load in json.loads(text)]
    assert again == log
    assert repr(fold(again)) == repr(fold(log))


@settings(max_examples=40)
@given(logs(), st.data())
def test_undoing_is_the_inverse_of_any_event(log: list[Event], data: Any) -> None:
    before = fold(log)
    try:
        longer = append_event(
            log, data.draw(_events(before).filter(lambda event: event != Undone()))
        )
    except MatchError:
        return
    assert fold([*longer, Undone()]) == before


@settings(max_examples=40)
@given(logs())
def test_totals_never_exceed_what_the_discs_allow(log: list[Event]) -> None:
    state = fold(log)
    for result in state.rounds:
        check_round(result.points, result.twenties, state.setup.discs, state.setup.sides)
        assert all(p <= 20 * n for p, n in zip(result.points, state.setup.discs, strict=True))
        assert all(0 <= v <= max(2, p) for v, p in zip(result.value, result.points, strict=True))
    assert all(left >= 0 for left in state.discs_left)


@settings(max_examples=40)
@given(logs())
def test_a_log_is_only_ever_added_to(log: list[Event]) -> None:
    try:
        longer = append_event(log, Disputed(about="again"))
    except MatchError:
        return
    assert longer[: len(log)] == tuple(log)


@pytest.mark.parametrize(
    "content",
    [None, {}, {"type": "nothing"}, {"type": "shot_played"}, {"type": "undone", "more": 1},
     {"type": "round_scored", "points": ["x"]}, {"type": "match_started", "format": "solo"},
     {"type": "shot_played", "board": [{"id": 1}]}],
    ids=str,
)  # fmt: skip
def test_what_is_no_event_is_refused(content: Any) -> None:
    with pytest.raises(MatchError):
        event_from_json(content)


def test_a_match_is_moved_and_undoing_takes_it_back() -> None:
    log = append_event((start("nca"),), MatchMoved(at_board=3))
    assert fold(log).setup.at_board == 3
    assert fold(append_event(log, Undone())).setup.at_board == 1


@pytest.mark.parametrize(
    ("log", "board", "words"),
    [
        ((start("nca"),), 1, "already at board 1"),
        ((start("nca"),), 0, "no board 0"),
        ((start("nca"),), 129, "no board 129"),
    ],
    ids=["where it is", "no number", "too far"],
)
def test_a_match_is_not_moved_to_where_it_cannot_be(
    log: tuple[Event, ...], board: int, words: str
) -> None:
    with pytest.raises(MatchError, match=words):
        append_event(log, MatchMoved(at_board=board))


def test_a_match_that_is_over_stays_at_its_board() -> None:
    log = (start("nca", game_end="rounds", game_rounds=1), RoundScored(points=(20, 0)))
    assert fold(log).is_over
    with pytest.raises(MatchError, match="over"):
        append_event(log, MatchMoved(at_board=2))


def test_what_was_taken_back_is_no_sighting_that_was_left_out() -> None:
    dispute = Disputed(about="Was it a 20?")
    stray = CameraSaw(sighting=Sighting(what=SightingKind.TWENTY, colour="red"), is_left_out=True)
    log: list[Event] = [start(), dispute, stray]
    assert find_entry_taken_back(log) is None
    assert find_entry_taken_back([*log[:1], stray, Undone()]) is None
    assert find_entry_taken_back([*log, Undone()]) == dispute
    scored_then: list[Event] = [start(), scored(40, 15), stray, Undone()]
    assert (
        find_entry_taken_back(scored_then) == find_round_taken_back(scored_then) == scored(40, 15)
    )
    assert find_round_taken_back([*scored_then, scored(45, 15)]) is None
