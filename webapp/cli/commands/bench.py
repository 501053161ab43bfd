"""``crokinole bench``: how well and how fast pictures, clips, shots and event streams are handled.

The benches stand beside the tests and are not installed: outside a copy of the repository the
command says so. Each bench is imported only when it is asked for: some load the compiler, some the
server.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

from webapp.cli.argument_values import whole_number

_BENCHES_FOLDER = Path(__file__).parents[3] / "tests"
_NOT_INSTALLED = (
    "`bench` is not installed with the program; run `make bench` in a copy of the repository, "
    "where `.venv/bin/crokinole bench` then works too."
)


def add_to(commands: Any, summary: str) -> None:
    """Add this command to argparse's subparsers."""
    parser = commands.add_parser(
        "bench",
        help=summary,
        description="Score pictures that have truth files beside them and say how well it went.",
    )
    parser.add_argument(
        "what",
        nargs="?",
        choices=list(_BENCHES),
        default="pictures",
        help="pictures, if left out; watch: clips with truth; physics: simulated shots, beside "
        "pymunk where installed; impacts: random impacts held to momentum, energy and run length; "
        "explain: shots explained, and boards moved by hand; serve: events to 200 spectators; "
        "views: boards drawn from 60 to 78 degrees off straight down, and read",
    )
    parser.add_argument(
        "--boards",
        type=whole_number(1),
        default=20,
        metavar="N",
        help="for views: how many a tilt (%(default)s)",
    )
    parser.add_argument(
        "--shots",
        type=whole_number(1),
        default=200,
        metavar="N",
        help="for explain: how many (%(default)s)",
    )
    parser.add_argument(
        "--impacts",
        type=whole_number(1),
        default=1_000_000,
        metavar="N",
        help="for impacts: how many (%(default)s)",
    )
    parser.add_argument(
        "--truth",
        type=Path,
        metavar="DIR",
        help="a folder of pictures, each with its truth as .json; the sample pictures if left out",
    )
    parser.add_argument(
        "--sweep",
        metavar="STAGE.FIELD=V1,V2",
        help="grade the pictures, or the clips where the stage works on clips, under several "
        "values of one parameter",
    )
    parser.add_argument(
        "--parameters",
        nargs="?",
        const="",
        metavar="STAGE",
        help="list the parameters of all stages, or of one, with default, unit and source",
    )
    parser.add_argument("--json", action="store_true", help="print JSON and nothing else")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> list[str]:
    """Measure what was asked for; returns what went wrong, one sentence each.

    Raises ``ParameterError`` for a parameter that does not exist.
    """
    if not (_BENCHES_FOLDER / "bench").is_dir():
        return [_NOT_INSTALLED]
    sys.path.insert(0, str(_BENCHES_FOLDER))
    if arguments.parameters is not None:
        from bench.parameter_list import print_parameters

        return print_parameters(arguments.parameters, as_json=arguments.json)
    if arguments.sweep is not None:
        from bench.sweep import bench_sweep, parse_sweep

        return bench_sweep(parse_sweep(arguments.sweep), arguments.truth, as_json=arguments.json)
    return _BENCHES[arguments.what](arguments)


def _run_pictures(arguments: argparse.Namespace) -> list[str]:
    from bench.photos import bench_photos, stills_folder

    return bench_photos(arguments.truth or stills_folder(), as_json=arguments.json)


def _run_watch(arguments: argparse.Namespace) -> list[str]:
    from bench.clips import bench_watch, clips_folder

    return bench_watch(arguments.truth or clips_folder(), as_json=arguments.json)


def _run_physics(arguments: argparse.Namespace) -> list[str]:
    from bench.physics import bench_physics

    return bench_physics(as_json=arguments.json)


def _run_impacts(arguments: argparse.Namespace) -> list[str]:
    from bench.impacts import print_impacts

    return print_impacts(arguments.impacts, as_json=arguments.json)


def _run_explain(arguments: argparse.Namespace) -> list[str]:
    from bench.explain import bench_explain

    return bench_explain(arguments.shots, as_json=arguments.json)


def _run_views(arguments: argparse.Namespace) -> list[str]:
    from bench.tilted_views import bench_views

    return bench_views(arguments.boards, as_json=arguments.json)


def _run_serve(arguments: argparse.Namespace) -> list[str]:
    from bench.spectators import bench_serve

    return bench_serve(as_json=arguments.json)


_BENCHES = {
    "pictures": _run_pictures,
    "watch": _run_watch,
    "physics": _run_physics,
    "impacts": _run_impacts,
    "explain": _run_explain,
    "serve": _run_serve,
    "views": _run_views,
}
