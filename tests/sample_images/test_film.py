"""Frames of a film show discs, hands and light as specified."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from calibration.camera import Camera as Lens
from calibration.circle import circle_mm
from calibration.pose import Pose, View
from sample_images.clip_renderer.canvas import Patch, hull_cover
from sample_images.clip_renderer.frame_renderer import FrameRenderer
from sample_images.clip_renderer.scene import (
    FrameSpec,
    Hand,
    KeyLight,
    Moment,
    Person,
    StaticScene,
    SunPatch,
)
from sample_images.clip_renderer.solids import cast_shadow, disc_solid, solid_patch
from sample_images.renderer.generate.boards import generate_board, generate_disc_shape
from sample_images.renderer.generate.choices import SceneOptions
from sample_images.renderer.lens import cam_from_board
from sample_images.renderer.poses import pose_leaner
from sample_images.renderer.scene import Disc, Finish, Tabletop, Viewpoint

SIZE = (480, 360)
RED = (0.62, 0.08, 0.08)
SOFT_LIGHT = KeyLight(azimuth_deg=120, elevation_deg=65, softness_mm=6.5)


@cache
def stage() -> StaticScene:
    rng = np.random.default_rng(5)
    grey = (0.5, 0.5, 0.5)
    board = replace(
        generate_board(
            rng, SceneOptions(surface="maple", rail="round", digits=False, hole="green")
        ),
        ditch=Finish(name="felt", rgb=grey),
        line_rgb=(0.1, 0.1, 0.1),
    )
    return StaticScene(
        board=board,
        shape=generate_disc_shape(rng),
        colours={"red": RED},
        table=Tabletop(kind="plain", rgb=grey, second_rgb=grey, pattern_mm=300, turn_deg=0),
        light=KeyLight(azimuth_deg=120, elevation_deg=50),
    )


def view(tilt: float = 0.0) -> View:
    away, lean = 1100.0, np.radians(tilt)
    place = (0.0, -away * np.sin(lean) - 1e-3, away * np.cos(lean))
    rotation, translation = cam_from_board(Viewpoint(position=place, target=(0, 0, 0)))
    lens = Lens(fx_px=420, fy_px=420, cx_px=239.5, cy_px=179.5)
    return View(camera=lens, cam_from_board=Pose(rotation=rotation, translation_mm=translation))


@cache
def film() -> FrameRenderer:
    return FrameRenderer(stage(), SIZE, noise=0, vignette=0)


def shot(*moments: Moment, at: View | None = None, **camera: float | SunPatch) -> np.ndarray:
    return (
        film().render_frame(FrameSpec(view=at or view(), moments=moments, **camera)).astype(float)
    )


def red(x: float, y: float, z: float = 0.0, state: str = "flat") -> Disc:
    return Disc(colour="red", position=(x, y, z), state=state)


def red_middle(picture: np.ndarray) -> np.ndarray:
    """The middle (2,) of all red pixels."""
    y, x = np.nonzero((picture[..., 2] > 90) & (picture[..., 1] < 60))
    return np.array([x.mean(), y.mean()])


@pytest.mark.parametrize("tilt", [0, 30])
def test_top_of_a_disc_is_drawn_where_the_camera_model_projects_it(tilt: float) -> None:
    camera, height = view(tilt), stage().shape.height
    picture = shot(Moment(discs=(red(120, -60),)), at=camera)
    top = camera.project_plane([[120.0, -60.0]], height)[0]
    base = camera.project_plane([[120.0, -60.0]])[0]
    seen = red_middle(picture)
    # the side is darker, so the area counted as red ends between the top and the whole body
    assert np.linalg.norm(seen - top) < 0.6 + np.linalg.norm(top - base)
    assert picture[round(top[1]), round(top[0])] == pytest.approx(255 * np.array(RED[::-1]), abs=6)


def test_disc_in_the_hole_shows_nothing_below_the_surface_outside_the_hole() -> None:
    camera, scene = view(40), stage()
    empty = shot(Moment(), at=camera)
    hole = red(0, 0, -scene.board.hole_depth, "in_hole")
    changed = np.abs(shot(Moment(discs=(hole,)), at=camera) - empty).max(axis=-1) > 8
    y, x = np.nonzero(changed)
    reach = np.linalg.norm(
        camera.unproject_plane(np.stack([x, y], axis=-1)) - scene.board.hole_centre, axis=-1
    )
    assert changed.any()
    assert reach.max() < scene.board.hole_radius + 3.0  # one pixel is two to three mm


def test_lost_disc_behind_the_surface_is_partly_hidden_by_its_edge() -> None:
    scene, camera = stage(), view(40)
    out = scene.board.playing_radius + scene.shape.radius + 1
    pictures = [
        shot(Moment(discs=(red(0, out, -scene.board.ditch_depth, state),)), at=camera)
        for state in ("ditch", "flat")
    ]
    hidden, whole = ((p[..., 2] > 90) & (p[..., 1] < 60) for p in pictures)
    assert hidden.sum() < whole.sum()
    assert not (hidden & ~whole).any()


def test_leaning_disc_is_drawn_tilted() -> None:
    scene = stage()
    disc = next(
        leaner
        for tilt in np.linspace(11, 35, 49)
        if (leaner := pose_leaner(scene.board, scene.shape, float(tilt), 90.0)) is not None
    )
    tilted = shot(Moment(discs=(replace(disc, colour="red"),)))
    flat = shot(Moment(discs=(red(disc.position[0], disc.position[1]),)))
    assert np.abs(tilted - flat).max() > 60


def test_moving_disc_is_smeared_along_its_way_and_still_ones_are_not() -> None:
    still = red(-100, 0)
    way = tuple(Moment(discs=(still, red(100 + 4 * k, 40))) for k in range(6))
    picture = shot(*way)
    single = shot(way[0])
    left = slice(0, SIZE[0] // 2)
    assert (picture[:, left] == single[:, left]).all()
    without = shot(Moment(discs=(still,)))
    changed = [np.abs(p - without).max(axis=-1)[:, 240:] > 20 for p in (picture, single)]
    span = [np.ptp(np.nonzero(part)[1]) for part in changed]
    assert span[0] > span[1]


def test_hand_covers_its_place_and_darkens_the_board_beside_it() -> None:
    hand = Hand(
        shape="hold", tip_mm=(0, -60, 20), azimuth_rad=np.pi / 2, skin=RED, sleeve=(0.1, 0.2, 0.4)
    )
    change = shot(Moment(hands=(hand,))) - shot(Moment())
    assert np.abs(change).max() > 80
    assert (change.sum(axis=-1) < -20).sum() > 2 * (change.sum(axis=-1) > 20).sum()


def test_person_beside_the_board_is_drawn_there_and_nowhere_else() -> None:
    person = Person(centre_mm=(560, 0), radii_mm=(100, 160), turn_deg=0, rgb=RED)
    change = np.abs(shot(Moment(people=(person,))) - shot(Moment())).max(axis=-1) > 3
    x = np.nonzero(change)[1]
    assert change.sum() > 500
    assert x.min() > SIZE[0] / 2


def test_exposure_and_white_balance_scale_the_colours() -> None:
    plain = shot(Moment())
    brighter = shot(Moment(), gain=1.1)
    redder = film().render_frame(
        FrameSpec(view=view(), moments=(Moment(),), balance=(1.1, 1.0, 0.9))
    )
    assert brighter.mean() == pytest.approx(1.1 * plain.mean(), rel=0.02)
    assert (
        redder[..., 2].mean() > plain[..., 2].mean() > plain[..., 0].mean() > redder[..., 0].mean()
    )


def test_same_take_and_seed_give_the_same_frame() -> None:
    frames = [
        FrameRenderer(stage(), SIZE).render_frame(
            FrameSpec(view=view(), moments=(Moment(discs=(red(9, 9),)),))
        )
        for _ in range(2)
    ]
    assert (frames[0] == frames[1]).all()


def test_zoomed_view_shows_its_own_board() -> None:
    wide = view()
    shot(Moment(), at=wide)
    near = replace(wide, camera=replace(wide.camera, fx_px=840, fy_px=840))
    fresh = FrameRenderer(stage(), SIZE, noise=0, vignette=0).render_frame(
        FrameSpec(view=near, moments=(Moment(),))
    )
    assert (shot(Moment(), at=near) == fresh).all()


def test_sunlight_brightens_its_patch_alone() -> None:
    corners = ((-150.0, -150.0), (-20.0, -150.0), (-20.0, 150.0), (-150.0, 150.0))
    sun = SunPatch(corners_mm=corners, strength=0.3, softness_mm=3.0)
    plain = shot(Moment())
    ratio = (shot(Moment(), sun=sun)[..., 1] + 1) / (plain[..., 1] + 1)
    inside, outside = (view().project_plane([[x, 0.0]])[0] for x in (-85.0, 60.0))
    assert ratio[round(inside[1]), round(inside[0])] == pytest.approx(1.3, abs=0.02)
    assert ratio[round(outside[1]), round(outside[0])] == pytest.approx(1.0, abs=0.02)


@pytest.mark.parametrize(("radius_px", "finer"), [(8.0, 3), (12.3, 3), (12.3, 2)])
def test_a_circle_covers_its_own_area(radius_px: float, finer: int) -> None:
    circle = circle_mm((20.3, 19.8), radius_px, 200)
    cover = hull_cover(Patch(0, 0, 40, 40), circle, finer)
    assert np.sqrt(cover.sum() / np.pi) == pytest.approx(radius_px, abs=0.06)


def test_no_soft_edge_surrounds_a_disc_towards_the_lamp() -> None:
    scene, camera = replace(stage(), light=SOFT_LIGHT), view()
    near = replace(camera, camera=replace(camera.camera, fx_px=1680, fy_px=1680))
    solid = disc_solid(scene, red(20.0, 60.0))
    patch = solid_patch(scene, near, solid)
    picture = np.ones((*patch.shape, 3), np.float32)
    cast_shadow(picture, patch, scene, near, solid)
    to_lamp = np.array([np.cos(np.radians(120)), np.sin(np.radians(120))])
    places = [(20.0, 60.0) + (scene.shape.radius + reach) * to_lamp for reach in (1, 3)]
    column, row = np.rint(near.project_plane(places) - (patch.left, patch.top)).astype(int).T
    beside, farther = picture[row, column, 0]
    assert farther - beside < 0.1
