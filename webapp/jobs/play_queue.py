"""Computes every answer once: a request names its subject, and gets the answer when it is ready.

The worker does all other work first. If nobody waits for a request any more, it is dropped when
there are too many, the oldest first; a request that has not started is then never computed.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from threading import Lock

from webapp.jobs.worker import BusyError, Task, Worker

#: Number of answers kept: those of a round's boards, and a few replays.
_MOST_HELD = 48


class PlayQueue:
    """Questions to the physics, and their answers. All threads may use it."""

    def __init__(self, worker: Worker) -> None:
        """Starts without questions."""
        self._worker, self._lock = worker, Lock()
        self._tasks: OrderedDict[Hashable, Task] = OrderedDict()

    def ask(self, key: Hashable, job: Callable[..., object], *arguments: object) -> Task | None:
        """The task that answers; None while too many others wait.

        A failed task is started again at the next request.
        """
        with self._lock:
            task = self._tasks.get(key)
            if task is None:
                try:
                    task = self._worker.submit_idle(job, *arguments)
                except BusyError:
                    return None
                self._tasks[key] = task
            self._tasks.move_to_end(key)
            if task.is_done and task.problem is not None:
                del self._tasks[key]
            while len(self._tasks) > _MOST_HELD:
                self._worker.withdraw(self._tasks.popitem(last=False)[1])
        return task

    def drop_waiting(self, keep: tuple[Hashable, ...]) -> None:
        """Drop waiting jobs for earlier states of this board.

        Their keys share only their first two parts with ``keep``.
        """
        with self._lock:
            for key, task in list(self._tasks.items()):
                is_older = isinstance(key, tuple) and key[:2] == keep[:2] and key != keep
                if is_older and not task.is_started and self._worker.withdraw(task):
                    del self._tasks[key]
