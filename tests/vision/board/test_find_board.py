"""Boards found in drawn pictures, and no board found where there is none."""

from __future__ import annotations

from dataclasses import replace

import cv2
import numpy as np
import pytest
from drawn_board import draw_board, draw_posts, frame_of, view_of

from calibration.board import BoardSpec
from calibration.disc import DiscSpec
from calibration.pose import View
from calibration.profile import CalibrationProfile
from vision.board.find_board import DetectedBoard, NoBoard, find_board


def found(grey: np.ndarray, profile: CalibrationProfile | None = None) -> DetectedBoard:
    board = find_board(frame_of(grey), profile)
    assert isinstance(board, DetectedBoard), board
    return board


def worst_mm(board: DetectedBoard, true: View, radius_mm: float) -> float:
    """Largest distance between a ring's points and their detected places, up to the quarter turn
    that a board's frame leaves open.
    """
    azimuths = np.linspace(0, 2 * np.pi, 36, endpoint=False)
    ring = radius_mm * np.stack([np.cos(azimuths), np.sin(azimuths)], axis=-1)
    seen = board.fit.view.unproject_plane(true.project_plane(ring))
    quarters = [np.linalg.matrix_power(np.array([[0.0, -1.0], [1.0, 0.0]]), k) for k in range(4)]
    return min(float(np.linalg.norm(seen @ q - ring, axis=-1).max()) for q in quarters)


@pytest.mark.parametrize(
    ("tilt_deg", "turn_deg", "roll_deg"),
    [(0, 10, 0), (12, 70, 100), (30, -25, 0), (45, 5, -60), (58, 33, 180)],
)
def test_a_board_is_found_at_any_tilt_and_rotation(
    tilt_deg: float, turn_deg: float, roll_deg: float
) -> None:
    true = view_of(tilt_deg, turn_deg, roll_deg=roll_deg)
    board = found(draw_board(true))
    assert worst_mm(board, true, 300.0) < 0.8
    assert worst_mm(board, true, 100.0) < 0.4


@pytest.mark.parametrize(
    ("tilt_deg", "roll_deg", "focal_sides"), [(68, 0, 1.0), (73, 4, 1.5), (77, -3, 2.2)]
)
def test_a_board_is_found_in_a_zoomed_grazing_view(
    tilt_deg: float, roll_deg: float, focal_sides: float
) -> None:
    size = (1280, 720)
    true = view_of(
        tilt_deg,
        20.0,
        roll_deg=roll_deg,
        size_px=size,
        distance_mm=1500.0 * focal_sides,
        focal_sides=focal_sides,
    )
    board = found(draw_board(true, size_px=size))
    assert worst_mm(board, true, 300.0) < 1.5
    assert board.fit.view.camera.fx_px == pytest.approx(true.camera.fx_px, rel=0.04)


def test_light_lines_on_a_dark_board_are_found_in_a_grazing_view() -> None:
    size = (1280, 720)
    true = view_of(72.0, 20.0, size_px=size, distance_mm=2000.0, focal_sides=1.4)
    assert worst_mm(found(255.0 - draw_board(true, size_px=size)), true, 300.0) < 1.5


def test_faint_lines_are_accepted_with_eight_posts() -> None:
    size = (1280, 720)
    true = view_of(74.0, 20.0, size_px=size, distance_mm=2000.0, focal_sides=1.4)
    spec = BoardSpec(line_width_mm=0.15)
    faint = draw_board(true, spec, size_px=size)
    assert isinstance(find_board(frame_of(faint)), NoBoard)
    with_posts = draw_posts(faint, true, spec, np.pi / 8)
    assert worst_mm(found(with_posts), true, 300.0) < 5.0


def test_up_on_the_board_is_up_in_the_picture() -> None:
    board = found(draw_board(view_of(25.0, 130.0)))
    centre, tip = board.fit.view.project_plane([[0.0, 0.0], [0.0, 50.0]])
    assert tip[1] < centre[1] - abs(tip[0] - centre[0])


def test_a_loud_grain_does_not_hide_the_lines() -> None:
    true = view_of(20.0, 15.0)
    assert worst_mm(found(draw_board(true, grain=25.0)), true, 300.0) < 1.0


def test_a_lamps_reflection_over_half_of_the_lines_does_not_hide_the_board() -> None:
    true = view_of(40.0, 15.0)
    drawn = draw_board(true)
    lamp = np.hypot(*np.meshgrid(np.arange(1200) - 420.0, np.arange(900) - 300.0))
    assert worst_mm(found(drawn + 500.0 * np.exp(-((lamp / 230.0) ** 2))), true, 300.0) < 1.2


def test_a_small_board_in_a_large_picture_is_found() -> None:
    true = view_of(20.0, distance_mm=2600.0)
    assert worst_mm(found(draw_board(true)), true, 200.0) < 1.5


def test_a_speckled_carpet_does_not_hide_the_board() -> None:
    true = view_of(20.0, 15.0, distance_mm=2000.0)
    x_px, y_px = np.meshgrid(np.arange(1200.0), np.arange(900.0))
    place_mm = true.unproject_plane(np.stack([x_px, y_px], axis=-1).reshape(-1, 2))
    is_carpet = (np.linalg.norm(place_mm, axis=-1) > 400.0).reshape(x_px.shape)
    specks = cv2.GaussianBlur(np.random.default_rng(1).normal(size=x_px.shape), (0, 0), 1.6)
    carpet = is_carpet * cv2.GaussianBlur(30.0 * np.sign(specks), (0, 0), 0.7)
    assert worst_mm(found(draw_board(true, grain=8.0) + carpet), true, 200.0) < 1.5


def test_a_home_made_board_is_measured() -> None:
    spec = BoardSpec(line_radii_mm=(95.6, 203.2, 282.0), surface_radius_mm=306.0, line_width_mm=2.4)
    measured = found(draw_board(view_of(22.0, 8.0), spec)).fit.spec
    assert measured.line_radii_mm == pytest.approx(spec.line_radii_mm, abs=0.8)
    assert measured.surface_radius_mm == pytest.approx(306.0, abs=1.5)
    assert measured.hole_radius_mm == pytest.approx(spec.hole_radius_mm, abs=1.0)
    assert measured.line_width_mm == pytest.approx(2.4, abs=3 * measured.line_width_sigma_mm)


def test_a_profile_sets_the_scale_and_its_sizes_hold() -> None:
    spec = BoardSpec(line_radii_mm=(110.0, 220.0, 330.0), surface_radius_mm=356.0)
    profile = CalibrationProfile(board=spec, disc=DiscSpec())
    true = view_of(20.0, distance_mm=1250.0)
    board = found(draw_board(true, spec), profile)
    measured = board.fit.spec  # except that the rings' centres and ovality are those of the picture
    shape = {"line_centres_mm": measured.line_centres_mm, "ovality": measured.ovality}
    assert measured == replace(spec, **shape)
    assert worst_mm(board, true, 320.0) < 0.8


def test_light_lines_on_a_dark_board_are_lines_too() -> None:
    true = view_of(28.0, 12.0)
    assert worst_mm(found(255.0 - draw_board(true)), true, 300.0) < 0.8


def test_a_board_that_is_partly_cropped_is_found() -> None:
    true = view_of(18.0, 40.0)
    cropped = draw_board(true)[:, 330:]
    board = found(cropped)
    shifted = View(
        camera=true.camera.__class__(
            fx_px=true.camera.fx_px,
            fy_px=true.camera.fy_px,
            cx_px=true.camera.cx_px - 330,
            cy_px=true.camera.cy_px,
        ),
        cam_from_board=true.cam_from_board,
    )
    assert worst_mm(board, shifted, 200.0) < 2.0


def test_a_board_more_than_half_out_of_the_picture_is_refused_with_its_share() -> None:
    picture = draw_board(view_of(10.0))[:, 640:]
    board = find_board(frame_of(picture))
    assert isinstance(board, NoBoard)
    assert "whole" in board.reason


def test_of_two_boards_the_central_one_is_scored_with_a_note() -> None:
    size = (700, 900)
    central = draw_board(view_of(5.0, size_px=size, distance_mm=1150.0), size_px=size)
    aside = draw_board(view_of(8.0, size_px=size, distance_mm=1300.0), size_px=size)
    picture = np.hstack([aside, central, np.full((900, 500), 120.0)])
    board = found(picture)
    middle = board.fit.view.project_plane([[0.0, 0.0]])[0]
    assert 700 < middle[0] < 1400
    assert any("more than one board" in note for note in board.notes)


def round_things() -> dict[str, np.ndarray]:
    """Pictures of round objects that are no boards."""
    table = np.random.default_rng(3).normal(120.0, 3.0, (900, 1200)).astype(np.float32)
    plate, target, clock, record = (table.copy() for _ in range(4))
    for radius, value in ((360, 235.0), (350, 200.0), (345, 235.0), (250, 225.0)):
        cv2.circle(plate, (600, 450), radius, value, -1, cv2.LINE_AA)
    cv2.circle(target, (600, 450), 400, 235.0, -1, cv2.LINE_AA)
    for radius in range(55, 390, 55):
        cv2.circle(target, (600, 450), radius, 40.0, 2, cv2.LINE_AA)
    cv2.circle(clock, (600, 450), 350, 240.0, -1, cv2.LINE_AA)
    cv2.circle(clock, (600, 450), 360, 30.0, 12, cv2.LINE_AA)
    for minute in range(60):
        way = np.array([np.cos(minute * np.pi / 30), np.sin(minute * np.pi / 30)])
        ends = [tuple(int(v) for v in (600, 450) + way * r) for r in (310, 335)]
        cv2.line(clock, ends[0], ends[1], 20.0, 6 if minute % 5 == 0 else 2, cv2.LINE_AA)
    cv2.circle(record, (600, 450), 400, 30.0, -1, cv2.LINE_AA)
    for radius in range(150, 395, 8):
        cv2.circle(record, (600, 450), radius, 46.0, 1, cv2.LINE_AA)
    cv2.circle(record, (600, 450), 130, 150.0, -1, cv2.LINE_AA)
    return {"bare table": table, "plate": plate, "target": target, "clock": clock, "record": record}


@pytest.mark.parametrize("thing", ["bare table", "plate", "target", "clock", "record"])
def test_round_things_are_not_boards(thing: str) -> None:
    board = find_board(frame_of(round_things()[thing]))
    assert isinstance(board, NoBoard)
    assert board.reason


@pytest.mark.parametrize(("thing", "lit"), [("plate", 130.0), ("target", 60.0), ("clock", 130.0)])
def test_saturated_round_objects_are_not_boards(thing: str, lit: float) -> None:
    assert isinstance(find_board(frame_of(round_things()[thing] + lit)), NoBoard)


@pytest.mark.parametrize("beside_mm", [4.0, 120.0], ids=["near", "far off"])
def test_a_board_is_found_near_its_former_place_and_elsewhere(beside_mm: float) -> None:
    true = view_of(25.0, 10.0)
    pose = true.cam_from_board
    beside = replace(pose, translation_mm=pose.translation_mm + beside_mm * np.array([1, -1, 0]))
    board = find_board(frame_of(draw_board(true)), near=replace(true, cam_from_board=beside))
    assert isinstance(board, DetectedBoard)
    assert worst_mm(board, true, 300.0) < 0.8


def test_a_picture_without_a_board_has_none_at_its_former_place() -> None:
    grain = np.random.default_rng(5).normal(150, 20, (900, 1200)).clip(0, 255)
    assert isinstance(find_board(frame_of(grain), near=view_of(25.0)), NoBoard)
