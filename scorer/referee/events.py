"""The live referee's events: one frozen type each, and their JSON.

Positions are in the board frame and rounded; nothing is decided here. The published schemas are
made from these types (``webapp.formats.event``), including their field descriptions and limits.
This module has no slow imports: importing the JSON checks takes longer than analysing a second of
film.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

from calibration.json_text import from_plain, to_plain
from calibration.parameters import StageParameters, parameter
from calibration.placed_disc import DiscState
from scorer.named_event import NamedEvent
from scorer.referee.frame_queue import LeftOut
from scorer.rules.checks import Fault
from scorer.rules.judge_shot import Verdict
from scorer.zones import CallCertainty


class EventsParameters(StageParameters):
    """Parameters of ``events``."""

    #: Decimals of lengths in mm and of times in s.
    mm_places: int = parameter(
        2, unit="", source="chosen: a tenth of the smallest uncertainty of a place"
    )
    s_places: int = parameter(3, unit="", source="chosen: a thirtieth of the duration of a frame")


PARAMS = EventsParameters()


def _about(description: str, **limits: float) -> dict[str, object]:
    """The schema's description of a field."""
    return {"description": description, **limits}


# Parts of events


@dataclass(frozen=True, slots=True, kw_only=True)
class SeenDisc:
    """A disc that the referee sees, with its zone."""

    id: str
    team: int
    x_mm: float
    y_mm: float
    state: DiscState
    zone: int
    margin_mm: float
    sigma_mm: float
    call: CallCertainty

    @property
    def place_mm(self) -> tuple[float, float]:
        """Its place on the board."""
        return self.x_mm, self.y_mm


@dataclass(frozen=True, slots=True, kw_only=True)
class SeenTeam:
    """A team by its discs' colour; teams are listed in the order in which they were first seen."""

    team: int
    colour: str
    colour_name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SeenPoint:
    """Where the shot disc was seen."""

    t_s: float
    x_mm: float
    y_mm: float


@dataclass(frozen=True, slots=True, kw_only=True)
class PhysicsEvidence:
    """The physics engine's finding, for a shot that was only partly seen."""

    p_contact: float | None = field(
        metadata=_about(
            "Probability that an opponent's disc was touched; null if nothing explains the shot."
        )
    )
    is_sure: bool = field(metadata=_about("Whether it may settle the verdict."))
    misfit_mm: float | None
    contacts: tuple[tuple[str, str], ...] | None
    reason: str | None = field(metadata=_about("Why nothing explains the shot."))


@dataclass(frozen=True, slots=True, kw_only=True)
class NearPassEvidence:
    """A disc that passed one at rest so closely that it may have touched it."""

    mover: str
    still: str
    t_s: float = field(
        metadata=_about("Time when they were nearest to each other, in seconds of the source.")
    )
    gap_mm: float = field(
        metadata=_about(
            "Gap between their edges at that time, by the path; below 0 they overlapped."
        )
    )
    sigma_mm: float
    moved_mm: float | None = field(
        metadata=_about("How far the disc at rest moved; null if not known.")
    )
    moved_sigma_mm: float | None
    p_contact: float = field(
        metadata=_about("Probability that they touched, by path and displacement.", ge=0, le=1)
    )
    decided_by: Literal["path", "physics", "person"] = field(
        metadata=_about(
            "What decides whether they touched: the path alone, physics, or only a person."
        )
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class VerdictEvidence:
    """The evidence behind a verdict."""

    moved_mm: dict[str, float | None] = field(
        metadata=_about("How far other discs moved; null if off the board or into the hole.")
    )
    contacts_from: str = "tracks and displacements"
    track: tuple[SeenPoint, ...] = field(metadata=_about("Where the shot disc was seen."))
    longest_gap_s: float
    hand_over_board: bool
    account: str | None = field(
        default=None,
        metadata=_about("Evidence for the likeliest explanation of the shot."),
    )
    near_passes: tuple[NearPassEvidence, ...] = field(
        default=(),
        metadata=_about(
            "In order of time. For a pass that a person must decide, show the frame at its time."
        ),
    )
    physics: PhysicsEvidence | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundTotal:
    """A team's points."""

    team: int
    colour_name: str
    points: int = field(metadata=_about("Points, including 20s."))
    twenties: int


# Events


@dataclass(frozen=True, slots=True, kw_only=True)
class _TimedEvent(NamedEvent):
    """The fields of every event."""

    t_s: float = field(metadata=_about("Time of the event, in seconds of the source.", ge=0))


@dataclass(frozen=True, slots=True, kw_only=True)
class BoardEvent(_TimedEvent):
    """The board is at rest, and no shot was seen since the last event of this kind."""

    discs: tuple[SeenDisc, ...]
    teams: tuple[SeenTeam, ...]
    warnings: tuple[str, ...]
    next_team: int | None = field(
        metadata=_about("The team whose disc is ready on the starting line.")
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class MotionEvent(_TimedEvent):
    """Something on the board is moving."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HandEvent(_TimedEvent):
    """A hand is over the board."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ShotEvent(_TimedEvent):
    """A disc was shot, and every disc has come to rest."""

    index: int = field(metadata=_about("The shot's number; counts from 0 in every round.", ge=0))
    team: int
    disc: str
    t_start_s: float = field(metadata=_about("Time of the first movement."))
    t_rest_s: float = field(metadata=_about("Time of the last movement."))
    verdict: Verdict
    faults: tuple[Fault, ...]
    doubts: tuple[str, ...] = field(metadata=_about("Why a person must decide."))
    question: str | None = field(metadata=_about("The question for that person."))
    remove: tuple[SeenDisc, ...]
    before: tuple[SeenDisc, ...]
    after: tuple[SeenDisc, ...]
    contacts: tuple[tuple[str, str], ...] = field(
        metadata=_about("Pairs in time order, by the likeliest explanation.")
    )
    evidence: VerdictEvidence
    teams: tuple[SeenTeam, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class RemovalEvent(_TimedEvent):
    """A hand took discs off the board."""

    removed: tuple[SeenDisc, ...]
    warnings: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class TwentyEvent(_TimedEvent):
    """A disc is a 20."""

    team: int
    disc: str
    count: int = field(metadata=_about("The side's 20s so far in this round.", ge=1))


@dataclass(frozen=True, slots=True, kw_only=True)
class BumpedEvent(_TimedEvent):
    """The camera or the board was moved."""

    shift_mm: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class RecalibratedEvent(_TimedEvent):
    """The board was found again."""

    residual_mm: float


@dataclass(frozen=True, slots=True, kw_only=True)
class NotRefereeingEvent(_TimedEvent):
    """The referee does not see the board, or sees it again."""

    reason: str
    advice: str
    over: bool = field(metadata=_about("True when the problem has ended."))


@dataclass(frozen=True, slots=True, kw_only=True)
class SlowedEvent(_TimedEvent):
    """The computer cannot keep up, so fewer and smaller frames are checked from now on."""

    reason: str
    advice: str
    frames_per_s: float = field(
        metadata=_about("The most frames per second that are checked.", gt=0)
    )
    width_px: int = field(metadata=_about("The largest width of a checked frame.", gt=0))


@dataclass(frozen=True, slots=True, kw_only=True)
class CameraEvent(_TimedEvent):
    """One of two cameras has stopped and the other continues without it, or it is back."""

    camera: int = field(metadata=_about("The first or the second.", ge=1, le=2))
    reason: str
    over: bool = field(metadata=_about("True when the camera is back."))


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundEvent(_TimedEvent):
    """The round has ended."""

    totals: tuple[RoundTotal, ...]
    shots: int
    needs_review: bool = field(
        metadata=_about("A shot was left undecided, so the score may be different.")
    )
    doubts: tuple[str, ...] = field(metadata=_about("The shots to review, and why."))
    questions: tuple[str, ...] = field(
        default=(), metadata=_about("Reasons for review that no shot's question covers.")
    )
    is_cleared: bool = field(
        default=False, metadata=_about("True if the board was cleared; false if the picture ended.")
    )
    is_film_over: bool = field(
        default=False,
        metadata=_about("True if a recording ended with it, so no more of the round can be seen."),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class EndedEvent(_TimedEvent):
    """The source ended; a last ``round`` may follow, if it was seen."""

    reason: str = field(metadata=_about("The reason, in one sentence."))
    frames: int = field(metadata=_about("How many frames were checked.", ge=0))
    left_out: LeftOut = field(
        default_factory=LeftOut,
        metadata=_about("How many live frames were skipped because the computer was too busy."),
    )
    has_failed: bool = field(
        metadata=_about("Whether the source failed; if so, the exit code is 1.")
    )


#: A line printed by ``crokinole watch``.
Event = (
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

_TYPES = {kind.type: kind for kind in get_args(Event)}


def to_json(event: Event) -> dict[str, Any]:
    """The event as a plain JSON object: its time and type, and then its fields in order."""
    plain: dict[str, Any] = to_plain(event)
    return {"t_s": plain.pop("t_s"), "type": event.type, **plain}


def from_json(plain: Mapping[str, Any]) -> Event:
    """The event of an object that ``to_json`` made; keys that are not known are left out."""
    event: Event = from_plain(_TYPES[plain["type"]], plain)
    return event


def round_s(t_s: float) -> float:
    """A time of the source as written in events, s."""
    return round(t_s, PARAMS.s_places)
