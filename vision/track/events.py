"""Tracker events: a board found, lost or moved, a changed scene, a board at rest.

Times are seconds of the source.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from calibration.fit import BoardFit
from calibration.placed_disc import PlacedDisc
from vision.track.at_rest.still_board import StillBoard
from vision.track.motion.motion_gate import SceneState
from vision.track.tracks.disc_track import DiscTrack


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class BoardFound:
    """The board was found, or found again (``is_refound``) after a loss.

    residual_mm  robust standard deviation of the ring points about the fit, on the board
    """

    t_s: float
    fit: BoardFit
    residual_mm: float
    is_refound: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class TrackingLost:
    """Tracking is lost, with the reason and the remedy for a person; ``over`` when it is
    regained.
    """

    t_s: float
    reason: str
    advice: str
    over: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class BoardMoved:
    """The camera or the board was moved, with the distance in mm on the board, if known."""

    t_s: float
    shift_mm: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class SceneChanged:
    """The scene differs from that of the frame before."""

    t_s: float
    scene: SceneState


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class BoardAtRest:
    """The board is at rest and was read.

    t_from_s  end of the last rest; the same as ``t_s`` for the first reading
    t_rest_s  time of the last change
    tracks    of all round objects seen in between; names index ``before``
    before    the discs before
    image     (h, w, 3) uint8 BGR: the mean of the frames that were read, with ``fit`` as its view
    saw_hand  a hand, or another object, covered part of the surface in between
    has_jumped  the picture jumped in between: a cut, or a bump
    longest_gap_s  longest time between two frames during motion
    camera    number of the camera, of several on one board
    also      the same event from the other cameras, with places in this camera's board frame
    """

    t_s: float
    t_from_s: float
    t_rest_s: float
    board: StillBoard
    before: tuple[PlacedDisc, ...]
    tracks: tuple[DiscTrack, ...]
    image: np.ndarray
    fit: BoardFit
    saw_hand: bool
    was_interrupted: bool
    longest_gap_s: float
    camera: int = 0
    also: tuple[BoardAtRest, ...] = ()

    def find_view(self, camera: int) -> BoardAtRest | None:
        """The board as that camera saw it; None if it did not see it."""
        return next((board for board in (self, *self.also) if board.camera == camera), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class OutcomeUnseen:
    """Discs were shot from ``t_from_s`` on, and no frame so far shows where they stopped."""

    t_s: float
    t_from_s: float


TrackerEvent = BoardFound | TrackingLost | BoardMoved | SceneChanged | BoardAtRest | OutcomeUnseen
