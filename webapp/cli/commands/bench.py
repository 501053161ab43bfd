"""``crokinole bench_photos``: how well and how fast pictures are scored, and shots are simulated.

Knows the command's arguments.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any


def add_to(commands: Any) -> None:
    """Add this command to argparse's subparsers."""
    parser = commands.add_parser(
        "bench",
        help="say how well and how fast pictures with known truth are scored",
        description="Score pictures that have truth files beside them and say how well it went.",
    )
    parser.add_argument(
        "what",
        nargs="?",
        choices=["pictures", "watch", "physics", "explain", "serve"],
        default="pictures",
        help="pictures, if left out; watch: clips with truth; physics: simulated shots, beside "
        "pymunk where installed; "
        "explain: shots explained, and boards moved by hand; serve: events to 200 spectators",
    )
    parser.add_argument(
        "--shots", type=int, default=200, metavar="N", help="for explain: how many (%(default)s)"
    )
    parser.add_argument(
        "--truth",
        type=Path,
        metavar="DIR",
        help="a folder of pictures, each with its truth as .json; the sample pictures if left out",
    )
    parser.add_argument("--json", action="store_true", help="print JSON and nothing else")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> list[str]:
    """Grade and time a folder's pictures; returns what went wrong, one sentence each."""
    if arguments.what == "physics":
        from webapp.bench.physics import bench_physics  # so does the compiler

        return bench_physics(as_json=arguments.json)
    if arguments.what == "watch":
        from webapp.bench.clips import bench_watch, clips_folder  # so do the rules

        return bench_watch(arguments.truth or clips_folder(), as_json=arguments.json)
    if arguments.what == "serve":
        from webapp.bench.spectators import bench_serve  # so does the server

        return bench_serve(as_json=arguments.json)
    if arguments.what == "explain":
        from webapp.bench.explain import bench_explain

        if arguments.shots < 1:
            return [f"--shots must be above 0, not {arguments.shots}."]
        return bench_explain(arguments.shots, as_json=arguments.json)
    from webapp.bench.photos import bench_photos, stills_folder

    return bench_photos(arguments.truth or stills_folder(), as_json=arguments.json)
