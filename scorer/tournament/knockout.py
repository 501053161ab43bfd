"""Knock-outs: a bracket by strength, and double elimination.

In a bracket the strongest meet last, and they get the byes if the number of entries is not a power
of two. In double elimination, unbeaten entries are paired with each other every round, and so are
entries with one loss. Finally the remaining two meet; the unbeaten one has to lose twice.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from scorer.tournament.state import (
    TournamentState,
    count_losses,
    entries_alive,
)
from scorer.tournament.swiss import pair_swiss

#: Two entries that play each other, or an entry that has a bye.
MaybePair = tuple[int, int | None]


def pair_first_round(seeds: Sequence[int]) -> tuple[MaybePair, ...]:
    """The first round of a bracket, in the bracket's order, strongest entry first."""
    if len(seeds) < 2:
        return ()
    order = [0]
    while len(order) < len(seeds):
        # In the larger bracket, the seeds of two opponents always add up to the same number.
        order = [place for index in order for place in (index, 2 * len(order) - 1 - index)]
    places = zip(order[::2], order[1::2], strict=True)
    return tuple((seeds[a], seeds[b] if b < len(seeds) else None) for a, b in places)


def pair_knockout(state: TournamentState, stage: int) -> tuple[MaybePair, ...]:
    """The next round of a single knock-out: the winners of neighbouring matches."""
    played = state.stages[stage]
    seeds = [entry for entry in played.entries if not state.entries[entry].has_left]
    if not played.paired:
        return pair_first_round(seeds)
    last = [match for match in state.matches_of_stage(stage) if match.round == played.paired - 1]
    left = [match.winner for match in last if match.winner in seeds]
    losers = (match.loser for match in last)
    beaten = [entry for entry in losers if entry is not None and entry in seeds]
    byes: list[MaybePair] = []
    if len(left) % 2:  # an entry that won and then left
        best = min(left, key=seeds.index)
        left.remove(best)
        byes.append((best, None))
    for_third = [(beaten[0], beaten[1])] if len(left) == len(beaten) == 2 else []
    pairs = zip(left[::2], left[1::2], strict=True)
    return (*byes, *pairs, *(for_third if played.has_third_place else ()))


def pair_double_knockout(state: TournamentState, stage: int) -> tuple[MaybePair, ...]:
    """The next round of double elimination."""
    alive = entries_alive(state, stage)
    lost = count_losses(state, stage)
    unbeaten = [entry for entry in alive if lost[entry] == 0]
    beaten = [entry for entry in alive if lost[entry] == 1]
    if len(alive) == 2:
        return ((alive[0], alive[1]),)
    return (*_pair_group(state, stage, unbeaten), *_pair_group(state, stage, beaten))


def _pair_group(state: TournamentState, stage: int, group: Sequence[int]) -> list[MaybePair]:
    """Pairings of entries with equally many losses, without rematches if possible."""
    if not group:
        return []
    matches = state.matches_of_stage(stage)
    met = Counter(frozenset(match.entries) for match in matches if not match.is_bye)
    byes = Counter(match.first for match in matches if match.is_bye)
    strongest_last = group[::-1]  # so that the strongest gets the bye
    pairs, bye = pair_swiss(strongest_last, dict.fromkeys(group, 0), met, byes)
    return [*pairs[::-1], *([(bye, None)] if bye is not None else [])]
