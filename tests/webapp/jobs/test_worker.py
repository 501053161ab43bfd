"""The process beside the server: order, limits and failures."""

from __future__ import annotations

import ctypes
import os
import subprocess
import time
from collections.abc import Callable, Iterator
from multiprocessing import spawn
from multiprocessing.context import SpawnProcess
from pathlib import Path

import pytest

from webapp.jobs.worker import BusyError, Task, Worker
from webapp.process_limits import limit_decoding

Tell = Callable[[str], None]

#: A slow shared computer may take this long to start a process, s.
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


def own_pid(_tell: Tell) -> int:
    return os.getpid()


def time_and_pid(_tell: Tell) -> tuple[float, int]:
    return time.monotonic(), os.getpid()


def niceness(_tell: Tell) -> int:
    return os.nice(0)


def fail(_tell: Tell) -> None:
    raise RuntimeError("an odd decoder's error")


def start_program(_tell: Tell) -> None:
    subprocess.run(["sleep", "1000"], check=False)


def start_behind_pythons_back(_tell: Tell, mark: Path) -> None:
    """Start a program as a C library would, and let it print its process number."""
    ctypes.CDLL(None).system(f"sh -c 'echo $$ > {mark}; exec sleep 1000' &".encode())
    while not (mark.exists() and mark.read_text()):
        time.sleep(0.01)
    os._exit(1)


def decode_without_end(_tell: Tell) -> None:
    with limit_decoding(0):
        while True:
            pass


def load_slowly() -> Callable[[Tell, int, int], int]:
    time.sleep(2.5)
    return add


class SlowToLoad:
    """A job whose module takes longer to import than the job's time limit."""

    def __reduce__(self) -> tuple[Callable[[], object], tuple[()]]:
        return load_slowly, ()


def is_running(pid: int) -> bool:
    state = Path(f"/proc/{pid}/stat")
    return state.exists() and state.read_text().rpartition(")")[2].split()[0] != "Z"


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
    assert done(worker, worker.submit(niceness)).result >= min(os.nice(0) + 10, 19)


def test_too_many_are_told_to_come_again(worker: Worker) -> None:
    running = worker.submit(sleep, 1.0)
    while not running.is_started:
        time.sleep(0.01)
    waiting = [worker.submit(add, 1, 1) for _ in range(2)]
    assert [worker.place(task) for task in waiting] == [0, 1]
    with pytest.raises(BusyError, match="2 photos are already waiting"):
        worker.submit(add, 1, 1)
    assert done(worker, waiting[1]).result == 2


@pytest.mark.parametrize(
    ("job", "arguments", "words"),
    [
        (sleep, (60.0,), "was stopped"),
        (die, (), "could not be processed"),
        (eat, (), "too large"),
        (fail, (), "could not be processed"),
        (start_program, (), "could not be processed"),
    ],
    ids=["too long", "dies", "too much memory", "raises", "starts a program"],
)
def test_a_bad_job_fails_alone(worker: Worker, job, arguments, words: str) -> None:
    bad, good = worker.submit(job, *arguments), worker.submit(add, 1, 2)
    assert words in (done(worker, bad).problem or "")
    assert done(worker, good).result == 3


def test_loading_a_job_is_not_counted_as_its_time(worker: Worker) -> None:
    assert done(worker, worker.submit(SlowToLoad(), 1, 2)).result == 3


@pytest.mark.parametrize("program", ["/no/such/python", "/bin/false"], ids=["no exec", "ends"])
def test_a_process_that_cannot_start_is_told_at_once_and_later_jobs_go_on(
    worker: Worker, monkeypatch: pytest.MonkeyPatch, program: str
) -> None:
    began_s = time.monotonic()
    with monkeypatch.context() as broken:
        broken.setattr(spawn, "get_executable", lambda: program.encode())
        problems = [done(worker, worker.submit(add, 1, 2)).problem or "" for _ in range(2)]
    assert time.monotonic() - began_s < PATIENCE_S / 2
    assert [problem for problem in problems if "could not start" not in problem] == []
    assert done(worker, worker.submit(add, 1, 2)).result == 3


@pytest.mark.parametrize("error", [MemoryError(), BlockingIOError(11, "no process left")], ids=type)
def test_a_machine_without_memory_for_a_process_leaves_nobody_waiting(
    worker: Worker, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    def refuse(_process: object) -> None:
        raise error

    with monkeypatch.context() as broken:
        broken.setattr(SpawnProcess, "_Popen", staticmethod(refuse))
        problem = done(worker, worker.submit(add, 1, 2)).problem or ""
    assert "could not start" in problem
    assert done(worker, worker.submit(add, 1, 2)).result == 3


def test_a_failed_jobs_traceback_is_logged_and_its_process_goes_on(
    worker: Worker, caplog: pytest.LogCaptureFixture
) -> None:
    process = done(worker, worker.submit(own_pid)).result
    done(worker, worker.submit(fail))
    assert "an odd decoder's error" in caplog.records[-1].trace
    assert done(worker, worker.submit(own_pid)).result == process


def test_a_decoder_that_works_on_without_end_is_ended_before_the_job_is() -> None:
    """It is ended by its processor time, so that pictures get the same time on a busy computer."""
    worker = Worker(limit_s=2 * PATIENCE_S)
    assert "could not be processed" in (
        done(worker, worker.submit(decode_without_end)).problem or ""
    )
    worker.close()


def test_nothing_outlives_the_process(worker: Worker, tmp_path: Path) -> None:
    mark = tmp_path / "pid"
    done(worker, worker.submit(start_behind_pythons_back, mark))
    until_s = time.monotonic() + PATIENCE_S
    started = int(mark.read_text())
    while is_running(started) and time.monotonic() < until_s:
        time.sleep(0.01)
    assert not is_running(started)


def test_a_worker_that_is_closed_leaves_nobody_waiting(worker: Worker) -> None:
    running, waiting = worker.submit(sleep, 30.0), worker.submit(add, 1, 2)
    started_s = time.monotonic()
    worker.close()
    assert time.monotonic() - started_s < PATIENCE_S
    assert running.is_done
    assert "shutting down" in (done(worker, waiting).problem or "")
    with pytest.raises(BusyError):
        worker.submit(add, 1, 2)


def test_previews_wait_for_everything_else_and_are_bounded_and_withdrawn(worker: Worker) -> None:
    running = worker.submit(sleep, 60.0)
    previews = [worker.submit_idle(time_and_pid) for _ in range(4)]
    while not running.is_started:
        pass
    with pytest.raises(BusyError):
        worker.submit_idle(time_and_pid)
    photo = worker.submit(time_and_pid)
    assert worker.withdraw(previews[0])
    assert not worker.withdraw(running)
    worker.cancel(running)
    assert worker.wait(photo, PATIENCE_S)
    assert running.problem == "Cancelled."
    assert worker.wait(previews[-1], PATIENCE_S)
    assert previews[0].result is None
    done_s, pids = zip(*(preview.result for preview in (photo, *previews[1:])), strict=True)
    assert done_s[0] == min(done_s)
    assert len(set(pids)) == 1


def test_a_sender_has_a_share_and_the_scorer_comes_first() -> None:
    worker = Worker(most_waiting=4)
    running = worker.submit(sleep, 1.0)
    while not running.is_started:
        time.sleep(0.01)
    flood = [worker.submit(add, 1, 1, sender="flood") for _ in range(2)]
    with pytest.raises(BusyError):
        worker.submit(add, 1, 1, sender="flood")
    ann, bob = (worker.submit(add, 1, 1, sender=who) for who in ("ann", "bob"))
    with pytest.raises(BusyError):
        worker.submit(add, 1, 1, sender="cid")
    scorer = [worker.submit(add, 1, 1) for _ in range(4)]
    with pytest.raises(BusyError):
        worker.submit(add, 1, 1)
    order = [*scorer, flood[0], ann, flood[1], bob]
    assert [worker.place(task) for task in order] == list(range(8))
    assert worker.withdraw(flood[0])
    assert [worker.place(task) for task in (scorer[3], flood[1], ann, bob)] == [3, 4, 5, 6]
    assert [done(worker, task).result for task in (*scorer, flood[1], ann, bob)] == [2] * 7
    worker.close()
