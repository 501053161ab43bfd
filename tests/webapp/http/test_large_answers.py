"""A large file is sent from disk in pieces: the server holds only a small part of it in memory."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from paths import ROOT

#: The film has this size; its content is the position, in 8-byte words.
FILM_BYTES = 32 * 2**20
#: Memory that three clients at once may use, including that of a page's first request: less than
#: one film.
MOST_BYTES = 24 * 2**20
PIECE_BYTES = 2**20

#: A program that serves a finished review with a large film, prints the film's address, and waits.
SERVER = """
import sys
from pathlib import Path
from array import array
from served_thread import serve_in_thread
from webapp.config import Config
from webapp.jobs.job_services import job_services_of
from webapp.jobs.review_job import VIDEO, ReviewResult
from webapp.jobs.worker import Task

def hold(upload, folder):
    words = 2**17
    with (folder / VIDEO).open("wb") as film:
        for start in range(0, int(sys.argv[1]) // 8, words):
            film.write(array("Q", range(start, start + words)).tobytes())
    return Task(job=print, arguments=(), is_done=True, result=ReviewResult())

with serve_in_thread(Config(port=0, database=sys.argv[2])) as running:
    held = job_services_of(running.app).reviews.hold(None, "film.mp4", hold)
    print(f"{running.address}/review/{held.key}/review.mp4", flush=True)
    sys.stdin.read()
"""


@pytest.fixture(scope="module")
def film(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, int]]:
    """The address of a film on a server in its own process, and the process's number."""
    folder = tmp_path_factory.mktemp("film")
    paths = (str(ROOT), str(ROOT / "tests"), str(ROOT / "tests" / "support"))
    with subprocess.Popen(
        [sys.executable, "-c", SERVER, str(FILM_BYTES), str(folder / "m.db")],
        env=os.environ | {"PYTHONPATH": os.pathsep.join(paths)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as program:
        assert program.stdout is not None
        try:
            yield program.stdout.readline().strip(), program.pid
        finally:
            program.communicate()


def read_memory(pid: int, name: str) -> int:
    """A process's memory in bytes: ``VmRSS`` now, or ``VmHWM`` at its peak."""
    status = Path(f"/proc/{pid}/status").read_text(encoding="ascii")
    found = re.search(rf"{name}:\s+(\d+) kB", status)
    assert found is not None
    return int(found[1]) * 1024


def read_rest(answer: object) -> int:
    """Read an answer to its end; returns the number of bytes."""
    return sum(map(len, iter(lambda: answer.read(PIECE_BYTES), b"")))  # type: ignore[attr-defined]


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="memory is read from /proc")
def test_three_clients_who_read_slowly_cost_little_memory(film: tuple[str, int]) -> None:
    address, pid = film
    with urllib.request.urlopen(address, timeout=30) as first:
        first.read(1)
    before = read_memory(pid, "VmRSS")
    for start in (0, 4096):
        headers = {"Range": f"bytes={start}-"} if start else {}
        request = urllib.request.Request(address, headers=headers)
        with ExitStack() as stack:
            answers = [stack.enter_context(urllib.request.urlopen(request)) for _ in range(3)]
            begun = [answer.read(PIECE_BYTES) for answer in answers]
            assert [answer.status for answer in answers] == [206 if start else 200] * 3
            sizes = [
                len(part) + read_rest(answer) for part, answer in zip(begun, answers, strict=True)
            ]
        assert sizes == [FILM_BYTES - start] * 3
    assert read_memory(pid, "VmHWM") - before < MOST_BYTES


def test_a_range_of_a_large_file_is_exact(film: tuple[str, int]) -> None:
    ranges = {"0-7": (0, 8), "65528-65551": (65528, 65552), "-8": (FILM_BYTES - 8, FILM_BYTES)}
    for asked, (first, end) in ranges.items():
        request = urllib.request.Request(film[0], headers={"Range": f"bytes={asked}"})
        with urllib.request.urlopen(request) as answer:
            content = answer.read()
        assert answer.headers["Content-Range"] == f"bytes {first}-{end - 1}/{FILM_BYTES}"
        words = range(first // 8, end // 8)
        assert content == b"".join(word.to_bytes(8, sys.byteorder) for word in words)


def test_a_file_is_closed_when_its_reader_leaves(film: tuple[str, int]) -> None:
    address, pid = film
    for _ in range(5):
        with urllib.request.urlopen(address) as answer:
            answer.read(PIECE_BYTES)
    for _ in range(200):  # a busy server notices later that a reader has left
        with urllib.request.urlopen(address.replace("review.mp4", "progress")) as answer:
            answer.read()
        open_files = [file.readlink().name for file in Path(f"/proc/{pid}/fd").iterdir()]
        if "review.mp4" not in open_files:
            break
    assert "review.mp4" not in open_files
