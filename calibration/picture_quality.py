"""How fit a picture is to be measured, in numbers, and what would make it better, in words.

Knows what good light, focus, angle and distance are. Refuses to know pixels: how the numbers are
measured is up to the eye that is passed in (see ``wizard``).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import ClassVar

from calibration.parameters import StageParameters, parameter


@dataclass(frozen=True, slots=True, kw_only=True)
class PictureQualityParameters(StageParameters):
    """What ``picture_quality`` takes for granted."""

    stage: ClassVar[str] = "picture_quality"

    #: Median brightness of the playing surface, 0 to 255, under which noise hides thin lines.
    dark: float = parameter(55.0, unit="", source="")
    too_dark: float = parameter(25.0, unit="", source="")
    #: Share of the surface that is burnt out evenly: overexposed; or in patches: glare.
    glaring: float = parameter(0.04, unit="", source="")
    burnt: float = parameter(0.6, unit="", source="")
    #: An edge's blur, one standard deviation on the board, mm: a painted line's width, and twice
    #: that.
    soft_mm: float = parameter(1.6, unit="mm", source="")
    blurred_mm: float = parameter(3.2, unit="mm", source="")
    #: Flatter views squeeze the far side and hide feet behind discs.
    oblique_deg: float = parameter(50.0, unit="°", source="")
    too_oblique_deg: float = parameter(70.0, unit="°", source="")
    #: A disc is 32 mm across; it is measured well at 27 pixels and not at all under 13.
    far_mm_per_px: float = parameter(1.2, unit="mm", source="")
    too_far_mm_per_px: float = parameter(2.4, unit="mm", source="")
    #: Share of the playing surface that must be in sight.
    whole: float = parameter(0.97, unit="", source="")
    too_little: float = parameter(0.75, unit="", source="")
    #: Rings of a good fit scatter by less than this on the board, mm; a poor one decides no lines.
    rough_mm: float = parameter(0.8, unit="mm", source="")
    wrong_mm: float = parameter(2.0, unit="mm", source="")


PARAMS = PictureQualityParameters.active()


@dataclass(frozen=True, slots=True, kw_only=True)
class PictureQuality:
    """What was measured of one picture of a board.

    brightness      median of the playing surface, 0 to 255
    burnt_share     share of the playing surface without any drawing left, 0 to 1
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
    """What can be wrong with a picture."""

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
    """What is wrong, and how to make it better, as one sentence.

    stops  whether nothing good can come of going on
    """

    trouble: PictureFault
    words: str
    stops: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class _Check:
    """One number's limits: beyond ``warns`` it is worth a word, beyond ``stops`` it is useless."""

    trouble: PictureFault
    of: Callable[[PictureQuality], float]
    warns: float
    stops: float
    words: str

    def advice(self, quality: PictureQuality) -> PictureAdvice | None:
        value = self.of(quality)
        rising = self.stops > self.warns
        if not (value > self.warns if rising else value < self.warns):
            return None
        stops = value > self.stops if rising else value < self.stops
        words = self.words.format(value=value, percent=100 * value)
        return PictureAdvice(trouble=self.trouble, words=words, stops=stops)


_CHECKS = (
    _Check(
        trouble=PictureFault.CROPPED,
        of=lambda quality: quality.whole_share,
        warns=PARAMS.whole,
        stops=PARAMS.too_little,
        words="Only {percent:.0f}% of the playing surface is in the picture; go back a little, or "
        "turn the camera, until the whole board is in sight.",
    ),
    _Check(
        trouble=PictureFault.DARK,
        of=lambda quality: quality.brightness,
        warns=PARAMS.dark,
        stops=PARAMS.too_dark,
        words="The board is dark (brightness {value:.0f} of 255); turn on more light, or let the "
        "camera expose longer.",
    ),
    _Check(
        trouble=PictureFault.GLARE,
        of=lambda quality: quality.burnt_share,
        warns=PARAMS.glaring,
        stops=PARAMS.burnt,
        words="A lamp or window glares on {percent:.0f}% of the board; move the lamp or the camera "
        "until no bright patch is left.",
    ),
    _Check(
        trouble=PictureFault.BLURRED,
        of=lambda quality: quality.blur_mm,
        warns=PARAMS.soft_mm,
        stops=PARAMS.blurred_mm,
        words="Edges are blurred over {value:.1f} mm; wipe the lens, focus on the board and hold "
        "the camera still.",
    ),
    _Check(
        trouble=PictureFault.OBLIQUE,
        of=lambda quality: quality.tilt_deg,
        warns=PARAMS.oblique_deg,
        stops=PARAMS.too_oblique_deg,
        words="The board is seen from the side, {value:.0f}° off straight down; raise the camera, "
        "best to less than 30°.",
    ),
    _Check(
        trouble=PictureFault.FAR,
        of=lambda quality: quality.mm_per_px,
        warns=PARAMS.far_mm_per_px,
        stops=PARAMS.too_far_mm_per_px,
        words="One pixel covers {value:.1f} mm of the board; come nearer, or choose a finer "
        "resolution.",
    ),
    _Check(
        trouble=PictureFault.ROUGH,
        of=lambda quality: quality.residual_mm,
        warns=PARAMS.rough_mm,
        stops=PARAMS.wrong_mm,
        words="The fitted rings miss the painted ones by {value:.1f} mm; see whether they lie on "
        "the lines, and drag the handles where they do not.",
    ),
)


def advise(quality: PictureQuality) -> tuple[PictureAdvice, ...]:
    """What would make the picture better, what stops first; empty when nothing would."""
    found = [advice for check in _CHECKS if (advice := check.advice(quality)) is not None]
    return tuple(sorted(found, key=lambda advice: not advice.stops))


__all__ = ["PictureAdvice", "PictureFault", "PictureQuality", "advise"]
