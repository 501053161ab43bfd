"""The calibration wizard's steps, a person's answers, and the state after each: values.

    PICTURE  show a picture of the board
    FIT      see the rings that were found: accept them, or drag four control points into place
    DISCS    point at one disc of each colour; its size is measured
    SPEED    give the board's speed, if somebody measured it in a clip of a few flicks
    LENS     show further pictures from the same camera, which measure its lens
    SAVE     the profile is ready

Pictures are names here: a ``BoardDetector`` looks at them. Every value is frozen, so that a state
can be kept, compared and gone back to.
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
    """Where the wizard stands, in the order of the steps."""

    PICTURE = "picture"
    FIT = "fit"
    DISCS = "discs"
    SPEED = "speed"
    LENS = "lens"
    SAVE = "save"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PictureDetection:
    """A board found in a picture, all in pixels of the stored upright picture.

    fit        the best that is known of it
    single_picture_fit  the fit of this picture by itself
    lens       the assumed lens before the picture was looked at
    notes      sentences a person should see
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
    """A picture without a board that can be used; the reason says what to do.

    Size and lens are None where the picture itself cannot be read.
    """

    picture: str
    reason: str
    width_px: int | None = None
    height_px: int | None = None
    lens: LensPrior | None = None


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class MeasuredDisc:
    """One colour's disc, its place and its measurements."""

    centre_mm: FloatArray
    colour_rgb: tuple[int, int, int]
    colour_name: str
    size: DiscSpec


@dataclass(frozen=True, slots=True, kw_only=True)
class NoDisc:
    """There is no disc where somebody pointed; the reason says what to do."""

    reason: str


class BoardDetector(Protocol):
    """Finds boards and discs in pictures for the wizard."""

    def find(self, picture: str) -> PictureDetection | NoDetection:
        """The board in a picture, found without help."""

    def find_near(
        self, picture: str, start: View, lens: LensPrior | None = None
    ) -> PictureDetection | NoDetection:
        """The board whose rings lie near a rough view, with the assumed lens."""

    def measure_disc(
        self, detection: PictureDetection, at_px: tuple[float, float]
    ) -> MeasuredDisc | NoDisc:
        """The disc at a place in the picture."""

    def measure_empty_hole(self, detection: PictureDetection) -> EmptyHole | None:
        """The picture's empty hole; None where it may not be empty."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ShowPictures:
    """Here is a picture; with several, the first is the one that is looked at."""

    pictures: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class DragControlPoints:
    """The four control points belong here: (4, 2) stored pixels."""

    control_points_px: FloatArray


@dataclass(frozen=True, slots=True, kw_only=True)
class PickDisc:
    """Here lies a disc, in stored pixels."""

    at_px: tuple[float, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class ClearDiscs:
    """The discs that were picked were wrong."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SetSpeed:
    """The board is this fast; or it could not be measured, for a reason that says what to do."""

    speed: BoardSpeed | None = None
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Accept:
    """Good as it is: on to the next step."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Back:
    """One step back, keeping the measurements."""


Answer = ShowPictures | DragControlPoints | PickDisc | ClearDiscs | SetSpeed | Accept | Back


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class WizardState:
    """Where the wizard stands, and its knowledge.

    views       pictures with their boards; the first is the one that is looked at
    unseen      the first picture, while no board is found in it
    control_points_px  where the four control points are: (4, 2); None before there is a picture
    speed       of the board, where it was measured
    empty_hole  the first view's hole, where it is empty
    lens        the lens that the views agree on
    advice      the faults now and their remedies, the worst first
    """

    step: Step = Step.PICTURE
    views: tuple[PictureDetection, ...] = ()
    unseen: NoDetection | None = None
    control_points_px: FloatArray | None = None
    discs: tuple[MeasuredDisc, ...] = ()
    speed: BoardSpeed | None = None
    empty_hole: EmptyHole | None = None
    lens: LensEstimate | None = None
    advice: tuple[PictureAdvice, ...] = ()

    @property
    def main(self) -> PictureDetection | None:
        """The board that is looked at."""
        return self.views[0] if self.views else None

    @property
    def can_advance(self) -> bool:
        """Whether ``Accept`` leads on from here."""
        if self.step in (Step.PICTURE, Step.SAVE):
            return False
        return self.main is not None and not any(advice.stops for advice in self.advice)
