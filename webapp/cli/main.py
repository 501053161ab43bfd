"""The command line: ``crokinole``, its commands and its exit codes.

Results go to standard output, everything else to standard error, one sentence a problem.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import os
import sys
from collections.abc import Sequence
from typing import NoReturn

from calibration.parameters import ParameterError
from scorer.match.texts import bound_sentence

EXIT_OK, EXIT_FAILURE, EXIT_USAGE = 0, 1, 2  # argparse itself exits with the last


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code. Wrong usage raises ``SystemExit(2)``."""
    _print_whatever_comes()
    try:
        chosen = build_parser().parse_args(arguments)
        problems: list[str] = chosen.run(chosen)
        sys.stdout.flush()
    except KeyboardInterrupt:
        problems = ["Stopped."]
    except BrokenPipeError:
        _discard_output()
        return EXIT_FAILURE  # whoever read it has gone, and needs no words
    except OSError as error:
        problems = [_describe_os_error(error)]
    except ParameterError as error:  # which parameters exist, argparse cannot know
        print(f"crokinole: {bound_sentence(str(error))}", file=sys.stderr)
        return EXIT_USAGE
    for problem in problems:
        print(f"crokinole: {bound_sentence(problem)}", file=sys.stderr)
    return EXIT_FAILURE if problems else EXIT_OK


def _print_whatever_comes() -> None:
    """Let names of files print that are no text: their stray bytes as escapes."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def _describe_os_error(error: OSError) -> str:
    """One sentence on what the system refused: a file, or else standard output."""
    if error.filename is not None:
        return f"{error.filename} cannot be used ({error.strerror}); check it."
    _discard_output()
    return f"The output cannot be written ({error.strerror or error}); make room for it."


def _discard_output() -> None:
    """Let nothing more be written to standard output, whose reader or disk is gone."""
    with contextlib.suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


class _Parser(argparse.ArgumentParser):
    """argparse's parser; what it says of wrong usage has an end."""

    def error(self, message: str) -> NoReturn:
        """Say what is wrong, and exit with the code for it."""
        super().error(bound_sentence(message))


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

    whole = _Parser(
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
