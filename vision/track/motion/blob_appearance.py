"""Blob appearance: centroid, colour and roundness of discs' faces around given rectified pixels.

Pixels of a face are nearer to the face's median colour than to the board's. Mean shift over them
finds the disc to a third of a millimetre, apart from the effect of its wall and shadow. Their share
inside the rim minus that around it measures how round and separate it is. A compiled kernel
measures them (``kernels/disc_faces``). A hand of the disc's colour that touches it shifts the
middle.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from calibration.camera import FloatArray
from calibration.parameters import StageParameters, cached_by_settings, parameter
from vision.rectify.frame_rectifier import RECTIFIED_MM_PER_PX
from vision.track.background.background_model import BackgroundModel, NormalisedFrame
from vision.track.kernels import disc_faces as faces

#: The face is judged inside its rim, and its surroundings in a ring outside it, mm.
INSIDE_RIM_MM, RING_MM = 2.0, (2.0, 7.0)
#: Levels of roundness. Below the first it is not a disc but part of a hand or a shadow. From the
#: second on, no hand holds it, because shadows and neighbours leave at least that much roundness.
MIN_ROUNDNESS, FREE_ROUNDNESS = 0.15, 0.4
#: Moving discs look rounder than the first level (blurred ones 0.57, a black disc and its shadow
#: 0.62, others over 0.7). Parts of hands and arms mostly do not (0.5 to 0.53); none reaches the
#: second level, and few discs miss the third.
WEAK_ROUNDNESS, ROUND_ROUNDNESS, CLEAR_ROUNDNESS = 0.55, 0.6, 0.66


class BlobAppearanceParameters(StageParameters):
    """Parameters of ``blob_appearance``."""

    #: A pixel belongs to the disc if its colour is closer to the face's than this share of the
    #: face's own distance from the board; pixels of shadow and fingers are not that close.
    alike_share: float = parameter(
        0.6,
        unit="share",
        source="chosen: nearer to the face's colour than to the board's (0.5), with a margin "
        "for noise",
    )
    #: A disc's face differs by less than this from frame to frame, and from its team's colour.
    same_colour_lab: float = parameter(
        30.0, unit="weighted Lab", source="chosen: more than shade and motion blur change a colour"
    )
    #: A face is centred on its own colour within this window, and moves at most this far.
    window_mm: float = parameter(
        6.0,
        unit="mm",
        source="measured in two clips with truth: positions of moving discs scatter by 0.3 mm "
        "per axis; with 4 mm by up to 2.4, because wall and shadow extend beyond it; "
        "with 8 mm a neighbour attracts more",
    )
    centred_mm: float = parameter(8.0, unit="mm", source="chosen: half a disc's radius")


PARAMS = BlobAppearanceParameters()
#: A face is centred on its own colour this many times: the second time moves it by less than a
#: pixel.
_CENTRINGS = 2
#: Most steps of a centring: beside a shadow 6 mm long, each leaves eight tenths of the distance.
_STEPS = 20
#: Grooves of a face are narrower than this many pixels. On wood of nearly the face's colour, up to
#: this many grey levels away over all channels, they stand out as much as the disc.
_FAINT = 70.0


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class BlobAppearance:
    """Appearance of n blobs' faces.

    centre_px  (n, 2) rectified pixels
    roundness  (n,) the disc's share inside minus that around: 1 for a separate disc
    colour_bgr (n, 3) median, in the background's light
    """

    centre_px: FloatArray
    roundness: FloatArray
    colour_bgr: FloatArray


def measure_appearance(
    background: BackgroundModel, frame: NormalisedFrame, places_px: FloatArray, radius_mm: float
) -> BlobAppearance:
    """The appearance of blobs of ``radius_mm`` around rectified pixels (n, 2); n may be 0."""
    if len(places_px) == 0:
        return BlobAppearance(
            centre_px=np.zeros((0, 2)), roundness=np.zeros(0), colour_bgr=np.zeros((0, 3))
        )
    rows = faces.measure_faces(
        frame.image,
        background.image,
        frame.difference,
        background.threshold,
        places_px.astype(np.float64),
        _CENTRINGS,
        _STEPS,
        _list_parameters(radius_mm),
    )
    return BlobAppearance(
        centre_px=rows[:, : faces.ROUNDNESS],
        roundness=rows[:, faces.ROUNDNESS],
        colour_bgr=rows[:, faces.BLUE :],
    )


@cached_by_settings(maxsize=2)
def _list_parameters(radius_mm: float) -> NDArray[np.float64]:
    """The kernel's parameters for discs of ``radius_mm``."""
    parameters = np.zeros(faces.PARAMETER_COUNT)
    parameters[faces.REACH] = np.ceil(
        (radius_mm + RING_MM[1] + PARAMS.centred_mm) / RECTIFIED_MM_PER_PX
    )
    for name, length_mm in (
        (faces.CORE, radius_mm / 2),
        (faces.BODY, radius_mm + INSIDE_RIM_MM),
        (faces.FACE, radius_mm - INSIDE_RIM_MM),
        (faces.INNER, radius_mm + RING_MM[0]),
        (faces.OUTER, radius_mm + RING_MM[1]),
        (faces.WINDOW, radius_mm + PARAMS.window_mm),
    ):
        parameters[name] = length_mm / RECTIFIED_MM_PER_PX
    parameters[faces.ALIKE], parameters[faces.FAINT] = PARAMS.alike_share, _FAINT
    parameters[faces.ROUND] = ROUND_ROUNDNESS
    return parameters
