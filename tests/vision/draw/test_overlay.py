"""The picture for an opponent: the right size, with the right marks in the right places."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from example_reading import EVERYTHING, disc, frame, reading, with_something_unexplained

from calibration.circle import circle_mm
from calibration.disc import DiscSpec
from calibration.placed_disc import DiscState
from scorer.photo.score import score_reading
from scorer.photo.score_overlay import draw_score
from vision.draw.overlay import (
    CERTAIN_COLOUR,
    CLOSE_COLOUR,
    PANEL_PX,
    PICTURE_PX,
    UNEXPLAINED_COLOUR,
    draw_overlay,
)
from vision.draw.summary_panel import SummaryPanel
from vision.reading import Reading


def drawn(picture, read) -> np.ndarray:
    image = draw_score(score_reading(picture, read))
    assert image is not None
    return image


def count(image: np.ndarray, colour: tuple[int, int, int]) -> int:
    return int((np.abs(image[..., ::-1].astype(int) - colour).max(axis=-1) <= 2).sum())


@pytest.mark.parametrize(
    ("width", "height"), [(200, 150), (150, 200), (1200, 900), (2800, 1260), (1260, 2800)]
)
def test_a_picture_of_any_size_comes_out_legible_and_not_huge(width: int, height: int) -> None:
    picture = frame(width, height)
    image = drawn(picture, reading(picture, EVERYTHING))
    assert max(image.shape[:2]) <= 2000
    assert max(image.shape[0], image.shape[1] - PANEL_PX) == PICTURE_PX


def test_certain_calls_are_drawn_without_review_marks() -> None:
    picture = frame()
    image = drawn(picture, reading(picture, (disc(60.0, 0.0), disc(0.0, 150.0))))
    assert count(image, CLOSE_COLOUR) == 0
    assert count(image, UNEXPLAINED_COLOUR) == 0


def test_a_close_call_is_marked_and_magnified() -> None:
    picture = frame()
    image = drawn(picture, reading(picture, (disc(84.6, 0.0),)))
    board, panel = image[:, :-PANEL_PX], image[:, -PANEL_PX:]
    assert count(board, CLOSE_COLOUR) > 200
    assert count(panel, CLOSE_COLOUR) > 400


def test_the_number_of_an_uncertain_twenty_does_not_cover_its_zone() -> None:
    picture = frame()
    at_middle, beside_it = (
        drawn(picture, reading(picture, (disc(0.0, y, state=DiscState.IN_HOLE, confidence=0.5),)))
        for y in (0.0, -1e-7)
    )
    assert np.array_equal(at_middle, beside_it)  # where the number is, towards the rim


def test_a_wide_picture_lists_the_close_calls_that_it_cannot_magnify() -> None:
    low = frame(2800, 800)
    close = [disc(84.6 * np.cos(a), 84.6 * np.sin(a)) for a in (0.0, 1.0, 2.0)]
    panels = [drawn(low, reading(low, tuple(close[:n])))[:, -PANEL_PX:] for n in (2, 3)]
    written = [count(panel, CLOSE_COLOUR) for panel in panels]
    assert written[1] > written[0] + 400


def magnify(read: Reading, factor: float) -> Reading:
    """The reading of a camera with a larger magnification."""
    assert read.board is not None
    camera = read.board.view.camera
    near = replace(camera, fx_px=factor * camera.fx_px, fy_px=factor * camera.fy_px)
    return replace(read, board=replace(read.board, view=replace(read.board.view, camera=near)))


def test_close_calls_that_do_not_fit_beside_a_low_picture_are_listed_below_it() -> None:
    low = frame(2800, 500)
    close = tuple(disc(84.6 * np.cos(a), 84.6 * np.sin(a)) for a in np.linspace(0, 5.5, 12))
    image = drawn(low, magnify(reading(low, close), 8))
    rows = np.abs(image[:, -PANEL_PX:, ::-1].astype(int) - CLOSE_COLOUR).max(axis=-1) <= 2
    written = np.flatnonzero(rows.any(axis=1))
    lines = np.split(written, np.flatnonzero(np.diff(written) > 1) + 1)
    assert len(lines) > len(close)  # the verdict, and every close call
    assert max(len(line) for line in lines) < 32  # no close-up covers another
    assert written.max() < image.shape[0] - 1


def test_the_deciding_line_is_highlighted_beside_a_disc_that_is_near_but_certain() -> None:
    picture = frame()
    near = drawn(picture, reading(picture, (disc(81.0, 0.0),)))
    far = drawn(picture, reading(picture, (disc(60.0, 0.0),)))
    board = np.s_[:, :-PANEL_PX]
    assert count(near[board], CERTAIN_COLOUR) > count(far[board], CERTAIN_COLOUR) + 30


def test_something_unexplained_gets_a_question_mark() -> None:
    picture = frame()
    image = drawn(picture, with_something_unexplained(reading(picture)))
    assert count(image, UNEXPLAINED_COLOUR) > 200


def test_a_mark_is_drawn_where_it_belongs() -> None:
    picture = frame()
    read = magnify(with_something_unexplained(reading(picture)), 2)  # fills the frame
    assert read.board is not None
    image = drawn(picture, read)
    marks = np.abs(image[..., ::-1].astype(int) - UNEXPLAINED_COLOUR).max(axis=-1) <= 2
    rows, columns = np.nonzero(marks)
    seen = np.array([(columns.min() + columns.max()) / 2, (rows.min() + rows.max()) / 2])
    factor = PICTURE_PX / 1200
    around = read.board.view.project_plane(circle_mm((120.0, -40.0), 19.05, 90))  # 1.2 disc radii
    expected = (around.min(axis=0) + around.max(axis=0)) / 2
    assert np.abs((seen + 0.5) / factor - 0.5 - expected).max() < 1.0


def test_a_full_board_of_close_calls_still_fits_the_panel() -> None:
    picture = frame()
    angles = np.linspace(0, 2 * np.pi, 20, endpoint=False)
    ring = tuple(disc(187.0 * np.cos(a), 187.0 * np.sin(a), confidence=0.5) for a in angles)
    image = drawn(picture, reading(picture, ring))
    assert max(image.shape[:2]) <= 2000


def test_a_board_half_out_of_the_frame_is_drawn() -> None:
    picture = frame()
    read = reading(picture, (disc(60.0, 0.0),))
    assert read.board is not None
    moved = replace(read.board.view.camera, cx_px=-100.0, cy_px=900.0)
    board = replace(read.board, view=replace(read.board.view, camera=moved))
    image = drawn(picture, replace(read, board=board))
    assert max(image.shape[:2]) <= 2000


def test_a_reading_without_a_board_cannot_be_drawn() -> None:
    nothing = Reading(board=None, disc=DiscSpec(), reason="no board")
    assert draw_score(score_reading(frame(), nothing)) is None
    legend = SummaryPanel(rows=(), verdict="", verdict_rgb=CLOSE_COLOUR)
    with pytest.raises(ValueError, match="without a board"):
        draw_overlay(frame(), nothing, (), legend)
