"""The detector's networks on drawn boards: the discs, objects and holes that they find."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from drawn_discs import BLACK_BGR, RED_BGR, WOOD_BGR, Drawn, draw, view_at
from paths import ROOT

from calibration.board import BoardSpec
from vision.detector.board_crops import DISC_SIDE_PX, HOLE_SIDE_PX, FacingFrame, crop_planes
from vision.detector.detect_board import HoleState, crop_board, detect_board

SPEC = BoardSpec()
DISCS: list[Drawn] = [
    (150.0, 30.0, BLACK_BGR),
    (-120.0, 210.0, RED_BGR),
    (40.0, -140.0, BLACK_BGR),
    (-60.0, 40.0, RED_BGR),
]
#: A sleeve, a hand and three fingers: ends in mm, width in pixels, colour.
ARM = [
    ((-420.0, -80.0, 70.0), (-150.0, 0.0, 45.0), 80, (90, 60, 50)),
    ((-160.0, 0.0, 45.0), (-90.0, 20.0, 30.0), 56, (120, 150, 205)),
    ((-95.0, 20.0, 30.0), (-40.0, 10.0, 12.0), 16, (115, 145, 200)),
    ((-95.0, 30.0, 30.0), (-35.0, 35.0, 12.0), 16, (125, 155, 210)),
    ((-95.0, 40.0, 30.0), (-45.0, 60.0, 12.0), 16, (115, 145, 200)),
]
PLACES = np.array([disc[:2] for disc in DISCS])


@pytest.mark.parametrize("tilt_deg", [0.0, 30.0, 60.0, 72.0])
@pytest.mark.parametrize("field", [0, 1])
@pytest.mark.parametrize("mirrored", [False, True])
def test_every_drawn_disc_is_seen_within_four_millimetres(
    tilt_deg: float, field: int, mirrored: bool
) -> None:
    view = view_at(tilt_deg, 1300.0)
    image = draw(view, DISCS, with_posts=True)
    seen = detect_board(crop_board(image, view, SPEC, field), mirrored=mirrored)
    assert seen.score_near(PLACES, 4.0).min() > 0.4
    assert np.linalg.norm(seen.nearest_mm(PLACES, 22.0) - PLACES, axis=-1).max() < 4.0


@pytest.mark.parametrize("tilt_deg", [0.0, 30.0, 60.0, 72.0])
def test_a_board_without_discs_shows_none_and_nothing_that_covers_it(tilt_deg: float) -> None:
    view = view_at(tilt_deg, 1300.0)
    seen = detect_board(crop_board(draw(view, [], with_posts=True), view, SPEC, 0))
    within = np.linalg.norm(seen.base_mm, axis=-1) < SPEC.line_radii_mm[2]
    assert seen.score[within].max(initial=0.0) < 0.4
    assert seen.covered_mm2 == 0.0


def test_an_arm_over_the_board_covers_some_of_it() -> None:
    view = view_at(40.0, 1300.0)
    image = draw(view, [])
    for start, end, width_px, colour in ARM:
        one, two = (tuple(int(v) for v in place) for place in view.project(np.array([start, end])))
        cv2.line(image, one, two, colour, width_px, cv2.LINE_AA)
    seen = detect_board(crop_board(image, view, SPEC, 0))
    assert seen.covered_mm2 > 5000.0
    ends_px = view.project(np.array([place for start, end, *_ in ARM for place in (start, end)]))
    middle_px = view.project_plane(seen.covered_mm[None])[0]
    assert (ends_px.min(axis=0) < middle_px).all()
    assert (middle_px < ends_px.max(axis=0)).all()


@pytest.mark.parametrize("tilt_deg", [0.0, 60.0])
def test_a_disc_in_the_hole_is_likelier_one_than_an_empty_hole_is(tilt_deg: float) -> None:
    view = view_at(tilt_deg, 1100.0)
    full = draw(view, DISCS, sunk=[(0.5, 0.3, RED_BGR)], standing_mm=1.5)
    empty = draw(view, DISCS)
    both = [detect_board(crop_board(image, view, SPEC, 0)).hole for image in (full, empty)]
    assert both[0][HoleState.DISC] > both[1][HoleState.DISC]
    assert both[1][HoleState.EMPTY] > both[0][HoleState.EMPTY]


@pytest.mark.parametrize(
    ("name", "side", "expected"),
    [
        ("board", DISC_SIDE_PX, (0.0135797, 0.4702760, -0.2215576, 0.0004783)),
        ("hole", HOLE_SIDE_PX, (0.8490021, 0.0091217, 0.0077451, 0.1341312)),
    ],
)
def test_networks_answer_as_they_did_where_they_were_trained(
    name: str, side: int, expected: tuple[float, ...]
) -> None:
    noise = np.random.default_rng(1).random((1, 8, side, side)).astype(np.float32)
    net = cv2.dnn.readNetFromONNX(str(ROOT / "vision" / "detector" / f"{name}.onnx"))
    net.setInput(noise)
    answer = net.forward()
    middle = answer[0, :, 42, 42] if name == "board" else answer[0]
    np.testing.assert_allclose(middle, expected, atol=2e-5)


@pytest.mark.parametrize("turn_deg", [0.0, 77.0, 180.0, 260.0])
def test_the_facing_frame_has_the_camera_below_wherever_it_stands(turn_deg: float) -> None:
    view = view_at(50.0)
    turn = np.radians(turn_deg)
    about_z = np.array(
        [[np.cos(turn), -np.sin(turn), 0], [np.sin(turn), np.cos(turn), 0], [0, 0, 1]]
    )
    pose = type(view.cam_from_board)(
        rotation=view.cam_from_board.rotation @ about_z,
        translation_mm=view.cam_from_board.translation_mm,
    )
    facing = FacingFrame.of_view(type(view)(camera=view.camera, cam_from_board=pose))
    across = facing.board_from_facing @ facing.camera_mm[:2]
    np.testing.assert_allclose(across, pose.camera_board_mm[:2], atol=1e-9)
    assert facing.camera_mm[0] == 0.0
    assert facing.camera_mm[1] < 0.0


def test_crops_have_black_beyond_the_picture_and_wood_within() -> None:
    view = view_at(30.0)
    planes = crop_planes(
        draw(view, [], noise_grey=0.0)[:, :700],
        view,
        np.zeros(2),
        heights_mm=(0.0, 9.5),
        side_px=DISC_SIDE_PX,
        mm_per_px=2.0,
        field=0,
    )
    middle = DISC_SIDE_PX // 2
    assert planes[0, :3, middle, -1].tolist() == [0.0, 0.0, 0.0]
    wood = np.array(WOOD_BGR[::-1]) / 255
    np.testing.assert_allclose(planes[0, :3, middle, middle - 25], wood, atol=0.01)
    assert planes.shape == (1, 8, DISC_SIDE_PX, DISC_SIDE_PX)
    assert HOLE_SIDE_PX < DISC_SIDE_PX
