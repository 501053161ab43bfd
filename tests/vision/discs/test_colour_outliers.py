"""Objects on a board other than discs lead to a question; wood, shade and glare do not."""

from __future__ import annotations

from collections.abc import Callable

import cv2
import numpy as np
import pytest
from drawn_discs import SCATTERED, board_fit, draw, view_at

from calibration.board import BoardSpec
from calibration.pose import View
from vision.discs.find_discs import find_discs
from vision.discs.outline.contour import DiscGeometry
from vision.discs.visible_surface import compute_free_surface

BLUE_BGR = (150, 80, 30)
#: A place between the 10- and the 5-line, touching neither.
BETWEEN_LINES_MM = np.array([[215, 20], [290, 20], [290, -30], [215, -30]], dtype=np.float64)
ACROSS_TWO_LINES_MM = np.array([[-30, 180], [30, 180], [30, 330], [-30, 330]], dtype=np.float64)


def covered(view: View, outline_mm: np.ndarray, colour: tuple[int, int, int]) -> np.ndarray:
    """The scattered discs, and a flat object with the given outline on the board."""
    image = draw(view, SCATTERED)
    outline = np.rint(view.project_plane(outline_mm)).astype(np.int32)
    thing = np.zeros_like(image)
    cv2.fillPoly(thing, [outline], (1, 1, 1))
    noise = np.random.default_rng(2).normal(0, 2.0, image.shape)
    return np.where(thing > 0, np.clip(noise + colour, 0, 255), image).astype(np.uint8)


def shaded(image: np.ndarray) -> np.ndarray:
    """The picture with its right half in hard shadow."""
    half = image.copy()
    half[:, 640:] = (0.5 * half[:, 640:]).astype(np.uint8)
    return half


def glaring(image: np.ndarray) -> np.ndarray:
    """The picture with a lamp's reflection in the varnish, brightest next to the middle."""
    y, x = np.mgrid[: image.shape[0], : image.shape[1]]
    lamp = 170 * np.exp(-((x - 800) ** 2 + (y - 330) ** 2) / (2 * 60.0**2))
    light = (image / 255.0) ** 2.2 + (lamp[..., None] / 255.0) ** 2.2
    return np.clip(255 * light ** (1 / 2.2), 0, 255).astype(np.uint8)


@pytest.mark.parametrize("tilt_deg", [5.0, 40.0])
@pytest.mark.parametrize(
    ("outline_mm", "colour"),
    [
        pytest.param(BETWEEN_LINES_MM, BLUE_BGR, id="a box between the lines"),
        pytest.param(ACROSS_TWO_LINES_MM, BLUE_BGR, id="a box across two lines"),
    ],
)
def test_what_lies_on_the_board_is_left_to_a_person(
    tilt_deg: float, outline_mm: np.ndarray, colour: tuple[int, int, int]
) -> None:
    view = view_at(tilt_deg)
    reading = find_discs(covered(view, outline_mm, colour), board_fit(view))
    assert len(reading.discs) == len(SCATTERED)
    middle = outline_mm.mean(axis=0)
    away = [np.hypot(*(item.centre_mm - middle)) for item in reading.unexplained]
    assert min(away, default=np.inf) < 90


@pytest.mark.parametrize("tilt_deg", [5.0, 40.0])
@pytest.mark.parametrize("altered", [np.copy, shaded, glaring], ids=["plain", "shade", "glare"])
def test_bare_wood_raises_no_alarm(
    tilt_deg: float, altered: Callable[[np.ndarray], np.ndarray]
) -> None:
    view = view_at(tilt_deg)
    reading = find_discs(altered(draw(view, SCATTERED)), board_fit(view))
    assert [(item.reason, item.centre_mm) for item in reading.unexplained] == []


def test_a_disc_hides_the_board_under_it_and_behind_it() -> None:
    base = np.array([[0.0, 150.0]])
    camera_mm = np.array([0.0, -900.0, 900.0])
    surface = compute_free_surface(
        BoardSpec(), camera_mm, base, DiscGeometry(radius_mm=15.8, height_mm=9.4)
    )
    hidden = surface.is_hidden(np.array([[0.0, 150.0], [0.0, 178.0], [0.0, 122.0], [60.0, 150.0]]))
    assert hidden.tolist() == [True, True, False, False]


def test_the_hole_and_posts_are_on_the_map() -> None:
    spec = BoardSpec()
    camera_mm = np.array([0.0, 0.0, 1000.0])
    shape = DiscGeometry(radius_mm=15.8, height_mm=9.4)
    surface = compute_free_surface(spec, camera_mm, np.zeros((0, 2)), shape)
    post = spec.post_ring_radius_mm * np.array([np.cos(np.pi / 8), np.sin(np.pi / 8)])
    assert surface.is_hidden(np.array([[0.0, 0.0], post, [150.0, 0.0]])).tolist() == [
        True,
        True,
        False,
    ]
