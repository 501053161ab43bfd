"""Objects over the board other than discs."""

from __future__ import annotations

import cv2
import numpy as np
from drawn_discs import BLACK_BGR, DISC, board_fit, draw, view_at

from vision.rectify.frame_rectifier import make_rectifier
from vision.track.background.background_model import create_background, normalise_frame
from vision.track.motion.disc_blobs import find_disc_blobs
from vision.track.motion.hands_and_occluders import find_discs_beside_arms, find_hands_and_occluders

FIT = board_fit(view_at(10.0))


def test_an_arm_no_broader_than_a_disc_covers_the_board() -> None:
    """Judged blob by blob, it may be discs, because the roundest blob looks like one."""
    empty, disc_mm = draw(FIT.view, []), (-120.0, 60.0)
    ends_mm = np.array([[60.0, 100.0], [60.0, 420.0]])
    tip, shoulder = (tuple(map(int, np.rint(point))) for point in FIT.view.project_plane(ends_mm))
    image = draw(FIT.view, [(*disc_mm, BLACK_BGR)])
    breadth_px = round(1.9 * DISC.radius_mm / FIT.view.mm_per_px())
    cv2.line(image, tip, shoulder, (90, 110, 150), breadth_px, cv2.LINE_AA)
    rectifier = make_rectifier(FIT.view, FIT.spec, image.shape)
    nothing = np.zeros(rectifier.surface.shape, dtype=bool)
    background = create_background(rectifier, rectifier.rectify(empty), nothing)
    about = rectifier, background, normalise_frame(background, rectifier, rectifier.rectify(image))
    blobs = find_disc_blobs(*about, DISC.radius_mm)
    discs_mm = find_discs_beside_arms(*about, blobs)
    assert np.linalg.norm(discs_mm - disc_mm, axis=1).min() < 5.0
    _, occluders = find_hands_and_occluders(*about, discs_mm, DISC.radius_mm)
    assert occluders is not None
    middle_mm = np.array([60.0, 210.0])
    assert (occluders[rectifier.disc_mask(middle_mm, 10.0) > 0] > 0).all()
    assert not (occluders[rectifier.disc_mask(np.array(disc_mm), 30.0) > 0] > 0).any()
