"""Pictures of few pixels, such as thumbnails: board and discs are read as in large pictures."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from paths import STILLS

from calibration.placed_disc import DiscState
from vision.board.find_board import DetectedBoard, NoBoard, find_board, find_content
from vision.io.array_frame import make_frame
from vision.read_photo import read_photo
from vision.reading import UnexplainedCode

WHITE = (255, 255, 255)


def shrink(name: str, width_px: int, *, sharpen: float = 0.0) -> np.ndarray:
    """A sample picture ``width_px`` wide, sharpened like a thumbnail."""
    image = cv2.imread(str(STILLS / name))
    assert image is not None
    scale = width_px / image.shape[1]
    small = cv2.resize(image, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
    blurred = cv2.GaussianBlur(small, (0, 0), 1.0)
    return cv2.addWeighted(small, 1.0 + sharpen, blurred, -sharpen, 0)


def test_a_small_disc_at_rest_counts_in_a_sharpened_thumbnail() -> None:
    image = shrink("steep_view_walnut_black_and_cream.jpg", 300, sharpen=1.0)
    reading = read_photo(make_frame(image))
    assert len(reading.discs) == 8
    asked = [item for item in reading.unexplained if item.code is not UnexplainedCode.NOT_SEEN]
    for disc in reading.discs:  # a lamp's reflection may be asked about next to any disc
        away_mm = [np.linalg.norm(item.centre_mm - disc.centre_mm) for item in asked]
        assert min(away_mm, default=np.inf) > reading.disc.radius_mm


@pytest.mark.parametrize("width_px", [1280, 960, 800, 640])
def test_a_twenty_whose_gap_is_blurred_in_a_small_picture_is_no_empty_hole(width_px: int) -> None:
    reading = read_photo(make_frame(shrink("twenty_in_the_hole.jpg", width_px)))
    over_hole = [disc for disc in reading.discs if disc.state is not DiscState.FLAT]
    asked = [item for item in reading.unexplained if item.code is UnexplainedCode.HOLE]
    assert len(over_hole) + len(asked) == 1
    assert all(disc.state is DiscState.IN_HOLE or disc.confidence < 1 for disc in over_hole)


@pytest.mark.parametrize(
    "name", ["overhead_walnut_brown_and_natural.jpg", "low_sun_and_hard_shadows.jpg"]
)
def test_a_board_in_a_small_picture_is_found_where_it_is_in_the_large_one(name: str) -> None:
    small = find_board(make_frame(shrink(name, 250)))
    large = find_board(make_frame(shrink(name, 1000)))
    assert isinstance(small, DetectedBoard)
    assert isinstance(large, DetectedBoard)
    rim_mm = [[0.0, 0.0], [280.0, 0.0], [0.0, 280.0], [-280.0, 0.0], [0.0, -280.0]]
    small_px, large_px = (board.fit.view.project_plane(rim_mm) for board in (small, large))
    away_px = np.linalg.norm(4 * (small_px + 0.5) - (large_px + 0.5), axis=1)
    assert away_px.max() < 4.0


@pytest.mark.parametrize("is_below", [False, True])
def test_a_smaller_and_fainter_board_beside_the_scored_one_is_reported(is_below: bool) -> None:
    scored = shrink("octagon_blue_board_with_digits.jpg", 900)
    beside = shrink("empty_cherry_board.jpg", 600)
    if is_below:
        beside = cv2.copyMakeBorder(beside, 0, 0, 0, 300, cv2.BORDER_CONSTANT, value=(90, 90, 90))
        picture = np.vstack([scored, beside])
    else:
        spare = scored.shape[0] - beside.shape[0]
        beside = cv2.copyMakeBorder(beside, 0, spare, 0, 0, cv2.BORDER_CONSTANT, value=(90, 90, 90))
        picture = np.hstack([scored, beside])
    board = find_board(make_frame(picture))
    assert isinstance(board, DetectedBoard)
    assert any("more than one board" in note for note in board.notes)
    assert any(("upper" if is_below else "left") in note for note in board.notes)


def test_a_picture_of_one_board_reports_no_other() -> None:
    wide = cv2.copyMakeBorder(
        shrink("octagon_blue_board_with_digits.jpg", 900),
        *(0, 300, 0, 900),
        cv2.BORDER_CONSTANT,
        value=(90, 90, 90),
    )
    board = find_board(make_frame(wide))
    assert isinstance(board, DetectedBoard)
    assert board.notes == ()


def test_a_picture_without_a_board_says_what_to_do() -> None:
    refusal = find_board(make_frame(shrink("no_board_plate_and_clock.jpg", 800)))
    assert isinstance(refusal, NoBoard)
    assert "the board from above" in refusal.reason
    assert "Fill the picture" in refusal.reason


def between_bars(picture: np.ndarray) -> np.ndarray:
    """A phone's screenshot of a picture: plain bars above and below, with a clock and buttons."""
    height, width = picture.shape[:2]
    screen = np.full((int(2.16 * width), width, 3), 18, np.uint8)
    top = (len(screen) - height) // 2
    screen[top : top + height] = picture
    cv2.putText(screen, "18:42", (width // 20, top // 4), cv2.FONT_HERSHEY_SIMPLEX, 2, WHITE, 4)
    for k in range(4):
        middle = (width // 8 + k * width // 4, len(screen) - top // 4)
        cv2.circle(screen, middle, top // 8, WHITE, 3)
    encoded = cv2.imencode(".jpg", screen, [cv2.IMWRITE_JPEG_QUALITY, 88])[1]
    return cv2.imdecode(encoded, cv2.IMREAD_COLOR)


@pytest.mark.parametrize("is_lying", [False, True], ids=["above and below", "left and right"])
def test_a_board_in_a_screenshot_is_found_where_its_picture_shows_it(is_lying: bool) -> None:
    picture = cv2.imread(str(STILLS / "oblique_birch_red_and_blue.jpg"))
    alone = find_board(make_frame(picture))
    screen = between_bars(picture)
    offset_px = np.array([0, (len(screen) - len(picture)) // 2])
    if is_lying:
        bars = np.full((picture.shape[0], 400, 3), 18, np.uint8)
        screen, offset_px = np.hstack([bars, picture, bars]), np.array([400, 0])
    found = find_board(make_frame(screen))
    assert isinstance(alone, DetectedBoard)
    assert isinstance(found, DetectedBoard)
    places_mm = np.array([[0.0, 0.0], [200.0, 0.0], [0.0, 200.0]])
    seen_px = found.fit.view.project_plane(places_mm) - offset_px
    assert seen_px == pytest.approx(alone.fit.view.project_plane(places_mm), abs=0.5)


def test_a_picture_without_bars_is_all_content() -> None:
    picture = cv2.imread(str(STILLS / "oblique_birch_red_and_blue.jpg"))
    assert find_content(picture) is None
    assert find_content(np.full((300, 400, 3), 18, np.uint8)) is None
