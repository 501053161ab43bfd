"""What was read from one picture: the board, the teams, the discs, and what stayed unexplained.

Everything is in pixels of ``Frame.image`` and in board millimetres; ``read_photo`` fills it in.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

from calibration.camera import FloatArray
from calibration.disc import DiscSpec
from calibration.fit import BoardFit
from calibration.placed_disc import PlacedDisc, Team


class UnexplainedCode(StrEnum):
    """What kind of thing a person should look at.

    OBJECT      something that is no disc, or hides what may be one
    MAYBE_DISC  it looks as much like a disc as not
    HOLE        the hole may hold a disc, or one may lean on its edge
    PLACE       it is not clear where a disc rests
    NOT_SEEN    a lamp's reflection hides the place
    """

    OBJECT = "object"
    MAYBE_DISC = "maybe_disc"
    HOLE = "hole"
    PLACE = "place"
    NOT_SEEN = "not_seen"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class UnexplainedObject:
    """Something on the playing surface that is neither board nor disc: a person should look.

    code  None for kinds that nobody asks for
    """

    centre_mm: FloatArray  # (2,)
    reason: str
    code: UnexplainedCode | None = None


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Reading:
    """The outcome of reading one picture; ``board`` is None when there is no board, with a reason.

    disc     the discs' sizes; nominal ones, as unsure as those are, where there is no board
    stage_s  seconds that each stage took, in order
    notes    sentences a person should see, such as "it is so noisy that discs may be missed"
    """

    board: BoardFit | None
    disc: DiscSpec
    reason: str | None = None
    teams: tuple[Team, ...] = ()
    discs: tuple[PlacedDisc, ...] = ()
    unexplained: tuple[UnexplainedObject, ...] = ()
    notes: tuple[str, ...] = ()
    stage_s: dict[str, float] = field(default_factory=dict)
