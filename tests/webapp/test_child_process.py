"""A child process: its messages, and its end with and without a request."""

from __future__ import annotations

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
