"""The referee's observations, on the scoreboard and in the match."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
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

from calibration.json_text import to_plain
from calibration.phrase import Phrase
from calibration.placed_disc import DiscState, Team
from scorer.match.colours import choose_colour
from scorer.match.events import (
    ColoursChosen,
    DiscCorrected,
    MatchError,
    MatchStarted,
    RoundCorrected,
    RoundScored,
    Ruled,
    ScoreSource,
    StarterCorrected,
    TimeRanOut,
    Undone,
)
from scorer.match.fold import fold
from scorer.photo.rectified_image import RectifiedBoardImage
from scorer.referee.disc_identities import NamedDisc
from scorer.rules.checks import Fault
from scorer.rules.choices import Format
from scorer.rules.fault_codes import FaultCode
from scorer.rules.judge_shot import Verdict
from scorer.store import Store
from webapp.cli.main import main
from webapp.http.event_broker import EventBroker
from webapp.live.clip_store import ClipStore
from webapp.live.end_reason import EndCode, EndReason
from webapp.live.live_state import Status
from webapp.live.match_recorder import MatchRecorder
from webapp.live.referee_process import RestMessage
from webapp.live.scoreboard import Scoreboard
from webapp.live.side_colours import COLOUR_HEX, NEUTRAL_HEX
from webapp.pages.match.match_form import parse_event

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
    return to_plain(board.state)["live"]["notice"]


def refusal(board: Scoreboard) -> Phrase:
    """The reason of the notice that a shot was not added."""
    said = notice(board)
    assert isinstance(said, Phrase)
    reason = said.arguments["error"]
    assert isinstance(reason, Phrase)
    return reason


def test_round_is_entered_shot_by_shot(
    recorder: MatchRecorder, board: Scoreboard, store: Store
) -> None:
    number = begin(board, "red", "black")
    fault = Fault(code=FaultCode.NO_CONTACT, rule="Touch one.", evidence={"touched": []})
    first, fouled = in_zone("a", RED, 15), in_zone("b", BLACK, 10)
    recorder.on_event(shot_event(0, RED, first))
    recorder.on_event(
        shot_event(1, BLACK, first, fouled, verdict=Verdict.FOUL, faults=[fault], remove=[fouled])
    )
    verdict = to_plain(board.state)["live"]["verdict"]
    assert verdict["what"] == "foul"
    assert verdict["faults"][0]["evidence"] == "touched: none"
    assert [row["is_to_go"] for row in to_plain(board.state)["live"]["discs"]] == [False, True]
    recorder.on_event(shot_event(2, RED, first))
    recorder.on_event(twenty_event(RED))
    recorder.on_event(shot_event(3, BLACK, first, in_zone("c", BLACK, 5)))
    assert to_plain(board.state)["match"]["sides"][0]["round_points"] == 35
    recorder.on_event(round_event((35, 1), (5, 0), shots=4))
    state = fold(store.log(number))
    assert state.rounds[0].points == (35, 5)
    assert notice(board) is None


def test_the_log_keeps_where_discs_rest_and_a_correction_does_not_lose_it(
    recorder: MatchRecorder, board: Scoreboard, store: Store
) -> None:
    number = begin(board, "red", "black")
    first, moved = in_zone("a", RED, 15), disc("a", RED, (0.0, -60.0))
    recorder.on_event(shot_event(0, RED, first))
    board.append(number, DiscCorrected(disc="a", zone=10))
    recorder.on_event(shot_event(1, BLACK, first, in_zone("b", BLACK, 5)))
    kept = {placed.id: placed for placed in fold(store.log(number)).round.board}
    assert (kept["a"].zone, kept["a"].place_mm) == (10, PLACES_MM[15])
    assert kept["b"].place_mm == PLACES_MM[5]
    assert kept["b"].sigma_mm is not None
    recorder.on_event(shot_event(2, RED, moved))
    (only,) = [disc for disc in fold(store.log(number)).round.board if disc.id == "a"]
    assert (only.zone, only.place_mm) == (15, (0.0, -60.0))


def test_what_a_person_put_right_stays_right(
    recorder: MatchRecorder, board: Scoreboard, store: Store
) -> None:
    number = begin(board, "red", "black", discs=1)
    recorder.on_event(shot_event(0, RED, in_zone("a", RED, 15)))
    board.append(number, DiscCorrected(disc="a", zone=10))
    recorder.on_event(shot_event(1, BLACK, in_zone("a", RED, 15), in_zone("b", BLACK, 5)))
    zones = {row.id: row.zone for row in fold(store.log(number)).round.board}
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
    assert [(record.round, record.number) for record in kept] == [(1, 2), (1, 1)]
    assert read_level(shots.picture("first", 0)) == 0
    board.append(number, Ruled(dispute=1, decision="It did."))
    assert not fold(store.log(number)).rounds[0].is_open


#: Unseen shots of a round of eight, and the number of questions they lead to.
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
    assert all("not seen" in event.about for event in state.disputes)
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
    assert "both sides have had the same number of shots" in str(notice(board))
    board.append(number, Undone())
    assert fold(store.log(number)).round.shot_count == 1  # the seen shot fits now
    recorder.on_event(shot_event(1, BLACK, *lying, before=lying[:1]))
    board.append(number, TimeRanOut())
    after = (lying[0], in_zone("b", BLACK, 5))
    recorder.on_event(shot_event(2, RED, *after, before=lying))
    (asked,) = fold(store.log(number)).disputes
    assert asked.about == "Shot 3 was taken after time ran out. Score the board as it is?"


def test_a_restarted_camera_goes_on_with_the_match_s_numbers_of_shots(
    recorder: MatchRecorder, board: Scoreboard, store: Store, shots: ClipStore
) -> None:
    number = begin(board, "red", "black", discs=4)
    lying = [in_zone(f"d{k}", (RED, BLACK)[k % 2], 15) for k in range(6)]
    recorder.on_event(shot_event(0, RED, *lying[:1]))
    recorder.on_event(shot_event(1, BLACK, *lying[:2], before=lying[:1]))
    recorder.on_start("clip")  # shots 3 and 4 were played while the server was down
    recorder.on_event(shot_event(0, RED, *lying[:5], before=lying[:4]))
    assert to_plain(board.state)["live"]["verdict"]["number"] == 5
    recorder.on_event(shot_event(1, BLACK, *lying, before=lying[:5]))
    state = fold(store.log(number))
    assert state.round.shot_count == 6
    (asked,) = state.disputes
    assert asked.about.startswith("2 shots before shot 5 were not seen (Ann 1, Bob 1).")
    assert sorted(shot.number for shot in shots.of_match(number)) == [1, 2, 5, 6]


def test_a_20_that_was_missed_counts_once_it_is_told(
    recorder: MatchRecorder, board: Scoreboard, store: Store
) -> None:
    number = begin(board, "red", "black", discs=1)
    recorder.on_event(shot_event(0, BLACK, in_zone("b", BLACK, 5)))
    board.append(number, StarterCorrected(player=0, round=1))
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
    assert fold(store.log(number)).round.shot_count == 0
    board.append(number, RoundScored(points=(15, 0), twenties=(0, 0)))
    assert notice(board) is None  # a person has corrected it


def questions(board: Scoreboard) -> list[dict[str, Any]]:
    asked: list[dict[str, Any]] = to_plain(board.state)["match"]["questions"]
    return asked


def play_round(
    recorder: MatchRecorder, order: Sequence[Team] = (RED, BLACK), discs: int = 2
) -> None:
    """A round with 15s of the first shooter and 10s of the other."""
    count = discs * len(order)
    lying = [in_zone(f"d{k}", order[k % 2], (15, 10)[k % 2]) for k in range(count)]
    for k in range(count):
        recorder.on_event(shot_event(k, order[k % 2], *lying[: k + 1], before=lying[:k]))
    first, second = (15 * discs, 0), (10 * discs, 0)
    points = (first, second) if order[0] is RED else (second, first)
    recorder.on_event(round_event(*points, shots=count))


def test_who_plays_a_colour_is_asked_once_and_what_was_seen_counts_then(
    recorder: MatchRecorder, board: Scoreboard, store: Store
) -> None:
    number = begin(board)
    play_round(recorder)
    recorder.on_event(shot_event(0, BLACK, in_zone("next", BLACK, 15)))
    (asked,) = questions(board)
    assert (asked["kind"], asked["hex"]) == ("colour", COLOUR_HEX["red"])
    plays = [{"colour": "red", "side": side} for side in (0, 1)]
    assert [answer["fields"] for answer in asked["answers"]] == plays
    assert (fold(store.log(number)).rounds, notice(board)) == ((), None)
    assert {side["colour"] for side in to_plain(board.state)["match"]["sides"]} == {NEUTRAL_HEX}
    board.append(number, ColoursChosen(colours=("", "red")))
    state = fold(store.log(number))
    assert state.setup.colours == ("black", "red")
    assert [result.points for result in state.rounds] == [(20, 30)]
    assert (state.round.shot_count, state.waiting, questions(board)) == (1, (), [])


def test_who_plays_a_colour_is_called_out_once(recorder: MatchRecorder, board: Scoreboard) -> None:
    begin(board)
    recorder.on_event(shot_event(0, RED, in_zone("a", RED, 15)))
    call, (asked,) = to_plain(board.state)["call"], questions(board)
    assert (call["kind"], call["spoken"]) == ("question", asked["words"])
    recorder.on_event(shot_event(1, BLACK, in_zone("a", RED, 15)))
    assert to_plain(board.state)["call"]["kind"] == "legal"


def test_a_question_that_waits_stands_before_what_is_only_said(
    recorder: MatchRecorder, board: Scoreboard
) -> None:
    begin(board, "red", "black")
    asked = "Did it touch the red disc?"
    recorder.on_event(shot_event(0, BLACK, verdict=Verdict.NEEDS_REVIEW, question=asked))
    assert [question["kind"] for question in questions(board)] == ["dispute", "starter"]


def test_the_answer_survives_a_restart_and_can_be_taken_back(
    recorder: MatchRecorder, board: Scoreboard, store: Store, shots: ClipStore
) -> None:
    number = begin(board)
    recorder.on_event(shot_event(0, RED, in_zone("a", RED, 15)))
    board = Scoreboard(store, EventBroker())
    recorder = MatchRecorder(board, store, shots)
    recorder.on_start("clip")
    board.append(number, ColoursChosen(colours=("red", "")))
    recorder.on_event(
        shot_event(
            1, BLACK, in_zone("a", RED, 15), in_zone("b", BLACK, 5), before=[in_zone("a", RED, 15)]
        )
    )
    assert [side["round_points"] for side in to_plain(board.state)["match"]["sides"]] == [15, 5]
    board.append(number, Undone())
    board.append(number, Undone())
    assert [question["kind"] for question in questions(board)] == ["colour"]


def test_colours_put_right_after_rounds_swap_all_that_the_camera_entered(
    recorder: MatchRecorder, board: Scoreboard, store: Store
) -> None:
    number = begin(board, "red", "black")
    play_round(recorder)
    play_round(recorder, (BLACK, RED))
    board.append(number, RoundScored(points=(30, 10), twenties=(0, 0)))  # this one by hand
    recorder.on_event(shot_event(0, BLACK, in_zone("x", BLACK, 15)))
    before = fold(store.log(number))
    assert [result.points for result in before.rounds] == [(30, 20), (20, 30), (30, 10)]
    board.append(number, ColoursChosen(colours=("black", "red")))
    after = fold(store.log(number))
    assert [result.points for result in after.rounds] == [(20, 30), (30, 20), (30, 10)]
    assert [(row.side, row.zone) for row in after.round.board] == [(0, 15)]
    board.append(number, Undone())
    assert fold(store.log(number)) == before


def test_colours_from_a_round_on_leave_the_rounds_before_alone(
    recorder: MatchRecorder, board: Scoreboard, store: Store
) -> None:
    number = begin(board, "red", "black")
    play_round(recorder)
    play_round(recorder, (BLACK, RED))
    board.append(number, ColoursChosen(colours=("black", "red"), round=2))
    assert [result.points for result in fold(store.log(number)).rounds] == [(30, 20), (30, 20)]


def test_who_shoots_first_is_taken_for_the_starter_and_the_round_is_entered(
    recorder: MatchRecorder, board: Scoreboard, store: Store
) -> None:
    number = begin(board, "red", "black")
    play_first = shot_event(0, BLACK, in_zone("d0", BLACK, 15))
    recorder.on_event(play_first)
    (said,) = questions(board)
    assert (said["kind"], said["is_open"]) == ("starter", False)
    assert [answer["fields"]["player"] for answer in said["answers"]] == [0]
    board.append(number, Undone())
    board.append(number, Undone())
    play_round(recorder, (BLACK, RED))
    state = fold(store.log(number))
    assert ([result.points for result in state.rounds], state.disputes) == ([(20, 30)], ())
    assert (state.rounds[0].starter, state.round.starter) == (1, 0)


def test_a_starter_put_right_later_brings_the_question_of_the_shot_that_was_missed(
    recorder: MatchRecorder, board: Scoreboard
) -> None:
    number = begin(board, "red", "black")
    recorder.on_event(shot_event(0, BLACK, in_zone("d0", BLACK, 15)))
    board.append(number, StarterCorrected(player=0, round=1))
    (asked,) = questions(board)
    assert asked["kind"] == "missed"
    assert [answer["action"] for answer in asked["answers"]] == ["rule", "rule", "started"]
    twenty, started = (answer["fields"] for answer in asked["answers"][1:])
    assert started["player"] == 1
    ruling = {"dispute": 1, "decision": "It was a 20.", "twenties0": 1, "twenties1": 0}
    assert twenty == ruling
    board.append(number, Ruled(dispute=1, decision="It was a 20.", twenties=(1, 0)))
    assert [side["round_points"] for side in to_plain(board.state)["match"]["sides"]] == [20, 15]
    board.append(number, StarterCorrected(player=1, round=1))  # no longer
    assert [side["round_points"] for side in to_plain(board.state)["match"]["sides"]] == [0, 15]
    assert questions(board) == []


def test_against_the_rules_starter_a_person_is_asked_and_the_round_counts_meanwhile(
    recorder: MatchRecorder, board: Scoreboard, store: Store
) -> None:
    number = begin(board, "red", "black")
    play_round(recorder)
    recorder.on_event(shot_event(0, RED, in_zone("d0", RED, 15)))
    (asked,) = questions(board)
    assert (asked["kind"], asked["is_open"]) == ("starter", True)
    assert [answer["fields"]["player"] for answer in asked["answers"]] == [0, 1]
    board.append(number, StarterCorrected(player=0, round=2))
    assert questions(board) == []
    board.append(number, Undone())
    board.append(number, Undone())
    board.append(number, Undone())
    play_round(recorder)
    assert [result.points for result in fold(store.log(number)).rounds] == [(30, 20), (30, 20)]


def test_a_round_that_a_person_scores_is_not_scored_by_the_camera_again(
    recorder: MatchRecorder, board: Scoreboard, store: Store
) -> None:
    number = begin(board, "red", "black", discs=1)
    first = in_zone("a", RED, 15)
    recorder.on_event(shot_event(0, RED, first))
    recorder.on_event(shot_event(1, BLACK, first, in_zone("b", BLACK, 5), before=[first]))
    board.append(number, RoundScored(source=ScoreSource.SHOTS))
    recorder.on_event(round_event((15, 0), (5, 0), shots=2))
    assert [result.points for result in fold(store.log(number)).rounds] == [(15, 5)]
    recorder.on_event(shot_event(0, BLACK, in_zone("c", BLACK, 10)))
    recorder.on_event(shot_event(1, RED, in_zone("c", BLACK, 10), before=[in_zone("c", BLACK, 10)]))
    recorder.on_event(round_event((0, 0), (10, 0), shots=2))
    assert [result.points for result in fold(store.log(number)).rounds] == [(15, 5), (0, 10)]


def test_what_people_entered_stays_when_colours_are_put_right(
    recorder: MatchRecorder, board: Scoreboard, store: Store
) -> None:
    number = begin(board)
    play_round(recorder)
    assert to_plain(board.state)["match"]["waiting"] == 5
    with pytest.raises(MatchError, match="choose who plays which colour"):
        board.append(number, RoundScored(points=(5, 5)))
    board.append(number, ColoursChosen(colours=("red", "black")))
    board.append(number, RoundCorrected(round=1, points=(25, 20), twenties=(0, 0)))
    board.append(number, ColoursChosen(colours=("black", "red")))
    assert fold(store.log(number)).rounds[0].points == (25, 20)


def test_a_round_counted_by_hand_while_the_camera_waits_keeps_its_score(
    recorder: MatchRecorder, board: Scoreboard, store: Store
) -> None:
    number = begin(board)
    first = in_zone("a", RED, 15)
    recorder.on_event(shot_event(0, RED, first))
    recorder.on_event(shot_event(1, BLACK, first, before=[first]))
    board.append(number, RoundScored(points=(30, 15), twenties=(0, 0)))
    recorder.on_event(round_event((15, 0), (0, 0), shots=2))
    board.append(number, ColoursChosen(colours=("red", "")))
    state = fold(store.log(number))
    assert ([result.points for result in state.rounds], state.left_out) == ([(30, 15)], ())


GREEN = Team(number=2, colour_rgb=(43, 122, 75), colour_name="green")


def test_of_three_sides_the_last_colour_follows_from_two_answers(
    board: Scoreboard, store: Store, recorder: MatchRecorder
) -> None:
    teams = (RED, BLACK, GREEN)
    options = (("discs_alone", 1),)
    setup = MatchStarted(
        rules="mayday",
        format=Format.THREE_SETS,
        players=("Ann", "Bob", "Cid"),
        options=options,
    )
    number = board.begin(setup)
    lying = [in_zone("r", RED, 15), in_zone("b", BLACK, 10), in_zone("g", GREEN, 5)]
    for k, team in enumerate(teams[:2]):
        recorder.on_event(shot_event(k, team, *lying[: k + 1], before=lying[:k], teams=teams))
        said = questions(board)[0]["answers"][0]["fields"]
        chosen = choose_colour(fold(store.log(number)).setup, said["side"], said["colour"])
        board.append(number, ColoursChosen(colours=chosen))
        assert questions(board) == []
    recorder.on_event(shot_event(2, GREEN, *lying, before=lying[:2], teams=teams))
    state = fold(store.log(number))
    assert state.setup.colours == ("red", "black", "green")
    assert [side["round_points"] for side in to_plain(board.state)["match"]["sides"]] == [15, 10, 5]


def test_a_score_entered_by_hand_answers_what_is_asked_of_its_round_once_colours_are_known(
    recorder: MatchRecorder, board: Scoreboard, store: Store
) -> None:
    number = begin(board)
    asked = "Did it touch the black disc?"
    recorder.on_event(shot_event(0, RED, verdict=Verdict.NEEDS_REVIEW, question=asked))
    board.append(number, RoundScored(points=(30, 15), twenties=(0, 0)))
    board.append(number, ColoursChosen(colours=("red", "")))
    state = fold(store.log(number))
    assert ([result.points for result in state.rounds], state.left_out) == ([(30, 15)], ())
    assert (questions(board), state.totals) == ([], (15, 0))


def test_a_film_that_ends_before_all_discs_are_shot_asks_whether_the_round_is_over(
    recorder: MatchRecorder, board: Scoreboard, store: Store
) -> None:
    number = begin(board, "red", "black", discs=8)
    first, second = in_zone("a", RED, 15), in_zone("b", BLACK, 5)
    recorder.on_event(shot_event(0, RED, first))
    recorder.on_event(shot_event(1, BLACK, first, second, before=[first]))
    recorder.on_event(round_event((15, 0), (5, 0), shots=2, is_cleared=False))
    (asked,) = questions(board)
    assert (asked["kind"], asked["answers"][0]["action"]) == ("end", "end")
    assert notice(board) is None
    answer = parse_event("end", {}, fold(store.log(number)))
    board.append(number, answer)
    assert questions(board) == []
    assert [result.points for result in fold(store.log(number)).rounds] == [(15, 5)]
    board.append(number, ColoursChosen(colours=("black", "red")))
    assert [result.points for result in fold(store.log(number)).rounds] == [(5, 15)]


def test_the_terminal_answers_whether_the_round_is_over(
    recorder: MatchRecorder,
    board: Scoreboard,
    store: Store,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    number = begin(board, "red", "black", discs=8)
    over = ["match", "--db", str(tmp_path / "m.db"), "add", "--over"]
    assert main(over) == 1
    assert capsys.readouterr().err
    assert fold(store.log(number)).rounds == ()
    first, second = in_zone("a", RED, 15), in_zone("b", BLACK, 5)
    recorder.on_event(shot_event(0, RED, first))
    recorder.on_event(shot_event(1, BLACK, first, second, before=[first]))
    recorder.on_event(round_event((15, 0), (5, 0), shots=2, is_cleared=False))
    assert main([*over[:3], "show"]) == 0
    assert "`crokinole match add --over`" in capsys.readouterr().out
    assert main(over) == 0
    assert [result.points for result in fold(store.log(number)).rounds] == [(15, 5)]


def test_a_match_that_is_begun_again_under_its_key_is_published_once(board: Scoreboard) -> None:
    setup = MatchStarted(rules="nca", format=Format.TWO, players=("Ann", "Bob"))
    published: list[dict[str, object]] = []
    board.add_listener(published.append)
    assert board.begin(setup, key="k") == board.begin(setup, key="k") == 1
    assert board.take_in([setup], key="other") == board.take_in([setup], key="other") == 2
    assert len(published) == 2


def play_unevenly(recorder: MatchRecorder, *teams: Team) -> None:
    """One disc of every named team in turn, and the end of a recording."""
    names = [f"{team.colour_name}{k}" for k, team in enumerate(teams)]
    places = [
        disc(name, team, (10.0 + 40 * k, 145.0))
        for k, (name, team) in enumerate(zip(names, teams, strict=True))
    ]
    for k, team in enumerate(teams):
        recorder.on_event(shot_event(k, team, *places[: k + 1], before=places[:k]))
    totals = [(10 * sum(known is team for known in teams), 0) for team in (RED, BLACK)]
    recorder.on_event(round_event(*totals, shots=len(teams), is_cleared=False, is_film_over=True))


@pytest.mark.parametrize("is_asked_late", [False, True], ids=["tap while it plays", "tap after"])
@pytest.mark.parametrize("first", [RED, BLACK], ids=["expected starter", "other starter"])
def test_a_recording_that_ends_after_equal_turns_scores_its_round_with_one_answer(
    recorder: MatchRecorder, board: Scoreboard, store: Store, first: Team, is_asked_late: bool
) -> None:
    number, other = begin(board, discs=8), BLACK if first is RED else RED
    answer = parse_event("plays", {"colour": "red", "side": "0"}, fold(store.log(number)))
    if not is_asked_late:
        board.append(number, answer)
    play_unevenly(recorder, first, other, first, other)
    if is_asked_late:
        board.append(number, answer)
    state = fold(store.log(number))
    assert [result.points for result in state.rounds] == [(20, 20)]
    (said,) = questions(board)
    assert (said["kind"], said["is_open"]) == ("cut", False)
    assert state.rounds[0].cut_after == 2
    recorder.on_event(shot_event(0, first, in_zone("a", first, 15)))
    assert "cut" not in [question["kind"] for question in questions(board)]


def test_a_recording_that_ends_in_mid_turn_still_asks_whether_the_round_is_over(
    recorder: MatchRecorder, board: Scoreboard, store: Store
) -> None:
    number = begin(board, "red", "black", discs=8)
    play_unevenly(recorder, RED, BLACK, RED)
    assert [question["kind"] for question in questions(board)] == ["end"]
    assert fold(store.log(number)).rounds == ()


def test_a_camera_that_comes_back_in_the_middle_of_a_round_goes_on_with_it(
    recorder: MatchRecorder, board: Scoreboard, store: Store
) -> None:
    number = begin(board, "red", "black", discs=2)
    first, second = in_zone("a", RED, 15), in_zone("b", BLACK, 5)
    recorder.on_event(shot_event(0, RED, first))
    recorder.on_event(round_event((15, 0), (0, 0), shots=1, is_cleared=False))
    assert [question["kind"] for question in questions(board)] == ["end"]
    recorder.on_event(shot_event(0, BLACK, first, second, before=[first]))
    assert (questions(board), fold(store.log(number)).round.shot_count) == ([], 2)


def test_a_colour_that_a_side_cannot_have_is_left_out_and_said(
    recorder: MatchRecorder, board: Scoreboard, store: Store
) -> None:
    number = begin(board, "red", "black")
    teams = (RED, BLACK, GREEN)
    recorder.on_event(shot_event(0, GREEN, in_zone("g", GREEN, 15), teams=teams))
    assert refusal(board).arguments == {"colour": "green"}
    board.append(number, ColoursChosen(colours=("green", "black")))
    state = fold(store.log(number))
    assert (state.round.shot_count, state.left_out, notice(board)) == (1, (), None)


def test_a_disc_of_a_third_colour_is_nobodys_while_both_sides_discs_are_known(
    recorder: MatchRecorder, board: Scoreboard, store: Store
) -> None:
    teams = (RED, BLACK, GREEN)
    number = begin(board, "red", "black")
    strange = in_zone("g", GREEN, 15)
    recorder.on_event(
        shot_event(0, BLACK, strange, in_zone("b", BLACK, 10), before=[strange], teams=teams)
    )
    assert refusal(board).arguments == {"colour": "green"}
    assert fold(store.log(number)).round.board == ()


def test_partners_answer_once_for_their_side(
    board: Scoreboard, store: Store, recorder: MatchRecorder
) -> None:
    players = ("Ann", "Bob", "Cid", "Dee")
    number = board.begin(
        MatchStarted(
            rules="nca", format=Format.TEAMS, players=players, options=(("discs_partner", 1),)
        )
    )
    lying = [in_zone("b", BLACK, 15)]
    recorder.on_event(shot_event(0, BLACK, *lying))
    (asked,) = questions(board)
    assert [answer["fields"]["side"] for answer in asked["answers"]] == [0, 1]
    board.append(number, ColoursChosen(colours=("", "black")))
    (said,) = questions(board)
    assert said["kind"] == "starter"
    assert [answer["fields"]["player"] for answer in said["answers"]] == [0, 2, 3]
    board.append(number, StarterCorrected(player=3, round=1))
    state = fold(store.log(number))
    assert (state.round.starter, state.round.shots, state.disputes) == (3, (0, 0, 0, 1), ())


def test_loud_state_comes_and_goes(recorder: MatchRecorder, board: Scoreboard) -> None:
    recorder.on_event(blind_event("It is dark", "Light a lamp."))
    live = to_plain(board.state)["live"]
    assert (live["status"], live["reason"]) == ("not_refereeing", "It is dark.")
    recorder.on_event(board_event(in_zone("a", RED, 15)))
    assert to_plain(board.state)["live"]["status"] == "not_refereeing"
    recorder.on_event(blind_event("It is dark", "Light a lamp.", over=True))
    assert to_plain(board.state)["live"]["status"] == "refereeing"
    recorder.on_restart(EndReason(EndCode.SOURCE_FAILED, "camera 0 cannot be opened; check it"))
    recorder.on_start("0")
    live = to_plain(board.state)["live"]
    assert live["advice"] == "The referee will try again every few seconds."
    assert (live["status"], live["reason"]) == (
        "not_refereeing",
        "Camera 0 cannot be opened; check it.",
    )
    recorder.on_event(board_event(warnings=["red 1 was moved.", "black 2 was removed."]))
    assert to_plain(board.state)["live"]["status"] == "refereeing"
    assert notice(board) == "Red 1 was moved. Black 2 was removed."
    recorder.on_end(EndReason(EndCode.SOURCE_FAILED, "No camera."))
    assert to_plain(board.state)["live"]["status"] == "failed"
    recorder.on_stop(Status.OFF)
    assert to_plain(board.state)["live"]["discs"] == []


def test_a_camera_s_password_is_shown_to_nobody(recorder: MatchRecorder, board: Scoreboard) -> None:
    recorder.on_start("rtsp://admin:hunter2@192.168.1.20/user=admin&password=hunter2")
    assert to_plain(board.state)["live"]["source"] == "rtsp://192.168.1.20"


def test_the_board_of_a_source_that_ended_is_gone_with_its_round_and_match(
    recorder: MatchRecorder, board: Scoreboard
) -> None:
    number = begin(board, "red", "black", discs=1)
    lying = in_zone("a", RED, 15), in_zone("b", BLACK, 10)
    recorder.on_event(shot_event(0, RED, lying[0]))
    recorder.on_event(shot_event(1, BLACK, *lying))
    recorder.on_end(EndReason(EndCode.PHONE_GONE))
    live = to_plain(board.state)["live"]
    assert (live["status"], len(live["discs"])) == (Status.ENDED, 2)
    board.append(number, RoundScored(points=(15, 10), twenties=(0, 0)))
    live = to_plain(board.state)["live"]
    assert (live["status"], live["reason"], live["discs"]) == (
        Status.ENDED,
        str(EndReason(EndCode.PHONE_GONE)),
        [],
    )
    board.append(number, Undone())
    assert len(to_plain(board.state)["live"]["discs"]) == 2
    begin(board)
    live = to_plain(board.state)["live"]
    assert (live["status"], live["discs"]) == (Status.OFF, [])


@pytest.mark.parametrize("has_match", [True, False])
def test_the_board_of_a_source_that_ended_without_a_shot_is_gone_with_a_new_match(
    recorder: MatchRecorder, board: Scoreboard, has_match: bool
) -> None:
    if has_match:
        begin(board, "red", "black")
    recorder.on_event(board_event(in_zone("a", RED, 15)))
    recorder.on_end(None)
    assert len(to_plain(board.state)["live"]["discs"]) == 1
    begin(board)
    assert to_plain(board.state)["live"]["discs"] == []


def test_no_alarm_sounds_over_a_match_that_is_scored_by_hand(
    recorder: MatchRecorder, board: Scoreboard
) -> None:
    number = begin(board)
    recorder.on_event(blind_event("It is dark", "Light a lamp."))
    assert (
        to_plain(board.state)["live"]["status"] == Status.NOT_REFEREEING
    )  # no round defines how it is scored
    board.append(number, RoundScored(points=(30, 10), twenties=(0, 0)))
    assert to_plain(board.state)["live"]["status"] == Status.OFF
    assert to_plain(board.state)["referee"]["status"] == Status.NOT_REFEREEING
    recorder.on_end(EndReason(EndCode.PHONE_GONE))
    assert to_plain(board.state)["live"]["status"] == Status.ENDED
    assert to_plain(board.state)["live"]["reason"] == str(EndReason(EndCode.PHONE_GONE))


def test_board_at_rest_is_named_with_what_was_seen_on_it(
    recorder: MatchRecorder, board: Scoreboard, shots: ClipStore
) -> None:
    recorder.on_rest(RestMessage(key="here", plan=PLAN))
    assert to_plain(board.state)["live"]["plan"] is None
    recorder.on_event(board_event())
    assert to_plain(board.state)["live"]["plan"] == "here"
    assert shots.plan("here") == PLAN
    assert shots.plan("there") is None


#: Discs whose call differs from what their margin alone suggests, and some decided by their margin.
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
        (shown,) = to_plain(board.state)["live"]["discs"]
        assert (shown["call"], shown["is_close"]) == (call, call == "close")


def test_a_verdict_is_gone_with_its_round_and_comes_back_with_it(
    recorder: MatchRecorder, board: Scoreboard
) -> None:
    first = in_zone("a", RED, 15)
    recorder.on_event(shot_event(0, RED, first))
    assert to_plain(board.state)["live"]["verdict"]["what"] == "legal"  # no match was made of it
    number = begin(board)  # its rounds are entered by hand
    assert to_plain(board.state)["live"]["verdict"] is None
    recorder.on_event(shot_event(0, RED, first, verdict=Verdict.FOUL))
    assert to_plain(board.state)["live"]["verdict"]["what"] == "foul"
    board.append(number, RoundScored(points=(15, 0), twenties=(0, 0)))
    recorder.on_event(board_event(first))
    assert to_plain(board.state)["live"]["verdict"] is None
    board.append(number, Undone())
    assert to_plain(board.state)["live"]["verdict"]["what"] == "foul"


def test_what_to_remove_is_told_until_it_was_removed(
    recorder: MatchRecorder, board: Scoreboard
) -> None:
    stays, goes = in_zone("a", RED, 15), in_zone("b", BLACK, 10)
    recorder.on_event(shot_event(0, BLACK, stays, goes, verdict=Verdict.FOUL, remove=[goes]))
    recorder.on_event(removal_event(stays))
    assert to_plain(board.state)["live"]["verdict"]["removal"] == "Remove black."
    recorder.on_event(removal_event(goes))
    assert to_plain(board.state)["live"]["verdict"]["removal"] == ""


def test_a_disc_that_was_taken_off_shows_no_more(
    recorder: MatchRecorder, board: Scoreboard
) -> None:
    gone, stays = in_zone("a", RED, 15), in_zone("b", BLACK, 10)
    recorder.on_event(board_event(gone, stays))
    recorder.on_event(removal_event(gone, warnings=["Put it back."]))
    assert [row["id"] for row in to_plain(board.state)["live"]["discs"]] == ["b"]
    assert notice(board) == "Put it back."
