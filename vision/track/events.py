"""Tracker events: a board found, lost or moved, a scene that changed, a board at rest.

Times are seconds of the source.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from calibration.fit import BoardFit
from calibration.placed_disc import PlacedDisc
from vision.track.at_rest.still_board import StillBoard
from vision.track.motion.motion_gate import SceneState
from vision.track.motion.streaks import Streak
from vision.track.tracks.disc_track import DiscTrack


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class BoardFound:
    """The board was found, or found again (``is_refound``) after it had been lost.

    residual_mm  robust standard deviation of the ring points about the fit, on the board
    """

    t_s: float
    fit: BoardFit
    residual_mm: float
    is_refound: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class TrackingLost:
    """Tracking is lost, why, and the remedy for a person; ``over`` when it is regained."""

    t_s: float
    reason: str
    advice: str
    over: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class BoardMoved:
    """The camera or the board was moved, by so many mm on the board where that can be told."""

    t_s: float
    shift_mm: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class SceneChanged:
    """The scene is another than in the frame before."""

    t_s: float
    scene: SceneState


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class BoardAtRest:
    """The board lies still and was read.

    t_from_s  until when it last lay still; the same as ``t_s`` at the first reading
    t_rest_s  when the last change was seen
    tracks    of everything round that was seen between; names index ``before``
    before    the discs that lay there
    image     (h, w, 3) uint8 BGR: the mean of the frames that were read, and ``fit`` its view
    saw_hand  a hand, or anything else, covered part of the surface between
    has_jumped  the picture jumped between: a cut, or a bump
    longest_gap_s  between two frames while things moved
    streaks   of discs that came far while the shutter was open
    camera    which of several cameras on one board saw it
    also      the same as the other cameras saw it, with places in this one's board frame
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
    streaks: tuple[Streak, ...] = ()
    camera: int = 0
    also: tuple[BoardAtRest, ...] = ()

    def find_view(self, camera: int) -> BoardAtRest | None:
        """The board as that camera saw it; None where it saw none."""
        return next((board for board in (self, *self.also) if board.camera == camera), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class OutcomeUnseen:
    """Discs were shot from ``t_from_s`` on, and nothing shows yet how they came to rest."""

    t_s: float
    t_from_s: float


TrackerEvent = BoardFound | TrackingLost | BoardMoved | SceneChanged | BoardAtRest | OutcomeUnseen
