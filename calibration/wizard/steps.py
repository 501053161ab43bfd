"""The calibration wizard's steps, a user's answers, and the resulting states, as values.

    PICTURE  show a picture of the board
    FIT      see the rings that were found: accept them, or drag four control points into place
    DISCS    point at one disc of each colour; its size is measured
    SPEED    give the board's speed, if it was measured in a clip of a few flicks
    LENS     show further pictures from the same camera, which measure its lens
    SAVE     the profile is ready

Pictures are referred to by name; a ``BoardDetector`` reads them. Every value is frozen, so a state
can be kept, compared and restored.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from calibration.board import EmptyHole, FloatArray
from calibration.board_speed import BoardSpeed
from calibration.disc import DiscSpec
from calibration.fit import BoardFit
from calibration.lens import LensEstimate
from calibration.lens_prior import LensPrior
from calibration.pose import View
from calibration.wizard.picture_quality import PictureAdvice, PictureQuality


class Step(StrEnum):
    """A step of the wizard, in order."""

    PICTURE = "picture"
    FIT = "fit"
    DISCS = "discs"
    SPEED = "speed"
    LENS = "lens"
    SAVE = "save"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PictureDetection:
    """A board found in a picture, all in pixels of the stored upright picture.

    fit        the best fit known
    single_picture_fit  the fit of this picture alone
    lens       the lens prior used
    notes      messages for the user
    """

    picture: str
    width_px: int
    height_px: int
    fit: BoardFit
    single_picture_fit: BoardFit
    lens: LensPrior
    quality: PictureQuality
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class NoDetection:
    """A picture without a usable board; the reason gives the remedy.

    Size and lens are None if the picture itself cannot be read.
    """

    picture: str
    reason: str
    width_px: int | None = None
    height_px: int | None = None
    lens: LensPrior | None = None


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class MeasuredDisc:
    """One colour's disc, its place and its sizes."""

    centre_mm: FloatArray
    colour_rgb: tuple[int, int, int]
    colour_name: str
    size: DiscSpec


class BoardDetector(Protocol):
    """Finds boards and discs in pictures for the wizard."""

    def find(self, picture: str) -> PictureDetection | NoDetection:
        """The board in a picture, found without help."""

    def find_near(
        self, picture: str, start: View, lens: LensPrior | None = None
    ) -> PictureDetection | NoDetection:
        """The board whose rings are near a rough view, with a lens prior."""

    def read_discs(
        self, detection: PictureDetection
    ) -> tuple[tuple[MeasuredDisc, ...], EmptyHole | None]:
        """The flat discs on the board, one colour after the other, and the colour of its hole; None
        if it may not be empty.
        """


@dataclass(frozen=True, slots=True, kw_only=True)
class ShowPictures:
    """Pictures; the first is the one that is measured."""

    pictures: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class DragControlPoints:
    """The four control points' places: (4, 2) stored pixels."""

    control_points_px: FloatArray


@dataclass(frozen=True, slots=True, kw_only=True)
class PickDisc:
    """A disc's place, in stored pixels."""

    at_px: tuple[float, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class PickEveryColour:
    """One disc of every colour on the board."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ClearDiscs:
    """Discard the picked discs."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SetSpeed:
    """The board's speed, or why it could not be measured, with the remedy."""

    speed: BoardSpeed | None = None
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Accept:
    """Accept the result and go to the next step."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Back:
    """One step back, keeping the measurements."""


Answer = (
    ShowPictures
    | DragControlPoints
    | PickDisc
    | PickEveryColour
    | ClearDiscs
    | SetSpeed
    | Accept
    | Back
)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class WizardState:
    """The wizard's step and its measurements so far.

    views       pictures with their boards; the first is the one that is measured
    unseen      the first picture, if no board was found in it
    control_points_px  where the four control points are: (4, 2); None before there is a picture
    seen        the flat discs of the first view
    discs       those that were picked, one of each colour
    speed       of the board, if it was measured
    empty_hole  the first view's hole, if it is empty
    lens        the views' common lens
    advice      current faults and remedies, the worst first
    """

    step: Step = Step.PICTURE
    views: tuple[PictureDetection, ...] = ()
    unseen: NoDetection | None = None
    control_points_px: FloatArray | None = None
    seen: tuple[MeasuredDisc, ...] = ()
    discs: tuple[MeasuredDisc, ...] = ()
    speed: BoardSpeed | None = None
    empty_hole: EmptyHole | None = None
    lens: LensEstimate | None = None
    advice: tuple[PictureAdvice, ...] = ()

    @property
    def main(self) -> PictureDetection | None:
        """The board that is measured."""
        return self.views[0] if self.views else None

    @property
    def can_advance(self) -> bool:
        """Whether ``Accept`` goes to the next step."""
        if self.step in (Step.PICTURE, Step.SAVE):
            return False
        return self.main is not None and not any(advice.stops for advice in self.advice)
