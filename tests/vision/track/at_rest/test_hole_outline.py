"""A disc over the hole: flat in it, or leaning on its edge."""

from __future__ import annotations

from copy import deepcopy
from dataclasses import dataclass
from functools import cache

import cv2
import numpy as np
import pytest
from drawn_discs import board_fit, draw, view_at

from calibration.circle import circle_mm
from calibration.fit import BoardFit
from calibration.placed_disc import DiscState, PlacedDisc
from sample_images.clip_maker.options import ClipOptions
from sample_images.clip_maker.play.scene_generator import ClipSetup, generate_setup
from sample_images.clip_renderer.frame_renderer import FrameRenderer
from sample_images.clip_renderer.scene import FrameSpec, Moment
from sample_images.renderer.poses import pose_leaner
from sample_images.renderer.scene import Disc
from vision.reading import UnexplainedReason
from vision.rectify.frame_rectifier import make_rectifier
from vision.track.at_rest.hole_outline import Outline, measure_hole_outline
from vision.track.at_rest.still_board import apply_outline
from vision.track.background.background_model import create_background, normalise_frame
from vision.track.events import BoardAtRest
from vision.track.tracker import BoardTracker

SEED = 314
PAUSE_S = 1 / 30


@dataclass(frozen=True)
class Scene:
    setup: ClipSetup
    camera: FrameRenderer

    def shot(self, *discs: Disc | None) -> np.ndarray:
        moment = Moment(discs=tuple(disc for disc in discs if disc is not None))
        return self.camera.render_frame(FrameSpec(view=self.setup.view, moments=(moment,)))


@cache
def scene_of(seed: int, tilt_deg: float, size: tuple[int, int]) -> Scene:
    options = ClipOptions(tilt_deg=tilt_deg, size=size)
    setup = generate_setup(np.random.default_rng((seed, 0)), options, seed)
    return Scene(setup, FrameRenderer(setup.scene, options.size))


@pytest.fixture(scope="module")
def scene() -> Scene:
    return scene_of(SEED, 25, (960, 540))


class Film:
    """A film whose tracker has processed all frames so far."""

    def __init__(self) -> None:
        self._tracker, self._frames, self._rests = BoardTracker(), 0, list[BoardAtRest]()

    def show(self, *frames: np.ndarray) -> BoardAtRest:
        """Process more frames in order; returns the last reading."""
        for frame in frames:
            steps = self._tracker.process_frame(frame, self._frames * PAUSE_S)
            self._rests += [step for step in steps if isinstance(step, BoardAtRest)]
            self._frames += 1
        return self._rests[-1]


def ready(scene: Scene, colour: str) -> Disc:
    return Disc(position=(0.0, -scene.setup.scene.board.line_radii[2], 0.0), colour=colour)


_BEGUN: dict[tuple[int, str], Film] = {}


def begin(scene: Scene, colour: str) -> Film:
    """A film of the empty board and of a disc ready to be shot, tracked once for all tests."""
    key = (id(scene), colour)
    if key not in _BEGUN:
        _BEGUN[key] = Film()
        on_line = scene.shot(ready(scene, colour))
        _BEGUN[key].show(*[scene.shot(None)] * 8, *[on_line] * 10)
    return deepcopy(_BEGUN[key])


def states_of(scene: Scene, disc: Disc) -> list[DiscState]:
    """The states that are read after the empty board and a disc ready to be shot were seen."""
    rest = begin(scene, disc.colour).show(*[scene.shot(disc)] * 10)
    return [disc.state for disc in rest.board.discs]


def test_a_disc_flat_in_the_hole_is_in_it(scene: Scene) -> None:
    board = scene.setup.scene.board
    x, y = board.hole_centre
    disc = Disc(position=(x + 1.0, y - 1.0, -board.hole_depth), colour="white", state="in_hole")
    assert states_of(scene, disc) == [DiscState.IN_HOLE]


def test_a_disc_that_leans_on_the_holes_edge_leans(scene: Scene) -> None:
    stage = scene.setup.scene
    leaning = pose_leaner(stage.board, stage.shape, 34.0, 70.0)
    assert leaning is not None
    disc = Disc(
        position=leaning.position, colour="white", state="leaning", tilt_deg=34.0, lean_deg=70.0
    )
    assert states_of(scene, disc) == [DiscState.LEANING]


@pytest.mark.parametrize("tilt_deg", [0.0, 18.0], ids=["flat", "leaning"])
def test_a_disc_that_the_frame_alone_takes_for_a_leaner_is_asked_about_or_a_twenty(
    tilt_deg: float,
) -> None:
    far = scene_of(59789, 21.5, (800, 450))
    board = far.setup.scene.board
    sunk = Disc(position=(*board.hole_centre, -board.hole_depth), colour="purple", state="in_hole")
    leaning = pose_leaner(board, far.setup.scene.shape, tilt_deg, 32.7)
    if tilt_deg > 0:
        assert leaning is not None
        sunk = Disc(
            position=leaning.position,
            colour="purple",
            state="leaning",
            tilt_deg=tilt_deg,
            lean_deg=32.7,
        )
    board_now = begin(far, "purple").show(*[far.shot(sunk)] * 10).board
    assert [disc.state for disc in board_now.discs] == [DiscState.IN_HOLE]
    asked = [item.reason for item in board_now.unexplained]
    assert asked == ([UnexplainedReason.LEANING] if tilt_deg > 0 else [])


@pytest.mark.parametrize(
    ("confidence", "aspect", "state", "sure"),
    [
        (0.6, 0.97, DiscState.IN_HOLE, False),  # frame and outline differ
        (0.6, 0.90, DiscState.IN_HOLE, False),
        (0.6, 0.70, DiscState.LEANING, True),  # they agree
        (0.6, None, DiscState.LEANING, False),
        (1.0, 0.97, DiscState.LEANING, True),  # it does not look flat at all
    ],
)
def test_a_leaner_in_doubt_is_sure_where_its_outline_leans_too(
    confidence: float, aspect: float | None, state: DiscState, sure: bool
) -> None:
    read = PlacedDisc(
        centre_mm=np.array([0.5, 2.0]),
        covariance_mm2=np.eye(2),
        team=0,
        state=DiscState.LEANING,
        confidence=confidence,
    )
    outline = None if aspect is None else Outline(offset_mm=np.array([1.0, 0.0]), aspect=aspect)
    disc = apply_outline(read, board_fit(view_at(20.0)), outline)
    assert (disc.state, disc.confidence > 0.9) == (state, sure)


def test_light_that_falls_into_the_hole_is_no_twenty(scene: Scene) -> None:
    board = scene.setup.scene.board
    sunk = Disc(position=(*board.hole_centre, -board.hole_depth), colour="white", state="in_hole")
    empty, on_line = scene.shot(None), scene.shot(ready(scene, "white"))
    hole = (cv2.absdiff(scene.shot(sunk), empty).max(axis=-1) > 40)[..., None]
    lit = np.where(hole, np.array([60, 140, 230], np.uint8), on_line)
    rest = begin(scene, "white").show(*[lit] * 10)
    assert [disc.state for disc in rest.board.discs] == [DiscState.FLAT]


def test_a_disc_over_the_holes_edge_is_still_there_after_a_bump(scene: Scene) -> None:
    over_edge = Disc(position=(-15.7, -5.0, 0.0), colour="white")
    bumped = [scene.shot(over_edge)] * 16 + [scene.shot(over_edge, ready(scene, "white"))] * 10
    film = begin(scene, "white")
    film.show(*[scene.shot(over_edge)] * 10)
    rest = film.show(*[np.roll(picture, (6, 14), axis=(0, 1)) for picture in bumped])
    assert len(rest.board.discs) == 2


def outline_of(fit: BoardFit, empty: np.ndarray, sunk: np.ndarray) -> Outline | None:
    """The outline in a picture, compared with a picture of the empty hole."""
    rectifier = make_rectifier(fit.view, fit.spec, sunk.shape)
    background = create_background(
        rectifier, rectifier.rectify(empty), np.zeros(rectifier.surface.shape, dtype=bool)
    )
    normalised = normalise_frame(background, rectifier, rectifier.rectify(sunk))
    return measure_hole_outline(sunk, fit, rectifier, background, normalised)


def test_a_groove_of_its_face_makes_no_disc_lean() -> None:
    fit = board_fit(view_at(0.0))
    empty = draw(fit.view, [], hole_bgr=(14, 14, 14))
    sunk = draw(fit.view, [], hole_bgr=(14, 14, 14), sunk=[(0.0, 0.0, (130, 57, 33))])
    x, y = np.rint(fit.view.project_plane(np.zeros((1, 2)))[0]).astype(int)
    reach = round(12.5 / fit.view.mm_per_px())
    cv2.ellipse(sunk, (x, y), (reach, reach), 0, -70, 70, (80, 36, 22), 2, cv2.LINE_AA)
    outline = outline_of(fit, empty, sunk)
    assert outline is not None
    assert not outline.is_leaning
    assert not outline.is_uncertain


def test_a_disc_whose_shadow_on_the_board_has_its_colour_does_not_lean() -> None:
    fit = board_fit(view_at(0.0))
    empty = draw(fit.view, [], hole_bgr=(110, 90, 190))
    face = (86, 122, 148)  # the wood's colour, darker by a quarter
    sunk = draw(fit.view, [], hole_bgr=(110, 90, 190), sunk=[(0.0, 0.0, face)])
    x, y = np.rint(fit.view.project_plane(np.zeros((1, 2)))[0]).astype(int)
    reach = round(19.0 / fit.view.mm_per_px())
    cv2.ellipse(sunk, (x, y), (reach, reach), 0, -60, 60, face, 3, cv2.LINE_AA)
    outline = outline_of(fit, empty, sunk)
    assert outline is not None
    assert not outline.is_leaning
    assert not outline.is_uncertain


@pytest.mark.parametrize("standing_mm", [-0.5, 2.5])
def test_a_disc_flat_in_the_hole_of_a_steep_view_does_not_lean(standing_mm: float) -> None:
    fit = board_fit(view_at(70.0))
    empty = draw(fit.view, [], hole_bgr=(14, 14, 14))
    sunk = draw(fit.view, [], sunk=[(0.0, 0.0, (45, 40, 170))], standing_mm=standing_mm)
    outline = outline_of(fit, empty, sunk)
    assert outline is not None
    assert not outline.is_leaning


def test_a_face_like_the_holes_own_floor_has_no_outline() -> None:
    fit = board_fit(view_at(0.0))
    empty = draw(fit.view, [], hole_bgr=(14, 20, 28))
    lit_mm = circle_mm((-12.0, 0.0), 10.0, 48)
    lit = np.rint(fit.view.project_plane(lit_mm)).astype(np.int32)
    cv2.fillPoly(empty, [lit], (28, 44, 60))
    sunk = draw(fit.view, [], hole_bgr=(14, 20, 28), sunk=[(0.0, 0.0, (30, 46, 68))])
    assert outline_of(fit, empty, sunk) is None


@pytest.mark.parametrize(
    ("off_mm", "aspect", "leans", "is_uncertain"),
    [
        (1.0, 0.97, False, False),
        (3.1, 0.97, False, True),
        (1.0, 0.92, False, True),
        (1.0, 0.87, False, True),
        (4.0, 0.97, True, False),
        (1.0, 0.80, True, False),
    ],
)
def test_an_outline_between_flat_and_leaning_is_doubtful(
    off_mm: float, aspect: float, leans: bool, is_uncertain: bool
) -> None:
    outline = Outline(offset_mm=np.array([off_mm, 0.0]), aspect=aspect)
    assert (outline.is_leaning, outline.is_uncertain) == (leans, is_uncertain)
