"""Places where a ring line vanishes though nothing known hides it: something lies over the board.

Knows that paint runs all round. Shade dims a line and what mirrors in the varnish adds light to it
and to the wood alike, so lines are held against the light beside them. Refuses to say what it is.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from calibration.camera import FloatArray
from vision.bare import BareMap
from vision.lift import Picture
from vision.light import light_of
from vision.profiles import profiles
from vision.silhouette import Contour

#: Lines are looked at every so many mm, across them at these offsets.
_ALONG_MM, _ACROSS_MM = 4.0, 0.75
_REACH_MM = 8.25
#: Half the width of a line's core, and where the wood beside it begins and ends, mm.
_CORE_MM, _WOOD_MM = 0.75, (2.25, 4.5)
#: The 15-, 10- and 5-line wander this far from where they should be, mm: boards warp.
_WANDERS_MM = (1.5, 1.5, 3.0)
#: Above this there is only glare.
_GLARE_GREY = 235
#: A line shows where it is this share as clear as it usually is, in any colour in which it is at
#: least half as clear as in the clearest.
_SHOWS_SHARE = 0.35
_USED_COLOUR_SHARE = 0.5
#: Shade is taken for no deeper than this: noise alone is left of a line in it.
_DEEPEST_SHADE = 0.02
#: So many places are smoothed by their median: a speck of dirt is no gap.
_SMOOTHED = 3
#: A gap this long, mm, is no wear: bare boards show 34 at the most on the 15- and 10-line, and the
#: 5-line, near the edge and its reflections, is asked for more.
_GAP_MM = (40.0, 40.0, 45.0)
#: In a gap less than this is left of it on average; faint lines fade, but not so far.
_GONE_SHARE = 0.18
#: A line that hides elsewhere as well tells nothing by hiding: but for its longest gap, this share
#: of it must show.
_MOST_SHOWS = 0.93
_FEWEST_PLACES = 30


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Line:
    """One ring's places that are in sight: how clear it is there, and which nothing hides.

    point_mm (n, 2) all round, clearness (n,) with 1 the usual, bare (n,) bool
    """

    point_mm: FloatArray
    clearness: FloatArray
    bare: np.ndarray


def line_gaps(picture: Picture, surface: BareMap) -> FloatArray:
    """Middles (n, 2) of gaps in the ring lines, mm, that nothing known explains."""
    found: list[FloatArray] = [np.zeros((0, 2))]
    for number, gap_mm in enumerate(_GAP_MM):
        line = _look_along(picture, surface, number)
        if line is not None:
            found.append(_gaps_of(line, gap_mm))
    return np.concatenate(found)


def _look_along(picture: Picture, surface: BareMap, number: int) -> _Line | None:
    """How clear the ring line is all round; None where too little of it is in sight."""
    spec, image = surface.spec, picture.image
    count = int(2 * np.pi * spec.line_radii_mm[number] / _ALONG_MM)
    point = spec.line_points_mm(number, np.arange(count) * (2 * np.pi / count))
    outward = point - spec.line_centres_mm[number]
    outward = outward / np.linalg.norm(outward, axis=-1, keepdims=True)
    across = np.arange(-_REACH_MM, _REACH_MM + _ACROSS_MM / 2, _ACROSS_MM)
    grey = profiles(image, picture.view, _flat_contour(point, outward), across)
    light = light_of(grey)
    px = picture.view.project_plane(point)
    bare = ((px >= 4) & (px < np.array([image.shape[1], image.shape[0]]) - 4)).all(axis=-1)
    bare &= ~surface.hides(point)
    wood = np.median(grey.min(axis=-1), axis=1)
    if np.median(wood) < _GLARE_GREY:  # of a white board nothing tells glare
        bare &= wood < _GLARE_GREY
    if bare.sum() < _FEWEST_PLACES:
        return None
    clearness = _clearness(light, bare, _WANDERS_MM[number], one_sided=number == 2)
    return _Line(point_mm=point, clearness=clearness, bare=bare)


def _flat_contour(point_mm: FloatArray, outward: FloatArray) -> Contour:
    """A curve (k, 2) on the surface with its normals, in the words of outlines."""
    lifted = np.zeros((1, len(point_mm), 3))
    normal = np.zeros_like(lifted)
    lifted[0, :, :2], normal[0, :, :2] = point_mm, outward
    return Contour(
        point_mm=lifted,
        normal=normal,
        outward=outward,
        on_top=np.zeros((1, len(point_mm)), dtype=bool),
    )


def _clearness(
    light: np.ndarray, bare: np.ndarray, wanders_mm: float, *, one_sided: bool
) -> FloatArray:
    """How clear a line is at each place (n,), 1 where it is as usual, by profiles (n, t, 3).

    ``one_sided`` asks for a step from the inner side alone: the outer may be the board's edge.
    """
    total = np.cumsum(np.pad(light, ((0, 0), (1, 0), (0, 0))), axis=1)
    reach = round(wanders_mm / _ACROSS_MM)
    sides = [_steps(total, shift) for shift in range(-reach, reach + 1)]
    level = total[:, -1]
    shade = level / np.maximum(np.median(level[bare], axis=0), 1e-4)
    shade = np.clip(shade, _DEEPEST_SHADE, 1.0)
    ways = []
    for sign in (np.float32(-1), np.float32(1)):
        both = [np.minimum(sign * inner, sign * outer) for inner, outer in sides]
        used = [sign * inner for inner, _ in sides] if one_sided else both
        ways.append((np.median(both[reach][bare], axis=0), np.max(used, axis=0) / shade))
    least = _USED_COLOUR_SHARE * max(float(usual.max()) for usual, _ in ways)
    clear = [
        seen[:, colour] / max(float(np.median(seen[bare, colour])), 1e-6)
        for usual, seen in ways
        for colour in range(3)
        if usual[colour] >= max(least, 1e-6)
    ]
    return np.max(clear, axis=0) if clear else np.ones(len(light))


def _steps(total: np.ndarray, shift: int) -> tuple[np.ndarray, np.ndarray]:
    """How much lighter the core is than the wood inside and outside of it, (n, 3) each.

    The core lies ``shift`` samples outside the middle of the profiles, whose running sums are
    ``total`` (n, t + 1, 3).
    """
    core = _mean(total, shift, -_CORE_MM, _CORE_MM)
    low, high = _WOOD_MM
    return core - _mean(total, shift, -high, -low), core - _mean(total, shift, low, high)


def _mean(total: np.ndarray, shift: int, low_mm: float, high_mm: float) -> np.ndarray:
    """Mean (n, 3) of profiles from low to high about their middle, shifted."""
    middle = total.shape[1] // 2 - 1 + shift
    low, high = middle + round(low_mm / _ACROSS_MM), middle + round(high_mm / _ACROSS_MM) + 1
    return np.asarray((total[:, high] - total[:, low]) / (high - low))


def _gaps_of(line: _Line, gap_mm: float) -> FloatArray:
    """Middles (n, 2) of the line's gaps."""
    at = np.flatnonzero(line.bare)
    smooth = np.median([np.roll(line.clearness[at], k) for k in _about(_SMOOTHED)], axis=0)
    missing = smooth < _SHOWS_SHARE
    if missing.all() or not missing.any():
        return np.zeros((0, 2))
    turn = int(np.flatnonzero(~missing)[0])  # begin where the line shows: no gap lies on the seam
    at, missing = np.roll(at, -turn), np.roll(missing, -turn)
    edge = np.flatnonzero(np.diff(np.concatenate([[False], missing, [False]]).astype(np.int8)))
    begin, end = edge[::2], edge[1::2]
    long = (end - begin) * _ALONG_MM >= gap_mm
    lost = int(missing.sum()) - int((end - begin).max())
    if lost > (1 - _MOST_SHOWS) * len(at):
        return np.zeros((0, 2))
    smooth = np.roll(smooth, -turn)
    long &= [bool(smooth[a:b].mean() < _GONE_SHARE) for a, b in zip(begin, end, strict=True)]
    middle = at[(begin[long] + end[long]) // 2]
    return np.asarray(line.point_mm[middle])


def _about(count: int) -> range:
    """Offsets of so many neighbours, itself among them."""
    return range(-(count // 2), count // 2 + 1)
