"""Many sources on several cores: one JSON line per source, written as soon as it is done.

Every source has its own process, so one that fails, or crashes its process, affects only itself; on
a cluster (`cluster`), every source is a task. With a file of lines, the work continues where it
stopped: sources already in the file are skipped, and an incomplete last line is written again.
"""

from __future__ import annotations

import contextlib
import json
import multiprocessing
import os
import traceback
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from multiprocessing.connection import Connection
from pathlib import Path
from threading import Event
from typing import IO, Any

from calibration.json_text import format_json
from webapp.cli.cluster import fail_source, work_on_cluster
from webapp.cli.console import warn
from webapp.cli.progress import show_progress_of
from webapp.varied_parameters import vary_by_environment

Line = dict[str, object]
#: Makes the line of a source. It runs in another process, so it must be picklable.
Work = Callable[[str], Line]
_FAILED = frozenset({"failed", "unreadable", "no_board"})
_START = "forkserver" if "forkserver" in multiprocessing.get_all_start_methods() else "spawn"


class ManySources:
    """How many sources are read (processes or a cluster), and where the lines go."""

    def __init__(
        self, jobs: int | None = None, lines: Path | None = None, cluster: str | None = None
    ) -> None:
        """Work in that many processes, or on a cluster."""
        self.jobs, self.lines, self.cluster = jobs, lines, cluster

    @property
    def is_wanted(self) -> bool:
        """Whether one JSON line per source is wanted."""
        return any(given is not None for given in (self.jobs, self.lines, self.cluster))

    def run(self, sources: Sequence[str], work: Work) -> list[str]:
        """Write a line for every source without one; returns the errors, one sentence each.

        A line has its source under ``source`` or ``image``, its ``status``, and a ``reason``.
        """
        problems: list[str] = []
        with _open_lines(self.lines) as (done, write):
            wanted = [name for name in dict.fromkeys(sources) if name not in done]
            if len(wanted) < len(set(sources)):
                warn(f"{len(done)} {'is' if len(done) == 1 else 'are'} already done.")
            lines = (
                _work_on_all(wanted, self.jobs or 1, work)
                if self.cluster is None
                else work_on_cluster(wanted, self.cluster, work)
            )
            for source, line in lines:
                write(line)
                if line["status"] in _FAILED:
                    problems.append(f"{source}: {line['reason']}")
        return problems


def _work_on_all(sources: Sequence[str], jobs: int, work: Work) -> Iterator[tuple[str, Line]]:
    """The sources with their lines, in the order in which they finish."""
    context = multiprocessing.get_context(_START)
    if _START == "forkserver":
        context.set_forkserver_preload([getattr(work, "func", work).__module__])
    stop = Event()
    with ThreadPoolExecutor(max_workers=jobs) as pool:
        begun = {pool.submit(_work_on, context, source, work, stop): source for source in sources}
        try:
            for future in show_progress_of(as_completed(begun), len(begun), "Working"):
                yield begun[future], future.result()
        finally:
            stop.set()
            pool.shutdown(cancel_futures=True)


def _work_on(context: Any, source: str, work: Work, stop: Event) -> Line:
    """The line of a source, or why there is none."""
    ours, theirs = context.Pipe(duplex=False)
    process = context.Process(target=_send_line, args=(theirs, source, work), daemon=True)
    process.start()
    theirs.close()
    try:
        while not ours.poll(0.2):
            if stop.is_set():
                process.kill()
        line: Line = ours.recv()
    except EOFError:
        process.join()
        line = fail_source(source, f"Its process ended (exit code {process.exitcode}).")
    process.join()
    ours.close()
    return line


@vary_by_environment()
def _send_line(pipe: Connection, source: str, work: Work) -> None:
    try:
        line = work(source)
    except Exception:  # noqa: BLE001  # whatever a source does, the others go on
        line = fail_source(
            source, "The program failed on this file. Please report it and attach the file."
        )
        line["trace"] = traceback.format_exc()
    with contextlib.suppress(BrokenPipeError):
        pipe.send(line)


@contextlib.contextmanager
def _open_lines(path: Path | None) -> Iterator[tuple[set[str], Callable[[Line], None]]]:
    """The sources already in a file, and a function that adds a line to it; standard output without
    a file.
    """
    if path is None:
        yield set(), lambda line: print(format_json(line), flush=True)
        return
    with path.open("a+b") as file:
        done = _read_sources(file)

        def write(line: Line) -> None:
            file.write(f"{format_json(line)}\n".encode())
            file.flush()
            os.fsync(file.fileno())

        yield done, write


def _read_sources(file: IO[bytes]) -> set[str]:
    """The sources of a file's lines; an incomplete last line is cut off."""
    file.seek(0)
    content = file.read()
    whole = content[: content.rfind(b"\n") + 1]
    file.truncate(len(whole))
    lines = [json.loads(line) for line in whole.splitlines() if line.strip()]
    return {str(line.get("source", line.get("image"))) for line in lines}
