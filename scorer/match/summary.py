"""A match in a few figures for lists, small enough to be stored with its log."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass

from scorer.match.events import CameraSaw, Event, ShotPlayed
from scorer.match.scoring import Amounts
from scorer.match.state import MatchState
from scorer.rules.choices import Format
from scorer.value_readers import read_fields


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchSummary:
    """A match in a few figures.

    totals, winners   as in its state, by side
    rounds            number of rounds played; points and twenties are their sums by side
    has_seen_shots    whether a camera saw some of its shots
    """

    format: Format
    players: tuple[str, ...]
    sides: tuple[str, ...]
    totals: Amounts
    winners: tuple[int, ...]
    is_over: bool
    rounds: int
    points: Amounts
    twenties: Amounts
    has_seen_shots: bool


def summarise_match(log: Sequence[Event], state: MatchState) -> MatchSummary:
    """The summary of a match from its log and the state after it."""
    setup = state.setup
    sides = range(len(setup.sides))
    return MatchSummary(
        format=setup.format,
        players=setup.players,
        sides=setup.sides,
        totals=state.totals,
        winners=state.winners,
        is_over=state.is_over,
        rounds=len(state.rounds),
        points=tuple(sum(result.points[side] for result in state.rounds) for side in sides),
        twenties=tuple(sum(result.twenties[side] for result in state.rounds) for side in sides),
        has_seen_shots=any(
            isinstance(event, CameraSaw)
            or (isinstance(event, ShotPlayed) and event.seen is not None)
            for event in log
        ),
    )


def write_summary(summary: MatchSummary) -> str:
    """A summary as JSON, in ASCII."""
    return json.dumps(asdict(summary))


def read_summary(text: str) -> MatchSummary | None:
    """The summary written by ``write_summary``; None for any other text."""
    try:
        summary: MatchSummary = read_fields(MatchSummary, json.loads(text))
    except (ValueError, TypeError):
        return None
    return summary
