"""``/api/v1``: everything that the pages do, for programs."""

from __future__ import annotations

from importlib import import_module

from flask import Flask

#: Modules whose routes are added to the blueprint when they are imported.
_MODULES = (
    "match_routes",
    "photo_routes",
    "referee_routes",
    "practice_routes",
    "tournament_routes",
    "server_routes",
)


def register_api(app: Flask) -> None:
    """Add the API to an application."""
    for name in _MODULES:
        import_module(f"webapp.api.{name}")
    app.register_blueprint(import_module("webapp.api.blueprint").BLUEPRINT)
