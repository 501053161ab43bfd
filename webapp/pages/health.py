"""The server's health, for the person who runs it."""

from __future__ import annotations

from importlib.metadata import version

from flask import Blueprint, jsonify
from flask.typing import ResponseReturnValue

from webapp.http.lanes import LaneName, answer_in
from webapp.services import services

BLUEPRINT = Blueprint("health", __name__)


@BLUEPRINT.get("/healthz")
@answer_in(LaneName.HEALTH)
def health() -> ResponseReturnValue:
    """Healthy, if the database is available; 503 otherwise."""
    parts = services()
    parts.store.newest()
    return jsonify(
        {
            "status": "well",
            "version": version("crokinole-referee"),
            "spectators": parts.boards.listeners,
        }
    )
