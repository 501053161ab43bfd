"""``crokinole simulate``: where everything ends after a flick."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any


def add_to(commands: Any, summary: str) -> None:
    """Add this command to argparse's subparsers."""
    parser = commands.add_parser(
        "simulate",
        help=summary,
        description="Say where every disc ends after a flick, and what it met on its way.",
    )
    parser.add_argument("scene", type=Path, metavar="SCENE.json", help="a board and a flick")
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
    from webapp.formats.form import InputFileError, name_file_in_errors, read_object
    from webapp.formats.scene import load_table, parse_scene
    from webapp.terminal.compile_notice import announce_compilation
    from webapp.terminal.console import warn

    try:
        table, _ = load_table(arguments.profile, warn)
        with name_file_in_errors(arguments.scene):
            scene = parse_scene(read_object(arguments.scene), table)
    except InputFileError as error:
        return [str(error)]
    with announce_compilation():
        from scorer.physics.engine import simulate

        outcome = simulate(scene)
    from webapp.formats.outcome import outcome_json, outcome_lines

    if arguments.json:
        print(json.dumps(outcome_json(outcome), indent=1))
    else:
        print("\n".join(outcome_lines(outcome)))
    return _write_pictures(arguments, scene, outcome)


def _write_pictures(arguments: argparse.Namespace, scene: Any, outcome: Any) -> list[str]:
    """Write the pictures that are wanted; returns why one could not be written."""
    if not (arguments.plot or arguments.animate):
        return []
    from webapp.photo.shot_plot import animate_shot, draw_shot, save_animation, save_picture

    try:
        if arguments.plot:
            save_picture(draw_shot(scene, outcome), arguments.plot)
        if arguments.animate:
            save_animation(animate_shot(scene, outcome), str(arguments.animate))
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        return [f"The picture {arguments.plot or arguments.animate} cannot be written ({reason})."]
    return []
