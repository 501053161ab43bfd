"""The server's log, one JSON object per line on standard error.

An address is logged without its query, and never a header, a cookie or a body, because they may
hold secrets. Every request has an id, which is in its answer (``X-Request-Id``) and on an error
page; the log has the traceback of a failure under this id.
"""

from __future__ import annotations

import json
import logging
import secrets
import sys
from datetime import UTC, datetime
from time import perf_counter
from types import TracebackType

from flask import Flask, Response, g, request

LOG = logging.getLogger("crokinole")

#: Requests that pages send many times a minute are logged only if they fail.
_QUIET_PATHS = (
    "/static/",
    "/healthz",
    "/shots/",
    "/plans/",
    "/referee/picture.jpg",
    "/referee/facts",
    "/camera/frames",
)
#: Random bytes of a request's id: unique in the log of a weekend.
_ID_BYTES = 6
#: Longest part of an address that is logged: all addresses of this server are shorter.
_PATH_LETTERS = 200
#: Fields that a record may have besides its message.
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


def log_to_stderr(*, is_brief: bool = False) -> None:
    """Write this program's and its server's records to standard error; in brief mode only
    problems.
    """
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonLines())
    for name in ("crokinole", "uvicorn.error"):
        logger = logging.getLogger(name)
        logger.handlers, logger.propagate = [handler], False
        is_full = name == "crokinole" and not is_brief
        logger.setLevel(logging.INFO if is_full else logging.WARNING)


class LoggedFlask(Flask):
    """A Flask application that records its failures in this log."""

    def log_exception(
        self, exc_info: tuple[type, BaseException, TracebackType] | tuple[None, None, None]
    ) -> None:
        """Log an uncaught error of a view, with its traceback."""
        LOG.error("failed", exc_info=exc_info, extra=_describe_request())


def log_trouble(error: Exception) -> None:
    """Log an error during a request that was answered with a sentence, with its traceback."""
    LOG.error("trouble", exc_info=error, extra=_describe_request() | {"what": str(error)})


def request_id() -> str:
    """The id of the current request."""
    if "request_id" not in g:
        g.request_id = secrets.token_hex(_ID_BYTES)
    return str(g.request_id)


def log_requests(app: Flask) -> None:
    """Log every answer of an application."""

    @app.before_request
    def _start_timer() -> None:
        g.started_s = perf_counter()

    @app.after_request
    def _log_answer(response: Response) -> Response:
        taken_s = perf_counter() - g.get("started_s", perf_counter())
        is_noise = request.path.startswith(_QUIET_PATHS)
        answer = {"status": response.status_code, "ms": round(1000 * taken_s, 1)}
        LOG.log(
            logging.DEBUG if is_noise and response.status_code < 400 else logging.INFO,
            "request",
            extra=_describe_request() | answer,
        )
        response.headers["X-Request-Id"] = request_id()
        return response


def _describe_request() -> dict[str, object]:
    """The record of the current request."""
    return {
        "id": request_id(),
        "method": request.method,
        "path": request.path[:_PATH_LETTERS],
        "who": request.remote_addr,
    }
