"""The truth about a clip, as the plain values of its truth file.

``sample_images/README.md`` explains its keys. Lengths in mm, times in seconds of the clip.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from calibration.pose import View
from sample_images.clip_maker.filming.frame_plan import FramePlan
from sample_images.clip_maker.filming.timeline import ShotTimes, Timeline
from sample_images.clip_maker.play.round_record import (
    DiscRecord,
    RoundRecord,
    SimulatedShot,
    find_near_pass,
    zone_of,
)
from sample_images.clip_maker.play.scene_generator import ClipSetup
from scorer.rules.board_geometry import LINE_5, LINE_10, LINE_15
from scorer.rules.judge_shot import Verdict

_SEATS = {"A": ("-y", -90), "B": ("+y", 90)}
Clock = Callable[[float], float]


def clip_truth(
    name: str, seed: int, setup: ClipSetup, record: RoundRecord, plan: FramePlan
) -> dict[str, Any]:
    """The truth file's content: plain values, key by key."""
    options = plan.options
    writer = _TruthWriter(setup, record, plan.timeline, plan.clock)
    return {
        "name": name,
        "seed": seed,
        "fps": options.fps,
        "size": list(options.size),
        "frames": plan.frames,
        "duration_s": round(plan.frames / options.fps, 3),
        "rules": "nca",
        "board": _board_truth(setup),
        "disc": {
            "radius": setup.scene.shape.radius,
            "bottom_radius": setup.scene.shape.bottom_radius,
            "thickness": setup.scene.shape.height,
        },
        "physics": {
            "mu_board": round(record.table.physics.friction, 4),
            "restitution": round(record.table.physics.restitution, 4),
        },
        "camera": _camera_truth(plan.views[0][1]),
        "camera_poses": [
            {"t_from": round(plan.clock(t), 3), **_pose_truth(view)} for t, view in plan.views
        ],
        "colours": setup.teams,
        "colours_rgb": {
            name: [round(255 * c) for c in rgb] for name, rgb in setup.scene.colours.items()
        },
        "players": {
            side: {"side": seat, "quadrant_centre_deg": deg, "colour": setup.teams[side]}
            for side, (seat, deg) in _SEATS.items()
        },
        "first_player": record.shots[0].side,
        "discs_per_side": options.discs_per_side,
        "lying": [writer.spot(disc) | {"state": disc.state} for disc in record.lying],
        "hand_intervals": writer.hand_intervals(),
        "shots": [
            writer.shot(shot, times)
            for shot, times in zip(record.shots, plan.timeline.times, strict=True)
        ],
        "human_errors": [
            mistake | {"t": writer.time(float(str(mistake["t"])))}
            for mistake in plan.timeline.mistakes
        ],
        "final": writer.final(),
    }


def _camera_truth(view: View) -> dict[str, Any]:
    camera = view.camera
    matrix = [[camera.fx_px, 0, camera.cx_px], [0, camera.fy_px, camera.cy_px], [0, 0, 1]]
    return {"K": matrix, **_pose_truth(view), "distortion": [camera.k1, camera.k2, 0, 0, 0]}


def _pose_truth(view: View) -> dict[str, Any]:
    pose = view.cam_from_board
    return {"R": pose.rotation.tolist(), "t": pose.translation_mm.tolist()}


def _board_truth(setup: ClipSetup) -> dict[str, Any]:
    board = setup.scene.board
    return {
        "surface": board.surface.name,
        "playing_radius": board.playing_radius,
        "line_radii": list(board.line_radii),
        "line_width": board.line_width,
        "hole_diameter": 2 * board.hole_radius,
        "hole_depth": board.hole_depth,
        "hole_centre": list(board.hole_centre),
        "post_radius": board.post_radius,
        "post_circle_radius": board.post_ring_radius,
        "post_height": board.post_height,
        "posts": board.post_count,
        "rail": board.rail_shape,
        "ditch_width": board.ditch_width,
        "ditch_depth": board.ditch_depth,
    }


class _TruthWriter:
    """Writes the truth of one round."""

    def __init__(
        self, setup: ClipSetup, record: RoundRecord, timeline: Timeline, clock: Clock
    ) -> None:
        self.setup, self.record, self.timeline, self.clock = setup, record, timeline, clock

    def time(self, t_s: float | None) -> float | None:
        """The clip's time for a time of the timeline."""
        return None if t_s is None else round(self.clock(t_s), 3)

    def colour(self, name: str) -> str:
        """The colour of a disc, by the side in its id."""
        return self.setup.teams[name[0]]

    def hand_intervals(self) -> list[dict[str, Any]]:
        """Times of hands in the picture or near it, with their owners and reasons, in order of
        time.
        """
        return [
            {
                "t0": self.time(hand_visit.t0_s),
                "t1": self.time(hand_visit.t1_s),
                "player": hand_visit.side,
                "purpose": hand_visit.purpose,
            }
            for hand_visit in sorted(self.timeline.visits, key=lambda visit: visit.t0_s)
        ]

    def spot(self, disc: DiscRecord) -> dict[str, Any]:
        """A disc's id and place."""
        x, y, _ = self._position(disc)
        return {"id": disc.id, "colour": self.colour(disc.id), "x": x, "y": y}

    def _position(self, disc: DiscRecord) -> tuple[float, float, float]:
        """The disc's place; in the ditch, where it is drawn."""
        x, y, z = disc.x_mm, disc.y_mm, 0.0
        if disc.state == "ditch":
            x, y, z = next(
                piece.end
                for piece in self.timeline.tracks[disc.id].segments
                if piece.state == "ditch"
            )
        elif disc.state == "in_hole":
            z = -self.setup.scene.board.hole_depth
        elif disc.state == "leaning":
            z = disc.z_mm
        return round(x, 3), round(y, 3), round(z, 3)

    def resting(self, disc: DiscRecord) -> dict[str, Any]:
        """A disc at rest, with zone and margin to the nearest line if it is flat."""
        sizes = self.record.geometry
        entry: dict[str, Any] = self.spot(disc) | {
            "z_bottom": self._position(disc)[2],
            "tilt_deg": round(disc.tilt_deg, 3),
            "state": disc.state,
        }
        if disc.state in ("flat", "overhanging"):
            margins = {
                n: sizes.margin_mm(line, disc.x_mm, disc.y_mm)
                for n, line in (("15", LINE_15), ("10", LINE_10), ("5", LINE_5))
            }
            nearest = min(margins, key=lambda n: abs(margins[n]))
            zone = zone_of(sizes, disc)
            entry |= {
                "state": "off_line" if zone == 0 else disc.state,
                "zone": zone,
                "margin_mm": round(margins[nearest], 3),
                "nearest_line": nearest,
            }
        return entry

    def shot(self, shot: SimulatedShot, times: ShotTimes) -> dict[str, Any]:
        """One shot: the flick, its times, the boards before and after, and its verdict."""
        judged = shot.judgement.outcome
        opponents = [disc for disc in shot.before if disc.id[0] != shot.side]
        on_board = {disc.id for disc in shot.after if disc.state != "ditch"}
        flick = shot.flick
        touched = [
            name
            for contact in shot.outcome.contacts
            for name in (contact.a, contact.b)
            if name in {o.id for o in opponents}
        ]
        return {
            "index": shot.index,
            "colour": self.colour(shot.id),
            "player": shot.side,
            "id": shot.id,
            "intent": shot.intent,
            "start_xy_mm": [round(flick.x_mm, 3), round(flick.y_mm, 3)],
            "speed_m_s": round(flick.speed_mm_s / 1000, 4),
            "direction_deg": round(flick.direction_deg % 360, 3),
            "spin_rad_s": round(flick.spin_rad_s, 2),
            "t_hand_in": self.time(times.hand_in),
            "t_place": self.time(times.place),
            "t_release": self.time(times.release),
            "t_hand_out": self.time(times.hand_out),
            "t_rest": self.time(times.rest),
            "before": [self.spot(disc) | {"state": disc.state} for disc in shot.before],
            "contacts": [
                {"t": self.time(times.release + contact.t_s), "a": contact.a, "b": contact.b}
                for contact in shot.outcome.contacts
            ],
            "after_rest": [self.resting(disc) for disc in shot.after],
            "opponents_on_board_before": bool(opponents),
            "valid": judged.verdict is Verdict.LEGAL,
            "reason": _reason(shot),
            "opponents_touched": list(dict.fromkeys(touched)),
            "closest_gap_mm": None if shot.gap_mm is None else round(shot.gap_mm, 3),
            **self._near_pass(shot),
            "removed_by_rule": [disc for disc in shot.remove if disc in on_board],
            "went_to_ditch": [disc.id for disc in shot.after if disc.state == "ditch"],
            "twenties": [{"id": twenty, "colour": self.colour(twenty)} for twenty in shot.twenties],
            "not_removed": list(shot.left),
            "state_after_removal": [
                self.spot(disc)
                for disc in shot.after
                if disc.id in on_board
                and (disc.id not in {*shot.remove, *shot.twenties} or disc.id in shot.left)
            ],
            "t_first_removal_hand": self.time(times.first_removal),
            "t_last_disc_removed": self.time(times.last_removed),
            "t_settled_after_removal": self.time(times.settled),
        }

    def _near_pass(self, shot: SimulatedShot) -> dict[str, Any]:
        """For a shot meant to pass an opponent's disc: which disc, the gap, and how far it
        moved.
        """
        near = find_near_pass(shot, self.record.table.disc.radius_mm)
        if shot.intent != "pass" or near is None:
            return {}
        moved_mm = shot.moved_mm(near.id)
        return {
            "near_pass": {
                "id": near.id,
                "gap_mm": round(near.gap_mm, 4),
                "moved_mm": None if math.isinf(moved_mm) else round(moved_mm, 3),
            }
        }

    def final(self) -> dict[str, Any]:
        """Discs, points and 20s by colour; discs that should have been removed score nothing."""
        left = {disc for shot in self.record.shots for disc in shot.left}
        per_colour: dict[str, Any] = {}
        for side, colour in self.setup.teams.items():
            discs = [d for d in self.record.final if d.id[0] == side and d.id not in left]
            points = sum(zone_of(self.record.geometry, disc) for disc in discs)
            twenties = sum(twenty[0] == side for twenty in self.record.counted_twenties)
            per_colour[colour] = {
                "player": side,
                "board_points": points,
                "twenties": twenties,
                "total": points + 20 * twenties,
                "discs": [self.resting(disc) for disc in discs],
            }
        totals = {colour: value["total"] for colour, value in per_colour.items()}
        high, low = max(totals.values()), min(totals.values())
        winner = max(totals, key=lambda c: totals[c]) if high > low else None
        return {"per_colour": per_colour, "winner": winner, "difference": high - low}


def _reason(shot: SimulatedShot) -> str:
    """The reason why it was legal or a foul, in the words of the referee's evidence."""
    faults = [fault for fault in shot.judgement.outcome.faults if fault.is_foul]
    if faults:
        return "; ".join(str(fault.code) for fault in faults)
    contact = shot.judgement.outcome.contact
    if contact is not None:
        return f"{contact[0]} touched {contact[1]}"
    return "no opponent on the board; a disc ended in the hole or at the 15-line"
