"""A new match: by the name of a way to play, option by option, or the last one again."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from flask import redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue

from calibration.phrase import Phrase, join
from scorer.match.events import MatchError, MatchStarted
from scorer.match.fold import fold
from scorer.match.turns import player_count, sides_of
from scorer.rules.choices import Choice, Format
from scorer.rules.names import RuleSetName
from scorer.rules.option_labels import OPTION_WORDS, describe_values
from scorer.rules.sets import RULE_SETS, RuleSet
from scorer.rules.sources import DOCUMENTS, TITLES, TOPICS
from scorer.store import StoreError
from webapp.auth import scorer_only
from webapp.jobs.referee_task import apply_match_rules
from webapp.live.pairings import make_match
from webapp.live.side_colours import COLOUR_HEX
from webapp.pages.match.blueprint import BLUEPRINT, get_log
from webapp.pages.match.match_form import parse_setup
from webapp.pages.match.presets import find_preset, list_known_players, list_presets
from webapp.services import board_at_hand, services

#: Number of matches in which earlier names are searched for.
_REMEMBERED = 60


@BLUEPRINT.get("/match/new")
@scorer_only
def new() -> str:
    """The form of a new match; with ``rules`` or ``options`` in the address, option by option."""
    return _render_form(request.args)


@BLUEPRINT.post("/match/new")
def create() -> ResponseReturnValue:
    """Start a match; a refusal keeps the typed values. A photo's round is then saved."""
    try:
        last = next(iter(services().store.recent_setups(1)), None)
        preset = find_preset(request.form.get("preset", ""), last)
        number = _begin(parse_setup(request.form, preset))
    except (MatchError, StoreError) as refusal:
        return _render_form(request.form, problem=str(refusal)), 409
    if photo := request.form.get("photo"):
        return redirect(url_for("snapshot.show", key=photo), 303)
    return redirect(url_for("match.show", number=number), 303)


@BLUEPRINT.post("/match/<int:number>/again")
def play_again(number: int) -> ResponseReturnValue:
    """Start the same match again: the other side starts, or everybody moves one seat on.

    The match asks again who plays which colour, because people who play again may have swapped
    discs.
    """
    log = get_log(number)
    setup, teams = log[0], fold(log).setup.teams
    assert isinstance(setup, MatchStarted)
    players, setup = setup.players, replace(setup, colours=(), tournament=(), teams=teams)
    if request.form.get("swap"):
        again = replace(setup, players=(*players[1:], players[0]), teams=teams[::-1])
    else:
        again = replace(setup, starter=(setup.starter + 1) % len(players))
    return redirect(url_for("match.show", number=_begin(again)), 303)


@BLUEPRINT.post("/match/begin")
def begin_pairing() -> ResponseReturnValue:
    """Start the tournament's next match at this board."""
    board = board_at_hand()
    pairing = board.scoreboard.state.pairing
    if pairing is None:
        raise MatchError(Phrase("No tournament match is waiting at this board."))
    colours = tuple(request.form.get(f"colour{side}", "").strip() for side in range(2))
    stored = services().tournaments.read(pairing.tournament)
    known = colours if any(colours) else ()
    setup = make_match(stored, pairing.match, board.number, known)
    return redirect(url_for("match.show", number=_begin(setup)), 303)


def _begin(setup: MatchStarted) -> int:
    board = board_at_hand()
    number = board.scoreboard.begin(setup)
    apply_match_rules(services(), board)
    return number


def _render_form(values: Mapping[str, str], problem: str | None = None) -> str:
    """The form with the values typed so far."""
    setups = services().store.recent_setups(_REMEMBERED)
    presets, usual = list_presets(setups[0] if setups else None)
    key = values.get("from_preset") or values.get("preset") or usual
    chosen = next((preset for preset in presets if preset.key == key), presets[0])
    rules: RuleSet | None = None
    named = values.get("rules", "")
    is_other = named in set(RuleSetName) and not ("from_preset" in values and named == chosen.rules)
    if "rules" in values or "options" in values:
        rules = RULE_SETS[RuleSetName(named)] if is_other else chosen.rule_set
    formats = (
        rules.options.formats
        if rules
        else frozenset[Format]().union(*(preset.rule_set.options.formats for preset in presets))
    )
    return render_template(
        "match/match_new.html",
        values=values,
        problem=problem,
        presets=presets,
        preset=chosen,
        is_preset=not is_other,
        rules=None if rules is None else _describe_rules(rules),
        titles=TITLES,
        formats=[
            (form, player_count(form), len(sides_of(form))) for form in Format if form in formats
        ],
        colours=COLOUR_HEX,
        known=list_known_players(setups),
    )


def _describe_rules(chosen: RuleSet) -> dict[str, object]:
    """A rule set with every option's choices in plain words, by topic."""
    return {
        "name": str(chosen.name),
        "title": TITLES[chosen.name],
        "document": DOCUMENTS[chosen.name],
        "topics": [
            {
                "name": topic,
                "source": chosen.source(options[0]) if not chosen.changed else "",
                "options": [_describe_option(chosen, name) for name in options],
            }
            for topic, options in TOPICS.items()
        ],
    }


def _describe_option(chosen: RuleSet, name: str) -> dict[str, object]:
    value = getattr(chosen.options, name)
    shown: dict[str, object] = {"name": name, "words": OPTION_WORDS[name]}
    if isinstance(value, Choice):
        choices = [(str(choice), choice.words) for choice in type(value)]
        return shown | {"kind": "choice", "value": str(value), "choices": choices}
    if isinstance(value, bool):
        choices = [("yes", "yes"), ("no", "no")]
        return shown | {"kind": "choice", "value": "yes" if value else "no", "choices": choices}
    if isinstance(value, int):
        values = describe_values(chosen.options, name)
        return shown | {"kind": "number", "value": value, "values": values}
    return shown | {
        "kind": "words",
        "value": join("; ", (choice.words for choice in sorted(value))),
    }
