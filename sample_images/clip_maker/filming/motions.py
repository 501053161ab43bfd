"""Places of discs and hands at any time: segments of motion, one after another.

It is only kinematics: slides that slow down evenly, carries, drops, and hands that move between
poses.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from dataclasses import dataclass, field

from sample_images.clip_renderer.scene import Hand
from sample_images.renderer.scene import Disc, Point, Rgb


def smoothstep(u: float) -> float:
    """From 0 to 1 with zero speed at both ends."""
    u = min(max(u, 0.0), 1.0)
    return u * u * (3 - 2 * u)


def interpolate(a: Point, b: Point, part: float) -> Point:
    """The point at that share of the way from a to b."""
    x, y, z = (p + part * (q - p) for p, q in zip(a, b, strict=True))
    return x, y, z


@dataclass(frozen=True, slots=True, kw_only=True)
class MotionSegment:
    """One motion of a disc.

    kind    "slide" | "carry" | "drop"
    state   the disc's state after it
    slowdown  of a slide: 0 even speed, 1 stops at the end; lift_mm of a carry
    tilt_deg, lean_deg  the disc's tilt after it
    """

    t0_s: float
    t1_s: float
    begin: Point
    end: Point
    kind: str
    state: str
    slowdown: float = 0.0
    lift_mm: float = 0.0
    tilt_deg: float = 0.0
    lean_deg: float = 0.0

    def tilt_at(self, t_s: float) -> float:
        """The disc's tilt at a time."""
        if t_s >= self.t1_s:
            return self.tilt_deg
        return self.tilt_deg * smoothstep((t_s - self.t0_s) / (self.t1_s - self.t0_s))

    def at(self, t_s: float) -> tuple[Point, str]:
        """The centre of the base, and the disc's state."""
        if t_s >= self.t1_s:
            return self.end, self.state
        u = (t_s - self.t0_s) / (self.t1_s - self.t0_s)
        if self.kind == "carry":
            x, y, z = interpolate(self.begin, self.end, smoothstep(u))
            return (x, y, z + self.lift_mm * 4 * u * (1 - u)), "held"
        if self.kind == "drop":
            x, y, _ = interpolate(self.begin, self.end, 1 - (1 - u) ** 2)
            return (x, y, self.begin[2] + u * u * (self.end[2] - self.begin[2])), "moving"
        return interpolate(self.begin, self.end, u + self.slowdown * u * (1 - u)), "moving"


@dataclass(slots=True, kw_only=True)
class DiscTrajectory:
    """All motions of one disc, in order of time; before the first it does not exist."""

    colour: str
    turn_deg: float
    segments: list[MotionSegment] = field(default_factory=list)

    @property
    def place(self) -> Point:
        """The end of the last motion."""
        return self.segments[-1].end

    def at(self, t_s: float) -> Disc | None:
        """The disc at a time; None if it does not exist yet."""
        index = bisect_right([motion_segment.t0_s for motion_segment in self.segments], t_s) - 1
        if index < 0:
            return None
        segment = self.segments[index]
        position, state = segment.at(t_s)
        return Disc(
            colour=self.colour,
            position=position,
            state=state,
            spin_deg=self.turn_deg,
            tilt_deg=segment.tilt_at(t_s),
            lean_deg=segment.lean_deg,
        )

    def rest_at(
        self,
        t_s: float,
        place: Point,
        state: str = "flat",
        *,
        tilt_deg: float = 0.0,
        lean_deg: float = 0.0,
    ) -> None:
        """Let it rest at a place from now on."""
        self.segments.append(
            MotionSegment(
                t0_s=t_s,
                t1_s=t_s,
                begin=place,
                end=place,
                kind="slide",
                state=state,
                tilt_deg=tilt_deg,
                lean_deg=lean_deg,
            )
        )

    def carry(self, t0_s: float, t1_s: float, end: Point, state: str, lift_mm: float) -> None:
        """Let it be carried from its place."""
        self.segments.append(
            MotionSegment(
                t0_s=t0_s,
                t1_s=t1_s,
                begin=self.place,
                end=end,
                kind="carry",
                state=state,
                lift_mm=lift_mm,
            )
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class HandKeyframe:
    """A hand at one time; ``lift_mm`` is its height on the way to the next keyframe."""

    t_s: float
    tip: Point
    azimuth_rad: float
    shape: str
    lift_mm: float = 0.0


@dataclass(slots=True, kw_only=True)
class HandVisit:
    """A hand that comes, acts and leaves."""

    side: str
    purpose: str
    skin: Rgb
    sleeve: Rgb
    keyframes: list[HandKeyframe] = field(default_factory=list)

    @property
    def t0_s(self) -> float:
        """The time when it appears."""
        return self.keyframes[0].t_s

    @property
    def t1_s(self) -> float:
        """The time when it is gone."""
        return self.keyframes[-1].t_s

    def at(self, t_s: float) -> Hand | None:
        """The hand at that time; None if it is not there."""
        if not self.t0_s <= t_s < self.t1_s:
            return None
        index = bisect_right([keyframe.t_s for keyframe in self.keyframes], t_s) - 1
        a, b = self.keyframes[index], self.keyframes[index + 1]
        u = (t_s - a.t_s) / (b.t_s - a.t_s)
        x, y, z = interpolate(a.tip, b.tip, smoothstep(u))
        turn = math.remainder(b.azimuth_rad - a.azimuth_rad, 2 * math.pi)
        return Hand(
            shape=a.shape,
            tip_mm=(x, y, z + a.lift_mm * 4 * u * (1 - u)),
            azimuth_rad=a.azimuth_rad + smoothstep(u) * turn,
            skin=self.skin,
            sleeve=self.sleeve,
        )
