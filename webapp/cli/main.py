"""The command line: ``crokinole`` and its exit codes.

Results go to standard output, everything else to standard error, one sentence per problem.
"""

from __future__ import annotations

import contextlib
import gc
import io
import os
import sys
from collections.abc import Sequence
from importlib import import_module

import click

from calibration.parameters import ParameterError
from calibration.user_error import Trouble
from scorer.texts import bound_sentence
from webapp.cli.command_line import COMPLETE_VARIABLE, CROKINOLE
from webapp.varied_parameters import vary_by_environment

EXIT_OK, EXIT_FAILURE, EXIT_USAGE = 0, 1, 2


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code."""
    _print_any_name()
    if os.environ.get(COMPLETE_VARIABLE, "").startswith("tcsh"):
        import_module("webapp.cli.tcsh")
    if arguments is None:
        gc.disable()  # nothing is loaded until the command's work begins
    try:
        # A command returns its errors, one sentence each; help and completion return 0.
        with vary_by_environment():
            problems = CROKINOLE.main(
                arguments,
                "crokinole",
                complete_var=COMPLETE_VARIABLE,
                standalone_mode=False,
                windows_expand_args=False,
            )
        sys.stdout.flush()
    except click.exceptions.NoArgsIsHelpError as help_instead:
        help_instead.show()
        return EXIT_USAGE
    except (click.UsageError, ParameterError) as error:
        sentence = str(error) if isinstance(error, ParameterError) else error.format_message()
        click.UsageError(bound_sentence(sentence), getattr(error, "ctx", None)).show()
        return EXIT_USAGE
    except click.Abort:
        problems = ["Stopped."]
    except BrokenPipeError:
        _discard_output()
        return EXIT_FAILURE  # the program that read the output has ended
    except Trouble as error:
        problems = [str(error)]
    except OSError as error:
        problems = [_describe_os_error(error)]
    finally:
        gc.enable()
    for problem in problems or ():
        print(f"crokinole: {bound_sentence(problem)}", file=sys.stderr)
    return EXIT_FAILURE if problems else EXIT_OK


def _print_any_name() -> None:
    """Allow printing of file names that are not text, with their stray bytes as escapes."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def _describe_os_error(error: OSError) -> str:
    """One sentence about a system error: it concerns a file, or otherwise standard output."""
    if error.filename is not None:
        return f"{error.filename} cannot be used ({error.strerror}). Choose another."
    _discard_output()
    return f"The output cannot be written ({error.strerror or error}). Free some space."


def _discard_output() -> None:
    """Discard further output: the reader of standard output has gone, or its disk is full."""
    with contextlib.suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
