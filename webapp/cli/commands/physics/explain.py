"""``crokinole explain``: the flick that turned one board into another."""

from __future__ import annotations

from pathlib import Path

from webapp.cli.compile_notice import announce_compilation
from webapp.cli.console import print_result, warn
from webapp.formats.form import name_file_in_errors, read_object
from webapp.formats.scene import load_table


def explain_pair(pair: Path, profile: Path | None, as_json: bool) -> None:
    """Explain a pair of boards and print the result."""
    with announce_compilation():
        from scorer.physics.inverse.explain import explain
        from webapp.formats.shot_boards import explain_json, explain_lines, parse_pair

        table, spreads = load_table(profile, warn)
        with name_file_in_errors(pair):
            named = parse_pair(read_object(pair), table)
        verdict = explain(named.table, named.pair, spreads=spreads)
    print_result(explain_json(named, verdict), explain_lines(named, verdict), as_json=as_json)
