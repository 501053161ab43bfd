"""Quality of a picture of a fitted board for measuring: light, focus, angle, distance.

Light is measured on a bird's-eye image, blur on the strongest edges (Zhuo and Sim 2011); the rest
follows from the fit. ``calibration.wizard.picture_quality`` decides which pictures are good enough.
"""

from __future__ import annotations

import cv2
import numpy as np

from calibration.board import FloatArray
from calibration.circle import circle_mm
from calibration.fit import BoardFit
from calibration.parameters import StageParameters, parameter
from calibration.phrase import Phrase
from calibration.wizard.picture_quality import PictureAdvice, PictureFault, PictureQuality
from vision.board.find_board import compute_visible_share
from vision.io.frame import Frame
from vision.rectify.birds_eye import warp_birds_eye
from vision.rectify.luminance import PARAMS as LUMINANCE


class QualityParameters(StageParameters):
    """Parameters of ``quality``."""

    #: Edges used: this share of the pixels, the strongest.
    strongest_share: float = parameter(
        0.004,
        unit="share",
        source="chosen: so few that all of them are edges, and enough of them for a median",
    )
    #: In a picture this dark, or blurred over this share of its long side, any board is hidden.
    black_grey: float = parameter(
        30.0, unit="grey value", source="chosen: in darker areas, thin lines cannot be seen"
    )
    max_blur_share: float = parameter(
        1 / 280,
        unit="long sides",
        source="chosen: 2.5 mm on a board of 700 mm that fills the picture",
    )


PARAMS = QualityParameters()
#: Resolution at which the surface's light is measured; light varies slowly.
_BIRDS_EYE_MM_PER_PX = 2.0
#: Blur is measured by the fading of edges when they are blurred further: first to remove the
#: pixel's noise, and then by twice as much.
_FIRST_BLUR_PX = 1.0
_SECOND_BLUR_PX = 2.0


def measure_quality(frame: Frame, fit: BoardFit) -> PictureQuality:
    """The numbers of the frame's picture; ``fit`` is in pixels of ``Frame.image``."""
    spec, view = fit.spec, fit.view
    birds_eye = warp_birds_eye(
        frame.image,
        view,
        z_mm=0.0,
        half_side_mm=spec.surface_radius_mm,
        mm_per_px=_BIRDS_EYE_MM_PER_PX,
    )
    surface = birds_eye.image[(birds_eye.radius_mm() < spec.line_radii_mm[2]) & birds_eye.inside]
    mm_per_px = view.mm_per_px()
    blur_px = _estimate_blur_px(_crop_board(frame.image, fit))
    return PictureQuality(
        brightness=float(np.median(surface.mean(axis=-1))) if len(surface) else 0.0,
        burnt_share=_measure_burnt_share(surface.min(axis=-1)) if len(surface) else 0.0,
        blur_mm=blur_px * mm_per_px,
        blur_px=blur_px / frame.scale,
        tilt_deg=view.cam_from_board.tilt_deg,
        mm_per_px=mm_per_px * frame.scale,
        whole_share=compute_visible_share(view, spec.surface_radius_mm, frame.image.shape),
        residual_mm=fit.residual_px * mm_per_px,
    )


def explain_missing_board(frame: Frame) -> PictureAdvice | None:
    """The fault and its remedy if bad light or focus may hide the board; otherwise None."""
    brightness = float(np.median(frame.image.mean(axis=-1)))
    if brightness < PARAMS.black_grey:
        words = Phrase(
            "The picture is very dark (brightness %(brightness).0f of 255). "
            "Turn on more light, or use a longer exposure.",
            brightness=brightness,
        )
        return PictureAdvice(words=words, fault=PictureFault.DARK, stops=True)
    grey = np.asarray(cv2.cvtColor(frame.image, cv2.COLOR_BGR2GRAY), dtype=np.float32)
    blur_px = _estimate_blur_px(grey)
    if blur_px > PARAMS.max_blur_share * max(grey.shape):
        words = Phrase(
            "The picture is blurred (by about %(blur_px).0f px). Wipe the "
            "lens, focus on the board and hold the camera still.",
            blur_px=blur_px / frame.scale,
        )
        return PictureAdvice(words=words, fault=PictureFault.BLURRED, stops=True)
    return None


def _crop_board(image: np.ndarray, fit: BoardFit) -> np.ndarray:
    """The picture's part about the playing surface, as grey (h, w) float32."""
    rim: FloatArray = fit.view.project_plane(circle_mm((0, 0), fit.spec.surface_radius_mm, 90))
    limit = np.array(image.shape[1::-1])
    low = np.clip(np.floor(rim.min(axis=0)), 0, limit - 1).astype(int)
    high = np.clip(np.ceil(rim.max(axis=0)), low + 1, limit).astype(int)
    part = image[low[1] : high[1], low[0] : high[0]]
    return np.asarray(cv2.cvtColor(part, cv2.COLOR_BGR2GRAY), dtype=np.float32)


def _measure_burnt_share(darkest_channel: np.ndarray) -> float:
    """Share of the surface's pixels, by their darkest channels (n,), that a lamp has saturated; on
    a white board either nearly all count, if it is overexposed, or none.
    """
    share = float((darkest_channel >= LUMINANCE.saturated_grey).mean())
    is_white = LUMINANCE.white_board_grey < np.median(darkest_channel) < LUMINANCE.saturated_grey
    return 0.0 if is_white else share


def _estimate_blur_px(grey: np.ndarray) -> float:
    """Blur of the strongest edges, one standard deviation, px.

    An edge blurred by s and then by t has the slope 1 / sqrt(s^2 + t^2); two values of t give s
    (Zhuo and Sim 2011, equation 6, with both images blurred against noise).
    """
    first, second = (_gradient_magnitude(grey, blur) for blur in (_FIRST_BLUR_PX, _SECOND_BLUR_PX))
    # the middle of an edge is where its slope is greatest
    middle = first >= cv2.dilate(first, np.ones((3, 3), np.uint8)) - 1e-6
    count = max(20, round(PARAMS.strongest_share * first.size))
    least = np.partition(first.ravel(), -min(count, first.size))[-min(count, first.size)]
    strong = middle & (first >= max(float(least), 1e-3))
    if not strong.any():
        return 0.0
    ratio = (first[strong] / np.maximum(second[strong], 1e-6)) ** 2
    # a thin line fades faster than any edge: ratio (t2 / t1)^2 means no blur
    variance = (_SECOND_BLUR_PX**2 - ratio * _FIRST_BLUR_PX**2) / np.maximum(ratio - 1.0, 1e-2)
    return float(np.sqrt(max(float(np.median(variance)), 0.0)))


def _gradient_magnitude(grey: np.ndarray, blur_px: float) -> np.ndarray:
    smooth = cv2.GaussianBlur(grey, (0, 0), blur_px)
    return cv2.magnitude(cv2.Sobel(smooth, cv2.CV_32F, 1, 0), cv2.Sobel(smooth, cv2.CV_32F, 0, 1))
