"""Streaks: discs so fast that the open shutter stretched them to more than twice their length.

A piece of the difference mask is a streak if it fills a stadium (the convex hull of two equal
circles) about as broad as a disc and longer, is nowhere narrower, as two discs side by side are,
and is separate. Its middle is the disc's place in mid-exposure. Its length beyond its breadth is
the disc's movement during the exposure, up to a fifth too short because its ends are faint. The
direction along it is not known. A streak that touches a hand or another disc is missed. In a view
from lower than 22 degrees a disc at rest is as long, and other resting things may be. A streak
counts as a disc only if nothing is seen there in other frames.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import cv2
import numpy as np

from calibration.camera import FloatArray
from calibration.parameters import StageParameters, parameter
from vision.rectify.frame_rectifier import RECTIFIED_MM_PER_PX, FrameRectifier
from vision.track.background.background_model import BackgroundModel, NormalisedFrame
from vision.track.kernels import mask_pieces as pieces
from vision.track.motion.blob_appearance import RING_MM
from vision.track.motion.disc_blobs import PARAMS as BLOBS


class StreaksParameters(StageParameters):
    """Parameters of ``streaks``."""

    stage: ClassVar[str] = "track.motion.streaks"

    #: Their way is at least and at most this long.
    way_mm: tuple[float, float] = parameter(
        (24.0, 300.0), unit="mm", source="2.4 m/s in a hundredth of a second; 7 m/s in a 24th"
    )
    #: Their breadth, that of a strip of the same variance across, is a disc's outline's: more by
    #: its shadow and less by how faint its edges are.
    breadth_radii: tuple[float, float] = parameter(
        (1.3, 3.4),
        unit="radii",
        source="chosen: a third less than two; in an oblique view an outline is 1.5 times as long",
    )
    #: They fill so much of their stadium, ...
    least_filled: float = parameter(
        0.85, unit="share", source="chosen: two discs side by side fill 0.88, a hand less"
    )
    #: ... are as broad in their middle as this share of their breadth, ...
    least_waist: float = parameter(
        0.75, unit="share", source="two discs side by side have 0.5 where they meet"
    )
    #: ... and no more than this share of a ring around them differs, too.
    most_around: float = parameter(
        0.3, unit="share", source="chosen: a third of the ring is another disc's or a finger's"
    )


PARAMS = StreaksParameters()


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Streak:
    """The streak of a disc in the frame at ``t_s``, board mm.

    place_mm  (2,) the disc's place in mid-exposure
    way_mm    (2,) its movement during the exposure, in one direction or the other
    """

    t_s: float
    place_mm: FloatArray
    way_mm: FloatArray


def find_streaks(
    rectifier: FrameRectifier,
    background: BackgroundModel,
    frame: NormalisedFrame,
    radius_mm: float,
    t_s: float,
) -> list[Streak]:
    """The streaks of discs of ``radius_mm`` on the surface in the frame at ``t_s``.

    An object that reaches over the surface's edge may be a finger and is ignored.
    """
    mask = cv2.threshold(frame.difference, background.threshold, 255, cv2.THRESH_BINARY)[1]
    side = rectifier.side_px // BLOBS.coarse
    differs = cv2.resize(mask, (side, side), interpolation=cv2.INTER_AREA) > 127
    found = []
    for stadium in _fit_stadiums(differs, radius_mm / (BLOBS.coarse * RECTIFIED_MM_PER_PX)):
        if not _stands_alone(differs, *stadium):
            continue
        middle, way, _ = stadium
        ends = middle + np.array([[-0.5], [0.0], [0.5]]) * way
        ends_mm = rectifier.to_mm((ends + 0.5) * BLOBS.coarse - 0.5)
        if np.linalg.norm(ends_mm, axis=1).max() < rectifier.surface_radius_mm:
            found.append(Streak(t_s=t_s, place_mm=ends_mm[1], way_mm=ends_mm[2] - ends_mm[0]))
    return found


def _fit_stadiums(
    differs: np.ndarray, radius_px: float
) -> Iterator[tuple[FloatArray, FloatArray, float]]:
    """Middle (2,), movement (2,) and breadth of the pieces of a mask (side, side bool) that fill a
    streak's stadium, coarse pixels.
    """
    least, most = (each / (BLOBS.coarse * RECTIFIED_MM_PER_PX) for each in PARAMS.way_mm)
    low, high = (radius * radius_px for radius in PARAMS.breadth_radii)
    fewest = int(PARAMS.least_filled * _stadium_area(low, least))
    for row in pieces.measure_pieces(differs, fewest):
        breadth = float(np.sqrt(12 * row[pieces.SPREAD] ** 2 + 1.0))
        way = float(row[pieces.GREATEST] - row[pieces.LEAST]) + 1.0 - breadth
        if not (least < way < most and low < breadth < high):
            continue
        is_filled = row[pieces.AREA] > PARAMS.least_filled * _stadium_area(breadth, way)
        if is_filled and row[pieces.WAIST] + 1.0 >= PARAMS.least_waist * breadth:
            axis = row[[pieces.AXIS_X, pieces.AXIS_Y]]
            along = (row[pieces.LEAST] + row[pieces.GREATEST]) / 2
            yield row[[pieces.X, pieces.Y]] + along * axis, way * axis, breadth


def _stadium_area(breadth: float, way: float) -> float:
    """The area of a stadium that is longer than broad by that much."""
    return breadth * way + np.pi / 4 * breadth**2


def _stands_alone(differs: np.ndarray, middle: FloatArray, way: FloatArray, breadth: float) -> bool:
    """Whether little else than a stadium differs (side, side bool) around it, coarse pixels."""
    length = float(np.linalg.norm(way))
    inner, outer = np.array(RING_MM) / (BLOBS.coarse * RECTIFIED_MM_PER_PX) + breadth / 2
    reach = np.abs(way) / 2 + outer
    left, top = np.maximum(np.floor(middle - reach), 0).astype(int)
    right, bottom = np.ceil(middle + reach).astype(int) + 1
    near = differs[top:bottom, left:right]
    rows, columns = np.indices(near.shape)
    x, y = columns + left - middle[0], rows + top - middle[1]
    along = np.clip((x * way[0] + y * way[1]) / length, -length / 2, length / 2)
    away = np.hypot(x - along * way[0] / length, y - along * way[1] / length)
    return float(near[(away >= inner) & (away < outer)].mean()) < PARAMS.most_around
