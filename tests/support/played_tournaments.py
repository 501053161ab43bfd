"""Tournaments for tests, with results drawn at random from the entries' strengths."""

from __future__ import annotations

import random
from collections.abc import Sequence

from scorer.tournament.events import (
    EntryAdded,
    MatchPlan,
    ResultReported,
    StageKind,
    StageStarted,
    TournamentEvent,
    TournamentStarted,
)
from scorer.tournament.fold import fold
from scorer.tournament.pairing import pair_next_round
from scorer.tournament.standings import CLUB_CRITERIA, order_criteria
from scorer.tournament.state import TournamentState

Log = tuple[TournamentEvent, ...]


def append_event(log: Log, event: TournamentEvent) -> Log:
    """The log with one more event. Raises ``TournamentError`` if it is impossible."""
    longer = (*log, event)
    fold(longer)
    return longer


def started(entries: int, *, boards: int = 4, rounds: int = 4) -> Log:
    """A tournament with a number of entries and no stage yet."""
    setup = TournamentStarted(
        name="Club night",
        boards=tuple(f"Board {k + 1}" for k in range(boards)),
        plan=MatchPlan(rounds=rounds),
    )
    return (setup, *(EntryAdded(players=(f"P{k + 1}",)) for k in range(entries)))


def with_stage(log: Log, kind: StageKind, entries: Sequence[int], **more: int) -> Log:
    """The log with a stage of these entries."""
    stage = StageStarted(
        kind=kind,
        name=kind.value,
        entries=tuple(entries),
        criteria=order_criteria(CLUB_CRITERIA, kind),
        **more,
    )
    return append_event(log, stage)


def play_round(log: Log, stage: int, rng: random.Random) -> Log:
    """The log with the stage's next round paired and played."""
    log = append_event(log, pair_next_round(fold(log), stage))
    state = fold(log)
    decisive = state.stages[stage].kind.is_knockout
    results = [
        random_result(state, number, rng, decisive=decisive) for number in state.open_matches
    ]
    return (*log, *results)


def random_result(
    state: TournamentState, number: int, rng: random.Random, *, decisive: bool = False
) -> ResultReported:
    """A random result of a match that the plan allows."""
    most = 2 * (state.plan.rounds or 1)
    first = rng.choice([k for k in range(most + 1) if not decisive or 2 * k != most])
    twenties = (rng.randrange(9), rng.randrange(9))
    return ResultReported(match=number, points=(first, most - first), twenties=twenties)
