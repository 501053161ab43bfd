"""Many sources on a Dask cluster: each is a task of one of its workers, whose machine has the file.

A worker that ends with a source is started again by its nanny; a source that has taken several
along is given up, and costs only itself.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from webapp.cli.argument_values import UsageError
from webapp.terminal.progress import show_progress_of

Line = dict[str, Any]
_PATIENCE = "10s"


class ClusterError(Exception):
    """A cluster that cannot be used; the text is one sentence that says what to do."""


def work_on_cluster(
    sources: Sequence[str],
    arguments: argparse.Namespace,
    work: Callable[[str, argparse.Namespace], Line],
) -> Iterator[tuple[str, Line]]:
    """Each source with its line, in the order in which they are done.

    Raises ``ClusterError``, and ``UsageError`` for what is no address.
    """
    try:
        from dask.distributed import Client, as_completed
    except ImportError:
        raise ClusterError(
            "A cluster needs Dask; run `pip install 'crokinole-referee[cluster]'`."
        ) from None
    try:
        client = Client(arguments.cluster, timeout=_PATIENCE)
    except ValueError:
        raise UsageError(
            f"{arguments.cluster} is no scheduler's address; write it as tcp://host:8786."
        ) from None
    except OSError:
        raise ClusterError(
            f"No Dask scheduler answers at {arguments.cluster}; start one with `dask scheduler`, "
            "and `dask worker` on each machine."
        ) from None
    with client:
        begun = {client.submit(work, each, arguments, pure=False): each for each in sources}
        for done in show_progress_of(as_completed(begun), len(begun), "Working"):
            failure = done.exception()
            if failure is None:
                yield begun[done], done.result()
            else:
                yield begun[done], _fail(begun[done], failure)


def _fail(source: str, error: BaseException) -> Line:
    said = " ".join(str(error).split())
    reason = f"It failed ({type(error).__name__}: {said})."
    return {"source": source, "status": "failed", "reason": reason}
