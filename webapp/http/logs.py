"""What the server did, one JSON object a line on standard error.

An address is logged without its query, and never a header, a cookie or a body: they may hold what
only some may know.
"""

from __future__ import annotations

import json
import logging
import sys
from datetime import UTC, datetime
from time import perf_counter

from flask import Flask, Response, g, request

LOG = logging.getLogger("crokinole")

#: What pages ask for many times a minute is logged only where it fails.
_QUIET_PATHS = (
    "/static/",
    "/healthz",
    "/shots/",
    "/plans/",
    "/referee/picture.jpg",
    "/referee/facts",
    "/camera/frame",
)
#: What a record may carry besides its message.
_FIELDS = ("id", "method", "path", "status", "ms", "who", "what", "trace")


class JsonLines(logging.Formatter):
    """A record as one line of JSON."""

    def format(self, record: logging.LogRecord) -> str:
        """The line."""
        entry = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "event": record.getMessage(),
        }
        entry |= {name: getattr(record, name) for name in _FIELDS if hasattr(record, name)}
        if record.exc_info:
            entry["trace"] = self.formatException(record.exc_info)
        return json.dumps(entry, ensure_ascii=False)


def log_to_stderr() -> None:
    """Write this program's and its server's records to standard error."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonLines())
    for name in ("crokinole", "uvicorn.error"):
        logger = logging.getLogger(name)
        logger.handlers, logger.propagate = [handler], False
        logger.setLevel(logging.INFO if name == "crokinole" else logging.WARNING)


def log_requests(app: Flask) -> None:
    """Log every answer of an application."""

    @app.before_request
    def _start_timer() -> None:
        g.started_s = perf_counter()

    @app.after_request
    def _log_answer(response: Response) -> Response:
        taken_s = perf_counter() - g.get("started_s", perf_counter())
        is_noise = request.path.startswith(_QUIET_PATHS)
        LOG.log(
            logging.DEBUG if is_noise and response.status_code < 400 else logging.INFO,
            "request",
            extra={
                "method": request.method,
                "path": request.path,
                "status": response.status_code,
                "ms": round(1000 * taken_s, 1),
                "who": request.remote_addr,
            },
        )
        return response
