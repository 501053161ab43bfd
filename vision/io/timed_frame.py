"""What every source of frames gives, and what it says when it cannot."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Protocol

import numpy as np


class SourceError(Exception):
    """A source that cannot be used; the message is one sentence that says what to do."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class TimedFrame:
    """One frame: ``image`` (height, width, 3) uint8 BGR with square pixels, upright.

    left_out  how many that came before it nobody could look at
    """

    image: np.ndarray
    t_s: float
    left_out: int = 0


class FrameSource(Protocol):
    """Where frames come from: ``name`` is what a person calls it."""

    name: str
    is_live: bool

    def frames(self, stop: threading.Event, report: Callable[[str], None]) -> Iterator[TimedFrame]:
        """Frames until the source ends or ``stop`` is set; ``report`` gets each problem."""
