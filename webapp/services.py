"""The parts that the pages of one server share, and how a request reaches them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

from flask import Flask, current_app

from scorer.store import Store
from scorer.store.practice_store import PracticeStore
from scorer.store.tournament_store import TournamentStore
from webapp.config import Config
from webapp.http.event_broker import EventBroker
from webapp.http.rate_limit import RateLimiter
from webapp.http.token import Secret
from webapp.http.webhooks import Webhooks
from webapp.runtime.clip_store import ClipStore
from webapp.runtime.match_recorder import MatchRecorder
from webapp.runtime.shots.practice_recorder import PracticeRecorder
from webapp.runtime.scoreboard import Scoreboard
from webapp.runtime.supervisor import RefereeSupervisor

_KEY = "crokinole"


@dataclass(frozen=True, slots=True, kw_only=True)
class Services:
    """One server's parts.

    login_limiter  how often an address may try a token
    """

    config: Config
    secret: Secret
    store: Store
    tournaments: TournamentStore
    practices: PracticeStore
    broker: EventBroker
    scoreboard: Scoreboard
    shots: ClipStore
    recorder: MatchRecorder
    practice: PracticeRecorder
    supervisor: RefereeSupervisor
    hooks: Webhooks
    login_limiter: RateLimiter


def services() -> Services:
    """The parts of the server that answers the request at hand."""
    return services_of(current_app)


def services_of(app: Flask) -> Services:
    """The parts of an application."""
    return cast(Services, app.extensions[_KEY])


def register_services(app: Flask, parts: Services) -> None:
    """Let an application's pages reach its parts."""
    app.extensions[_KEY] = parts
