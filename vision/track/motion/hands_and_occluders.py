"""Occluders: objects over the board other than discs (hands, sleeves, cups, heads).

An occluder is a connected difference from the background beside the discs that is large or reaches
in from outside. Colour is not used, because skin, gloves and sleeves have any colour. A small
object on the surface alone is taken for a disc's shadow.
"""

from __future__ import annotations

import cv2
import numpy as np

from calibration.camera import FloatArray
from calibration.parameters import StageParameters, parameter
from vision.rectify.frame_rectifier import RECTIFIED_MM_PER_PX, FrameRectifier
from vision.track.background.background_model import BackgroundModel, NormalisedFrame
from vision.track.motion.blob_appearance import WEAK_ROUNDNESS
from vision.track.motion.disc_blobs import DiscBlobs


class OccludersParameters(StageParameters):
    """Parameters of ``hands_and_occluders``."""

    #: Without the discs, a difference is a hand if a connected piece of it covers more of the
    #: surface than this and extends this far beyond the edge; a piece entirely on the surface must
    #: be larger than any disc's shadow.
    min_hand_mm2: float = parameter(
        400.0, unit="mm²", source="chosen: half a disc, or a finger over the edge"
    )
    beyond_edge_mm: float = parameter(
        25.0, unit="mm", source="chosen: farther than a disc that hangs over the edge"
    )
    #: A hand may come in at places that were never seen empty, this close to the surface's edge.
    at_edge_mm: float = parameter(
        4.0, unit="mm", source="chosen: two pixels of 2 mm, which erosion removes on either side"
    )
    min_object_mm2: float = parameter(3000.0, unit="mm²", source="chosen: four discs of 790 mm²")
    #: A disc's own shadow and blur reach this far beyond its rim.
    disc_margin_mm: float = parameter(
        4.0,
        unit="mm",
        source="chosen: less than around_disc_mm, so that a finger at a disc is seen",
    )
    #: A disc is held if an object is this close to its rim.
    touch_mm: float = parameter(
        20.0,
        unit="mm",
        source="chosen: erosion shortens fingers, and the disc's margin hides their ends",
    )

    #: This many connected pieces, all less round than this, are an arm and not discs; the rest of
    #: the arm may be too small for a hand.
    fewest_pieces: int = parameter(
        3, unit="", source="chosen: a blurred disc makes two pieces at the most"
    )


PARAMS = OccludersParameters()
#: Differences are eroded by a square of this side: removes the edges and lines of a board that
#: moved by one pixel.
_ERODED_PX = 3


def find_hands_and_occluders(
    rectifier: FrameRectifier,
    background: BackgroundModel,
    frame: NormalisedFrame,
    discs_mm: FloatArray,
    radius_mm: float,
    beyond_edge_mm: float | None = None,
) -> tuple[np.ndarray | None, np.ndarray | None]:
    """Masks (side, side) uint8 of hands, and of objects over the surface beside ``discs_mm`` (n,
    2).

    A hand is an object that reaches in from beyond the surface's edge. Fingertips over the edge
    count too: they cover nothing important, but they move. A mask is None if it is empty. It
    continues over ditch and rail as far as the object is connected. An object that reaches
    ``beyond_edge_mm`` over the edge comes from beyond it. A difference is ignored where the
    background was never observed.
    """
    mask = cv2.threshold(frame.difference, background.threshold, 1, cv2.THRESH_BINARY)[1]
    known = background.valid_mask | ~rectifier.surface
    discs = rectifier.disc_mask(discs_mm, radius_mm + PARAMS.disc_margin_mm)
    mask = cv2.bitwise_and(mask, cv2.subtract(known.view(np.uint8), discs))
    worn = cv2.erode(mask, np.ones((_ERODED_PX, _ERODED_PX), np.uint8))
    x, y, width, height = cv2.boundingRect(worn)
    if width == 0:
        return None, None
    box = slice(y, y + height), slice(x, x + width)
    count, label = cv2.connectedComponents(worn[box])
    reach_mm = PARAMS.beyond_edge_mm if beyond_edge_mm is None else beyond_edge_mm
    beyond_mm = np.float32(rectifier.surface_radius_mm + reach_mm)
    over_px = np.bincount(label[rectifier.surface[box]], minlength=count)
    reaches_in = np.bincount(label[rectifier.radius_mm[box] > beyond_mm], minlength=count) > 0
    over_px[0], reaches_in[0] = 0, False  # label 0 is none of the pieces
    over = over_px * RECTIFIED_MM_PER_PX**2
    large = (over > PARAMS.min_hand_mm2) & reaches_in | (over > PARAMS.min_object_mm2)
    hands = _select_pieces(worn, box, label, reaches_in | large)
    if hands is None or (large == (reaches_in | large)).all():
        return hands, hands
    return hands, _select_pieces(worn, box, label, large)


def find_discs_beside_arms(
    rectifier: FrameRectifier, background: BackgroundModel, frame: NormalisedFrame, blobs: DiscBlobs
) -> FloatArray:
    """The places (n, 2) of blobs that no hand holds, without pieces of an arm. Many of these look
    as round as a disc beside a finger, but are connected.
    """
    pieces = blobs.free & (blobs.roundness < WEAK_ROUNDNESS)
    if np.count_nonzero(pieces) < PARAMS.fewest_pieces:
        return blobs.centre_mm[blobs.free]
    differs = cv2.threshold(frame.difference, background.threshold, 1, cv2.THRESH_BINARY)[1]
    label = cv2.connectedComponents(differs)[1]
    column, row = np.rint(rectifier.to_px(blobs.centre_mm)).astype(int).T
    inside = (column >= 0) & (row >= 0) & (column < label.shape[1]) & (row < label.shape[0])
    own = np.zeros(len(pieces), np.intp)
    own[inside] = label[row[inside], column[inside]]
    count = np.bincount(own[pieces & (own > 0)], minlength=own.max() + 1)
    return blobs.centre_mm[blobs.free & ~(pieces & (count[own] >= PARAMS.fewest_pieces))]


def _select_pieces(
    worn: np.ndarray, box: tuple[slice, slice], label: np.ndarray, chosen: np.ndarray
) -> np.ndarray | None:
    """The chosen pieces (side, side) uint8, as large as before erosion; None without any."""
    if not chosen.any():
        return None
    pieces = np.zeros_like(worn)
    pieces[box] = chosen.view(np.uint8).take(label)
    return cv2.dilate(pieces, np.ones((_ERODED_PX, _ERODED_PX), np.uint8))


def reaches_out(rectifier: FrameRectifier, occluders: np.ndarray, known: np.ndarray) -> bool:
    """Whether occluders (side, side uint8) come from beyond the surface: a hand, a sleeve.

    They may come through parts that were never seen empty, where objects over the board do not
    show: all of the surface except the ``known`` part (side, side bool).
    """
    beyond = rectifier.radius_mm > rectifier.surface_radius_mm + PARAMS.beyond_edge_mm
    if (occluders > 0)[beyond].any():
        return True
    unseen = rectifier.surface & ~known
    at_edge = unseen & (rectifier.radius_mm > rectifier.surface_radius_mm - PARAMS.at_edge_mm)
    if not at_edge.any():
        return False
    joined = widen(occluders, PARAMS.at_edge_mm) | unseen.view(np.uint8)
    label = cv2.connectedComponents(joined)[1]
    return bool(np.isin(label[at_edge], label[occluders > 0]).any())


def widen(mask: np.ndarray, by_mm: float) -> np.ndarray:
    """A mask (side, side uint8), 1 and 0, extended by ``by_mm``."""
    reach = round(by_mm / RECTIFIED_MM_PER_PX)
    disc = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (2 * reach + 1, 2 * reach + 1))
    x, y, width, height = cv2.boundingRect(mask)
    around = (
        slice(max(y - reach, 0), y + height + reach),
        slice(max(x - reach, 0), x + width + reach),
    )
    wide = np.zeros_like(mask)
    if width > 0:  # the whole mask would take three times as long
        wide[around] = cv2.dilate(mask[around], disc)
    return wide


def find_touched_blobs(
    rectifier: FrameRectifier, occluders: np.ndarray | None, blobs: DiscBlobs, radius_mm: float
) -> np.ndarray:
    """Whether an occluder (side, side; None for none) touches the blobs: (n,) bool."""
    if occluders is None or len(blobs.centre_mm) == 0:
        return np.zeros(len(blobs.centre_mm), dtype=bool)
    reach = round((radius_mm + PARAMS.touch_mm) / RECTIFIED_MM_PER_PX)
    disc = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (2 * reach + 1, 2 * reach + 1))
    wide = cv2.copyMakeBorder(occluders, reach, reach, reach, reach, cv2.BORDER_CONSTANT)
    place = np.clip(np.rint(rectifier.to_px(blobs.centre_mm)), 0, rectifier.side_px - 1).astype(int)
    return np.array(
        [
            cv2.bitwise_and(wide[row : row + len(disc), column : column + len(disc)], disc).any()
            for column, row in place
        ]
    )
