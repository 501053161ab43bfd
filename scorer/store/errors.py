"""Database failures, described for a person in sentences that give the remedy.

SQLite errors are recognised by their messages, which are always English. PostgreSQL errors are
recognised by their SQLSTATE codes, because the messages are in the server's language. All other
errors are quoted unchanged.
"""

from __future__ import annotations

import sqlite3

from sqlalchemy.exc import DBAPIError, SQLAlchemyError

from calibration.user_error import Trouble


class StoreError(Trouble):
    """A failure of the database; the text is one sentence with the remedy."""


class DamagedMatchError(StoreError):
    """A match that cannot be read back; other matches can."""


_LOCKED = "Another program is writing to {name}. Close it, or try again."
_FULL = "The disk is full, so nothing was saved. Free some space and try again."
_READ_ONLY = "{name} cannot be written; change its permissions, or choose another database."
_LOST = "The connection to {name} was lost. Check with `crokinole match show` what was saved."
_DAMAGED = "{name} is damaged. Choose another database, and import your exports there."

#: SQLite's messages, and advice for each.
_SENTENCES = (
    ("file is not a database", "{name} is not a crokinole database. Choose another file."),
    ("malformed", _DAMAGED),
    ("locked", _LOCKED),
    ("disk is full", _FULL),
    (
        "disk I/O error",
        (
            "The disk with {name} cannot be read or written: it may be full, disconnected or "
            "broken. Free some space or fix it, then try again."
        ),
    ),
    ("readonly", _READ_ONLY),
    ("unable to open", "{name} cannot be opened. Choose a file in a writable folder."),
)

#: The same for PostgreSQL's codes (its manual, appendix A).
_SENTENCE_OF_CODE = {
    "55P03": _LOCKED,
    "53100": _FULL,
    "25006": _READ_ONLY,
    "42501": _READ_ONLY,
    "57P01": _LOST,
    "57P02": _LOST,
    "XX001": _DAMAGED,
    "XX002": _DAMAGED,
}


def describe_damage(name: str) -> str:
    """One sentence about the unreadable database ``name``."""
    return _DAMAGED.format(name=name)


def describe_error(name: str, error: SQLAlchemyError) -> str:
    """One sentence about an error of the database ``name``."""
    if not isinstance(error, DBAPIError):
        return describe_reason(name, str(error))
    code = getattr(error.orig, "sqlstate", None)
    if code in _SENTENCE_OF_CODE:
        return _SENTENCE_OF_CODE[code].format(name=name)
    if error.connection_invalidated:
        return _LOST.format(name=name)
    if code is None and not isinstance(error.orig, sqlite3.Error):
        return (
            f"{name} cannot be reached ({_server_reason(error)}). Start its server, or check the "
            "URL."
        )
    return describe_reason(name, str(error.orig))


def describe_reason(name: str, reason: str) -> str:
    """One sentence for a driver's error about the database ``name``."""
    for words, sentence in _SENTENCES:
        if words in reason:
            return sentence.format(name=name)
    return (
        f"The database {name} reported an error ({reason.splitlines()[0]}). Check it and try again."
    )


def _server_reason(error: DBAPIError) -> str:
    """The reason why the server could not be reached, without the driver's extra text and hints."""
    lines = str(error.orig).strip().splitlines() or ["no reason given"]
    reason = next((line for line in lines if "failed: " in line), lines[0])
    return reason.rsplit("failed: ", 1)[-1].strip(" .")
