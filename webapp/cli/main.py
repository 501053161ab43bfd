"""The command line: ``crokinole``, its commands and its exit codes.

Results go to standard output, everything else to standard error, one sentence a problem.
"""

from __future__ import annotations

import argparse
import contextlib
import difflib
import gc
import io
import os
import sys
from collections.abc import Iterator, Sequence
from importlib import import_module
from typing import NamedTuple, NoReturn

from calibration.parameters import ParameterError
from scorer.texts import bound_sentence, quote
from webapp.cli.argument_values import UsageError
from webapp.cli.examples import add_examples

EXIT_OK, EXIT_FAILURE, EXIT_USAGE = 0, 1, 2  # argparse itself exits with the last


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code. Wrong usage raises ``SystemExit(2)``."""
    _print_whatever_comes()
    try:
        given = sys.argv[1:] if arguments is None else arguments
        if not given:
            build_parser(("--help",)).print_help(sys.stderr)
            raise SystemExit(EXIT_USAGE)
        with _load_for_good() if arguments is None else contextlib.nullcontext():
            chosen = build_parser(given).parse_args(given)
        problems: list[str] = chosen.run(chosen)
        sys.stdout.flush()
    except KeyboardInterrupt:
        problems = ["Stopped."]
    except BrokenPipeError:
        _discard_output()
        return EXIT_FAILURE  # whoever read it has gone, and needs no words
    except OSError as error:
        problems = [_describe_os_error(error)]
    except (ParameterError, UsageError) as error:  # what argparse cannot know
        print(f"crokinole: {bound_sentence(str(error))}", file=sys.stderr)
        return EXIT_USAGE
    for problem in problems:
        print(f"crokinole: {bound_sentence(problem)}", file=sys.stderr)
    return EXIT_FAILURE if problems else EXIT_OK


@contextlib.contextmanager
def _load_for_good() -> Iterator[None]:
    """Never look for garbage in what is loaded meanwhile: it stays as long as the process does."""
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.enable()


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
    """argparse's parser; of wrong usage it says one sentence that has an end, and where help is."""

    def parse_known_args(  # type: ignore[override]
        self, args: Sequence[str] | None = None, namespace: argparse.Namespace | None = None
    ) -> tuple[argparse.Namespace, list[str]]:
        """As argparse's; what a command does not know is its own to refuse, not the program's."""
        found, unknown = super().parse_known_args(args, namespace)
        if unknown:
            options = self._option_string_actions
            alike = difflib.get_close_matches(unknown[0].partition("=")[0], options, n=1)
            meant = f" (did you mean {alike[0]}?)" if alike else ""
            self.error(f"{unknown[0]} is not known here{meant}")
        return found, unknown

    def _check_value(self, action: argparse.Action, value: object) -> None:
        """Raise ``ArgumentError`` where an argument is none of its choices, with the nearest."""
        choices = [str(each) for each in action.choices or ()]
        if not choices or value in choices:
            return
        alike = difflib.get_close_matches(str(value), choices, n=1)
        hint = f"did you mean {alike[0]}?" if alike else f"choose from {', '.join(choices)}"
        raise argparse.ArgumentError(action, f"there is no {quote(value)}; {hint}")

    def error(self, message: str) -> NoReturn:
        """Say what is wrong, and exit with the code for it."""
        self.print_usage(sys.stderr)
        wrong = bound_sentence(message)
        stop = "" if wrong.endswith("?") else ";"
        words = f"{self.prog}: {wrong}{stop} `{self.prog} --help` says what it takes."
        self.exit(EXIT_USAGE, f"{words}\n")


class _Command(NamedTuple):
    """A command's module, imported when it is asked for, and its line in the list of commands."""

    module: str
    summary: str


#: Every command by its name, in the order in which ``--help`` lists them.
COMMANDS = {
    "demo": _Command("demo", "referee a sample round into a live scoreboard in the browser"),
    "score": _Command("score", "say what every disc on a photographed board scores"),
    "watch": _Command("watch", "referee a game through a camera, or from a clip"),
    "review": _Command("review", "judge one disputed shot from a film, as by a phone in a hand"),
    "calibrate": _Command("calibrate", "measure a board, its discs and a camera, into a profile"),
    "judge": _Command("judge", "say whether a shot was legal, and what follows"),
    "match": _Command("match", "keep the score of a match"),
    "rules": _Command("rules", "list the rule sets, explain one, or say where two differ"),
    "simulate": _Command("physics.simulate", "say where every disc ends after a flick"),
    "explain": _Command("physics.explain", "say which flick turns one board into another"),
    "advise": _Command("physics.advise", "say which shots are best on a board"),
    "speed": _Command("physics.speed", "measure a board's friction and bounce from shots"),
    "serve": _Command("serve", "serve the scoreboard and its pages to browsers"),
    "worker": _Command("worker", "referee cameras for a server, on this machine or another"),
    "bench": _Command("bench", "say how well and how fast pictures with known truth are scored"),
}


def build_parser(arguments: Sequence[str] | None = None) -> argparse.ArgumentParser:
    """argparse's parser; ``parse_args`` leaves the chosen command's ``run``.

    arguments   what will be parsed: only the command that they name is imported, so that no command
                waits for what another needs. None imports all.

    Raises ``ParameterError`` where the environment varies a parameter that does not exist.
    """
    whole = _Parser(
        prog="crokinole", description="A referee's assistant for crokinole on real boards."
    )
    whole.add_argument("--version", action=_PrintVersion, help="print the version and exit")
    whole.add_argument(
        "--completion",
        action=_PrintCompletion,
        choices=("bash", "zsh", "tcsh"),
        metavar="SHELL",
        help="print what completes commands and options in %(choices)s, and exit",
    )
    add_examples(whole, "")
    commands = whole.add_subparsers(required=True, metavar="COMMAND")
    named = None if arguments is None else next((a for a in arguments if a[:1] != "-"), "")
    for name, (module, summary) in COMMANDS.items():
        if named in (None, name):
            import_module(f"webapp.cli.commands.{module}").add_to(commands, summary)
            add_examples(commands.choices[name], name)
        else:
            commands.add_parser(name, help=summary, add_help=False)
    return whole


class _PrintVersion(argparse.Action):
    """Prints the installed version; looking it up reads files, so only when asked."""

    def __init__(self, option_strings: Sequence[str], dest: str, help: str) -> None:
        """An option without a value."""
        super().__init__(option_strings, dest, nargs=0, help=help)

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> NoReturn:
        """Print it on standard output, and exit with 0."""
        from importlib.metadata import version

        print(f"crokinole {version('crokinole-referee')}")
        parser.exit()


class _PrintCompletion(argparse.Action):
    """Prints the script by which a shell completes every command."""

    def __call__(
        self, parser: argparse.ArgumentParser, _: object, shell: object, __: object = None
    ) -> NoReturn:
        """Print it on standard output, and exit with 0."""
        import shtab

        print(shtab.complete(build_parser(), str(shell)))
        parser.exit()
