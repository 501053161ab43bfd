"""The reading of one picture: the board, the teams, the discs, and the remaining misfit.

Everything is in pixels of ``Frame.image`` and in board millimetres; ``read_photo`` fills it in.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum, StrEnum

from calibration.camera import FloatArray
from calibration.disc import DiscSpec
from calibration.fit import BoardFit
from calibration.phrase import Phrase
from calibration.placed_disc import PlacedDisc, Team


class UnexplainedCode(StrEnum):
    """The kind of a place to review.

    OBJECT      something other than a disc, which may hide one
    MAYBE_DISC  it may or may not be a disc
    HOLE        the hole may hold a disc, or one may lean on its edge
    PLACE       the disc's place is unclear
    NOT_SEEN    a lamp's reflection hides the place
    """

    OBJECT = "object"
    MAYBE_DISC = "maybe_disc"
    HOLE = "hole"
    PLACE = "place"
    NOT_SEEN = "not_seen"


class UnexplainedReason(Enum):
    """The reason why a place needs review: its kind, and the clause shown to the user.

    The code is None for kinds that no caller uses.
    """

    COLOUR = (UnexplainedCode.OBJECT, Phrase("no other disc on the board has this colour"))
    REGION = (UnexplainedCode.OBJECT, Phrase("there is something the size of a disc here"))
    MAYBE_DISC = (UnexplainedCode.MAYBE_DISC, Phrase("this may or may not be a disc"))
    HOLE = (UnexplainedCode.HOLE, Phrase("a disc may be in the hole or leaning on its edge"))
    DARK_HOLE = (
        UnexplainedCode.HOLE,
        Phrase("the hole is as dark as one side's discs, so a disc in it may not show"),
    )
    PLACE = (
        UnexplainedCode.PLACE,
        Phrase("this disc's position is uncertain because the video is interlaced"),
    )
    REFLECTION = (UnexplainedCode.NOT_SEEN, Phrase("a lamp's reflection may hide a disc"))
    REFLECTION_ON_DISC = (
        UnexplainedCode.NOT_SEEN,
        Phrase("this may be a disc under a lamp's reflection, or only the reflection"),
    )
    LEANING = (None, Phrase("a disc is in the hole or leaning on its edge"))
    COVERED = (None, Phrase("something other than a disc covers the board"))
    SEEN_BY_ONE = (None, Phrase("one camera sees a disc here, but the higher camera does not"))
    STATES_DIFFER = (
        None,
        Phrase("one camera sees the disc flat, but the other sees it leaning or in the hole"),
    )
    TEAMS_DIFFER = (None, Phrase("the cameras disagree about which side the disc belongs to"))
    ONE_CAMERA = (None, Phrase("only one camera sees the disc"))

    def __init__(self, code: UnexplainedCode | None, clause: str) -> None:
        """A reason of that kind, shown as that clause."""
        self.code = code
        self.clause = clause

    def __str__(self) -> str:
        return self.clause


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class UnexplainedObject:
    """An object on the playing surface other than board and discs, for review.

    reach_mm   largest distance of a possible disc from the centre
    hides_mm2  area where a scoring disc's centre may be hidden; None for other questions
    """

    centre_mm: FloatArray  # (2,)
    reason: UnexplainedReason
    reach_mm: float = 0.0
    hides_mm2: float | None = None

    @property
    def code(self) -> UnexplainedCode | None:
        """Its kind; None for kinds that no caller uses."""
        return self.reason.code


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Reading:
    """The result of reading one picture; without a board, ``board`` is None and ``reason`` is
    given.

    disc     the discs' sizes; nominal ones, with their sigmas, without a board
    stage_s  duration of the stages, s, in order
    notes    messages for the user, such as "the photo is dark, so some discs are hard to see"
    """

    board: BoardFit | None
    disc: DiscSpec
    reason: str | None = None
    teams: tuple[Team, ...] = ()
    discs: tuple[PlacedDisc, ...] = ()
    unexplained: tuple[UnexplainedObject, ...] = ()
    notes: tuple[str, ...] = ()
    stage_s: dict[str, float] = field(default_factory=dict)
