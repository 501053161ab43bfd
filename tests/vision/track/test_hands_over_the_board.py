"""The tracker on drawn frames of a board under hands: the visible part is read."""

from __future__ import annotations

from collections.abc import Iterable
from copy import deepcopy

import cv2
import numpy as np
import pytest
from drawn_board import draw_board, view_of

from calibration.disc import DiscSpec
from calibration.placed_disc import PlacedDisc
from vision.track.events import BoardAtRest, OutcomeUnseen, TrackerEvent, TrackingLost
from vision.track.states import AtRest, InMotion
from vision.track.tracker import BoardTracker

SIZE_PX = (960, 720)
STEP_S = 1 / 30
VIEW = view_of(size_px=SIZE_PX)
#: Places of discs, board mm, and a place that no hand of these tests reaches.
LEFT, RIGHT, AIM = (-120.0, 20.0), (120.0, 20.0), (-150.0, -180.0)
RED, BLACK = (45, 40, 170), (35, 33, 30)


def board() -> np.ndarray:
    """The empty board, grained so that it can be registered."""
    grey = draw_board(VIEW, size_px=SIZE_PX, grain=12.0, noise=2.0)
    return np.repeat(np.clip(grey, 0, 255).astype(np.uint8)[..., None], 3, axis=-1)


EMPTY = board()


def to_px(place_mm: tuple[float, float]) -> tuple[int, int]:
    x, y = np.rint(VIEW.project_plane(np.array([place_mm]))[0]).astype(int)
    return int(x), int(y)


def with_discs(*discs: tuple[tuple[float, float], tuple[int, int, int]]) -> np.ndarray:
    """The board with discs of the given places and colours (BGR)."""
    image = EMPTY.copy()
    for place_mm, colour in discs:
        radius_px = round(15.9 / VIEW.mm_per_px())
        cv2.circle(image, to_px(place_mm), radius_px, colour, -1, cv2.LINE_AA)
    return image


def with_arm(image: np.ndarray, to_mm: tuple[float, float], wobble_px: int = 0) -> np.ndarray:
    """The picture with an arm that comes from beyond the board's right and ends at ``to_mm``."""
    image = image.copy()
    x, y = to_px(to_mm)
    cv2.rectangle(
        image, (x, y - 40 + wobble_px), (SIZE_PX[0], y + 40 + wobble_px), (90, 120, 200), -1
    )
    return image


BOTH = with_discs((LEFT, RED), (RIGHT, BLACK))
NOISE_REACH_PX = 97
_NOISE_PX = (SIZE_PX[1] + NOISE_REACH_PX, SIZE_PX[0] + NOISE_REACH_PX, 3)
NOISE = np.rint(np.random.default_rng(6).normal(0.0, 2.0, _NOISE_PX)).astype(np.int16)


class Film:
    """A tracker, and the events from the frames that it got."""

    def __init__(self) -> None:
        self.tracker, self.t_s = BoardTracker(), 0.0
        self._chance = np.random.default_rng(7)
        self.events: list[TrackerEvent] = []

    def show(self, images: Iterable[np.ndarray]) -> list[BoardAtRest]:
        """The boards at rest that these frames add."""
        before = len(self.events)
        for image in images:
            frame = np.clip(image + self._draw_noise(image.shape), 0, 255).astype(np.uint8)
            self.events += self.tracker.process_frame(frame, self.t_s)
            self.t_s += STEP_S
        return [event for event in self.events[before:] if isinstance(event, BoardAtRest)]

    def _draw_noise(self, shape: tuple[int, ...]) -> np.ndarray:
        """A camera's noise: a random piece of one field, which takes far less time than a new
        one.
        """
        down, across = self._chance.integers(0, NOISE_REACH_PX, 2)
        return NOISE[down : down + shape[0], across : across + shape[1]]


@pytest.fixture(scope="module")
def begun_film() -> Film:
    """A film whose first half second shows both discs at rest."""
    run = Film()
    assert len(run.show([BOTH] * 15)[-1].board.discs) == 2
    return run


@pytest.fixture
def film(begun_film: Film) -> Film:
    """The started film, to be continued."""
    return deepcopy(begun_film)


def places(at_rest: BoardAtRest) -> list[tuple[int, int]]:
    return sorted((round(x), round(y)) for x, y in (d.centre_mm for d in at_rest.board.discs))


def test_a_board_is_read_while_an_arm_rests_on_it(film: Film) -> None:
    third = with_discs((LEFT, RED), (RIGHT, BLACK), (AIM, RED))
    rests = film.show([with_arm(third, (230.0, 20.0))] * 40)
    assert isinstance(film.tracker.state, AtRest)
    assert len(rests[-1].board.discs) == 3
    assert not any(isinstance(event, TrackingLost) for event in film.events)


def test_a_disc_under_an_arm_is_remembered_where_it_lay(film: Film) -> None:
    rests = film.show([with_arm(BOTH, (60.0, 20.0))] * 40)
    assert [round(x / 10) for x, _ in places(rests[-1])] == [-12, 12]
    assert rests[-1].board.unexplained == ()


def test_a_disc_that_moved_under_an_arm_is_seen_when_the_arm_is_gone(film: Film) -> None:
    film.show([with_arm(BOTH, (60.0, 20.0))] * 40)
    moved = with_discs((LEFT, RED), ((150.0, 40.0), BLACK))
    rests = film.show([moved] * 20)
    assert [round(x / 10) for x, _ in places(rests[-1])] == [-12, 15]


def test_no_side_gets_the_colour_of_an_arm(film: Film) -> None:
    rests = film.show([with_arm(BOTH, (60.0, 20.0))] * 40)
    assert len(rests[-1].board.teams) == 2


def slide(count: int, from_mm: tuple[float, float], to_mm: tuple[float, float]) -> list[np.ndarray]:
    """Frames in which a third disc slides, slower and slower."""
    share = 1 - (1 - np.linspace(0, 1, count)) ** 2
    way = [tuple(np.add(from_mm, s * np.subtract(to_mm, from_mm))) for s in share]
    return [with_discs((LEFT, RED), (RIGHT, BLACK), (place, RED)) for place in way]


def test_a_shot_is_read_while_an_arm_rests_on_a_disc_that_it_cannot_have_touched(
    film: Film,
) -> None:
    shot = [with_arm(frame, (60.0, 20.0)) for frame in slide(20, (-215.0, -215.0), AIM)]
    film.show([with_arm(BOTH, (60.0, 20.0))] * 15)
    rests = film.show([*shot, *[shot[-1]] * 12])
    assert [round(x / 10) for x, _ in places(rests[-1])] == [-15, -12, 12]
    assert rests[-1].board.unexplained == ()


def test_a_disc_is_not_remembered_where_it_was_shot_from_under_the_hand_that_stays(
    film: Film,
) -> None:
    start = (215.0, -215.0)
    shot = slide(20, start, AIM)
    assert len(film.show(shot[:1] * 15)[-1].board.discs) == 3
    shot[5:] = [with_arm(frame, (195.0, -215.0)) for frame in shot[5:]]
    rests = film.show([*shot, *shot[-1:] * 12])
    assert [round(x / 10) for x, _ in places(rests[-1])] == [-15, -12, 12]


def test_a_shot_whose_film_ends_with_it_is_read_from_its_last_frames(film: Film) -> None:
    film.show(slide(20, (-215.0, -215.0), AIM))
    assert isinstance(film.tracker.state, InMotion)
    finished = [event for event in film.tracker.finish() if isinstance(event, BoardAtRest)]
    assert [len(rest.board.discs) for rest in finished] == [3]


def test_a_film_that_ends_in_mid_shot_tells_no_board_but_that_it_was_not_seen(film: Film) -> None:
    film.show(slide(20, (-215.0, -215.0), AIM)[:8])
    (told,) = film.tracker.finish()
    assert isinstance(told, OutcomeUnseen)
    assert told.t_from_s < told.t_s < film.t_s


CROWD = cv2.resize(
    np.random.default_rng(5).integers(0, 256, (36, 48, 3)).astype(np.uint8),
    SIZE_PX,
    interpolation=cv2.INTER_NEAREST,
)


@pytest.mark.parametrize("other", [CROWD, np.roll(BOTH, (9, 14), axis=(0, 1))])
def test_a_shot_before_a_cut_is_read_from_the_last_frames_before_it(
    film: Film, other: np.ndarray
) -> None:
    """A cut to another picture, or to another camera on the same board."""
    film.show(slide(20, (-215.0, -215.0), AIM))
    rests = film.show([other] * 3)
    assert [(len(rest.board.discs), rest.was_interrupted) for rest in rests] == [(3, False)]


def test_a_disc_on_its_way_out_of_play_is_read_where_the_last_frame_shows_it(film: Film) -> None:
    """It touches the outer line as the picture is cut; in earlier frames it was elsewhere."""
    end, step = np.array([-258.7, 201.3]), np.array([18.0, -15.8])
    way = [tuple(end + k * step) for k in range(26, -1, -1)]
    film.show([with_discs((LEFT, RED), (RIGHT, BLACK), (way[0], BLACK))] * 8)
    film.show([with_discs((LEFT, RED), (RIGHT, BLACK), (place, BLACK)) for place in way])
    (read,) = film.show([CROWD] * 3)
    assert np.linalg.norm(read.board.discs[-1].centre_mm - end) < 6.0
    assert len(read.board.discs) == 3


def test_a_disc_that_went_between_two_frames_is_missed_at_the_films_end(film: Film) -> None:
    film.show([with_discs((LEFT, RED))] * 5)
    assert isinstance(film.tracker.state, InMotion)
    (told,) = film.tracker.finish()
    assert isinstance(told, BoardAtRest)
    assert len(told.board.discs) == 1


def test_a_shot_is_read_before_a_hand_takes_its_disc_off(film: Film) -> None:
    """The board is never still in between: a shimmer passes over it, and then the hand is there."""
    shot = slide(20, (-215.0, -215.0), AIM)
    shimmer = [cv2.add(shot[-1], (9.0 * (i % 2),) * 3) for i in range(4)]
    rests = film.show([*shot, *shimmer, *[with_arm(shot[-1], (-150.0, -180.0))] * 4])
    assert [len(rest.board.discs) for rest in rests] == [3]
    rests = film.show([BOTH] * 15)
    assert [len(rest.board.discs) for rest in rests][-1] == 2


def test_a_shot_that_a_film_begins_with_is_seen_from_the_board_before_it() -> None:
    run = Film()
    start = (-215.0, -215.0)
    first = [with_discs((LEFT, RED), (RIGHT, BLACK), (start, RED))] * 4
    rests = run.show([*first, *slide(20, start, AIM), *[slide(2, start, AIM)[-1]] * 15])
    assert [places(rest)[0] for rest in rests[:2]] == [
        pytest.approx(start, abs=2),
        pytest.approx(AIM, abs=2),
    ]
    assert rests[0].t_s < 0.2 < rests[1].t_s
    moved = [track for track in rests[1].tracks if track.find_departure() is not None]
    assert [disc.name for disc in moved] == [str(rests[0].board.discs.index(_at(rests[0], start)))]


def test_frames_of_another_size_are_not_gone_through_again() -> None:
    run = Film()
    start = (-215.0, -215.0)
    first = with_discs((LEFT, RED), (RIGHT, BLACK), (start, RED))
    run.show([cv2.resize(first, None, fx=0.75, fy=0.75)] * 3)
    shot = slide(20, start, AIM)
    rests = run.show([*[first] * 4, *shot, *[shot[-1]] * 15])
    assert [places(rest)[0] for rest in rests[:2]] == [
        pytest.approx(start, abs=2),
        pytest.approx(AIM, abs=2),
    ]


def _at(at_rest: BoardAtRest, place_mm: tuple[float, float]) -> PlacedDisc:
    return min(at_rest.board.discs, key=lambda disc: float(np.hypot(*(disc.centre_mm - place_mm))))


def test_a_film_that_begins_in_mid_shot_tells_only_the_board_after_it() -> None:
    run = Film()
    rests = run.show([*slide(20, (-215.0, -215.0), AIM)[1:], *[slide(2, AIM, AIM)[-1]] * 15])
    assert [len(rest.board.discs) for rest in rests] == [3]


def test_a_hand_that_lay_there_from_the_start_is_no_part_of_the_board() -> None:
    run = Film()
    run.show([with_arm(BOTH, (230.0, 20.0))] * 20)
    rests = run.show([BOTH] * 20)
    assert all(len(rest.board.discs) == 2 for rest in rests)
    assert all(rest.board.unexplained == () for rest in rests)
    assert isinstance(run.tracker.state, AtRest)
    assert run.tracker.state.view.occlusion is None


@pytest.mark.parametrize(("moved_mm", "is_same"), [(0.0, True), (4.0, False)])
def test_a_board_is_read_anew_only_where_a_hand_changed_it(
    film: Film, moved_mm: float, is_same: bool
) -> None:
    film.tracker._follower._session.given = DiscSpec()
    before = film.show([with_arm(BOTH, (230.0, 20.0))] * 8 + [BOTH] * 14)[-1]
    now = with_discs((LEFT, RED), ((RIGHT[0] + moved_mm, RIGHT[1]), BLACK))
    after = film.show([with_arm(now, (60.0, 20.0))] * 8 + [now] * 14)[-1]
    assert (after.board is before.board) == is_same
    assert places(after)[1][0] == pytest.approx(RIGHT[0] + moved_mm, abs=2)


def test_a_whole_picture_that_is_sent_anew_is_no_jump(film: Film) -> None:
    """In a strongly compressed film, much of a keyframe differs slightly from the frame before."""
    field = np.random.default_rng(3).normal(0.0, 1.0, (SIZE_PX[1] // 8, SIZE_PX[0] // 8, 3))
    anew = np.clip(BOTH + 13.0 * cv2.resize(field, SIZE_PX), 0, 255).astype(np.uint8)
    states = []
    for _ in range(8):
        film.show([anew])
        if isinstance(film.tracker.state, InMotion):
            states.append(film.tracker.state.interval.was_interrupted)
    assert states
    assert not any(states)
