"""Many sources on a Dask cluster, as tasks of its workers; the worker's machine needs the file.

If a worker dies while reading a source, its nanny restarts it. A source that has killed several
workers is skipped, so it affects only itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import click

from calibration.user_error import Trouble
from webapp.cli.progress import show_progress_of

Line = dict[str, object]
_PATIENCE = "10s"


def work_on_cluster(
    sources: Sequence[str], address: str, work: Callable[[str], Line]
) -> Iterator[tuple[str, Line]]:
    """The sources with their lines, in the order in which they finish.

    Raises ``Trouble``, and ``UsageError`` for a text that is not an address.
    """
    try:
        from dask.distributed import Client, as_completed
    except ImportError:
        raise Trouble(
            "A cluster needs Dask. Run `pip install 'crokinole-referee[cluster]'`."
        ) from None
    try:
        client = Client(address, timeout=_PATIENCE)
    except ValueError:
        raise click.UsageError(
            f"--cluster: {address} is not a scheduler address. Use the form tcp://host:8786."
        ) from None
    except OSError:
        raise Trouble(
            f"No Dask scheduler answers at {address}. Start one with `dask scheduler`, "
            "and `dask worker` on each machine."
        ) from None
    with client:
        begun = {client.submit(work, source, pure=False): source for source in sources}
        for done in show_progress_of(as_completed(begun), len(begun), "Working"):
            error = done.exception()
            reason = f"It failed ({type(error).__name__}: {' '.join(str(error).split())})."
            yield begun[done], fail_source(begun[done], reason) if error else done.result()


def fail_source(source: str, reason: str) -> Line:
    """The line of a source that could not be processed."""
    return {"source": source, "status": "failed", "reason": reason}
