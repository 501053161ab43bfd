"""The command line: ``crokinole``, its commands and its exit codes.

Results go to standard output, everything else to standard error, one sentence a problem.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from calibration.parameters import ParameterError

EXIT_OK, EXIT_FAILURE, EXIT_USAGE = 0, 1, 2  # argparse itself exits with the last


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code. Wrong usage raises ``SystemExit(2)``."""
    try:
        chosen = build_parser().parse_args(arguments)
        problems: list[str] = chosen.run(chosen)
    except ParameterError as error:  # which parameters exist, argparse cannot know
        print(f"crokinole: {error}", file=sys.stderr)
        return EXIT_USAGE
    for problem in problems:
        print(f"crokinole: {problem}", file=sys.stderr)
    return EXIT_FAILURE if problems else EXIT_OK


def build_parser() -> argparse.ArgumentParser:
    """argparse's parser of all commands; ``parse_args`` leaves the chosen one's ``run``."""
    # Here, so that a parameter that a stage cannot have is said in a sentence.
    from webapp.cli.commands import (
        bench,
        calibrate,
        demo,
        judge,
        match,
        review,
        rules,
        score,
        serve,
        watch,
    )
    from webapp.cli.commands.physics import advise, explain, simulate, speed

    whole = argparse.ArgumentParser(
        prog="crokinole", description="A referee's assistant for crokinole on real boards."
    )
    commands = whole.add_subparsers(required=True, metavar="COMMAND")
    for command in (
        demo,
        score,
        watch,
        review,
        calibrate,
        judge,
        match,
        rules,
        simulate,
        explain,
        advise,
        speed,
        serve,
        bench,
    ):
        command.add_to(commands)
    return whole
