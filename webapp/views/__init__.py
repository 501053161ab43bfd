"""The pages, a file each: a blueprint named ``BLUEPRINT``, and what the menu calls it (``PAGES``).

A new page is a new file here and a line in ``_MODULES``; the menu is sorted by ``Page.order``.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module

from flask import Flask, url_for

_MODULES = (
    "boards.scoreboard",
    "boards.names",
    "match",
    "tournament",
    "practice",
    "snapshot",
    "review",
    "referee",
    "shots",
    "camera",
    "calibrate",
    "overlay",
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
    """Give an application all pages."""
    from webapp.views.boards.addresses import add_board_addresses

    pages: list[Page] = []
    for name in _MODULES:
        module = import_module(f"webapp.views.{name}")
        app.register_blueprint(module.BLUEPRINT)
        pages += getattr(module, "PAGES", ())
    add_board_addresses(app)
    app.extensions["crokinole.pages"] = sorted(pages, key=lambda each: each.order)


def pages_in_order(app: Flask, *, is_scorer: bool) -> list[dict[str, str]]:
    """The menu: addresses and names."""
    return [
        {"address": url_for(each.endpoint), "name": each.name, "endpoint": each.endpoint}
        for each in app.extensions["crokinole.pages"]
        if is_scorer or not each.is_for_scorer
    ]
