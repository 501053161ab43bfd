"""Discs that reading missed, told from walls of discs that it read, in an oblique view."""

from __future__ import annotations

import numpy as np
import pytest
from drawn_discs import BLACK_BGR, DISC, RED_BGR, Drawn, board_fit, draw, view_at

from calibration.placed_disc import DiscState, PlacedDisc
from vision.rectify.frame_rectifier import make_rectifier
from vision.track.at_rest.missed_discs import add_new_teams, find_missed, fit_missed
from vision.track.at_rest.still_frame import StillFrame
from vision.track.background.background_model import create_background, normalise_frame
from vision.track.motion.disc_blobs import find_disc_blobs

FIT = board_fit(view_at(74.0))
FAR_MM = (-50.0, 270.0)
ELSEWHERE_MM = (60.0, 170.0)


@pytest.fixture(scope="module")
def empty() -> np.ndarray:
    return draw(FIT.view, [])


def still_frame(empty: np.ndarray, *discs: Drawn) -> StillFrame:
    image = draw(FIT.view, list(discs))
    rectifier = make_rectifier(FIT.view, FIT.spec, image.shape)
    nothing = np.zeros(rectifier.surface.shape, dtype=bool)
    background = create_background(rectifier, rectifier.rectify(empty), nothing)
    normalised = normalise_frame(background, rectifier, rectifier.rectify(image))
    return StillFrame(
        image=image, fit=FIT, rectifier=rectifier, background=background, normalised=normalised
    )


def place(centre_mm: tuple[float, float]) -> PlacedDisc:
    return PlacedDisc(
        centre_mm=np.array(centre_mm),
        covariance_mm2=np.eye(2),
        team=0,
        state=DiscState.FLAT,
        confidence=1.0,
    )


def test_the_wall_of_a_disc_that_was_read_is_no_missed_disc(empty: np.ndarray) -> None:
    still = still_frame(empty, (*FAR_MM, RED_BGR), (*ELSEWHERE_MM, BLACK_BGR))
    blobs = find_disc_blobs(still.rectifier, still.background, still.normalised, DISC.radius_mm)
    missed = find_missed(still, [place(FAR_MM)], blobs, DISC)
    assert len(missed) == 1
    assert abs(blobs.centre_mm[missed[0], 0] - ELSEWHERE_MM[0]) < 5.0


def test_a_missed_disc_is_as_unsure_in_depth_as_a_steep_view_makes_it(empty: np.ndarray) -> None:
    still = still_frame(empty, (*FAR_MM, RED_BGR))
    blobs = find_disc_blobs(still.rectifier, still.background, still.normalised, DISC.radius_mm)
    missed = find_missed(still, [], blobs, DISC)
    teams = add_new_teams(blobs.colour_bgr[missed], ())
    discs = fit_missed(still, DISC, blobs, missed, teams)
    assert len(discs) == 1
    error_mm = discs[0].centre_mm - FAR_MM
    assert error_mm @ np.linalg.solve(discs[0].covariance_mm2, error_mm) < 9.0
