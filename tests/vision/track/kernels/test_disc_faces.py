"""Compiled faces, compared with plain arrays of single windows."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from vision.track.kernels import disc_faces as faces

THRESHOLD, CENTRINGS, STEPS, REACH = 12, 2, 20, 16
CORE, BODY, FACE, INNER, OUTER = 3.975, 8.95, 6.95, 8.95, 11.45
ALIKE, FAINT, WINDOW, ROUND = 0.6, 70.0, 10.95, 0.6
PARAMETERS = np.array([REACH, CORE, BODY, FACE, INNER, OUTER, ALIKE, FAINT, WINDOW, ROUND])
#: A disc and a finger that touches it, a barely visible disc, and empty wood.
PLACES = np.array([[40.3, 41.8], [80.0, 44.5], [60.0, 90.0]])


@pytest.fixture(scope="module", params=range(4))
def frame(request: pytest.FixtureRequest) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    random = np.random.default_rng(request.param)
    board = random.normal((90, 125, 150), 4.0, (120, 120, 3)).clip(0, 255).astype(np.uint8)
    image = board.copy()
    cv2.circle(image, (41, 40), 8, (40, 45, 170), -1)
    cv2.rectangle(image, (38, 46), (43, 75), (60, 65, 160), -1)
    cv2.circle(image, (80, 46), 8, (110, 145, 172), -1)
    noisy = image + random.normal(0, 3.0, image.shape)
    image = noisy.clip(0, 255).astype(np.uint8)
    return image, board, cv2.absdiff(image, board).max(axis=2)


def _measure_plainly(
    image: np.ndarray, board: np.ndarray, difference: np.ndarray, place: np.ndarray
) -> tuple[np.ndarray, float, np.ndarray]:
    """The middle (2,), the roundness and the colour (3,) of one face."""
    row, column = np.indices(difference.shape)
    left, top = np.rint(place).astype(int) - REACH
    window = np.zeros(difference.shape, dtype=bool)
    window[top : top + 2 * REACH + 1, left : left + 2 * REACH + 1] = True
    centre, differs = place, window & (difference > THRESHOLD)
    for _ in range(CENTRINGS):
        away = np.hypot(column - centre[0], row - centre[1])
        colour, empty = (np.median(picture[away < CORE], axis=0) for picture in (image, board))
        apart = np.linalg.norm(colour - empty)
        alike = differs & (np.linalg.norm(image - colour, axis=2) < ALIKE * apart)
        body = alike & (away < BODY)
        if not body.any():
            return centre, 0.0, colour
        centre = np.array([column[body].mean(), row[body].mean()])
    away = np.hypot(column - centre[0], row - centre[1])[window]
    marks = [alike[window]]
    if apart < FAINT:
        grid = alike[window].reshape(2 * REACH + 1, -1).astype(np.uint8)
        closed = cv2.morphologyEx(grid, cv2.MORPH_CLOSE, np.ones((3, 3), np.uint8)) > 0
        marks.append(closed.ravel() & differs[window])
    ring = (away >= INNER) & (away < OUTER)
    roundness = max(m[away < FACE].mean() - m[ring].mean() for m in marks)
    return _shift(alike, centre) if roundness > ROUND else centre, roundness, colour


def _shift(alike: np.ndarray, centre: np.ndarray) -> np.ndarray:
    """The middle (2,) of the marks about a place, nearer ones weighing more."""
    row, column = np.indices(alike.shape)
    for _ in range(STEPS):
        away = np.hypot(column - centre[0], row - centre[1])
        weights = alike * np.clip(1 - (away / WINDOW) ** 2, 0, None)
        centre = np.array([np.sum(weights * axis) for axis in (column, row)]) / weights.sum()
    return centre


def test_compiled_faces_are_those_of_plain_arrays(
    frame: tuple[np.ndarray, np.ndarray, np.ndarray],
) -> None:
    found = faces.measure_faces(*frame, THRESHOLD, PLACES, CENTRINGS, STEPS, PARAMETERS)
    for row, place in zip(found, PLACES, strict=True):
        centre, roundness, colour = _measure_plainly(*frame, place)
        np.testing.assert_allclose(row[faces.BLUE :], colour, atol=0.5)
        np.testing.assert_allclose(row[: faces.ROUNDNESS], centre, atol=0.02)
        assert row[faces.ROUNDNESS] == pytest.approx(roundness, abs=0.005)
    assert found[0, faces.ROUNDNESS] > 0.5
