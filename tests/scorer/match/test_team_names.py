"""The names of two pairs can be set, changed and removed."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from scorer.match.descriptions import describe_event
from scorer.match.events import (
    MatchError,
    MatchStarted,
    RoundScored,
    TeamsNamed,
    Undone,
    event_from_json,
    event_json,
)
from scorer.match.exchange.csv_file import match_as_csv, record_from_csv
from scorer.match.exchange.notation import match_as_cmn, records_from_cmn
from scorer.match.fold import fold
from scorer.match.summary import summarise_match
from scorer.rules.choices import Format

START = MatchStarted(rules="nca", format=Format.TEAMS, players=("Ann", "Bob", "Cid", "Dee"))
NAMED = replace(START, teams=("Owls", ""))
PAIRS = ("Ann & Cid", "Bob & Dee")


def test_a_match_without_names_is_written_and_read_as_before() -> None:
    assert "teams" not in event_json(START)
    assert event_from_json(event_json(START)) == START
    assert fold([START]).setup.sides == PAIRS


@pytest.mark.parametrize(
    ("log", "sides"),
    [
        pytest.param([NAMED], ("Owls", "Bob & Dee"), id="at-the-start"),
        pytest.param(
            [START, TeamsNamed(teams=("", " The  Hawks "))], ("Ann & Cid", "The Hawks"), id="later"
        ),
        pytest.param([NAMED, TeamsNamed(teams=("Hawks", "Owls"))], ("Hawks", "Owls"), id="changed"),
        pytest.param([NAMED, TeamsNamed(teams=("", ""))], PAIRS, id="taken-away"),
        pytest.param(
            [NAMED, TeamsNamed(teams=("Hawks", "")), Undone()], ("Owls", "Bob & Dee"), id="undone"
        ),
    ],
)
def test_names_stand_for_the_pairs(log: list, sides: tuple[str, ...]) -> None:
    assert fold(log).setup.sides == sides
    assert fold([event_from_json(event_json(event)) for event in log]).setup.sides == sides
    assert summarise_match(log, fold(log)).sides == sides


@pytest.mark.parametrize(
    ("start", "teams"),
    [
        pytest.param(START, ("Owls", "owls"), id="twice-the-same"),
        pytest.param(START, ("Bob & Dee", ""), id="the-other-pair's-players"),
        pytest.param(START, ("Owls",), id="one-of-two"),
        pytest.param(
            replace(START, format=Format.TWO, players=("Ann", "Bob")), ("Owls", ""), id="singles"
        ),
    ],
)
def test_impossible_names_are_refused(start: MatchStarted, teams: tuple[str, ...]) -> None:
    with pytest.raises(MatchError):
        fold([start, TeamsNamed(teams=teams)])
    with pytest.raises(MatchError):
        fold([replace(start, teams=teams)])


def test_the_log_says_who_was_named() -> None:
    setup = fold([START]).setup
    assert describe_event(setup, TeamsNamed(teams=("Owls", ""))) == "Team names: Owls"
    assert describe_event(setup, TeamsNamed()) == "Team names removed"


def test_exported_files_keep_the_names() -> None:
    scored = [
        RoundScored(points=(80, 0), twenties=(0, 0)),
        RoundScored(points=(60, 0), twenties=(0, 0)),
    ]
    log = [START, *scored, TeamsNamed(teams=("Owls", "Hawks"))]
    text = match_as_csv(log)
    assert ",Owls,80," in text
    assert fold(record_from_csv(text).log).setup.sides == ("Owls", "Hawks")
    cmn = json.loads(match_as_cmn(log, created="2026-01-01T20:00:00+00:00", version="1"))
    (record,) = records_from_cmn(cmn)
    assert fold(record.log).setup.sides == ("Owls", "Hawks")
