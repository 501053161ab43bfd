"""The published forms of the events of ``scorer.referee.events``, made from those types."""

from __future__ import annotations

from dataclasses import MISSING, Field, fields, is_dataclass
from types import UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

import pydantic
from pydantic import TypeAdapter, create_model

from calibration.placed_disc import DiscState
from scorer.referee.events import (
    Event,
    NearPassEvidence,
    PhysicsEvidence,
    ShotEvent,
    VerdictEvidence,
)
from scorer.referee.frame_queue import LeftOut
from scorer.rules.checks import Fault
from scorer.rules.judge_shot import Verdict
from scorer.zones import CallCertainty
from webapp.formats.form import BoardState, Form
from webapp.formats.score import ColourHex, Zone
from webapp.formats.verdict import FaultForm


class LeftOutForm(Form):
    """Frames of a live source that nobody looked at."""

    still: int = pydantic.Field(
        default=0, ge=0, description="They showed what the one before showed."
    )
    moving: int = pydantic.Field(default=0, ge=0, description="Something moved in them.")
    thinned: int = pydantic.Field(
        default=0, ge=0, description="More a second than ``slowed`` said."
    )


#: Types whose form is not theirs field by field, and fields that allow less than their type.
_FORMS: dict[Any, Any] = {
    CallCertainty: Literal["certain", "close"],
    DiscState: BoardState,
    Fault: FaultForm,
    LeftOut: LeftOutForm,
    Verdict: Literal["legal", "foul", "needs_review"],
}
_FIELDS: dict[str, Any] = {"colour": ColourHex, "zone": Zone}
#: Names under which schemas know types.
_NAMES: dict[type, str] = {
    NearPassEvidence: "NearPassForm",
    PhysicsEvidence: "PhysicsForm",
    VerdictEvidence: "EvidenceForm",
}


def _make_form(kind: type) -> type[Form]:
    """The form of a dataclass."""
    hints, made = get_type_hints(kind), dict[str, Any]()
    for field in fields(kind):
        made[field.name] = (
            _FIELDS.get(field.name, _find_form(hints[field.name])),
            pydantic.Field(**_find_default(field), **dict(field.metadata)),
        )
        if field.name == "t_s" and hasattr(kind, "type"):
            made["type"] = (Literal[kind.type], ...)
    name = _NAMES.get(kind, kind.__name__)
    return create_model(name, __base__=Form, __doc__=kind.__doc__, **made)


def _find_form(kind: Any) -> Any:
    """The form of a field's type."""
    args = get_args(kind)
    if kind not in _FORMS and is_dataclass(kind):
        _FORMS[kind] = _make_form(kind)  # type: ignore[arg-type]
    if get_origin(kind) is tuple:
        if args[-1] is ...:
            return list[_find_form(args[0])]  # type: ignore[misc]
        return Annotated[
            list[args[0]], pydantic.Field(min_length=len(args), max_length=len(args))  # type: ignore[valid-type]
        ]
    if isinstance(kind, UnionType):
        return Union[tuple(_find_form(arg) for arg in args)]  # noqa: UP007
    return _FORMS.get(kind, kind)


def _find_default(field: Field[Any]) -> dict[str, Any]:
    """The default of a field, as pydantic takes it."""
    if isinstance(field.default, tuple):
        return {"default_factory": list}
    if field.default is not MISSING:
        return {"default": field.default}
    if field.default_factory is not MISSING:
        return {"default_factory": _FORMS[field.default_factory]}
    return {}


#: The form of every event, in the order of ``Event``.
EVENT_FORMS = tuple(_make_form(arg) for arg in get_args(Event))
_AnyEvent: Any = Annotated[Union[EVENT_FORMS], pydantic.Field(discriminator="type")]  # noqa: UP007
AnyEvent: TypeAdapter[Any] = TypeAdapter(_AnyEvent)
PhysicsForm = _find_form(PhysicsEvidence)
ShotForm = EVENT_FORMS[get_args(Event).index(ShotEvent)]
