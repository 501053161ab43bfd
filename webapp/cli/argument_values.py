"""What a person wrote for an argument: a number within bounds, a file's name, or a pattern.

Each raises ``argparse.ArgumentTypeError`` in words that say what would be right.
"""

from __future__ import annotations

import glob
import os
from argparse import ArgumentTypeError
from collections.abc import Callable, Iterable
from pathlib import Path


class UsageError(Exception):
    """Arguments that cannot go together or name what does not exist; the text is one sentence."""


def whole_number(least: int | None = None, most: int | None = None) -> Callable[[str], int]:
    """A reader of whole numbers from ``least`` to ``most``."""

    def read(text: str) -> int:
        try:
            number = int(text)
        except ValueError:
            raise ArgumentTypeError(f"{text!r} is no whole number") from None
        if least is not None and number < least:
            raise ArgumentTypeError(f"{number} is too little; {least} at the least")
        if most is not None and number > most:
            raise ArgumentTypeError(f"{number} is too much; {most} at most")
        return number

    return read


def decimal_number(text: str) -> float:
    """A number that may have a fraction."""
    try:
        return float(text)
    except ValueError:
        raise ArgumentTypeError(f"{text!r} is no number") from None


def file_name(text: str) -> str:
    """The name of a file or a source, which cannot be empty."""
    if not text:
        raise ArgumentTypeError("an empty name names no file")
    return text


def expand_patterns(names: Iterable[str]) -> list[str]:
    """The files that ``*.jpg`` and its like stand for, where no shell did it (Windows has none).

    A name of something that exists, or a pattern that nothing fits, stays as it is.
    """
    found: list[str] = []
    for name in names:
        exists = os.path.exists(name)  # noqa: PTH110  # pathlib's raises where a name is too long
        fitting = [] if exists else sorted(glob.glob(name))  # noqa: PTH207  # takes a whole path
        found += fitting or [name]
    return found


def check_outputs(written: Iterable[Path | None], read: Iterable[str | Path]) -> list[str]:
    """A sentence for each file to be written that is read, too, which would be lost."""
    kept = [str(each) for each in read]
    return [
        f"{each} is what is read, and would be lost; name another file to write."
        for each in written
        if each is not None and any(_is_same_file(str(each), name) for name in kept)
    ]


def _is_same_file(one: str, other: str) -> bool:
    try:
        return os.path.samefile(one, other)  # noqa: PTH121  # what is read may be an address
    except (OSError, ValueError):
        return False  # one of them is not there
