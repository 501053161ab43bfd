"""Where tables and warnings are printed: a terminal, or a pipe that has no width of its own."""

from __future__ import annotations

import sys
import textwrap

from rich.console import Console

#: Columns given to tables in a pipe or a file, where nothing is gained by folding them.
_PIPE_COLUMNS = 160
#: Prose is read, and never longer than this, wherever it is printed.
_PROSE_COLUMNS = 80


def make_console() -> Console:
    """Standard output, as wide as its terminal is."""
    width = None if sys.stdout.isatty() else _PIPE_COLUMNS
    return Console(highlight=False, width=width)


def fold_line(line: str, hanging: int) -> list[str]:
    """A line of prose in lines of at most 80 letters, the later ones indented by ``hanging``."""
    return textwrap.wrap(
        line,
        _PROSE_COLUMNS,
        subsequent_indent=" " * hanging,
        break_long_words=False,
        break_on_hyphens=False,
    )


def warn(sentence: str) -> None:
    """Say on standard error what a person should know though the work goes on."""
    print(f"crokinole: {sentence}", file=sys.stderr)
