"""A notice on standard error while the physics are compiled, once and for at most half a minute.

Code that is already compiled is loaded silently from numba's cache. Numba's own events distinguish
the two cases, however busy the computer is.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager

_NOTICE = "Preparing the physics engine. This happens once and takes up to 30 seconds."


@contextmanager
def announce_compilation() -> Iterator[None]:
    """Say on standard error, once, that the physics are being compiled, if numba compiles."""
    from numba.core import event

    class _Announcer(event.Listener):
        """Prints the notice when the first function is compiled."""

        is_printed = False

        def on_start(self, event: event.Event) -> None:  # noqa: ARG002
            if not self.is_printed:
                self.is_printed = True
                print(_NOTICE, file=sys.stderr)

        def on_end(self, event: event.Event) -> None:
            """No further notice is needed."""

    with event.install_listener("numba:compile", _Announcer()):
        yield
