"""Workers that a server starts on its own computer, and restarts when they end."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from threading import Event, Thread, main_thread

from webapp.http.logs import LOG

_PAUSE_S = 1.0
_END_S = 10.0


class LocalWorkers:
    """A number of worker processes that run as long as the server."""

    def __init__(self, count: int, arguments: Sequence[str]) -> None:
        """``arguments`` are those of ``crokinole worker``."""
        self._command = [sys.executable, "-m", "webapp", "worker", *arguments]
        self._stop = Event()
        self._threads = [
            Thread(target=self._keep_running, name=f"worker {k + 1}") for k in range(count)
        ]

    def start(self) -> None:
        """Start the workers."""
        for thread in self._threads:
            thread.start()

    def close(self) -> None:
        """Let them release their cameras and end."""
        self._stop.set()
        for thread in self._threads:
            if thread.is_alive():
                thread.join()

    def _keep_running(self) -> None:
        while not self._is_over():
            process = subprocess.Popen(self._command, stdin=subprocess.DEVNULL)
            while process.poll() is None and not self._is_over():
                self._stop.wait(_PAUSE_S)
            if self._is_over():
                _end(process)
                return
            LOG.warning("worker ended", extra={"what": f"exit code {process.returncode}"})
            self._stop.wait(_PAUSE_S)

    def _is_over(self) -> bool:
        """Whether the server is stopping, or was stopped by Ctrl-C."""
        return self._stop.is_set() or not main_thread().is_alive()


def _end(process: subprocess.Popen[bytes]) -> None:
    process.terminate()
    try:
        process.wait(_END_S)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
