"""Similarity of points on the post ring to posts, and the phase of all eight together.

A post is an upright peg. In an oblique view it is a dark (or light) bar against the wood on both
sides; no ring, disc or shadow looks like this at eight evenly spaced places. Posts of the wood's
colour do not show, and in an overhead view only the top of a post is visible.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from calibration.board import BoardSpec
from calibration.camera import FloatArray
from calibration.parameters import StageParameters, parameter
from calibration.pose import View
from vision.board.rings import PARAMS as RING_PARAMS
from vision.rectify.ring_profiles import sample_in_space


class PostsParameters(StageParameters):
    """Parameters of ``posts``."""

    #: Contrast is clipped at this.
    clip_grey: float = parameter(
        40.0, unit="grey value", source="chosen: then no disc outweighs three posts"
    )
    #: Deviation of one board's posts, and of its quadrant lines, from even spacing.
    spacing_tolerance_deg: float = parameter(
        1.5,
        unit="deg",
        source="measured: quadrant lines of home-made boards are up to this far off square",
    )
    #: The second weakest of the eight posts must stand out by at least this.
    min_contrast_grey: float = parameter(
        10.0, unit="grey value", source="measured: posts of our oblique pictures show 19 and more"
    )
    #: Least ratio of their contrast to that of other phases.
    rival_ratio: float = parameter(
        2.0, unit="", source="chosen: grain, and ring lines seen from above, reach 1.3"
    )
    #: The same two limits if the surface's edge is seen as well.
    min_faint_contrast_grey: float = parameter(
        5.0,
        unit="grey value",
        source="measured: of 721 views far from our renders' true one, all but 2 show less",
    )
    faint_rival_ratio: float = parameter(
        4.0, unit="", source="chosen: a stricter ratio than for clear posts"
    )
    #: A phase counts as different if it is at least this far from the best.
    rival_deg: float = parameter(
        7.0, unit="deg", source="chosen: 12 mm, which is a post's width and twice the deviation"
    )


PARAMS = PostsParameters()
#: Places across a post (nominal: posts are 3.2 to 4.5 mm in radius).
CORE_MM = (-2.0, 0.0, 2.0)
#: Places in the wood on both sides of it: far enough from the middle to be clear of a post and its
#: blur.
FLANK_MM = (8.0, 10.0)
#: A post is traced within this distance of its place on the ring: twice the radius of a post.
_REACH_MM = 8.0
#: Azimuths sampled, a multiple of eight: half a degree is 0.9 mm on the ring, a tenth of a post.
_STEPS = 720
#: Heights at which a post is searched for; posts are 14 to 22 mm high.
HEIGHTS_MM = (3.0, 5.0, 7.0, 9.0, 11.0, 13.0)
#: Step across a post: an eighth of a post.
_TRACE_STEP_MM = 0.5


def count_steps(angle_deg: float, steps: int) -> int:
    """An angle in steps of a turn."""
    return round(angle_deg / 360.0 * steps)


@dataclass(frozen=True, slots=True, kw_only=True)
class PostPhase:
    """Phase and contrast of eight posts.

    phase_rad      azimuth of a post, 0 .. pi / 4
    contrast_grey  of the second weakest of the eight against the wood on both sides
    rival_grey     the same at the best phase without posts
    """

    phase_rad: float
    contrast_grey: float
    rival_grey: float

    @property
    def is_clear(self) -> bool:
        """Whether they can only be posts."""
        return self.margin_grey >= 0.0 and self.contrast_grey >= PARAMS.min_contrast_grey

    @property
    def is_likely(self) -> bool:
        """Whether they are posts if the surface's edge shows as well."""
        clear_grey = max(PARAMS.min_faint_contrast_grey, PARAMS.faint_rival_ratio * self.rival_grey)
        return self.contrast_grey >= clear_grey

    @property
    def margin_grey(self) -> float:
        """Contrast above the required one."""
        return self.contrast_grey - PARAMS.rival_ratio * self.rival_grey


def find_post_phase(grey: np.ndarray, view: View, spec: BoardSpec) -> PostPhase:
    """The phase at which eight evenly spaced places look most like posts, dark or light alike.

    ``grey`` is (h, w) uint8, ``view`` in its pixels. One of the eight may be hidden.
    """
    core = _sample_beside(grey, view, spec, CORE_MM)
    left = _sample_beside(grey, view, spec, tuple(-offset_mm for offset_mm in FLANK_MM))
    right = _sample_beside(grey, view, spec, FLANK_MM)
    darker = np.nan_to_num(np.minimum(left - core, right - core))
    lighter = np.nan_to_num(np.minimum(core - left, core - right))
    return max((_fold(darker), _fold(lighter)), key=lambda phase: phase.margin_grey)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class TracedPosts:
    """Visible posts: places of their axes in the picture, at one height.

    azimuth_rad (n,) in the view; height_mm; points_px (n, 2); across (n, 2) unit vectors
    perpendicular to the axis in the picture
    """

    azimuth_rad: FloatArray
    height_mm: float
    points_px: FloatArray
    across: FloatArray


def trace_posts(grey: np.ndarray, view: View, spec: BoardSpec) -> TracedPosts:
    """The posts that stand out near their places at the likeliest phase."""
    azimuth = find_post_phase(grey, view, spec).phase_rad + np.arange(8) * (np.pi / 4)
    ring = spec.post_ring_radius_mm * np.stack([np.cos(azimuth), np.sin(azimuth)], axis=-1)
    sideways = find_sideways(view, ring)
    step_mm = _TRACE_STEP_MM
    reach = int(round(_REACH_MM / step_mm))
    margin = int(round(FLANK_MM[-1] / step_mm))
    offsets = step_mm * np.arange(-reach - margin, reach + margin + 1)
    places = ring[:, None] + offsets[:, None] * sideways[:, None]
    values = _sample_upwards(grey, view, places).mean(axis=-1)

    def average(low_mm: float, high_mm: float) -> FloatArray:
        first, last = (int(round(bound_mm / step_mm)) + margin for bound_mm in (low_mm, high_mm))
        window = np.arange(first, last + 1) + np.arange(2 * reach + 1)[:, None]
        return np.asarray(values[:, window].mean(axis=-1))

    near_mm, far_mm = FLANK_MM[0], FLANK_MM[-1]
    core = average(CORE_MM[0], CORE_MM[-1])
    left, right = average(-far_mm, -near_mm), average(near_mm, far_mm)
    likeness = max(
        (np.minimum(left, right) - core, core - np.maximum(left, right)),
        key=lambda signal: float(np.clip(signal.max(axis=1), 0.0, PARAMS.clip_grey).sum()),
    )
    peak = likeness.max(axis=1)
    mass = np.clip(likeness - RING_PARAMS.centroid_level * peak[:, None], 0.0, None)
    offset = (mass * offsets[margin:-margin]).sum(axis=1) / np.maximum(mass.sum(axis=1), 1e-9)
    top = likeness.argmax(axis=1)
    is_seen = (peak >= PARAMS.min_faint_contrast_grey) & (top > 0) & (top < 2 * reach)
    base = (ring + offset[:, None] * sideways)[is_seen]
    height_mm = float(np.mean(HEIGHTS_MM))
    axis_px, higher_px = (view.project_plane(base, z_mm=z) for z in (height_mm, height_mm + 1.0))
    up = (higher_px - axis_px) / np.linalg.norm(higher_px - axis_px, axis=-1, keepdims=True)
    return TracedPosts(
        azimuth_rad=azimuth[is_seen],
        height_mm=height_mm,
        points_px=axis_px,
        across=np.stack([-up[:, 1], up[:, 0]], axis=-1),
    )


def _sample_upwards(grey: np.ndarray, view: View, bases_mm: FloatArray) -> FloatArray:
    """Grey values (m, n, heights) along verticals on the surface at (m, n, 2)."""
    shape = (*bases_mm.shape[:2], len(HEIGHTS_MM))
    points = np.empty((*shape, 3))
    points[..., :2] = bases_mm[:, :, None]
    points[..., 2] = HEIGHTS_MM
    values = sample_in_space(grey, view, points.reshape(shape[0], -1, 3))
    return np.asarray(values.reshape(shape))


def _sample_beside(
    grey: np.ndarray, view: View, spec: BoardSpec, offsets_mm: tuple[float, ...]
) -> FloatArray:
    """Mean grey values (steps, heights) beside each place of the post ring, across the view."""
    azimuth = np.arange(_STEPS) * (2 * np.pi / _STEPS)
    ring = spec.post_ring_radius_mm * np.stack([np.cos(azimuth), np.sin(azimuth)], axis=-1)
    beside = np.asarray(offsets_mm)[:, None] * find_sideways(view, ring)[:, None]
    return np.asarray(_sample_upwards(grey, view, ring[:, None] + beside).mean(axis=1))


def find_sideways(view: View, ring_mm: FloatArray) -> FloatArray:
    """Unit directions (n, 2) in the surface perpendicular to a post's axis in the picture."""
    step = np.array([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]])
    at = np.concatenate([ring_mm, np.zeros((len(ring_mm), 1))], axis=-1)
    px = view.project(at[:, None] + step)
    right, away, axis = np.moveaxis(px[:, 1:] - px[:, :1], 1, 0)
    square = np.stack([-axis[:, 1], axis[:, 0]], axis=-1)
    # the image of (x, y) is x right + y away: Cramer's rule, up to a factor
    sideways = np.stack(
        [
            square[:, 0] * away[:, 1] - square[:, 1] * away[:, 0],
            right[:, 0] * square[:, 1] - right[:, 1] * square[:, 0],
        ],
        axis=-1,
    )
    length = np.linalg.norm(sideways, axis=-1, keepdims=True)
    return np.asarray(sideways / np.maximum(length, 1e-12))


def _fold(contrast: FloatArray) -> PostPhase:
    """The phase of contrasts (steps, heights) in an eighth of a turn."""
    signal = np.clip(contrast, 0.0, PARAMS.clip_grey).mean(axis=1)
    tolerance = count_steps(PARAMS.spacing_tolerance_deg, _STEPS)
    shifts = range(-tolerance, tolerance + 1)
    dilated = np.max([np.roll(signal, shift) for shift in shifts], axis=0)
    period = _STEPS // 8
    eighths = np.sort(dilated.reshape(8, period), axis=0)
    strength = eighths[1:].sum(axis=0)
    top = np.flatnonzero(strength >= 0.97 * strength.max())
    phase = float(np.angle(np.exp(2j * np.pi * top / period).mean()) % (2 * np.pi)) / 8
    at = int(round(phase / (2 * np.pi) * _STEPS)) % period
    apart = np.abs((np.arange(period) - at + period // 2) % period - period // 2)
    rival = float(eighths[1, apart > count_steps(PARAMS.rival_deg, _STEPS)].max())
    return PostPhase(phase_rad=phase, contrast_grey=float(eighths[1, at]), rival_grey=rival)
