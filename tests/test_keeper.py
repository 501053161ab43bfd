"""What the referee sees, on the scoreboard and in the match."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from scorer.match import fold
from scorer.match_events import DiscCorrected, MatchStarted, Ruled
from scorer.rules.options import Format
from scorer.store import Store
from webapp.film import Look
from webapp.keeper import Keeper
from webapp.live import Hub
from webapp.live_view import Status, in_words
from webapp.plan import Plan
from webapp.referee_process import Rest
from webapp.scoreboard import Scoreboard
from webapp.shots import Shots

TEAMS = [
    {"team": 0, "colour": "#c0282d", "colour_name": "red"},
    {"team": 1, "colour": "#26262b", "colour_name": "black"},
]
PLAN = Plan(jpeg=b"above", half_mm=355.0, foot_mm=15.4, lines=("1,2",), hole=(0.0, 0.0, 17.5))


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store(str(tmp_path / "m.db")) as store:
        yield store


@pytest.fixture
def board(store: Store) -> Scoreboard:
    return Scoreboard(store, Hub())


@pytest.fixture
def shots() -> Iterator[Shots]:
    shots = Shots(None)
    yield shots
    shots.close()


@pytest.fixture
def keeper(board: Scoreboard, store: Store, shots: Shots) -> Keeper:
    keeper = Keeper(board, store, shots)
    keeper.on_start("clip")
    return keeper


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


def disc(name: str, team: int, zone: int, margin_mm: float = 9.0) -> dict[str, Any]:
    told = {"id": name, "team": team, "x_mm": 10.0, "y_mm": 40.0, "state": "flat"}
    return told | {"zone": zone, "margin_mm": margin_mm, "sigma_mm": 0.4}


def shot(index: int, team: int, *after: dict[str, Any], **more: Any) -> dict[str, Any]:
    told = {"type": "shot", "t_s": 1.0, "index": index, "team": team, "verdict": "legal"}
    told |= {"faults": [], "remove": [], "after": list(after), "before": [], "teams": TEAMS}
    return told | {"evidence": {"account": "it touched one"}, "question": None} | more


def notice(board: Scoreboard) -> str | None:
    return board.state["live"]["notice"]


def test_round_is_entered_shot_by_shot(keeper: Keeper, board: Scoreboard, store: Store) -> None:
    number = begin(board, "red", "black")
    fault = {"code": "no_contact", "rule": "Touch one.", "evidence": {"gap_mm": 3.25}}
    keeper.on_event(shot(0, 0, disc("a", 0, 15)))
    keeper.on_event(
        shot(
            1,
            1,
            disc("a", 0, 15),
            disc("b", 1, 10),
            verdict="foul",
            faults=[fault],
            remove=[disc("b", 1, 10)],
        )
    )
    verdict = board.state["live"]["verdict"]
    assert verdict["what"] == "foul"
    assert verdict["faults"][0]["evidence"] == "gap 3.25 mm"
    assert [each["is_to_go"] for each in board.state["live"]["discs"]] == [False, True]
    keeper.on_event(shot(2, 0, disc("a", 0, 15)))
    keeper.on_event({"type": "twenty", "t_s": 1.0, "team": 0, "count": 1})
    keeper.on_event(shot(3, 1, disc("a", 0, 15), disc("c", 1, 5)))
    assert board.state["match"]["sides"][0]["round_points"] == 35
    totals = [
        {"team": 0, "colour_name": "red", "points": 35, "twenties": 1},
        {"team": 1, "colour_name": "black", "points": 5, "twenties": 0},
    ]
    keeper.on_event({"type": "round", "t_s": 2.0, "totals": totals, "shots": 4})
    state = fold(store.log(number))
    assert state.rounds[0].points == (35, 5)
    assert notice(board) is None


def test_what_a_person_put_right_stays_right(
    keeper: Keeper, board: Scoreboard, store: Store
) -> None:
    number = begin(board, "red", "black", discs=1)
    keeper.on_event(shot(0, 0, disc("a", 0, 15)))
    board.append(number, DiscCorrected(disc="a", zone=10))
    keeper.on_event(shot(1, 1, disc("a", 0, 15), disc("b", 1, 5)))
    zones = {each.id: each.zone for each in fold(store.log(number)).round.board}
    assert zones == {"a": 10, "b": 5}
    totals = [{"team": 0, "points": 15, "twenties": 0}, {"team": 1, "points": 5, "twenties": 0}]
    keeper.on_event({"type": "round", "t_s": 2.0, "totals": totals, "shots": 2})
    assert fold(store.log(number)).rounds[0].points == (10, 5)


def test_disc_that_moved_is_read_anew(keeper: Keeper, board: Scoreboard, store: Store) -> None:
    number = begin(board, "red", "black")
    keeper.on_event(shot(0, 0, disc("a", 0, 15)))
    board.append(number, DiscCorrected(disc="a", zone=10))
    keeper.on_event(shot(1, 1, disc("a", 0, 5) | {"x_mm": 200.0}))
    assert fold(store.log(number)).round.board[0].zone == 5


def test_doubtful_shot_waits_for_a_ruling(
    keeper: Keeper, board: Scoreboard, store: Store, shots: Shots
) -> None:
    number = begin(board, "red", "black", discs=1)
    doubtful = shot(0, 0, verdict="needs_review", question="Did it touch the black disc?")
    keeper.on_rest(Rest(key="first", plan=PLAN))
    keeper.on_event(doubtful, (Look(t_s=0.5, jpeg=b"seen"),))
    keeper.on_event(shot(1, 1))
    totals = [{"team": each["team"], "points": 0, "twenties": 0} for each in TEAMS]
    keeper.on_event({"type": "round", "t_s": 2.0, "totals": totals, "shots": 2})
    assert "Dispute 1 is open" in str(notice(board))
    dispute = fold(store.log(number)).disputes[0]
    assert "Did it touch" in dispute.about
    assert dispute.shot == "first"
    kept = shots.of_match(number)
    assert [(each.round, each.number) for each in kept] == [(1, 2), (1, 1)]
    assert shots.picture("first", 0) == b"seen"
    board.append(number, Ruled(dispute=1, decision="It did."))


def test_shot_out_of_turn_is_said_and_not_entered(
    keeper: Keeper, board: Scoreboard, store: Store
) -> None:
    number = begin(board, "red", "black")
    keeper.on_event(shot(0, 1))
    assert "not Ann's" in str(notice(board))
    assert len(store.log(number)) == 1


def test_match_without_colours_is_left_to_the_scorer(
    keeper: Keeper, board: Scoreboard, store: Store
) -> None:
    number = begin(board)
    keeper.on_event(shot(0, 0))
    assert "whose discs" in str(notice(board))
    assert len(store.log(number)) == 1


def test_loud_state_comes_and_goes(keeper: Keeper, board: Scoreboard) -> None:
    out = {"type": "not_refereeing", "t_s": 1.0, "reason": "It is dark", "advice": "Light a lamp."}
    keeper.on_event({**out, "over": False})
    live = board.state["live"]
    assert (live["status"], live["reason"]) == ("not_refereeing", "It is dark.")
    keeper.on_event({"type": "board", "t_s": 1.5, "discs": [disc("a", 0, 15)], "teams": TEAMS})
    assert board.state["live"]["status"] == "not_refereeing"
    keeper.on_event({**out, "over": True})
    assert board.state["live"]["status"] == "refereeing"
    keeper.on_again("camera 0 cannot be opened; check it")
    keeper.on_start("0")
    live = board.state["live"]
    assert (live["status"], live["reason"]) == (
        "not_refereeing",
        "Camera 0 cannot be opened; check it.",
    )
    keeper.on_event({"type": "board", "t_s": 1.5, "discs": [], "teams": TEAMS})
    assert board.state["live"]["status"] == "refereeing"
    keeper.on_end("No camera.")
    assert board.state["live"]["status"] == "failed"
    keeper.on_stop(Status.OFF)
    assert board.state["live"]["discs"] == []


def test_board_at_rest_is_named_with_what_was_seen_on_it(
    keeper: Keeper, board: Scoreboard, shots: Shots
) -> None:
    keeper.on_rest(Rest(key="here", plan=PLAN))
    assert board.state["live"]["plan"] is None
    keeper.on_event({"type": "board", "t_s": 1.0, "discs": [], "teams": TEAMS})
    assert board.state["live"]["plan"] == "here"
    assert shots.plan("here") == PLAN
    assert shots.plan("there") is None


def test_close_calls_and_removals_show(keeper: Keeper, board: Scoreboard) -> None:
    discs = [disc("a", 0, 15, margin_mm=0.5), disc("b", 1, 10)]
    keeper.on_event({"type": "board", "t_s": 1.0, "discs": discs, "teams": TEAMS})
    assert [each["is_close"] for each in board.state["live"]["discs"]] == [True, False]
    removal = {"type": "removal", "t_s": 2.0, "removed": [discs[0]], "warnings": ["Put it back."]}
    keeper.on_event(removal)
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
    assert in_words(value) == words
