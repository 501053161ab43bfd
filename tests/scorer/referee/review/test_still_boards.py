"""Boards at rest of a film, read again in the best registered frame."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from drawn_discs import BLACK_BGR, DISC, RED_BGR, board_fit, draw, view_at
from hand_held_film import FPS, write_film
from rest_boards import disc, rested

from calibration.disc import DiscSpec
from scorer.referee.review.still_boards import refine_boards
from vision.register.film import open_film
from vision.register.pose_fit import FramePose
from vision.register.reference import Reference
from vision.register.register_film import RegisteredFilm

SEEN_MM = (60.0, 60.0)
#: The views of three frames, and their residuals, px: the last is the best.
VIEWS = tuple(view_at(tilt_deg) for tilt_deg in (18.0, 20.0, 22.0))
RESIDUALS_PX = (0.5, 0.4, 0.2)


@pytest.fixture(scope="module")
def registered(tmp_path_factory: pytest.TempPathFactory) -> RegisteredFilm:
    """A disc is where the tracker read it only in the frame with the best pose."""
    places = [(120.0, 60.0), (120.0, 60.0), SEEN_MM]
    images = [
        draw(view, [(*place, RED_BGR), (-80.0, 40.0, BLACK_BGR)])
        for view, place in zip(VIEWS, places, strict=True)
    ]
    return RegisteredFilm(
        film=open_film(str(write_film(tmp_path_factory.mktemp("film"), images))),
        reference=Reference(image=images[1], t_s=0.0, fit=board_fit(VIEWS[1])),
        times_s=tuple(k / FPS for k in range(3)),
        poses=tuple(
            FramePose(view=view, residual_px=residual_px, sigma_mm=0.1)
            for view, residual_px in zip(VIEWS, RESIDUALS_PX, strict=True)
        ),
    )


@pytest.mark.parametrize("known", [None, DISC], ids=["measured sizes", "known sizes"])
def test_discs_of_a_board_at_rest_are_read_in_the_best_registered_frame(
    registered: RegisteredFilm, known: DiscSpec | None
) -> None:
    far = disc(150.0, -90.0)
    board = rested([], [disc(62.0, 58.5), disc(-80.0, 44.0), far])
    at_rest = replace(board, t_s=0.0, t_from_s=0.0, t_rest_s=0.0)
    (read,) = refine_boards(registered, [at_rest], known)
    for placed, place_mm in zip(read.board.discs, (SEEN_MM, (-80.0, 40.0)), strict=False):
        assert np.hypot(*(placed.centre_mm - place_mm)) < 0.7
    assert read.board.discs[2] is far
    assert (read.board.disc == DISC) is (known is not None)
    assert read.board.disc.radius_mm == pytest.approx(DISC.radius_mm, abs=0.3)
