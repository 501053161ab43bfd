"""Swiss tournaments played by the program, and judged independently of it.

``python tests/support/simulated_swiss.py --count 1000`` plays that number of tournaments with every
preset; some players come late, leave or sit out a round. It counts the rounds with a rematch, a
second bye, or no meeting of unbeaten players although another pairing would have avoided it; and
the tables that differ from those computed here from the results. Exit code 1 if there are any.
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import combinations

from scorer.tournament.events import (
    EntryAdded,
    EntryWithdrawn,
    MatchPlan,
    ResultReported,
    RoundSatOut,
    StageKind,
    StageStarted,
    TournamentEvent,
    TournamentStarted,
)
from scorer.tournament.fold import apply_events
from scorer.tournament.pairing import pair_next_round
from scorer.tournament.standings import (
    CLUB_CRITERIA,
    NCA_CRITERIA,
    order_criteria,
    rank_entries,
)
from scorer.tournament.state import TournamentState

CRITERIA = {"club": CLUB_CRITERIA, "nca": NCA_CRITERIA}
#: Lengths of a match, with the value of a bye by the guide: three quarters, rounded up.
PLANS = {
    "4 rounds": (MatchPlan(rounds=4), 6),
    "8 rounds": (MatchPlan(rounds=8), 12),
    "1 round": (MatchPlan(rounds=1), 2),
    "first to 8": (MatchPlan(rounds=None, points=8), 6),
    "first to 100": (MatchPlan(rounds=None, points=100), 75),
}
BYE = -1


@dataclass(slots=True)
class Counts:
    """Counts that must be 0, except the number of judged rounds."""

    tournaments: int = 0
    rounds: int = 0
    with_unbeaten: int = 0
    rematches: int = 0
    second_byes: int = 0
    unbeaten_apart: int = 0
    wrong_tables: int = 0

    @property
    def faults(self) -> int:
        """The sum of all counts that must be 0."""
        return self.rematches + self.second_byes + self.unbeaten_apart + self.wrong_tables


@dataclass(slots=True)
class Ledger:
    """An independent record of the matches: (first, second, points, 20s)."""

    played: list[tuple[int, int, tuple[int, int], tuple[int, int]]] = field(default_factory=list)
    free: list[tuple[int, int]] = field(default_factory=list)
    won_unplayed: list[tuple[int, int, int]] = field(default_factory=list)

    def met(self) -> set[frozenset[int]]:
        """Pairs that have been paired."""
        both = [(first, second) for first, second, *_ in (*self.played, *self.won_unplayed)]
        return {frozenset(pair) for pair in both}

    def had_bye(self) -> set[int]:
        """Players who had a bye."""
        return {entry for entry, _ in self.free} | {winner for winner, *_ in self.won_unplayed}

    def rows(self, entry: int) -> list[tuple[int | None, int, int, int, bool]]:
        """An entry's matches: the opponent, own points, the opponent's, own 20s, and whether it was
        played.
        """
        rows: list[tuple[int | None, int, int, int, bool]] = []
        for first, second, points, twenties in self.played:
            if entry == first:
                rows.append((second, points[0], points[1], twenties[0], True))
            if entry == second:
                rows.append((first, points[1], points[0], twenties[1], True))
        for winner, loser, points in self.won_unplayed:
            if entry == winner:
                rows.append((loser, points, 0, 0, False))
            if entry == loser:
                rows.append((winner, 0, points, 0, False))
        rows += [(None, points, 0, 0, False) for who, points in self.free if who == entry]
        return rows


def simulate(rng: random.Random, preset: str, counts: Counts) -> None:
    """Play one tournament, and judge every pairing and every table."""
    plan, bye = PLANS[rng.choice(list(PLANS))]
    size, rounds = rng.randint(4, 18), rng.randint(3, 6)
    setup = TournamentStarted(name="Swiss", boards=("Board 1", "Board 2", "Board 3"), plan=plan)
    stage = StageStarted(
        kind=StageKind.SWISS,
        name="Swiss",
        entries=tuple(range(size)),
        rounds=rounds,
        criteria=order_criteria(CRITERIA[preset], StageKind.SWISS),
    )
    added = [EntryAdded(players=(f"P{k}",)) for k in range(size)]
    state = apply_events(TournamentState(setup=setup), [*added, stage])
    ledger, gone, since = Ledger(), set[int](), dict.fromkeys(range(size), 0)
    for number in range(rounds):
        resting: set[int] = set()
        if number and rng.random() < 0.3:
            event, who = _change(rng, state, gone, resting)
            since |= {who: number} if isinstance(event, EntryAdded) else {}
            state = apply_events(state, [event])
        playing = [k for k in range(len(state.entries)) if k not in gone | resting]
        if len(playing) < 2:
            break
        paired = pair_next_round(state, 0)
        pairs = [(p.first, BYE if p.second is None else p.second) for p in paired.pairings]
        _judge(pairs, playing, ledger, number, counts)
        state = _play(rng, apply_events(state, [paired]), ledger, bye, gone)
        told = {row.entry: row.rank for row in rank_entries(state, 0)}
        counts.wrong_tables += told != rank(ledger, list(told), preset)
    counts.tournaments += 1


def _change(
    rng: random.Random, state: TournamentState, gone: set[int], resting: set[int]
) -> tuple[TournamentEvent, int]:
    """A player comes late, leaves, or sits out the round."""
    here = [k for k in range(len(state.entries)) if k not in gone]
    who = rng.choice(here)
    kind = rng.choice(("late", "leave", "rest") if len(here) > 3 else ("late",))
    if kind == "late":
        return EntryAdded(players=(f"L{len(state.entries)}",), stage=0), len(state.entries)
    if kind == "leave":
        gone.add(who)
        return EntryWithdrawn(entry=who), who
    resting.add(who)
    return RoundSatOut(entry=who), who


def _play(
    rng: random.Random, state: TournamentState, ledger: Ledger, bye: int, gone: set[int]
) -> TournamentState:
    """Report results of all open matches, in random order; a player may leave instead."""
    for match in state.matches:
        if match.is_bye and match.round == state.stages[0].paired - 1:
            ledger.free.append((match.first, bye))
    for number in state.open_matches:
        match = state.matches[number]
        assert match.second is not None
        first, second = match.first, match.second
        if rng.random() < 0.01 and len(state.entries) - len(gone) > 4:
            state = apply_events(state, [EntryWithdrawn(entry=first)])
            gone.add(first)
            ledger.won_unplayed.append((second, first, bye))
            continue
        points = _draw(rng, state.plan, second - first)
        twenties = (rng.randrange(9), rng.randrange(9))
        event = ResultReported(match=number, points=points, twenties=twenties)
        state = apply_events(state, [event])
        ledger.played.append((first, second, points, twenties))
    return state


def _draw(rng: random.Random, plan: MatchPlan, lead: int) -> tuple[int, int]:
    """A random result that the plan allows; lower numbers are stronger players."""
    if plan.points is not None:
        loser = rng.randrange(plan.points)
        first_wins = rng.gauss(lead, 6) > 0
        return (plan.points, loser) if first_wins else (loser, plan.points)
    most = 2 * (plan.rounds or 1)
    first = min(most, max(0, round(most / 2 + rng.gauss(lead / 8, 1) * most / 5)))
    return first, most - first


def _judge(
    pairs: list[tuple[int, int]], playing: list[int], ledger: Ledger, number: int, counts: Counts
) -> None:
    """Count the faults that another pairing would have avoided."""
    met, had_bye = ledger.met(), ledger.had_bye()
    counts.rounds += 1
    assert sorted(k for pair in pairs for k in pair if k != BYE) == sorted(playing)
    forbidden = met | {frozenset((k, BYE)) for k in had_bye}
    everybody = [*playing, BYE] if len(playing) % 2 else playing
    if not can_pair(everybody, forbidden):
        return
    counts.rematches += sum(BYE not in p and frozenset(p) in met for p in pairs)
    counts.second_byes += sum(BYE in p and frozenset(p) in forbidden for p in pairs)
    for may_draw in (False, True):
        unbeaten = [k for k in playing if number and _is_unbeaten(ledger, k, number, may_draw)]
        could = [
            pair
            for pair in combinations(unbeaten, 2)
            if frozenset(pair) not in met
            and can_pair([k for k in everybody if k not in pair], forbidden)
        ]
        counts.with_unbeaten += bool(could)
        counts.unbeaten_apart += bool(could) and not any(set(p) <= set(unbeaten) for p in pairs)


def _is_unbeaten(ledger: Ledger, entry: int, rounds: int, may_draw: bool) -> bool:
    rows = ledger.rows(entry)
    lost = sum(own < others or (own == others and not may_draw) for _, own, others, *_ in rows)
    return len(rows) == rounds and not lost


def can_pair(entries: Sequence[int], forbidden: Iterable[frozenset[int]]) -> bool:
    """Whether all can be paired without a forbidden pair, by trial, the hardest first."""
    banned = set(forbidden)
    choices = {
        k: {j for j in entries if j != k and frozenset((j, k)) not in banned} for k in entries
    }

    def search(left: frozenset[int]) -> bool:
        if not left:
            return True
        hardest = min(left, key=lambda k: len(choices[k] & left))
        return any(search(left - {hardest, other}) for other in choices[hardest] & left)

    return search(frozenset(entries))


def rank(ledger: Ledger, entries: Sequence[int], preset: str) -> dict[int, int]:
    """Ranks computed only from the ledger; head to head comes last, in a league of the tied
    entries.
    """
    points = {k: sum(row[1] for row in ledger.rows(k)) for k in entries}
    twenties = {k: sum(row[3] for row in ledger.rows(k)) for k in entries}
    wins = {
        k: sum(2 if own > others else own == others for _, own, others, *_ in ledger.rows(k))
        for k in entries
    }
    opponents = {
        k: sum(points[row[0]] for row in ledger.rows(k) if row[4] and row[0] is not None)
        for k in entries
    }
    if preset == "club":
        keys = {k: (wins[k], twenties[k], points[k], opponents[k]) for k in entries}
    else:
        keys = {k: (points[k], twenties[k], opponents[k]) for k in entries}
    order: list[list[int]] = []
    for key in sorted(set(keys.values()), reverse=True):
        order += _league(ledger, [k for k in entries if keys[k] == key])
    ranks, above = {}, 0
    for level in order:
        ranks |= dict.fromkeys(level, above + 1)
        above += len(level)
    return ranks


def _league(ledger: Ledger, level: list[int]) -> list[list[int]]:
    """Tied entries by their wins against each other if all have met, best first."""
    met = ledger.met()
    if len(level) < 2 or any(frozenset(pair) not in met for pair in combinations(level, 2)):
        return [level]
    wins = {
        k: sum(
            2 if own > others else own == others
            for other, own, others, *_ in ledger.rows(k)
            if other in level
        )
        for k in level
    }
    groups = [[k for k in level if wins[k] == w] for w in sorted(set(wins.values()), reverse=True)]
    if len(groups) == 1:
        return groups
    return [part for group in groups for part in _league(ledger, group)]


def main() -> int:
    """Play the tournaments, and print the counts of each preset."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    faults = 0
    for preset in CRITERIA:
        counts, rng = Counts(), random.Random(options.seed)
        for _ in range(options.count):
            simulate(rng, preset, counts)
        print(preset, counts, flush=True)
        faults += counts.faults
    return min(1, faults)


if __name__ == "__main__":
    raise SystemExit(main())
