"""The day of a stored time where this computer is: an evening in Canada is the next day in UTC."""

from __future__ import annotations

from datetime import datetime


def find_day(moment: str) -> str:
    """The day, such as ``2026-11-26``, of a time that states its distance from UTC.

    A text that is not a time keeps its first ten letters.
    """
    try:
        return datetime.fromisoformat(moment).astimezone().date().isoformat()
    except (ValueError, OverflowError):
        return moment[:10]
