"""Occluded lines: places where a ring line vanishes although no known object hides it.

A painted line runs all round. Shade dims a line, and mirrored light adds to it and to the wood
alike. So lines are compared with the light beside them, in linear light. Worn lines, and lines of
the wood's own colour, have real gaps. Such a line is ignored.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from calibration.camera import FloatArray
from calibration.parameters import StageParameters, parameter
from calibration.pose import View
from vision.discs.outline.contour import Contour
from vision.discs.outline.edge_profiles import sample_profiles
from vision.discs.outline.posed_image import PosedImage
from vision.discs.visible_surface import FreeSurfaceMask
from vision.rectify.luminance import decode_gamma


class OccludedLinesParameters(StageParameters):
    """Parameters of ``occluded_lines``."""

    #: Lines are sampled this far apart, and across them at such steps, this far to both sides.
    along_mm: float = parameter(4.0, unit="mm", source="chosen: a tenth of the shortest gap")
    across_mm: float = parameter(0.75, unit="mm", source="chosen: half a line's width")
    reach_mm: float = parameter(8.25, unit="mm", source="wood beside the farthest line, and a step")
    #: Half the width of a line's core, and where the wood beside it begins and ends.
    core_mm: float = parameter(0.75, unit="mm", source="lines are 1.6 mm wide")
    wood_mm: tuple[float, float] = parameter(
        (2.25, 4.5), unit="mm", source="chosen: clear of lines up to 3.2 mm wide and their blur"
    )
    #: The 15-, 10- and 5-line lie up to this far from where they should be.
    max_line_shift_mm: tuple[float, float, float] = parameter(
        (1.5, 1.5, 3.0), unit="mm", source="chosen: boards warp, most at the edge"
    )
    #: Wood whose darkest channel is brighter than this lies in glare.
    glare_grey: int = parameter(
        235, unit="grey value", source="chosen: below burnt out, for paint fades before wood does"
    )
    #: A line shows where its contrast is this share of the usual, ...
    visible_contrast: float = parameter(
        0.35, unit="share", source="chosen: worn lines keep a third"
    )
    #: ... in any channel in which that is at least this share of the best channel's.
    used_channel_share: float = parameter(0.5, unit="share", source="chosen: leaves out noisy ones")
    #: Shade is taken for no deeper than this share of the usual light.
    deepest_shade: float = parameter(
        0.02, unit="share", source="chosen: noise alone is left of a line in it"
    )
    #: So many places are smoothed by their median.
    median_window: int = parameter(3, unit="", source="chosen: a speck of dirt is no gap")
    #: A gap this long is no wear.
    min_gap_mm: tuple[float, float, float] = parameter(
        (40.0, 40.0, 45.0),
        unit="mm",
        source="empty boards show 34 at the most on the 15- and 10-line; more for the 5-line, near "
        "the edge and its reflections",
    )
    #: In a gap less than this share is left of a line on average.
    gap_contrast: float = parameter(0.18, unit="share", source="chosen: faint lines keep more")
    #: But for its longest gap, this share of a line must show, at so many places or more.
    min_visible_share: float = parameter(
        0.93, unit="share", source="chosen: a line that hides elsewhere tells nothing by hiding"
    )
    min_places: int = parameter(30, unit="", source="chosen: 120 mm of line")
    #: A line that is seen thinner than this is no sign: it fades by itself.
    least_line_px: float = parameter(
        0.4,
        unit="px",
        source="36 oblique stills: lines in sight fade at 0.30 to 0.35, hidden ones 0.42",
    )
    #: Places this near the picture's border are left out.
    border_px: int = parameter(4, unit="px", source="chosen: profiles' wood lies inside")


PARAMS = OccludedLinesParameters()


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RingLine:
    """One ring line at n places around it.

    point_mm  (n, 2)
    contrast  1 where the line shows as usual: (n,)
    is_empty   no known object hides it: (n,) bool
    """

    point_mm: FloatArray
    contrast: FloatArray
    is_unoccluded: np.ndarray


def find_occluded_lines(picture: PosedImage, surface: FreeSurfaceMask) -> FloatArray:
    """Centres (n, 2), board mm, of gaps in the three ring lines that no known object explains."""
    found: list[FloatArray] = [np.zeros((0, 2))]
    for number, gap_mm in enumerate(PARAMS.min_gap_mm):
        line = measure_line(picture, surface, number)
        if line is not None:
            found.append(_find_gaps(line, gap_mm))
    return np.concatenate(found)


def measure_line(picture: PosedImage, surface: FreeSurfaceMask, number: int) -> RingLine | None:
    """The ring line's contrast all round; None if too little of it is visible."""
    spec, image = surface.spec, picture.image
    count = int(2 * np.pi * spec.line_radii_mm[number] / PARAMS.along_mm)
    point = spec.line_points_mm(number, np.arange(count) * (2 * np.pi / count))
    outward = point - spec.line_centres_mm[number]
    outward = outward / np.linalg.norm(outward, axis=-1, keepdims=True)
    across = np.arange(-PARAMS.reach_mm, PARAMS.reach_mm + PARAMS.across_mm / 2, PARAMS.across_mm)
    grey = sample_profiles(image, picture.view, _make_flat_contour(point, outward), across)
    light = decode_gamma(grey)
    px = picture.view.project_plane(point)
    border = PARAMS.border_px
    unoccluded = ((px >= border) & (px < np.array([image.shape[1], image.shape[0]]) - border)).all(
        axis=-1
    )
    unoccluded &= ~surface.is_hidden(point)
    unoccluded &= (
        _measure_line_px(picture.view, point, outward, spec.line_width_mm) > PARAMS.least_line_px
    )
    wood = np.median(grey.min(axis=-1), axis=1)
    if np.median(wood) < PARAMS.glare_grey:  # of a white board nothing tells glare
        unoccluded &= wood < PARAMS.glare_grey
    if unoccluded.sum() < PARAMS.min_places:
        return None
    contrast = _measure_contrast(
        light, unoccluded, PARAMS.max_line_shift_mm[number], one_sided=number == 2
    )
    return RingLine(point_mm=point, contrast=contrast, is_unoccluded=unoccluded)


def _measure_line_px(
    view: View, point_mm: FloatArray, outward: FloatArray, width_mm: float
) -> FloatArray:
    """Visible width of a line of ``width_mm``, across its direction, px: (n,)."""
    along_mm = np.stack([-outward[:, 1], outward[:, 0]], axis=-1)
    across, along = (
        view.project_plane(point_mm + step) - view.project_plane(point_mm - step)
        for step in (0.5 * outward, 0.5 * along_mm)
    )
    area = np.abs(across[:, 0] * along[:, 1] - across[:, 1] * along[:, 0])
    return np.asarray(width_mm * area / np.linalg.norm(along, axis=-1))


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
    light: np.ndarray, unoccluded: np.ndarray, max_shift_mm: float, *, one_sided: bool
) -> FloatArray:
    """Contrast of a line at n places (n,), 1 as usual, from profiles (n, t, 3).

    ``one_sided`` needs a step only on the inner side, because the outer side may be the board's
    edge.
    """
    total = np.cumsum(np.pad(light, ((0, 0), (1, 0), (0, 0))), axis=1)
    reach = round(max_shift_mm / PARAMS.across_mm)
    sides = [_measure_core_steps(total, shift) for shift in range(-reach, reach + 1)]
    level = total[:, -1]
    shade = level / np.maximum(np.median(level[unoccluded], axis=0), 1e-4)
    shade = np.clip(shade, PARAMS.deepest_shade, 1.0)
    polarities = []
    for sign in (np.float32(-1), np.float32(1)):
        both = [np.minimum(sign * inner, sign * outer) for inner, outer in sides]
        used = [sign * inner for inner, _ in sides] if one_sided else both
        polarities.append(
            (np.median(both[reach][unoccluded], axis=0), np.max(used, axis=0) / shade)
        )
    least = PARAMS.used_channel_share * max(float(usual.max()) for usual, _ in polarities)
    relative = [
        seen[:, colour] / max(float(np.median(seen[unoccluded, colour])), 1e-6)
        for usual, seen in polarities
        for colour in range(3)
        if usual[colour] >= max(least, 1e-6)
    ]
    return np.max(relative, axis=0) if relative else np.ones(len(light))


def _measure_core_steps(total: np.ndarray, shift: int) -> tuple[np.ndarray, np.ndarray]:
    """How much lighter the core is than the wood inside and outside of it: (n, 3) and (n, 3).

    The core is ``shift`` samples outside the middle of the profiles, whose running sums are
    ``total`` (n, t + 1, 3).
    """
    core = _average_between(total, shift, -PARAMS.core_mm, PARAMS.core_mm)
    low, high = PARAMS.wood_mm
    inside = _average_between(total, shift, -high, -low)
    return core - inside, core - _average_between(total, shift, low, high)


def _average_between(total: np.ndarray, shift: int, low_mm: float, high_mm: float) -> np.ndarray:
    """Mean (n, 3) of profiles from low to high around their shifted middle."""
    middle = total.shape[1] // 2 - 1 + shift
    low = middle + round(low_mm / PARAMS.across_mm)
    high = middle + round(high_mm / PARAMS.across_mm) + 1
    return np.asarray((total[:, high] - total[:, low]) / (high - low))


def _find_gaps(line: RingLine, gap_mm: float) -> FloatArray:
    """Centres (n, 2) of the line's gaps."""
    at = np.flatnonzero(line.is_unoccluded)
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
    """Offsets of that many neighbours, including 0."""
    return range(-(count // 2), count // 2 + 1)
