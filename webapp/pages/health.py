"""The server's health, for the person who runs it."""

from __future__ import annotations

import shutil
from importlib.metadata import version

from flask import Blueprint, jsonify
from flask.typing import ResponseReturnValue

from scorer.store import database_place
from webapp.http.lanes import LaneName, answer_in
from webapp.services import services

BLUEPRINT = Blueprint("health", __name__)
#: With less free space, entries fail soon: SQLite's log of changes alone may have 4 MB.
_LEAST_FREE_BYTES = 16_000_000


@BLUEPRINT.get("/healthz")
@answer_in(LaneName.HEALTH)
def health() -> ResponseReturnValue:
    """Healthy, if the database is available and the disk has space; 503 otherwise."""
    parts = services()
    parts.store.newest()
    place = database_place(parts.config.database).file or parts.config.data
    is_full = place is not None and shutil.disk_usage(place).free < _LEAST_FREE_BYTES
    return jsonify(
        {
            "status": "disk full" if is_full else "well",
            "version": version("crokinole-referee"),
            "spectators": parts.boards.listeners,
        }
    ), 503 if is_full else 200
