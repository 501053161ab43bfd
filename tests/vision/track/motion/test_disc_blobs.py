"""Blobs of moving discs, blurred by the open shutter."""

from __future__ import annotations

import cv2
import numpy as np
from drawn_discs import BLACK_BGR, DISC, RED_BGR, board_fit, draw, view_at

from vision.rectify.frame_rectifier import make_rectifier
from vision.track.background.background_model import create_background, normalise_frame
from vision.track.motion.disc_blobs import DiscBlobs, find_disc_blobs

FIT = board_fit(view_at(10.0))


def find_in(image: np.ndarray, empty: np.ndarray) -> DiscBlobs:
    rectifier = make_rectifier(FIT.view, FIT.spec, image.shape)
    nothing = np.zeros(rectifier.surface.shape, dtype=bool)
    background = create_background(rectifier, rectifier.rectify(empty), nothing)
    frame = normalise_frame(background, rectifier, rectifier.rectify(image))
    return find_disc_blobs(rectifier, background, frame, DISC.radius_mm)


def test_a_disc_blurred_by_its_flight_is_one_blob() -> None:
    """With its shadow it is this wide; its ends are nearer to each other than the middles of two
    discs.
    """
    empty = draw(FIT.view, [])
    ends = FIT.view.project_plane(np.array([[60.0, 120.0], [86.0, 120.0]]))
    a, b = (tuple(int(v) for v in np.rint(end)) for end in ends)
    breadth_px = round(2.2 * DISC.radius_mm / FIT.view.mm_per_px())
    image = empty.copy()
    cv2.line(image, a, b, BLACK_BGR, breadth_px, cv2.LINE_AA)
    assert len(find_in(image, empty).centre_mm) == 1


def test_a_disc_between_a_finger_and_its_own_shadow_is_found_itself() -> None:
    """On the side without the finger, the disc and its shadow differ more from the wood around
    them.
    """
    empty = draw(FIT.view, [])
    at_mm = np.array([[60.0, 120.0], [60.0, 90.0], [60.0, 142.0], [60.0, 230.0]])
    disc, shadow, fingertip, hand = (
        tuple(int(v) for v in np.rint(point)) for point in FIT.view.project_plane(at_mm)
    )
    breadth_px = round(2 * DISC.radius_mm / FIT.view.mm_per_px())
    image = empty.copy()
    cv2.line(image, disc, shadow, (45, 50, 60), breadth_px, cv2.LINE_AA)
    cv2.line(image, fingertip, hand, (60, 70, 90), breadth_px, cv2.LINE_AA)
    cv2.circle(image, disc, breadth_px // 2, RED_BGR, -1, cv2.LINE_AA)
    blobs = find_in(image, empty)
    off_mm = np.linalg.norm(blobs.centre_mm - at_mm[0], axis=1)
    assert off_mm.min() < 4.0
    assert blobs.roundness[off_mm.argmin()] > 0.66
