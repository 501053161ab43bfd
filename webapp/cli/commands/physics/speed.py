"""``crokinole speed``: a board's friction and bounce, from shots that were seen."""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path
from typing import Any

from calibration.board import BoardSpec
from calibration.json_text import format_json
from calibration.profile import CalibrationProfile, ProfileError, load_profile, save_profile
from webapp.cli.argument_values import check_outputs


def add_to(commands: Any, summary: str) -> None:
    """Add this command to argparse's subparsers."""
    parser = commands.add_parser(
        "speed",
        help=summary,
        description="Measure a board's friction and bounce from shots that were seen: points of "
        "discs in motion, or boards before and after flicks of known speed and direction.",
    )
    parser.add_argument("shots", type=Path, metavar="SHOTS.json", help="shots that were seen")
    parser.add_argument("--profile", type=Path, metavar="FILE", help="what is known of the board")
    parser.add_argument(
        "--out", type=Path, metavar="PROFILE", help="write the profile with the speed in it"
    )
    parser.add_argument("--json", action="store_true", help="print JSON and nothing else")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> list[str]:
    """Measure, print and write; returns what went wrong."""
    lost = check_outputs([arguments.out], [arguments.shots])
    if lost:
        return lost
    # The compiler takes a while to load, and no other command needs it.
    from webapp.formats.form import InputFileError, name_file_in_errors, read_object
    from webapp.formats.scene import load_table
    from webapp.terminal.compile_notice import announce_compilation
    from webapp.terminal.console import warn

    with announce_compilation():
        from webapp.formats.speed import make_speed_report, parse_shots, report_json, report_lines

        try:
            known, spreads = load_table(arguments.profile, warn)
            with name_file_in_errors(arguments.shots):
                table, shots = parse_shots(read_object(arguments.shots), known)
                report = make_speed_report(table, shots, spreads)
        except InputFileError as error:
            return [str(error)]
    shown = report_json(report)
    print(format_json(shown, indent=1) if arguments.json else "\n".join(report_lines(report)))
    if arguments.out is None:
        return []
    try:
        profile = (
            load_profile(arguments.profile)
            if arguments.profile
            else CalibrationProfile(board=BoardSpec())
        )
        save_profile(replace(profile, speed=report.speed), arguments.out)
    except ProfileError as error:
        return [str(error)]
    except OSError as error:
        return [f"The profile {arguments.out} cannot be written ({error.strerror})."]
    return []
