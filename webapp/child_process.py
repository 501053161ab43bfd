"""A child process that runs one function, with a pipe between it and its owner.

It is started anew (``spawn``), so it inherits no threads, locks or open files. A terminal's Ctrl-C
does not reach it. It is asked to end when the pipe is closed or its owner dies. If it does not end
in time, it is killed, with the group that it leads, if any.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import signal
from collections.abc import Callable, Iterator
from multiprocessing.connection import Connection
from pathlib import Path
from time import monotonic
from typing import Any

from webapp.process_limits import kill_group
from webapp.varied_parameters import vary_by_environment

_CONTEXT = multiprocessing.get_context("spawn")


class ChildProcess:
    """A running function, until ``end``."""

    def __init__(self, work: Callable[..., None], *arguments: object) -> None:
        """Start ``work(*arguments, pipe)``, a function at a module's top level.

        Raises ``OSError`` and others if the computer cannot start a process.
        """
        self._pipe, theirs = _CONTEXT.Pipe()
        self._process = _CONTEXT.Process(
            target=_run, args=(work, arguments, theirs), daemon=True, name=work.__name__
        )
        try:
            with _block_interrupts():
                self._process.start()
        except BaseException:
            self._pipe.close()
            raise
        finally:
            theirs.close()

    @property
    def is_alive(self) -> bool:
        """Whether it runs."""
        return self._process.is_alive()

    def clock_s(self) -> float:
        """A time that stands still while the process could run, but others have every core.

        Linux keeps this wait; elsewhere, all time counts.
        """
        try:
            waited_ns = int(Path(f"/proc/{self._process.pid}/schedstat").read_text().split()[1])
        except (OSError, IndexError):
            waited_ns = 0
        return monotonic() - 1e-9 * waited_ns

    def send(self, message: object) -> None:
        """Send a message. Raises ``OSError`` if the process is gone; only for one thread."""
        self._pipe.send(message)

    def receive(self, timeout_s: float) -> Any:
        """The next message; None if none comes in time. Raises ``EOFError`` and ``OSError`` if the
        process is gone.
        """
        return self._pipe.recv() if self._pipe.poll(timeout_s) else None

    def end(self, patience_s: float = 0.0) -> int | None:
        """The exit code of the process, which is killed if it does not end in time.

        With ``patience_s``, it is first asked to end by closing the pipe, on which no other thread
        may then send.
        """
        if patience_s:
            self._pipe.close()
            self._process.join(patience_s)
        if self._process.pid is not None:
            kill_group(self._process.pid)
        self._process.kill()
        self._process.join()
        return self._process.exitcode


@vary_by_environment()
def _run(work: Callable[..., None], arguments: tuple[object, ...], pipe: Connection) -> None:
    work(*arguments, pipe)


@contextlib.contextmanager
def _block_interrupts() -> Iterator[None]:
    """Protect a process started here from a terminal's Ctrl-C, because its pipe ends it.

    A blocked signal stays blocked in the child (POSIX, execve); Windows sends none to it.
    """
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
