"""Discs that a lamp's reflection hides from a fixed camera: covered, but not gone.

A saturated or washed-out place of the empty board cannot show a disc. A disc last seen at such a
place, or on its way into it, counts as covered until it comes out or players clear the board. A
person is asked about it. A disc seen in part beside a reflection is read as exactly as that part
allows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np

from calibration.camera import FloatArray
from calibration.fit import BoardFit
from calibration.parameters import StageParameters, parameter
from calibration.placed_disc import DiscState, PlacedDisc
from vision.discs.unseen_surface import PARAMS as UNSEEN
from vision.discs.unseen_surface import mask_unseen, measure_covered_share
from vision.reading import UnexplainedObject, UnexplainedReason
from vision.rectify.frame_rectifier import RECTIFIED_MM_PER_PX, FrameRectifier
from vision.track.at_rest.still_board import PARAMS as STILL_BOARD
from vision.track.at_rest.still_board import StillBoard
from vision.track.background.background_model import BackgroundModel
from vision.track.tracks.disc_track import DiscTrack
from vision.track.tracks.same_disc import is_at, is_of_disc
from vision.track.tracks.sliding_discs import PARAMS as SLIDING
from vision.track.tracks.sliding_discs import find_moved_discs, is_on_board


class UnseenBoardParameters(StageParameters):
    """Parameters of ``unseen_board``."""

    #: A disc may be hidden, or be read at a wrong position, if this share of it would be hidden.
    hidden_share: float = parameter(
        0.25,
        unit="share",
        source="measured in films: where a third or more was hidden, discs were lost or read "
        "10 mm off",
    )
    #: Cosine of the largest angle by which it may have turned at a post or another disc.
    turned: float = parameter(0.5, unit="cosine", source="chosen: 60° to either side")
    #: A hidden disc is within this many radii of its last visible position, in any direction.
    about_radii: float = parameter(
        2.0,
        unit="radii",
        source="chosen: the error of a position measured when only half of a disc was visible",
    )
    #: One sigma of a hidden disc's position, and the confidence that it is there.
    sigma_mm: float = parameter(
        10.0,
        unit="mm",
        source="chosen: under a reflection, the disc may be anywhere within this distance",
    )
    confidence: float = parameter(
        0.5, unit="probability", source="chosen: the disc may just as well have left"
    )


PARAMS = UnseenBoardParameters()


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class UnseenBoard:
    """The parts of the board that a fixed camera does not see: the hidden ``share`` (side, side)
    float32 of a disc around every pixel of the rectified frame.
    """

    share: np.ndarray
    rectifier: FrameRectifier

    def hides(self, place_mm: FloatArray) -> bool:
        """Whether a disc at a place (2,) may be hidden there."""
        x, y = np.rint(self.rectifier.to_px(place_mm)).astype(int).tolist()
        height, width = self.share.shape
        is_inside = 0 <= x < width and 0 <= y < height
        return is_inside and bool(self.share[y, x] > PARAMS.hidden_share)

    def find_hidden(
        self, from_mm: FloatArray, velocity_mm_s: FloatArray, radius_mm: float
    ) -> FloatArray | None:
        """The nearest place (2,) where a disc last seen at ``from_mm`` (2,) may be hidden; None if
        there is none.
        """
        places_mm = self._list_places_mm(self.share > PARAMS.hidden_share)
        arm = places_mm - from_mm
        away_mm = np.linalg.norm(arm, axis=-1)
        speed = float(np.linalg.norm(velocity_mm_s))
        way = velocity_mm_s / max(speed, 1e-9)
        reach_mm = speed**2 / (2 * SLIDING.slowing_mm_s2)
        about_mm = PARAMS.about_radii * radius_mm
        can_be = away_mm < about_mm
        can_be |= (arm @ way > PARAMS.turned * away_mm) & (away_mm < reach_mm + about_mm)
        if not can_be.any():
            return None
        return np.asarray(places_mm[int(np.where(can_be, away_mm, np.inf).argmin())])

    def list_all(self, within_mm: float, radius_mm: float) -> list[FloatArray]:
        """Places (2,) all over the reflections that hide most of a disc, within this distance of
        the middle.
        """
        hidden = (self.share > UNSEEN.hidden_share) & (self.rectifier.radius_mm < within_mm)
        return _spread(self._list_places_mm(hidden), radius_mm)

    def list_places(self, about_mm: FloatArray, radius_mm: float) -> list[FloatArray]:
        """Places (2,) all over the reflection that hides a disc at ``about_mm`` (2,), this place
        first. A disc under the reflection is within two radii of one of them.
        """
        _, label = cv2.connectedComponents((self.share > PARAMS.hidden_share).view(np.uint8))
        x, y = np.rint(self.rectifier.to_px(about_mm)).astype(int).tolist()
        left_mm = self._list_places_mm((label == label[y, x]) & (label > 0))
        return [about_mm, *_spread(left_mm, radius_mm, about_mm)]

    def _list_places_mm(self, where: np.ndarray) -> FloatArray:
        rows, columns = np.nonzero(where & self.rectifier.surface)
        return self.rectifier.to_mm(np.stack([columns, rows], axis=-1))


def _spread(
    places_mm: FloatArray, radius_mm: float, first_mm: FloatArray | None = None
) -> list[FloatArray]:
    """Some of the places (n, 2), spaced so that every place is within two radii of one of them or
    of a first one (2,).
    """
    chosen: list[FloatArray] = []
    last_mm = first_mm
    while True:
        if last_mm is not None:
            places_mm = places_mm[np.linalg.norm(places_mm - last_mm, axis=-1) > 2 * radius_mm]
        if len(places_mm) == 0:
            return chosen
        off_mm = np.linalg.norm(places_mm - (places_mm[0] if last_mm is None else last_mm), axis=-1)
        last_mm = places_mm[int(off_mm.argmin())]
        chosen.append(last_mm)


def find_unseen_board(
    background: BackgroundModel, rectifier: FrameRectifier, fit: BoardFit, radius_mm: float
) -> UnseenBoard | None:
    """The parts of the empty board of ``background`` that reflections hide; None if none hides a
    disc.

    Reflections are seldom recognised as part of the board, because a first picture cannot explain
    them.
    """
    usual = (
        background.valid_mask
        & rectifier.surface
        & (rectifier.radius_mm < fit.spec.line_radii_mm[2])
    )
    if not usual.any():
        return None
    usual_bgr = np.median(background.image[usual], axis=0)
    unseen = mask_unseen(background.image, usual_bgr) & rectifier.surface
    if not unseen.any():
        return None
    share = measure_covered_share(unseen, radius_mm / RECTIFIED_MM_PER_PX)
    is_any = (share > PARAMS.hidden_share).any()
    return UnseenBoard(share=share, rectifier=rectifier) if is_any else None


def remember_unseen(
    board: StillBoard,
    before: Sequence[PlacedDisc],
    tracks: Sequence[DiscTrack],
    unseen: UnseenBoard,
    fit: BoardFit,
    *,
    was_empty: bool,
) -> StillBoard:
    """The board with the discs ``before`` that were not read and may be hidden; ``tracks`` names
    them by their index. They, and discs seen only in part, become questions. Unless the board
    ``was_empty`` once, further discs may have been hidden there since before the first reading.

    If nothing slid and no other disc remains on the board, players have cleared it.
    """
    moved = find_moved_discs(tracks, fit)
    elsewhere = _list_reappeared(board.discs, before, tracks, fit)
    hidden = []
    for index, disc in enumerate(before) if board.discs or moved else ():
        if is_of_disc(disc.centre_mm, board.discs):
            continue
        track = next((one for one in moved if one.name == str(index)), None)
        if track is not None and is_of_disc(
            track.last.place_mm, board.discs, STILL_BOARD.stopped_mm
        ):
            continue
        if track is not None and disc.team in elsewhere:
            elsewhere.remove(disc.team)
            continue
        if track is None and _came_out(disc, moved, board.disc.radius_mm):
            continue
        place_mm = _find_place(disc, track, unseen, fit, board.disc.radius_mm)
        if place_mm is not None and not is_of_disc(place_mm, board.discs):
            hidden.append(
                replace(
                    disc,
                    centre_mm=place_mm,
                    covariance_mm2=PARAMS.sigma_mm**2 * np.eye(2),
                    state=DiscState.FLAT,
                    confidence=PARAMS.confidence,
                )
            )
    covered = [disc for disc in board.discs if unseen.hides(disc.centre_mm)]
    radius_mm = board.disc.radius_mm
    spread = (unseen.list_places(disc.centre_mm, radius_mm) for disc in hidden)
    flagged = [(place_mm, UnexplainedReason.REFLECTION) for places in spread for place_mm in places]
    flagged += [(disc.centre_mm, UnexplainedReason.REFLECTION_ON_DISC) for disc in covered]
    if not was_empty:
        counting_mm = fit.spec.line_radii_mm[2] - radius_mm
        flagged += [
            (place_mm, UnexplainedReason.REFLECTION)
            for place_mm in unseen.list_all(counting_mm, radius_mm)
        ]
    if not flagged:
        return board
    return replace(
        board,
        discs=(*board.discs, *hidden),
        unexplained=(
            *board.unexplained,
            *(UnexplainedObject(centre_mm=place, reason=reason) for place, reason in flagged),
        ),
    )


def _list_reappeared(
    discs: Sequence[PlacedDisc],
    before: Sequence[PlacedDisc],
    tracks: Sequence[DiscTrack],
    fit: BoardFit,
) -> list[int]:
    """The teams of those ``discs`` at places without a disc ``before`` and without the end of a
    known disc's track. They are discs whose track broke, except those put onto the starting line.
    """
    line_mm = fit.spec.line_radii_mm[2] - SLIDING.on_line_mm
    ends_mm = [track.last.place_mm for track in tracks if track.name is not None]
    return [
        disc.team
        for disc in discs
        if not is_of_disc(disc.centre_mm, before)
        and np.linalg.norm(disc.centre_mm) < line_mm
        and not is_at(disc.centre_mm, ends_mm, STILL_BOARD.stopped_mm)
    ]


def _find_place(
    disc: PlacedDisc, track: DiscTrack | None, unseen: UnseenBoard, fit: BoardFit, radius_mm: float
) -> FloatArray | None:
    """The place (2,) where an unread disc may be hidden; None if it is gone."""
    if track is not None:
        if not is_on_board(fit, track.last.place_mm):
            return None
        return unseen.find_hidden(track.last.place_mm, track.velocity_mm_s(), radius_mm)
    return disc.centre_mm if unseen.hides(disc.centre_mm) else None


def _came_out(disc: PlacedDisc, moved: Sequence[DiscTrack], radius_mm: float) -> bool:
    """Whether an object that was not seen before slid away from next to a disc's place."""
    within_mm = PARAMS.about_radii * radius_mm
    return any(
        track.name is None
        and np.linalg.norm(track.samples[0].place_mm - disc.centre_mm) < within_mm
        for track in moved
    )
