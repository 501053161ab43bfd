"""A disc that a lamp's reflection hides from a fixed camera counts as covered, not as gone."""

from __future__ import annotations

import numpy as np
import pytest
from drawn_discs import DISC, board_fit, draw, view_at
from lamp_reflection import add_ring_light

from calibration.placed_disc import DiscState, PlacedDisc
from vision.reading import UnexplainedCode
from vision.rectify.frame_rectifier import make_rectifier
from vision.track.at_rest.still_board import StillBoard
from vision.track.at_rest.unseen_board import UnseenBoard, find_unseen_board, remember_unseen
from vision.track.background.background_model import create_background
from vision.track.tracks.disc_track import DiscTrack, Sample

FIT = board_fit(view_at(15.0))
RECTIFIER = make_rectifier(FIT.view, FIT.spec, (960, 1280, 3))
LAMP_MM, ELSEWHERE_MM = (100.0, 0.0), (-100.0, 60.0)
FRAME_S = 1 / 30


def see(width_mm: float, strength: float = 4.0) -> UnseenBoard | None:
    """The unseen part of an empty board that reflects a bulb."""
    image = add_ring_light(draw(FIT.view, []), FIT.view, LAMP_MM, 0.0, width_mm, strength)
    flat = RECTIFIER.rectify(image)
    covered = np.zeros(RECTIFIER.radius_mm.shape, dtype=bool)
    background = create_background(RECTIFIER, flat, covered)
    return find_unseen_board(background, RECTIFIER, FIT, DISC.radius_mm)


def place(centre_mm: tuple[float, float]) -> PlacedDisc:
    return PlacedDisc(
        centre_mm=np.array(centre_mm), covariance_mm2=np.eye(2), team=0, state=DiscState.FLAT
    )


def slide(name: str | None, *places_mm: tuple[float, float]) -> DiscTrack:
    """The track of a disc seen at these places, one frame apart."""
    samples = [
        Sample(t_s=k * FRAME_S, place_mm=np.array(place_mm), is_free=True)
        for k, place_mm in enumerate(places_mm)
    ]
    return DiscTrack(name=name, lab=np.zeros(3), samples=samples)


def remember(
    before: list[PlacedDisc],
    tracks: list[DiscTrack],
    read: tuple[tuple[float, float], ...] = (ELSEWHERE_MM,),
    *,
    was_empty: bool = True,
) -> StillBoard:
    unseen = see(60.0)
    assert unseen is not None
    board = StillBoard(discs=tuple(place(disc) for disc in read), teams=(), disc=DISC)
    return remember_unseen(board, before, tracks, unseen, FIT, was_empty=was_empty)


def list_hidden_mm(board: StillBoard) -> list[np.ndarray]:
    return [disc.centre_mm for disc in board.discs if disc.confidence <= 0.5]


@pytest.mark.parametrize("width_mm", [0.5, 12.0], ids=["no lamp", "one too small to hide a disc"])
def test_a_board_that_shows_every_disc_is_all_seen(width_mm: float) -> None:
    assert see(width_mm) is None


def test_a_struck_disc_that_vanishes_at_a_reflection_lies_under_it_and_is_asked_about() -> None:
    struck = slide("0", (0.0, 0.0), (15.0, 0.0), (30.0, 0.0), (45.0, 0.0), (60.0, 0.0))
    board = remember([place((0.0, 0.0)), place(ELSEWHERE_MM)], [struck])
    (hidden_mm,) = list_hidden_mm(board)
    assert np.linalg.norm(hidden_mm - LAMP_MM) < 40.0
    assert {spot.code for spot in board.unexplained} == {UnexplainedCode.NOT_SEEN}
    away_mm = [np.linalg.norm(spot.centre_mm - LAMP_MM) for spot in board.unexplained]
    assert max(away_mm) < 45.0


@pytest.mark.parametrize(
    "way",
    [
        pytest.param([(0.0, 0.0), (0, 30), (0, 60), (0, 90), (0, 120)], id="beside the reflection"),
        pytest.param([(0.0, 0.0), (90, 0), (180, 0), (270, 0), (350, 0)], id="off the board"),
    ],
)
def test_a_disc_that_vanishes_elsewhere_is_gone(way: list[tuple[float, float]]) -> None:
    board = remember([place((0.0, 0.0)), place(ELSEWHERE_MM)], [slide("0", *way)])
    assert list_hidden_mm(board) == []
    assert board.unexplained == ()


def test_a_hidden_disc_stays_until_it_comes_out_or_the_board_is_cleared() -> None:
    hidden = place(LAMP_MM)
    assert len(list_hidden_mm(remember([hidden], []))) == 1
    out = slide(None, (125.0, 0.0), (140.0, 0.0), (155.0, 0.0), (170.0, 0.0), (185.0, 0.0))
    came_out = remember([hidden], [out], read=(ELSEWHERE_MM, (185.0, 0.0)))
    assert list_hidden_mm(came_out) == []
    assert list_hidden_mm(remember([hidden], [], read=())) == []


def test_a_disc_read_in_part_is_asked_about() -> None:
    board = remember([], [], read=((125.0, 0.0),))
    assert [spot.code for spot in board.unexplained] == [UnexplainedCode.NOT_SEEN]
    assert np.allclose(board.unexplained[0].centre_mm, (125.0, 0.0))


def test_of_a_board_never_seen_bare_nobody_knows_what_lay_under_the_reflection() -> None:
    assert remember([], []).unexplained == ()
    places_mm = [spot.centre_mm for spot in remember([], [], was_empty=False).unexplained]
    assert places_mm
    assert all(np.linalg.norm(place_mm - LAMP_MM) < 45.0 for place_mm in places_mm)


def test_a_disc_that_is_read_again_beyond_the_reflection_is_not_hidden_as_well() -> None:
    into = slide("0", (0.0, 0.0), (15.0, 0.0), (30.0, 0.0), (45.0, 0.0), (60.0, 0.0))
    out = slide(None, (150.0, 0.0), (165.0, 0.0), (180.0, 0.0), (190.0, 0.0), (195.0, 0.0))
    board = remember([place((0.0, 0.0))], [into, out], read=((195.0, 0.0),))
    assert len(board.discs) == 1
    assert board.unexplained == ()
