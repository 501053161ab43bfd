"""The events of practice: frozen values, checked on entry.

``fold`` applies the events. Databases store this JSON, so a field is never renamed or removed.
Positions are as the player sees them: mm to the right of the hole's centre, and mm beyond it.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from scorer.texts import MAX_NAME_LETTERS, bound_sentence, check_name

#: Shots of a drill, as in open-20 contests at tournaments.
USUAL_SHOTS = 12
#: A position further from the centre is not on any board.
_FARTHEST_MM = 400.0


class PracticeError(ValueError):
    """An impossible event; the text is one sentence for the user."""


class Outcome(StrEnum):
    """The outcome of a shot."""

    TWENTY = "twenty"
    ON_BOARD = "on_board"
    OFF_BOARD = "off_board"
    OUT_AND_STAYED = "out_and_stayed"
    OUT = "out"
    MISSED = "missed"


class Drill(StrEnum):
    """The drill: 20s on an open board, or take-outs of an opponent's disc."""

    OPEN_TWENTIES = "open_twenties"
    TAKE_OUTS = "take_outs"

    @property
    def outcomes(self) -> tuple[Outcome, ...]:
        """The possible outcomes of its shots, the best first."""
        if self is Drill.OPEN_TWENTIES:
            return Outcome.TWENTY, Outcome.ON_BOARD, Outcome.OFF_BOARD
        return Outcome.OUT_AND_STAYED, Outcome.OUT, Outcome.MISSED

    def is_success(self, outcome: Outcome) -> bool:
        """Whether a shot succeeded; a take-out counts even if the player's own disc left too."""
        return outcome in (Outcome.TWENTY, Outcome.OUT_AND_STAYED, Outcome.OUT)


_Place = Annotated[float, Field(ge=-_FARTHEST_MM, le=_FARTHEST_MM, allow_inf_nan=False)]


class _PracticeEvent(BaseModel):
    # Not strict: in JSON, outcomes are names, and a position may be a whole number.
    model_config = ConfigDict(frozen=True, extra="forbid")


class PracticeStarted(_PracticeEvent):
    """A player begins a drill with this number of shots."""

    type: Literal["practice_started"] = "practice_started"
    player: Annotated[str, AfterValidator(check_name)]
    drill: Drill
    shots: Annotated[int, Field(ge=1, le=200)] = USUAL_SHOTS


class PracticeShot(_PracticeEvent):
    """A shot was taken.

    right_mm, beyond_mm  position of its disc at rest on the board; None if not recorded
    source               source of the entry
    shot                 the name of a camera's stored shot
    """

    type: Literal["practice_shot"] = "practice_shot"
    outcome: Outcome
    right_mm: _Place | None = None
    beyond_mm: _Place | None = None
    source: Literal["hand", "camera"] = "hand"
    shot: Annotated[str, Field(max_length=MAX_NAME_LETTERS)] | None = None


class PracticeShotUndone(_PracticeEvent):
    """The last shot is undone."""

    type: Literal["practice_shot_undone"] = "practice_shot_undone"


class PracticeEnded(_PracticeEvent):
    """The player stops before all shots are taken."""

    type: Literal["practice_ended"] = "practice_ended"


PracticeEvent = PracticeStarted | PracticeShot | PracticeShotUndone | PracticeEnded

_READER: TypeAdapter[PracticeEvent] = TypeAdapter(
    Annotated[PracticeEvent, Field(discriminator="type")]
)


def write_practice_event(event: PracticeEvent) -> str:
    """An event as JSON in ASCII, which any database's encoding can store."""
    return _READER.dump_json(event, ensure_ascii=True).decode()


def read_practice_event(content: str | dict[str, Any]) -> PracticeEvent:
    """An event from JSON or decoded JSON. Raises ``PracticeError``, naming field and value."""
    try:
        if isinstance(content, str):
            return _READER.validate_json(content)
        return _READER.validate_python(content)
    except ValidationError as error:
        first = error.errors()[0]
        message = first["msg"].removeprefix("Value error, ")
        raise PracticeError(bound_sentence(f"{message.rstrip('.')}.")) from None
