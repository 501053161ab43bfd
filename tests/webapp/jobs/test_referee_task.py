"""The referee's task: by the rules of the current match, on the chosen board."""

from __future__ import annotations

from collections.abc import Iterator
from multiprocessing.connection import Connection
from pathlib import Path

import pytest

from scorer.match.events import MatchError, MatchStarted, RoundScored
from scorer.rules.choices import Format
from scorer.rules.sets import rule_set
from webapp.config import Config
from webapp.factory import create_app
from webapp.jobs import job_services
from webapp.jobs.referee_task import apply_match_rules, make_task
from webapp.live.referee_process import RefereeTask
from webapp.live.supervisor import RefereeSupervisor
from webapp.services import Services, services_of


@pytest.fixture
def parts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Services]:
    monkeypatch.setattr("webapp.live.supervisor._END_S", 0.3)  # the work never ends by itself
    app = create_app(Config(database=str(tmp_path / "m.db"), rules="mayday"))
    yield services_of(app)
    services_of(app).supervisor.stop()
    job_services.close(app)


def begin(parts: Services, rules: str = "nca", **options: object) -> int:
    return parts.scoreboard.begin(
        MatchStarted(
            rules=rules,
            format=Format.TWO,
            players=("Ann", "Bob"),
            options=tuple(options.items()),
        )
    )


def test_rules_are_the_servers_without_a_match(parts: Services) -> None:
    assert make_task(parts, parts.boards.first(), "0").rules == rule_set("mayday")


def test_rules_are_the_matchs_with_its_house_rules(parts: Services) -> None:
    number = begin(parts, "nca", game_points=50)
    assert make_task(parts, parts.boards.first(), "0").rules == rule_set("nca", {"game_points": 50})
    parts.scoreboard.append(number, RoundScored(points=(60, 0), twenties=(0, 0)))
    assert make_task(parts, parts.boards.first(), "0").rules == rule_set("mayday")


def test_board_is_the_chosen_one_and_else_the_servers(parts: Services) -> None:
    assert make_task(parts, parts.boards.first(), None).profile is None
    assert make_task(parts, parts.boards.first(), None, Path("club.json")).profile == Path(
        "club.json"
    )


def waits(_task: RefereeTask, pipe: Connection) -> None:
    pipe.poll(None)


@pytest.mark.parametrize(("source", "rules"), [("0", "cogitate"), ("clip.mp4", "mayday")])
def test_referee_of_a_camera_goes_by_the_rules_of_a_match_that_begins(
    parts: Services, source: str, rules: str
) -> None:
    runtime = RefereeSupervisor(parts.recorder, work=waits)
    object.__setattr__(parts.boards.first(), "supervisor", runtime)
    runtime.start(make_task(parts, parts.boards.first(), source))
    begin(parts, "cogitate")
    apply_match_rules(parts, parts.boards.first())
    assert runtime.task is not None
    assert runtime.task.rules == rule_set(rules)
    assert runtime.is_running


def test_a_server_that_referees_as_many_boards_as_it_can_sends_others_to_workers(
    parts: Services, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("webapp.jobs.referee_task.MOST_CAMERAS", 1)
    parts.boards.add_board("")
    first, second = parts.boards.all()
    runtime = RefereeSupervisor(parts.recorder, work=waits)
    object.__setattr__(first, "supervisor", runtime)
    runtime.start(make_task(parts, first, "0"))
    with pytest.raises(MatchError, match="--workers"):
        make_task(parts, second, "1")
    assert make_task(parts, first, "1").source == "1"  # its own match may change the rules
