"""Where tables and warnings are printed: a terminal, or a pipe that has no width of its own."""

from __future__ import annotations

import os
import shutil
import sys
import textwrap
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # rich takes a while to load, and a warning needs none of it
    from rich.console import Console, RenderableType

#: Columns given to tables in a pipe or a file, unless the environment's COLUMNS says otherwise.
_PIPE_COLUMNS = 160
#: Prose in a terminal is never wider than this.
_PROSE_COLUMNS = 80


def make_console() -> Console:
    """Standard output, as wide as its terminal is."""
    from rich.console import Console

    has_width = sys.stdout.isatty() or "COLUMNS" in os.environ
    return Console(highlight=False, width=None if has_width else _PIPE_COLUMNS)


def print_part(console: Console, part: RenderableType) -> None:
    """Print a table at the console's width, or a text, which is wrapped in a terminal alone."""
    from rich.text import Text

    console.print(part, soft_wrap=isinstance(part, Text) and not console.is_terminal)


def fold_line(line: str, hanging: int) -> list[str]:
    """A line of prose; in a terminal folded to it, the later lines indented by ``hanging``."""
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
    """Print a warning on standard error; the work goes on."""
    print(f"crokinole: {sentence}", file=sys.stderr)
