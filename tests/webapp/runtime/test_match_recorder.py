"""What the referee sees, on the scoreboard and in the match."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from jpeg_film import draw_film, read_level
from watch_events import (
    BLACK,
    PLACES_MM,
    RED,
    blind_event,
    board_event,
    disc,
    in_zone,
    removal_event,
    round_event,
    shot_event,
    twenty_event,
)

from calibration.placed_disc import DiscState
from scorer.match.events import (
    DiscCorrected,
    MatchStarted,
    RoundScored,
    Ruled,
    TimeRanOut,
    Undone,
)
from scorer.match.fold import fold
from scorer.rules.checks import Fault
from scorer.rules.choices import Format
from scorer.rules.fault_codes import FaultCode
from scorer.rules.judge_shot import Verdict
from scorer.store import Store
from webapp.http.event_broker import EventBroker
from webapp.photo.rectified_image import RectifiedBoardImage
from webapp.referee.disc_identities import NamedDisc
from webapp.runtime.clip_store import ClipStore
from webapp.runtime.live_state import Status, format_value
from webapp.runtime.match_recorder import MatchRecorder
from webapp.runtime.referee_process import RestMessage
from webapp.runtime.scoreboard import Scoreboard
from webapp.runtime.supervisor import PHONE_GONE

PLAN = RectifiedBoardImage(
    jpeg=b"above", half_mm=355.0, foot_mm=15.4, lines=("1,2",), hole=(0.0, 0.0, 17.5)
)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store(str(tmp_path / "m.db")) as store:
        yield store


@pytest.fixture
def board(store: Store) -> Scoreboard:
    return Scoreboard(store, EventBroker())


@pytest.fixture
def shots() -> Iterator[ClipStore]:
    shots = ClipStore(None)
    yield shots
    shots.close()


@pytest.fixture
def recorder(board: Scoreboard, store: Store, shots: ClipStore) -> MatchRecorder:
    recorder = MatchRecorder(board, store, shots)
    recorder.on_start("clip")
    return recorder


def begin(board: Scoreboard, *colours: str, discs: int = 2) -> int:
    return board.begin(
        MatchStarted(
            rules="nca",
            format=Format.TWO,
            players=("Ann", "Bob"),
            options=(("discs_singles", discs),),
            colours=colours,
        )
    )


def notice(board: Scoreboard) -> str | None:
    return board.state["live"]["notice"]


def test_round_is_entered_shot_by_shot(
    recorder: MatchRecorder, board: Scoreboard, store: Store
) -> None:
    number = begin(board, "red", "black")
    fault = Fault(code=FaultCode.NO_CONTACT, rule="Touch one.", evidence={"gap_mm": 3.25})
    first, fouled = in_zone("a", RED, 15), in_zone("b", BLACK, 10)
    recorder.on_event(shot_event(0, RED, first))
    recorder.on_event(
        shot_event(1, BLACK, first, fouled, verdict=Verdict.FOUL, faults=[fault], remove=[fouled])
    )
    verdict = board.state["live"]["verdict"]
    assert verdict["what"] == "foul"
    assert verdict["faults"][0]["evidence"] == "gap 3.25 mm"
    assert [each["is_to_go"] for each in board.state["live"]["discs"]] == [False, True]
    recorder.on_event(shot_event(2, RED, first))
    recorder.on_event(twenty_event(RED))
    recorder.on_event(shot_event(3, BLACK, first, in_zone("c", BLACK, 5)))
    assert board.state["match"]["sides"][0]["round_points"] == 35
    recorder.on_event(round_event((35, 1), (5, 0), shots=4))
    state = fold(store.log(number))
    assert state.rounds[0].points == (35, 5)
    assert notice(board) is None


def test_what_a_person_put_right_stays_right(
    recorder: MatchRecorder, board: Scoreboard, store: Store
) -> None:
    number = begin(board, "red", "black", discs=1)
    recorder.on_event(shot_event(0, RED, in_zone("a", RED, 15)))
    board.append(number, DiscCorrected(disc="a", zone=10))
    recorder.on_event(shot_event(1, BLACK, in_zone("a", RED, 15), in_zone("b", BLACK, 5)))
    zones = {each.id: each.zone for each in fold(store.log(number)).round.board}
    assert zones == {"a": 10, "b": 5}
    recorder.on_event(round_event((15, 0), (5, 0), shots=2))
    assert fold(store.log(number)).rounds[0].points == (10, 5)


def test_disc_that_moved_is_read_anew(
    recorder: MatchRecorder, board: Scoreboard, store: Store
) -> None:
    number = begin(board, "red", "black")
    recorder.on_event(shot_event(0, RED, in_zone("a", RED, 15)))
    board.append(number, DiscCorrected(disc="a", zone=10))
    recorder.on_event(shot_event(1, BLACK, in_zone("a", RED, 5)))
    assert fold(store.log(number)).round.board[0].zone == 5


def test_doubtful_shot_waits_for_a_ruling(
    recorder: MatchRecorder, board: Scoreboard, store: Store, shots: ClipStore
) -> None:
    number = begin(board, "red", "black", discs=1)
    asked = "Did it touch the black disc?"
    doubtful = shot_event(0, RED, verdict=Verdict.NEEDS_REVIEW, question=asked)
    recorder.on_rest(RestMessage(key="first", plan=PLAN))
    recorder.on_event(doubtful, draw_film((0.5,)))
    recorder.on_event(shot_event(1, BLACK))
    recorder.on_event(round_event((0, 0), (0, 0), shots=2))
    state = fold(store.log(number))
    assert state.rounds[0].is_open
    dispute = state.disputes[0]
    assert "Did it touch" in dispute.about
    assert dispute.shot == "first"
    kept = shots.of_match(number)
    assert [(each.round, each.number) for each in kept] == [(1, 2), (1, 1)]
    assert read_level(shots.picture("first", 0)) == 0
    board.append(number, Ruled(dispute=1, decision="It did."))
    assert not fold(store.log(number)).rounds[0].is_open


#: Which shots of a round of eight nobody saw, and how many questions that makes.
MISSED = {
    "the first": ((0,), 1),
    "one": ((3,), 1),
    "two in a row": ((2, 3), 1),
    "three, the last too": ((1, 2, 7), 2),
    "the last two": ((6, 7), 1),
}


@pytest.mark.parametrize(("missed", "questions"), MISSED.values(), ids=MISSED)
def test_missed_shots_cost_one_question_and_not_the_round(
    recorder: MatchRecorder,
    board: Scoreboard,
    store: Store,
    missed: tuple[int, ...],
    questions: int,
) -> None:
    number = begin(board, "red", "black", discs=4)
    discs = [in_zone(f"disc {k}", (RED, BLACK)[k % 2], (15, 10)[k % 2]) for k in range(8)]
    for k in range(8):
        if k not in missed:
            lying = discs[:k]
            recorder.on_event(shot_event(k, (RED, BLACK)[k % 2], *discs[: k + 1], before=lying))
            assert fold(store.log(number)).round.shot_count == k + 1
    recorder.on_event(round_event((60, 0), (40, 0), shots=8 - len(missed)))
    state = fold(store.log(number))
    assert len(state.disputes) == questions
    assert all("not seen" in each.about for each in state.disputes)
    assert state.rounds[0].is_open
    assert state.totals == (0, 0)
    recorder.on_event(shot_event(0, BLACK, in_zone("next", BLACK, 15)))
    for dispute in range(1, questions + 1):
        board.append(number, Ruled(dispute=dispute, decision="No 20.", twenties=(0, 0)))
    state = fold(store.log(number))
    assert state.rounds[0].points == (60, 40)
    assert state.totals == (20, 0)
    assert (state.round.shot_count, notice(board)) == (1, None)


def test_shot_after_time_is_out_is_asked_about_and_before_any_shot_refused(
    recorder: MatchRecorder, board: Scoreboard, store: Store
) -> None:
    number = begin(board, "red", "black")
    board.append(number, TimeRanOut())
    lying = (in_zone("a", RED, 15), in_zone("b", BLACK, 10))
    recorder.on_event(shot_event(0, RED, lying[0]))
    assert "Time is out and turns are equal" in str(notice(board))
    board.append(number, Undone())
    recorder.on_event(shot_event(0, RED, lying[0]))
    recorder.on_event(shot_event(1, BLACK, *lying, before=lying[:1]))
    board.append(number, TimeRanOut())
    after = (lying[0], in_zone("b", BLACK, 5))
    recorder.on_event(shot_event(2, RED, *after, before=lying))
    (asked,) = fold(store.log(number)).disputes
    assert asked.about == "Shot 3 came after time was out. Does the board as it lies count?"


def test_a_20_that_was_missed_counts_once_it_is_told(
    recorder: MatchRecorder, board: Scoreboard, store: Store
) -> None:
    number = begin(board, "red", "black", discs=1)
    recorder.on_event(shot_event(0, BLACK, in_zone("b", BLACK, 5)))
    board.append(number, Ruled(dispute=1, decision="It was one.", twenties=(1, 0)))
    recorder.on_event(round_event((0, 0), (5, 0), shots=1))
    result = fold(store.log(number)).rounds[0]
    assert (result.points, result.twenties, result.is_open) == ((20, 5), (1, 0), False)


def test_a_round_in_doubt_waits_for_an_answer(
    recorder: MatchRecorder, board: Scoreboard, store: Store
) -> None:
    number = begin(board, "red", "black", discs=1)
    recorder.on_event(shot_event(0, RED, in_zone("a", RED, 15)))
    recorder.on_event(shot_event(1, BLACK, in_zone("a", RED, 15)))
    recorder.on_event(round_event((15, 0), (0, 0), shots=2, questions=["red 1 came unseen"]))
    assert "red 1 came unseen" in fold(store.log(number)).disputes[0].about
    board.append(number, Ruled(dispute=1, decision="It counts 10.", disc="a", zone=10))
    assert fold(store.log(number)).rounds[0].points == (10, 0)


def test_what_no_missed_shots_explain_is_said_and_not_entered(
    recorder: MatchRecorder, board: Scoreboard, store: Store
) -> None:
    number = begin(board, "red", "black", discs=1)
    lying = [in_zone(f"r{k}", RED, 15) for k in range(3)]
    recorder.on_event(shot_event(0, RED, *lying))
    assert "does not fit the match" in str(notice(board))
    assert len(store.log(number)) == 1
    board.append(number, RoundScored(points=(15, 0), twenties=(0, 0)))
    assert notice(board) is None  # somebody has put it right


def test_match_without_colours_is_left_to_the_scorer(
    recorder: MatchRecorder, board: Scoreboard, store: Store
) -> None:
    number = begin(board)
    recorder.on_event(shot_event(0, RED))
    assert "whose discs" in str(notice(board))
    assert len(store.log(number)) == 1


def test_loud_state_comes_and_goes(recorder: MatchRecorder, board: Scoreboard) -> None:
    recorder.on_event(blind_event("It is dark", "Light a lamp."))
    live = board.state["live"]
    assert (live["status"], live["reason"]) == ("not_refereeing", "It is dark.")
    recorder.on_event(board_event(in_zone("a", RED, 15)))
    assert board.state["live"]["status"] == "not_refereeing"
    recorder.on_event(blind_event("It is dark", "Light a lamp.", over=True))
    assert board.state["live"]["status"] == "refereeing"
    recorder.on_restart("camera 0 cannot be opened; check it")
    recorder.on_start("0")
    live = board.state["live"]
    assert (live["status"], live["reason"]) == (
        "not_refereeing",
        "Camera 0 cannot be opened; check it.",
    )
    recorder.on_event(board_event())
    assert board.state["live"]["status"] == "refereeing"
    recorder.on_end("No camera.")
    assert board.state["live"]["status"] == "failed"
    recorder.on_stop(Status.OFF)
    assert board.state["live"]["discs"] == []


def test_no_alarm_sounds_over_a_match_that_is_scored_by_hand(
    recorder: MatchRecorder, board: Scoreboard
) -> None:
    number = begin(board)
    recorder.on_event(blind_event("It is dark", "Light a lamp."))
    assert board.state["live"]["status"] == Status.NOT_REFEREEING  # no round says how it is scored
    board.append(number, RoundScored(points=(30, 10), twenties=(0, 0)))
    assert board.state["live"]["status"] == Status.OFF
    assert board.state["referee"]["status"] == Status.NOT_REFEREEING
    recorder.on_end(PHONE_GONE)
    assert board.state["live"]["status"] == Status.ENDED
    assert board.state["live"]["reason"] == PHONE_GONE


def test_board_at_rest_is_named_with_what_was_seen_on_it(
    recorder: MatchRecorder, board: Scoreboard, shots: ClipStore
) -> None:
    recorder.on_rest(RestMessage(key="here", plan=PLAN))
    assert board.state["live"]["plan"] is None
    recorder.on_event(board_event())
    assert board.state["live"]["plan"] == "here"
    assert shots.plan("here") == PLAN
    assert shots.plan("there") is None


#: Discs whose margin alone would say something else of their call than it is, and some by margin.
CALLS = {
    "far inside, and hardly seen": (disc("d", RED, PLACES_MM[15], confidence=0.6), "close"),
    "far inside, and seen": (disc("d", RED, PLACES_MM[15]), "certain"),
    "near a line": (disc("d", RED, (0.0, 85.0)), "close"),
    "leaning on a post": (disc("d", RED, (0.0, 125.0), DiscState.LEANING), "close"),
    "flat where none can lie": (disc("d", RED, (0.0, 2.0)), "close"),
    "a 20, near the hole's edge": (disc("d", RED, (1.0, 0.0), DiscState.IN_HOLE), "certain"),
    "a doubtful 20": (disc("d", RED, (1.0, 0.0), DiscState.IN_HOLE, confidence=0.6), "close"),
    "over the edge": (disc("d", RED, (0.0, 325.0), DiscState.OVERHANGING), "certain"),
}


@pytest.mark.parametrize(("lies", "call"), CALLS.values(), ids=CALLS)
def test_a_call_shows_as_the_referee_made_it(
    recorder: MatchRecorder, board: Scoreboard, lies: NamedDisc, call: str
) -> None:
    for told in (board_event(lies), shot_event(0, RED, lies)):
        recorder.on_event(told)
        (shown,) = board.state["live"]["discs"]
        assert (shown["call"], shown["is_close"]) == (call, call == "close")


def test_a_verdict_is_gone_with_its_round_and_comes_back_with_it(
    recorder: MatchRecorder, board: Scoreboard
) -> None:
    first = in_zone("a", RED, 15)
    recorder.on_event(shot_event(0, RED, first))
    assert board.state["live"]["verdict"]["what"] == "legal"  # nobody made a match of it
    number = begin(board)  # its rounds are entered by hand
    assert board.state["live"]["verdict"] is None
    recorder.on_event(shot_event(0, RED, first, verdict=Verdict.FOUL))
    assert board.state["live"]["verdict"]["what"] == "foul"
    board.append(number, RoundScored(points=(15, 0), twenties=(0, 0)))
    recorder.on_event(board_event(first))
    assert board.state["live"]["verdict"] is None
    board.append(number, Undone())
    assert board.state["live"]["verdict"]["what"] == "foul"


def test_what_to_remove_is_told_until_it_was_removed(
    recorder: MatchRecorder, board: Scoreboard
) -> None:
    stays, goes = in_zone("a", RED, 15), in_zone("b", BLACK, 10)
    recorder.on_event(shot_event(0, BLACK, stays, goes, verdict=Verdict.FOUL, remove=[goes]))
    recorder.on_event(removal_event(stays))
    assert board.state["live"]["verdict"]["removal"] == "Remove black."
    recorder.on_event(removal_event(goes))
    assert board.state["live"]["verdict"]["removal"] == ""


def test_a_disc_that_was_taken_off_shows_no_more(
    recorder: MatchRecorder, board: Scoreboard
) -> None:
    gone, stays = in_zone("a", RED, 15), in_zone("b", BLACK, 10)
    recorder.on_event(board_event(gone, stays))
    recorder.on_event(removal_event(gone, warnings=["Put it back."]))
    assert [each["id"] for each in board.state["live"]["discs"]] == ["b"]
    assert notice(board) == "Put it back."


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ({"gap_mm": 2.5, "why": "nothing moved"}, "gap 2.5 mm, nothing moved"),
        ({"touched": ["a", "b"], "is_open": True, "none": None}, "touched a, b, is open yes"),
        ({}, None),
        ("", None),
    ],
)
def test_evidence_reads_as_words(value: Any, words: str | None) -> None:
    assert format_value(value) == words
