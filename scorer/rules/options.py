"""The options of one way to play crokinole, and changes to them by name.

Raises ``RulesError`` for options that cannot be combined. The rule sets' values are in ``sets``.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, replace
from enum import Enum
from typing import Any

from calibration.phrase import Phrase
from calibration.user_error import Trouble
from scorer.rules.choices import (
    AloneScore,
    BounceBack,
    CalledFoul,
    Choice,
    ContactRule,
    Crossing,
    EndChecked,
    EndTie,
    FirstStarter,
    Format,
    GameEnd,
    Leaner,
    LineZone,
    NextStarter,
    OpenDisc,
    OpenTarget,
    OpenWhen,
    OutAtRest,
    PenaltyScope,
    PlacementCentre,
    PlacementLine,
    PlacementQuadrant,
    Reshoot,
    RoundScore,
    TimeOut,
    TwentyOwner,
    TwoVOneOrder,
)
from scorer.texts import quote


class RulesError(Trouble, ValueError):
    """An impossible rule set or option; the text is one sentence for the user."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleOptions:
    """One way to play, decision by decision. Raises ``RulesError`` for unplayable combinations."""

    discs_singles: int
    discs_partner: int
    discs_alone: int
    formats: frozenset[Format]
    two_v_one_order: TwoVOneOrder
    first_starter: FirstStarter
    next_starter: NextStarter
    placement_line: PlacementLine
    placement_centre: PlacementCentre
    placement_quadrant: PlacementQuadrant
    placement_penalty: PenaltyScope
    contact: ContactRule
    miss_penalty: PenaltyScope
    penalty_takes_twenties: bool
    open_target: OpenTarget
    open_when: OpenWhen
    open_disc: OpenDisc
    open_penalty: PenaltyScope
    out_at_rest: OutAtRest
    bounce_back: BounceBack
    crossing: Crossing
    twenty_owner: TwentyOwner
    leaner: Leaner
    line_zone: LineZone
    round_score: RoundScore
    alone_score: AloneScore
    twenties_apart: bool
    game_end: GameEnd
    game_points: int
    match_points: int
    game_rounds: int
    best_of: int
    end_checked: EndChecked
    end_tie: EndTie
    shootout_shots: int
    shootout_shots_partner: int
    time_out: TimeOut
    reshoot: Reshoot
    reshoot_limit: int
    called_fouls: frozenset[CalledFoul]

    def __post_init__(self) -> None:
        for name, (least, most) in RANGES.items():
            _check_range(name, getattr(self, name), least, most)
        if not self.formats:
            raise RulesError(Phrase("formats is empty. Give at least one format, such as two."))
        if self.best_of % 2 == 0:
            raise RulesError(
                Phrase(
                    "best_of must be an odd number of rounds, not %(best_of)s.",
                    best_of=self.best_of,
                )
            )
        for conflict in _CONFLICTS:
            sentence = conflict(self)
            if sentence is not None:
                raise RulesError(sentence)

    @property
    def shot_penalties(self) -> dict[CalledFoul, PenaltyScope]:
        """The fouls of a shot under these rules, with the discs that a foul costs."""
        penalties = {CalledFoul.NO_CONTACT: self.miss_penalty}
        if self.open_target is not OpenTarget.ANYWHERE:
            penalties[CalledFoul.OPEN_BOARD] = self.open_penalty
        return {**penalties, CalledFoul.PLACEMENT: self.placement_penalty}

    @property
    def fouls_to_call(self) -> tuple[CalledFoul, ...]:
        """The fouls that people may call, those of a shot first."""
        shot_fouls = tuple(self.shot_penalties)
        return (*shot_fouls, *sorted(self.called_fouls.difference(shot_fouls)))


#: Smallest and largest value of every number. A set has at most 12 discs; 20 hours allow fewer than
#: 1,000 rounds.
RANGES = {
    "discs_singles": (1, 12),
    "discs_partner": (1, 6),
    "discs_alone": (1, 12),
    "game_points": (1, 10_000),
    "match_points": (1, 1_000),
    "game_rounds": (1, 1_000),
    "best_of": (1, 999),
    "shootout_shots": (1, 12),
    "shootout_shots_partner": (1, 6),
    "reshoot_limit": (0, 12),
}


def _check_range(name: str, value: int, least: int, most: int) -> None:
    if not least <= value <= most:
        raise RulesError(
            Phrase(
                "%(option)s must be a number from %(least)s to %(most)s, not %(value)s.",
                option=name,
                value=value,
                least=least,
                most=most,
            )
        )


def _first_shot_without_target(options: RuleOptions) -> str | None:
    if options.open_when is OpenWhen.FIRST_SHOT and options.open_target is OpenTarget.ANYWHERE:
        return Phrase(
            "open_when=first-shot and open_target=anywhere cannot be combined: a rule for the "
            "first shot needs a target for its disc."
        )
    return None


def _reshoot_without_limit(options: RuleOptions) -> str | None:
    if options.reshoot is not Reshoot.NONE and options.reshoot_limit == 0:
        return Phrase(
            "reshoot=%(reshoot)s and reshoot_limit=0 cannot be combined: give the number "
            "of re-shoots per player in a round.",
            reshoot=options.reshoot,
        )
    return None


def _limit_without_reshoot(options: RuleOptions) -> str | None:
    if options.reshoot is Reshoot.NONE and options.reshoot_limit > 0:
        return Phrase(
            "reshoot=none and reshoot_limit=%(limit)s cannot be combined: say "
            "which shots can be repeated.",
            limit=options.reshoot_limit,
        )
    return None


def _uneven_shootout(options: RuleOptions) -> str | None:
    is_uneven = options.shootout_shots != 2 * options.shootout_shots_partner
    if options.end_tie is EndTie.SHOOTOUT and is_uneven:
        return Phrase(
            "shootout_shots=%(shots)s and shootout_shots_partner=%(partner_shots)s cannot be "
            "combined: a pair takes as many shots as a single player, so one must be twice the "
            "other.",
            shots=options.shootout_shots,
            partner_shots=options.shootout_shots_partner,
        )
    return None


_CONFLICTS: tuple[Callable[[RuleOptions], str | None], ...] = (
    _first_shot_without_target,
    _reshoot_without_limit,
    _limit_without_reshoot,
    _uneven_shootout,
)


def option_names() -> tuple[str, ...]:
    """The names of all options, in the order in which they matter in a game."""
    return tuple(field.name for field in fields(RuleOptions))


def override_options(options: RuleOptions, changes: Mapping[str, object]) -> RuleOptions:
    """``options`` with changes by name, as typed. Raises ``RulesError``."""
    parsed = {name: _parse_option(name, options, value) for name, value in changes.items()}
    return replace(options, **parsed)


def to_json_value(value: Any) -> Any:
    """An option's value in JSON."""
    if isinstance(value, frozenset):
        return sorted(str(choice) for choice in value)
    return str(value) if isinstance(value, Enum) else value


def format_argument(value: Any) -> str:
    """An option's value as typed after ``NAME=``."""
    plain = to_json_value(value)
    if isinstance(plain, bool):
        return "yes" if plain else "no"
    return ",".join(plain) if isinstance(plain, list) else str(plain)


def _parse_option(name: str, options: RuleOptions, value: Any) -> Any:
    names = option_names()
    if name not in names:
        near = difflib.get_close_matches(name, names, n=1)
        hint = (
            Phrase("did you mean %(name)s?", name=near[0])
            if near
            else Phrase("`crokinole rules nca` lists them all.")
        )
        raise RulesError(
            Phrase("There is no option %(option)s; %(hint)s", option=quote(name), hint=hint)
        )
    current = getattr(options, name)
    if isinstance(current, bool):
        return _parse_bool(name, value)
    if isinstance(current, int):
        return _parse_int(name, value)
    if isinstance(current, frozenset):
        return _parse_set(name, value)
    return _parse_choice(name, type(current), value)


def _parse_bool(name: str, value: Any) -> bool:
    values_by_text = {"yes": True, "no": False, "true": True, "false": False}
    if isinstance(value, str) and value.lower() in values_by_text:
        return values_by_text[value.lower()]
    if isinstance(value, bool):
        return value
    raise RulesError(
        Phrase("%(option)s must be yes or no, not %(value)s.", option=name, value=quote(value))
    )


def _parse_int(name: str, value: Any) -> int:
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    if isinstance(value, str) and value.strip().isascii() and value.strip().isdigit():
        return int(value)
    raise RulesError(
        Phrase("%(option)s must be a whole number, not %(value)s.", option=name, value=quote(value))
    )


#: The allowed choices of options that are sets.
SET_TYPES: dict[str, type[Choice]] = {"formats": Format, "called_fouls": CalledFoul}


def _parse_set(name: str, value: Any) -> frozenset[Any]:
    if isinstance(value, str):
        value = [disc_name for disc_name in value.split(",") if disc_name]
    if not isinstance(value, list | tuple | set | frozenset):
        raise RulesError(
            Phrase(
                "%(option)s must be a list of choices, not %(value)s.",
                option=name,
                value=quote(value),
            )
        )
    return frozenset(_parse_choice(name, SET_TYPES[name], choice) for choice in value)


def _parse_choice(name: str, kind: type[Choice], value: Any) -> Choice:
    try:
        return kind(value)  # type: ignore[call-arg]  # by value, which the enum's metaclass allows
    except (ValueError, TypeError):
        choices = ", ".join(choice.value for choice in kind)
        raise RulesError(
            Phrase(
                "%(option)s cannot be %(value)s. Choose from %(choices)s.",
                option=name,
                value=quote(value),
                choices=choices,
            )
        ) from None
