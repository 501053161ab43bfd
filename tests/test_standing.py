"""A disc over the hole: flat in it, or leaning on its edge."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

from calibration.state import DiscState
from sample_images.film.scene import Moment, Take
from sample_images.film.shoot import Camera
from sample_images.renderer.poses import hole_lean
from sample_images.renderer.scene import Disc
from vision.lookout import Lookout
from vision.sights import Rested
from vision.standing import Outline
from webapp.clips.studio import Studio, furnish
from webapp.clips.wishes import ClipWishes

SEED = 314
PAUSE_S = 1 / 30


@dataclass(frozen=True)
class Scene:
    studio: Studio
    camera: Camera

    def shot(self, disc: Disc | None) -> np.ndarray:
        moment = Moment(discs=() if disc is None else (disc,))
        return self.camera.shoot(Take(view=self.studio.view, moments=(moment,)))


@pytest.fixture(scope="module")
def scene() -> Scene:
    wishes = ClipWishes(tilt_deg=25)
    studio = furnish(np.random.default_rng((SEED, 0)), wishes, SEED)
    return Scene(studio, Camera(studio.stage, wishes.size))


def states_of(scene: Scene, disc: Disc) -> list[DiscState]:
    """What is read when the empty board and a disc ready to be shot were seen first."""
    lookout, rests = Lookout(), []
    line_mm = scene.studio.stage.board.line_radii[2]
    ready = Disc(position=(0.0, -line_mm, 0.0), colour=disc.colour)
    frames = [scene.shot(None)] * 8 + [scene.shot(ready)] * 10 + [scene.shot(disc)] * 10
    for i, frame in enumerate(frames):
        rests += [s for s in lookout.take(frame, i * PAUSE_S) if isinstance(s, Rested)]
    return [each.state for each in rests[-1].board.discs]


def test_a_disc_flat_in_the_hole_is_in_it(scene: Scene) -> None:
    board = scene.studio.stage.board
    x, y = board.hole_centre
    disc = Disc(position=(x + 1.0, y - 1.0, -board.hole_depth), colour="white", state="in_hole")
    assert states_of(scene, disc) == [DiscState.IN_HOLE]


def test_a_disc_that_leans_on_the_holes_edge_leans(scene: Scene) -> None:
    stage = scene.studio.stage
    leaning = hole_lean(stage.board, stage.shape, 34.0, 70.0)
    assert leaning is not None
    disc = Disc(
        position=leaning.position, colour="white", state="leaning", tilt_deg=34.0, lean_deg=70.0
    )
    assert states_of(scene, disc) == [DiscState.LEANING]


@pytest.mark.parametrize(
    ("off_mm", "aspect", "leans", "is_doubtful"),
    [
        (1.0, 0.97, False, False),
        (3.1, 0.97, False, True),
        (1.0, 0.92, False, True),
        (4.0, 0.97, True, False),
        (1.0, 0.85, True, False),
    ],
)
def test_an_outline_between_flat_and_leaning_is_doubtful(
    off_mm: float, aspect: float, leans: bool, is_doubtful: bool
) -> None:
    outline = Outline(off_mm=np.array([off_mm, 0.0]), aspect=aspect)
    assert (outline.leans, outline.is_doubtful) == (leans, is_doubtful)
