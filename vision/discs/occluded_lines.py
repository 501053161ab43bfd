"""Occluded lines: places where a ring line vanishes though nothing known hides it.

Knows that paint runs all round. Shade dims a line and what mirrors in the varnish adds light to it
and to the wood alike, so lines are held against the light beside them. Refuses to say what it is.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from calibration.camera import FloatArray
from calibration.parameters import StageParameters, parameter
from vision.discs.free_surface import FreeSurfaceMask
from vision.discs.outline.contour import Contour
from vision.discs.outline.edge_profiles import sample_profiles
from vision.discs.outline.outline_fit import PosedImage
from vision.rectify.luminance import decode_gamma


@dataclass(frozen=True, slots=True, kw_only=True)
class OccludedLinesParameters(StageParameters):
    """What ``occluded_lines`` takes for granted."""

    stage: ClassVar[str] = "discs.occluded_lines"

    #: Lines are sampled every so many mm, across them at these offsets.
    along_mm: float = parameter(4.0, unit="mm", source="")
    across_mm: float = parameter(0.75, unit="mm", source="")
    reach_mm: float = parameter(8.25, unit="mm", source="")
    #: Half the width of a line's core, and where the wood beside it begins and ends, mm.
    core_mm: float = parameter(0.75, unit="mm", source="")
    wood_mm: tuple[float, float] = parameter((2.25, 4.5), unit="mm", source="")
    #: The 15-, 10- and 5-line lie up to this far from where they should be, mm: boards warp.
    max_line_shift_mm: tuple[float, float, float] = parameter((1.5, 1.5, 3.0), unit="mm", source="")
    #: Above this there is only glare.
    glare_grey: int = parameter(235, unit="grey value", source="")
    #: A line shows where its contrast is this share of the usual, in any channel in which that is
    #: at least half of the best channel's.
    visible_contrast: float = parameter(0.35, unit="", source="")
    used_channel_share: float = parameter(0.5, unit="share", source="")
    #: Shade is taken for no deeper than this: noise alone is left of a line in it.
    deepest_shade: float = parameter(0.02, unit="", source="")
    #: So many places are smoothed by their median: a speck of dirt is no gap.
    median_window: int = parameter(3, unit="", source="")
    #: A gap this long, mm, is no wear: bare boards show 34 at the most on the 15- and 10-line, and
    #: the 5-line, near the edge and its reflections, is asked for more.
    min_gap_mm: tuple[float, float, float] = parameter((40.0, 40.0, 45.0), unit="mm", source="")
    #: In a gap less than this is left of it on average; faint lines fade, but not so far.
    gap_contrast: float = parameter(0.18, unit="", source="")
    #: A line that hides elsewhere as well tells nothing by hiding: but for its longest gap, this
    #: share of it must show.
    min_visible_share: float = parameter(0.93, unit="share", source="")
    min_places: int = parameter(30, unit="", source="")


PARAMS = OccludedLinesParameters.active()


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Line:
    """One ring's visible places: the line's contrast there, and which nothing hides.

    point_mm (n, 2) all round, contrast (n,) with 1 the usual, bare (n,) bool
    """

    point_mm: FloatArray
    contrast: FloatArray
    bare: np.ndarray


def find_occluded_lines(picture: PosedImage, surface: FreeSurfaceMask) -> FloatArray:
    """Centres (n, 2) of gaps in the ring lines, mm, that nothing known explains."""
    found: list[FloatArray] = [np.zeros((0, 2))]
    for number, gap_mm in enumerate(PARAMS.min_gap_mm):
        line = _measure_line(picture, surface, number)
        if line is not None:
            found.append(_find_gaps(line, gap_mm))
    return np.concatenate(found)


def _measure_line(picture: PosedImage, surface: FreeSurfaceMask, number: int) -> _Line | None:
    """The ring line's contrast all round; None where too little of it is visible."""
    spec, image = surface.spec, picture.image
    count = int(2 * np.pi * spec.line_radii_mm[number] / PARAMS.along_mm)
    point = spec.line_points_mm(number, np.arange(count) * (2 * np.pi / count))
    outward = point - spec.line_centres_mm[number]
    outward = outward / np.linalg.norm(outward, axis=-1, keepdims=True)
    across = np.arange(-PARAMS.reach_mm, PARAMS.reach_mm + PARAMS.across_mm / 2, PARAMS.across_mm)
    grey = sample_profiles(image, picture.view, _make_flat_contour(point, outward), across)
    light = decode_gamma(grey)
    px = picture.view.project_plane(point)
    bare = ((px >= 4) & (px < np.array([image.shape[1], image.shape[0]]) - 4)).all(axis=-1)
    bare &= ~surface.is_hidden(point)
    wood = np.median(grey.min(axis=-1), axis=1)
    if np.median(wood) < PARAMS.glare_grey:  # of a white board nothing tells glare
        bare &= wood < PARAMS.glare_grey
    if bare.sum() < PARAMS.min_places:
        return None
    contrast = _measure_contrast(
        light, bare, PARAMS.max_line_shift_mm[number], one_sided=number == 2
    )
    return _Line(point_mm=point, contrast=contrast, bare=bare)


def _make_flat_contour(point_mm: FloatArray, outward: FloatArray) -> Contour:
    """A curve (k, 2) on the surface with its normals, as a ``Contour``."""
    lifted = np.zeros((1, len(point_mm), 3))
    normal = np.zeros_like(lifted)
    lifted[0, :, :2], normal[0, :, :2] = point_mm, outward
    return Contour(
        point_mm=lifted,
        normal=normal,
        outward=outward,
        on_top=np.zeros((1, len(point_mm)), dtype=bool),
    )


def _measure_contrast(
    light: np.ndarray, bare: np.ndarray, max_shift_mm: float, *, one_sided: bool
) -> FloatArray:
    """Contrast of a line at each place (n,), 1 where it is as usual, by profiles (n, t, 3).

    ``one_sided`` asks for a step from the inner side alone: the outer may be the board's edge.
    """
    total = np.cumsum(np.pad(light, ((0, 0), (1, 0), (0, 0))), axis=1)
    reach = round(max_shift_mm / PARAMS.across_mm)
    sides = [_measure_core_steps(total, shift) for shift in range(-reach, reach + 1)]
    level = total[:, -1]
    shade = level / np.maximum(np.median(level[bare], axis=0), 1e-4)
    shade = np.clip(shade, PARAMS.deepest_shade, 1.0)
    polarities = []
    for sign in (np.float32(-1), np.float32(1)):
        both = [np.minimum(sign * inner, sign * outer) for inner, outer in sides]
        used = [sign * inner for inner, _ in sides] if one_sided else both
        polarities.append((np.median(both[reach][bare], axis=0), np.max(used, axis=0) / shade))
    least = PARAMS.used_channel_share * max(float(usual.max()) for usual, _ in polarities)
    relative = [
        seen[:, colour] / max(float(np.median(seen[bare, colour])), 1e-6)
        for usual, seen in polarities
        for colour in range(3)
        if usual[colour] >= max(least, 1e-6)
    ]
    return np.max(relative, axis=0) if relative else np.ones(len(light))


def _measure_core_steps(total: np.ndarray, shift: int) -> tuple[np.ndarray, np.ndarray]:
    """How much lighter the core is than the wood inside and outside of it, (n, 3) each.

    The core lies ``shift`` samples outside the middle of the profiles, whose running sums are
    ``total`` (n, t + 1, 3).
    """
    core = _average_between(total, shift, -PARAMS.core_mm, PARAMS.core_mm)
    low, high = PARAMS.wood_mm
    return core - _average_between(total, shift, -high, -low), core - _average_between(
        total, shift, low, high
    )


def _average_between(total: np.ndarray, shift: int, low_mm: float, high_mm: float) -> np.ndarray:
    """Mean (n, 3) of profiles from low to high about their middle, shifted."""
    middle = total.shape[1] // 2 - 1 + shift
    low, high = (
        middle + round(low_mm / PARAMS.across_mm),
        middle + round(high_mm / PARAMS.across_mm) + 1,
    )
    return np.asarray((total[:, high] - total[:, low]) / (high - low))


def _find_gaps(line: _Line, gap_mm: float) -> FloatArray:
    """Centres (n, 2) of the line's gaps."""
    at = np.flatnonzero(line.bare)
    smooth = np.median(
        [np.roll(line.contrast[at], k) for k in _make_window(PARAMS.median_window)], axis=0
    )
    missing = smooth < PARAMS.visible_contrast
    if missing.all() or not missing.any():
        return np.zeros((0, 2))
    shift = int(np.flatnonzero(~missing)[0])  # begin where the line shows: no gap lies on the seam
    at, missing = np.roll(at, -shift), np.roll(missing, -shift)
    edge = np.flatnonzero(np.diff(np.concatenate([[False], missing, [False]]).astype(np.int8)))
    begin, end = edge[::2], edge[1::2]
    long = (end - begin) * PARAMS.along_mm >= gap_mm
    lost = int(missing.sum()) - int((end - begin).max())
    if lost > (1 - PARAMS.min_visible_share) * len(at):
        return np.zeros((0, 2))
    smooth = np.roll(smooth, -shift)
    long &= [
        bool(smooth[a:b].mean() < PARAMS.gap_contrast) for a, b in zip(begin, end, strict=True)
    ]
    middle = at[(begin[long] + end[long]) // 2]
    return np.asarray(line.point_mm[middle])


def _make_window(count: int) -> range:
    """Offsets of so many neighbours, itself among them."""
    return range(-(count // 2), count // 2 + 1)
