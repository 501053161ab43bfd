"""A film of a swaying camera is registered to its board, frame by frame."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import pytest
from hand_held_film import move_board, read_view, sway_views, write_film
from paths import STILLS

from calibration.parameters import using
from calibration.pose import View
from vision.board.find_board import NoBoard
from vision.io.sources import SourceError
from vision.register.film import open_film
from vision.register.reference import find_reference
from vision.register.register_film import RegisteredFilm, register_film
from vision.register.steady_view import SteadyView

FRAMES = 8


@pytest.fixture(scope="module")
def still() -> tuple[np.ndarray, View]:
    picture = cv2.imread(str(STILLS / "full_board_white_and_red.jpg"))
    assert picture is not None
    view = read_view(STILLS / "full_board_white_and_red.json").rescale(0.75)
    return cv2.resize(picture, None, fx=0.75, fy=0.75, interpolation=cv2.INTER_AREA), view


@pytest.fixture(scope="module")
def swayed(
    still: tuple[np.ndarray, View], tmp_path_factory: pytest.TempPathFactory
) -> tuple[RegisteredFilm, list[View]]:
    """A registered film whose fifth frame shows another scene, and its true views."""
    picture, view = still
    views = sway_views(view, FRAMES, 14.0, seed=4)
    images = [move_board(picture, view, moved) for moved in views]
    images[5] = np.full(picture.shape, 90, np.uint8)
    film = open_film(str(write_film(tmp_path_factory.mktemp("swayed"), images)))
    reference = find_reference(film, None)
    assert not isinstance(reference, NoBoard)
    return register_film(film, reference, np.zeros((0, 2))), views


def test_every_frame_that_shows_the_board_is_registered(
    swayed: tuple[RegisteredFilm, list[View]],
) -> None:
    registered, _ = swayed
    assert [pose is None for pose in registered.poses] == [k == 5 for k in range(FRAMES)]
    assert registered.registered_share == pytest.approx(7 / 8)


def test_places_on_the_board_are_registered_to_half_a_millimetre_while_the_camera_moves(
    swayed: tuple[RegisteredFilm, list[View]],
) -> None:
    registered, views = swayed
    assert registered.speed_px_s > 30
    angles = np.arange(12) * np.pi / 6
    places = 250.0 * np.stack([np.cos(angles), np.sin(angles)], axis=-1)
    # the truth's axes differ, but lengths and steps between frames do not depend on them
    first = registered.poses[0]
    assert first is not None
    marks = first.view.unproject_plane(views[0].project_plane(places))
    assert np.linalg.norm(marks, axis=-1) == pytest.approx(250.0, abs=0.6)
    for pose, true in zip(registered.poses, views, strict=True):
        if pose is not None:
            seen = pose.view.unproject_plane(true.project_plane(places))
            assert np.linalg.norm(seen - marks, axis=-1).max() < 0.4


def test_a_steady_view_shows_the_same_board_in_every_frame(
    swayed: tuple[RegisteredFilm, list[View]],
) -> None:
    registered, _ = swayed
    reference = registered.reference
    steady = SteadyView(reference.fit.view, reference.image.shape)
    pictures = [
        steady.smooth(steady.warp(frame.image, pose.view)) for frame, pose in registered.frames()
    ]
    assert len(pictures) == FRAMES - 1
    middle = reference.fit.view.project_plane([[0.0, 0.0]])[0].astype(int)
    window = slice(middle[1] - 200, middle[1] + 200), slice(middle[0] - 200, middle[0] + 200)
    for picture in pictures[1:]:
        apart = cv2.absdiff(picture[window], pictures[0][window])
        assert float(np.mean(apart)) < 2.0
        assert float(np.mean(apart > 12)) < 0.005  # changes that the tracker detects


def test_a_film_without_a_board_says_why(tmp_path: Path) -> None:
    grey = np.full((240, 320, 3), 90, np.uint8)
    reference = find_reference(open_film(str(write_film(tmp_path, [grey] * 3))), None)
    assert isinstance(reference, NoBoard)
    assert "board" in reference.reason


def test_a_film_that_is_too_long_is_refused(tmp_path: Path) -> None:
    grey = np.full((120, 160, 3), 90, np.uint8)
    film = open_film(str(write_film(tmp_path, [grey] * 5)))
    with (
        using({"register.film.longest_s": 0.1}),
        pytest.raises(SourceError, match="Cut it to the shot"),
    ):
        list(film.frames())
