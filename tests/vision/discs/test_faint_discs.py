"""Discs of nearly the surface's own colour in flat views, drawn and read."""

from __future__ import annotations

from dataclasses import replace

import cv2
import numpy as np
import pytest
from drawn_discs import BLACK_BGR, DISC, WOOD_BGR, Drawn, board_fit, draw, view_at

from calibration.circle import circle_mm
from calibration.pose import View
from vision.discs.detector_input import prepare_detector_input
from vision.discs.disc_hypotheses import choose_radius, select_sure_discs
from vision.discs.find_discs import DiscReading, find_discs
from vision.discs.outline.contour import FlatDiscs
from vision.discs.outline.outline_fit import fit_outlines
from vision.discs.region.faint_discs import _is_mirrored
from vision.reading import UnexplainedReason

DARK: list[Drawn] = [(150.0, 30.0, BLACK_BGR), (-120.0, 210.0, BLACK_BGR)]
FAINT = [(60.0, -230.0), (-150.0, -90.0), (20.0, 75.0), (-230.0, 40.0)]


def draw_faint(view: View, places: list[tuple[float, float]]) -> np.ndarray:
    """A board with black discs, and others at ``places`` whose face is hardly lighter than the wood
    and whose wall and shade are hardly darker."""
    image = draw(view, DARK, noise_grey=0.0)

    def fill(
        place: tuple[float, float], radius_mm: float, z_mm: tuple[float, ...], light: float
    ) -> None:
        rim = circle_mm(place, radius_mm, 180)
        points = np.concatenate([np.column_stack([rim, np.full(180, z)]) for z in z_mm])
        hull = cv2.convexHull(np.rint(16 * view.project(points)).astype(np.int32))
        colour = [light * each for each in WOOD_BGR]
        cv2.fillConvexPoly(image, hull, colour, cv2.LINE_AA, 4)

    for place in sorted(places, key=lambda each: -each[1]):
        fill((place[0] + 5.0, place[1] - 5.0), DISC.radius_mm, (0.0,), 0.85)
        fill(place, DISC.radius_mm, (0.0, DISC.height_mm), 0.92)
        fill(place, DISC.radius_mm, (DISC.height_mm,), 1.07)
    noise = np.random.default_rng(3).normal(0.0, 1.5, image.shape)
    return np.clip(image + noise, 0, 255).astype(np.uint8)


def read_faint(tilt_deg: float, places: list[tuple[float, float]]) -> DiscReading:
    view = view_at(tilt_deg, 1400.0)
    return find_discs(draw_faint(view, places), board_fit(view))


@pytest.mark.parametrize("tilt_deg", [62.0, 66.0])
def test_discs_of_nearly_the_surfaces_colour_are_found_where_several_show_their_rims(
    tilt_deg: float,
) -> None:
    reading = read_faint(tilt_deg, FAINT)
    assert len(reading.discs) == len(DARK) + len(FAINT)
    assert len(reading.teams) == 2
    for place in FAINT:
        nearest = min(np.linalg.norm(disc.centre_mm - place) for disc in reading.discs)
        assert nearest < 1.5


def test_one_disc_of_nearly_the_surfaces_colour_is_asked_about_and_not_counted() -> None:
    reading = read_faint(62.0, FAINT[1:2])
    assert len(reading.discs) == len(DARK)
    assert [doubt.reason for doubt in reading.unexplained] == [UnexplainedReason.MAYBE_DISC]
    assert np.linalg.norm(reading.unexplained[0].centre_mm - FAINT[1]) < 2.0


def test_faint_discs_of_which_one_alone_is_sure_teach_no_colour() -> None:
    view = view_at(62.0, 1400.0)
    inputs = prepare_detector_input(draw_faint(view, FAINT), board_fit(view), None)
    _, found = choose_radius(inputs)
    faint = np.flatnonzero(found.is_faint & np.isfinite(found.log_odds))
    assert found.is_faint[select_sure_discs(found, inputs)].sum() == len(FAINT)
    found.region_log_odds[faint[1:]] = -np.inf
    assert not found.is_faint[select_sure_discs(found, inputs)].any()


@pytest.mark.parametrize(
    ("nearer_mm", "aside_mm", "is_there"),
    [
        (25.0, 0.0, True),
        (50.0, 8.0, True),
        (5.0, 0.0, False),
        (70.0, 0.0, False),
        (25.0, 14.0, False),
    ],
)
def test_below_a_disc_lies_its_mirror_image(
    nearer_mm: float, aside_mm: float, is_there: bool
) -> None:
    view = view_at(70.0, 1400.0)
    inputs = prepare_detector_input(draw(view, DARK), board_fit(view), None)
    disc, to_eye = np.array([0.0, 50.0]), np.array([0.0, -1.0])
    place = disc + nearer_mm * to_eye + (aside_mm, 0.0)
    assert _is_mirrored(place[None], disc[None], inputs)[0] == is_there


def test_an_outline_is_left_where_it_is_in_a_picture_without_a_step() -> None:
    view = view_at(62.0, 1400.0)
    inputs = prepare_detector_input(draw(view, DARK), board_fit(view), None)
    white = replace(inputs.picture, image=np.full_like(inputs.picture.image, 255))
    fitted = fit_outlines(white, FlatDiscs.of_shape(np.array(FAINT), inputs.shape))
    assert fitted.foot_mm == pytest.approx(np.array(FAINT))
    assert np.isfinite(fitted.sigma_mm).all()
