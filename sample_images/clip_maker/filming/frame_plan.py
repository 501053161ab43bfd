"""A timeline's frames in order: the cuts, the camera's moves, and the moving discs.

The camera's effects are shutters, bumps, a hand that sways, wandering exposure and light;
``sample_images.clip_renderer`` draws.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from calibration.pose import View
from sample_images.clip_maker.filming.camera_motion import bump_camera, sway_camera
from sample_images.clip_maker.filming.edits import Edits, broadcast_edits, plain_edits, zoom_in
from sample_images.clip_maker.filming.timeline import Timeline, quiet_times
from sample_images.clip_maker.options import ClipOptions
from sample_images.clip_maker.play.scene_generator import ClipSetup, place_camera
from sample_images.clip_renderer.scene import FrameSpec, Moment, ShadowBand, SunPatch

#: A shutter stays open for a hundredth of a second, or for half of a frame if that is shorter.
_SHUTTER_S = 1 / 100
#: An object that moves farther than this while the shutter is open is drawn once more, pixels.
_BLUR_STEP_PX = 1.6
_MOST_MOMENTS = 8
#: Number of frames for which a bumped camera swings.
_SWING_FRAMES = 5
#: A replay is shown by another camera, this much to the side, and nearer than needed to fit the
#: picture.
_OTHER_TILT_DEG, _OTHER_FILL = 34.0, 1.25


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class FramePlan:
    """How a timeline becomes frames.

    views  (start time, view), in order; the first from 0
    edits  the parts that are cut out, and their replacements
    sun    the patch that comes and goes; None: none
    """

    timeline: Timeline
    options: ClipOptions
    views: tuple[tuple[float, View], ...]
    edits: Edits
    wander: tuple[float, ...]
    sun: SunPatch | None = None

    @property
    def frames(self) -> int:
        """Number of frames."""
        return int(self.clock(self.timeline.end_s) * self.options.fps)

    def clock(self, t_s: float) -> float:
        """The clip's time for a time of the timeline."""
        return self.edits.clock(t_s)

    def view_at(self, t_s: float) -> View:
        """The camera's view at a time."""
        return self.views[bisect_right([t for t, _ in self.views], t_s) - 1][1]

    def frame_specs(self) -> Iterator[FrameSpec]:
        """All frames in order."""
        for frame in range(self.frames):
            t, insert = self.edits.shown(frame / self.options.fps)
            yield self._take(t, self.view_at(t) if insert is None else insert.view)

    def _take(self, t: float, view: View) -> FrameSpec:
        options = self.options
        return FrameSpec(
            view=view,
            moments=self._moments(view, t),
            gain=1 + options.flicker * self._wander(t, 0),
            balance=(
                1 + options.drift * self._wander(t / 9, 3),
                1.0,
                1 - options.drift * self._wander(t / 9, 3),
            ),
            shade=_passing_shadow(t) if options.shade else None,
            sun=None if self.sun is None else _dim_sun(self.sun, t),
            graphic=("RIVERA   0", "LINDQVIST   0") if options.graphic else (),
        )

    def _wander(self, t: float, first: int) -> float:
        """A value between -1 and 1 that varies slowly with time."""
        a, b, c = self.wander[first : first + 3]
        slow = math.sin(1.3 * t + a) * math.sin(0.37 * t + b)
        return 0.55 * slow + 0.3 * math.sin(7.9 * t + c) + 0.15 * math.sin(41 * t + a)

    def _moments(self, view: View, t: float) -> tuple[Moment, ...]:
        """The moments while the shutter is open, as many as the motion needs."""
        shutter = min(_SHUTTER_S, 0.5 / self.options.fps)
        first, last = self.timeline.at(t), self.timeline.at(t + shutter)
        if first == last:
            return (first,)
        moved = max(_disc_motion_mm(first, last), _hand_motion_mm(first, last)) / view.mm_per_px()
        count = min(max(math.ceil(moved / _BLUR_STEP_PX) + 1, 2), _MOST_MOMENTS)
        inner = [self.timeline.at(t + shutter * k / (count - 1)) for k in range(1, count - 1)]
        return (first, *inner, last)


def _disc_motion_mm(a: Moment, b: Moment) -> float:
    if len(a.discs) != len(b.discs):
        return 0.0
    return max(
        (math.dist(p.position, q.position) for p, q in zip(a.discs, b.discs, strict=True)),
        default=0.0,
    )


def _hand_motion_mm(a: Moment, b: Moment) -> float:
    if len(a.hands) != len(b.hands):
        return 0.0
    return max(
        (math.dist(p.tip_mm, q.tip_mm) for p, q in zip(a.hands, b.hands, strict=True)), default=0.0
    )


def _passing_shadow(t: float) -> ShadowBand:
    """The shadow of a person who walks to and fro in front of the window."""
    return ShadowBand(
        offset_mm=520 * math.sin(0.55 * t), turn_deg=20 + 10 * math.sin(0.2 * t),
        width_mm=260, strength=0.38,
    )  # fmt: skip


def _dim_sun(sun: SunPatch, t: float) -> SunPatch:
    """The sun appears and disappears within a second or two, every ten to twenty seconds."""
    out = 0.5 + 0.5 * math.tanh(4 * math.sin(0.45 * t + 0.2) + 2 * math.sin(0.17 * t))
    return replace(sun, strength=sun.strength * out)


def _generate_sun(rng: np.random.Generator) -> SunPatch:
    """A window's patch of light across part of the board."""
    centre = rng.normal(0, 130, 2)
    turn, slant = rng.uniform(0, math.pi), rng.normal(0, 0.35)
    half = rng.uniform(50, 110), rng.uniform(130, 330)
    c, s = math.cos(turn), math.sin(turn)
    corners = []
    for a, b in ((-1, -1), (1, -1), (1, 1), (-1, 1)):
        along, across = a * half[0] + slant * b * half[1], b * half[1]
        x, y = centre + np.array([c * along - s * across, s * along + c * across])
        corners.append((float(x), float(y)))
    return SunPatch(
        corners_mm=tuple(corners),
        strength=float(rng.uniform(0.35, 0.9)),
        softness_mm=float(rng.uniform(1.5, 6)),
    )


def plan_frames(
    timeline: Timeline, options: ClipOptions, setup: ClipSetup, rng: np.random.Generator
) -> FramePlan:
    """The plan for filming a timeline: where the camera is bumped, and the cuts."""
    quiet, view = quiet_times(timeline.times), setup.view
    views: list[tuple[float, View]] = [(0.0, view)]
    if options.hand_held_mm:
        frames = int(timeline.end_s * options.fps)
        views = sway_camera(view, rng, options.hand_held_mm, frames, options.fps)
    if options.bump_mm and quiet:
        a, b = quiet[len(quiet) // 2]
        start = a + 0.35 * (b - a)
        for step in range(_SWING_FRAMES):
            swung = bump_camera(view, rng, options.bump_mm * 1.2)
            views.append((start + step / options.fps, swung))
        views.append((start + _SWING_FRAMES / options.fps, bump_camera(view, rng, options.bump_mm)))
    wander = tuple(float(v) for v in rng.uniform(0, 2 * math.pi, 6))
    return FramePlan(
        timeline=timeline,
        options=options,
        views=tuple(views),
        edits=_plan_edits(timeline, options, setup, rng),
        wander=wander,
        sun=_generate_sun(rng) if options.sun else None,
    )


def _plan_edits(
    timeline: Timeline, options: ClipOptions, setup: ClipSetup, rng: np.random.Generator
) -> Edits:
    if options.inserts:
        near = zoom_in(setup.view, float(rng.uniform(0, 2 * math.pi)))
        aside = replace(options, tilt_deg=_OTHER_TILT_DEG, fill=_OTHER_FILL)
        return broadcast_edits(timeline.times, near, place_camera(rng, aside, setup.scene.board))
    return plain_edits(timeline.times) if options.cuts else Edits()
