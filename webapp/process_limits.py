"""Limits of a process: priority, memory, processor time, open files, its group.

Uses POSIX's ``getrlimit``, ``nice`` and process groups, and glibc's ``mallopt``. Windows has none
of these. There the functions do nothing, and only the starter of a process ends it after its time.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
import sys
from collections.abc import Iterator

try:
    import resource
except ImportError:
    _HAS_LIMITS = False
else:
    _HAS_LIMITS = True
#: Parameters of glibc's ``mallopt``, by their names in ``malloc.h``. Their values are the largest
#: accepted threshold, because pictures take megabytes, and the free memory that a process may keep.
_M_TRIM_THRESHOLD, _M_MMAP_THRESHOLD = -1, -3
_POOLED_BYTES, _KEPT_BYTES = 32 * 2**20, 128 * 2**20
#: Time limit for decoding a picture, s of processor time; the largest allowed picture takes a
#: tenth.
_DECODING_S = 20


def step_back(niceness: int) -> None:
    """Let other processes go first, by a niceness of up to 19."""
    if hasattr(os, "nice"):
        os.nice(niceness)


def lead_group() -> None:
    """Make this process the leader of a group that ``kill_group`` ends as a whole."""
    if hasattr(os, "setsid"):
        os.setsid()


def kill_group(leader: int) -> None:
    """End a leader's whole group, in any state; does nothing if it has ended, or never led."""
    if hasattr(os, "killpg"):
        with contextlib.suppress(ProcessLookupError):
            os.killpg(leader, signal.SIGKILL)


def limit_memory(most_bytes: int) -> None:
    """Limit the address space of this process, and let it leave no core dump."""
    if _HAS_LIMITS:
        most = resource.getrlimit(resource.RLIMIT_AS)[1]
        resource.setrlimit(resource.RLIMIT_AS, (_lower(most_bytes, most), most))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def keep_freed_memory() -> None:
    """Let this process reuse the memory of earlier pictures for the next ones.

    Otherwise the system clears every page of a picture again, which takes longer than most of the
    work on it. Does nothing if the C library is not glibc.
    """
    set_option = getattr(ctypes.CDLL(None), "mallopt", None) if sys.platform == "linux" else None
    if set_option is not None:
        set_option(_M_MMAP_THRESHOLD, _POOLED_BYTES)
        set_option(_M_TRIM_THRESHOLD, _KEPT_BYTES)


@contextlib.contextmanager
def limit_decoding(limit_s: int = _DECODING_S) -> Iterator[None]:
    """End this process if the block takes longer, s of processor time, because a decoder cannot be
    asked to stop.
    """
    if not _HAS_LIMITS:
        yield
        return
    used = resource.getrusage(resource.RUSAGE_SELF)
    most = resource.getrlimit(resource.RLIMIT_CPU)[1]
    end_s = int(used.ru_utime + used.ru_stime) + limit_s + 1
    resource.setrlimit(resource.RLIMIT_CPU, (_lower(end_s, most), most))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_CPU, (most, most))


def raise_open_files(needed: int) -> int | None:
    """The number of files that this process may hold open, after raising it to ``needed``; None:
    any number.
    """
    if not _HAS_LIMITS:
        return None
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft != resource.RLIM_INFINITY and soft < needed:
        soft = _lower(needed, hard)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    return None if soft == resource.RLIM_INFINITY else soft


def _lower(wanted: int, most: int) -> int:
    return wanted if most == resource.RLIM_INFINITY else min(wanted, most)
