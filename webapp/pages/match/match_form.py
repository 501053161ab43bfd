"""Events of a match, parsed from the forms of the scorer's pages.

Unreadable input raises ``MatchError`` with one sentence. A round without a single point raises
``ConflictError``, which asks once. ``scorer.match.fold`` decides whether an event is possible.
"""

from __future__ import annotations

import json
import re
import secrets
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TypeVar

from calibration.phrase import Phrase, term
from scorer.match.colours import choose_colour
from scorer.match.endings import BOARD_UNKNOWN
from scorer.match.events import (
    BoardCorrected,
    ColoursChosen,
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
    ScoreSource,
    ShootoutPlayed,
    ShotPlayed,
    StarterChosen,
    StarterCorrected,
    TeamsNamed,
    TimeRanOut,
    TwentyCounted,
    Undone,
    event_from_json,
)
from scorer.match.merge import LEAVE, ConflictError, MergeOption
from scorer.match.missed_shots import ask_about_missed
from scorer.match.sighting_entries import end_as_seen
from scorer.match.state import MatchState
from scorer.match.turns import list_starters, player_count, sides_of
from scorer.rules.choices import CalledFoul, Format
from scorer.rules.options import RulesError, option_names, to_json_value
from scorer.rules.sets import rule_set
from scorer.zone_values import COUNTED_ZONES
from webapp.http.parse_number import require_whole_number
from webapp.pages.match.presets import Preset

Form = Mapping[str, str]

_PLAYERS = 4
#: A shot entered with only a zone is legal until it is corrected.
_LEGAL = "legal"
#: If nobody names the starter, the starter is drawn.
_DRAW = "draw"
#: A dispute that concerns no shot in the list.
_NONE = "none"
_UNKNOWN = Phrase("This entry was not found. Reload the page.")
#: A field of a form that has no name in players' words.
_FIELD = Phrase("this field")


#: A browser's own key: its name, a full stop, and a name of the entry.
_KEY = re.compile(r"[0-9a-zA-Z-]{1,40}(\.[0-9a-zA-Z-]{1,40})?")


#: The form's field for a disc that a foul takes off the board.
_DISC_OFF = re.compile(r"off[0-9]{1,3}")


@dataclass(frozen=True, slots=True, kw_only=True)
class EntryStamp:
    """The state of the match for which a form was filled in, and the browser.

    seen  the number of events of the match that its page showed; None if not given
    key   of the entry, which is made once; its part before the full stop identifies the browser
    """

    seen: int | None
    key: str

    def is_own(self, key: str) -> bool:
        """Whether the same browser made the entry of that key."""
        browser, stop, _ = self.key.partition(".")
        return bool(stop) and key.startswith(f"{browser}.")


@dataclass(frozen=True, slots=True, kw_only=True)
class TypedForm:
    """A refused form, to be shown again as typed, with the reason and possible solutions."""

    form: Form = field(default_factory=dict)
    problem: str | None = None
    choices: Sequence[Mapping[str, object]] = ()

    def value(self, form: str, name: str, default: object) -> object:
        """The text typed into a field of this form."""
        return self.form.get(name, default) if self.form.get("form") == form else default


def parse_stamp(form: Form) -> EntryStamp:
    """The version and the key in a form; a new key if it has none."""
    key = form.get("key", "")
    return EntryStamp(
        seen=_parse_optional(form, "seen"),
        key=key if _KEY.fullmatch(key) else secrets.token_hex(8),
    )


def parse_setup(form: Form, preset: Preset | None = None) -> MatchStarted:
    """The match described by the form of a new match; a preset defines how it is played."""
    format_ = _parse_choice(Format, form.get("format", ""), "format")
    names = [" ".join(form.get(f"player{k}", "").split()) for k in range(_PLAYERS)]
    players = tuple(names[: player_count(format_)])
    sides = range(len(sides_of(format_)))
    colours = tuple(form.get(f"colour{k}", "").strip() for k in sides)
    rules = preset.rules if preset else form.get("rules", "")
    options = preset.options if preset else _parse_options(form)
    starter = form.get("starter", "0")
    if starter == _DRAW:
        able = list_starters(format_, rule_set(rules, dict(options)).options)
        starter = str(secrets.choice(able))
    return MatchStarted(
        teams=_parse_teams(form) if format_ is Format.TEAMS else (),
        rules=rules,
        format=format_,
        players=players,
        options=options,
        starter=_parse_int(starter, Phrase("starting player")),
        games=_parse_int(form.get("games", "1"), Phrase("the number of games")),
        colours=colours if any(colours) else (),
    )


def _parse_teams(form: Form) -> tuple[str, ...]:
    return tuple(form.get(f"team{side}", "").strip() for side in range(2))


def _parse_options(form: Form) -> tuple[tuple[str, object], ...]:
    """The options in which a form differs from its rule set."""
    try:
        chosen = rule_set(form.get("rules", ""))
        given = {
            name: form[f"option_{name}"] for name in option_names() if f"option_{name}" in form
        }
        if not given:
            return ()
        options = rule_set(form.get("rules", ""), given).options
    except RulesError as error:
        raise MatchError(str(error)) from None
    return tuple(
        (name, plain)
        for name in given
        if (plain := to_json_value(getattr(options, name)))
        != to_json_value(getattr(chosen.options, name))
    )


def parse_board(form: Form) -> int:
    """The number of the board in a form. Raises ``MatchError``."""
    return _parse_field(form, "board")


def parse_event(action: str, form: Form, state: MatchState) -> Event:
    """The event described by a match's form."""
    read = _PARSERS.get(action)
    if read is None:
        raise MatchError(_UNKNOWN)
    return read(form, state)


def _parse_start(form: Form, _state: MatchState) -> Event:
    minutes = form.get("minutes", "").strip()
    return RoundStarted(
        minutes=_parse_int(minutes, Phrase("the number of minutes")) if minutes else None
    )


def _parse_colours(form: Form, state: MatchState) -> Event:
    count = len(state.setup.sides)
    return ColoursChosen(
        colours=tuple(form.get(f"colour{side}", "").strip() for side in range(count)),
        round=_parse_field(form, "round") if "round" in form else 1,
    )


def _parse_plays(form: Form, state: MatchState) -> Event:
    """The side of a colour from one tap; the other colours do not change."""
    side, colour = _parse_field(form, "side"), form.get("colour", "").strip()
    if side not in range(len(state.setup.sides)) or not colour:
        raise MatchError(_UNKNOWN)
    return ColoursChosen(colours=choose_colour(state.setup, side, colour))


def _parse_shot(form: Form, state: MatchState) -> Event:
    """A shot that no camera saw, by the player whose turn it is."""
    turn = 0 if state.turn is None else state.turn
    return ShotPlayed(
        player=_parse_field(form, "player") if "player" in form else turn,
        verdict=_LEGAL,
        board=state.round.board,
        twenties=(0,) * len(state.setup.sides),
        is_unseen=True,
    )


def _parse_unseen(_form: Form, state: MatchState) -> Event:
    """The end of a round whose log has too few shots; the unseen shots become a question.

    Raises ``MatchError`` if no shot is left.
    """
    left = state.round.last_shot - state.round.shot_count
    if state.turn is None or not left:
        raise MatchError(_UNKNOWN)
    if not state.round.is_board_known:
        raise MatchError(BOARD_UNKNOWN)
    about = ask_about_missed(state, left, Phrase("at the end of the round"))
    return BoardCorrected(missed=left, board=state.round.board, about=about)


def _parse_foul(form: Form, _state: MatchState) -> Event:
    player = _parse_player(form)
    foul = _parse_choice(CalledFoul, form.get("foul", ""), "foul")
    removed = tuple(form[name] for name in form if _DISC_OFF.fullmatch(name) and form[name])
    return FoulCalled(player=player, foul=foul, removed=removed)


def _parse_score(form: Form, state: MatchState) -> Event:
    if form.get("by") == "shots":
        return RoundScored(source=ScoreSource.SHOTS)
    count = len(state.setup.sides)
    discs = [
        {zone: _parse_field(form, f"count{side}_{zone}") for zone in COUNTED_ZONES}
        for side in range(count)
    ]
    for name, most, counts in zip(state.setup.sides, state.setup.discs, discs, strict=True):
        check_counts(name, most, counts)
    scored = RoundScored(
        points=tuple(sum(zone * number for zone, number in side.items()) for side in discs),
        twenties=tuple(side[20] for side in discs),
        counts=tuple(tuple(side.values()) for side in discs),
    )
    if not any(scored.points or ()):
        yes = MergeOption(words=Phrase("Yes, nobody scored"), event=scored)
        raise ConflictError(
            Phrase("You have not entered any discs or 20s. Did nobody score in this round?"),
            yes,
            LEAVE,
        )
    return scored


def check_counts(name: str, most: int, counts: Mapping[int, int]) -> None:
    """Raise ``MatchError`` for discs by zone that a side cannot have.

    ``describeCountFault`` in ``round_check.js`` gives the same message before a form is sent.
    """
    if any(count < 0 for count in counts.values()):
        raise MatchError(Phrase("A count cannot be less than 0."))
    count = sum(counts.values())
    if count > most:
        raise MatchError(
            Phrase(
                "%(name)s: you entered %(count)s discs, but this side has only %(most)s.",
                name=name,
                count=count,
                most=most,
            )
        )


def _parse_ruled_twenties(form: Form, sides: int) -> tuple[int, ...]:
    """The 20s that a ruling adds: counted per side, or one for the chosen side."""
    given = [form[name] for side in range(sides) if (name := f"twenties{side}") in form]
    if any(not text.strip() for text in given):
        raise MatchError(Phrase("For each side, enter how many 20s were missed, or 0."))
    if given:
        return tuple(_parse_int(text, Phrase("the number of 20s")) for text in given)
    chosen = _parse_optional(form, "twenty")
    return () if chosen is None else tuple(int(side == chosen) for side in range(sides))


def _parse_chosen(form: Form, _state: MatchState) -> Event:
    """The event of a conflict's solution, as given by the question."""
    try:
        return event_from_json(json.loads(form.get("event", "")))
    except (ValueError, RecursionError) as error:
        raise MatchError(str(error) if isinstance(error, MatchError) else _UNKNOWN) from None


def _parse_field(form: Form, name: str) -> int:
    return _parse_int(form.get(name, "").strip() or "0")


def _parse_sides(form: Form, name: str, state: MatchState) -> tuple[int, ...]:
    """A field of each side: ``points0``, ``points1``, and so on."""
    return tuple(_parse_field(form, f"{name}{side}") for side in range(len(state.setup.sides)))


def _parse_player(form: Form) -> int:
    """The chosen player. Raises ``MatchError`` if none was chosen."""
    player = _parse_optional(form, "player")
    if player is None:
        raise MatchError(Phrase("Choose a player."))
    return player


def _parse_optional(form: Form, name: str) -> int | None:
    text = form.get(name, "").strip()
    return _parse_int(text) if text else None


def _parse_int(text: str, what: str = _FIELD) -> int:
    return require_whole_number(text, what, MatchError, is_signed=True)


def _parse_remark(form: Form, name: str) -> str:
    text = " ".join(form.get(name, "").split())
    if not text:
        raise MatchError(Phrase("Describe the dispute in a few words."))
    return text


Choice = TypeVar("Choice", bound=StrEnum)


def _parse_choice(kind: type[Choice], text: str, what: str) -> Choice:
    if text not in {str(choice) for choice in kind}:
        raise MatchError(
            Phrase(
                "There is no %(kind)s “%(text)s”. Choose one from the list.",
                kind=term(what),
                text=text[:20],
            )
        )
    return kind(text)


#: The event of each form of a match, by the form's action.
_PARSERS: dict[str, Callable[[Form, MatchState], Event]] = {
    "start": _parse_start,
    "starter": lambda form, _: StarterChosen(player=_parse_player(form)),
    "started": lambda form, _: StarterCorrected(
        player=_parse_field(form, "player"), round=_parse_field(form, "round")
    ),
    "colours": _parse_colours,
    "plays": _parse_plays,
    "teams": lambda form, _state: TeamsNamed(teams=_parse_teams(form)),
    "end": lambda _, state: end_as_seen(state),
    "shot": _parse_shot,
    "unseen": _parse_unseen,
    "twenty": lambda form, _: TwentyCounted(
        side=_parse_field(form, "side"), change=_parse_field(form, "change")
    ),
    "foul": _parse_foul,
    "score": _parse_score,
    "fix": lambda form, state: RoundCorrected(
        round=_parse_field(form, "round"),
        points=_parse_sides(form, "points", state),
        twenties=_parse_sides(form, "twenties", state),
    ),
    "disc": lambda form, _: DiscCorrected(
        disc=form.get("disc", ""),
        zone=_parse_optional(form, "zone"),
        side=_parse_optional(form, "side"),
    ),
    "dispute": lambda form, _: Disputed(
        about=_parse_remark(form, "about"),
        disc=form.get("disc") or None,
        shot=None if form.get("shot") == _NONE else form.get("shot") or None,
    ),
    "rule": lambda form, state: Ruled(
        dispute=_parse_field(form, "dispute"),
        decision=_parse_remark(form, "decision"),
        disc=form.get("disc") or None,
        zone=_parse_optional(form, "zone"),
        side=_parse_optional(form, "side"),
        twenties=_parse_ruled_twenties(form, len(state.setup.sides)),
    ),
    "time": lambda *_: TimeRanOut(),
    "shootout": lambda form, state: ShootoutPlayed(twenties=_parse_sides(form, "twenties", state)),
    "undo": lambda *_: Undone(),
    "event": _parse_chosen,
}
