"""Processes reuse the memory of pictures, and work without limits on systems that have none."""

from __future__ import annotations

import os
import platform
import subprocess
import sys
from pathlib import Path

import pytest
from paths import ROOT, STILLS

#: Removes POSIX functions that Windows lacks from every started process, as far as Python can.
WITHOUT_POSIX = """
import os, sys

class Blocker:
    def find_spec(self, name, path=None, target=None):
        if name in ("resource", "fcntl", "termios", "pwd", "grp"):
            raise ModuleNotFoundError(name)

sys.meta_path.insert(0, Blocker())
for name in ("nice", "setsid", "killpg", "getloadavg"):
    delattr(os, name)
"""
JOB = """
from webapp.jobs.worker import Worker
from webapp.process_limits import limit_decoding

def read(tell, path):
    from scorer.photo.score_file import score_file
    with limit_decoding():
        return score_file(path).status.value

def main(path):
    import webapp.server, webapp.live.referee_process
    from bench.timing import peak_memory_mb
    from webapp.http.connection import raise_handle_limit
    worker = Worker()
    task = worker.submit(read, path)
    worker.wait(task, 60)
    worker.close()
    print(task.result, task.problem, raise_handle_limit(100), peak_memory_mb())
"""


def test_a_picture_is_read_by_the_server_where_posix_is_missing(tmp_path: Path) -> None:
    (tmp_path / "sitecustomize.py").write_text(WITHOUT_POSIX, encoding="utf-8")
    (tmp_path / "picture_job.py").write_text(JOB, encoding="utf-8")
    picture = STILLS / "empty_cherry_board.jpg"
    done = subprocess.run(
        [sys.executable, "-c", f"import picture_job; picture_job.main({str(picture)!r})"],
        env=os.environ
        | {"PYTHONPATH": os.pathsep.join((str(tmp_path), str(ROOT), str(ROOT / "tests")))},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout.split() == ["scored", "None", "100", "None"], done.stderr


#: Allocates and frees memory for ten pictures, and counts the pages that the system had to clear
#: again.
PICTURES = """
import resource
from webapp.process_limits import keep_freed_memory

def take_pictures():
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    pictures = [b"1" * 3_000_000 for _ in range(10)]
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before

keep_freed_memory()
first = take_pictures()
take_pictures()
print(first, take_pictures())
"""


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="only glibc keeps memory when asked")
def test_pictures_take_the_memory_that_others_had() -> None:
    done = subprocess.run(
        [sys.executable, "-c", PICTURES], cwd=ROOT, capture_output=True, text=True, check=True
    )
    first, later = map(int, done.stdout.split())
    assert later < first / 10
