"""Whether a request comes from a program rather than a page."""

from __future__ import annotations

from flask import request


def wants_json() -> bool:
    """Whether the current request is answered in JSON: the API's, and others that ask for it."""
    return request.path.startswith("/api/") or request.accept_mimetypes.best == "application/json"
