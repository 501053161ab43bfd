"""A script's frames in order: which are cut, what the camera does, and who moves in each.

Knows shutters, cuts, bumps and wandering exposure. Refuses to know how frames are drawn.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from calibration.pose import View
from sample_images.film.scene import Moment, Shade, Take
from webapp.clips.script import Script, quiet_times
from webapp.clips.studio import pushed
from webapp.clips.wishes import ClipWishes

#: A shutter stays open for a hundredth of a second, or half of a frame where that is less.
_SHUTTER_S = 1 / 100
#: Something that moves further than this while the shutter is open is drawn once more, pixels.
_BLUR_STEP_PX = 1.6
_MOST_MOMENTS = 8
#: A bumped camera swings for so many frames before it stands still.
_SWING_FRAMES = 5


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Filming:
    """How a script becomes frames.

    views  (from when, view), in order; the first from 0
    cuts   (from, to) of the script that nobody sees, in order
    """

    script: Script
    wishes: ClipWishes
    views: tuple[tuple[float, View], ...]
    cuts: tuple[tuple[float, float], ...]
    wander: tuple[float, ...]

    @property
    def frames(self) -> int:
        """How many there are."""
        return int(self.clock(self.script.end_s) * self.wishes.fps)

    def clock(self, t_s: float) -> float:
        """The clip's time of a time of the script."""
        hidden = sum(max(min(t_s, b) - a, 0.0) for a, b in self.cuts)
        return t_s - hidden

    def script_time(self, t_s: float) -> float:
        """The script's time of a time of the clip."""
        for a, b in self.cuts:
            if t_s >= a:
                t_s += b - a
        return t_s

    def view_at(self, t_s: float) -> View:
        """Where the camera stands."""
        return self.views[bisect_right([t for t, _ in self.views], t_s) - 1][1]

    def takes(self) -> Iterator[Take]:
        """All frames in order."""
        for frame in range(self.frames):
            t = self.script_time(frame / self.wishes.fps)
            yield self._take(t)

    def _take(self, t: float) -> Take:
        view, wishes = self.view_at(t), self.wishes
        return Take(
            view=view,
            moments=self._moments(view, t),
            gain=1 + wishes.flicker * self._wander(t, 0),
            balance=(
                1 + wishes.drift * self._wander(t / 9, 3),
                1.0,
                1 - wishes.drift * self._wander(t / 9, 3),
            ),
            shade=_passing(t) if wishes.shade else None,
            graphic=("RIVERA   0", "LINDQVIST   0") if wishes.graphic else (),
        )

    def _wander(self, t: float, first: int) -> float:
        """Something between -1 and 1 that wanders with time."""
        a, b, c = self.wander[first : first + 3]
        slow = math.sin(1.3 * t + a) * math.sin(0.37 * t + b)
        return 0.55 * slow + 0.3 * math.sin(7.9 * t + c) + 0.15 * math.sin(41 * t + a)

    def _moments(self, view: View, t: float) -> tuple[Moment, ...]:
        """What is seen while the shutter is open: as many moments as the motion asks for."""
        shutter = min(_SHUTTER_S, 0.5 / self.wishes.fps)
        first, last = self.script.at(t), self.script.at(t + shutter)
        if first == last:
            return (first,)
        moved = max(_moved_mm(first, last), _hands_mm(first, last)) / view.mm_per_px()
        count = min(max(math.ceil(moved / _BLUR_STEP_PX) + 1, 2), _MOST_MOMENTS)
        inner = [self.script.at(t + shutter * k / (count - 1)) for k in range(1, count - 1)]
        return (first, *inner, last)


def _moved_mm(a: Moment, b: Moment) -> float:
    if len(a.discs) != len(b.discs):
        return 0.0
    return max(
        (math.dist(p.position, q.position) for p, q in zip(a.discs, b.discs, strict=True)),
        default=0.0,
    )


def _hands_mm(a: Moment, b: Moment) -> float:
    if len(a.hands) != len(b.hands):
        return 0.0
    return max(
        (math.dist(p.tip_mm, q.tip_mm) for p, q in zip(a.hands, b.hands, strict=True)), default=0.0
    )


def _passing(t: float) -> Shade:
    """The shadow of somebody who walks to and fro before the window."""
    return Shade(
        offset_mm=520 * math.sin(0.55 * t), turn_deg=20 + 10 * math.sin(0.2 * t),
        width_mm=260, strength=0.38,
    )  # fmt: skip


def plan_filming(
    script: Script, wishes: ClipWishes, view: View, rng: np.random.Generator
) -> Filming:
    """How a script is filmed: where the camera is bumped, and what is cut out."""
    quiet = quiet_times(script.times)
    views: list[tuple[float, View]] = [(0.0, view)]
    if wishes.bump_mm and quiet:
        a, b = quiet[len(quiet) // 2]
        start = a + 0.35 * (b - a)
        for step in range(_SWING_FRAMES):
            swung = pushed(view, rng, wishes.bump_mm * 1.2)
            views.append((start + step / wishes.fps, swung))
        views.append((start + _SWING_FRAMES / wishes.fps, pushed(view, rng, wishes.bump_mm)))
    cuts = _cuts(script) if wishes.cuts else ()
    wander = tuple(float(v) for v in rng.uniform(0, 2 * math.pi, 6))
    return Filming(script=script, wishes=wishes, views=tuple(views), cuts=cuts, wander=wander)


def _cuts(script: Script) -> tuple[tuple[float, float], ...]:
    """From shortly after every other shot's rest to when the next disc is being placed."""
    spans = []
    for now, after in list(pairwise(script.times))[::2]:
        a, b = max(now.rest + 0.9, now.hand_out), after.place - 0.15
        if b > a + 0.3:
            spans.append((a, b))
    return tuple(spans)
