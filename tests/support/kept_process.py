"""The process that works for servers' pages, kept from one test's server to the next.

It is started as ever, and does what it does for one server. It loads what reads pictures once, and
that takes longer than most that tests have it do. One that a test ends, or lets fall, is gone.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest

from webapp.jobs import worker

_KEPT: list[KeptProcess] = []


class KeptProcess(worker._WorkerProcess):
    """One that is put aside, where it is whole, instead of being stopped."""

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
    """Let servers that are made from here on use the process that was put aside, and keep it."""
    monkeypatch.setattr(worker, "_WorkerProcess", _take_process)


def _take_process() -> KeptProcess:
    while _KEPT:
        kept = _KEPT.pop()
        if kept._child.is_alive:
            return kept
    return KeptProcess()
