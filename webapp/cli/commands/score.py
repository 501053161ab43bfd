"""``crokinole score``: pictures of finished rounds to scores."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

from rich.console import Console

from calibration.json_text import format_json
from calibration.profile import CalibrationProfile, ProfileError, load_profile
from scorer.photo.score import Score, ScoreStatus
from scorer.photo.score_file import score_file
from webapp.cli.archive_arguments import add_jobs, wants_lines
from webapp.cli.argument_values import UsageError, check_outputs, expand_patterns, file_name
from webapp.cli.overlay_folder import OverlayFolder
from webapp.cli.rules_argument import add_rules
from webapp.process_limits import keep_freed_memory
from webapp.terminal.console import make_console
from webapp.terminal.progress import show_progress
from webapp.terminal.score_table import print_score


def add_to(commands: Any, summary: str) -> None:
    """Add this command to argparse's subparsers."""
    parser = commands.add_parser(
        "score",
        help=summary,
        description="Say what every disc on a photographed board scores, and how sure that is.",
    )
    parser.add_argument(
        "images", nargs="+", type=file_name, metavar="IMAGE", help="a picture of a board"
    )
    parser.add_argument(
        "--profile", type=Path, metavar="FILE", help="a board's, discs' and camera's sizes"
    )
    add_rules(parser, "; a finished round scores alike in all")
    parser.add_argument("--json", action="store_true", help="print JSON and nothing else")
    parser.add_argument(
        "--overlay", type=Path, metavar="DIR", help="write pictures with the calls drawn on them"
    )
    parser.add_argument(
        "--beside",
        type=file_name,
        metavar="IMAGE",
        help="a second picture of the same board at the same moment, from another side: one score "
        "from both",
    )
    add_jobs(parser)
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> list[str]:
    """Score the pictures and print what they say; returns what went wrong, one sentence each.

    Raises ``UsageError`` for arguments that cannot go together.
    """
    keep_freed_memory()
    try:
        profile = load_profile(arguments.profile) if arguments.profile else None
    except ProfileError as error:
        return [str(error)]
    arguments.images = expand_patterns(arguments.images)
    lost = check_outputs([arguments.lines], arguments.images)
    if lost:
        return lost
    if arguments.beside is not None and (len(arguments.images) > 1 or wants_lines(arguments)):
        raise UsageError(
            "One picture is scored with --beside; leave out the others, --jobs and --lines."
        )
    if wants_lines(arguments):
        if arguments.overlay:
            raise UsageError("No pictures are written with --jobs; leave out --overlay.")
        from webapp.cli.archive import run_jobs

        return run_jobs(arguments.images, arguments, make_score_line)
    pictures = OverlayFolder(arguments.overlay) if arguments.overlay else None
    problem = pictures.prepare() if pictures else None
    if problem:
        return [problem]
    if arguments.beside is not None:
        # Most score one picture, and need not wait until this is loaded.
        from webapp.cli.two_pictures import score_two_pictures

        both = (arguments.images[0], arguments.beside)
        return score_two_pictures(both, profile, pictures, as_json=arguments.json)
    return _score_all(arguments.images, profile, pictures, as_json=arguments.json)


def make_score_line(image: str, arguments: argparse.Namespace) -> dict[str, Any]:
    """What ``--json`` says of one picture."""
    from webapp.formats.score import score_json

    profile = load_profile(arguments.profile) if arguments.profile else None
    return score_json(score_file(image, profile))


def _score_all(
    images: list[str],
    profile: CalibrationProfile | None,
    pictures: OverlayFolder | None,
    *,
    as_json: bool,
) -> list[str]:
    """Score picture after picture, keeping only what is printed in the end."""
    console = make_console()
    entries: list[dict[str, Any]] = []
    tables: list[str] = []
    problems: list[str] = []
    for image in show_progress(images, "Scoring"):
        score = score_file(image, profile)
        if score.status is not ScoreStatus.SCORED:
            problems.append(f"{image}: {score.reason}")
        written = None
        try:
            written = pictures.write_score(score) if pictures else None
        except OSError as error:
            problems.append(f"{image}: its overlay cannot be written ({error.strerror}).")
        if as_json:
            from webapp.formats.score import (
                score_json,
            )  # pydantic takes a tenth of a second to load

            entries.append(score_json(score))
        elif score.status is ScoreStatus.SCORED:
            tables.append(_render_table(console, score, written))
    sys.stdout.write(format_json(entries, indent=1) + "\n" if as_json else "".join(tables))
    return problems


def _render_table(console: Console, score: Score, written: Path | None) -> str:
    """What a person reads about one picture."""
    with console.capture() as capture:
        print_score(console, score, written)
    return capture.get()
