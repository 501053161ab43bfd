"""Events that a camera saw, in colours and not in sides: a shot, a 20, or a round's end.

The side of a colour may be known later, or corrected; the camera's events in a match's log are then
read again. Places are (x, y) in the board frame, mm. The JSON is what databases hold,
so a field is never renamed or removed; fields at their defaults are left out.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import MISSING, dataclass, fields
from enum import StrEnum
from typing import Any

from scorer.match.seen_shot import Place, SeenShot, read_place, read_seen_shot, seen_shot_json
from scorer.texts import quote
from scorer.value_readers import (
    read_bool,
    read_choice,
    read_int,
    read_list,
    read_text,
    read_texts,
)


class SightingKind(StrEnum):
    """What was seen."""

    SHOT = "shot"
    TWENTY = "twenty"
    ROUND = "round"


@dataclass(frozen=True, slots=True, kw_only=True)
class SightedDisc:
    """A disc on the board: its colour, its zone, and where it rests."""

    id: str
    colour: str
    zone: int
    place_mm: Place


@dataclass(frozen=True, slots=True, kw_only=True)
class SightedTotal:
    """What a colour has in a round: points with 20s, and 20s."""

    colour: str
    points: int
    twenties: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Sighting:
    """One event of the live referee, as far as a match needs it.

    teams      the colours of all discs that the camera knows
    colour     of the disc that was shot, or fell into the hole
    number     of the shot in its round, from 1, as the camera counts
    before     the discs on the board before a shot, without the one that was shot
    after      the discs on the board after it, without those that the rules remove
    question   what a person has to decide about the shot; "" for nothing
    path       where the shot's disc went
    clip       the name under which the shot is kept
    totals     of a round, by colour
    is_cleared whether the round ended by clearing the board
    is_over    whether a person said that the round ended so, whatever was still to be shot
    is_film_over  whether a recording ended with the round, so that nothing more can be seen of it
    questions  what makes a round's score doubtful
    """

    what: SightingKind
    teams: tuple[str, ...] = ()
    colour: str = ""
    number: int = 0
    before: tuple[SightedDisc, ...] = ()
    after: tuple[SightedDisc, ...] = ()
    verdict: str = ""
    faults: tuple[str, ...] = ()
    question: str = ""
    path: SeenShot | None = None
    clip: str = ""
    totals: tuple[SightedTotal, ...] = ()
    is_cleared: bool = False
    is_over: bool = False
    is_film_over: bool = False
    questions: tuple[str, ...] = ()

    @property
    def colours(self) -> tuple[str, ...]:
        """The colours whose side must be known to enter it, that of the shot first."""
        totals = [each.colour for each in self.totals if each.points or each.twenties]
        used = [self.colour, *(each.colour for each in (*self.before, *self.after)), *totals]
        return tuple(dict.fromkeys(colour for colour in used if colour))


def sighting_json(sighting: Sighting) -> dict[str, Any]:
    """A sighting as JSON holds it."""
    return {
        field.name: _to_json_value(value)
        for field in fields(sighting)
        if (value := getattr(sighting, field.name)) != field.default
    }


def read_sighting(value: Any) -> Sighting:
    """The sighting that JSON holds, absent fields at their defaults. Raises ``ValueError``."""
    return Sighting(**_read_fields(Sighting, value, _READERS))


def _to_json_value(value: Any) -> Any:
    if isinstance(value, SeenShot):
        return seen_shot_json(value)
    if isinstance(value, SightedDisc | SightedTotal):
        return {each.name: _to_json_value(getattr(value, each.name)) for each in fields(value)}
    if isinstance(value, StrEnum):
        return str(value)
    return [_to_json_value(each) for each in value] if isinstance(value, tuple) else value


def _read_fields(
    kind: type[Any], value: Any, readers: Mapping[str, Callable[[Any], Any]]
) -> dict[str, Any]:
    if not isinstance(value, Mapping):
        raise ValueError(f"{quote(value)} is no camera event")
    unknown = [name for name in value if name not in readers]
    if unknown:
        raise ValueError(f"{quote(unknown[0])} is unknown")
    needed = (each.name for each in fields(kind) if each.default is MISSING)
    lacking = [name for name in needed if name not in value]
    if lacking:
        raise ValueError(f"it has no {lacking[0]}")
    return {name: readers[name](each) for name, each in value.items()}


def _read_disc(value: Any) -> SightedDisc:
    return SightedDisc(**_read_fields(SightedDisc, value, _DISC_READERS))


def _read_total(value: Any) -> SightedTotal:
    return SightedTotal(**_read_fields(SightedTotal, value, _TOTAL_READERS))


def _read_discs(value: Any) -> tuple[SightedDisc, ...]:
    return tuple(_read_disc(each) for each in read_list(value))


def _read_totals(value: Any) -> tuple[SightedTotal, ...]:
    return tuple(_read_total(each) for each in read_list(value))


_DISC_READERS: dict[str, Callable[[Any], Any]] = {
    "id": read_text,
    "colour": read_text,
    "zone": read_int,
    "place_mm": read_place,
}
_TOTAL_READERS: dict[str, Callable[[Any], Any]] = {
    "colour": read_text,
    "points": read_int,
    "twenties": read_int,
}
_READERS: dict[str, Callable[[Any], Any]] = {
    "what": read_choice(SightingKind),
    "teams": read_texts,
    "colour": read_text,
    "number": read_int,
    "before": _read_discs,
    "after": _read_discs,
    "verdict": read_text,
    "faults": read_texts,
    "question": read_text,
    "path": read_seen_shot,
    "clip": read_text,
    "totals": _read_totals,
    "is_cleared": read_bool,
    "is_over": read_bool,
    "is_film_over": read_bool,
    "questions": read_texts,
}
