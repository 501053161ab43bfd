"""Reuses the process that does the work of servers' pages from one test's server to the next.

It starts and works as usual. Importing the code that reads pictures takes longer than most tests'
work, so it is done once. A process that a test ends or kills is not reused.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest

from webapp.jobs import worker

_KEPT: list[KeptProcess] = []


class KeptProcess(worker._WorkerProcess):
    """A process that is put aside instead of being stopped, if it is intact."""

    _is_whole = False

    def run(self, task: worker.Task, limit_s: float, is_closed: Callable[[], bool]) -> bool:
        self._is_whole = False
        self._is_whole = super().run(task, limit_s, is_closed)
        return self._is_whole

    def stop(self) -> None:
        if self._is_whole and not _KEPT:
            _KEPT.append(self)
        else:
            super().stop()


def keep_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let servers that are made from now on use the process that was put aside, and keep it
    afterwards.
    """
    monkeypatch.setattr(worker, "_WorkerProcess", _take_process)


def _take_process() -> KeptProcess:
    while _KEPT:
        kept = _KEPT.pop()
        if kept._child.is_alive:
            return kept
    return KeptProcess()
