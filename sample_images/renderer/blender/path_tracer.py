"""A scene built in Blender and path-traced (Cycles) to linear light.

Board millimetres become Blender's metres; the world frame is the board frame. Needs Blender's
Python module, an optional extra.
"""

from __future__ import annotations

import math
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import bpy
import cv2
import numpy as np
from mathutils import Matrix, Vector

from sample_images.renderer import lens as optics
from sample_images.renderer.blender import meshes, props
from sample_images.renderer.blender.materials import (
    MM,
    finish_material,
    picture_material,
    table_material,
    to_linear_rgba,
)
from sample_images.renderer.blender.surface import extent_mm, paint_surface
from sample_images.renderer.palette import DISCS
from sample_images.renderer.poses import disc_rotation
from sample_images.renderer.scene import Board, Disc, DiscModel, Finish, Light, Prop, RenderScene

_SENSOR_MM = 36.0
_SMOOTH_BELOW_DEG = 35.0
#: Distance of the floor below the table top.
_FLOOR_MM = 740.0


def _add_mesh(name: str, shape: meshes.Mesh, material: Any) -> Any:
    verts, faces = shape
    mesh = bpy.data.meshes.new(name)
    mesh.from_pydata((np.asarray(verts) * MM).tolist(), [], faces)
    mesh.validate()
    mesh.shade_smooth()
    mesh.set_sharp_from_angle(angle=math.radians(_SMOOTH_BELOW_DEG))
    mesh.materials.append(material)
    thing = bpy.data.objects.new(name, mesh)
    bpy.context.scene.collection.objects.link(thing)
    return thing


def _set_pose(thing: Any, position: tuple[float, float, float], rotation: np.ndarray) -> None:
    frame = Matrix(rotation.tolist()).to_4x4()
    frame.translation = Vector(position) * MM
    thing.matrix_world = frame


def _about_z(turn_deg: float) -> np.ndarray:
    c, s = math.cos(math.radians(turn_deg)), math.sin(math.radians(turn_deg))
    return np.array([[c, -s, 0], [s, c, 0], [0, 0, 1.0]])


def _add_board(board: Board, folder: Path) -> None:
    picture = folder / "surface.png"
    cv2.imwrite(str(picture), paint_surface(board)[..., ::-1], [cv2.IMWRITE_PNG_COMPRESSION, 1])
    surface = picture_material("surface", picture, board.surface, extent_mm(board))
    _add_mesh("surface", meshes.playing_surface(board), surface)
    _add_mesh("hole", meshes.hole(board), finish_material("hole", board.hole))
    _add_mesh("ditch", meshes.ditch_floor(board), finish_material("ditch", board.ditch))
    _add_mesh("rail", meshes.rail(board), finish_material("rail", board.rail))
    metal = finish_material("post", board.post)
    for k in range(board.post_count):
        a = math.radians(22.5 + k * 360.0 / board.post_count)
        where = board.post_ring_radius * math.cos(a), board.post_ring_radius * math.sin(a), 0.0
        _set_pose(_add_mesh("post", meshes.post(board), metal), where, np.eye(3))


def _add_disc(number: int, disc: Disc, shape: DiscModel) -> Any:
    wood = finish_material("disc", DISCS[disc.colour], offset=11.3 * number)
    return _add_mesh(f"disc {number}", meshes.disc(shape), wood)


def _add_table(scene: RenderScene, depth: float) -> None:
    x, y = scene.table.extent
    top = _add_mesh("table", meshes.box((2 * x, 2 * y, 30.0)), table_material(scene.table))
    _set_pose(top, (0.0, 0.0, -depth - 30.0), np.eye(3))
    bare = Finish(name="floor", rgb=scene.table.floor_rgb, roughness=0.8, gloss=0.0)
    floor = _add_mesh("floor", meshes.box((12000.0, 12000.0, 10.0)), finish_material("floor", bare))
    _set_pose(floor, (0.0, 0.0, -depth - _FLOOR_MM), np.eye(3))


def _add_prop(prop: Prop, depth: float) -> None:
    for shape, rgb in props.build_parts(prop):
        look = Finish(name=prop.kind, rgb=rgb, roughness=0.5, gloss=0.1)
        thing = _add_mesh(prop.kind, shape, finish_material(prop.kind, look))
        _set_pose(thing, (prop.x, prop.y, -depth), _about_z(prop.turn_deg))


def _add_light(light: Light) -> None:
    data = bpy.data.lights.new("light", "SUN" if light.kind == "sun" else "AREA")
    data.color = to_linear_rgba(light.rgb)[:3]
    towards = Vector(light.position)
    if light.kind == "sun":
        data.energy = light.irradiance
        data.angle = math.radians(light.size[0])
    else:
        data.shape = "RECTANGLE"
        data.size, data.size_y = (s * MM for s in light.size)
        distance = towards.length * MM
        data.energy = light.irradiance * math.pi * distance**2 / (towards.z / towards.length)
    lamp = bpy.data.objects.new("light", data)
    lamp.matrix_world = towards.to_track_quat("Z", "Y").to_matrix().to_4x4()
    lamp.location = towards * MM
    bpy.context.scene.collection.objects.link(lamp)


def _add_ambient_light(scene: RenderScene) -> None:
    world = bpy.data.worlds.new("room")
    world.use_nodes = True
    light = world.node_tree.nodes["Background"]
    light.inputs["Color"].default_value = to_linear_rgba(scene.ambient_rgb)
    light.inputs["Strength"].default_value = scene.ambient_irradiance / math.pi
    bpy.context.scene.world = world


def _add_camera(scene: RenderScene, size: tuple[int, int]) -> None:
    data = bpy.data.cameras.new("camera")
    data.sensor_fit, data.sensor_width = "HORIZONTAL", _SENSOR_MM
    data.lens = scene.lens.focal_px / size[0] * _SENSOR_MM
    data.clip_start, data.clip_end = 0.01, 100.0
    camera = bpy.data.objects.new("camera", data)
    rotation, _ = optics.cam_from_board(scene.viewpoint)
    _set_pose(camera, scene.viewpoint.position, rotation.T @ np.diag([1.0, -1.0, -1.0]))
    bpy.context.scene.collection.objects.link(camera)
    bpy.context.scene.camera = camera


def _configure_cycles(scene: RenderScene, size: tuple[int, int], threads: int, out: Path) -> None:
    """Cycles on the processor, with its denoiser, writing linear light to ``out``."""
    r = bpy.context.scene
    r.render.engine = "CYCLES"
    r.cycles.device = "CPU"
    r.cycles.samples = scene.samples
    r.cycles.use_adaptive_sampling = True
    r.cycles.adaptive_threshold = 0.03
    r.cycles.use_denoising = True
    r.cycles.denoiser = "OPENIMAGEDENOISE"
    r.cycles.max_bounces, r.cycles.diffuse_bounces, r.cycles.glossy_bounces = 4, 2, 2
    r.cycles.caustics_reflective = r.cycles.caustics_refractive = False
    r.cycles.sample_clamp_indirect = 5.0
    r.cycles.seed = scene.seed
    r.render.threads_mode, r.render.threads = "FIXED", threads
    r.render.resolution_x, r.render.resolution_y = size
    r.render.resolution_percentage = 100
    r.render.image_settings.file_format = "OPEN_EXR"
    r.render.image_settings.color_depth = "32"
    r.render.filepath = str(out)


def _read_light(path: Path) -> np.ndarray:
    image = bpy.data.images.load(str(path))
    image.colorspace_settings.name = "Non-Color"
    width, height = image.size
    flat = np.empty(width * height * image.channels, np.float32)
    image.pixels.foreach_get(flat)
    bpy.data.images.remove(image)
    return np.ascontiguousarray(flat.reshape(height, width, -1)[::-1, :, :3])


def _build_scene(scene: RenderScene, folder: Path) -> list[Any]:
    """Everything except the camera; returns the discs, in the scene's order."""
    bpy.ops.wm.read_factory_settings(use_empty=True)
    depth = meshes.base_depth(scene.board) if scene.board else 0.0
    if scene.board:
        _add_board(scene.board, folder)
    _add_table(scene, depth)
    for prop in scene.props:
        _add_prop(prop, depth)
    for light in scene.lights:
        _add_light(light)
    _add_ambient_light(scene)
    shape = scene.disc_shape
    return [_add_disc(n, d, shape) for n, d in enumerate(scene.discs)] if shape else []


def trace_frames(
    scene: RenderScene, frames: Iterable[Sequence[Disc]], threads: int = 2
) -> Iterator[np.ndarray]:
    """Linear light (height, width, 3), red first, of the scene with its discs as in the frames.

    Every frame contains the scene's discs, in the same order, at their current places.
    """
    warp, size = optics.warp_map(scene.lens)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        things = _build_scene(scene, folder)
        _add_camera(scene, size)
        _configure_cycles(scene, size, threads, folder / "light.exr")
        for discs in frames:
            for thing, disc in zip(things, discs, strict=True):
                _set_pose(thing, disc.position, disc_rotation(disc))
            bpy.ops.render.render(write_still=True)
            x, y = np.ascontiguousarray(warp[..., 0]), np.ascontiguousarray(warp[..., 1])
            yield cv2.remap(_read_light(folder / "light.exr"), x, y, cv2.INTER_CUBIC)


def trace_scene(scene: RenderScene, threads: int = 2) -> np.ndarray:
    """Linear light (height, width, 3), red first, of the scene through its distorting lens."""
    return next(trace_frames(scene, [scene.discs], threads))
