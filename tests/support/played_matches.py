"""Matches made from events, and logs that must be refused."""

from __future__ import annotations

from typing import Any

import pytest

from scorer.match.events import DiscInZone, Event, MatchError, MatchStarted, RoundScored, ShotPlayed
from scorer.match.fold import enter_event, fold
from scorer.match.state import MatchState
from scorer.rules.choices import Format

PEOPLE = ("Ann", "Bob", "Cid", "Dee")
COUNT = {"two": 2, "two-v-one": 3, "three-sets": 3, "teams": 4, "four-alone": 4}


def start(rules: str = "nca", format_: str = "two", *, games: int = 1, **options: Any) -> Event:
    """The setup of a match, with as many of ``PEOPLE`` as the format needs."""
    return MatchStarted(
        rules=rules,
        format=Format(format_),  # type: ignore[call-arg]
        players=PEOPLE[: COUNT[format_]],
        options=tuple(options.items()),
        games=games,
    )


def scored(*points: int, twenties: tuple[int, ...] | None = None) -> RoundScored:
    """A round's score, entered by hand."""
    return RoundScored(points=points, twenties=twenties)


def played(*events: Event, rules: str = "nca", **options: Any) -> MatchState:
    """The state of a two-player match after the given events."""
    return fold([start(rules, **options), *events])


def shot(player: int, *board: DiscInZone, twenties: tuple[int, ...] = (0, 0)) -> ShotPlayed:
    """A legal shot after which the given board remains."""
    return ShotPlayed(player=player, verdict="legal", board=board, twenties=twenties)


def shots(log: list[Event], count: int) -> list[Event]:
    """The log with a number of further shots that leave no disc, by the players in turn."""
    for _ in range(count):
        state = fold(log)
        assert state.turn is not None
        log = [*log, shot(state.turn, twenties=(0,) * len(state.setup.sides))]
    return log


def refused(words: str, *log: Event) -> None:
    """Assert that the last event of a log is refused with one sentence that contains the given
    words.
    """
    with pytest.raises(MatchError, match=words) as error:
        enter_event(log[:-1], log[-1])
    assert str(error.value).endswith(".")
    assert "\n" not in str(error.value)
