"""A child process: its messages, and its end with and without a request."""

from __future__ import annotations

import os
import time
from multiprocessing.connection import Connection

import pytest

from webapp.child_process import ChildProcess

PATIENCE_S = 60.0


def echo(prefix: str, pipe: Connection) -> None:
    """Send back all messages, until the pipe is closed."""
    try:
        while True:
            pipe.send(prefix + pipe.recv())
    except EOFError:
        return


def hang(pipe: Connection) -> None:
    pipe.send("started")
    time.sleep(PATIENCE_S)


def test_messages_go_both_ways_and_closing_the_pipe_ends_it() -> None:
    child = ChildProcess(echo, "got ")
    assert child.receive(0.0) is None
    child.send("this")
    assert child.receive(PATIENCE_S) == "got this"
    assert child.is_alive
    assert child.end(PATIENCE_S) == 0
    assert not child.is_alive


def test_one_that_hangs_is_killed_and_what_is_received_of_it_is_its_end() -> None:
    child = ChildProcess(hang)
    assert child.receive(PATIENCE_S) == "started"
    assert child.end() not in (0, None)
    with pytest.raises((EOFError, OSError)):
        child.receive(PATIENCE_S)


def spin(pipe: Connection) -> None:
    """Compute without end on the first core that the process may use."""
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    pipe.send("started")
    while True:
        pass


def test_its_clock_does_not_count_the_time_that_others_have_its_core() -> None:
    starved, rival = ChildProcess(spin), ChildProcess(spin)
    assert [child.receive(PATIENCE_S) for child in (starved, rival)] == ["started"] * 2
    began_s, clock_s = time.monotonic(), starved.clock_s()
    lost_s = 0.0
    while lost_s < 0.1 and time.monotonic() < began_s + PATIENCE_S:
        time.sleep(0.01)
        lost_s = time.monotonic() - began_s - (starved.clock_s() - clock_s)
    for child in (starved, rival):
        child.end()
    assert lost_s >= 0.1


def test_its_clock_counts_the_time_that_it_sleeps() -> None:
    child = ChildProcess(hang)
    assert child.receive(PATIENCE_S) == "started"
    began_s, clock_s = time.monotonic(), child.clock_s()
    time.sleep(0.3)
    counted_s = child.clock_s() - clock_s
    assert counted_s == pytest.approx(time.monotonic() - began_s, abs=0.1)
    child.end()
