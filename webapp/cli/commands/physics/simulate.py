"""``crokinole simulate``: where everything ends after a flick."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from calibration.json_text import format_json
from webapp.cli.argument_values import whole_number


def add_to(commands: Any, summary: str) -> None:
    """Add this command to argparse's subparsers."""
    parser = commands.add_parser(
        "simulate",
        help=summary,
        description="Say where every disc ends after a flick, and what it met on its way.",
    )
    parser.add_argument(
        "scene",
        type=Path,
        metavar="SCENE.json",
        help="a board and a flick, or what advise --json printed",
    )
    parser.add_argument(
        "--shot",
        type=whole_number(1),
        default=1,
        metavar="N",
        help="which of the advised shots; the best is %(default)s",
    )
    parser.add_argument("--profile", type=Path, metavar="FILE", help="a board's sizes and speed")
    parser.add_argument("--json", action="store_true", help="print JSON and nothing else")
    parser.add_argument("--plot", type=Path, metavar="FILE", help="draw the paths, as PNG or JPEG")
    parser.add_argument(
        "--animate", type=Path, metavar="FILE", help="draw the shot at half speed, as GIF"
    )
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> list[str]:
    """Simulate a scene and print what happens; returns what went wrong."""
    # The compiler takes a while to load, and no other command needs it.
    from webapp.formats.form import InputFileError, name_file_in_errors, read_json
    from webapp.formats.scene import load_table, parse_scene, pick_scene, read_teams
    from webapp.terminal.compile_notice import announce_compilation
    from webapp.terminal.console import warn

    try:
        table, _ = load_table(arguments.profile, warn)
        content = read_json(arguments.scene)
        with name_file_in_errors(arguments.scene):
            content = pick_scene(content, arguments.shot)
            scene, teams = parse_scene(content, table), read_teams(content)
    except InputFileError as error:
        return [str(error)]
    with announce_compilation():
        from scorer.physics.engine import simulate

        outcome = simulate(scene)
    from webapp.formats.outcome import outcome_json, outcome_lines

    if arguments.json:
        print(format_json(outcome_json(outcome), indent=1))
    else:
        print("\n".join(outcome_lines(outcome)))
    if not (arguments.plot or arguments.animate):
        return []
    from webapp.cli.commands.physics.pictures import write_plot

    return write_plot(scene, outcome, teams, plot=arguments.plot, animation=arguments.animate)
