"""The published forms of the events of ``scorer.referee.events``, made from those types."""

from __future__ import annotations

from typing import Annotated, Any, Literal, Union, get_args

import pydantic
from pydantic import TypeAdapter

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
from webapp.formats.form_from_dataclass import FormMaker
from webapp.formats.score import ColourHex, Zone
from webapp.formats.verdict import FaultForm

#: Types whose form is not made field by field.
TYPE_FORMS: dict[object, object] = {
    CallCertainty: Literal["certain", "close"],
    DiscState: BoardState,
    Fault: FaultForm,
    Verdict: Literal["legal", "foul", "needs_review"],
}
FORMS = FormMaker(
    Form,
    TYPE_FORMS,
    fields={"colour": ColourHex, "zone": Zone},
    names={
        LeftOut: "LeftOutForm",
        NearPassEvidence: "NearPassForm",
        PhysicsEvidence: "PhysicsForm",
        VerdictEvidence: "EvidenceForm",
    },
)
FORMS.make(LeftOut, doc="Frames of a live source that were skipped.")
#: The form of every event, in the order of ``Event``.
EVENT_FORMS = tuple(FORMS.make(kind) for kind in get_args(Event))
AnyEvent: TypeAdapter[Any] = TypeAdapter(
    Annotated[Union[EVENT_FORMS], pydantic.Field(discriminator="type")]  # type: ignore[arg-type]  # noqa: UP007
)
PhysicsForm = FORMS.find(PhysicsEvidence)
ShotForm = FORMS.find(ShotEvent)
