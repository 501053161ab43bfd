"""What the pages of one server share.

Knows the parts and how they are reached from a request. Refuses to do any of their work.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

from flask import Flask, current_app

from scorer.store import Store
from webapp.config import Config
from webapp.hooks import Hooks
from webapp.keeper import Keeper
from webapp.live import Hub
from webapp.rate import RateLimit
from webapp.runtime import Runtime
from webapp.scoreboard import Scoreboard
from webapp.secret import Secret
from webapp.shots import Shots

_KEY = "crokinole"


@dataclass(frozen=True, slots=True, kw_only=True)
class Services:
    """One server's parts.

    guesses  how often an address may tell a token
    """

    config: Config
    secret: Secret
    store: Store
    hub: Hub
    scoreboard: Scoreboard
    shots: Shots
    keeper: Keeper
    runtime: Runtime
    hooks: Hooks
    guesses: RateLimit


def services() -> Services:
    """The parts of the server that answers the request at hand."""
    return services_of(current_app)


def services_of(app: Flask) -> Services:
    """The parts of an application."""
    return cast(Services, app.extensions[_KEY])


def give_services(app: Flask, parts: Services) -> None:
    """Let an application's pages reach its parts."""
    app.extensions[_KEY] = parts
