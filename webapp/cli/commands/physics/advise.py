"""``crokinole advise``: the best shots on a board, for a player of given skill."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from calibration.json_text import format_json
from webapp.cli.argument_values import decimal_number
from webapp.cli.rules_argument import add_rules

if TYPE_CHECKING:
    from webapp.formats.advice import ShotAdvice


def add_to(commands: Any, summary: str) -> None:
    """Add this command to argparse's subparsers."""
    parser = commands.add_parser(
        "advise",
        help=summary,
        description="Say which legal shots are best on a board: where to place the disc, at what "
        "to aim, how hard, and the chances. What --json prints, simulate reads.",
    )
    parser.add_argument("board", type=Path, metavar="BOARD.json", help="discs with their teams")
    parser.add_argument("--team", required=True, help="whose turn it is, as the file names it")
    parser.add_argument(
        "--aim",
        type=decimal_number,
        default=10.0,
        metavar="MRAD",
        help="the player's scatter (%(default)s)",
    )
    add_rules(parser)
    parser.add_argument("--profile", type=Path, metavar="FILE", help="a board's sizes and speed")
    parser.add_argument("--json", action="store_true", help="print JSON and nothing else")
    parser.add_argument("--plot", type=Path, metavar="FILE", help="draw the best shot")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> list[str]:
    """Advise and print; returns what went wrong."""
    # The compiler takes a while to load, and no other command needs it.
    from scorer.rules.sets import rule_set
    from webapp.formats.form import InputFileError, name_file_in_errors, read_object
    from webapp.formats.scene import load_table
    from webapp.terminal.compile_notice import announce_compilation
    from webapp.terminal.console import warn

    try:
        table, _ = load_table(arguments.profile, warn)
        content = read_object(arguments.board)
        with announce_compilation():
            from webapp.formats.advice import advice_json, advice_lines, advise_shots

            with name_file_in_errors(arguments.board):
                advice = advise_shots(
                    content, arguments.team, arguments.aim, table, rule_set(arguments.rules)
                )
            shown = advice_json(advice)
            lines = advice_lines(advice)
    except InputFileError as error:
        return [str(error)]
    print(format_json(shown, indent=1) if arguments.json else "\n".join(lines))
    return _draw_best(advice, arguments.plot) if arguments.plot and advice.shots else []


def _draw_best(advice: ShotAdvice, path: Path) -> list[str]:
    """Draw the best shot as it goes without scatter; returns why it could not be written."""
    from scorer.physics.engine import simulate
    from webapp.cli.commands.physics.pictures import write_plot

    scene = advice.scene(0)
    return write_plot(scene, simulate(scene), advice.teams, plot=path)
