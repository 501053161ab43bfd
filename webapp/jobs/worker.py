"""One process beside the server that reads pictures, one after the other.

It is limited in memory and time. However large or broken a picture is, it can harm only this
process, which has lower priority than the live referee, is killed when a job takes too long, and is
restarted after a failure. It starts with the first job and ends after a while without jobs. It
starts no other program, and leads a process group that is killed as a whole, so no process outlives
it. A job fails with one sentence of explanation, never with an exception; the log has the
traceback.
"""

from __future__ import annotations

import contextlib
import os
import sys
import threading
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from calibration.phrase import Phrase
from webapp.child_process import ChildProcess
from webapp.http.logs import LOG
from webapp.process_limits import (
    lead_group,
    limit_memory,
    step_back,
)

#: A picture takes about a second, or six without a board. Limits of time do not count how long a
#: process waits for a core of a busy computer.
LIMIT_S = 60.0
#: Number of spectators' jobs that may wait, about a minute for the last one, and the same number of
#: the scorer's.
MOST_WAITING = 8
#: Largest share of the waiting jobs from one sender.
_SHARE = 0.5
#: Number of idle jobs that may wait.
_MOST_IDLE = 4
#: A process without work ends after this.
_IDLE_S = 120.0
#: Time for the process to start, on a slow machine, before the first job.
_START_S = 60.0
#: Interval between looks at whether a job is cancelled.
_LOOK_S = 0.25
#: A process that closed its pipe has ended after this time.
_REAP_S = 1.0
#: Niceness of the process (of 19).
_NICENESS = 10
#: Limit on the process's address space: five times the need of the largest allowed picture.
_MEMORY_BYTES = 6 * 1024**3

#: Python's audit events for starting another program (PEP 578), which no picture needs.
_PROCESS_EVENTS = frozenset(
    {
        "subprocess.Popen",
        "os.system",
        "os.exec",
        "os.posix_spawn",
        "os.spawn",
        "os.fork",
        "pty.spawn",
    }
)
_FAILED = Phrase("This photo could not be processed. Send another one.")
_NOT_STARTED = Phrase(
    "The server could not start reading photos, perhaps because memory "
    "is low. Try again in a minute."
)
_CANCELLED = Phrase("Cancelled.")
_STOPPING = Phrase("The server is shutting down. Try again later.")
_TOO_LONG = Phrase(
    "Processing took over %(limit_s).0f seconds and was stopped. Send a smaller or clearer photo."
)

#: Jobs that run beside the server: their arguments are a function for reporting progress, and then
#: their own.
Job = Callable[..., object]


class BusyError(Exception):
    """Too many jobs are waiting already; the text is one sentence that suggests a remedy."""


@dataclass(eq=False)
class Task:
    """A submitted job and its state.

    sender    the address of the spectator who sent it; None for the scorer's
    is_idle   whether it runs only when nothing else waits
    progress  its current stage, in the job's words
    problem   the reason for its failure, as one sentence
    """

    job: Job
    arguments: tuple[object, ...]
    sender: str | None = None
    is_idle: bool = False
    progress: str = ""
    result: Any = None
    problem: str | None = None
    is_done: bool = False
    is_started: bool = False
    is_cancelled: bool = False


class Worker:
    """Passes jobs to its process one by one: the scorer's first, then spectators' in turn.

    All threads may use it.
    """

    def __init__(self, *, limit_s: float = LIMIT_S, most_waiting: int = MOST_WAITING) -> None:
        """Nothing has been started yet."""
        self._limit_s, self._most_waiting = limit_s, most_waiting
        self._waiting: list[Task] = []
        self._last_sender: str | None = None
        self._changed = threading.Condition()
        self._thread: threading.Thread | None = None
        self._is_closed = False

    def submit(self, job: Job, *arguments: object, sender: str | None = None) -> Task:
        """Queue a job, a function at a module's top level. Raises ``BusyError``.

        sender  the address of a spectator who sent it and has a share of the waiting jobs
        """
        with self._changed:
            urgent = [task for task in self._waiting if not task.is_idle]
            waiting = [task for task in urgent if (task.sender is None) == (sender is None)]
            own = sum(task.sender == sender for task in waiting)
            share = self._most_waiting * (1 if sender is None else _SHARE)
            if self._is_closed or len(waiting) >= self._most_waiting or own >= max(1, share):
                LOG.warning("limit", extra={"what": "too many photos in the queue", "who": sender})
                raise BusyError(
                    Phrase(
                        "%(count)s photos are already waiting. Send this one again in a minute.",
                        count=len(waiting),
                    )
                )
            return self._put(Task(job=job, arguments=arguments, sender=sender))

    def submit_idle(self, job: Job, *arguments: object) -> Task:
        """Like ``submit``, for a job that runs only when nothing waits: a preview, which a photo
        overtakes.
        """
        with self._changed:
            if self._is_closed or sum(task.is_idle for task in self._waiting) >= _MOST_IDLE:
                raise BusyError(
                    Phrase(
                        "Too many phones are using the aiming guide at once. Take the "
                        "photo without it."
                    )
                )
            return self._put(Task(job=job, arguments=arguments, is_idle=True))

    def _put(self, task: Task) -> Task:
        """Wake the thread for one more job, and start the thread if necessary."""
        self._waiting.append(task)
        if self._thread is None:
            self._thread = threading.Thread(target=self._work, name="worker", daemon=True)
            self._thread.start()
        self._changed.notify_all()
        return task

    def warm_up(self, job: Job) -> None:
        """Start the process, if it is not running, with a job that loads later jobs' modules."""
        with self._changed:
            is_cold = self._thread is None and not self._is_closed
        if is_cold:
            with contextlib.suppress(BusyError):  # then it is running already
                self.submit(job)

    def place(self, task: Task) -> int:
        """Number of jobs before a waiting one."""
        with self._changed:
            return self._order().index(task) if task in self._waiting else 0

    def _order(self) -> list[Task]:
        """The waiting jobs, in order of execution."""
        left = [task for task in self._waiting if not task.is_idle]
        last, order = self._last_sender, list[Task]()
        while left:
            task = next(
                (waiting for waiting in left if waiting.sender is None),
                next((waiting for waiting in left if waiting.sender != last), left[0]),
            )
            left.remove(task)
            order.append(task)
            last = task.sender
        return order + [task for task in self._waiting if task.is_idle]

    def cancel(self, task: Task) -> None:
        """Drop it, or end the process that runs it; the next job gets a new process."""
        with self._changed:
            if not self.withdraw(task):
                task.is_cancelled = True

    def withdraw(self, task: Task, problem: str = _CANCELLED) -> bool:
        """Drop a task that has not started; returns whether it was dropped."""
        with self._changed:
            is_waiting = task in self._waiting
            if is_waiting:
                self._waiting.remove(task)
                task.problem, task.is_done = problem, True
                self._changed.notify_all()
            return is_waiting

    def wait(self, task: Task, timeout_s: float) -> bool:
        """Whether the task is done, after at most this time."""
        with self._changed:
            return self._changed.wait_for(lambda: task.is_done, timeout_s)

    def close(self) -> None:
        """End the process; waiting jobs are dropped."""
        with self._changed:
            self._is_closed = True
            thread = self._thread
            self._changed.notify_all()
        if thread is not None:
            thread.join(timeout=2 * self._limit_s)

    def _work(self) -> None:
        """Pass on jobs until there are none for a while."""
        process: _WorkerProcess | None = None
        while True:
            task = self._next()
            if task is None:
                break
            process = process or _start_process(task)
            if process is not None and not process.run(
                task, self._limit_s, lambda: self._is_closed
            ):
                process = None
            with self._changed:
                task.is_done, task.arguments = True, ()  # a task may hold a picture of 80 MB
                self._changed.notify_all()
        if process is not None:
            process.stop()

    def _next(self) -> Task | None:
        """The next task; None if this thread may end."""
        with self._changed:
            self._changed.wait_for(lambda: self._waiting or self._is_closed, _IDLE_S)
            if self._is_closed or not self._waiting:
                self._thread = None
                for task in list(self._waiting):
                    self.withdraw(task, _STOPPING)
                return None
            task = self._order()[0]
            self._waiting.remove(task)
            self._last_sender, task.is_started = task.sender, True
            return task


def _start_process(task: Task) -> _WorkerProcess | None:
    """A new process; None, with the task's problem set, if the computer cannot start one."""
    try:
        return _WorkerProcess()
    except Exception:  # noqa: BLE001  # whatever kept this one from starting, the next job tries
        LOG.error("photo process not started", extra={"trace": traceback.format_exc()})
        task.problem = _NOT_STARTED
        return None


class _WorkerProcess:
    """The process, and the protocol of its pipe: jobs and their results."""

    def __init__(self) -> None:
        self._child, self._is_fresh = ChildProcess(_run_jobs), True

    def run(self, task: Task, limit_s: float, is_closed: Callable[[], bool]) -> bool:
        """Run a task; returns whether the process can continue with the next."""
        try:
            if self._is_fresh:
                self._wait_until_ready()
            self._is_fresh = False
            self._child.send((task.job, task.arguments))
            if self._wait_for_result(task, limit_s, is_closed):
                return True
            task.problem = _CANCELLED if task.is_cancelled else _TOO_LONG.put(limit_s=limit_s)
        except (EOFError, OSError):
            code = self._child.end(_REAP_S)
            LOG.error("photo process failed", extra={"what": f"exit code {code}"})
            task.problem = _NOT_STARTED if self._is_fresh else _FAILED
        self.stop()
        return False

    def _wait_until_ready(self) -> None:
        """Raises ``EOFError`` if the process does not start in time."""
        end_s = self._child.clock_s() + _START_S
        while self._child.receive(_LOOK_S) is None:
            if self._child.clock_s() > end_s:
                raise EOFError

    def _wait_for_result(self, task: Task, limit_s: float, is_closed: Callable[[], bool]) -> bool:
        """Whether the process finished the task in time; its result or problem is then set.

        The time counts from when the process has loaded the job, which a busy computer delays.
        """
        end_s = self._child.clock_s() + _START_S
        while self._child.clock_s() < end_s and not is_closed() and not task.is_cancelled:
            match self._child.receive(_LOOK_S):
                case "loaded", _:
                    end_s = self._child.clock_s() + limit_s
                case "progress", words:
                    task.progress = words
                case "done", (result, problem, trace):
                    task.result, task.problem = result, problem
                    if trace is not None:
                        LOG.error("job failed", extra={"trace": trace})
                    return True
        return False

    def stop(self) -> None:
        """End the process and all its children, in any state."""
        self._child.end()


def _run_jobs(pipe: Connection) -> None:
    """The process's work: one job after the other, until its owner is gone."""
    lead_group()
    # decoders write to it directly, not through Python
    with Path(os.devnull).open("wb") as nowhere:
        os.dup2(nowhere.fileno(), sys.stderr.fileno())
    _lower_priority()
    sys.addaudithook(_refuse_processes)
    pipe.send("ready")
    with contextlib.suppress(EOFError, OSError):
        while True:
            job, arguments = pipe.recv()
            pipe.send(("loaded", None))
            pipe.send(("done", _run_job(job, arguments, pipe)))


def _run_job(
    job: Job, arguments: tuple[object, ...], pipe: Connection
) -> tuple[object, str | None, str | None]:
    """A job's result, or its problem and the traceback of a failure."""
    try:
        return job(lambda words: pipe.send(("progress", words)), *arguments), None, None
    except MemoryError:
        return None, Phrase("The photo is too large. Send a smaller one."), None
    except Exception:  # noqa: BLE001  # whatever a picture brings about, the next one is looked at
        return None, _FAILED, traceback.format_exc()


def _refuse_processes(event: str, _arguments: tuple[object, ...]) -> None:
    """An audit hook that refuses to start other programs."""
    if event in _PROCESS_EVENTS:
        raise PermissionError(
            Phrase("reading a photo must not start a program (%(event)s)", event=event)
        )


def _lower_priority() -> None:
    """Lower the priority below the server's, limit the memory, and leave no core dump."""
    step_back(_NICENESS)
    limit_memory(_MEMORY_BYTES)
    import cv2  # loaded here, so that the first picture need not wait for it

    cv2.setNumThreads(1)
