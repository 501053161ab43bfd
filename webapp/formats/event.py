"""The live referee's events: every line of ``crokinole watch``, by its ``type``."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, TypeAdapter

from webapp.formats.form import BoardState, Form
from webapp.formats.score import ColourHex, Zone
from webapp.formats.verdict import FaultForm

_Sentences = list[str]
_Contacts = list[Annotated[list[str], Field(min_length=2, max_length=2)]]


class SeenDisc(Form):
    """A disc that the referee sees, with its zone."""

    id: str
    team: int
    x_mm: float
    y_mm: float
    state: BoardState
    zone: Zone
    margin_mm: float
    sigma_mm: float
    call: Literal["certain", "close"]


class SeenTeam(Form):
    """A team by its discs' colour; teams stand in the order in which they were first seen."""

    team: int
    colour: ColourHex
    colour_name: str


class _Event(Form):
    """What every event has."""

    t_s: float = Field(ge=0, description="When the event was emitted, seconds of the source.")


class BoardEvent(_Event):
    """The board lies still and no shot was seen since it last did."""

    type: Literal["board"]
    discs: list[SeenDisc]
    teams: list[SeenTeam]
    warnings: _Sentences
    next_team: int | None = Field(description="Whose disc lies ready on the starting line.")


class MotionEvent(_Event):
    """Something moves."""

    type: Literal["motion"]


class HandEvent(_Event):
    """A hand is over the board."""

    type: Literal["hand"]


class SeenPoint(Form):
    """Where the shot disc was seen."""

    t_s: float
    x_mm: float
    y_mm: float


class PhysicsForm(Form):
    """What physics say, asked where the shot was not seen whole."""

    p_contact: float | None = Field(
        description="That an opponent's disc was touched; null: nothing explains it."
    )
    is_sure: bool = Field(description="Whether it may settle the verdict.")
    misfit_mm: float | None
    contacts: _Contacts | None
    reason: str | None = Field(description="Why nothing explains it.")


class NearPassForm(Form):
    """A disc that passed one at rest so closely that it may have touched it."""

    mover: str
    still: str
    t_s: float = Field(description="When they were nearest to each other, seconds of the source.")
    gap_mm: float = Field(
        description="Between their edges then, by the path; below 0 they overlapped."
    )
    sigma_mm: float
    moved_mm: float | None = Field(
        description="How far the disc at rest was moved; null: not known."
    )
    moved_sigma_mm: float | None
    p_contact: float = Field(ge=0, le=1, description="That they touched, by path and displacement.")
    decided_by: Literal["path", "physics", "person"] = Field(
        description="What tells whether they touched: the path alone, physics, or only a person."
    )


class EvidenceForm(Form):
    """What a verdict rests on."""

    moved_mm: dict[str, float | None] = Field(
        description="How far other discs moved; null: off the board or into the hole."
    )
    contacts_from: str = "tracks and displacements"
    track: list[SeenPoint] = Field(description="Where the shot disc was seen.")
    longest_gap_s: float
    hand_over_board: bool
    account: str | None = Field(
        default=None,
        description="What sets the likeliest account of the shot apart from the others.",
    )
    near_passes: list[NearPassForm] = Field(
        default_factory=list,
        description="In order of time; that of a person is to be shown at its moment.",
    )
    physics: PhysicsForm | None = None


class ShotEvent(_Event):
    """A disc was shot, and every disc has come to rest."""

    type: Literal["shot"]
    index: int = Field(ge=0, description="Counts from 0 in every round.")
    team: int
    disc: str
    t_start_s: float = Field(description="First movement.")
    t_rest_s: float = Field(description="Last movement.")
    verdict: Literal["legal", "foul", "needs_review"]
    faults: list[FaultForm]
    doubts: _Sentences = Field(description="Why a person must decide.")
    question: str | None = Field(description="What that person is asked.")
    remove: list[SeenDisc]
    before: list[SeenDisc]
    after: list[SeenDisc]
    contacts: _Contacts = Field(
        description="Pairs in time order, as the likeliest account has them."
    )
    evidence: EvidenceForm
    teams: list[SeenTeam]


class RemovalEvent(_Event):
    """A hand took discs off the board."""

    type: Literal["removal"]
    removed: list[SeenDisc]
    warnings: _Sentences


class TwentyEvent(_Event):
    """A disc is a 20."""

    type: Literal["twenty"]
    team: int
    disc: str
    count: int = Field(ge=1, description="Of that side in this round.")


class BumpedEvent(_Event):
    """The camera or the board was moved."""

    type: Literal["bumped"]
    shift_mm: float | None


class RecalibratedEvent(_Event):
    """The board was found again."""

    type: Literal["recalibrated"]
    residual_mm: float


class NotRefereeingEvent(_Event):
    """The referee does not see the board, or sees it again."""

    type: Literal["not_refereeing"]
    reason: str
    advice: str
    over: bool = Field(description="True when the trouble has ended.")


class SlowedEvent(_Event):
    """The machine cannot keep up, so that fewer and smaller frames are looked at from now on."""

    type: Literal["slowed"]
    reason: str
    advice: str
    frames_per_s: float = Field(gt=0, description="At most so many frames a second.")
    width_px: int = Field(gt=0, description="Pictures at most so wide.")


class CameraEvent(_Event):
    """One of two cameras is out, and the other goes on without it; or it is back."""

    type: Literal["camera"]
    camera: int = Field(ge=1, le=2, description="The first or the second.")
    reason: str
    over: bool = Field(description="True when the camera is back.")


class RoundTotal(Form):
    """A team's points."""

    team: int
    colour_name: str
    points: int = Field(description="20s included.")
    twenties: int


class RoundEvent(_Event):
    """The round has ended."""

    type: Literal["round"]
    totals: list[RoundTotal]
    shots: int
    needs_review: bool = Field(
        description="A shot of the round was not decided, so its score may be another."
    )
    doubts: _Sentences = Field(description="Which shots, and why.")
    questions: _Sentences = Field(
        default_factory=list, description="Those of the doubts that no shot's own question asks."
    )
    is_cleared: bool = Field(
        default=False, description="The board was cleared; else the picture ended."
    )
    is_film_over: bool = Field(
        default=False, description="A recording ended with it: no more can be seen of the round."
    )


class LeftOutForm(Form):
    """Frames of a live source that nobody looked at."""

    still: int = Field(default=0, ge=0, description="They showed what the one before showed.")
    moving: int = Field(default=0, ge=0, description="Something moved in them.")
    thinned: int = Field(default=0, ge=0, description="More a second than ``slowed`` said.")


class EndedEvent(_Event):
    """The source ended; a last ``round`` may follow, as far as it was seen."""

    type: Literal["ended"]
    reason: str = Field(description="Why, one sentence.")
    frames: int = Field(ge=0, description="How many were looked at.")
    left_out: LeftOutForm = Field(
        default_factory=LeftOutForm,
        description="How many of a live source were not, as the machine was too busy.",
    )
    has_failed: bool = Field(description="Whether the source failed; then the exit code is 1.")


#: One line of what ``crokinole watch`` tells.
RefereeEvent = (
    BoardEvent
    | MotionEvent
    | HandEvent
    | ShotEvent
    | RemovalEvent
    | TwentyEvent
    | BumpedEvent
    | RecalibratedEvent
    | NotRefereeingEvent
    | SlowedEvent
    | CameraEvent
    | RoundEvent
    | EndedEvent
)
AnyEvent: TypeAdapter[RefereeEvent] = TypeAdapter(
    Annotated[RefereeEvent, Field(discriminator="type")]
)
