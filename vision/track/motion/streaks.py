"""Streaks: discs so fast that the open shutter drew them out to more than twice their length.

A piece of the difference mask is a streak where it fills a stadium (the convex hull of two equal
circles) about as broad as a disc and longer, is nowhere narrower, as two discs side by side are
where they meet, and stands alone. Its middle is where the disc was in mid-exposure, and its length
beyond its breadth the way that the disc came meanwhile, up to a fifth less, as its ends are faint;
which way along it is not known. A streak that touches a hand or another disc is missed. In a view
from lower than 22 degrees a disc at rest is as long, and other things that lie still may be: a
streak is a disc's only while nothing is seen there in other frames.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import cv2
import numpy as np

from calibration.camera import FloatArray
from calibration.parameters import StageParameters, parameter
from vision.rectify.frame_rectifier import RECTIFIED_MM_PER_PX, FrameRectifier
from vision.track.background.background_model import BackgroundModel, NormalisedFrame
from vision.track.motion.blob_appearance import RING_MM


@dataclass(frozen=True, slots=True, kw_only=True)
class StreaksParameters(StageParameters):
    """What ``streaks`` takes for granted."""

    stage: ClassVar[str] = "track.motion.streaks"

    #: Streaks are looked for on every second pixel.
    coarse: int = parameter(2, unit="px", source="chosen for speed: a quarter of the pixels")
    #: Their way is at least and at most this long.
    way_mm: tuple[float, float] = parameter(
        (24.0, 300.0), unit="mm", source="2.4 m/s in a hundredth of a second; 7 m/s in a 24th"
    )
    #: Their breadth, that of a strip of the same variance across, is a disc's outline's: more by
    #: its shadow and less by how faint its edges are.
    breadth_radii: tuple[float, float] = parameter(
        (1.3, 3.4),
        unit="radii",
        source="chosen: a third less than two; in a steep view an outline is 1.5 times as long",
    )
    #: A piece whose bounding box leaves a shorter way, by more than this, is not looked at.
    box_slack_px: float = parameter(1.5, unit="px", source="chosen: ragged edges of the mask")
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


PARAMS = StreaksParameters.active()


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Streak:
    """The streak of a disc in the frame at ``t_s``, board mm.

    place_mm  (2,) where the disc was in mid-exposure
    way_mm    (2,) how it came meanwhile, or the other way round
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

    What reaches over the surface's edge may be a finger, and is left.
    """
    mask = cv2.threshold(frame.difference, background.threshold, 255, cv2.THRESH_BINARY)[1]
    side = rectifier.side_px // PARAMS.coarse
    differs = cv2.resize(mask, (side, side), interpolation=cv2.INTER_AREA) > 127
    mm_per_px = PARAMS.coarse * RECTIFIED_MM_PER_PX
    _, label, stats, _ = cv2.connectedComponentsWithStats(differs.view(np.uint8), connectivity=4)
    found = []
    for number in _select_pieces(stats, radius_mm / mm_per_px):
        stadium = _fit_stadium(label, stats[number], number, radius_mm / mm_per_px)
        if stadium is None or not _stands_alone(differs, *stadium):
            continue
        middle, way, _ = stadium
        ends = middle + np.array([[-0.5], [0.0], [0.5]]) * way
        ends_mm = rectifier.to_mm((ends + 0.5) * PARAMS.coarse - 0.5)
        if np.linalg.norm(ends_mm, axis=1).max() < rectifier.surface_radius_mm:
            found.append(Streak(t_s=t_s, place_mm=ends_mm[1], way_mm=ends_mm[2] - ends_mm[0]))
    return found


def _select_pieces(stats: np.ndarray, radius_px: float) -> list[int]:
    """Which connected components (n, 5), but the background, have a streak's size."""
    area, width, height = (
        stats[:, each] for each in (cv2.CC_STAT_AREA, cv2.CC_STAT_WIDTH, cv2.CC_STAT_HEIGHT)
    )
    least, most = (each / (PARAMS.coarse * RECTIFIED_MM_PER_PX) for each in PARAMS.way_mm)
    narrowest = PARAMS.breadth_radii[0] * radius_px
    fits = area < PARAMS.breadth_radii[1] * radius_px * (most + 2 * radius_px)
    fits &= area > PARAMS.least_filled * _stadium_area(narrowest, least)
    # A stadium's bounding box is longer than its breadth by the two parts of its way.
    longer = np.hypot(*(np.maximum(each - narrowest, 0.0) for each in (width, height)))
    fits &= longer > least - PARAMS.box_slack_px
    return [int(each) for each in np.flatnonzero(fits) if each > 0]


def _fit_stadium(
    label: np.ndarray, box: np.ndarray, number: int, radius_px: float
) -> tuple[FloatArray, FloatArray, float] | None:
    """Middle (2,), way (2,) and breadth of a streak, coarse pixels; None for another shape."""
    left, top, width, height, area = (int(each) for each in box)
    y, x = np.nonzero(label[top : top + height, left : left + width] == number)
    places = np.column_stack([x + left, y + top]).astype(np.float64)
    if len(places) < 3:
        return None
    off = places - places.mean(axis=0)
    axes = np.linalg.eigh(off.T @ off)[1]  # those of the covariance, without its factor
    along, across = (off @ axes[:, ::-1]).T
    breadth = float(np.sqrt(12 * across.var() + 1.0))
    way = float(np.ptp(along)) + 1.0 - breadth
    least, most = (each / (PARAMS.coarse * RECTIFIED_MM_PER_PX) for each in PARAMS.way_mm)
    low, high = (each * radius_px for each in PARAMS.breadth_radii)
    if not (least < way < most and low < breadth < high):
        return None
    middle = (along.max() + along.min()) / 2
    waist = across[np.abs(along - middle) < 1.0]
    is_filled = area > PARAMS.least_filled * _stadium_area(breadth, way)
    if not is_filled or len(waist) == 0 or np.ptp(waist) + 1.0 < PARAMS.least_waist * breadth:
        return None
    return places.mean(axis=0) + middle * axes[:, 1], way * axes[:, 1], breadth


def _stadium_area(breadth: float, way: float) -> float:
    """The area of a stadium that is so much longer than broad."""
    return breadth * way + np.pi / 4 * breadth**2


def _stands_alone(differs: np.ndarray, middle: FloatArray, way: FloatArray, breadth: float) -> bool:
    """Whether little else than a stadium differs (side, side bool) around it, coarse pixels."""
    length = float(np.linalg.norm(way))
    inner, outer = np.array(RING_MM) / (PARAMS.coarse * RECTIFIED_MM_PER_PX) + breadth / 2
    reach = np.abs(way) / 2 + outer
    left, top = np.maximum(np.floor(middle - reach), 0).astype(int)
    right, bottom = np.ceil(middle + reach).astype(int) + 1
    near = differs[top:bottom, left:right]
    rows, columns = np.indices(near.shape)
    x, y = columns + left - middle[0], rows + top - middle[1]
    along = np.clip((x * way[0] + y * way[1]) / length, -length / 2, length / 2)
    away = np.hypot(x - along * way[0] / length, y - along * way[1] / length)
    return float(near[(away >= inner) & (away < outer)].mean()) < PARAMS.most_around
