"""Whether a program asks, and not a page."""

from __future__ import annotations

from flask import request


def wants_json() -> bool:
    """Whether the request at hand is answered in JSON: the API's, and others that ask for it."""
    return request.path.startswith("/api/") or request.accept_mimetypes.best == "application/json"
