"""A season of several evenings, compared with an independent sum of its matches."""

from __future__ import annotations

import random
from collections import Counter

from played_tournaments import append_event, play_round, random_result, with_stage

from scorer.tournament.events import EntryAdded, StageKind, StageStarted, TournamentStarted
from scorer.tournament.fold import fold
from scorer.tournament.pairing import pair_next_round
from scorer.tournament.ratings import rate_players
from scorer.tournament.season import build_season
from scorer.tournament.standings import rank_overall
from scorer.tournament.state import TournamentState


def _evening(rng: random.Random, number: int) -> TournamentState:
    """A Swiss of three rounds with finals of four; on some evenings a player is missing."""
    names = [name for k, name in enumerate("ABCDEFGH") if (k + number) % 5]
    if number % 2:
        names = [name.lower() for name in names]
    setup = TournamentStarted(name=f"Evening {number}", boards=("1", "2"))
    log = (setup, *(EntryAdded(players=(name,)) for name in names))
    log = with_stage(log, StageKind.SWISS, range(len(names)), rounds=3)
    for _ in range(3):
        log = play_round(log, 0, rng)
    best = tuple(entry for entry, _ in rank_overall(fold(log))[:4])
    kind = StageKind.SINGLE_KNOCKOUT
    final = StageStarted(kind=kind, name="Finals", entries=best, third_place=True)
    log = append_event(log, final)
    for _ in range(2):
        log = append_event(log, pair_next_round(fold(log), 1))
        for match in fold(log).open_matches:
            log = append_event(log, random_result(fold(log), match, rng, decisive=True))
    return fold(log)


def test_eight_evenings_make_a_table_with_ratings() -> None:
    rng = random.Random(8)
    states = [_evening(rng, number) for number in range(8)]
    points: Counter[str] = Counter()
    wins: Counter[str] = Counter()
    twenties: Counter[str] = Counter()
    for state in states:
        order = [(state.entries[entry].name.upper(), rank) for entry, rank in rank_overall(state)]
        for name, rank in order:
            points[name] += sum(other >= rank for _, other in order) if rank > 0 else 0
        for match in state.matches:
            if match.second is None or match.result is None:
                continue
            names = [state.entries[entry].name.upper() for entry in match.entries]
            for k, name in enumerate(names):
                twenties[name] += match.result.twenties[k]
                wins[name] += match.result.points[k] > match.result.points[1 - k]
    rows = build_season(states)
    assert {row.player.upper(): row.points for row in rows} == points
    assert {row.player.upper(): row.wins for row in rows} == wins
    assert {row.player.upper(): row.twenties for row in rows} == twenties
    assert [row.points for row in rows] == sorted(points.values(), reverse=True)
    final = {row.player.casefold(): row for row in rate_players(states)}
    late = [row for row in rows if row.evenings[-1].evening == 7]
    assert late
    assert all(row.rating == final[row.player.casefold()] for row in late)
    assert all(row.best == min(evening.rank for evening in row.evenings) for row in rows)
