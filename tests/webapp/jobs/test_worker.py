"""The process beside the server: order, limits and failures."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator

import pytest

from webapp.jobs.worker import BusyError, Task, Worker

Tell = Callable[[str], None]

#: A slow shared machine may take this long to start a process, s.
PATIENCE_S = 60.0


def add(tell: Tell, a: int, b: int) -> int:
    tell("adding")
    return a + b


def nothing(_tell: Tell) -> None:
    pass


def sleep(_tell: Tell, seconds: float) -> None:
    time.sleep(seconds)


def die(_tell: Tell) -> None:
    os._exit(3)


def eat(_tell: Tell) -> int:
    return len(bytearray(64 * 1024**3))


def niceness(_tell: Tell) -> int:
    return os.nice(0)


@pytest.fixture
def worker() -> Iterator[Worker]:
    made = Worker(limit_s=2.0, most_waiting=2)
    yield made
    made.close()


def done(worker: Worker, task: Task) -> Task:
    assert worker.wait(task, PATIENCE_S)
    return task


def test_jobs_are_done_in_order_and_tell_how_far_they_are(worker: Worker) -> None:
    first, second = worker.submit(add, 1, 2), worker.submit(add, 3, 4)
    assert (done(worker, first).result, done(worker, second).result) == (3, 7)
    assert first.progress == "adding"
    assert worker.place(second) == 0


def test_warming_up_starts_the_process_once(worker: Worker) -> None:
    worker.warm_up(nothing)
    worker.warm_up(nothing)
    assert worker.place(worker.submit(add, 1, 2)) <= 1


def test_its_process_gives_way_to_the_server(worker: Worker) -> None:
    assert done(worker, worker.submit(niceness)).result >= 10


def test_too_many_are_told_to_come_again(worker: Worker) -> None:
    running = worker.submit(sleep, 1.0)
    while not running.is_started:
        time.sleep(0.01)
    waiting = [worker.submit(add, 1, 1) for _ in range(2)]
    assert [worker.place(task) for task in waiting] == [0, 1]
    with pytest.raises(BusyError, match="2 pictures wait already"):
        worker.submit(add, 1, 1)
    assert done(worker, waiting[1]).result == 2


@pytest.mark.parametrize(
    ("job", "arguments", "words"),
    [
        (sleep, (60.0,), "was given up"),
        (die, (), "failed"),
        (eat, (), "too large"),
    ],
    ids=["too long", "dies", "too much memory"],
)
def test_a_bad_job_fails_alone(worker: Worker, job, arguments, words: str) -> None:
    bad, good = worker.submit(job, *arguments), worker.submit(add, 1, 2)
    assert words in (done(worker, bad).problem or "")
    assert done(worker, good).result == 3


def test_a_worker_that_is_closed_leaves_nobody_waiting(worker: Worker) -> None:
    running, waiting = worker.submit(sleep, 30.0), worker.submit(add, 1, 2)
    started_s = time.monotonic()
    worker.close()
    assert time.monotonic() - started_s < PATIENCE_S
    assert running.is_done
    assert "stopping" in (done(worker, waiting).problem or "")
    with pytest.raises(BusyError):
        worker.submit(add, 1, 2)
