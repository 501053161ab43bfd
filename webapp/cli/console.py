"""The output for tables and warnings: a terminal, or a pipe without a width."""

from __future__ import annotations

import os
import shutil
import sys
import textwrap
from collections.abc import Iterable
from typing import TYPE_CHECKING

from calibration.json_text import format_json

if TYPE_CHECKING:  # rich takes a while to load, and a warning does not need it
    from rich.console import Console, RenderableType

#: Columns used for tables in a pipe or a file, unless the environment variable COLUMNS is set.
_PIPE_COLUMNS = 160
#: Prose in a terminal is never wider than this.
_PROSE_COLUMNS = 80


def make_console() -> Console:
    """Standard output with the width of its terminal."""
    from rich.console import Console

    has_width = sys.stdout.isatty() or "COLUMNS" in os.environ
    return Console(highlight=False, width=None if has_width else _PIPE_COLUMNS)


def print_part(console: Console, part: RenderableType) -> None:
    """Print a table at the console's width, or a text, which is wrapped only in a terminal."""
    from rich.text import Text

    console.print(part, soft_wrap=isinstance(part, Text) and not console.is_terminal)


def print_result(content: object, lines: Iterable[str], *, as_json: bool) -> None:
    """Print a command's result on standard output: as JSON, or as lines for people."""
    print(format_json(content, indent=1) if as_json else "\n".join(lines))


def fold_line(line: str, hanging: int) -> list[str]:
    """A line of prose, wrapped in a terminal, with later lines indented by ``hanging``."""
    if not sys.stdout.isatty():
        return [line]
    return textwrap.wrap(
        line,
        min(_PROSE_COLUMNS, shutil.get_terminal_size().columns),
        subsequent_indent=" " * hanging,
        break_long_words=False,
        break_on_hyphens=False,
    )


def warn(sentence: str) -> None:
    """Print a warning on standard error; the work continues."""
    print(f"crokinole: {sentence}", file=sys.stderr)
