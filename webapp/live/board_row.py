"""A board's row on the wall: players, score, and requests for a person."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from calibration.phrase import Phrase
from webapp.live.live_state import Status
from webapp.live.match_summary import Clock, Match
from webapp.live.pairings import BoardPairing
from webapp.live.scoreboard import State

_ALARMS = {
    Status.NOT_REFEREEING: Phrase("Not refereeing"),
    Status.FAILED: Phrase("The referee has stopped"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class RowSide:
    """A side on the wall; ``round_points`` if shots are counted, ``pictures`` the keys of its
    players' pictures.
    """

    name: str
    colour: str
    total: int
    round_points: int | None
    has_turn: bool
    is_winner: bool
    pictures: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class BoardRow:
    """A board's row on the wall; ``needs`` names the problem that needs a person, "" for none.

    A tournament's next match, ``pairing``, replaces one that is over.
    """

    number: int
    name: str
    sides: tuple[RowSide, ...]
    round: int | None
    clock: Clock | None
    is_over: bool
    next: str
    pairing: BoardPairing | None
    status: Status
    needs: str


def build_board_row(state: State) -> BoardRow:
    """The row of a board from the state of its scoreboard."""
    match, pairing = state.match, state.pairing
    if pairing is not None and (match is None or match.is_over):
        match = None
    return BoardRow(
        number=state.board.number,
        name=state.board.name,
        sides=() if match is None else _show_sides(match, state.pictures),
        round=None if match is None else match.round,
        clock=None if match is None else match.clock,
        is_over=match is not None and match.is_over,
        next="" if match is None else match.next,
        pairing=pairing if match is None else None,
        status=state.live.status,
        needs=_find_need(state, match),
    )


def _show_sides(match: Match, pictures: Mapping[str, str]) -> tuple[RowSide, ...]:
    return tuple(
        RowSide(
            name=side.name,
            colour=side.colour,
            total=side.total,
            round_points=side.round_points if match.shots else None,
            has_turn=side.has_turn and not match.is_over,
            is_winner=side.is_winner,
            pictures=tuple(pictures[name] for name in side.players if name in pictures),
        )
        for side in match.sides
    )


def _find_need(state: State, match: Match | None) -> str:
    if state.live.status in _ALARMS:
        return _ALARMS[state.live.status]
    if state.pairing is not None and state.pairing.is_disputed:
        return Phrase("The results differ")
    if match is not None and any(question.is_open for question in match.questions):
        return Phrase("Needs a decision")
    return ""
