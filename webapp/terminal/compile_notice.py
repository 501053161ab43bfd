"""A notice on standard error while the physics are compiled: which takes seconds, once."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager

#: Loading what was compiled before takes less than this.
_NOTICE_DELAY_S = 1.5


@contextmanager
def announce_compilation() -> Iterator[None]:
    """Say on standard error that the physics are being compiled, when the work takes long."""
    words = "Compiling the physics; this happens once and takes some seconds."
    timer = threading.Timer(_NOTICE_DELAY_S, print, [words], {"file": sys.stderr})
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
