"""A filmed round in time: places of all discs and hands, and the times of the parts of a shot.

Board frame, mm; times in seconds of the timeline, which a cut may shorten later.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from sample_images.clip_maker.filming.motions import DiscTrajectory, HandVisit
from sample_images.clip_renderer.scene import Moment, Person


@dataclass(frozen=True, slots=True, kw_only=True)
class ShotTimes:
    """Times of a shot's parts, seconds of the timeline."""

    hand_in: float
    place: float
    release: float
    hand_out: float
    rest: float
    first_removal: float | None
    last_removed: float | None
    settled: float


@dataclass(slots=True, kw_only=True)
class Timeline:
    """The places of all objects at any time."""

    tracks: dict[str, DiscTrajectory] = field(default_factory=dict)
    visits: list[HandVisit] = field(default_factory=list)
    times: list[ShotTimes] = field(default_factory=list)
    mistakes: list[dict[str, object]] = field(default_factory=list)
    person: Person | None = None
    end_s: float = 0.0

    def at(self, t_s: float) -> Moment:
        """The scene at a time."""
        discs = [track.at(t_s) for track in self.tracks.values()]
        hands = [visit.at(t_s) for visit in self.visits]
        return Moment(
            discs=tuple(disc for disc in discs if disc is not None),
            hands=tuple(hand for hand in hands if hand is not None),
            people=() if self.person is None else (_sway(self.person, t_s),),
        )


def _sway(person: Person, t_s: float) -> Person:
    x, y = person.centre_mm
    x += 35 * math.sin(0.9 * t_s) + 12 * math.sin(2.3 * t_s)
    y += 60 * math.sin(0.35 * t_s + 1)
    return Person(
        centre_mm=(x, y), radii_mm=person.radii_mm, turn_deg=person.turn_deg, rgb=person.rgb
    )


def quiet_times(times: Sequence[ShotTimes]) -> list[tuple[float, float]]:
    """Spans without activity, between one shot and the next."""
    return [(a.settled, b.hand_in) for a, b in pairwise(times)]
