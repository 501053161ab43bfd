"""The cheap test before the motion gate: same and changed pictures."""

import av
import cv2
import numpy as np
import pytest

from calibration.board import BoardSpec
from calibration.camera import Camera
from calibration.pose import Pose, View
from vision.io.frame_converter import DecodedImage, FormatConverter, find_turn
from vision.io.timed_frame import CameraImage, ImagePlane
from vision.rectify.frame_rectifier import make_rectifier
from vision.track.motion.same_picture import LOOK_EVERY_S, SamePicture, is_alike
from vision.track.steady.steadied_image import SteadiedImage

_SHAPE = (540, 960, 3)
_THRESHOLD = 12


@pytest.fixture(scope="module")
def view() -> View:
    camera = Camera(fx_px=900.0, fy_px=900.0, cx_px=480.0, cy_px=270.0)
    tilt = np.deg2rad(35.0)
    turn = np.array(
        [[1, 0, 0], [0, -np.cos(tilt), np.sin(tilt)], [0, -np.sin(tilt), -np.cos(tilt)]]
    )
    pose = Pose(rotation=turn, translation_mm=np.array([0.0, 0.0, 1250.0]))
    return View(camera=camera, cam_from_board=pose)


def _draw(view: View, disc_mm: tuple[float, float], noise: float, seed: int) -> CameraImage:
    """A plain board with a disc a little darker than the wood, and the camera's noise."""
    image = np.full(_SHAPE, (120.0, 150.0, 180.0), np.float32)
    angle = np.linspace(0, 2 * np.pi, 90)
    rim = np.array(disc_mm) + 16.0 * np.stack([np.cos(angle), np.sin(angle)], axis=1)
    outline = np.rint(16 * view.project_plane(rim, 10.0)).astype(np.int32)
    cv2.fillPoly(image, [outline], (85.0, 110.0, 140.0), cv2.LINE_AA, 4)
    grain = np.random.default_rng(seed).normal(0.0, noise, _SHAPE)
    return CameraImage(np.clip(np.rint(image + grain), 0, 255).astype(np.uint8))


def _remembered(view: View, image: CameraImage, watched: np.ndarray | None = None) -> SamePicture:
    rectifier = make_rectifier(view, BoardSpec(), _SHAPE)
    same = SamePicture(rectifier)
    same.remember(image, 1.0, rectifier.inside if watched is None else watched)
    return same


def test_noise_alone_is_the_same_picture(view):
    same = _remembered(view, _draw(view, (100.0, 50.0), 2.0, seed=1))
    assert same.shows_same(_draw(view, (100.0, 50.0), 2.0, seed=2), 1.1, _THRESHOLD)


@pytest.mark.parametrize("moved_mm", [(2.5, 0.0), (0.0, -2.5), (60.0, 60.0)])
def test_a_disc_that_moved_by_two_pixels_is_another_picture(view, moved_mm):
    same = _remembered(view, _draw(view, (100.0, 50.0), 2.0, seed=1))
    now = _draw(view, (100.0 + moved_mm[0], 50.0 + moved_mm[1]), 2.0, seed=2)
    assert not same.shows_same(now, 1.1, _THRESHOLD)


def test_a_change_of_one_channel_alone_is_another_picture(view):
    before = _draw(view, (100.0, 50.0), 0.0, seed=1)
    now = before.bgr.copy()
    now[250:262, 470:482, 2] -= 40
    assert not _remembered(view, before).shows_same(CameraImage(now), 1.1, _THRESHOLD)


def test_a_whole_look_comes_due(view):
    image = _draw(view, (100.0, 50.0), 0.0, seed=1)
    same = _remembered(view, image)
    assert same.shows_same(image, 1.0 + 0.9 * LOOK_EVERY_S, _THRESHOLD)
    assert not same.shows_same(image, 1.0 + 1.1 * LOOK_EVERY_S, _THRESHOLD)


def test_before_any_frame_was_looked_at_nothing_is_the_same(view):
    same = SamePicture(make_rectifier(view, BoardSpec(), _SHAPE))
    assert not same.shows_same(_draw(view, (0.0, 100.0), 0.0, seed=1), 1.0, _THRESHOLD)


def _decoded(image: CameraImage) -> DecodedImage:
    """The image as decoded: luma, and chroma at half the resolution."""
    coloured = av.VideoFrame.from_ndarray(image.bgr, format="bgr24")
    planar = coloured.reformat(format="yuv420p")
    return DecodedImage(planar, _SHAPE[1], FormatConverter(), find_turn(np.eye(2)))


@pytest.mark.parametrize("moved_mm", [(2.5, 0.0), (0.0, -2.5), (60.0, 60.0)])
def test_of_decoded_frames_only_one_without_motion_is_the_same_picture(view, moved_mm):
    same = _remembered(view, _decoded(_draw(view, (100.0, 50.0), 2.0, seed=1)))
    assert same.shows_same(_decoded(_draw(view, (100.0, 50.0), 2.0, seed=2)), 1.1, _THRESHOLD)
    now = _draw(view, (100.0 + moved_mm[0], 50.0 + moved_mm[1]), 2.0, seed=2)
    assert not same.shows_same(_decoded(now), 1.1, _THRESHOLD)


def test_of_decoded_frames_a_change_of_colour_alone_is_another_picture(view):
    before = _draw(view, (100.0, 50.0), 0.0, seed=1)
    now = before.bgr.copy()
    now[240:272, 464:496] = (180, 152, 152)  # as bright as (120, 150, 180), but blue
    assert not _remembered(view, _decoded(before)).shows_same(
        _decoded(CameraImage(now)), 1.1, _THRESHOLD
    )


def _seen_by_hand(image: CameraImage, offset_px: tuple[float, float]) -> SteadiedImage:
    """The decoded frame of a displaced camera, moved back."""
    warp = np.eye(3)
    warp[:2, 2] = offset_px
    moved = cv2.warpPerspective(
        image.bgr, warp, _SHAPE[1::-1], flags=cv2.INTER_CUBIC, borderMode=cv2.BORDER_REPLICATE
    )
    return SteadiedImage(_decoded(CameraImage(moved)), warp)


@pytest.mark.parametrize("offset_px", [(0.5, 0.5), (3.3, -2.7), (-11.4, 6.25)])
def test_a_camera_that_sways_over_a_still_board_shows_the_same_picture(view, offset_px):
    board = _draw(view, (100.0, 50.0), 0.0, seed=1)
    same = _remembered(view, _seen_by_hand(board, (0.0, 0.0)))
    assert same.shows_same(_seen_by_hand(board, offset_px), 1.1, _THRESHOLD)
    # a full check is due
    assert not same.shows_same(_seen_by_hand(board, (0.0, 0.0)), 1.4, _THRESHOLD)


@pytest.mark.parametrize("moved_mm", [(4.0, 0.0), (0.0, -4.0), (60.0, 60.0)])
def test_a_camera_that_sways_over_a_disc_that_moved_shows_another_picture(view, moved_mm):
    same = _remembered(view, _seen_by_hand(_draw(view, (100.0, 50.0), 2.0, seed=1), (0.0, 0.0)))
    now = _draw(view, (100.0 + moved_mm[0], 50.0 + moved_mm[1]), 2.0, seed=2)
    assert not same.shows_same(_seen_by_hand(now, (3.3, -2.7)), 1.1, _THRESHOLD)


def test_a_frame_that_could_not_be_moved_back_is_another_picture(view):
    board = _draw(view, (100.0, 50.0), 0.0, seed=1)
    same = _remembered(view, _seen_by_hand(board, (0.5, 0.5)))
    assert not same.shows_same(_decoded(board), 1.1, _THRESHOLD)
    same.remember(_decoded(board), 1.2, make_rectifier(view, BoardSpec(), _SHAPE).inside)
    assert same.shows_same(_decoded(board), 1.3, _THRESHOLD)


def test_only_what_is_watched_tells_another_picture(view):
    rectifier = make_rectifier(view, BoardSpec(), _SHAPE)
    disc_mm, moved_mm = (150.0, 50.0), (160.0, 50.0)
    before, now = (_draw(view, discs, 0.0, seed=1) for discs in (disc_mm, moved_mm))
    for away_mm, is_same in ((60.0, True), (20.0, False)):
        watched = rectifier.disc_mask(disc_mm, 16.0 + away_mm) == 0
        rest = watched if is_same else ~watched
        same = _remembered(view, before, rest)
        assert same.shows_same(now, 1.1, _THRESHOLD) is is_same
        assert same.shows_same(before, 1.1, _THRESHOLD)


@pytest.mark.parametrize("channels", [1, 3])
@pytest.mark.parametrize(
    ("levels", "by", "row", "is_changed"),
    [(2, 13, 5, True), (1, 13, 5, False), (2, 12, 5, False), (2, 13, 1, False)],
    ids=["enough", "too few", "too little", "in no watched cell"],
)
def test_a_cell_has_changed_where_more_levels_differ_by_more(
    levels: int, by: int, row: int, channels: int, is_changed: bool
) -> None:
    before = np.full((16, 16, channels), 200, np.uint8)[::2].squeeze()  # two rows of two cells
    now = before.copy()
    now[row, 9 : 9 + levels] -= np.uint8(by)
    cells = np.array([[1, 0], [1, 1]], np.uint8)
    planes = [ImagePlane(levels=levels) for levels in (now, before)]
    assert is_alike(*planes, cells, 12) is not is_changed
    assert is_alike(*planes[::-1], cells, 12) is not is_changed
