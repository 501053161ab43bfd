"""MkDocs hooks that insert commands, rules and numbers from the code into pages, so that the pages
stay current.

A comment in a page marks the place: ``<!-- commands -->``, ``<!-- options -->``, ``<!-- rules
-->``, ``<!-- sources -->``, ``<!-- physics -->``, ``<!-- news -->``.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

from scorer.physics.parameters import PARAMETERS, PhysicsSpec
from scorer.rules.names import RuleSetName
from scorer.rules.option_labels import describe_values
from scorer.rules.options import option_names
from scorer.rules.sets import RULE_SETS
from scorer.rules.sources import DOCUMENTS, TOPICS
from webapp.cli.command_line import CROKINOLE
from webapp.cli.commands.rules import describe_option, format_value

ROOT = Path(__file__).parents[1]
CHANGELOG, ICON = ROOT / "CHANGELOG.md", ROOT / "webapp" / "static" / "icon.svg"
#: Help is wrapped at this width, as in a terminal.
_COLUMNS = 96


def on_files(files: Any, config: Any) -> Any:
    """The site's files with the program's icon instead of the theme's."""
    from mkdocs.structure.files import File  # the tests load these hooks without MkDocs

    files.append(File.generated(config, "pictures/icon.svg", abs_src_path=str(ICON)))
    return files


def on_page_markdown(markdown: str, **_: Any) -> str:
    """A page with its marked parts inserted; MkDocs calls this for every page."""
    for name, make in _PARTS.items():
        comment = f"<!-- {name} -->"
        if comment in markdown:
            markdown = markdown.replace(comment, "\n".join(make()))
    return markdown


def _list_commands() -> Iterator[str]:
    """Every command and every action with its full help."""
    ctx = CROKINOLE.make_context("crokinole", [], resilient_parsing=True, terminal_width=_COLUMNS)
    yield from _list_below(ctx, CROKINOLE, "###")


def _list_below(ctx: click.Context, group: click.Group, mark: str) -> Iterator[str]:
    for name, command in group.commands.items():
        below = command.make_context(name, [], parent=ctx, resilient_parsing=True)
        yield f"{mark} {below.command_path.removeprefix('crokinole ')}\n"
        yield f"```text\n{below.get_help()}\n```\n"
        if isinstance(command, click.Group):
            yield from _list_below(below, command, f"{mark}#")


def _list_rules() -> Iterator[str]:
    """Every option of every rule set, side by side."""
    yield f"| option | {' | '.join(RULE_SETS)} |"
    yield "|---" * (len(RULE_SETS) + 1) + "|"
    for name in option_names():
        values = (format_value(getattr(rule_set.options, name)) for rule_set in RULE_SETS.values())
        yield f"| `{name}` | {' | '.join(values)} |"


def _list_options() -> Iterator[str]:
    """The effect of every option, and its possible values."""
    yield "| option | decides | values |"
    yield "|---|---|---|"
    options = RULE_SETS[RuleSetName.NCA].options
    for name in option_names():
        values = describe_values(options, name)
        yield f"| `{name}` | {describe_option(name)} | {values} |"


def _list_sources() -> Iterator[str]:
    """The passages of the documents behind every set's choices, by topic."""
    for rule_set in RULE_SETS.values():
        yield f"### {rule_set.name}: {DOCUMENTS[rule_set.name]}\n"
        yield from (
            f"- **{topic}**: {rule_set.source(names[0])}" for topic, names in TOPICS.items()
        )
        yield ""


def _list_physics() -> Iterator[str]:
    """Every number of the physics with its unit, range and source."""
    yield "| number | start | accepted | unit | basis |"
    yield "|---|---|---|---|---|"
    for name, parameter in PARAMETERS.items():
        low, high = parameter.low, parameter.high
        start = getattr(PhysicsSpec(), name)
        unit, basis = parameter.unit or "–", parameter.source
        yield f"| `{name}` | {start:g} | {low:g} to {high:g} | {unit} | {basis} |"


def _list_news() -> Iterator[str]:
    """The newest section of the changelog."""
    yield "## " + CHANGELOG.read_text(encoding="utf-8").split("\n## ")[1]


_PARTS = {
    "commands": _list_commands,
    "options": _list_options,
    "rules": _list_rules,
    "sources": _list_sources,
    "physics": _list_physics,
    "news": _list_news,
}
