"""A played round animated: the times at which hands come, and at which discs are placed, flicked
and taken away.

People's pace and fidgets come from the given random generator, in the order of events, so a seed
always gives the same timeline. Board frame, mm; seconds.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from sample_images.clip_maker.filming.disc_motions import DiscMotions
from sample_images.clip_maker.filming.disc_places import DiscPlaces
from sample_images.clip_maker.filming.hand_poses import HandPoses
from sample_images.clip_maker.filming.motions import DiscTrajectory, HandKeyframe, HandVisit
from sample_images.clip_maker.filming.timeline import ShotTimes, Timeline
from sample_images.clip_maker.options import ClipOptions
from sample_images.clip_maker.play.round_record import RoundRecord, SimulatedShot
from sample_images.clip_maker.play.scene_generator import PictureExtent
from sample_images.clip_renderer.scene import Person
from sample_images.renderer.scene import Board, DiscModel, Point

#: Height at which discs are carried, and place of the fingers over a held disc.
_CARRY_MM, _GRIP_MM = 45.0, 4.0


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PlayedRound:
    """The subject of an animation: a round on its board, with discs of one shape, in front of a
    camera.

    colours  by side
    extent   the camera's field of view; hands come from outside it
    """

    record: RoundRecord
    board: Board
    shape: DiscModel
    colours: Mapping[str, str]
    extent: PictureExtent


def animate_round(played: PlayedRound, options: ClipOptions, rng: np.random.Generator) -> Timeline:
    """The timeline of a round."""
    return _Animator(played, options, rng).animate()


class _Animator:
    """Builds the timeline shot by shot; ``now`` is the end of everything so far."""

    def __init__(self, played: PlayedRound, options: ClipOptions, rng: np.random.Generator) -> None:
        self.record, self.board, self.shape = played.record, played.board, played.shape
        self.options, self.rng = options, rng
        self.now = 0.6
        self.hands = HandPoses(played.board, played.extent, options.hurry, rng)
        self.unshot = options.unshot or str(rng.choice(("table", "hidden")))
        removed_to = options.removed_to or str(rng.choice(("ditch", "table")))
        self.places = DiscPlaces(played.board, played.shape, removed_to, rng)
        self.discs = DiscMotions(played.record, played.colours, self.places, rng)
        self.timeline = Timeline(tracks=self.discs.tracks)

    def animate(self) -> Timeline:
        """The timeline of the whole round."""
        self.discs.place_initial_discs(is_table_used=self.unshot == "table")
        for shot in self.record.shots:
            self._animate_shot(shot)
        self.timeline.end_s = self.now + self.hands.sample_duration(0.8, 1.2)
        self._add_bystanders()
        return self.timeline

    def _add_bystanders(self) -> None:
        outer = self.places.outer_radius_mm
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
        """A hand that rests on the rail for most of the round, and sometimes moves."""
        side = str(self.rng.choice(("A", "B")))
        reach = self.board.playing_radius + self.board.ditch_width * 0.75
        azimuth = math.radians(-90 if side == "A" else 90) - 0.75
        visit = self.hands.new_visit(side, "rest")
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

    def _animate_shot(self, shot: SimulatedShot) -> None:
        self._gesture(shot.side)
        begin = self.now + self.hands.sample_duration(0.9, 1.7)
        track, visit = self.discs.trajectory(shot.id), self.hands.new_visit(shot.side, "shot")
        flick, aim = shot.flick, math.radians(shot.flick.direction_deg)
        start = (flick.x_mm, flick.y_mm, 0.0)
        place_s = self._bring_disc(track, visit, begin, self._first_placement(start))
        if track.place != start:
            place_s = self._slide_disc(track, visit, place_s, start)
        release_s = place_s + self.hands.sample_duration(0.65, 1.1)
        self._flick(visit, place_s, release_s, start, aim)
        rest_s = self.discs.add_simulated_motion(shot, release_s)
        visit_end = visit.t1_s
        self.timeline.visits.append(visit)
        self.now = max(rest_s, visit_end)
        is_over = self.options.ends_at_rest and shot is self.record.shots[-1]
        removal = (None, None) if is_over else self._remove_discs(shot, rest_s)
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

    def _bring_disc(
        self, track: DiscTrajectory, visit: HandVisit, begin: float, start: Point
    ) -> float:
        """Let a hand bring the disc to its start; returns the time at which it is there."""
        side, entry = visit.side, self.hands.entry_point(visit.side)
        visit.keyframes.append(self.hands.pose_at(begin, side, entry, "hold"))
        if track.segments:
            picked = begin + self.hands.sample_duration(0.4, 0.6)
            spot = track.place
            grip = (spot[0], spot[1], spot[2] + _GRIP_MM)
            visit.keyframes += [
                self.hands.pose_at(picked, side, grip, "hold"),
                self.hands.pose_at(picked + 0.15, side, grip, "hold", _CARRY_MM),
            ]
            leave = picked + 0.15
        else:
            track.rest_at(begin, (entry[0], entry[1], entry[2] - _GRIP_MM), "held")
            leave = begin
            visit.keyframes[-1] = self.hands.pose_at(begin, side, entry, "hold", 8.0)
        arrive = leave + self.hands.sample_duration(0.55, 0.8)
        lift = _CARRY_MM if leave > begin else 8.0
        track.carry(leave, arrive, start, "flat", lift)
        visit.keyframes.append(
            self.hands.pose_at(arrive, side, (start[0], start[1], _GRIP_MM), "hold")
        )
        return arrive

    def _first_placement(self, start: Point) -> Point:
        """A player's first place for the disc; some slide it along the line afterwards."""
        if not self.options.fidgets or self.rng.uniform() > self.options.fidgets:
            return start
        turn = float(self.rng.uniform(0.04, 0.12)) * (1 if start[0] * start[1] < 0 else -1)
        c, s = math.cos(turn), math.sin(turn)
        return c * start[0] - s * start[1], s * start[0] + c * start[1], start[2]

    def _slide_disc(self, track: DiscTrajectory, visit: HandVisit, t: float, start: Point) -> float:
        """Let the hand slide the disc to its start; returns the time at which it is there."""
        begin, end = (
            t + self.hands.sample_duration(0.3, 0.5),
            t + self.hands.sample_duration(0.8, 1.1),
        )
        side, was = visit.side, track.place
        visit.keyframes.append(self.hands.pose_at(begin, side, (was[0], was[1], _GRIP_MM), "hold"))
        visit.keyframes.append(
            self.hands.pose_at(end, side, (start[0], start[1], _GRIP_MM), "hold")
        )
        track.carry(begin, end, start, "flat", 0.0)
        return end

    def _gesture(self, side: str) -> None:
        """Let a hand sometimes point at something over the board and go away again."""
        if not self.options.gestures or self.rng.uniform() > self.options.gestures:
            return
        begin = self.now + self.hands.sample_duration(0.4, 0.9)
        x, y = (float(v) for v in self.rng.uniform(-120, 120, 2))
        visit, over = self.hands.new_visit(side, "gesture"), (x, y, _CARRY_MM)
        there, back = (
            begin + self.hands.sample_duration(0.5, 0.7),
            begin + self.hands.sample_duration(1.0, 1.6),
        )
        visit.keyframes += [
            self.hands.pose_at(begin, side, self.hands.entry_point(side), "flicked"),
            self.hands.pose_at(there, side, over, "flicked"),
            self.hands.pose_at(back, side, (x + 25, y + 10, _CARRY_MM), "flicked"),
            self.hands.pose_at(
                back + self.hands.sample_duration(0.4, 0.6),
                side,
                self.hands.entry_point(side),
                "flicked",
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
        end = self.hands.entry_point(visit.side)
        # the finger is straight by the time the disc has left it
        visit.keyframes += [
            HandKeyframe(t_s=cocked, tip=tip, azimuth_rad=aim, shape="cocked"),
            HandKeyframe(t_s=release_s, tip=tip, azimuth_rad=aim, shape="flicked"),
            HandKeyframe(
                t_s=release_s + 0.22, tip=tip, azimuth_rad=aim, shape="flicked", lift_mm=12.0
            ),
            self.hands.pose_at(
                release_s + 0.22 + self.hands.sample_duration(0.4, 0.55), visit.side, end, "hold"
            ),
        ]

    def _remove_discs(
        self, shot: SimulatedShot, rest_s: float
    ) -> tuple[float | None, float | None]:
        """Let a hand take off the discs; returns the times at which it comes, and at which the last
        is off.
        """
        names = [twenty for twenty in (*shot.remove, *shot.twenties) if twenty not in shot.left]
        if not names:
            return None, None
        begin = max(self.now, rest_s + 0.5) + self.hands.sample_duration(0.2, 0.6)
        visit = self.hands.new_visit(shot.side, "remove")
        visit.keyframes.append(
            self.hands.pose_at(begin, shot.side, self.hands.entry_point(shot.side), "hold")
        )
        t = begin
        for name in names:
            t = self._take_disc(visit, name, t, shot.side)
        end = t + self.hands.sample_duration(0.45, 0.6)
        visit.keyframes.append(
            self.hands.pose_at(end, shot.side, self.hands.entry_point(shot.side), "hold")
        )
        self.timeline.visits.append(visit)
        self.now = end
        return begin, t

    def _take_disc(self, visit: HandVisit, name: str, t: float, side: str) -> float:
        """Let the hand take a disc to its storage place; returns the time at which it is there."""
        track = self.discs.trajectory(name)
        x, y, z = track.place
        picked = t + self.hands.sample_duration(0.5, 0.7)
        grip = (x, y, z + _GRIP_MM)
        there = picked + 0.18 + self.hands.sample_duration(0.5, 0.7)
        target = self.places.storage_place(side)
        visit.keyframes += [
            self.hands.pose_at(picked, side, grip, "hold"),
            self.hands.pose_at(picked + 0.18, side, grip, "hold", _CARRY_MM),
            self.hands.pose_at(
                there, side, (target[0], target[1], target[2] + _GRIP_MM), "hold", 15.0
            ),
        ]
        state = "ditch" if self.places.removed_to == "ditch" else "table"
        track.carry(picked + 0.18, there, target, state, _CARRY_MM)
        return there

    def _nudge_disc(self, shot: SimulatedShot) -> None:
        """Let a hand push a disc aside, if the round includes that."""
        if shot.nudge is None:
            return
        name, x, y = shot.nudge
        track, side = self.discs.trajectory(name), "B" if shot.side == "A" else "A"
        begin = self.now + self.hands.sample_duration(0.4, 0.7)
        reach, pushed = begin + 0.6, begin + 1.0
        was = track.place
        visit = self.hands.new_visit(side, "nudge")
        visit.keyframes += [
            self.hands.pose_at(begin, side, self.hands.entry_point(side), "hold"),
            self.hands.pose_at(reach, side, (was[0], was[1], _GRIP_MM), "hold"),
            self.hands.pose_at(pushed, side, (x, y, _GRIP_MM), "hold"),
            self.hands.pose_at(pushed + 0.6, side, self.hands.entry_point(side), "hold"),
        ]
        track.carry(reach, pushed, (x, y, 0.0), "flat", 0.0)
        self.timeline.visits.append(visit)
        self.now = pushed + 0.6
        self.timeline.mistakes.append({"t": round(reach, 3), "kind": "disc_nudged", "ids": [name]})
