"""Whole numbers from browsers and programs: only of a few digits."""

from __future__ import annotations

from calibration.phrase import Phrase


def read_whole_number(text: str | None, digits: int = 6) -> int | None:
    """A whole number from 0 with at most ``digits`` digits; None for any other text.

    Python itself refuses to read one of 5,000 digits, with an unexpected error.
    """
    text = (text or "").strip()
    if not (text.isascii() and text.isdigit() and len(text) <= digits):
        return None
    return int(text)


def require_whole_number(
    text: str, field: str, refusal: type[ValueError], *, is_signed: bool = False
) -> int:
    """A whole number that a person typed. Raises ``refusal``.

    field      the name of its field, in players' words
    is_signed  whether it may be negative
    """
    text = text.strip()
    number = read_whole_number(text.removeprefix("-") if is_signed else text)
    if number is None:
        raise refusal(
            Phrase(
                "“%(text)s” is not valid for %(field)s. Enter a whole number.",
                text=text[:20],
                field=field,
            )
        )
    return -number if text.startswith("-") else number
