"""A disc over the hole: flat in it, or leaning on its edge."""

from __future__ import annotations

from copy import deepcopy
from dataclasses import dataclass
from functools import cache

import cv2
import numpy as np
import pytest

from calibration.placed_disc import DiscState
from sample_images.clip_maker.options import ClipOptions
from sample_images.clip_maker.play.scene_generator import ClipSetup, generate_setup
from sample_images.clip_renderer.frame_renderer import FrameRenderer
from sample_images.clip_renderer.scene import FrameSpec, Moment
from sample_images.renderer.poses import pose_leaner
from sample_images.renderer.scene import Disc
from vision.reading import UnexplainedReason
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
