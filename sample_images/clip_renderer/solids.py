"""Discs and posts, with their shadows, as bodies turned on a lathe with rounded edges.

Outlines are the exact projections of the body's circles, and shadows are where they fall on the
board.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import cv2
import numpy as np

from calibration.camera import FloatArray
from calibration.circle import circle_mm
from calibration.pose import View
from sample_images.clip_renderer.background import rail_outline, shadow_offset, table_height_mm
from sample_images.clip_renderer.canvas import Patch, blend, hull_cover, patch_around, soften
from sample_images.clip_renderer.scene import StaticScene
from sample_images.renderer.poses import disc_rotation
from sample_images.renderer.scene import Board, Disc, Rgb

_POINTS = 40
_CIRCLE = circle_mm((0.0, 0.0), 1.0, _POINTS)
#: Ratio of height to width of a rounded edge, number of its circles, and how much lighter than the
#: top it is.
_EDGE_STEEPNESS, _EDGE_CIRCLES, _BEVEL_LIGHT = 1.3, 3, 1.16
#: The rounding of a post's upper edge.
_POST_EDGE_MM = 0.6
#: Darkness and width of the shade about a body's base, from which it hides part of the sky.
_CONTACT_DARK, _CONTACT_MM = 0.30, 4.0
#: Light on a body's side: away from the lamp, and what the lamp adds.
_SIDE_DARK, _SIDE_LIT = 0.50, 0.34
#: Extra softness of the shadows of bodies held high, per millimetre of height.
_SOFTER_PER_MM = 0.12
#: Number of parts in which a body's shadow is drawn, from its base, where it is sharp, to its top.
_SHADOW_PARTS = 3


@dataclass(frozen=True, slots=True, eq=False)
class Solid:
    """A body: its circles (n, 3) in the board frame, from base to top, and its look.

    circles    of the lower edge, and as many of the upper one
    ground_mm  height of the ground under its shadow
    grooves    radii of rings on its top, as a share of its own
    """

    circles: tuple[FloatArray, ...]
    rgb: Rgb
    ground_mm: float
    grooves: tuple[float, ...] = ()
    gloss: float = 0.0
    shown: tuple[FloatArray, ...] = ()
    hidden: FloatArray | None = None

    @property
    def middle(self) -> FloatArray:
        """The centre (3,) of its base."""
        return np.asarray(self.circles[0].mean(axis=0))

    @property
    def wall(self) -> tuple[FloatArray, FloatArray]:
        """The lower and upper end (n, 3) of its upright side."""
        return self.circles[_EDGE_CIRCLES - 1], self.circles[_EDGE_CIRCLES]

    @property
    def upper_edge(self) -> FloatArray:
        """The points (m, 3) of its upper edge."""
        return np.concatenate(self.circles[_EDGE_CIRCLES:])


def disc_solid(scene: StaticScene, disc: Disc) -> Solid:
    """The body of a disc."""
    shape, turn = scene.shape, disc_rotation(disc)
    inset = shape.radius - shape.bottom_radius
    profile = _round_edges(shape.radius, shape.height, (inset, inset))
    circles = tuple(circle @ turn.T + disc.position for circle in profile)
    return Solid(
        circles=circles,
        rgb=scene.colours[disc.colour],
        ground_mm=ground_below(scene.board, disc),
        grooves=_GROOVES.get(shape.top, ()),
        gloss=0.10,
        shown=_openings(scene.board, disc, circles),
        hidden=_surface_edge(scene.board) if disc.state == "ditch" else None,
    )


def _openings(board: Board, disc: Disc, circles: tuple[FloatArray, ...]) -> tuple[FloatArray, ...]:
    """The opening through which a sunk or lost disc is seen, and the part of it above that."""
    if disc.state == "ditch":
        outline = rail_outline(board, inner=True)
        return (np.c_[outline, np.full(len(outline), board.rail_height)],)
    if disc.state not in ("in_hole", "leaning"):
        return ()
    hole = circle_mm(board.hole_centre, board.hole_radius, _POINTS)
    above = [circle[circle[:, 2] >= 0] for circle in circles]
    # where the side comes out of the hole: the body's own points, cut at the surface
    low, high = circles[_EDGE_CIRCLES - 1], circles[_EDGE_CIRCLES]
    share = np.clip(-low[:, 2:] / np.maximum(high[:, 2:] - low[:, 2:], 1e-9), 0, 1)
    cut = low + share * (high - low)
    above.append(cut[cut[:, 2] > -1e-6])
    risen = np.concatenate(above)
    opening = np.c_[hole, np.zeros(_POINTS)]
    return (opening, risen) if len(risen) > 2 else (opening,)


def _surface_edge(board: Board) -> FloatArray:
    """The outline (n, 3) of the playing surface."""
    return np.c_[circle_mm((0, 0), board.playing_radius, 180), np.zeros(180)]


def visibility_mask(patch: Patch, view: View, solid: Solid) -> np.ndarray | None:
    """How much of the pixels (h, w) may show a body; None: all of them."""
    if not solid.shown and solid.hidden is None:
        return None
    part = np.zeros(patch.shape, np.float32) if solid.shown else np.ones(patch.shape, np.float32)
    for outline in solid.shown:
        part = np.maximum(part, hull_cover(patch, view.project(outline)))
    if solid.hidden is not None:
        part *= 1 - hull_cover(patch, view.project(solid.hidden))
    return part


_GROOVES: dict[str, tuple[float, ...]] = {"ring": (0.62,), "dished": (0.78, 0.72), "rim": (0.86,)}


def post_solids(board: Board) -> list[Solid]:
    """The bodies of the posts."""
    azimuth = (np.arange(board.post_count) + 0.5) * 2 * np.pi / max(board.post_count, 1)
    solids = []
    for a in azimuth:
        base = board.post_ring_radius * np.array([math.cos(a), math.sin(a), 0.0])
        profile = _round_edges(board.post_radius, board.post_height, (0.0, _POST_EDGE_MM))
        circles = tuple(circle + base for circle in profile)
        solids.append(Solid(circles=circles, rgb=board.post.rgb, ground_mm=0.0, gloss=0.25))
    return solids


def _round_edges(
    radius: float, height: float, insets: tuple[float, float]
) -> tuple[FloatArray, ...]:
    """The circles (n, 3) of an upright body whose base and top are smaller by ``insets``."""
    angle = np.linspace(0, math.pi / 2, _EDGE_CIRCLES)
    out, up = 1 - np.sin(angle), _EDGE_STEEPNESS * (1 - np.cos(angle))
    low = [_rim(radius - insets[0] * o, insets[0] * u) for o, u in zip(out, up, strict=True)]
    high = [
        _rim(radius - insets[1] * o, height - insets[1] * u) for o, u in zip(out, up, strict=True)
    ]
    return (*low, *reversed(high))


def _rim(radius: float, z: float) -> FloatArray:
    return np.concatenate([radius * _CIRCLE, np.full((_POINTS, 1), z)], axis=1)


def ground_below(board: Board, disc: Disc) -> float:
    """Height of the ground under a disc: its own base, unless somebody holds it."""
    x, y, _ = disc.position
    reach = math.hypot(x, y)
    if disc.state == "in_hole":
        return -board.hole_depth
    if reach < board.playing_radius:
        return 0.0
    if reach < board.playing_radius + board.ditch_width:
        return -board.ditch_depth
    rail = board.playing_radius + board.ditch_width + board.rail_width
    return board.rail_height if reach < rail else table_height_mm(board)


def solid_patch(scene: StaticScene, view: View, solid: Solid) -> Patch:
    """All pixels that a body or its shadow may touch."""
    points = np.concatenate([*solid.circles, *_shadow_rims(scene, solid)])
    soft = scene.light.softness_mm + _SOFTER_PER_MM * max(solid.middle[2] - solid.ground_mm, 0)
    return patch_around(view.project(points), 3 + 2.5 * soft / view.mm_per_px())


def _shadow_rims(scene: StaticScene, solid: Solid) -> list[FloatArray]:
    rims = []
    for rim in solid.wall:
        over = np.maximum(rim[:, 2:] - solid.ground_mm, 0.0)
        shift = over * shadow_offset(scene.light, 1.0)
        rims.append(
            np.concatenate([rim[:, :2] + shift, np.full((_POINTS, 1), solid.ground_mm)], axis=1)
        )
    return rims


def cast_shadow(
    picture: np.ndarray, patch: Patch, scene: StaticScene, view: View, solid: Solid
) -> None:
    """Darken the ground beneath a body; ``picture`` is the patch's pixels."""
    light = scene.light
    low, high = _shadow_rims(scene, solid)
    over = max(float(solid.middle[2]) - solid.ground_mm, 0.0)
    cover = np.zeros(patch.shape, np.float32)
    for part in range(_SHADOW_PARTS):
        rims = [low + (high - low) * ((part + end) / _SHADOW_PARTS) for end in (0, 1)]
        soft_mm = 0.4 * light.softness_mm * (part + 0.5) / _SHADOW_PARTS + _SOFTER_PER_MM * over
        drawn = hull_cover(patch, view.project(np.concatenate(rims)), 2)
        cover = np.maximum(cover, soften(drawn, soft_mm / view.mm_per_px()))
    picture *= 1 - light.strength * cover[..., None]
    if over < _CONTACT_MM:
        wider = solid.wall[0] + 0.5 * _CONTACT_MM * np.c_[_CIRCLE, np.zeros(_POINTS)]
        touch = soften(hull_cover(patch, view.project(wider), 2), _CONTACT_MM / view.mm_per_px())
        picture *= 1 - _CONTACT_DARK * touch[..., None]


def draw_solid(
    picture: np.ndarray, patch: Patch, scene: StaticScene, view: View, solid: Solid
) -> None:
    """Draw a body; ``picture`` is the patch's pixels.

    Side, edge and top share their outline, so they are put together before the whole body covers
    the ground: one after another they would cover its edge twice, and look larger.
    """
    colour = 255 * np.array(solid.rgb[::-1], np.float32)
    whole = hull_cover(patch, view.project(np.concatenate(solid.circles)))
    body = _side(patch, scene, view, solid, colour).astype(np.float32)
    top = solid.circles[-1]
    edge, face = (
        np.clip(hull_cover(patch, view.project(points)) / np.maximum(whole, 1e-3), 0, 1)
        for points in (solid.upper_edge, top)
    )
    blend(body, np.minimum(colour * _BEVEL_LIGHT + 6, 255), edge)
    blend(body, _top(patch, view, solid, colour), face)
    middle = top.mean(axis=0)
    for share in solid.grooves:
        _groove(body, patch, view, middle + (top - middle) * share)
    blend(picture, body, whole)


def _top(patch: Patch, view: View, solid: Solid, colour: np.ndarray) -> np.ndarray:
    """The top's colour (h, w, 3): a little lighter towards the lamp's reflection."""
    rows, columns = patch.shape
    top = solid.circles[-1]
    centre = view.project(top.mean(axis=0)[None])[0] - (patch.left, patch.top)
    reach = np.ptp(view.project(top)[:, 0]) / 2 + 1e-6
    x = (np.arange(columns, dtype=np.float32) - centre[0]) / reach
    y = (np.arange(rows, dtype=np.float32) - centre[1]) / reach
    ramp = 1 - 0.05 * x[None, :] - 0.06 * y[:, None]
    return colour * ramp[..., None] + 255 * solid.gloss * 0.25 * np.maximum(ramp - 1, 0)[..., None]


def _side(
    patch: Patch, scene: StaticScene, view: View, solid: Solid, colour: np.ndarray
) -> np.ndarray:
    """The side's colour (h, w, 3), by its direction across the picture."""
    rows, columns = patch.shape
    px = view.project(solid.wall[0])
    centre, half = px.mean(axis=0)[0] - patch.left, np.ptp(px[:, 0]) / 2 + 1e-6
    across = np.clip((np.arange(columns, dtype=np.float32) - centre) / half, -1, 1)
    base, eye = solid.middle, view.cam_from_board.camera_board_mm
    to_eye = math.atan2(eye[1] - base[1], eye[0] - base[0])
    # seen from outside, the side right of the middle turns away
    normal = to_eye + np.arcsin(across)
    facing = np.maximum(np.cos(normal - math.radians(scene.light.azimuth_deg)), 0)
    shade = _SIDE_DARK + _SIDE_LIT * facing
    return np.broadcast_to(shade[None, :, None] * colour, (rows, columns, 3))


def _groove(picture: np.ndarray, patch: Patch, view: View, rim: FloatArray) -> None:
    """A turned ring on a top: a thin darker line."""
    points = view.project(rim) - (patch.left, patch.top)
    mask = np.zeros(patch.shape, np.uint8)
    fixed = np.round(points * 16).astype(np.int32)
    cv2.polylines(mask, [fixed], True, 255, 1, cv2.LINE_AA, 4)
    picture *= 1 - 0.22 * (mask.astype(np.float32) / 255)[..., None]
