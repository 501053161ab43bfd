"""The wizard's steps, with the real detector on drawn boards and on sample pictures."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import pytest
from drawn_board import draw_board, view_of

from calibration.board import BoardSpec
from calibration.board_speed import BoardSpeed
from calibration.disc import DiscSpec
from calibration.profile import CalibrationProfile, find_ring_mismatch
from calibration.wizard.control_points import control_points_mm
from calibration.wizard.measurements import build_profile
from calibration.wizard.picture_quality import PictureFault, PictureQuality, advise
from calibration.wizard.state_machine import apply_answer
from calibration.wizard.steps import (
    Accept,
    Answer,
    Back,
    ClearDiscs,
    DragControlPoints,
    PickDisc,
    PickEveryColour,
    SetSpeed,
    ShowPictures,
    Step,
    WizardState,
)
from sample_images import __file__ as _samples
from vision.board.quality import explain_missing_board
from vision.io.frame import Frame, read_frame
from vision.read_photo import read_photo
from vision.wizard_detector import PictureFileDetector

EYE = PictureFileDetector()
STILLS = Path(_samples).parent / "stills"
SAMPLE = str(STILLS / "near_lines_on_both_sides.jpg")
SPEED = BoardSpeed(
    friction=0.15,
    friction_sigma=0.002,
    restitution=0.85,
    restitution_sigma=0.08,
    post_restitution=0.7,
    post_restitution_sigma=0.1,
)
#: A board whose lines are not at the usual radii.
HOME_MADE = BoardSpec(line_radii_mm=(96.0, 203.2, 285.0), surface_radius_mm=309.0)


def through(state: WizardState, *answers: Answer) -> WizardState:
    for answer in answers:
        state = apply_answer(state, answer, EYE)
    return state


def drawn(folder: Path, name: str, tilt_deg: float, roll_deg: float = 0.0, **how: object) -> str:
    """The file of a drawn picture of the home-made board."""
    view = view_of(tilt_deg, 8.0, roll_deg=roll_deg, k1=-0.03)
    path = folder / f"{name}.png"
    cv2.imwrite(str(path), np.clip(draw_board(view, HOME_MADE, **how), 0, 255).astype(np.uint8))
    return str(path)


@pytest.fixture(scope="module")
def sample() -> WizardState:
    """The wizard after a sample picture was added."""
    return through(WizardState(), ShowPictures(pictures=(SAMPLE,)))


def test_a_good_picture_leads_to_a_profile(sample: WizardState) -> None:
    assert (sample.step, sample.advice) == (Step.FIT, ())
    state = through(sample, Accept(), Accept(), Accept(), Accept())
    assert state.step is Step.SAVE
    profile = build_profile(state, name="club", made="2020-01-01")
    assert profile.origin.name == "club"
    assert profile.origin.pictures == 1
    assert profile.origin.residual_mm < 0.3
    assert profile.disc is None  # no disc was picked


def test_an_empty_hole_that_is_in_sight_is_kept_in_the_profile() -> None:
    pictures = (str(STILLS / "empty_cherry_board.jpg"),)  # its hole is red
    state = through(WizardState(), ShowPictures(pictures=pictures), Accept(), Accept(), Accept())
    hole = build_profile(state, name="", made="").empty_hole
    assert hole is not None
    red, green, blue = hole.light_rgb
    assert red > 2 * max(green, blue)


def test_a_hole_with_a_disc_in_it_is_not_kept() -> None:
    state = through(WizardState(), ShowPictures(pictures=(str(STILLS / "twenty_in_the_hole.jpg"),)))
    assert state.main is not None
    assert state.empty_hole is None


def test_handles_stand_where_quadrant_lines_meet_the_outer_ring(sample: WizardState) -> None:
    assert sample.main is not None
    fit = sample.main.fit
    assert sample.control_points_px == pytest.approx(
        fit.view.project_plane(control_points_mm(fit.spec))
    )


def test_dragged_handles_are_refined_on_the_rings(sample: WizardState) -> None:
    assert sample.main is not None
    assert sample.control_points_px is not None
    slips = np.array([[6.0, -4.0], [-7.0, 3.0], [4.0, 6.0], [-3.0, -5.0]])
    again = through(sample, DragControlPoints(control_points_px=sample.control_points_px + slips))
    assert again.control_points_px == pytest.approx(sample.control_points_px, abs=1.0)
    assert again.can_advance


def test_handles_far_from_any_ring_say_so_and_stay(sample: WizardState) -> None:
    assert sample.control_points_px is not None
    corner = 0.15 * sample.control_points_px
    lost = through(sample, DragControlPoints(control_points_px=corner))
    assert not lost.can_advance
    assert lost.control_points_px == pytest.approx(corner)
    with pytest.raises(ValueError, match="not accurate enough"):
        through(lost, Accept())


def test_a_picture_without_a_board_can_be_helped_by_hand() -> None:
    state = through(
        WizardState(), ShowPictures(pictures=(str(STILLS / "no_board_rubber_duck.jpg"),))
    )
    assert (state.step, state.can_advance) == (Step.FIT, False)
    assert state.advice[0].fault is PictureFault.NO_BOARD
    assert state.control_points_px is not None


def test_a_file_that_is_no_picture_asks_for_another(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("no picture")
    state = through(WizardState(), ShowPictures(pictures=(str(tmp_path / "notes.txt"),)))
    assert state.step is Step.PICTURE
    assert "not a photo" in state.advice[0].words


def test_pointing_at_discs_picks_one_of_each_colour(sample: WizardState) -> None:
    assert sample.main is not None
    state = through(sample, Accept())
    for disc in sample.seen:
        x, y = sample.main.fit.view.project_plane(disc.centre_mm[None], 9.5)[0]
        state = through(state, PickDisc(at_px=(float(x) + 2, float(y) - 2)))
        assert state.discs[-1] is disc
    assert len(state.discs) == 2
    profile = build_profile(state, name="", made="")
    assert profile.disc.radius_mm == pytest.approx(15.9, abs=0.6)
    assert len(profile.origin.colours) == 2
    assert through(state, ClearDiscs()).discs == ()


def test_every_colour_is_picked_at_once_with_the_sizes_that_a_photo_gives(
    sample: WizardState,
) -> None:
    state = through(sample, Accept(), PickEveryColour())
    frame = read_frame(SAMPLE)
    assert isinstance(frame, Frame)
    reading = read_photo(frame)
    assert {disc.colour_name for disc in state.discs} == {t.colour_name for t in reading.teams}
    profile = build_profile(state, name="", made="")
    assert profile.disc == reading.disc
    assert build_profile(through(state, ClearDiscs()), name="", made="").disc is None


def test_a_profile_of_an_empty_board_leaves_the_discs_to_the_picture() -> None:
    empty = through(WizardState(), ShowPictures(pictures=(str(STILLS / "empty_cherry_board.jpg"),)))
    profile = build_profile(through(empty, Accept(), Accept(), Accept()), name="", made="")
    # a board of the same proportions, whose discs are wider than usual by 0.2 mm
    frame = read_frame(STILLS / "octagon_blue_board_with_digits.jpg")
    assert isinstance(frame, Frame)
    plain, profiled = read_photo(frame), read_photo(frame, profile)
    assert plain.board is not None
    assert profiled.board is not None
    assert profiled.board.spec.line_radii_mm == profile.board.line_radii_mm
    assert plain.board.spec.line_radii_mm != profile.board.line_radii_mm
    assert profiled.disc.radius_mm == pytest.approx(plain.disc.radius_mm, abs=0.05)


def test_pointing_beside_the_discs_says_so(sample: WizardState) -> None:
    state = through(sample, Accept(), PickDisc(at_px=(3.0, 3.0)))
    assert state.discs == ()
    assert "No disc was found" in state.advice[0].words
    assert state.can_advance  # discs are not needed


def test_several_views_know_lens_and_lines_better(tmp_path: Path) -> None:
    first, *others = (
        drawn(tmp_path, name, tilt, roll)
        for name, tilt, roll in (("a", 25.0, 0.0), ("b", 38.0, 90.0), ("c", 33.0, 200.0))
    )
    alone = through(WizardState(), ShowPictures(pictures=(first,)), Accept(), Accept(), Accept())
    state = through(alone, ShowPictures(pictures=tuple(others)))
    assert state.lens is not None
    assert alone.lens is not None
    assert state.lens.focal_log_sigma < 0.7 * alone.lens.focal_log_sigma
    assert state.lens.camera.fx_px == pytest.approx(900.0, rel=0.02)
    profile = build_profile(through(state, Accept()), name="", made="")
    assert profile.camera is not None
    assert profile.camera.k1 == pytest.approx(-0.03, abs=0.02)
    assert profile.board.line_radii_mm == pytest.approx(HOME_MADE.line_radii_mm, abs=0.5)


def test_a_speed_that_was_measured_is_kept_and_one_that_was_not_says_why(
    sample: WizardState,
) -> None:
    state = through(sample, Accept(), Accept(), SetSpeed(reason="Film it again."))
    assert (state.speed, state.advice[0].words) == (None, "Film it again.")
    state = through(state, SetSpeed(speed=SPEED))
    assert state.advice == ()
    assert build_profile(through(state, Accept(), Accept()), name="", made="").speed == SPEED


def test_a_view_of_another_size_is_left_out_with_a_word(
    sample: WizardState, tmp_path: Path
) -> None:
    other = drawn(tmp_path, "other", 20.0)
    state = through(sample, Accept(), Accept(), Accept(), ShowPictures(pictures=(other,)))
    assert len(state.views) == 1
    assert "1200 × 900" in state.advice[0].words


def test_one_step_back_keeps_what_was_measured(sample: WizardState) -> None:
    state = through(sample, Accept(), Accept(), Back(), Back())
    assert state.step is Step.FIT
    assert state.main is sample.main
    assert through(state, Back()) == WizardState() or through(state, Back()).step is Step.PICTURE


@pytest.mark.parametrize(
    "answer", [PickDisc(at_px=(1.0, 1.0)), ClearDiscs(), ShowPictures(pictures=("a",))], ids=str
)
def test_an_answer_to_another_step_is_refused(sample: WizardState, answer: Answer) -> None:
    with pytest.raises(ValueError, match="not a valid answer"):
        through(sample, answer)


GOOD = {
    "brightness": 130.0,
    "burnt_share": 0.0,
    "blur_mm": 0.6,
    "blur_px": 0.8,
    "tilt_deg": 20.0,
    "mm_per_px": 0.6,
    "whole_share": 1.0,
    "residual_mm": 0.1,
}


@pytest.mark.parametrize(
    ("name", "worse", "useless", "fault"),
    [
        ("brightness", 40.0, 10.0, PictureFault.DARK),
        ("burnt_share", 0.1, 0.8, PictureFault.GLARE),
        ("blur_mm", 2.0, 4.0, PictureFault.BLURRED),
        ("tilt_deg", 60.0, 75.0, PictureFault.OBLIQUE),
        ("mm_per_px", 1.5, 3.0, PictureFault.FAR),
        ("whole_share", 0.9, 0.5, PictureFault.CROPPED),
        ("residual_mm", 1.0, 3.0, PictureFault.ROUGH),
    ],
    ids=str,
)
def test_what_is_wrong_is_said_and_stops_only_where_it_must(
    name: str, worse: float, useless: float, fault: PictureFault
) -> None:
    assert advise(PictureQuality(**GOOD)) == ()
    (warning,) = advise(PictureQuality(**{**GOOD, name: worse}))
    assert (warning.fault, warning.stops) == (fault, False)
    (stop,) = advise(PictureQuality(**{**GOOD, name: useless}))
    assert (stop.fault, stop.stops) == (fault, True)


def test_blur_and_darkness_are_measured(sample: WizardState, tmp_path: Path) -> None:
    assert sample.main is not None
    image = cv2.imread(SAMPLE)
    worse = cv2.GaussianBlur((0.2 * image).astype(np.uint8), (0, 0), 2.5)
    cv2.imwrite(str(tmp_path / "worse.png"), worse)
    seen = EYE.find_near(str(tmp_path / "worse.png"), sample.main.fit.view)
    quality = getattr(seen, "quality", None)
    assert quality is not None, seen
    assert quality.brightness < 0.3 * sample.main.quality.brightness
    assert 1.9 < quality.blur_px < 3.4


@pytest.mark.parametrize(
    ("light", "blur_px", "fault"),
    [(0.04, 0.0, PictureFault.DARK), (1.0, 9.0, PictureFault.BLURRED), (1.0, 0.0, None)],
    ids=["dark", "blurred", "neither"],
)
def test_a_picture_that_shows_nothing_says_whether_light_or_focus_is_to_blame(
    light: float, blur_px: float, fault: PictureFault | None
) -> None:
    image = cv2.imread(SAMPLE)
    if blur_px:
        image = cv2.GaussianBlur(image, (0, 0), blur_px)
    image = (light * image).astype(np.uint8)
    height, width = image.shape[:2]
    frame = Frame(name="a", image=image, scale=1.0, width_px=width, height_px=height)
    advice = explain_missing_board(frame)
    assert (advice and advice.fault) is fault
    assert advice is None or (advice.stops and advice.words.endswith("."))


def test_the_blur_of_a_tiny_picture_has_a_unit_that_needs_no_plural() -> None:
    image = cv2.GaussianBlur(cv2.resize(cv2.imread(SAMPLE), (80, 60)), (0, 0), 1.0)
    advice = explain_missing_board(
        Frame(name="a", image=image, scale=1.0, width_px=80, height_px=60)
    )
    assert advice is not None
    assert advice.words.startswith("The picture is blurred (by about 1 px). ")


def test_boards_of_other_proportions_are_told_apart() -> None:
    assert find_ring_mismatch(BoardSpec(), BoardSpec()) is None
    assert "15-line" in str(find_ring_mismatch(BoardSpec(), HOME_MADE))
    larger = BoardSpec(line_radii_mm=(110.0, 220.0, 330.0), surface_radius_mm=357.0)
    # one picture does not determine the scale
    assert find_ring_mismatch(BoardSpec(), larger) is None


def test_nothing_measured_is_no_profile() -> None:
    with pytest.raises(ValueError, match="no board"):
        build_profile(WizardState(), name="", made="")


def test_a_profile_of_another_board_or_lens_is_noticed_and_not_used(tmp_path: Path) -> None:
    frame = read_frame(SAMPLE)
    assert isinstance(frame, Frame)
    plain = read_photo(frame)
    other = through(WizardState(), ShowPictures(pictures=(drawn(tmp_path, "home", 35.0),)))
    profile = build_profile(other, name="", made="")
    reading = read_photo(
        frame, CalibrationProfile(board=profile.board, disc=DiscSpec(radius_mm=12.0))
    )
    assert "does not match the profile" in reading.notes[0]
    assert reading.disc.radius_mm == pytest.approx(plain.disc.radius_mm, abs=0.05)
    assert reading.board is not None
    assert plain.board is not None
    assert reading.board.spec.line_radii_mm == pytest.approx(plain.board.spec.line_radii_mm)
