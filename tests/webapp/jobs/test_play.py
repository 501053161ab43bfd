"""Suggested shots, and other possible outcomes of a shot: requested over HTTP, computed once."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from flask import Flask
from simulated_match import simulate_match
from watch_events import BLACK, RED, board_event, disc, shot_event

from calibration.placed_disc import DiscState
from scorer.analysis.match_analysis import find_round_ahead
from scorer.match.events import MatchStarted, ShotPlayed
from scorer.match.sighting import Sighting, SightingKind
from scorer.referee.events import ShotEvent, from_json
from scorer.rules.choices import Format
from scorer.rules.names import RuleSetName
from scorer.rules.sets import RULE_SETS
from webapp.config import Config
from webapp.factory import close_app, create_app
from webapp.jobs.board_to_play import find_board_to_play
from webapp.jobs.job_services import job_services_of
from webapp.jobs.play_jobs import advise_board, find_better_shot, list_shot_outcomes
from webapp.jobs.play_queue import PlayQueue
from webapp.jobs.worker import BusyError, Task
from webapp.services import services_of

TARGET = disc("b", BLACK, (0.0, -60.0))


@pytest.fixture
def app(tmp_path: Path) -> Iterator[Flask]:
    made = create_app(Config(database=str(tmp_path / "matches.db")))
    yield made
    close_app(made)


def begin_match(app: Flask) -> None:
    setup = MatchStarted(
        rules="nca", format=Format.TWO, players=("Ann", "Bob"), colours=("red", "black")
    )
    services_of(app).scoreboard.begin(setup)


def test_a_shot_s_outcomes_are_shares_of_which_one_is_what_happened() -> None:
    own = disc("shooter", RED, (0.0, -150.0))
    event = from_json(shot_event(0, RED, own))
    assert isinstance(event, ShotEvent)
    outcomes = list_shot_outcomes(print, event, RULE_SETS[RuleSetName.NCA])
    assert outcomes is not None
    shares = [outcome["share"] for outcome in outcomes]
    assert shares == sorted(shares, reverse=True)
    assert 0.9 < sum(shares) <= 1.01
    (actual,) = [outcome for outcome in outcomes if outcome["is_actual"]]
    assert (actual["points"], actual["lost"], actual["is_foul"]) == (10, 0, False)


def test_whose_shot_it_is_follows_the_match_and_the_last_shot(app: Flask) -> None:
    begin_match(app)
    parts = services_of(app)
    assert find_board_to_play(parts.scoreboard.state) is None  # nothing has been seen yet
    parts.recorder.on_event(board_event())
    board = find_board_to_play(parts.scoreboard.state)
    assert board is not None
    assert (board.name, board.team, board.seat_deg, board.discs) == ("Ann", 0, -90.0, ())
    sunk = disc("a", RED, (0.0, 0.0), DiscState.IN_HOLE)
    parts.recorder.on_event(shot_event(0, RED, TARGET, sunk, before=[TARGET]))
    board = find_board_to_play(parts.scoreboard.state)
    assert board is not None
    assert (board.name, board.team, [disc.id for disc in board.discs]) == ("Bob", 1, ["b"])


class OneTaskWorker:
    """A worker that accepts a number of tasks, and runs none by itself."""

    def __init__(self, most: int) -> None:
        self.most, self.tasks = most, list[Task]()

    def submit_idle(self, job: Any, *arguments: Any) -> Task:
        if len(self.tasks) >= self.most:
            raise BusyError
        self.tasks.append(Task(job=job, arguments=arguments))
        return self.tasks[-1]

    def withdraw(self, task: Task) -> bool:
        self.tasks.remove(task)
        return True


def test_a_board_is_worked_out_once_and_an_older_one_not_begun() -> None:
    worker = OneTaskWorker(1)
    queue = PlayQueue(worker)  # type: ignore[arg-type]
    old, new = ("advice", 1, "old"), ("advice", 1, "new")
    first = queue.ask(old, print)
    assert queue.ask(old, print) is first
    assert queue.ask(new, print) is None  # too many tasks are waiting
    queue.drop_waiting(new)
    task = queue.ask(new, print)
    assert task is not None
    task.is_done, task.problem = True, "It fell."
    assert queue.ask(new, print) is task
    worker.tasks.clear()
    assert queue.ask(new, print) is not task


def test_the_rules_of_the_match_decide_what_could_be_played(app: Flask) -> None:
    setup = MatchStarted(
        rules="family", format=Format.TWO, players=("Ann", "Bob"), colours=("red", "black")
    )
    services_of(app).scoreboard.begin(setup)
    services_of(app).recorder.on_event(board_event())
    client, family = app.test_client(), RULE_SETS[RuleSetName.FAMILY]
    assert client.get("/referee/advice").json["status"] == "waiting"
    board = find_board_to_play(services_of(app).scoreboard.state)
    assert board is not None
    plays = job_services_of(app).plays
    task = plays.ask(("advice", 1, family, board.key), advise_board)
    assert task is not None
    assert task.arguments[-2:] == (family, "club")
    assert client.get("/referee/advice?rules=NCA").json["status"] == "waiting"
    nca = RULE_SETS[RuleSetName.NCA]
    task = plays.ask(("advice", (1, nca.name), nca, board.key), advise_board)
    assert task is not None
    assert task.arguments[-2:] == (nca, "club")
    refused = client.get("/referee/advice?rules=ncaa")
    assert refused.status_code == 400
    assert "did you mean nca?" in refused.json["error"]
    assert client.get("/referee/advice?skill=novice").json["status"] == "waiting"
    task = plays.ask(("advice", (1, "novice"), family, board.key), advise_board)
    assert task is not None
    assert task.arguments[-1] == "novice"
    refused = client.get("/referee/advice?skill=good")
    assert (refused.status_code, refused.json["error"]) == (
        400,
        "There is no skill level 'good'. Choose from novice, club, strong, champion.",
    )


def test_the_page_gets_the_shots_once_they_are_worked_out(app: Flask) -> None:
    client = app.test_client()
    assert client.get("/referee/advice").json == {
        "status": "nothing",
        "name": None,
        "discs": [],
        "shots": [],
    }
    parts = services_of(app)
    parts.recorder.on_event(shot_event(0, BLACK, TARGET, before=[TARGET]))
    told = client.get("/referee/advice").json
    assert (told["status"], told["name"]) == ("waiting", "red")
    board = find_board_to_play(parts.scoreboard.state)
    assert board is not None
    services = job_services_of(app)
    task = services.plays.ask(("advice", 1, RULE_SETS[RuleSetName.NCA], board.key), advise_board)
    assert task is not None
    assert services.worker.wait(task, 100)
    told = client.get("/referee/advice").json
    assert told["status"] == "done"
    shots = told["shots"]
    assert 0 < len(shots) <= 3
    assert shots[0]["p_foul"] < 0.1
    points = [shot["lead"] for shot in shots]
    assert points == sorted(points, reverse=True)
    start = shots[0]["path"][0]
    assert start[0] ** 2 + start[1] ** 2 == pytest.approx(304.8**2, rel=1e-3)
    assert client.get("/shots/none/outcomes").status_code == 404


@pytest.mark.parametrize("own_at", [(-250.0, 30.0), None], ids=["away", "ditch"])
def test_a_better_shot_is_named_only_where_the_choice_is_known(
    own_at: tuple[float, float] | None,
) -> None:
    """On an open board, a disc stopped far from the hole: a shot at the hole was better."""
    after = [] if own_at is None else [disc("shooter", RED, own_at)]
    event = from_json(shot_event(0, RED, *after))
    assert isinstance(event, ShotEvent)
    told = find_better_shot(print, event, ((4, 4), math.pi), RULE_SETS[RuleSetName.NCA])
    if own_at is None:
        assert (told["reason"], told["better"]) == ("in_ditch", None)
        return
    better = told["better"]
    assert isinstance(better, dict)
    assert better["lead"] > told["lead"] + 2
    assert better["path"][0][1] < -100


def test_the_discs_left_at_a_shot_are_those_of_its_match() -> None:
    setup, *shots = simulate_match(1)
    assert isinstance(shots[1], ShotPlayed)
    sighting = Sighting(what=SightingKind.SHOT, clip="clip-b")
    named = replace(shots[1], sighting=sighting)
    log = [setup, shots[0], named, *shots[2:]]
    assert find_round_ahead(log, "clip-b") == ((4, 3), math.pi)
    assert find_round_ahead(log, "clip-c") is None
