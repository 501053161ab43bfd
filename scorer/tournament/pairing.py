"""Pairs the next round of a stage by its system, and assigns boards."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from functools import lru_cache

from calibration.phrase import Phrase, term
from scorer.tournament.boards import assign_boards
from scorer.tournament.events import Pairing, RoundPaired, StageKind, TournamentError
from scorer.tournament.fold import check_round_finished
from scorer.tournament.knockout import MaybePair, pair_double_knockout, pair_knockout
from scorer.tournament.ladder import order_ladder, pair_ladder
from scorer.tournament.round_robin import pair_round_robin, pair_unmet
from scorer.tournament.standings import rank_entries, score_entries
from scorer.tournament.state import TournamentState, find_unmet
from scorer.tournament.swiss import Record, pair_swiss


def pair_next_round(state: TournamentState, stage: int) -> RoundPaired:
    """The event that pairs a stage's next round.

    Raises ``TournamentError`` if results are missing, the stage is over, or nobody is left to play.
    """
    check_round_finished(state, stage)
    pairs = _PAIRERS[state.stages[stage].kind](state, stage)
    playing = [pair for pair in pairs if pair[1] is not None]
    if not playing:
        raise TournamentError(
            Phrase(
                "Too few players are left in %(name)s to continue.",
                name=term(state.stages[stage].name),
            )
        )
    boards = assign_boards(state, [(a, b) for a, b in playing if b is not None])
    board_of = dict(zip(playing, boards, strict=True))
    return RoundPaired(
        stage=stage,
        pairings=tuple(Pairing(first=a, second=b, board=board_of.get((a, b))) for a, b in pairs),
    )


@lru_cache(maxsize=8)
def foresee_round(state: TournamentState, stage: int) -> tuple[MaybePair, ...]:
    """The next round's pairings as things stand; empty if not yet known."""
    played = state.stages[stage]
    is_open = any(state.matches[number].stage == stage for number in state.open_matches)
    is_known = played.kind is StageKind.ROUND_ROBIN or not is_open
    if not is_known or state.is_stage_over(stage):
        return ()
    return _PAIRERS[played.kind](state, stage)


def _pair_round_robin(state: TournamentState, stage: int) -> tuple[MaybePair, ...]:
    played, unmet = state.stages[stage], find_unmet(state, stage)
    planned = () if played.is_irregular else _pair_by_plan(state, stage)
    playing = [pair for pair in planned if pair[1] is not None]
    if playing and all(frozenset(pair) in unmet for pair in playing):
        return planned
    return pair_unmet(
        pair
        for pair in unmet
        if not any(state.entries[entry].rests or state.entries[entry].has_left for entry in pair)
    )


def _pair_by_plan(state: TournamentState, stage: int) -> tuple[MaybePair, ...]:
    """The round by the circle method; an entry whose opponent left has a bye or nothing."""
    played = state.stages[stage]
    result: list[MaybePair] = []
    for group in played.groups:
        if played.paired >= len(group) - 1 + len(group) % 2:
            continue  # all entries of a smaller group have already met
        pairs, bye = pair_round_robin(group, played.paired)
        for a, b in pairs:
            if state.entries[a].is_settled or state.entries[b].is_settled:
                continue
            here = [entry for entry in (a, b) if not state.entries[entry].has_left]
            if here:
                result.append((here[0], here[1] if len(here) > 1 else None))
        if bye is not None and not state.entries[bye].has_left:
            result.append((bye, None))
    return tuple(result)


def _pair_swiss(state: TournamentState, stage: int) -> tuple[MaybePair, ...]:
    ranked = [entry.entry for entry in rank_entries(state, stage) if _plays(state, entry.entry)]
    if len(ranked) < 2:
        return ()
    matches = state.matches_of_stage(stage)
    met = Counter(frozenset(match.entries) for match in matches if not match.is_bye)
    byes = Counter(
        match.winner
        for match in matches
        if match.winner is not None and match.result is not None and match.result.is_walkover
    )
    pairs, bye = pair_swiss(
        ranked, score_entries(state, stage), met, byes, _rate_records(state, stage)
    )
    return (*pairs, (bye, None)) if bye is not None else pairs


def _rate_records(state: TournamentState, stage: int) -> dict[int, Record]:
    """The entries that have won all matches and those that have lost none, among those that were in
    every round.
    """
    records = {}
    for entry in state.stages[stage].entries:
        matches = [match for match in state.matches_of_stage(stage) if entry in match.entries]
        if len(matches) < state.stages[stage].paired:
            continue
        if all(match.winner == entry for match in matches):
            records[entry] = Record.ALL_WON
        elif all(match.winner in (entry, None) for match in matches):
            records[entry] = Record.NONE_LOST
    return records


def _pair_ladder(state: TournamentState, stage: int) -> tuple[MaybePair, ...]:
    order = [entry for entry in order_ladder(state, stage) if _plays(state, entry)]
    return pair_ladder(tuple(order), state.stages[stage].paired)


def _plays(state: TournamentState, entry: int) -> bool:
    return not (state.entries[entry].has_left or state.entries[entry].rests)


_PAIRERS: dict[StageKind, Callable[[TournamentState, int], tuple[MaybePair, ...]]] = {
    StageKind.ROUND_ROBIN: _pair_round_robin,
    StageKind.SWISS: _pair_swiss,
    StageKind.SINGLE_KNOCKOUT: pair_knockout,
    StageKind.DOUBLE_KNOCKOUT: pair_double_knockout,
    StageKind.LADDER: _pair_ladder,
}
