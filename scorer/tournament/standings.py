"""The standings of a stage, with the criteria that decided the ranks.

Entries tied in one criterion are separated by the next. Entries tied in all criteria share a rank
and need a shoot-out. Head to head counts only among the tied entries (as a small league), and only
if all of them have met.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from scorer.tournament.events import Criterion, StageKind
from scorer.tournament.ladder import order_ladder
from scorer.tournament.state import TournamentMatch, TournamentState

#: The ranking criteria of clubs and of the national association; organisers may choose another
#: order.
CLUB_CRITERIA = (
    Criterion.WINS,
    Criterion.HEAD_TO_HEAD,
    Criterion.TWENTIES,
    Criterion.POINTS,
    Criterion.BUCHHOLZ,
    Criterion.SHOOTOUT,
)
NCA_CRITERIA = (
    Criterion.POINTS,
    Criterion.HEAD_TO_HEAD,
    Criterion.TWENTIES,
    Criterion.BUCHHOLZ,
    Criterion.SHOOTOUT,
)


#: Criteria that give each entry a value independent of the others.
_SCORES = (Criterion.WINS, Criterion.POINTS, Criterion.TWENTIES)


def order_criteria(criteria: Sequence[Criterion], kind: StageKind) -> tuple[Criterion, ...]:
    """The default order of criteria for a kind of stage. In a Swiss few entries have met, so head
    to head comes late.
    """
    if kind is not StageKind.SWISS or Criterion.HEAD_TO_HEAD not in criteria:
        return tuple(criteria)
    others = [criterion for criterion in criteria if criterion is not Criterion.HEAD_TO_HEAD]
    last = others.index(Criterion.SHOOTOUT) if Criterion.SHOOTOUT in others else len(others)
    return (*others[:last], Criterion.HEAD_TO_HEAD, *others[last:])


@dataclass(frozen=True, slots=True, kw_only=True)
class RankedEntry:
    """An entry's place in a stage.

    rank        from 1 on; shared by entries that are tied in all criteria
    decided_by  the criterion that puts it below the previous entry; None for the first, and for
                ties
    is_tied     whether another entry has the same rank
    """

    entry: int
    rank: int
    decided_by: Criterion | None
    is_tied: bool
    played: int
    wins: int
    draws: int
    points: int
    twenties: int
    buchholz: int


@dataclass(frozen=True, slots=True, kw_only=True)
class _Table:
    """The finished matches of a stage, and the shoot-outs that were played."""

    matches: tuple[TournamentMatch, ...]
    shootouts: tuple[tuple[tuple[int, ...], tuple[int, ...]], ...]

    def of(self, entry: int) -> list[TournamentMatch]:
        return [match for match in self.matches if entry in match.entries]

    def doubled_wins(self, entry: int) -> int:
        """2 for every win and 1 for every tied match."""
        return sum(_doubled_win(match, entry) for match in self.of(entry))

    def points(self, entry: int) -> int:
        return sum(match.points_of(entry) for match in self.of(entry))

    def twenties(self, entry: int) -> int:
        return sum(match.twenties_of(entry) for match in self.of(entry))

    def buchholz(self, entry: int) -> int:
        """Match points of all opponents (Buchholz 1932); a bye and a walkover add nothing."""
        return sum(
            self.points(opponent)
            for match in self.of(entry)
            if (opponent := match.opponent_of(entry)) is not None
            and not (match.result and match.result.is_walkover)
        )


def score_entries(state: TournamentState, stage: int) -> dict[int, int]:
    """The entries' values of the stage's first criterion, by which a Swiss pairs."""
    chosen = (criterion for criterion in state.stages[stage].criteria if criterion in _SCORES)
    table, members = _make_table(state, stage), list(state.stages[stage].entries)
    return _MEASURES[next(chosen, Criterion.POINTS)](table, members)


def rank_entries(
    state: TournamentState, stage: int, group: int | None = None
) -> tuple[RankedEntry, ...]:
    """The entries of a stage, or of one group of it, best first.

    A knock-out is ranked by the round of elimination, a ladder by its places. Disqualified entries,
    and leavers whose matches are annulled, come last.
    """
    played = state.stages[stage]
    members = played.entries if group is None else played.groups[group]
    table = _make_table(state, stage)
    out = [member for member in members if _is_out(state, stage, member)]
    allowed = [member for member in members if member not in out]
    tiers = _tier_entries(state, stage, table, allowed)
    tiers += [([member], None) for member in out]
    ranked: list[RankedEntry] = []
    for tied, reason in tiers:
        rank = len(ranked) + 1
        for k, entry in enumerate(tied):
            decided_by = reason if k == 0 else None
            ranked.append(_rank_entry(table, entry, rank, decided_by, is_tied=len(tied) > 1))
    return tuple(ranked)


#: Entries that are tied, and the criterion that puts them below the previous ones.
_Tier = tuple[list[int], Criterion | None]


def _tier_entries(
    state: TournamentState, stage: int, table: _Table, members: list[int]
) -> list[_Tier]:
    kind = state.stages[stage].kind
    if kind is StageKind.LADDER:
        order = order_ladder(state, stage)
        return [([index], None) for index in order if index in members]
    if kind.is_knockout:
        is_single = kind is StageKind.SINGLE_KNOCKOUT
        depth = {member: _last_round(table, member, is_single=is_single) for member in members}
        return _split_by(depth, members, Criterion.WINS)
    return _split_tied(table, members, state.stages[stage].criteria)


def _last_round(table: _Table, entry: int, *, is_single: bool) -> int:
    """Twice the round in which an entry was knocked out, or last played.

    Plus one if it won that round, or, in a single knock-out, the match for third place.
    """
    matches = sorted(table.of(entry), key=lambda match: match.round)
    if not matches:
        return -1
    lost = [match for match in matches if match.winner != entry]
    last = lost[0] if is_single and lost else matches[-1]
    return 2 * last.round + (last.winner == entry or matches[-1].winner == entry)


def _split_tied(table: _Table, tied: list[int], criteria: Sequence[Criterion]) -> list[_Tier]:
    """Entries that are tied so far, separated by one criterion after another."""
    if len(tied) < 2 or not criteria:
        return [(tied, None)]
    criterion, *rest = criteria
    values = _MEASURES[criterion](table, tied)
    tiers = _split_by(values, tied, criterion)
    # Entries that are still tied after their own league form a smaller league.
    again = criterion is Criterion.HEAD_TO_HEAD and len(tiers) > 1
    result: list[_Tier] = []
    for group, reason in tiers:
        inner = _split_tied(table, group, criteria if again else rest)
        result.append((inner[0][0], reason))
        result += inner[1:]
    return result


def _split_by(values: Mapping[int, int], tied: list[int], criterion: Criterion) -> list[_Tier]:
    """The entries grouped by value, highest first."""
    return [
        ([entry for entry in tied if values[entry] == value], criterion if k else None)
        for k, value in enumerate(sorted({values[entry] for entry in tied}, reverse=True))
    ]


def _measure_head_to_head(table: _Table, tied: list[int]) -> dict[int, int]:
    """Doubled wins among the tied entries; all 0 if not all of them have met."""
    among = [
        match for match in table.matches if not match.is_bye and set(match.entries) <= set(tied)
    ]
    met = {frozenset(match.entries) for match in among}
    if len(met) < len(tied) * (len(tied) - 1) // 2:
        return dict.fromkeys(tied, 0)
    return {
        entry: sum(_doubled_win(match, entry) for match in among if entry in match.entries)
        for entry in tied
    }


def _measure_shootout(table: _Table, tied: list[int]) -> dict[int, int]:
    """20s of the last shoot-out between all the tied entries; all 0 without one."""
    for entries, twenties in reversed(table.shootouts):
        if set(tied) <= set(entries):
            made = dict(zip(entries, twenties, strict=True))
            return {entry: made[entry] for entry in tied}
    return dict.fromkeys(tied, 0)


_MEASURES: dict[Criterion, Callable[[_Table, list[int]], dict[int, int]]] = {
    Criterion.WINS: lambda table, tied: {entry: table.doubled_wins(entry) for entry in tied},
    Criterion.POINTS: lambda table, tied: {entry: table.points(entry) for entry in tied},
    Criterion.TWENTIES: lambda table, tied: {entry: table.twenties(entry) for entry in tied},
    Criterion.BUCHHOLZ: lambda table, tied: {entry: table.buchholz(entry) for entry in tied},
    Criterion.HEAD_TO_HEAD: _measure_head_to_head,
    Criterion.SHOOTOUT: _measure_shootout,
}


def _is_out(state: TournamentState, stage: int, member: int) -> bool:
    entry = state.entries[member]
    return entry.is_disqualified or any(
        match.result is not None and match.result.is_annulled
        for match in state.matches_of_stage(stage)
        if entry.has_left and member in match.entries
    )


def _make_table(state: TournamentState, stage: int) -> _Table:
    without_byes = state.stages[stage].is_irregular
    matches = tuple(
        match
        for match in state.matches_of_stage(stage)
        if match.result is not None and not match.result.is_annulled
        if not (match.is_bye and without_byes)
    )
    shootouts = tuple(
        (shootout.entries, shootout.twenties)
        for shootout in state.shootouts
        if shootout.stage == stage
    )
    return _Table(matches=matches, shootouts=shootouts)


def _rank_entry(
    table: _Table, entry: int, rank: int, decided_by: Criterion | None, *, is_tied: bool
) -> RankedEntry:
    matches = table.of(entry)
    return RankedEntry(
        entry=entry,
        rank=rank,
        decided_by=decided_by,
        is_tied=is_tied,
        played=len(matches),
        wins=sum(match.winner == entry for match in matches),
        draws=sum(match.winner is None for match in matches),
        points=table.points(entry),
        twenties=table.twenties(entry),
        buchholz=table.buchholz(entry),
    )


def _doubled_win(match: TournamentMatch, entry: int) -> int:
    return 1 if match.winner is None else 2 * (match.winner == entry)


def rank_overall(state: TournamentState) -> tuple[tuple[int, int], ...]:
    """Entries with their ranks in the whole tournament, the best first.

    A later stage takes precedence over the stage whose best entries advance to it. Entries outside
    these stages have no rank.
    """
    order: list[tuple[int, int]] = []
    for stage in reversed(find_main_stages(state)):
        known = {entry for entry, _ in order}
        rows = [row for row in rank_entries(state, stage) if row.entry not in known]
        order += [
            (row.entry, len(known) + 1 + sum(other.rank < row.rank for other in rows))
            for row in rows
        ]
    return tuple(order)


def find_main_stages(state: TournamentState) -> tuple[int, ...]:
    """The stages that lead to the title; the last one decides it."""
    main = [0] if state.stages else []
    for number, stage in enumerate(state.stages[1:], start=1):
        ranked = [row.entry for row in rank_entries(state, main[-1])]
        best = next((entry for entry in ranked if not state.entries[entry].has_left), None)
        if best in stage.entries:
            main.append(number)
    return tuple(main)


def find_podium(state: TournamentState) -> tuple[tuple[int, int], ...]:
    """The entries of ranks 1 to 3, once the stage that decides the title is over."""
    main = find_main_stages(state)
    if not main or not state.is_stage_over(main[-1]):
        return ()
    return tuple((entry, rank) for entry, rank in rank_overall(state) if rank <= 3)
