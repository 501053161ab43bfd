"""The board, the light and the camera of a clip, from its seed, within realistic ranges.

The camera is far enough away to see the whole board. The 10-line is always 203.2 mm, as for an
unmeasured board.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from calibration.board import SCALE_RADIUS_MM, BoardSpec
from calibration.camera import Camera
from calibration.disc import DiscSpec
from calibration.pose import Pose, View
from sample_images.clip_maker.options import ClipOptions
from sample_images.clip_maker.play.round_record import DiscRecord
from sample_images.clip_renderer.background import rail_outline, table_height_mm
from sample_images.clip_renderer.scene import Glare, KeyLight, StaticScene
from sample_images.renderer.generate.boards import (
    generate_board,
    generate_disc_shape,
    generate_teams,
)
from sample_images.renderer.generate.choices import Rng
from sample_images.renderer.generate.rooms import generate_table
from sample_images.renderer.lens import cam_from_board
from sample_images.renderer.palette import DISCS, EASY_TEAMS, LIGHT_TINTS
from sample_images.renderer.poses import pose_leaner
from sample_images.renderer.scene import Board, Viewpoint
from scorer.physics.parameters import PhysicsSpec
from scorer.physics.scene import TableSpec

#: Least and largest distance of a camera, mm.
_NEAREST_MM, _FARTHEST_MM = 500.0, 6000.0
#: Colours that differ by more than this, in sRGB from 0 to 1, are distinct at a glance.
_STANDS_OUT = 0.3
#: Focal length over the picture's long side, of webcams and phones.
_FOCAL = (0.72, 1.05)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ClipSetup:
    """The scene and camera of a clip."""

    scene: StaticScene
    view: View
    table: TableSpec
    teams: dict[str, str]  # side -> colour


def generate_setup(rng: Rng, options: ClipOptions, seed: int) -> ClipSetup:
    """The setup of a seed, within the options."""
    board = _rescale_board(generate_board(rng, options.looks))
    shape = generate_disc_shape(rng)
    colours = _choose_colours(rng, board, options)
    order = rng.permutation(2)
    tint = LIGHT_TINTS[rng.integers(1, len(LIGHT_TINTS) - 1)]
    scene = StaticScene(
        board=board,
        shape=shape,
        colours={name: DISCS[name].rgb for name in colours},
        table=generate_table(rng, options.looks),
        light=KeyLight(
            azimuth_deg=float(rng.uniform(0, 360)),
            elevation_deg=float(rng.uniform(42, 66)),
            strength=float(rng.uniform(0.25, 0.5)),
            softness_mm=float(rng.uniform(1.5, 7)),
            rgb=_mute_tint(tint),
        ),
        glares=_generate_glares(rng) if options.glare else (),
        seed=seed,
    )
    return ClipSetup(
        scene=scene,
        view=place_camera(rng, options, board),
        table=build_physics_table(scene, rng),
        teams={"A": str(colours[order[0]]), "B": str(colours[order[1]])},
    )


def _choose_colours(rng: Rng, board: Board, options: ClipOptions) -> tuple[str, ...]:
    """Two disc colours, which show well on the surface unless the options say otherwise."""
    if options.looks.teams or options.hard_colours:
        return generate_teams(rng, board.surface.name, options.looks)[:2]
    pairs = [pair for pair in EASY_TEAMS if all(_stands_out(name, board) for name in pair)]
    return pairs[rng.integers(len(pairs))]


def _stands_out(name: str, board: Board) -> bool:
    """Whether a disc of that colour stands out from the surface."""
    return math.dist(DISCS[name].rgb, board.surface.rgb) > _STANDS_OUT


def _mute_tint(tint: tuple[float, float, float]) -> tuple[float, float, float]:
    """A light's colour, muted because a camera balances most of it away."""
    r, g, b = (1 + 0.18 * (c - tint[1]) for c in tint)
    return r, g, b


def _rescale_board(board: Board) -> Board:
    """The board with its 10-line at the nominal radius, and a surface large enough for discs."""
    factor = SCALE_RADIUS_MM / board.line_radii[1]
    r15, r10, r5 = (factor * r for r in board.line_radii)
    return replace(
        board,
        line_radii=(r15, r10, r5),
        playing_radius=max(factor * board.playing_radius, r5 + 18.0),
        quadrant_span=(factor * board.quadrant_span[0], r5),
        post_ring_radius=r15,
    )


def build_physics_table(scene: StaticScene, rng: Rng) -> TableSpec:
    """The same board for the physics, with a realistic speed."""
    board, shape = scene.board, scene.shape
    return TableSpec(
        board=BoardSpec(
            line_radii_mm=board.line_radii,
            line_width_mm=board.line_width,
            hole_radius_mm=board.hole_radius,
            hole_depth_mm=board.hole_depth,
            hole_centre_mm=board.hole_centre,
            surface_radius_mm=board.playing_radius,
            post_count=board.post_count,
            post_radius_mm=board.post_radius,
            post_height_mm=board.post_height,
            post_ring_radius_mm=board.post_ring_radius,
        ),
        disc=DiscSpec(
            radius_mm=shape.radius,
            height_mm=shape.height,
            contact_inset_mm=shape.radius - shape.bottom_radius,
        ),
        physics=PhysicsSpec(
            friction=float(rng.uniform(0.09, 0.15)),
            restitution=float(rng.uniform(0.78, 0.9)),
            post_sleeve_mm=0.0,
            rail_restitution=0.0,
            ditch_width_mm=board.ditch_width,
        ),
    )


def _generate_glares(rng: Rng) -> tuple[Glare, ...]:
    angle, reach = rng.uniform(0, 2 * math.pi), rng.uniform(90, 220)
    return (
        Glare(
            centre_mm=(float(reach * math.cos(angle)), float(reach * math.sin(angle))),
            size_mm=(float(rng.uniform(90, 180)), float(rng.uniform(120, 240))),
            turn_deg=float(rng.uniform(0, 90)),
            strength=float(rng.uniform(0.35, 0.7)),
        ),
    )


def place_camera(rng: Rng, options: ClipOptions, board: Board) -> View:
    """A camera that sees the whole board."""
    width, height = options.size
    tilt = float(rng.uniform(3, 14) if rng.uniform() < 0.5 else rng.uniform(22, 36))
    match options.tilt_deg:
        case (low, high):
            tilt = float(rng.uniform(low, high))
        case float() | int():
            tilt = options.tilt_deg
    roll = float(rng.normal(0, 6)) if options.roll_deg is None else options.roll_deg
    focal = float(rng.uniform(*_FOCAL)) * max(width, height)
    azimuth = math.radians(float(rng.normal(-90, 14)))
    off = rng.normal(0, 12, 2)
    camera = Camera(
        fx_px=focal,
        fy_px=focal,
        cx_px=(width - 1) / 2,
        cy_px=(height - 1) / 2,
        k1=float(rng.uniform(-0.05, 0.02)),
    )
    low, high = _NEAREST_MM, _FARTHEST_MM
    for _ in range(40):
        away = (low + high) / 2
        view = _view_at(camera, tilt, azimuth, roll, away, (float(off[0]), float(off[1])))
        low, high = (low, away) if _fits(view, board, options) else (away, high)
    return view


def _view_at(
    camera: Camera,
    tilt_deg: float,
    azimuth: float,
    roll_deg: float,
    away_mm: float,
    off_mm: tuple[float, float],
) -> View:
    tilt = math.radians(tilt_deg)
    ground = away_mm * math.sin(tilt)
    viewpoint = Viewpoint(
        position=(
            ground * math.cos(azimuth),
            ground * math.sin(azimuth),
            away_mm * math.cos(tilt),
        ),
        # nearer parts look larger, so the middle of the picture is nearer than the board's
        target=(off_mm[0], off_mm[1] - 40 * math.sin(tilt), 0.0),
        roll_deg=roll_deg,
    )
    rotation, translation = cam_from_board(viewpoint)
    return View(camera=camera, cam_from_board=Pose(rotation=rotation, translation_mm=translation))


def _fits(view: View, board: Board, options: ClipOptions) -> bool:
    """Whether the rail's top is inside the required share of the picture."""
    outline = rail_outline(board)
    px = view.project_plane(outline, board.rail_height)
    size = np.array(options.size)
    spare = (1 - options.fill) / 2 * size.min()
    return bool((px > spare).all() and (px < size - spare).all())


def generate_leaner(scene: StaticScene, rng: Rng) -> DiscRecord | None:
    """A disc that leans on the hole's edge; None if no disc of this size can."""
    lean = float(rng.uniform(0, 360))
    for tilt in rng.permutation(np.linspace(11.0, 35.0, 49)):
        disc = pose_leaner(scene.board, scene.shape, float(tilt), lean)
        if disc is not None:
            x, y, z = disc.position
            return DiscRecord(
                id="", x_mm=x, y_mm=y, z_mm=z, state="leaning", tilt_deg=float(tilt), lean_deg=lean
            )
    return None


@dataclass(frozen=True, slots=True, kw_only=True)
class PictureExtent:
    """The picture's extent on the table: to the sides, and towards the players, mm."""

    side_mm: float
    towards_mm: dict[str, float]


def measure_extent(view: View, size: tuple[int, int], board: Board) -> PictureExtent:
    """The extent of a view's picture."""
    width, height = size
    middles = np.array([[0, height / 2], [width, height / 2]])
    corners = np.array([[0, 0], [width, 0], [width, height], [0, height]], dtype=np.float64)
    z = table_height_mm(board)
    y = view.unproject_plane(corners, z)[:, 1]
    return PictureExtent(
        side_mm=float(np.abs(view.unproject_plane(middles, z))[:, 0].min()),
        towards_mm={"A": float(-y.min()), "B": float(y.max())},
    )
