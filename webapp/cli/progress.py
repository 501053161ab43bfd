"""Progress of long work on standard error, if it is a terminal."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence
from typing import TypeVar

Item = TypeVar("Item")


def show_progress_of(items: Iterable[Item], count: int, doing: str) -> Iterator[Item]:
    """Yield items as they come, with a progress bar up to the total."""
    if count < 2 or not sys.stderr.isatty():
        yield from items
        return
    from rich.console import Console  # imported only if it is shown: it takes a while to load
    from rich.progress import track

    bar = Console(stderr=True)
    yield from track(items, description=doing, total=count, console=bar, transient=True)


def show_progress(items: Sequence[Item], doing: str) -> Iterator[Item]:
    """Yield the items one by one, with a progress bar during the work."""
    yield from show_progress_of(items, len(items), doing)
