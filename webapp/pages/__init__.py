"""The pages by subject: a folder holds a subject's routes, presenters, forms and templates.

A page's module has a blueprint named ``BLUEPRINT``, and its menu entries as ``PAGES``. A new page
is a module here and a line in ``_MODULES``; the menu is sorted by ``Page.order``. A presenter reads
no request and changes no state.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module

from flask import Flask, url_for

_MODULES = (
    "boards.scoreboard",
    "boards.boards",
    "match",
    "players.players",
    "tournament",
    "practice.practice",
    "snapshot",
    "accuracy.accuracy",
    "review.review",
    "referee.referee",
    "match.shots",
    "referee.camera",
    "calibrate.calibrate",
    "overlay.overlay",
    "language",
    "health",
    "help",
    "join",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """A page in the menu. Its view's module holds a tuple of these named ``PAGES``."""

    endpoint: str
    name: str
    order: int
    is_for_scorer: bool = False


def register_views(app: Flask) -> None:
    """Add all pages to an application."""
    from webapp.pages.boards.addresses import add_board_addresses

    modules = [import_module(f"webapp.pages.{name}") for name in _MODULES]
    for blueprint in dict.fromkeys(module.BLUEPRINT for module in modules):
        app.register_blueprint(blueprint)
    pages: list[Page] = [page for module in modules for page in getattr(module, "PAGES", ())]
    add_board_addresses(app)
    app.extensions["crokinole.pages"] = sorted(pages, key=lambda page: page.order)


def pages_in_order(app: Flask, *, is_scorer: bool) -> list[dict[str, str]]:
    """The menu: addresses and names."""
    return [
        {"address": url_for(page.endpoint), "name": page.name, "endpoint": page.endpoint}
        for page in app.extensions["crokinole.pages"]
        if is_scorer or not page.is_for_scorer
    ]
