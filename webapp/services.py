"""The parts that the pages of one server share, and how a request reaches them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol, cast

from flask import Flask, current_app, g

from scorer.store import Store
from scorer.store.practice_store import PracticeStore
from scorer.store.tournament_store import TournamentStore
from webapp.config import Config
from webapp.http.rate_limit import RateLimiter
from webapp.http.token import Secret
from webapp.http.webhooks import Webhooks
from webapp.live.clip_store import ClipStore
from webapp.live.live_board import LiveBoard
from webapp.live.live_boards import FIRST_BOARD, LiveBoards
from webapp.live.match_recorder import MatchRecorder
from webapp.live.scoreboard import Scoreboard
from webapp.live.supervisor import RefereeSupervisor

_KEY = "crokinole"


class Closable(Protocol):
    """A part that runs beside the pages until the server ends."""

    def close(self) -> None:
        """End it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Services:
    """One server's parts; properties with a part's name belong to the first board.

    login_limiter  limit of an address's attempts at a token
    """

    config: Config
    secret: Secret
    store: Store
    tournaments: TournamentStore
    practices: PracticeStore
    boards: LiveBoards
    shots: ClipStore
    hooks: Webhooks
    login_limiter: RateLimiter
    workers: tuple[Closable, ...] = ()

    @property
    def scoreboard(self) -> Scoreboard:
        """The state of the first board."""
        return self.boards.first().scoreboard

    @property
    def recorder(self) -> MatchRecorder:
        """The recorder of the first board's referee."""
        return self.boards.first().recorder

    @property
    def supervisor(self) -> RefereeSupervisor:
        """The first board's referee."""
        return self.boards.first().supervisor


def services() -> Services:
    """The parts of the server that answers the current request."""
    return services_of(current_app)


def services_of(app: Flask) -> Services:
    """The parts of an application."""
    return cast(Services, app.extensions[_KEY])


def board_at_hand() -> LiveBoard:
    """The board named in the current request's address, or the board of its match."""
    number = g.get("board_number") or g.get("match_board") or FIRST_BOARD
    return services().boards.get(number)


def find_board_number() -> int | None:
    """The number of the current board, if there are several; else None."""
    boards = services().boards
    of_match = g.get("match_board") if boards.are_several else None
    number = g.get("board_number") or of_match
    return number if number is not None and boards.has(number) else None


def register_services(app: Flask, parts: Services) -> None:
    """Let an application's pages reach its parts."""
    app.extensions[_KEY] = parts
