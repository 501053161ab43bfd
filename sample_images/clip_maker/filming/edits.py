"""A broadcaster's edits of a film: the parts cut out, and the pictures shown instead.

There are two times: the timeline's, in which the round happens, and the clip's, in which it is
shown.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from calibration.board import SCALE_RADIUS_MM
from calibration.camera import FloatArray
from calibration.pose import View
from sample_images.clip_maker.filming.timeline import ShotTimes

#: A cut begins this long after a shot's rest, and ends this long before the next disc is placed, s.
_AFTER_REST_S, _BEFORE_PLACE_S = 0.9, 0.15
#: Shorter parts are not cut out, s.
_SHORTEST_CUT_S = 0.3
#: A replay shows a shot from this long before its release until this long after its rest, s, at
#: this share of its speed.
_REPLAY_LEAD_S, _REPLAY_TAIL_S, _REPLAY_RATE = 0.25, 0.3, 0.5
#: A close-up has this magnification, and is centred this far off the middle, as a share of the
#: 10-line.
_ZOOM, _OFF_SHARE = 1.8, 0.5


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Insert:
    """A part seen by another camera, perhaps slower: the timeline from ``from_s`` to ``to_s``,
    shown at the timeline's ``at_s``.
    """

    at_s: float
    from_s: float
    to_s: float
    rate: float
    view: View

    @property
    def length_s(self) -> float:
        """Its length in the clip."""
        return (self.to_s - self.from_s) / self.rate


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Edits:
    """The film's cuts, (from, to) of the timeline, which are not shown, and its inserts; in
    order.
    """

    cuts: tuple[tuple[float, float], ...] = ()
    inserts: tuple[Insert, ...] = ()

    def clock(self, t_s: float) -> float:
        """The clip's time for a time of the timeline."""
        hidden = sum(max(min(t_s, b) - a, 0.0) for a, b in self.cuts)
        return t_s - hidden + sum(insert.length_s for insert in self.inserts if insert.at_s < t_s)

    def shown(self, t_s: float) -> tuple[float, Insert | None]:
        """The timeline's time shown at a time of the clip, and the insert that shows it."""
        for insert in reversed(self.inserts):
            into_s = t_s - self.clock(insert.at_s)
            if 0 <= into_s < insert.length_s:
                return insert.from_s + into_s * insert.rate, insert
            if into_s >= 0:
                t_s -= insert.length_s
        for a, b in self.cuts:
            if t_s >= a:
                t_s += b - a
        return t_s, None


def find_cuts(times: Sequence[ShotTimes]) -> tuple[tuple[float, float] | None, ...]:
    """From shortly after a shot's rest to the next disc, for all shots; None if that is too
    short.
    """
    spans = []
    for now, after in pairwise(times):
        a, b = max(now.rest + _AFTER_REST_S, now.hand_out), after.place - _BEFORE_PLACE_S
        spans.append((a, b) if b > a + _SHORTEST_CUT_S else None)
    return tuple(spans)


def plain_edits(times: Sequence[ShotTimes]) -> Edits:
    """Every other shot is followed by a cut."""
    return Edits(cuts=tuple(cut for cut in find_cuts(times)[::2] if cut is not None))


def broadcast_edits(times: Sequence[ShotTimes], near: View, other: View) -> Edits:
    """In turn: a cut, a close-up in ``near`` of the action, a slow replay in ``other``."""
    cuts, inserts = [], []
    for turn, (shot, span) in enumerate(zip(times, find_cuts(times), strict=False)):
        if span is None:
            continue
        cuts.append(span)
        a, b = span
        if turn % 3 == 1:
            inserts.append(Insert(at_s=a, from_s=a, to_s=b, rate=1.0, view=near))
        if turn % 3 == 2:
            begin, end = shot.release - _REPLAY_LEAD_S, shot.rest + _REPLAY_TAIL_S
            inserts.append(Insert(at_s=a, from_s=begin, to_s=end, rate=_REPLAY_RATE, view=other))
    return Edits(cuts=tuple(cuts), inserts=tuple(inserts))


def zoom_in(view: View, towards_rad: float) -> View:
    """The same camera zoomed in on one side of the board."""
    arm = np.array([np.cos(towards_rad), np.sin(towards_rad)])
    target: FloatArray = _OFF_SHARE * SCALE_RADIUS_MM * arm
    camera = view.camera
    off_x, off_y = view.project_plane(target[None])[0] - (camera.cx_px, camera.cy_px)
    nearer = replace(
        camera,
        fx_px=_ZOOM * camera.fx_px,
        fy_px=_ZOOM * camera.fy_px,
        cx_px=camera.cx_px - _ZOOM * float(off_x),
        cy_px=camera.cy_px - _ZOOM * float(off_y),
    )
    return replace(view, camera=nearer)
