"""The signals that end a program: Ctrl-C, and the one of service managers."""

from __future__ import annotations

import contextlib
import signal
import threading
from collections.abc import Callable, Iterator
from types import FrameType

_END_SIGNALS = (signal.SIGINT, signal.SIGTERM)


@contextlib.contextmanager
def at_end_signal(handler: Callable[[int, FrameType | None], object]) -> Iterator[None]:
    """Call the handler at a signal while the block runs; the code after the block still runs.

    Only a program's main thread receives signals; in another thread this does nothing.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {number: signal.signal(number, handler) for number in _END_SIGNALS}
    try:
        yield
    finally:
        for number, earlier in before.items():
            signal.signal(number, earlier)
