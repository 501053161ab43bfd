"""``crokinole rules``: the ways to play in plain words, and the differences between two of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import click
from rich.console import Console
from rich.table import Table

from calibration.json_text import format_json
from scorer.rules.choices import Choice
from scorer.rules.option_labels import OPTION_WORDS, describe_values, list_values
from scorer.rules.options import RulesError, format_argument, option_names, to_json_value
from scorer.rules.sets import RULE_SETS, RuleSet, rule_set
from scorer.rules.sources import DOCUMENTS, TOPICS
from webapp.cli.argument_values import refuse_if
from webapp.cli.console import fold_line, make_console

#: How a match played in single games is started.
_MATCH_PLAY = "crokinole match new Ann Bob --rules {name} --option round_score=match-play"
#: How some options are written on the command line, or which others they require.
_GIVEN_BY = {
    "formats": "one or more",
    "first_starter": "`match new --starter draw` makes a random draw",
    "round_score": "clubs use match-play",
    "game_points": "game_end=points",
    "match_points": "round_score=match-play, or alone_score=places",
    "game_rounds": "game_end=rounds",
    "best_of": "game_end=best-of",
    "called_fouls": "`match add --foul`; none or more",
}


def show_rules(names: Sequence[str], as_json: bool) -> None:
    """Print the requested rules. Raises ``UsageError`` for a rule set that does not exist."""
    refuse_if((len(names) > 2, "Give at most two rule sets: one is explained, two are compared."))
    try:
        chosen = [rule_set(name) for name in names]
    except RulesError as error:
        raise click.UsageError(str(error)) from None
    console = make_console()
    if as_json:
        print(format_json([_as_json(rules) for rules in chosen or RULE_SETS.values()], indent=1))
    elif not chosen:
        _print_list(console)
    elif len(chosen) == 1:
        print(*_explain_lines(chosen[0]), sep="\n")
    else:
        _print_differences(console, *chosen)


def format_value(value: object) -> str:
    """An option's value in everyday words."""
    if isinstance(value, Choice):
        return value.words
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, frozenset):
        return "; ".join(choice.words for choice in sorted(value))
    return str(value)


def describe_option(name: str, *notes: str) -> str:
    """An option's effect, its form if the name does not show it, and notes."""
    notes = (*((_GIVEN_BY[name],) if name in _GIVEN_BY else ()), *notes)
    return f"{OPTION_WORDS[name]} ({'; '.join(notes)})" if notes else OPTION_WORDS[name]


def _as_json(chosen: RuleSet) -> dict[str, object]:
    return {
        "name": str(chosen.name),
        "document": DOCUMENTS[chosen.name],
        "options": {
            name: {
                "value": to_json_value(getattr(chosen.options, name)),
                "words": describe_option(name),
                "values": describe_values(chosen.options, name),
                "source": chosen.source(name),
            }
            for name in option_names()
        },
    }


def _print_list(console: Console) -> None:
    headings = ("name", "document", "contact with an opponent's disc must be made by")
    table = Table(*headings, box=None, pad_edge=False, header_style="dim")
    for rules in RULE_SETS.values():
        table.add_row(rules.name, DOCUMENTS[rules.name], rules.options.contact.words)
    console.print(table)
    console.print(
        "\n`crokinole rules nca` explains one: what each option does, and its values.\n"
        "Match play, as clubs play it (2 for a round won, 1 each for a tie, to 8):\n"
        f"  {_MATCH_PLAY.format(name='nca')}",
        markup=False,
        soft_wrap=True,
    )


def _explain_lines(chosen: RuleSet) -> Iterator[str]:
    """All topics of a set: the effect of the options, their values with the current one marked, and
    the source.
    """
    yield f"{chosen.name}: {DOCUMENTS[chosen.name]}"
    yield ""
    yield "Change an option for one match, for example to match play, as clubs do:"
    yield f"  {_MATCH_PLAY.format(name=chosen.name)}"
    yield 'In a file for `crokinole judge`: "options": {"contact": "chain"}.'
    yield "A * marks the value in use."
    for topic, options in TOPICS.items():
        yield ""
        yield topic.capitalize()
        for name in options:
            yield from _explain_option(chosen, name)
        yield from fold_line(f"  ({chosen.source(options[0])})", 3)


def _explain_option(chosen: RuleSet, name: str) -> Iterator[str]:
    """An option's name, its effect, and its values."""
    value = getattr(chosen.options, name)
    yield f"  {name}={format_argument(value)}"
    choices = list_values(chosen.options, name)
    values = () if choices else (describe_values(chosen.options, name),)
    yield from fold_line(f"      {describe_option(name, *values)}", 6)
    held = value if isinstance(value, frozenset) else {value}
    width = max((len(choice) for choice in choices), default=0)
    for choice in choices:
        row = f"      {'*' if choice in held else ' '} {choice:{width}}  {choice.words}"
        yield from fold_line(row, 10 + width)


def _print_differences(console: Console, one: RuleSet, other: RuleSet) -> None:
    headings = ("option", one.name, other.name)
    table = Table(*headings, box=None, pad_edge=False, header_style="dim", padding=(0, 2, 0, 0))
    for name in option_names():
        values = [getattr(rules.options, name) for rules in (one, other)]
        if values[0] != values[1]:
            table.add_row(name, *(format_value(value) for value in values))
    console.print(table if table.row_count else f"{one.name} and {other.name} do not differ.")
