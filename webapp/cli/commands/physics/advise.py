"""``crokinole advise``: the best shots on a board, for a player of a given skill."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from scorer.physics.skills import SKILLS, SkillName
from scorer.rules.sets import rule_set
from webapp.cli.compile_notice import announce_compilation
from webapp.cli.console import print_result, warn
from webapp.formats.form import name_file_in_errors, read_object
from webapp.formats.scene import load_table


def advise(
    board: Path,
    team: str,
    skill: str,
    aim: float | None,
    rules: str,
    profile: Path | None,
    as_json: bool,
    plot: Path | None,
) -> None:
    """Advise and print; draw the best shot without scatter."""
    table, _ = load_table(profile, warn)
    content = read_object(board)
    with announce_compilation():
        from webapp.formats.advice import advice_json, advice_lines, advise_shots

        hand = SKILLS[SkillName(skill)]
        hand = hand if aim is None else replace(hand, aim_mrad=aim)
        with name_file_in_errors(board):
            advice = advise_shots(content, team, hand, table, rule_set(rules))
        shown = advice_json(advice)
        lines = advice_lines(advice)
    print_result(shown, lines, as_json=as_json)
    if plot and advice.shots:
        from scorer.physics.engine import simulate
        from webapp.cli.commands.physics.pictures import write_plot

        write_plot(advice.scene(0), simulate(advice.scene(0)), advice.teams, plot=plot)
