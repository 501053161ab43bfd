"""The arguments of commands that work on many sources; `archive` does the work.

They stand apart because most commands are given one source and need none of what runs several.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from webapp.cli.argument_values import whole_number


def add_jobs(parser: argparse.ArgumentParser) -> None:
    """The arguments for many sources."""
    where = parser.add_mutually_exclusive_group()
    where.add_argument(
        "--jobs", type=whole_number(1), metavar="N", help="N at once, and one JSON line a source"
    )
    parser.add_argument(
        "--lines",
        type=Path,
        metavar="FILE",
        help="with --jobs: write the lines here, and leave out sources that it has",
    )
    where.add_argument(
        "--cluster",
        metavar="ADDRESS",
        help="in place of --jobs: leave the sources to a Dask cluster, as tcp://host:8786",
    )


def wants_lines(arguments: argparse.Namespace) -> bool:
    """Whether one JSON line a source is wanted."""
    return any(each is not None for each in (arguments.jobs, arguments.lines, arguments.cluster))
