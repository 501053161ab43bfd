"""A tournament's file is read back as it was written, and any other file is refused."""

from __future__ import annotations

import json
import random

import pytest
from played_tournaments import play_round, started, with_stage

from scorer.match.events import MatchError
from scorer.tournament.events import StageKind, TournamentError
from scorer.tournament.tournament_file import read_file, write_log

LOG = play_round(with_stage(started(4), StageKind.SWISS, range(4), rounds=2), 0, random.Random(1))
TIMES = tuple(f"2026-05-01T19:{minute:02}:00.000+00:00" for minute in range(len(LOG)))


def test_a_tournament_comes_back_with_its_times() -> None:
    text = json.dumps({"log": write_log(LOG, TIMES)})
    log, times = read_file(text)
    assert tuple(log) == LOG
    assert times == TIMES


@pytest.mark.parametrize(
    "text",
    ["", "[]", "{}", '{"log": 3}', '{"log": [3]}', '{"log": []}', "[" * 100_000],
    ids=["empty", "list", "no log", "a number", "no events", "no setup", "nested"],
)
def test_a_file_without_a_tournament_is_refused(text: str) -> None:
    with pytest.raises(TournamentError):
        read_file(text)


def test_a_log_that_does_not_begin_with_a_setup_is_refused() -> None:
    with pytest.raises(TournamentError):
        read_file(json.dumps({"log": write_log(LOG[1:], TIMES[1:])}))


def test_an_event_without_a_time_is_refused() -> None:
    first, *rest = write_log(LOG, TIMES)
    with pytest.raises(MatchError):
        read_file(json.dumps({"log": [{**first, "recorded": "soon"}, *rest]}))
