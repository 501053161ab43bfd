"""A server in a thread of the test's own process."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator

from webapp.config import Config
from webapp.server import RunningServer, open_server


@contextlib.contextmanager
def serve_in_thread(config: Config) -> Iterator[RunningServer]:
    """Run a server in its own thread for the duration of the block."""
    with open_server(config) as (server, listening, running):
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]}, name="server")
        thread.start()
        try:
            yield running
        finally:
            server.stop()
            thread.join()
