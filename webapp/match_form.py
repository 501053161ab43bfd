"""What a form of the scorer's pages tells, as an event of the match.

Knows the names of the forms' fields. Refuses to know whether an event can be (see
``scorer.match``). Whatever cannot be read raises ``MatchError`` with one sentence.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from scorer.match_events import (
    DiscCorrected,
    Disputed,
    Event,
    FoulCalled,
    MatchError,
    MatchStarted,
    RoundCorrected,
    RoundScored,
    RoundStarted,
    Ruled,
    ShootoutPlayed,
    ShotPlayed,
    Source,
    StarterChosen,
    TimeRanOut,
    TwentyCounted,
    Undone,
)
from scorer.match_state import MatchState
from scorer.match_turns import player_count
from scorer.rules.options import CalledFoul, Format, RulesError, as_plain, option_names
from scorer.rules.sets import rule_set

Form = Mapping[str, str]

#: Zones that a person counts discs in when a round is over.
ZONES = (20, 15, 10, 5)
#: Longer names and remarks than these do not fit a scoreboard.
_NAME_LETTERS, _REMARK_LETTERS = 40, 500
_PLAYERS = 4
#: A disc on which nothing stands but its zone is legal until somebody says otherwise.
_LEGAL = "legal"


def setup_from(form: Form) -> MatchStarted:
    """The match that the form of a new match tells."""
    format_ = _choice(Format, form.get("format", ""), "way to sit")
    names = [_name(form.get(f"player{k}", "")) for k in range(_PLAYERS)]
    players = tuple(names[: player_count(format_)])
    colours = tuple(
        colour for k in range(_PLAYERS) if (colour := form.get(f"colour{k}", "").strip())
    )
    starter = form.get("starter", "0")
    return MatchStarted(
        rules=form.get("rules", ""),
        format=format_,
        players=players,
        options=_changed_options(form),
        starter=_whole(starter, "the starter"),
        games=_whole(form.get("games", "1"), "the games"),
        colours=colours,
    )


def _changed_options(form: Form) -> tuple[tuple[str, Any], ...]:
    """The options that a form decides otherwise than its rule set."""
    try:
        chosen = rule_set(form.get("rules", ""))
        told = {name: form[f"option_{name}"] for name in option_names() if f"option_{name}" in form}
        if not told:
            return ()
        options = rule_set(form.get("rules", ""), told).options
    except RulesError as error:
        raise MatchError(str(error)) from None
    return tuple(
        (name, plain)
        for name in told
        if (plain := as_plain(getattr(options, name))) != as_plain(getattr(chosen.options, name))
    )


def event_from(action: str, form: Form, state: MatchState) -> Event:
    """The event that a form of a match tells."""
    read = _READERS.get(action)
    if read is None:
        raise MatchError("There is no such entry; load the page again.")
    return read(form, state)


def _start(form: Form, _state: MatchState) -> Event:
    minutes = form.get("minutes", "").strip()
    return RoundStarted(minutes=_whole(minutes, "the minutes") if minutes else None)


def _starter(form: Form, _state: MatchState) -> Event:
    return StarterChosen(player=_field(form, "player"))


def _shot(_form: Form, state: MatchState) -> Event:
    """A disc that nobody's camera saw: whose turn it is has shot."""
    return ShotPlayed(
        player=0 if state.turn is None else state.turn,
        verdict=_LEGAL,
        board=state.round.board,
        twenties=(0,) * len(state.setup.sides),
    )


def _twenty(form: Form, _state: MatchState) -> Event:
    return TwentyCounted(side=_field(form, "side"), change=_field(form, "change"))


def _foul(form: Form, _state: MatchState) -> Event:
    foul = _choice(CalledFoul, form.get("foul", ""), "foul")
    return FoulCalled(player=_field(form, "player"), foul=foul)


def _score(form: Form, state: MatchState) -> Event:
    if form.get("by") == "shots":
        return RoundScored(source=Source.SHOTS)
    count = len(state.setup.sides)
    discs = [{zone: _field(form, f"count{side}_{zone}") for zone in ZONES} for side in range(count)]
    if any(each < 0 for side in discs for each in side.values()):
        raise MatchError("No side has fewer than 0 discs anywhere.")
    return RoundScored(
        points=tuple(sum(zone * each for zone, each in side.items()) for side in discs),
        twenties=tuple(side[20] for side in discs),
    )


def _fix(form: Form, state: MatchState) -> Event:
    count = len(state.setup.sides)
    return RoundCorrected(
        round=_field(form, "round"),
        points=tuple(_field(form, f"points{side}") for side in range(count)),
        twenties=tuple(_field(form, f"twenties{side}") for side in range(count)),
    )


def _disc(form: Form, _state: MatchState) -> Event:
    return DiscCorrected(
        disc=form.get("disc", ""), zone=_optional(form, "zone"), side=_optional(form, "side")
    )


def _dispute(form: Form, _state: MatchState) -> Event:
    return Disputed(
        about=_remark(form, "about"), disc=form.get("disc") or None, shot=form.get("shot") or None
    )


def _rule(form: Form, _state: MatchState) -> Event:
    return Ruled(
        dispute=_field(form, "dispute"),
        decision=_remark(form, "decision"),
        disc=form.get("disc") or None,
        zone=_optional(form, "zone"),
        side=_optional(form, "side"),
    )


def _time(_form: Form, _state: MatchState) -> Event:
    return TimeRanOut()


def _shootout(form: Form, state: MatchState) -> Event:
    count = len(state.setup.sides)
    return ShootoutPlayed(
        twenties=tuple(
            _field(form, f"twenties{side}") if side in state.shootout else 0
            for side in range(count)
        )
    )


def _undo(_form: Form, _state: MatchState) -> Event:
    return Undone()


_READERS: dict[str, Callable[[Form, MatchState], Event]] = {
    "start": _start,
    "starter": _starter,
    "shot": _shot,
    "twenty": _twenty,
    "foul": _foul,
    "score": _score,
    "fix": _fix,
    "disc": _disc,
    "dispute": _dispute,
    "rule": _rule,
    "time": _time,
    "shootout": _shootout,
    "undo": _undo,
}


def _field(form: Form, name: str) -> int:
    return _whole(form.get(name, "").strip() or "0", name)


def _optional(form: Form, name: str) -> int | None:
    text = form.get(name, "").strip()
    return _whole(text, name) if text else None


def _whole(text: str, what: str) -> int:
    digits = text.strip().removeprefix("-")
    if not (digits.isascii() and digits.isdigit() and len(digits) <= 6):
        raise MatchError(f"“{text[:20]}” is no whole number for {what}; give one.")
    return int(text)


def _name(text: str) -> str:
    return " ".join(text.split())[:_NAME_LETTERS]


def _remark(form: Form, name: str) -> str:
    text = " ".join(form.get(name, "").split())[:_REMARK_LETTERS]
    if not text:
        raise MatchError("Say in a few words what it is about.")
    return text


def _choice(kind: Any, text: str, what: str) -> Any:
    if text not in {str(each) for each in kind}:
        raise MatchError(f"There is no {what} “{text[:20]}”; choose one from the list.")
    return kind(text)
