"""The events of a match's log as pydantic models, one per type, made from their dataclasses.

A field's type and limits depend on its name, which has the same meaning in every event; whether it
is required follows from the dataclass's default. ``scorer.match.fold`` defines the effect of an
event.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import MISSING, fields
from typing import Annotated, Any, Literal, Union, get_args

from pydantic import BaseModel, ConfigDict, Field, RootModel

from scorer.match.events import (
    BoardCorrected,
    CameraSaw,
    DiscInZone,
    Event,
    MatchStarted,
    StarterSeen,
)
from scorer.match.fold import MAX_BOARDS
from scorer.match.seen_shot import SeenShot
from scorer.match.sighting import SightedDisc, SightedTotal, Sighting, SightingKind
from scorer.rules.choices import Format
from webapp.formats.form_from_dataclass import create_form

#: Longest accepted names and remarks.
NAME_LETTERS, REMARK_LETTERS = 40, 500

Name = Annotated[str, Field(max_length=NAME_LETTERS)]
Remark = Annotated[str, Field(min_length=1, max_length=REMARK_LETTERS)]
Count = Annotated[int, Field(ge=0, le=1000)]
_Seat = Annotated[int, Field(ge=0, le=3)]
_Number = Annotated[int, Field(ge=1, le=1000)]
_Counts = Annotated[list[Count], Field(max_length=4)]
_Names = Annotated[list[Name], Field(max_length=24)]
_Place = Annotated[
    list[Annotated[float, Field(ge=-1000, le=1000)]], Field(min_length=2, max_length=2)
]
_Sigma = Annotated[float, Field(ge=0, le=1000)]
_Zone = Literal[0, 5, 10, 15, 20]


class StrictModel(BaseModel):
    """The base of all request models: unknown fields are refused."""

    model_config = ConfigDict(extra="forbid", strict=False)


def _make_form(
    kind: type[DiscInZone | Sighting | SeenShot | SightedDisc | SightedTotal],
    doc: str,
    types: Mapping[str, Any],
    name: str = "",
) -> Any:
    """The model of an event's content; optional fields have the dataclass's defaults."""
    made = {
        field.name: (
            types[field.name] | None if field.default is None else types[field.name],
            ... if field.default is MISSING else field.default,
        )
        for field in fields(kind)
    }
    return create_form(name or f"{kind.__name__}Form", StrictModel, doc, made)


BoardDisc: Any = _make_form(
    DiscInZone,
    "A disc on the board.",
    {
        "id": Name,
        "side": _Seat,
        "zone": Annotated[int, Field(ge=0, le=20)],
        "place_mm": _Place,
        "sigma_mm": _Sigma,
    },
    name="BoardDisc",
)
_SeenShotForm = _make_form(
    SeenShot,
    "A camera's observation of a shot; positions are [x, y] in the board frame, mm.",
    {
        "start_mm": _Place,
        "rest_mm": _Place,
        "zone": _Zone,
        "target_mm": _Place,
        "target_zone": _Zone,
        "is_hit": bool,
        "is_out": bool,
    },
)
_SightedDiscForm: Any = _make_form(
    SightedDisc,
    "A disc that a camera saw on the board.",
    {"id": Name, "colour": Name, "zone": _Zone, "place_mm": _Place, "sigma_mm": _Sigma},
)
_SightedTotalForm: Any = _make_form(
    SightedTotal,
    "A colour's score in a round seen by a camera.",
    {"colour": Name, "points": Count, "twenties": Count},
)
_SightingForm = _make_form(
    Sighting,
    "A camera's observation, by colour: a shot, a 20, or the end of a round.",
    {
        "what": SightingKind,
        "teams": _Names,
        "colour": Name,
        "number": Count,
        "before": Annotated[list[_SightedDiscForm], Field(max_length=64)],
        "after": Annotated[list[_SightedDiscForm], Field(max_length=64)],
        "verdict": Name,
        "faults": Annotated[list[Name], Field(max_length=8)],
        "question": Annotated[str, Field(max_length=REMARK_LETTERS)],
        "path": _SeenShotForm,
        "clip": Name,
        "totals": Annotated[list[_SightedTotalForm], Field(max_length=24)],
        "is_cleared": bool,
        "is_over": bool,
        "is_film_over": bool,
        "questions": Annotated[list[Remark], Field(max_length=64)],
    },
)

#: The fields of events by their names.
_TYPES: Mapping[str, Any] = {
    "rules": Name,
    "format": Literal[tuple(str(form) for form in Format)],
    "players": Annotated[list[Name], Field(min_length=1, max_length=4)],
    "options": dict[str, object] | list[object],
    "starter": _Seat,
    "games": Annotated[int, Field(ge=1, le=99)],
    "colours": Annotated[list[Name], Field(max_length=4)],
    "at_board": Annotated[int, Field(ge=1, le=MAX_BOARDS)],
    "tournament": list[int],
    "teams": Annotated[list[Name], Field(max_length=2)],
    "player": _Seat,
    "minutes": Annotated[int, Field(ge=1, le=240)],
    "verdict": Literal["legal", "foul", "needs_review"],
    "board": Annotated[list[BoardDisc], Field(max_length=24)],
    "twenties": _Counts,
    "faults": Annotated[list[Name], Field(max_length=8)],
    "reshoot": bool,
    "seen": _SeenShotForm,
    "side": _Seat,
    "change": Literal[1, -1],
    "foul": Name,
    "removed": _Names,
    "points": _Counts,
    "source": Literal["hand", "photo", "shots"],
    "corrections": Annotated[list[Remark], Field(max_length=64)],
    "waits": bool,
    "counts": Annotated[list[_Counts], Field(max_length=4)],
    "sighting": _SightingForm,
    "by_camera": bool,
    "is_left_out": bool,
    "is_unseen": bool,
    "round": _Number,
    "disc": Name,
    "zone": Annotated[int, Field(ge=0, le=20)],
    "missed": Annotated[int, Field(ge=0, le=1000)],
    "about": Remark,
    "shot": Name,
    "dispute": _Number,
    "decision": Remark,
}


def _make_model(kind: type[Event]) -> type[StrictModel]:
    """The model of a type of event."""
    made: dict[str, object] = {"type": (Literal[kind.type], ...)}
    for field in fields(kind):
        known = _TYPES[field.name]
        is_needed = field.default is MISSING
        made[field.name] = (known, ...) if is_needed else (known | None, None)
    name, words = f"{kind.__name__}Event", (kind.__doc__ or "").strip().split("\n\n")[0]
    return create_form(name, StrictModel, " ".join(words.split()), made)


_MODELS = {kind: _make_model(kind) for kind in get_args(Event)}
#: Events that only a new match and the referee enter.
_OWN = (MatchStarted, BoardCorrected, CameraSaw, StarterSeen)

#: All events that a log may contain, and those that a program may enter; ``type`` distinguishes
#: them.
LoggedEvent: Any = Annotated[Union[tuple(_MODELS.values())], Field(discriminator=("type"))]  # noqa: UP007
_Entered: Any = Annotated[
    Union[tuple(model for kind, model in _MODELS.items() if kind not in _OWN)],  # noqa: UP007
    Field(discriminator="type"),
]


class MatchEvent(RootModel[_Entered]):
    """An entry of a match's log; its ``type`` determines its fields."""
