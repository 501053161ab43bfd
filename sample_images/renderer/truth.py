"""The truth of a picture, as the plain values of its truth file; zones by the line-touch rule.

Lengths in mm, points in pixels of the picture.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from sample_images.renderer import lens as optics
from sample_images.renderer.poses import disc_rotation
from sample_images.renderer.scene import Board, Disc, RenderScene

ZONE_VALUES = (15, 10, 5)


def clearances_mm(board: Board, bottom_radius: float, x: float, y: float) -> tuple[float, ...]:
    """Distances of the bottom edge inside the lines' inner sides; negative is touching or
    outside.
    """
    reach = math.hypot(x, y) + bottom_radius
    return tuple(r - board.line_width / 2 - reach for r in board.line_radii)


def zone_value(clearances: tuple[float, ...]) -> int:
    """Points of a disc on the surface: that of the innermost line inside which it is clear."""
    return next((v for v, c in zip(ZONE_VALUES, clearances, strict=True) if c > 0), 0)


def _disc_truth(scene: RenderScene, disc: Disc) -> dict[str, Any]:
    assert scene.board
    assert scene.disc_shape
    x, y, _ = disc.position
    clear = clearances_mm(scene.board, scene.disc_shape.bottom_radius, x, y)
    top = np.array(disc.position) + disc_rotation(disc) @ (0, 0, scene.disc_shape.height)
    bottom_px, top_px = optics.project(scene.lens, scene.viewpoint, np.array([disc.position, top]))
    value = {"in_hole": 20, "leaning": 15}.get(disc.state) or zone_value(clear)
    on_lines = disc.state in ("flat", "overhanging")
    return {
        "colour": disc.colour,
        "x": x,
        "y": y,
        "state": disc.state,
        "value": value,
        "margin_mm": min(abs(c) for c in clear) if on_lines else None,
        "px_bottom": [round(float(v), 3) for v in bottom_px],
        "px_top": [round(float(v), 3) for v in top_px],
    }


def _board_truth(board: Board) -> dict[str, Any]:
    return {
        "surface": board.surface.name,
        "playing_radius": board.playing_radius,
        "line_radii": list(board.line_radii),
        "line_width": board.line_width,
        "line_opacity": board.line_opacity,
        "digits": board.digits,
        "hole_radius": board.hole_radius,
        "hole_depth": board.hole_depth,
        "hole_centre": list(board.hole_centre),
        "hole_colour": board.hole.name,
        "quadrant_span": list(board.quadrant_span),
        "posts": board.post_count,
        "post_radius": board.post_radius,
        "post_height": board.post_height,
        "post_ring_radius": board.post_ring_radius,
        "rail": board.rail_shape,
        "ditch_width": board.ditch_width,
        "ditch_depth": board.ditch_depth,
        "rail_height": board.rail_height,
    }


def scene_truth(scene: RenderScene) -> dict[str, Any]:
    """The truth file of a scene. A scene without a board has no pose, because nothing defines
    one.
    """
    lens = scene.lens
    common = {
        "seed": scene.seed,
        "width": lens.width,
        "height": lens.height,
        "K": optics.camera_matrix(lens).tolist(),
        "dist": [lens.k1, lens.k2, 0, 0],
    }
    if scene.board is None:
        empty: dict[str, Any] = {
            "board": None,
            "colours": [],
            "discs": [],
            "totals": {},
            "ditch": [],
        }
        return common | empty | {"table": scene.table.kind}
    return common | _game_truth(scene)


def _game_truth(scene: RenderScene) -> dict[str, Any]:
    assert scene.board
    assert scene.disc_shape
    rotation, translation = optics.cam_from_board(scene.viewpoint)
    shape = scene.disc_shape
    discs = [_disc_truth(scene, d) for d in scene.discs if d.state != "ditch"]
    return {
        "R": rotation.tolist(),
        "t": translation.tolist(),
        "tilt_deg": optics.tilt_deg(scene.viewpoint),
        "board": _board_truth(scene.board),
        "disc": {
            "radius": shape.radius,
            "bottom_radius": shape.bottom_radius,
            "height": shape.height,
        },
        "colours": list(scene.teams),
        "discs": discs,
        "totals": {c: sum(d["value"] for d in discs if d["colour"] == c) for c in scene.teams},
        "ditch": [
            {"x": d.position[0], "y": d.position[1], "colour": d.colour}
            for d in scene.discs
            if d.state == "ditch"
        ],
        "table": scene.table.kind,
    }
