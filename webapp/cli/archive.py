"""Many sources on several cores: one JSON line a source, written as soon as it is done.

Each source is worked on in a process of its own, so that one that fails, or takes its process with
it, costs only itself; on a cluster (`cluster`) in a task. With a file of lines the work goes on
where it was left: sources that the file has are left out, and a last line that was cut short is
done again.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import multiprocessing
import os
import sys
import traceback
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from multiprocessing.connection import Connection
from pathlib import Path
from threading import Event, Lock
from typing import IO, Any

from calibration.json_text import format_json
from webapp.cli.cluster import ClusterError, work_on_cluster
from webapp.terminal.progress import show_progress_of

Line = dict[str, Any]
#: Makes the line of a source; runs in a process of its own, so it stands at a module's top.
Work = Callable[[str, argparse.Namespace], Line]
_FAILED = frozenset({"failed", "unreadable", "no_board"})
_START = "forkserver" if "forkserver" in multiprocessing.get_all_start_methods() else "spawn"


def run_jobs(sources: Sequence[str], arguments: argparse.Namespace, work: Work) -> list[str]:
    """Write a line for each source that has none; returns what went wrong, one sentence each.

    A line has its source under ``source`` or ``image``, its ``status``, and a ``reason``.
    """
    problems: list[str] = []
    try:
        with _open_lines(arguments.lines) as (done, write):
            wanted = [each for each in dict.fromkeys(sources) if each not in done]
            if len(wanted) < len(set(sources)):
                verb = "is" if len(done) == 1 else "are"
                print(f"crokinole: {len(done)} {verb} done already.", file=sys.stderr)
            do_all = work_on_cluster if arguments.cluster is not None else _work_on_all
            for source, line in do_all(wanted, arguments, work):
                write(line)
                if line["status"] in _FAILED:
                    problems.append(f"{source}: {line['reason']}")
    except ClusterError as error:
        return [str(error)]
    except OSError as error:
        if arguments.lines is None:
            raise
        return [f"{arguments.lines} cannot be used ({error.strerror}); name another file."]
    return problems


def _work_on_all(
    sources: Sequence[str], arguments: argparse.Namespace, work: Work
) -> Iterator[tuple[str, Line]]:
    """Each source with its line, in the order in which they are done."""
    context = multiprocessing.get_context(_START)
    if _START == "forkserver":
        context.set_forkserver_preload([work.__module__])
    stop = Event()
    with ThreadPoolExecutor(max_workers=arguments.jobs or 1) as pool:
        begun = {
            pool.submit(_work_on, context, source, arguments, work, stop): source
            for source in sources
        }
        try:
            for each in show_progress_of(as_completed(begun), len(begun), "Working"):
                yield begun[each], each.result()
        finally:
            stop.set()
            pool.shutdown(cancel_futures=True)


def _work_on(
    context: Any, source: str, arguments: argparse.Namespace, work: Work, stop: Event
) -> Line:
    """The line of a source, or why there is none."""
    ours, theirs = context.Pipe(duplex=False)
    process = context.Process(
        target=_send_line, args=(theirs, source, arguments, work), daemon=True
    )
    process.start()
    theirs.close()
    try:
        while not ours.poll(0.2):
            if stop.is_set():
                process.kill()
        line: Line = ours.recv()
    except EOFError:
        process.join()
        line = _fail(source, f"Its process ended (exit code {process.exitcode}).")
    process.join()
    ours.close()
    return line


def _send_line(pipe: Connection, source: str, arguments: argparse.Namespace, work: Work) -> None:
    try:
        line = work(source, arguments)
    except Exception:  # noqa: BLE001  # whatever a source does, the others go on
        line = _fail(source, "This program failed on it; report it with the file, please.")
        line["trace"] = traceback.format_exc()
    with contextlib.suppress(BrokenPipeError):
        pipe.send(line)


def _fail(source: str, reason: str) -> Line:
    return {"source": source, "status": "failed", "reason": reason}


@contextlib.contextmanager
def _open_lines(path: Path | None) -> Iterator[tuple[set[str], Callable[[Line], None]]]:
    """The sources that a file has, and what adds a line to it; standard output for no file."""
    if path is None:
        yield set(), lambda line: print(format_json(line), flush=True)
        return
    lock = Lock()
    with path.open("a+b") as file:
        done = _read_sources(file)

        def write(line: Line) -> None:
            with lock:
                file.write(f"{format_json(line)}\n".encode())
                file.flush()
                os.fsync(file.fileno())

        yield done, write


def _read_sources(file: IO[bytes]) -> set[str]:
    """The sources of a file's lines; what follows the last whole line is cut off."""
    file.seek(0)
    content = file.read()
    whole = content[: content.rfind(b"\n") + 1]
    if len(whole) < len(content):
        file.truncate(len(whole))
    file.seek(0, os.SEEK_END)
    lines = [json.loads(each) for each in whole.splitlines() if each.strip()]
    return {str(each.get("source", each.get("image"))) for each in lines}
