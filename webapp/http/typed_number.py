"""Whole numbers as browsers and programs send them: of a few digits, or none at all."""

from __future__ import annotations


def read_whole_number(text: str | None, digits: int = 6) -> int | None:
    """A whole number from 0 of so many digits; None for any other text.

    Python itself refuses to read one of 5,000 digits, by an error that nobody expects.
    """
    text = (text or "").strip()
    if not (text.isascii() and text.isdigit() and len(text) <= digits):
        return None
    return int(text)
