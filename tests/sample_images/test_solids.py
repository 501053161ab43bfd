"""Drawn bodies: their edges are at their projections, however dark they are."""

from dataclasses import replace

import cv2
import numpy as np
import pytest

from sample_images.clip_maker.options import ClipOptions
from sample_images.clip_maker.play.scene_generator import generate_setup
from sample_images.clip_renderer.canvas import Patch
from sample_images.clip_renderer.solids import disc_solid, draw_solid
from sample_images.renderer.scene import Disc

_SIZE = (640, 480)


@pytest.mark.parametrize("tilt_deg", [0.0, 55.0])
def test_a_dark_disc_takes_the_light_of_its_own_outline_and_no_more(tilt_deg: float) -> None:
    options = ClipOptions(size=_SIZE, tilt_deg=tilt_deg)
    setup = generate_setup(np.random.default_rng(4), options, 4)
    colour = next(iter(setup.teams.values()))
    disc = Disc(position=(60.0, 20.0, 0.0), colour=colour, state="flat")
    solid = replace(disc_solid(setup.scene, disc), rgb=(0.0, 0.0, 0.0), gloss=0.0, grooves=())
    picture = np.full((_SIZE[1], _SIZE[0], 3), 200.0, np.float32)

    draw_solid(picture, Patch(0, 0, *_SIZE), setup.scene, setup.view, solid)

    dark_px = float((1 - (picture[..., 0] / 200) ** 2).sum())
    outline = setup.view.project(np.concatenate(solid.circles)).astype(np.float32)
    hull = cv2.convexHull(outline)
    # within a thirtieth of a pixel all around
    assert abs(dark_px - cv2.contourArea(hull)) < 0.035 * cv2.arcLength(hull, True)
