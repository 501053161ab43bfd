"""Searches for inputs that make the program fail, for a given time: ``make fuzz``.

Every target runs in its own monitored process: an input that takes too long is a hang, and a
process that dies is a crash. The last line of a target's row gives its memory. Inputs that cause
failures are written into ``out/fuzz``; add them to ``tests/fuzz/corpus`` together with the fix.
"""

from __future__ import annotations

import argparse
import json
import logging
import os
import resource
import signal
import subprocess
import sys
import time
import traceback
import warnings
from pathlib import Path
from typing import Any

#: Longest time for an input, s of wall time on a busy computer; after that it hangs.
HANG_S = 30.0
#: A process without a new input for this long hangs outside Python, and is killed, s.
_SILENCE_S = 90.0
#: Limit on a target's address space.
_MEMORY_BYTES = 6 * 1024**3
_ROUND = 200
NAMES = (
    "picture", "clip", "simulate", "judge", "explain", "speed", "truth", "match", "profile",
    "command", "api", "json", "pages", "socket",
)  # fmt: skip
_HTTP = ("api", "json", "pages", "socket")


class _Hang(BaseException):
    """An input took too long."""


class _Watched:
    """A target with its counts, which are also in a file."""

    def __init__(self, target: Any, folder: Path, end_s: float) -> None:
        self._target, self._folder, self._end_s = target, folder, end_s
        self._report, self._last = folder / "report.json", folder / "last_input"
        self.counts = {"inputs": 0, "crashes": 0, "hangs": 0, "http_5xx": 0, "peak_mb": 0}

    def check(self, sent: Any) -> None:
        """Check one input, unless the time is up."""
        if time.monotonic() > self._end_s:
            return
        self.counts["inputs"] += 1
        self._last.write_bytes(sent if isinstance(sent, bytes) else repr(sent).encode())
        signal.setitimer(signal.ITIMER_REAL, HANG_S)
        try:
            self._target.check(sent)
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            self.write()

    def write(self) -> None:
        """Write the counts, so that the watcher sees progress."""
        self.counts["peak_mb"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
        self._report.write_text(json.dumps(self.counts))

    def note(self, kind: str) -> None:
        """Count a fault, and write its input."""
        self.counts[kind] += 1
        self.write()
        number = sum(self.counts[kind] for kind in ("crashes", "hangs", "http_5xx"))
        (self._folder / f"fault_{number}.txt").write_text(traceback.format_exc())


def _run_target(name: str, seconds: float, folder: Path) -> None:
    """Test inputs of one target until the time is up, in this process."""
    from hypothesis import HealthCheck, Phase, given, seed, settings

    if name in _HTTP:
        from http_targets import ServerError, http_targets

        target = http_targets()[_HTTP.index(name)]
    else:
        from targets import TARGETS

        ServerError = AssertionError  # no target here answers over HTTP
        target = next(target for target in TARGETS if target.name == name)
    warnings.simplefilter("ignore")
    logging.disable(logging.CRITICAL)
    signal.signal(signal.SIGALRM, _raise_hang)
    hard = resource.getrlimit(resource.RLIMIT_AS)[1]
    resource.setrlimit(resource.RLIMIT_AS, (_MEMORY_BYTES, hard))
    end_s = time.monotonic() + seconds
    watched = _Watched(target, folder, end_s)
    started = int(time.time())
    for number in range(10**9):
        if time.monotonic() > end_s:
            return
        check = given(target.inputs)(lambda sent: watched.check(sent))
        check = settings(
            max_examples=_ROUND,
            deadline=None,
            database=None,
            phases=(Phase.generate,),
            suppress_health_check=list(HealthCheck),
            report_multiple_bugs=False,
        )(check)
        try:
            seed(started + number)(check)()
        except _Hang:
            watched.note("hangs")
        except ServerError:
            watched.note("http_5xx" if name in _HTTP else "crashes")
        except Exception:  # noqa: BLE001  # finding whatever comes is what this is for
            watched.note("crashes")


def _raise_hang(*_: object) -> None:
    raise _Hang


def _watch_target(name: str, seconds: float, out: Path) -> dict[str, Any]:
    """The counts of one target, tested in a separate process."""
    folder = out / name
    folder.mkdir(parents=True, exist_ok=True)
    report = folder / "report.json"
    report.unlink(missing_ok=True)
    command = [sys.executable, __file__, "--one", name, "--seconds", str(seconds)]
    with (folder / "output.txt").open("wb") as log:
        process = subprocess.Popen(
            [*command, "--out", str(out)], stdout=log, stderr=log, start_new_session=True
        )
        started_s = last_s = time.monotonic()
        seen = b""
        while process.poll() is None:
            time.sleep(0.5)
            written = report.read_bytes() if report.exists() else b""
            if written != seen:
                seen, last_s = written, time.monotonic()
            if time.monotonic() > max(last_s + _SILENCE_S, started_s + seconds + _SILENCE_S):
                os.killpg(process.pid, signal.SIGKILL)
                (folder / "last_input").replace(folder / "hung_input")
                process.wait()
    counts = {"inputs": 0, "crashes": 0, "hangs": 0, "http_5xx": 0, "peak_mb": 0}
    counts |= json.loads(report.read_text() or "{}") if report.exists() else {}
    counts["crashes"] += process.returncode not in (0, -signal.SIGKILL)
    counts["hangs"] += process.returncode == -signal.SIGKILL
    return counts


def main() -> int:
    """Test every target in turn; returns 1 if a fault was found."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=10.0, help="for all targets together")
    parser.add_argument("--target", nargs="+", choices=NAMES, default=NAMES)
    parser.add_argument("--out", type=Path, default=Path("out/fuzz"))
    parser.add_argument("--one", choices=NAMES, help=argparse.SUPPRESS)
    parser.add_argument("--seconds", type=float, help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.one:
        _run_target(chosen.one, chosen.seconds, chosen.out / chosen.one)
        return 0
    seconds = 60 * chosen.minutes / len(chosen.target)
    print(f"{'target':10}{'inputs':>9}{'crashes':>9}{'hangs':>7}{'5xx':>5}{'peak MB':>9}")
    total = dict.fromkeys(("inputs", "crashes", "hangs", "http_5xx"), 0)
    peak_mb = 0
    for name in chosen.target:
        counts = _watch_target(name, seconds, chosen.out)
        total = {kind: total[kind] + counts[kind] for kind in total}
        peak_mb = max(peak_mb, counts["peak_mb"])
        _print_row(name, counts)
    _print_row("all", {**total, "peak_mb": peak_mb})
    return int(bool(total["crashes"] + total["hangs"] + total["http_5xx"]))


def _print_row(name: str, counts: dict[str, int]) -> None:
    numbers = (counts[kind] for kind in ("inputs", "crashes", "hangs", "http_5xx", "peak_mb"))
    inputs, crashes, hangs, failed, peak_mb = numbers
    print(f"{name:10}{inputs:9}{crashes:9}{hangs:7}{failed:5}{peak_mb:9}", flush=True)


if __name__ == "__main__":
    sys.exit(main())
