"""The tracker on drawn frames with new content: first sides, first hands, the empty hole."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import cache

import cv2
import numpy as np
import pytest
from drawn_board import DITCH, draw_board, view_of

from calibration.placed_disc import Team
from vision.io.timed_frame import CameraImage
from vision.track.at_rest.missed_discs import find_missed_twenty
from vision.track.at_rest.still_frame import StillFrame
from vision.track.background.background_model import normalise_frame
from vision.track.events import BoardAtRest
from vision.track.states import AtRest
from vision.track.steady.light_bands import LightBands
from vision.track.tracked_view import TrackedView
from vision.track.tracker import BoardTracker
from vision.track.tracks.sliding_discs import find_moved_discs

SIZE_PX = (960, 720)
STEP_S = 1 / 30
VIEW = view_of(size_px=SIZE_PX)
RED, BLACK, WHITE = (45, 40, 170), (35, 33, 30), (225, 230, 235)
Disc = tuple[tuple[float, float], tuple[int, int, int]]


def _draw_empty() -> np.ndarray:
    """The empty board, grained so that it can be registered, with a red hole."""
    grey = draw_board(VIEW, size_px=SIZE_PX, grain=12.0, noise=2.0)
    image = np.repeat(np.clip(grey, 0, 255).astype(np.uint8)[..., None], 3, axis=-1)
    cv2.circle(image, to_px((0.0, 0.0)), round(17.4 / VIEW.mm_per_px()), (40, 30, 150), -1)
    return image


def to_px(place_mm: tuple[float, float]) -> tuple[int, int]:
    x, y = np.rint(VIEW.project_plane(np.array([place_mm]))[0]).astype(int)
    return int(x), int(y)


EMPTY = _draw_empty()


def with_discs(*discs: Disc) -> np.ndarray:
    """The board with discs of the given places and colours (BGR)."""
    image = EMPTY.copy()
    for place_mm, colour in discs:
        cv2.circle(image, to_px(place_mm), round(15.9 / VIEW.mm_per_px()), colour, -1, cv2.LINE_AA)
    return image


def with_hand(image: np.ndarray, fingers_mm: float) -> np.ndarray:
    """The picture with a hand of the ditch's colour whose fingers reach over the edge by a given
    length.
    """
    image, (x, y) = image.copy(), to_px((330.0 - fingers_mm, 0.0))
    cv2.rectangle(image, (x, y - 24), (SIZE_PX[0], y + 24), (DITCH,) * 3, -1)
    return image


def slide(count: int, disc: Disc, to_mm: tuple[float, float], *others: Disc) -> list[np.ndarray]:
    """Frames in which a disc slides, slower and slower, next to others."""
    share = 1 - (1 - np.linspace(0, 1, count)) ** 2
    ways = (tuple(np.add(disc[0], s * np.subtract(to_mm, disc[0]))) for s in share)
    return [with_discs((way, disc[1]), *others) for way in ways]


@cache
def _draw_noise(noise_grey: float) -> np.ndarray:
    """A camera's noise, twice as high as a frame, of which a random piece is used for every
    frame.
    """
    shape = (SIZE_PX[1] * 2, SIZE_PX[0], 3)
    return np.rint(np.random.default_rng(7).normal(0.0, noise_grey, shape)).astype(np.int16)


def show(
    images: Iterable[np.ndarray], tracker: BoardTracker, noise_grey: float = 2.0
) -> list[BoardAtRest]:
    """The boards at rest of a film of these frames."""
    chance, noise = np.random.default_rng(8), _draw_noise(noise_grey)
    events = []
    for index, image in enumerate(images):
        down = int(chance.integers(0, SIZE_PX[1]))
        frame = np.clip(image + noise[down : down + SIZE_PX[1]], 0, 255).astype(np.uint8)
        events += tracker.process_frame(frame, index * STEP_S)
    return [event for event in events if isinstance(event, BoardAtRest)]


def test_a_twenty_of_a_colour_that_nobody_had_is_the_other_sides() -> None:
    black = ((-120.0, 20.0), BLACK)
    shot = slide(16, ((-215.0, -215.0), WHITE), (0.0, 0.0), black)
    rests = show([*[with_discs(black)] * 12, *shot, *[shot[-1]] * 14], BoardTracker())
    last = rests[-1].board
    team = {round(float(np.hypot(*disc.centre_mm)) / 20): disc.team for disc in last.discs}
    assert sorted(team) == [0, 6]
    assert team[0] != team[6]


def test_a_hole_of_a_sides_colour_holds_no_disc_at_first_sight() -> None:
    seen = with_discs(((-120.0, 20.0), (40, 30, 150)), ((60.0, 150.0), BLACK))
    assert len(show([seen] * 12, BoardTracker())[-1].board.discs) == 2


def test_a_twenty_that_was_taken_off_a_hole_never_seen_empty_lies_there_no_more() -> None:
    """The first picture's content over the hole is learned as the board."""
    sides = ((-120.0, 20.0), BLACK), ((60.0, 150.0), WHITE)
    first, radius_px = with_discs(*sides), round(17.9 / VIEW.mm_per_px())
    cv2.circle(first, to_px((0.0, 0.0)), radius_px, (171, 171, 171), -1)  # as the wood is
    shot = slide(16, ((-215.0, -215.0), BLACK), (0.0, 0.0), *sides)
    hand = [with_hand(shot[-1], fingers) for fingers in (100.0, 300.0, 300.0, 100.0)]
    images = [*[first] * 12, *shot, *[shot[-1]] * 14, *hand, *[with_discs(*sides)] * 14]
    boards = [len(rest.board.discs) for rest in show(images, BoardTracker())]
    assert boards == [2, 3, 2]


def _look_at(view: TrackedView, board: np.ndarray) -> StillFrame:
    """The picture of a board, compared with the background of a view."""
    return StillFrame(
        image=board,
        fit=view.fit,
        rectifier=view.rectifier,
        background=view.background,
        normalised=normalise_frame(view.background, view.rectifier, view.rectifier.rectify(board)),
    )


def _watch(board: np.ndarray) -> TrackedView:
    """The view of a tracker that saw a board at rest."""
    tracker = BoardTracker()
    show([board] * 12, tracker)
    assert isinstance(tracker.state, AtRest)
    return tracker.state.view


@pytest.mark.parametrize(("was_seen", "twenties"), [(True, 1), (False, 0)])
def test_a_hole_differs_from_the_empty_one_only_where_that_was_seen(
    was_seen: bool, twenties: int
) -> None:
    """Elsewhere, the background is a guess from the wood around it."""
    board = with_discs(((-120.0, 20.0), BLACK))
    view = _watch(board)
    hole = view.rectifier.disc_mask((0.0, 0.0), 25.0) > 0
    guess, valid = view.background.image.copy(), view.background.valid_mask.copy()
    guess[hole], valid[hole] = np.median(guess[view.rectifier.surface], axis=0), was_seen
    view.background = replace(view.background, image=guess, valid_mask=valid)
    still = _look_at(view, board)
    black = Team(number=0, colour_rgb=BLACK[::-1], colour_name="black")
    assert len(find_missed_twenty(still, [], (black,), 15.9)[0]) == twenties


@pytest.mark.parametrize(
    ("traces_deg", "colour", "sure"),
    [(0, WHITE, [0.95]), (160, WHITE, [0.5]), (160, (90, 160, 90), []), (340, WHITE, [])],
)
def test_a_disc_in_the_hole_beside_traces_of_another_is_doubtful(
    traces_deg: int, colour: tuple[int, int, int], sure: list[float]
) -> None:
    """It may lean; an object without a side's colour, or that covers the wood all around, is no
    disc.
    """
    view = _watch(with_discs(((-120.0, 20.0), BLACK)))
    board = with_discs(((-120.0, 20.0), BLACK), ((0.0, 0.0), colour))
    ring_px = round(23.0 / VIEW.mm_per_px())
    if traces_deg:
        ring = ((ring_px, ring_px), 0, 0, traces_deg, (90, 150, 120), 9)
        cv2.ellipse(board, to_px((0.0, 0.0)), *ring)
    white = Team(number=0, colour_rgb=WHITE[::-1], colour_name="white")
    found, _ = find_missed_twenty(_look_at(view, board), [], (white,), 15.9)
    assert [disc.confidence for disc in found] == sure


@pytest.mark.parametrize(
    ("stopped_mm", "beside_mm", "teams"),
    [((4.0, -9.0), None, 1), ((40.0, -90.0), None, 0), ((4.0, -9.0), (24.0, 0.0), 0)],
    ids=["it stopped there", "it stopped elsewhere", "a hand over the hole"],
)
def test_the_first_disc_of_all_may_be_read_in_the_hole(
    stopped_mm: tuple[float, float], beside_mm: tuple[float, float] | None, teams: int
) -> None:
    """A hand hid it before it was shot; without its side, the next disc's 20 was lost too."""
    view = _watch(EMPTY)
    beside = [] if beside_mm is None else [(beside_mm, BLACK), ((-24.0, 0.0), BLACK)]
    still = _look_at(view, with_discs(((0.0, 0.0), BLACK), *beside))
    found = find_missed_twenty(still, [], (), 15.9, [np.array(stopped_mm)])
    assert [len(members) for members in found] == [teams, teams]


@pytest.mark.parametrize(("stopped_mm", "sure"), [([], []), ([np.array([3.0, -2.0])], [0.5])])
def test_what_a_disc_that_stopped_there_filled_the_hole_with_is_a_twenty(
    stopped_mm: list[np.ndarray], sure: list[float]
) -> None:
    """In compressed films it does not quite have a side's colour, and the wood next to it differs
    too.
    """
    view = _watch(with_discs(((-120.0, 20.0), BLACK)))
    board = with_discs(((-120.0, 20.0), BLACK), ((0.0, 0.0), (75, 70, 66)))
    ring = ((round(23.0 / VIEW.mm_per_px()),) * 2, 0, 0, 160, (90, 150, 120), 9)
    cv2.ellipse(board, to_px((0.0, 0.0)), *ring)
    black = Team(number=0, colour_rgb=BLACK[::-1], colour_name="black")
    found, _ = find_missed_twenty(_look_at(view, board), [], (black,), 15.9, stopped_mm)
    assert [disc.confidence for disc in found] == sure


def test_a_doubtful_twenty_unlike_the_only_side_is_the_other_sides() -> None:
    view = _watch(with_discs(((-120.0, 20.0), BLACK)))
    board = with_discs(((-120.0, 20.0), BLACK), ((0.0, 0.0), WHITE))
    ring = ((round(23.0 / VIEW.mm_per_px()),) * 2, 0, 0, 160, (90, 150, 120), 9)
    cv2.ellipse(board, to_px((0.0, 0.0)), *ring)
    black = Team(number=0, colour_rgb=BLACK[::-1], colour_name="black")
    stopped_mm = [np.array([3.0, -2.0])]
    found, teams = find_missed_twenty(_look_at(view, board), [], (black,), 15.9, stopped_mm)
    assert [disc.team for disc in found] == [1]
    assert len(teams) == 2


def test_a_hand_of_the_ditchs_colour_is_not_learned_as_the_board() -> None:
    tracker = BoardTracker()
    show([with_hand(with_discs(((-120.0, 20.0), BLACK)), 40.0)] * 12, tracker)
    assert isinstance(tracker.state, AtRest)
    view = tracker.state.view
    is_known = [
        bool(view.background.valid_mask[view.rectifier.disc_mask((310.0, y_mm), 5.0) > 0].any())
        for y_mm in (0.0, 120.0)
    ]
    assert is_known == [False, True]


def test_what_is_unexplained_at_first_is_not_learned_as_the_board() -> None:
    """It stays uncertain after a shot that passes far from it: it may be a barely visible disc."""
    black, strip = ((-120.0, 20.0), BLACK), ((140.0, 140.0), (200.0, 165.0))
    shot = slide(16, ((-215.0, -215.0), WHITE), (40.0, -130.0), black)
    film = [*[with_discs(black)] * 14, *shot, *[shot[-1]] * 14]
    rests = show([_with_strip(image, strip) for image in film], BoardTracker())
    assert [len(rest.board.discs) for rest in rests] == [1, 2]
    assert [len(rest.board.unexplained) for rest in rests] == [1, 1]


def _with_strip(
    image: np.ndarray, corners_mm: tuple[tuple[float, float], tuple[float, float]]
) -> np.ndarray:
    """The picture with a green strip on the board, given by two corners."""
    image, (one, other) = image.copy(), (to_px(corner_mm) for corner_mm in corners_mm)
    cv2.rectangle(image, one, other, (60, 160, 40), -1)
    return image


def test_a_board_is_read_in_a_dim_cameras_noise() -> None:
    """Two of its frames differ by more than frames of a well-lit camera do during motion."""
    board = with_discs(((-120.0, 20.0), BLACK))
    assert [len(rest.board.discs) for rest in show([board] * 10, BoardTracker(), 16.0)] == [1]


def with_bands(images: list[np.ndarray], swing: float) -> list[np.ndarray]:
    """The frames as a rolling shutter takes them, 22 ms each, under a lamp of 50 Hz mains."""
    rows_s = np.arange(SIZE_PX[1]) * 0.022 / SIZE_PX[1]
    light = (
        1 + swing * np.sin(2 * np.pi * 100.07 * (index * STEP_S + rows_s))
        for index in range(len(images))
    )
    return [
        np.clip(image * gain[:, None, None], 0, 255).astype(np.uint8)
        for image, gain in zip(images, light, strict=True)
    ]


def test_a_shot_is_read_while_bands_of_light_roll_over_the_picture() -> None:
    black = ((-120.0, 20.0), BLACK)
    shot = slide(16, ((-215.0, -215.0), WHITE), (150.0, 60.0), black)
    film = [*[with_discs(black)] * 14, *shot, *[shot[-1]] * 14]
    rests = show(with_bands(film, 0.1), BoardTracker())
    assert [len(rest.board.discs) for rest in rests] == [1, 2]
    white = max(rests[-1].board.discs, key=lambda disc: disc.centre_mm[0])
    assert np.linalg.norm(white.centre_mm - (150.0, 60.0)) < 4.0  # it is drawn without height


def test_only_bands_of_light_are_taken_out_of_a_frame() -> None:
    """Changes of the whole board's light, and a hand, leave it unchanged."""
    tracker, board = BoardTracker(), with_discs(((-120.0, 20.0), BLACK))
    list(tracker.process_frame(board, 0.0))
    assert tracker.fit is not None
    dimmer = with_hand((board * 0.9).astype(np.uint8), 200.0)
    is_evened = []
    for images in ([dimmer] * 4, with_bands([board] * 4, 0.1)[1:]):
        bands = LightBands(CameraImage(board), tracker.fit)
        is_evened.append([bands.even(CameraImage(image), every=1)[1] for image in images][-1])
    assert is_evened == [False, True]


def test_shots_with_nothing_but_a_cut_between_them_are_read_each_by_itself() -> None:
    """A hand moves a disc during the part that was cut out, and the film ends with the last
    shot.
    """
    start, ends_mm = ((-215.0, -215.0), WHITE), ((150.0, 60.0), (-30.0, 90.0))
    others = ((-120.0, 20.0), BLACK), ((60.0, -150.0), BLACK)
    films = []
    for other, end_mm in zip(others, ends_mm, strict=True):
        shot = slide(12, start, end_mm, other)
        films.append([*[with_discs(start, other)] * 5, *shot, *shot[-1:] * 4])
    tracker = BoardTracker()
    events = [
        event
        for index, image in enumerate((*films[0], *films[1]))
        for event in tracker.process_frame(image, index * STEP_S, is_cut=index == len(films[0]))
    ]
    rests = [event for event in (*events, *tracker.finish()) if isinstance(event, BoardAtRest)]
    after_cut = [rest.was_interrupted for rest in rests].index(True)
    told = rests[0], rests[after_cut - 1], rests[after_cut], rests[-1]
    expected = [
        (start[0], others[0][0]),
        (ends_mm[0], others[0][0]),
        (start[0], others[1][0]),
        (ends_mm[1], others[1][0]),
    ]
    for rest, places_mm in zip(told, expected, strict=True):
        seen_mm = sorted(tuple(disc.centre_mm) for disc in rest.board.discs)
        assert np.abs(np.subtract(seen_mm, sorted(places_mm))).max() < 5.0  # drawn without height
    assert [len(find_moved_discs(event.tracks, event.fit)) for event in told] == [0, 1, 0, 1]
