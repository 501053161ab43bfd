"""``crokinole simulate``: the final place of every disc after a flick."""

from __future__ import annotations

from pathlib import Path

from webapp.cli.compile_notice import announce_compilation
from webapp.cli.console import print_result, warn
from webapp.formats.form import name_file_in_errors, read_json
from webapp.formats.outcome import outcome_json, outcome_lines
from webapp.formats.scene import load_table, parse_scene, pick_scene, read_teams


def simulate_scene(
    scene: Path,
    shot: int,
    profile: Path | None,
    as_json: bool,
    plot: Path | None,
    animate: Path | None,
) -> None:
    """Simulate a scene and print its events."""
    table, _ = load_table(profile, warn)
    content = read_json(scene)
    with name_file_in_errors(scene):
        content = pick_scene(content, shot)
        parsed, teams = parse_scene(content, table), read_teams(content)
    with announce_compilation():
        from scorer.physics.engine import simulate

        outcome = simulate(parsed)
    print_result(outcome_json(outcome), outcome_lines(outcome), as_json=as_json)
    if plot or animate:
        from webapp.cli.commands.physics.pictures import write_plot

        write_plot(parsed, outcome, teams, plot=plot, animation=animate)
