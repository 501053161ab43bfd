"""Motions of a round's discs: their first places, and their paths by the simulation.

The simulation gives straight legs, and the end of every disc. A leg becomes a slide slowed by
friction, and a disc that leaves the surface a drop. Board frame, mm; seconds of the timeline.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np

from sample_images.clip_maker.filming.disc_places import DiscPlaces
from sample_images.clip_maker.filming.motions import DiscTrajectory, MotionSegment
from sample_images.clip_maker.play.round_record import DiscRecord, RoundRecord, SimulatedShot
from sample_images.renderer.scene import Point

#: Time from leaving the surface to resting in the ditch.
_DROP_S = 0.22
#: Time in which a disc sinks into the hole.
_SINK_S = 0.07


class DiscMotions:
    """The trajectory of every disc by its id; ``colours`` are by side."""

    def __init__(
        self,
        record: RoundRecord,
        colours: Mapping[str, str],
        places: DiscPlaces,
        rng: np.random.Generator,
    ) -> None:
        self.record, self.colours, self.places, self.rng = record, colours, places, rng
        self.tracks: dict[str, DiscTrajectory] = {}

    def trajectory(self, name: str) -> DiscTrajectory:
        """The trajectory of a disc, empty at first use."""
        if name not in self.tracks:
            turn = float(self.rng.uniform(0, 360))
            self.tracks[name] = DiscTrajectory(colour=self.colours[name[0]], turn_deg=turn)
        return self.tracks[name]

    def place_initial_discs(self, *, is_table_used: bool) -> None:
        """Place the first discs, and those that wait on the table if that is used."""
        for disc in self.record.lying:
            self.trajectory(disc.id).rest_at(
                0.0,
                self._base_position(disc),
                disc.state,
                tilt_deg=disc.tilt_deg,
                lean_deg=disc.lean_deg,
            )
        if is_table_used:
            for side in "AB":
                mine = [shot.id for shot in self.record.shots if shot.side == side]
                for place, name in enumerate(mine):
                    self.trajectory(name).rest_at(
                        0.0, self.places.waiting_place(side, place), "table"
                    )

    def add_simulated_motion(self, shot: SimulatedShot, t0: float) -> float:
        """Add the motions from the simulation; returns the time when all discs are still."""
        physics = self.record.table.physics
        slow = physics.friction * physics.gravity_mm_s2
        last = t0 + max((disc.t_rest_s for disc in shot.outcome.discs), default=0.0)
        speeds: dict[str, tuple[float, float]] = {}
        ends = {disc.id: disc for disc in shot.outcome.discs}
        for leg in shot.outcome.path:
            (x0, y0), (x1, y1) = leg.from_mm, leg.to_mm
            span, length = leg.t1_s - leg.t0_s, math.hypot(x1 - x0, y1 - y0)
            if span <= 0:
                continue
            end = ends[leg.id]
            stops = end.state in ("flat", "overhanging") and leg.t1_s >= end.t_rest_s - 1e-9
            slows = 1.0 if stops else min(slow * span * span / (2 * length), 1.0)
            leaving = length / span * (1 - slows)
            speeds[leg.id] = ((x1 - x0) / length * leaving, (y1 - y0) / length * leaving)
            self.trajectory(leg.id).segments.append(
                MotionSegment(
                    t0_s=t0 + leg.t0_s,
                    t1_s=t0 + leg.t1_s,
                    begin=(x0, y0, 0.0),
                    end=(x1, y1, 0.0),
                    kind="slide",
                    state=_rest_state(end.state),
                    slowdown=slows,
                )
            )
        for disc in shot.after:
            if disc.state == "ditch":
                last = max(last, self._drop_into_ditch(disc.id, speeds.get(disc.id, (0.0, 0.0))))
            elif disc.state in ("in_hole", "leaning") and disc.id in speeds:
                last = max(last, self._drop_into_hole(disc))
        return last

    def _base_position(self, disc: DiscRecord) -> Point:
        """The centre of the base of a disc on the board."""
        if disc.state == "in_hole":
            hole = self.places.board.hole_centre
            return hole[0], hole[1], -self.places.board.hole_depth
        return disc.x_mm, disc.y_mm, disc.z_mm

    def _drop_into_hole(self, disc: DiscRecord) -> float:
        """Drop a disc into the hole, or onto its edge."""
        track = self.trajectory(disc.id)
        t = track.segments[-1].t1_s
        track.segments.append(
            MotionSegment(
                t0_s=t,
                t1_s=t + _SINK_S,
                begin=track.place,
                end=self._base_position(disc),
                kind="drop",
                state=disc.state,
                tilt_deg=disc.tilt_deg,
                lean_deg=disc.lean_deg,
            )
        )
        return t + _SINK_S

    def _drop_into_ditch(self, name: str, speed: tuple[float, float]) -> float:
        """Drop a disc from the edge into a free place of the ditch."""
        track = self.trajectory(name)
        x, y, _ = track.place
        azimuth = math.atan2(y, x)
        along = (-speed[0] * math.sin(azimuth) + speed[1] * math.cos(azimuth)) * 0.12
        place = self.places.find_ditch_place(azimuth + along / math.hypot(x, y))
        t = track.segments[-1].t1_s
        track.segments.append(
            MotionSegment(
                t0_s=t, t1_s=t + _DROP_S, begin=track.place, end=place, kind="drop", state="ditch"
            )
        )
        return t + _DROP_S


def _rest_state(state: str) -> str:
    return "flat" if state in ("overhanging", "ditch", "in_hole") else str(state)
