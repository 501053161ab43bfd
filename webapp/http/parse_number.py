"""Whole numbers from browsers and programs: only of a few digits."""

from __future__ import annotations


def read_whole_number(text: str | None, digits: int = 6) -> int | None:
    """A whole number from 0 with at most ``digits`` digits; None for any other text.

    Python itself refuses to read one of 5,000 digits, with an unexpected error.
    """
    text = (text or "").strip()
    if not (text.isascii() and text.isdigit() and len(text) <= digits):
        return None
    return int(text)
