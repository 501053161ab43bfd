"""How far long work has come, on standard error, where somebody is watching."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from typing import TypeVar

Item = TypeVar("Item")


def show_progress(items: Sequence[Item], doing: str) -> Iterator[Item]:
    """The items one by one, with a progress bar while they are worked on."""
    if len(items) < 2 or not sys.stderr.isatty():
        yield from items
        return
    from rich.console import Console  # only where it is shown: it takes a while to load
    from rich.progress import track

    yield from track(items, description=doing, console=Console(stderr=True), transient=True)
