"""The names of boards: "Board 1" and so on, or names given by users."""

from __future__ import annotations

from collections.abc import Sequence

from calibration.phrase import Phrase


def default_name(number: int) -> Phrase:
    """The default name of a board."""
    return Phrase("Board %(number)s", number=number)


def name_board(number: int, name: str) -> str:
    """The board's name, as a phrase if it is the default one."""
    return default_name(number) if name == default_name(number) else name


def name_boards(names: Sequence[str]) -> tuple[str, ...]:
    """The names of boards, numbered from 1; default ones as phrases."""
    return tuple(name_board(number, name) for number, name in enumerate(names, start=1))
