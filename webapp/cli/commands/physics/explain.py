"""``crokinole explain``: which flick turned one board into another."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from calibration.json_text import format_json


def add_to(commands: Any, summary: str) -> None:
    """Add this command to argparse's subparsers."""
    parser = commands.add_parser(
        "explain",
        help=summary,
        description="Say which flick turns one board into another, whether an opponent's disc was "
        "touched, and when no legal collision explains it.",
    )
    parser.add_argument("pair", type=Path, metavar="PAIR.json", help="the board before and after")
    parser.add_argument("--profile", type=Path, metavar="FILE", help="a board's sizes and speed")
    parser.add_argument("--json", action="store_true", help="print JSON and nothing else")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> list[str]:
    """Explain a pair of boards and print what is found; returns what went wrong."""
    # The compiler takes a while to load, and no other command needs it.
    from webapp.formats.form import InputFileError, name_file_in_errors, read_object
    from webapp.formats.scene import load_table
    from webapp.terminal.compile_notice import announce_compilation
    from webapp.terminal.console import warn

    with announce_compilation():
        from scorer.physics.inverse.explain import explain
        from webapp.formats.pair import explain_json, explain_lines, parse_pair

        try:
            table, spreads = load_table(arguments.profile, warn)
            with name_file_in_errors(arguments.pair):
                named = parse_pair(read_object(arguments.pair), table)
        except InputFileError as error:
            return [str(error)]
        verdict = explain(named.table, named.pair, spreads=spreads)
    if arguments.json:
        print(format_json(explain_json(named, verdict), indent=1))
    else:
        print("\n".join(explain_lines(named, verdict)))
    return []
