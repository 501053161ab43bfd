"""Quality of a picture for measuring, in numbers, with advice on how to improve it.

Each number has two limits: past the first comes a warning, past the second the picture is unusable.
A detector measures the numbers (see ``vision.board.quality``).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import ClassVar

from calibration.parameters import StageParameters, parameter
from calibration.phrase import Phrase


class PictureQualityParameters(StageParameters):
    """Parameters of ``picture_quality``."""

    stage: ClassVar[str] = "picture_quality"

    #: Median brightness of the playing surface, 0 to 255.
    dark: float = parameter(
        55.0, unit="grey value", source="chosen: in darker pictures, noise hides lines"
    )
    too_dark: float = parameter(25.0, unit="grey value", source="chosen: half of ``dark``")
    #: Share of the surface that is saturated, in patches (glare) or evenly (overexposed).
    glaring: float = parameter(
        0.005,
        unit="share",
        source="chosen: the area of two discs: glare of this size can hide a disc",
    )
    burnt: float = parameter(0.6, unit="share", source="chosen: most of the board is then white")
    #: An edge's blur, one standard deviation on the board.
    soft_mm: float = parameter(1.6, unit="mm", source="nominal: the width of a painted line")
    blurred_mm: float = parameter(
        3.2, unit="mm", source="chosen: twice the nominal width of a painted line"
    )
    #: Angle between the board's normal and the line of sight.
    oblique_deg: float = parameter(
        50.0,
        unit="°",
        source="chosen: in a more oblique view, the far side is narrow and discs hide each "
        "other's bases",
    )
    too_oblique_deg: float = parameter(
        70.0,
        unit="°",
        source="chosen: about the most oblique view in which boards are searched for",
    )
    far_mm_per_px: float = parameter(
        1.2, unit="mm/px", source="chosen: a disc of 32 mm is measured well at 27 pixels"
    )
    too_far_mm_per_px: float = parameter(
        2.4, unit="mm/px", source="chosen: a disc of 32 mm cannot be measured at under 13 pixels"
    )
    #: Share of the playing surface that is in the picture.
    whole: float = parameter(
        0.97, unit="share", source="chosen: only an edge of the board is cut off"
    )
    too_little: float = parameter(
        0.75, unit="share", source="chosen: more than a quarter of the board is missing"
    )
    #: Scatter of the ring lines about the fit, on the board.
    rough_mm: float = parameter(0.8, unit="mm", source="chosen: rings of good fits scatter by less")
    wrong_mm: float = parameter(
        2.0, unit="mm", source="chosen: line calls from such a fit are not reliable"
    )


PARAMS = PictureQualityParameters()


@dataclass(frozen=True, slots=True, kw_only=True)
class PictureQuality:
    """Measurements of one picture of a board.

    brightness      median of the playing surface, 0 to 255
    burnt_share     share of the playing surface that is saturated, 0 to 1
    blur_mm         blur of edges on the board, one standard deviation
    blur_px         the same in pixels of the stored picture
    tilt_deg        angle between the board's normal and the line of sight
    mm_per_px       length on the board of one stored pixel at the board's centre
    whole_share     share of the playing surface that is in the picture
    residual_mm     scatter of the ring lines about the fit, one standard deviation
    """

    brightness: float
    burnt_share: float
    blur_mm: float
    blur_px: float
    tilt_deg: float
    mm_per_px: float
    whole_share: float
    residual_mm: float


class PictureFault(StrEnum):
    """A fault of a picture."""

    NO_BOARD = "no_board"
    DARK = "dark"
    GLARE = "glare"
    BLURRED = "blurred"
    OBLIQUE = "oblique"
    FAR = "far"
    CROPPED = "cropped"
    ROUGH = "rough"
    OTHER = "other"


@dataclass(frozen=True, slots=True, kw_only=True)
class PictureAdvice:
    """A fault and its remedy, as one sentence.

    stops  whether the picture is unusable
    """

    words: str
    fault: PictureFault = PictureFault.OTHER
    stops: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class _Check:
    """The limits of one number: beyond ``warns`` there is a warning, beyond ``stops`` it is
    unusable.
    """

    fault: PictureFault
    measure: Callable[[PictureQuality], float]
    warns: float
    stops: float
    words: Phrase

    def find_fault(self, quality: PictureQuality) -> PictureAdvice | None:
        """The fault found by this check, or None."""
        value = self.measure(quality)
        rising = self.stops > self.warns
        if not (value > self.warns if rising else value < self.warns):
            return None
        stops = value > self.stops if rising else value < self.stops
        words = self.words.put(value=value, percent=100 * value)
        return PictureAdvice(fault=self.fault, words=words, stops=stops)


def _list_checks() -> tuple[_Check, ...]:
    return (
        _Check(
            fault=PictureFault.CROPPED,
            measure=lambda quality: quality.whole_share,
            warns=PARAMS.whole,
            stops=PARAMS.too_little,
            words=Phrase(
                "Only %(percent).0f%% of the playing surface is in the picture. Move the camera "
                "back or turn it until the whole board is in view."
            ),
        ),
        _Check(
            fault=PictureFault.DARK,
            measure=lambda quality: quality.brightness,
            warns=PARAMS.dark,
            stops=PARAMS.too_dark,
            words=Phrase(
                "The board is dark (brightness %(value).0f of 255). Add more light, or "
                "use a longer exposure."
            ),
        ),
        _Check(
            fault=PictureFault.GLARE,
            measure=lambda quality: quality.burnt_share,
            warns=PARAMS.glaring,
            stops=PARAMS.burnt,
            words=Phrase(
                "Reflections of a lamp or window cover %(percent).1f%% of the board. "
                "Move the lamp or camera until there are no bright patches."
            ),
        ),
        _Check(
            fault=PictureFault.BLURRED,
            measure=lambda quality: quality.blur_mm,
            warns=PARAMS.soft_mm,
            stops=PARAMS.blurred_mm,
            words=Phrase(
                "The picture is blurred (edges are %(value).1f mm wide). Wipe the "
                "lens, focus on the board and hold the camera still."
            ),
        ),
        _Check(
            fault=PictureFault.OBLIQUE,
            measure=lambda quality: quality.tilt_deg,
            warns=PARAMS.oblique_deg,
            stops=PARAMS.too_oblique_deg,
            words=Phrase(
                "The camera is too low (%(value).0f° off vertical). Raise it until it "
                "is less than 30° off vertical."
            ),
        ),
        _Check(
            fault=PictureFault.FAR,
            measure=lambda quality: quality.mm_per_px,
            warns=PARAMS.far_mm_per_px,
            stops=PARAMS.too_far_mm_per_px,
            words=Phrase(
                "One pixel covers %(value).1f mm of the board. Move closer, or use a higher "
                "resolution."
            ),
        ),
        _Check(
            fault=PictureFault.ROUGH,
            measure=lambda quality: quality.residual_mm,
            warns=PARAMS.rough_mm,
            stops=PARAMS.wrong_mm,
            words=Phrase(
                "The fitted rings are %(value).1f mm off the painted lines. Drag the "
                "handles until they match."
            ),
        ),
    )


def advise(quality: PictureQuality) -> tuple[PictureAdvice, ...]:
    """Advice for a better picture, faults that block first; empty if there is none."""
    found = [
        advice for check in _list_checks() if (advice := check.find_fault(quality)) is not None
    ]
    return tuple(sorted(found, key=lambda advice: not advice.stops))


__all__ = ["PictureAdvice", "PictureFault", "PictureQuality", "advise"]
