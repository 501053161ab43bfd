"""The tracker's states: every state is a type with exactly the facts that are valid in it.

::

    Seeking ──found──▶ Unread ──read──▶ AtRest ──change──▶ InMotion ──read──▶ AtRest
                                        AtRest ──seen late──▶ InMotion
                                                           InMotion ◀──cut──▶ OtherPicture
                       AtRest, InMotion ──jump cut──▶ AfterCut ──▶ AtRest, InMotion
    Unread, AtRest, InMotion, OtherPicture ◀──light goes, comes──▶ Dark
    AtRest, InMotion, OtherPicture, Dark ──moved, cut, occluded, resized──▶ Away
    Unread ──moved, occluded, resized──▶ Seeking
    Away ──same view again──▶ InMotion;   Away ──found elsewhere──▶ Unread

``transitions`` has a function for every arrow, and only these functions make states. Facts learned
about a view (``TrackedView``), and observations of a motion interval, change within the states that
hold them.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, auto

from calibration.fit import BoardFit
from vision.track.background.background_model import BackgroundModel
from vision.track.recent_frames import CameraFrame
from vision.track.tracked_view import MotionInterval, TrackedView


class LossCause(Enum):
    """The reason why a view was lost."""

    VIEW_CHANGED = auto()  # the camera or board moved, or another picture is shown
    CUT = auto()  # before anything was read
    OCCLUDED = auto()
    RESIZED = auto()


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchSchedule:
    """The time of the next search for the board, and the pause after an unsuccessful search."""

    next_s: float
    pause_s: float


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Glimpse:
    """A board that was found and lost before it was read; ``was_moved``: because it was moved."""

    fit: BoardFit
    was_moved: bool


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class OtherView:
    """A view of the board other than the lost view, and the time from which it is shown."""

    fit: BoardFit
    since_s: float


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Seeking:
    """The board is searched for, and no view that was read is known."""

    search: SearchSchedule
    glimpse: Glimpse | None = None

    @property
    def last_fit(self) -> BoardFit | None:
        """The last fit of the board, if any."""
        return None if self.glimpse is None else self.glimpse.fit

    @property
    def was_moved(self) -> bool:
        """Whether it was lost because it was moved."""
        return self.glimpse is not None and self.glimpse.was_moved


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Away:
    """A view that had been read was lost. It may come back, or the board may be found at another
    place.
    """

    view: TrackedView
    cause: LossCause
    search: SearchSchedule
    other_view: OtherView | None = None

    @property
    def last_fit(self) -> BoardFit:
        """The last fit of the board."""
        return self.view.fit

    @property
    def was_moved(self) -> bool:
        """Whether it was lost because it was moved."""
        return self.cause is LossCause.VIEW_CHANGED

    @property
    def can_resume(self) -> bool:
        """Whether the knowledge about the view is still valid when it comes back."""
        return self.cause is not LossCause.OCCLUDED


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Unread:
    """The board is in sight and was not read yet. ``older_background``: of the view before."""

    view: TrackedView
    interval: MotionInterval
    older_background: BackgroundModel | None


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class AtRest:
    """The board is as it was last read."""

    view: TrackedView


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class InMotion:
    """Something moves on the board or covers it, or the discs have not come to rest yet."""

    view: TrackedView
    interval: MotionInterval


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class AfterCut:
    """The video cut to another moment in the same view, and too few ``frames`` have come
    since to read the board. ``before`` holds unread observations from before the cut.
    """

    view: TrackedView
    before: MotionInterval
    frames: tuple[CameraFrame, ...]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class OtherPicture:
    """From ``since_s`` on, the picture shows something else: a cut, or a person in front of the
    lens.
    """

    view: TrackedView
    interval: MotionInterval
    since_s: float


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Dark:
    """From ``since_s`` on, the board is in sight without light, or with far too much."""

    before: Lit
    since_s: float

    @property
    def view(self) -> TrackedView:
        """The view before the light went out."""
        return self.before.view


Lit = Unread | AtRest | InMotion | OtherPicture
InSight = Lit | AfterCut | Dark
OutOfSight = Seeking | Away
TrackerState = OutOfSight | InSight
