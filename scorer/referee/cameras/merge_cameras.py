"""Merges the tracker events of two cameras on one board into one stream, as if from one camera.

If both cameras see the board come to rest at the same moment, the two events are merged into one.
Their discs are fused, and both cameras' tracks are kept as evidence. The view from higher up leads,
unless the lower camera saw two shots where the higher one saw a single one. A board at rest that
only one camera read waits for the other's. Then it goes alone, with the other's last reading if
that camera has seen no motion since. Motion seen only by the lower camera is dropped. The cameras'
clocks must agree to a fraction of ``pair_s``.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from calibration.parameters import StageParameters, parameter
from scorer.referee.cameras.shared_frame import SharedFrame, get_tilt_deg
from scorer.referee.shot.flick import find_flick
from vision.track.events import (
    BoardAtRest,
    BoardFound,
    BoardMoved,
    OutcomeUnseen,
    SceneChanged,
    TrackerEvent,
    TrackingLost,
)
from vision.track.motion.motion_gate import SceneState


class MergeCamerasParameters(StageParameters):
    """Parameters of ``merge_cameras``."""

    #: Two boards that stopped moving within this time of each other did so together.
    pair_s: float = parameter(
        1.0, unit="s", source="chosen: hands leave both pictures within half of this"
    )
    #: How long a board at rest waits for the other camera's reading, once that camera has had time
    #: to read it.
    wait_s: float = parameter(
        2.0, unit="s", source="chosen: twice ``pair_s``, and within a person's patience"
    )


PARAMS = MergeCamerasParameters()


@dataclass(slots=True, kw_only=True, eq=False)
class _Camera:
    """The state of one camera.

    pending   boards at rest that wait for the other camera
    last      the last board at rest that was passed on
    scenes    the times of scene changes, and the new scenes
    moved     a bump that is passed on with the next board at rest
    """

    number: int
    clock_s: float = -float("inf")
    pending: list[BoardAtRest] = field(default_factory=list)
    last: BoardAtRest | None = None
    scenes: list[SceneChanged] = field(default_factory=list)
    moved: BoardMoved | None = None
    unseen: OutcomeUnseen | None = None
    lost: TrackingLost | None = None
    has_ended: bool = False

    def was_still(self, from_s: float, to_s: float) -> bool:
        """Whether the camera saw the board during that time without any motion on it."""
        if self.lost is not None or self.last is None or self.has_ended:
            return False
        before = [scene.scene for scene in self.scenes if scene.t_s <= from_s]
        since = [scene.scene for scene in self.scenes if from_s < scene.t_s <= to_s]
        return all(scene_state is SceneState.STILL for scene_state in (*before[-1:], *since))

    def forget(self, t_s: float) -> None:
        """Forget reports up to that time, because the board read then was passed on."""
        if self.moved is not None and self.moved.t_s <= t_s:
            self.moved = None
        if self.unseen is not None and self.unseen.t_s <= t_s:
            self.unseen = None

    def ended_before(self, t_s: float) -> bool:
        """Whether its frames ended before then, so that it cannot have seen anything later."""
        return self.has_ended and self.clock_s < t_s


class CameraMerger:
    """Merges the tracker events of cameras 0 and 1, whose times are on one clock."""

    def __init__(self) -> None:
        """No camera has seen anything so far."""
        self._cameras = _Camera(number=0), _Camera(number=1)
        self._frame = SharedFrame()
        self._reported_rest_s = -float("inf")

    def take(self, camera: int, event: TrackerEvent) -> Iterator[TrackerEvent]:
        """The merged events that follow from a camera's event."""
        own, other = self._cameras[camera], self._cameras[1 - camera]
        match event:
            case BoardAtRest():
                own.pending.append(replace(event, camera=camera))
            case SceneChanged():
                own.scenes.append(event)
                if event.scene is not SceneState.STILL and self._leads(own):
                    yield event
            case BoardMoved():
                own.moved = event
            case OutcomeUnseen():
                own.unseen = event
            case TrackingLost():
                yield from self._take_lost(own, other, event)
            case BoardFound():
                if self._leads(own):
                    yield event

    def advance(self, camera: int, t_s: float) -> Iterator[TrackerEvent]:
        """The merged events that are due once a camera's frames have reached that time."""
        self._cameras[camera].clock_s = t_s
        yield from self._release()

    def end(self, camera: int) -> Iterator[TrackerEvent]:
        """The merged events that are due once a camera's frames have ended."""
        own, other = self._cameras[camera], self._cameras[1 - camera]
        own.has_ended = True
        yield from self._release()
        if other.has_ended:
            yield from self._list_unseen()

    def _list_unseen(self) -> Iterator[TrackerEvent]:
        """Outcomes that no camera saw: both missed them, or one missed it after the other had
        stopped.
        """
        for own in self._cameras:
            other, unseen = self._cameras[1 - own.number], own.unseen
            if unseen is None:
                continue
            if other.unseen is not None or other.ended_before(unseen.t_from_s):
                yield unseen
                return

    def _leads(self, own: _Camera) -> bool:
        """Whether this camera reports scenes and found boards: the first camera, while it sees the
        board.
        """
        other = self._cameras[1 - own.number]
        return own.number == 0 or other.has_ended or other.lost is not None

    def _take_lost(
        self, own: _Camera, other: _Camera, event: TrackingLost
    ) -> Iterator[TrackerEvent]:
        """A lost camera; reported as a loss only if the other does not see the board."""
        was_blind = own.lost is not None and self._is_blind(other)
        own.lost = None if event.over else event
        if own.lost is not None:
            own.last = None  # its earlier reading may be outdated when it sees the board again
        is_blind = own.lost is not None and self._is_blind(other)
        if is_blind != was_blind or (is_blind and not event.over):
            yield event

    def _is_blind(self, camera: _Camera) -> bool:
        return camera.lost is not None or camera.has_ended

    # Boards at rest

    def _release(self) -> Iterator[TrackerEvent]:
        """The boards at rest that need not wait any longer, in order."""
        while True:
            waiting = [board for camera in self._cameras for board in camera.pending]
            if not waiting:
                return
            first = min(waiting, key=lambda board: board.t_rest_s)
            other = self._cameras[1 - first.camera]
            partner = self._find_partner(first)
            due_s = first.t_s + PARAMS.wait_s
            if partner is None and not self._is_blind(other) and other.clock_s < due_s:
                return
            if partner is not None and self._may_come_closer(partner):
                return
            self._cameras[first.camera].pending.remove(first)
            if partner is not None:
                other.pending.remove(partner)
                yield from self._pass_pair(first, partner)
            else:
                yield from self._pass_alone(first)

    def _may_come_closer(self, partner: BoardAtRest) -> bool:
        """Whether the other camera may still read a board whose rest began closer in time to this
        one's.
        """
        other = self._cameras[1 - partner.camera]
        return not self._is_blind(other) and other.clock_s < partner.t_rest_s + PARAMS.pair_s

    def _find_partner(self, first: BoardAtRest) -> BoardAtRest | None:
        """The other camera's board that stopped moving together with this one, or None."""
        own, other = self._cameras[first.camera], self._cameras[1 - first.camera]
        nearest = min(other.pending, key=lambda board: _apart_s(board, first), default=None)
        if nearest is None or _apart_s(nearest, first) > PARAMS.pair_s:
            return None
        closest = min(own.pending, key=lambda board: _apart_s(board, nearest))
        return nearest if closest is first else None

    def _pass_pair(self, one: BoardAtRest, two: BoardAtRest) -> Iterator[TrackerEvent]:
        """Two boards at rest merged into one, with both cameras' tracks."""
        board = self._frame.fuse(one, two)
        for board_at_rest in (one, two):
            self._cameras[board_at_rest.camera].last = board_at_rest
        if board is None or not self._frame.is_whole:
            yield from self._pass_alone(min((one, two), key=get_tilt_deg))
            return
        high, low = sorted((one, two), key=get_tilt_deg)
        was_reported = high.t_from_s < self._reported_rest_s <= low.t_from_s
        first, second = (low, high) if was_reported else (high, low)
        views = [self._frame.turn_view(board_at_rest, board) for board_at_rest in (first, second)]
        views[1] = replace(views[1], board=replace(board, disc=second.board.disc))
        merged = replace(
            views[0],
            t_s=max(one.t_s, two.t_s),
            longest_gap_s=min(one.longest_gap_s, two.longest_gap_s),
            also=(views[1],),
        )
        yield from self._pass_on(merged)

    def _pass_alone(self, at_rest: BoardAtRest) -> Iterator[TrackerEvent]:
        """A board at rest that only one camera read, unless it adds nothing new."""
        own, other = self._cameras[at_rest.camera], self._cameras[1 - at_rest.camera]
        saw_nothing = other.was_still(at_rest.t_from_s, at_rest.t_rest_s)
        own.last = at_rest
        if at_rest.t_rest_s <= self._reported_rest_s or not self._frame.knows(at_rest.camera):
            return
        is_higher = other.last is not None and get_tilt_deg(other.last) < get_tilt_deg(at_rest)
        covered = any(board_at_rest.t_from_s < at_rest.t_rest_s for board_at_rest in other.pending)
        if is_higher and (saw_nothing or (covered and find_flick(at_rest) is None)):
            return
        board = None
        if other.last is not None and other.was_still(other.last.t_rest_s, at_rest.t_s):
            board = self._frame.fuse(at_rest, other.last)
        if board is None or not self._frame.is_whole:
            board = self._frame.express(at_rest)
        yield from self._pass_on(self._frame.turn_view(at_rest, board))

    def _pass_on(self, at_rest: BoardAtRest) -> Iterator[TrackerEvent]:
        own = self._cameras[at_rest.camera]
        if own.moved is not None and own.moved.t_s <= at_rest.t_s:
            yield own.moved
        for camera in self._cameras:
            camera.forget(at_rest.t_s)
            older = [scene for scene in camera.scenes if scene.t_s <= at_rest.t_from_s]
            camera.scenes = camera.scenes[max(len(older) - 1, 0) :]
        since_s = self._reported_rest_s
        at_rest = replace(
            at_rest,
            tracks=tuple(track for track in at_rest.tracks if track.samples[0].t_s > since_s),
        )
        self._reported_rest_s = max(self._reported_rest_s, at_rest.t_rest_s)
        self._frame.remember(at_rest.board)
        yield at_rest


def _apart_s(one: BoardAtRest, other: BoardAtRest) -> float:
    return abs(one.t_rest_s - other.t_rest_s)
