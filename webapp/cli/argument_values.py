"""Arguments as the user means them: patterns expanded to files, and impossible combinations
refused.
"""

from __future__ import annotations

import glob
import os
from collections.abc import Iterable
from pathlib import Path

import click

from calibration.user_error import Trouble


def expand_patterns(names: Iterable[str]) -> list[str]:
    """The files for ``*.jpg`` and similar patterns if the shell did not expand them (Windows never
    does).

    An existing name, or a pattern without matches, is unchanged.
    """
    found: list[str] = []
    for name in names:
        exists = os.path.exists(name)  # noqa: PTH110  # pathlib's raises where a name is too long
        fitting = [] if exists else sorted(glob.glob(name))  # noqa: PTH207  # takes a whole path
        found += fitting or [name]
    return found


def refuse_if(*checks: tuple[object, str]) -> None:
    """Raise ``UsageError`` with the sentence of the first check that holds."""
    for is_wrong, sentence in checks:
        if is_wrong:
            raise click.UsageError(sentence)


def check_outputs(written: Iterable[Path | None], read: Iterable[str | Path]) -> None:
    """Raise ``Trouble`` for an output file that is also an input and would be lost."""
    kept = [str(name) for name in read]
    for path in written:
        if path is not None and any(_is_same_file(str(path), name) for name in kept):
            raise Trouble(
                f"{path} is an input file and would be overwritten. Choose another output file."
            )


def _is_same_file(one: str, other: str) -> bool:
    try:
        return os.path.samefile(one, other)  # noqa: PTH121  # what is read may be an address
    except (OSError, ValueError):
        return False  # one of the files does not exist
