"""A played round in time: when hands come, when discs are placed, flicked and taken away.

Knows people's pace and where things wait beside the board. Refuses to know cameras. Board frame,
mm; times in seconds of the timeline, which a cut may shorten later.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np

from sample_images.film.background import table_height_mm
from sample_images.film.scene import Moment, Person
from sample_images.renderer.scene import Board, DiscModel, Point, Rgb
from webapp.synthetic.filming.motions import DiscTrajectory, HandKeyframe, HandVisit, MotionSegment
from webapp.synthetic.options import ClipOptions
from webapp.synthetic.play.round_record import DiscRecord, RoundRecord, SimulatedShot
from webapp.synthetic.play.scene_generator import PictureExtent

#: How high discs are carried, and where the fingers are over a disc that they hold.
_CARRY_MM, _GRIP_MM = 45.0, 4.0
#: Fingers reach so far ahead of a hand's middle, and chairs stand so far beyond the picture.
_HAND_MM, _CHAIR_MM = 70.0, 450.0
#: A disc that falls off the surface needs so long to lie in the ditch.
_DROP_S = 0.22
#: A disc sinks into the hole in this time.
_SINK_S = 0.07
_SKINS: tuple[Rgb, ...] = ((0.80, 0.58, 0.46), (0.44, 0.29, 0.21), (0.66, 0.46, 0.34))
_SLEEVES: tuple[Rgb, ...] = (
    (0.16, 0.22, 0.38), (0.66, 0.66, 0.62), (0.30, 0.10, 0.12), (0.10, 0.10, 0.11),
    (0.20, 0.34, 0.26), (0.55, 0.42, 0.26),
)  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class ShotTimes:
    """When a shot's parts happened, seconds of the timeline."""

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
    """Where everything is at any time."""

    tracks: dict[str, DiscTrajectory] = field(default_factory=dict)
    visits: list[HandVisit] = field(default_factory=list)
    times: list[ShotTimes] = field(default_factory=list)
    mistakes: list[dict[str, object]] = field(default_factory=list)
    person: Person | None = None
    end_s: float = 0.0

    def at(self, t_s: float) -> Moment:
        """What one sees at that time."""
        discs = [each.at(t_s) for each in self.tracks.values()]
        hands = [each.at(t_s) for each in self.visits]
        return Moment(
            discs=tuple(each for each in discs if each is not None),
            hands=tuple(each for each in hands if each is not None),
            people=() if self.person is None else (_sway(self.person, t_s),),
        )


def _sway(person: Person, t_s: float) -> Person:
    x, y = person.centre_mm
    x += 35 * math.sin(0.9 * t_s) + 12 * math.sin(2.3 * t_s)
    y += 60 * math.sin(0.35 * t_s + 1)
    return Person(
        centre_mm=(x, y), radii_mm=person.radii_mm, turn_deg=person.turn_deg, rgb=person.rgb
    )


def build_timeline(
    record: RoundRecord,
    board: Board,
    shape: DiscModel,
    colours: Mapping[str, str],
    options: ClipOptions,
    rng: np.random.Generator,
    reach: PictureExtent,
) -> Timeline:
    """The timeline of a round; hands come from beyond the picture's extent."""
    animator = _Animator(record, board, shape, colours, options, rng, reach)
    return animator.animate()


class _Animator:
    """Builds the timeline shot by shot; ``now`` is when everything so far has happened."""

    def __init__(
        self,
        record: RoundRecord,
        board: Board,
        shape: DiscModel,
        colours: Mapping[str, str],
        options: ClipOptions,
        rng: np.random.Generator,
        reach: PictureExtent,
    ) -> None:
        self.record, self.board, self.shape, self.colours = record, board, shape, colours
        self.options, self.rng, self.reach = options, rng, reach
        self.timeline = Timeline()
        self.now = 0.6
        picks = rng.permutation(len(_SLEEVES))
        self.sleeves = {"A": _SLEEVES[picks[0]], "B": _SLEEVES[picks[1]]}
        self.skins = {each: _SKINS[rng.integers(len(_SKINS))] for each in "AB"}
        self.ditch: list[Point] = []
        self.away: dict[str, int] = {"A": 0, "B": 0}
        self.unshot = options.unshot or str(rng.choice(("table", "hidden")))
        self.removed_to = options.removed_to or str(rng.choice(("ditch", "table")))

    def animate(self) -> Timeline:
        self._place_initial_discs()
        for shot in self.record.shots:
            self._shot(shot)
        self.timeline.end_s = self.now + self._sample_duration(0.8, 1.2)
        self._add_bystanders()
        return self.timeline

    # Things beside the game

    def _add_bystanders(self) -> None:
        outer = self._outer_radius()
        if self.options.person:
            side = float(self.rng.choice((-1.0, 1.0)))
            self.timeline.person = Person(
                centre_mm=(side * (outer + 260), float(self.rng.uniform(-150, 150))),
                radii_mm=(190, 250),
                turn_deg=float(self.rng.uniform(-15, 15)),
                rgb=(0.20, 0.17, 0.22),
            )
        if self.options.resting_hand:
            self._rest_hand()

    def _rest_hand(self) -> None:
        """A hand that lies on the rail for most of the round, and stirs."""
        side = str(self.rng.choice(("A", "B")))
        reach = self.board.playing_radius + self.board.ditch_width * 0.75
        azimuth = math.radians(-90 if side == "A" else 90) - 0.75
        visit = self._new_visit(side, "rest")
        t = 1.2
        while t < self.timeline.end_s:
            wander = azimuth + self.rng.normal(0, 0.012)
            tip = (reach * math.cos(wander), reach * math.sin(wander), self.board.rail_height)
            pose = HandKeyframe(t_s=t, tip=tip, azimuth_rad=azimuth + math.pi, shape="flat")
            visit.keyframes += [
                pose,
                HandKeyframe(t_s=t + 2.0, tip=tip, azimuth_rad=pose.azimuth_rad, shape="flat"),
            ]
            t += 2.0 + float(self.rng.uniform(0.2, 0.6))
        outside = (1.9 * tip[0], 1.9 * tip[1], 60.0)
        visit.keyframes.insert(
            0, HandKeyframe(t_s=0.6, tip=outside, azimuth_rad=azimuth + math.pi, shape="flat")
        )
        self.timeline.visits.append(visit)

    # Before the first shot

    def _place_initial_discs(self) -> None:
        for each in self.record.lying:
            self._trajectory(each.id).rest_at(
                0.0,
                self._foot_position(each),
                each.state,
                tilt_deg=each.tilt_deg,
                lean_deg=each.lean_deg,
            )
        if self.unshot == "table":
            for side in "AB":
                mine = [shot.id for shot in self.record.shots if shot.side == side]
                for place, name in enumerate(mine):
                    self._trajectory(name).rest_at(0.0, self._waiting(side, place), "table")

    def _trajectory(self, name: str) -> DiscTrajectory:
        if name not in self.timeline.tracks:
            turn = float(self.rng.uniform(0, 360))
            self.timeline.tracks[name] = DiscTrajectory(colour=self.colours[name[0]], turn_deg=turn)
        return self.timeline.tracks[name]

    def _outer_radius(self) -> float:
        return self.board.playing_radius + self.board.ditch_width + self.board.rail_width

    def _waiting(self, side: str, place: int) -> Point:
        """Where an unshot disc waits: in a row at its player's right hand."""
        way = 1.0 if side == "A" else -1.0
        step = 2 * self.shape.radius + 4.0
        x = self._outer_radius() + 45 + 6 * math.sin(2.1 * place)
        y = -300 + step * place
        return way * x, way * y, table_height_mm(self.board)

    def _foot_position(self, each: DiscRecord) -> Point:
        """Where the foot of a disc on the board is."""
        if each.state == "in_hole":
            hole = self.board.hole_centre
            return hole[0], hole[1], -self.board.hole_depth
        return each.x_mm, each.y_mm, each.z_mm

    # One shot

    def _shot(self, shot: SimulatedShot) -> None:
        self._gesture(shot.side)
        begin = self.now + self._sample_duration(0.9, 1.7)
        track, visit = self._trajectory(shot.id), self._new_visit(shot.side, "shot")
        flick, aim = shot.flick, math.radians(shot.flick.direction_deg)
        start = (flick.x_mm, flick.y_mm, 0.0)
        place_s = self._bring_disc(track, visit, begin, self._first_placement(start))
        if track.place != start:
            place_s = self._slide_disc(track, visit, place_s, start)
        release_s = place_s + self._sample_duration(0.65, 1.1)
        self._flick(visit, place_s, release_s, start, aim)
        rest_s = self._add_physics_motion(shot, release_s)
        visit_end = visit.t1_s
        self.timeline.visits.append(visit)
        self.now = max(rest_s, visit_end)
        removal = self._remove_discs(shot, rest_s)
        self.timeline.times.append(
            ShotTimes(
                hand_in=begin,
                place=place_s,
                release=release_s,
                hand_out=visit_end,
                rest=rest_s,
                first_removal=removal[0],
                last_removed=removal[1],
                settled=self.now,
            )
        )
        if shot.left:
            self.timeline.mistakes.append(
                {"t": round(self.now, 3), "kind": "foul_stays", "ids": list(shot.left)}
            )
        self._nudge_disc(shot)

    def _sample_duration(self, low: float, high: float) -> float:
        return float(self.rng.uniform(low, high)) / self.options.hurry

    def _new_visit(self, side: str, purpose: str) -> HandVisit:
        return HandVisit(
            side=side, purpose=purpose, skin=self.skins[side], sleeve=self.sleeves[side]
        )

    def _entry_point(self, side: str) -> Point:
        way = -1.0 if side == "A" else 1.0
        return -way * float(self.rng.uniform(20, 160)), way * self._out_of_picture_mm(side), 50.0

    def _out_of_picture_mm(self, side: str) -> float:
        """How far from the middle a hand of that side is out of the picture."""
        return max(self.reach.towards_mm[side], self._outer_radius()) + _HAND_MM

    def _azimuth(self, side: str, tip: Point) -> float:
        """Whereto a hand points that reaches for ``tip`` from its player's chair."""
        way = -1.0 if side == "A" else 1.0
        chair = self._out_of_picture_mm(side) + _CHAIR_MM
        return math.atan2(tip[1] - way * chair, tip[0] + way * 120)

    def _pose(
        self, t_s: float, side: str, tip: Point, shape: str, lift: float = 0.0
    ) -> HandKeyframe:
        return HandKeyframe(
            t_s=t_s, tip=tip, azimuth_rad=self._azimuth(side, tip), shape=shape, lift_mm=lift
        )

    def _bring_disc(
        self, track: DiscTrajectory, visit: HandVisit, begin: float, start: Point
    ) -> float:
        """Have a hand bring the disc to where it is shot from; returns when it lies there."""
        side, entry = visit.side, self._entry_point(visit.side)
        visit.keyframes.append(self._pose(begin, side, entry, "hold"))
        if track.segments:
            picked = begin + self._sample_duration(0.4, 0.6)
            spot = track.place
            grip = (spot[0], spot[1], spot[2] + _GRIP_MM)
            visit.keyframes += [
                self._pose(picked, side, grip, "hold"),
                self._pose(picked + 0.15, side, grip, "hold", _CARRY_MM),
            ]
            leave = picked + 0.15
        else:
            track.rest_at(begin, (entry[0], entry[1], entry[2] - _GRIP_MM), "held")
            leave = begin
            visit.keyframes[-1] = self._pose(begin, side, entry, "hold", 8.0)
        arrive = leave + self._sample_duration(0.55, 0.8)
        lift = _CARRY_MM if leave > begin else 8.0
        track.carry(leave, arrive, start, "flat", lift)
        visit.keyframes.append(self._pose(arrive, side, (start[0], start[1], _GRIP_MM), "hold"))
        return arrive

    def _first_placement(self, start: Point) -> Point:
        """Where a player puts the disc down at first: some slide it along the line afterwards."""
        if not self.options.fidgets or self.rng.uniform() > self.options.fidgets:
            return start
        turn = float(self.rng.uniform(0.04, 0.12)) * (1 if start[0] * start[1] < 0 else -1)
        c, s = math.cos(turn), math.sin(turn)
        return c * start[0] - s * start[1], s * start[0] + c * start[1], start[2]

    def _slide_disc(self, track: DiscTrajectory, visit: HandVisit, t: float, start: Point) -> float:
        """Have the hand slide the disc to where it is shot from; returns when it is there."""
        begin, end = t + self._sample_duration(0.3, 0.5), t + self._sample_duration(0.8, 1.1)
        side, was = visit.side, track.place
        visit.keyframes.append(self._pose(begin, side, (was[0], was[1], _GRIP_MM), "hold"))
        visit.keyframes.append(self._pose(end, side, (start[0], start[1], _GRIP_MM), "hold"))
        track.carry(begin, end, start, "flat", 0.0)
        return end

    def _gesture(self, side: str) -> None:
        """Have a hand point at something over the board and go away again, now and then."""
        if not self.options.gestures or self.rng.uniform() > self.options.gestures:
            return
        begin = self.now + self._sample_duration(0.4, 0.9)
        x, y = (float(v) for v in self.rng.uniform(-120, 120, 2))
        visit, over = self._new_visit(side, "gesture"), (x, y, _CARRY_MM)
        there, back = (
            begin + self._sample_duration(0.5, 0.7),
            begin + self._sample_duration(1.0, 1.6),
        )
        visit.keyframes += [
            self._pose(begin, side, self._entry_point(side), "flicked"),
            self._pose(there, side, over, "flicked"),
            self._pose(back, side, (x + 25, y + 10, _CARRY_MM), "flicked"),
            self._pose(
                back + self._sample_duration(0.4, 0.6), side, self._entry_point(side), "flicked"
            ),
        ]
        self.timeline.visits.append(visit)
        self.now = visit.t1_s

    def _flick(
        self, visit: HandVisit, place_s: float, release_s: float, start: Point, aim: float
    ) -> None:
        """Cock a finger behind the disc, flick it, and take the hand away."""
        behind = self.shape.radius + 1.5
        tip = (start[0] - behind * math.cos(aim), start[1] - behind * math.sin(aim), 2.0)
        cocked = place_s + 0.35 * (release_s - place_s)
        held = visit.keyframes[-1]
        visit.keyframes[-1] = HandKeyframe(
            t_s=place_s, tip=held.tip, azimuth_rad=held.azimuth_rad, shape="hold", lift_mm=10.0
        )
        end = self._entry_point(visit.side)
        # The finger is straight by the time that the disc has left it.
        visit.keyframes += [
            HandKeyframe(t_s=cocked, tip=tip, azimuth_rad=aim, shape="cocked"),
            HandKeyframe(t_s=release_s, tip=tip, azimuth_rad=aim, shape="flicked"),
            HandKeyframe(
                t_s=release_s + 0.22, tip=tip, azimuth_rad=aim, shape="flicked", lift_mm=12.0
            ),
            self._pose(
                release_s + 0.22 + self._sample_duration(0.4, 0.55), visit.side, end, "hold"
            ),
        ]

    def _add_physics_motion(self, shot: SimulatedShot, t0: float) -> float:
        """Add the motions that the simulation found; returns when all discs are still."""
        physics = self.record.table.physics
        slow = physics.friction * physics.gravity_mm_s2
        last = t0 + max((each.t_rest_s for each in shot.outcome.discs), default=0.0)
        speeds: dict[str, tuple[float, float]] = {}
        ends = {each.id: each for each in shot.outcome.discs}
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
            self._trajectory(leg.id).segments.append(
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
        for each in shot.after:
            if each.state == "ditch":
                last = max(last, self._drop_into_ditch(each.id, speeds.get(each.id, (0.0, 0.0))))
            elif each.state in ("in_hole", "leaning") and each.id in speeds:
                last = max(last, self._drop_into_hole(each))
        return last

    def _drop_into_hole(self, each: DiscRecord) -> float:
        """Drop a disc into the hole, or onto its edge."""
        track = self._trajectory(each.id)
        t = track.segments[-1].t1_s
        track.segments.append(
            MotionSegment(
                t0_s=t,
                t1_s=t + _SINK_S,
                begin=track.place,
                end=self._foot_position(each),
                kind="drop",
                state=each.state,
                tilt_deg=each.tilt_deg,
                lean_deg=each.lean_deg,
            )
        )
        return t + _SINK_S

    def _drop_into_ditch(self, name: str, speed: tuple[float, float]) -> float:
        """Drop a disc from the edge into the ditch, onto a free place."""
        track = self._trajectory(name)
        x, y, _ = track.place
        azimuth = math.atan2(y, x)
        along = (-speed[0] * math.sin(azimuth) + speed[1] * math.cos(azimuth)) * 0.12
        place = self._find_ditch_place(azimuth + along / math.hypot(x, y))
        t = track.segments[-1].t1_s
        track.segments.append(
            MotionSegment(
                t0_s=t, t1_s=t + _DROP_S, begin=track.place, end=place, kind="drop", state="ditch"
            )
        )
        return t + _DROP_S

    def _find_ditch_place(self, azimuth: float) -> Point:
        """A free place in the ditch near that azimuth; taken from then on."""
        low = self.board.playing_radius + self.shape.radius + 0.5
        high = self.board.playing_radius + self.board.ditch_width - self.shape.radius - 0.5
        reach = float(self.rng.uniform(low + 0.5 * (high - low), max(high, low)))
        for step in range(200):
            turn = azimuth + (step + 1) // 2 * 0.02 * (1 if step % 2 else -1)
            x, y = reach * math.cos(turn), reach * math.sin(turn)
            clear = 2 * self.shape.radius + 0.5
            if all(math.hypot(x - p[0], y - p[1]) > clear for p in self.ditch):
                break
        place = (x, y, -self.board.ditch_depth)
        self.ditch.append(place)
        return place

    # After it

    def _remove_discs(
        self, shot: SimulatedShot, rest_s: float
    ) -> tuple[float | None, float | None]:
        """Have a hand take off what goes off; returns when it comes, and when the last is off."""
        names = [each for each in (*shot.remove, *shot.twenties) if each not in shot.left]
        if not names:
            return None, None
        begin = max(self.now, rest_s + 0.5) + self._sample_duration(0.2, 0.6)
        visit = self._new_visit(shot.side, "remove")
        visit.keyframes.append(self._pose(begin, shot.side, self._entry_point(shot.side), "hold"))
        t = begin
        for name in names:
            t = self._take(visit, name, t, shot.side)
        end = t + self._sample_duration(0.45, 0.6)
        visit.keyframes.append(self._pose(end, shot.side, self._entry_point(shot.side), "hold"))
        self.timeline.visits.append(visit)
        self.now = end
        return begin, t

    def _take(self, visit: HandVisit, name: str, t: float, side: str) -> float:
        track = self._trajectory(name)
        x, y, z = track.place
        picked = t + self._sample_duration(0.5, 0.7)
        grip = (x, y, z + _GRIP_MM)
        there = picked + 0.18 + self._sample_duration(0.5, 0.7)
        target = self._storage_place(side)
        visit.keyframes += [
            self._pose(picked, side, grip, "hold"),
            self._pose(picked + 0.18, side, grip, "hold", _CARRY_MM),
            self._pose(there, side, (target[0], target[1], target[2] + _GRIP_MM), "hold", 15.0),
        ]
        state = "ditch" if self.removed_to == "ditch" else "table"
        track.carry(picked + 0.18, there, target, state, _CARRY_MM)
        return there

    def _storage_place(self, side: str) -> Point:
        middle = -math.pi / 2 if side == "A" else math.pi / 2
        if self.removed_to == "ditch":
            return self._find_ditch_place(middle + float(self.rng.uniform(-0.9, 0.9)))
        way = 1.0 if side == "A" else -1.0
        place = self.away[side]
        self.away[side] += 1
        step = 2 * self.shape.radius + 3.0
        x, y = -(self._outer_radius() + 60), -330 + step * place
        return way * x, way * y, table_height_mm(self.board)

    def _nudge_disc(self, shot: SimulatedShot) -> None:
        """Have a hand push a disc aside, when the round has it so."""
        if shot.nudge is None:
            return
        name, x, y = shot.nudge
        track, side = self._trajectory(name), "B" if shot.side == "A" else "A"
        begin = self.now + self._sample_duration(0.4, 0.7)
        reach, pushed = begin + 0.6, begin + 1.0
        was = track.place
        visit = self._new_visit(side, "nudge")
        visit.keyframes += [
            self._pose(begin, side, self._entry_point(side), "hold"),
            self._pose(reach, side, (was[0], was[1], _GRIP_MM), "hold"),
            self._pose(pushed, side, (x, y, _GRIP_MM), "hold"),
            self._pose(pushed + 0.6, side, self._entry_point(side), "hold"),
        ]
        track.carry(reach, pushed, (x, y, 0.0), "flat", 0.0)
        self.timeline.visits.append(visit)
        self.now = pushed + 0.6
        self.timeline.mistakes.append({"t": round(reach, 3), "kind": "disc_nudged", "ids": [name]})


def _rest_state(state: str) -> str:
    return "flat" if state in ("overhanging", "ditch", "in_hole") else str(state)


def quiet_times(times: Sequence[ShotTimes]) -> list[tuple[float, float]]:
    """Spans in which nobody does anything, between one shot and the next."""
    return [(a.settled, b.hand_in) for a, b in pairwise(times)]
