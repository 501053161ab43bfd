"""A new match: its form, with every rule set's choices in words."""

from __future__ import annotations

from typing import Any

from flask import abort, redirect, render_template, request, url_for

from scorer.match.turns import player_count, sides_of
from scorer.rules.choices import Choice, Format
from scorer.rules.sets import RULE_SETS
from scorer.rules.sources import DOCUMENTS, TOPICS
from webapp.auth import scorer_only
from webapp.jobs.referee_task import apply_match_rules
from webapp.runtime.side_colours import COLOUR_HEX
from webapp.services import services
from webapp.views.match.blueprint import BLUEPRINT
from webapp.views.match.form import parse_setup


@BLUEPRINT.get("/match/new")
@scorer_only
def new() -> str:
    """The form of a new match."""
    name = request.args.get("rules", "nca")
    chosen = RULE_SETS.get(name)  # type: ignore[call-overload]  # a name is a str
    if chosen is None:
        abort(404)
    formats = [each for each in Format if each in chosen.options.formats]
    return render_template(
        "match_new.html",
        rules=_describe_rules(chosen),
        documents={str(name): words for name, words in DOCUMENTS.items()},
        formats=[(each, player_count(each), len(sides_of(each))) for each in formats],
        colours=list(COLOUR_HEX),
        teams=services().scoreboard.state["live"]["teams"],
    )


@BLUEPRINT.post("/match/new")
def create() -> Any:
    """Begin a match."""
    number = services().scoreboard.begin(parse_setup(request.form))
    apply_match_rules(services())
    return redirect(url_for("match.show", number=number), 303)


def _describe_rules(chosen: Any) -> dict[str, Any]:
    """A rule set with every option's choices in plain words, by topic."""
    return {
        "name": str(chosen.name),
        "document": DOCUMENTS[chosen.name],
        "topics": [
            {
                "name": topic,
                "source": chosen.source(options[0]),
                "options": [_describe_option(chosen, name) for name in options],
            }
            for topic, options in TOPICS.items()
        ],
    }


def _describe_option(chosen: Any, name: str) -> dict[str, Any]:
    value = getattr(chosen.options, name)
    shown: dict[str, Any] = {"name": name, "words": name.replace("_", " ")}
    if isinstance(value, Choice):
        choices = [(str(each), each.words) for each in type(value)]
        return shown | {"kind": "choice", "value": str(value), "choices": choices}
    if isinstance(value, bool):
        choices = [("yes", "yes"), ("no", "no")]
        return shown | {"kind": "choice", "value": "yes" if value else "no", "choices": choices}
    if isinstance(value, int):
        return shown | {"kind": "number", "value": value}
    return shown | {"kind": "words", "value": "; ".join(each.words for each in sorted(value))}
