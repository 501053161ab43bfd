"""A tournament for its pages, the wall and the exports: plain rows of names and numbers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TypeVar

from calibration.phrase import Phrase, term
from scorer.store.tournament_store import StoredTournament
from scorer.tournament.events import Criterion, RoundBegun, StageKind, TournamentEvent
from scorer.tournament.fold import find_places_in_force
from scorer.tournament.pairing import foresee_round
from scorer.tournament.standings import RankedEntry, find_podium, rank_entries
from scorer.tournament.state import Stage, TournamentMatch, TournamentState

#: Names of the criteria that decided a rank, as players say them.
REASONS = {
    Criterion.WINS: Phrase("matches won"),
    Criterion.POINTS: Phrase("match points"),
    Criterion.HEAD_TO_HEAD: Phrase("head to head"),
    Criterion.TWENTIES: "20s",
    Criterion.BUCHHOLZ: Phrase("opponents' points"),
    Criterion.SHOOTOUT: "shoot-out",
}

Part = TypeVar("Part")

#: Number of lines on a wall, in two columns; a group's heading takes one, a match two.
WALL_LINES = 24
#: Number of a bracket round's matches that a wall shows in one column: as many as people in the
#: room can read.
WALL_BRACKET = 8
#: How long a tournament whose matches are all played stays on the wall after its last entry.
_SHOWN_FOR = timedelta(hours=3)


@dataclass(frozen=True, slots=True, kw_only=True)
class PairingRow:
    """A match in a list, with the names of its entries and its board."""

    number: int
    first: str
    second: str | None
    board: str | None
    score: str
    winner: str | None
    match: TournamentMatch


@dataclass(frozen=True, slots=True, kw_only=True)
class StandingRow:
    """An entry's place in a table; ``reason`` separates it from the one above."""

    name: str
    has_left: bool
    reason: str
    needs_shootout: bool
    ranked: RankedEntry


@dataclass(frozen=True, slots=True, kw_only=True)
class StageRows:
    """A stage for its page: rounds of matches, the newest first, and tables by group.

    bracket  of a single knock-out: its rounds, from the first on, as drawn; None for a match with
             unknown players
    """

    number: int
    name: str
    kind: StageKind
    paired: int
    rounds: int | None
    is_over: bool
    has_open: bool
    rounds_of_matches: tuple[tuple[PairingRow, ...], ...]
    tables: tuple[tuple[StandingRow, ...], ...]
    bracket: tuple[tuple[PairingRow | None, ...], ...] = ()
    third_place: PairingRow | None = None

    @property
    def title(self) -> str:
        """The stage's name with its progress."""
        if not self.paired:
            return self.name
        of = (
            Phrase(" of %(rounds)s", rounds=self.rounds)
            if self.rounds and not self.kind.is_knockout
            else ""
        )
        return Phrase(
            "%(stage)s, round %(round)s%(of_rounds)s",
            stage=term(self.name),
            round=self.paired,
            of_rounds=of,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class WallTable:
    """Lines of a table on one page of a wall: a group's standings, or a part of them.

    group  the group's number, from 1; None if there is only one
    """

    group: int | None
    rows: tuple[StandingRow, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class WallPage:
    """One page of a wall, shown in turn with the boards; one of these.

    podium   the best three, with their ranks
    coming   the pairings of the next round, if known
    free     players without a match while a board is idle
    bracket  rounds of a knock-out, the first on the left
    """

    podium: tuple[tuple[int, str], ...] = ()
    pairings: tuple[PairingRow, ...] = ()
    coming: tuple[tuple[str, ...], ...] = ()
    free: tuple[str, ...] = ()
    bracket: tuple[tuple[PairingRow | None, ...], ...] = ()
    tables: tuple[WallTable, ...] = ()


def build_wall_pages(
    stages: Sequence[StageRows], state: TournamentState | None = None
) -> tuple[WallPage, ...]:
    """The newest stage's last round by boards, and its tables; for a state also the podium, the
    brackets, the next round and the free players.
    """
    if not stages or not (state or stages[-1].rounds_of_matches):
        return ()
    stage = stages[-1]
    last_round = stage.rounds_of_matches[0] if stage.rounds_of_matches else ()
    ending = () if state is None else build_podium(state)
    to_play = [row for row in last_round if row.second is not None]
    pairings = [WallPage(pairings=part) for part in _cut(to_play, WALL_LINES // 2)]
    tables = [WallPage(tables=table) for table in _pack_tables(stage.tables)]
    if state is None:
        return (*pairings, *tables)
    open_brackets = [rows.bracket for rows in stages if rows.bracket and not rows.is_over]
    brackets = open_brackets or ([stage.bracket] if stage.bracket else [])
    named = [_name_pair(state, pair) for pair in foresee_round(state, stage.number)]
    coming = [WallPage(coming=part) for part in _cut(named, WALL_LINES // 2)]
    free = _list_free(state, stage.number)
    return (
        *([WallPage(podium=ending)] if ending else []),
        *([] if stage.has_open else coming),
        *([] if ending and stage.is_over else pairings),
        *(
            WallPage(bracket=tuple(column for column in bracket if len(column) <= WALL_BRACKET))
            for bracket in brackets
        ),
        *([] if stage.bracket else tables),
        *(coming if stage.has_open else []),
        *(WallPage(free=part) for part in _cut(free, WALL_LINES)),
    )


def _cut(lines: Sequence[Part], most: int) -> list[tuple[Part, ...]]:
    """Lines in parts that fit on one page."""
    return [tuple(lines[k : k + most]) for k in range(0, len(lines), most)]


def _name_pair(state: TournamentState, pair: tuple[int, int | None]) -> tuple[str, ...]:
    return tuple(state.entries[entry].name for entry in pair if entry is not None)


def _list_free(state: TournamentState, stage: int) -> list[str]:
    """Players without a match, while a board is idle and others still play."""
    playing = {entry for number in state.open_matches for entry in state.matches[number].entries}
    idle = any(row is None for _, row in build_boards(state))
    if not playing or not idle:
        return []
    members = state.stages[stage].entries
    here = [state.entries[entry] for entry in members if entry not in playing]
    return [entry.name for entry in here if not entry.has_left]


def build_podium(state: TournamentState) -> tuple[tuple[int, str], ...]:
    """The best three by name, with their ranks, once the title is decided."""
    return tuple((rank, state.entries[entry].name) for entry, rank in find_podium(state))


def _place_by_board(row: PairingRow) -> tuple[int, int]:
    """Matches at boards by board; then those that wait; byes last."""
    board = row.match.board
    return 2 * row.match.is_bye + (board is None), row.number if board is None else board


def _pack_tables(
    tables: Sequence[tuple[StandingRow, ...]],
) -> Iterator[tuple[WallTable, ...]]:
    """Tables in parts that fit on one page, as many per page as fit."""
    page: list[WallTable] = []
    lines = 0
    for number, table in enumerate(tables, start=1):
        group = number if len(tables) > 1 else None
        most = WALL_LINES - (group is not None)
        for k in range(0, len(table), most):
            part = WallTable(group=group, rows=table[k : k + most])
            needed = len(part.rows) + (group is not None)
            if page and lines + needed > WALL_LINES:
                yield tuple(page)
                page, lines = [], 0
            page.append(part)
            lines += needed
    if page:
        yield tuple(page)


def find_running(stored: Sequence[StoredTournament], now: str) -> StoredTournament | None:
    """The newest tournament with matches to play, or with a recent last entry."""
    for tournament in reversed(stored):
        if tournament.state is None or not tournament.state.matches:
            continue
        age = datetime.fromisoformat(now) - datetime.fromisoformat(tournament.recorded[-1])
        if tournament.state.open_matches or age < _SHOWN_FOR:
            return tournament
    return None


def build_stages(state: TournamentState) -> tuple[StageRows, ...]:
    """All stages, in the order in which they began."""
    return tuple(_build_stage(state, number) for number in range(len(state.stages)))


def _build_stage(state: TournamentState, number: int) -> StageRows:
    stage = state.stages[number]
    rows = [build_match(state, k) for k, match in enumerate(state.matches) if match.stage == number]
    bracket, third_place = _draw_bracket(stage, rows)
    rows.sort(key=_place_by_board)
    by_round = [
        tuple(row for row in rows if row.match.round == played)
        for played in reversed(range(stage.paired))
    ]
    groups = range(len(stage.groups)) if len(stage.groups) > 1 else (None,)
    return StageRows(
        number=number,
        name=stage.name,
        kind=stage.kind,
        paired=stage.paired,
        rounds=stage.rounds,
        is_over=state.is_stage_over(number),
        has_open=any(row.match.result is None for row in rows),
        rounds_of_matches=tuple(by_round),
        tables=tuple(
            tuple(
                _build_row(state, number, ranked) for ranked in rank_entries(state, number, group)
            )
            for group in groups
        ),
        bracket=bracket,
        third_place=third_place,
    )


def _draw_bracket(
    stage: Stage, rows: Sequence[PairingRow]
) -> tuple[tuple[tuple[PairingRow | None, ...], ...], PairingRow | None]:
    """The rounds of a single knock-out up to the final, and its match for third place."""
    if stage.kind is not StageKind.SINGLE_KNOCKOUT or not stage.paired:
        return (), None
    columns: list[tuple[PairingRow | None, ...]] = []
    slots = sum(row.match.round == 0 for row in rows)
    third_place = None
    while slots:
        played = [row for row in rows if row.match.round == len(columns)]
        if slots == 1 and len(played) > 1:
            third_place = played.pop()
        columns.append(tuple(played) or (None,) * slots)
        slots //= 2
    return tuple(columns), third_place


def _build_row(state: TournamentState, stage: int, ranked: RankedEntry) -> StandingRow:
    kind = state.stages[stage].kind
    needs_shootout = ranked.is_tied and not kind.is_knockout and state.is_stage_over(stage)
    reason = REASONS[ranked.decided_by] if ranked.decided_by else ""
    return StandingRow(
        name=state.entries[ranked.entry].name,
        has_left=state.entries[ranked.entry].has_left,
        reason=Phrase("tied: shoot-out") if needs_shootout else reason,
        needs_shootout=needs_shootout,
        ranked=ranked,
    )


def build_match(state: TournamentState, number: int) -> PairingRow:
    """A match for a list."""
    match, result = state.matches[number], state.matches[number].result
    return PairingRow(
        number=number,
        first=state.entries[match.first].name,
        second=None if match.second is None else state.entries[match.second].name,
        board=None if match.board is None else state.setup.boards[match.board],
        score="" if result is None else " : ".join(map(str, result.points)),
        winner=None if match.winner is None else state.entries[match.winner].name,
        match=match,
    )


def build_boards(state: TournamentState) -> list[tuple[str, PairingRow | None]]:
    """All boards with their current matches."""
    playing = {
        state.matches[k].board: build_match(state, k)
        for k in state.open_matches
        if state.matches[k].board is not None
    }
    return [(name, playing.get(k)) for k, name in enumerate(state.setup.boards)]


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayerPage:
    """An entry's evening: its current or next match, the others, and its standings.

    coming     its opponent in the next round; None if unknown
    standings  of its stages, the newest first: the stage's name, its place, the number of entries
    """

    entry: int
    name: str
    now: PairingRow | None
    coming: str | None
    sits_out: bool
    matches: tuple[PairingRow, ...]
    standings: tuple[tuple[str, StandingRow, int], ...]


def build_player(state: TournamentState, entry: int) -> PlayerPage:
    """An entry's evening so far."""
    own = [k for k, match in enumerate(state.matches) if entry in match.entries]
    playing = next((k for k in own if state.matches[k].result is None), None)
    coming = [
        pair
        for stage in range(len(state.stages))
        for pair in foresee_round(state, stage)
        if entry in pair and playing is None
    ]
    return PlayerPage(
        entry=entry,
        name=state.entries[entry].name,
        now=None if playing is None else build_match(state, playing),
        coming=" – ".join(_name_pair(state, coming[-1])) if coming else None,
        sits_out=state.entries[entry].rests,
        matches=tuple(build_match(state, k) for k in reversed(own) if k != playing),
        standings=tuple(
            (stage.name, row, len(table))
            for stage in reversed(build_stages(state))
            for table in stage.tables
            for row in table
            if row.ranked.entry == entry
        ),
    )


def find_round_clock(
    log: tuple[TournamentEvent, ...], recorded: tuple[str, ...]
) -> dict[str, object] | None:
    """The start of the last round's clock, and its minutes; None if none was started."""
    started = [place for place in find_places_in_force(log) if isinstance(log[place], RoundBegun)]
    if not started:
        return None
    event = log[started[-1]]
    assert isinstance(event, RoundBegun)
    return {"started": recorded[started[-1]], "minutes": event.minutes}


def tournament_json(stored: StoredTournament) -> dict[str, object]:
    """A tournament for programs: entries, stages with standings, and all matches.

    Entries, stages and matches are numbered from 0, in their order here.
    """
    state = stored.state
    assert state is not None
    return {
        "id": stored.id,
        "name": state.setup.name,
        "created": stored.created,
        "events": stored.events,
        "rules": state.setup.rules,
        "boards": list(state.setup.boards),
        "plan": state.plan.model_dump(),
        "entries": [
            {"players": list(entry.players), "has_left": entry.has_left, "rests": entry.rests}
            for entry in state.entries
        ],
        "stages": [
            {
                "name": stage.name,
                "kind": str(stage.kind),
                "rounds_paired": stage.paired,
                "is_over": stage.is_over,
                "third_place": state.stages[stage.number].has_third_place,
                "entries": list(state.stages[stage.number].entries),
                "criteria": [str(criterion) for criterion in state.stages[stage.number].criteria],
                "standings": [[_standing_json(row) for row in table] for table in stage.tables],
            }
            for stage in build_stages(state)
        ],
        "matches": [_match_json(state, k) for k in range(len(state.matches))],
        "podium": [{"rank": rank, "name": name} for rank, name in build_podium(state)],
    }


def _standing_json(row: StandingRow) -> dict[str, object]:
    ranked = row.ranked
    return {
        "rank": ranked.rank,
        "entry": ranked.entry,
        "name": row.name,
        "played": ranked.played,
        "wins": ranked.wins,
        "draws": ranked.draws,
        "points": ranked.points,
        "twenties": ranked.twenties,
        "buchholz": ranked.buchholz,
        "decided_by": str(ranked.decided_by) if ranked.decided_by else None,
    }


def _match_json(state: TournamentState, number: int) -> dict[str, object]:
    match, row = state.matches[number], build_match(state, number)
    result = match.result
    return {
        "stage": match.stage,
        "round": match.round + 1,
        "first": row.first,
        "second": row.second,
        "board": row.board,
        "points": list(result.points) if result else None,
        "twenties": list(result.twenties) if result else None,
        "walkover": result is not None and result.is_walkover,
        "annulled": result is not None and result.is_annulled,
        "disputed": match.is_disputed,
        "reports": [
            {"by": str(said.by), "points": list(said.points), "twenties": list(said.twenties)}
            for said in match.reports
        ],
    }
