"""Blender materials (shader nodes) from finishes, tables and pictures.

Grain is procedural and defined in the object's own frame.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import bpy

from sample_images.renderer.palette import linear_light
from sample_images.renderer.scene import Finish, Rgb, Tabletop

#: Blender units (m) in one mm.
MM = 0.001


def to_linear_rgba(rgb: Rgb) -> tuple[float, float, float, float]:
    """Linear-light RGBA of an sRGB colour."""
    return *linear_light(rgb), 1.0


def scale_brightness(rgb: Rgb, factor: float) -> Rgb:
    """The colour made ``factor`` times as bright, within range."""
    r, g, b = (min(1.0, c * factor) for c in rgb)
    return r, g, b


def _new(name: str, finish: Finish) -> tuple[Any, Any, Any]:
    material = bpy.data.materials.new(name)
    material.use_nodes = True
    tree = material.node_tree
    shader = tree.nodes["Principled BSDF"]
    shader.inputs["Base Color"].default_value = to_linear_rgba(finish.rgb)
    shader.inputs["Roughness"].default_value = finish.roughness
    shader.inputs["Metallic"].default_value = finish.metallic
    shader.inputs["Coat Weight"].default_value = finish.gloss
    shader.inputs["Coat Roughness"].default_value = 0.12
    return material, tree, shader


def _map_coordinates(
    tree: Any, scale: tuple[float, float, float], offset: float, turn: float = 0.0
) -> Any:
    """Object coordinates in mm, scaled, turned and shifted."""
    where = tree.nodes.new("ShaderNodeTexCoord")
    mapping = tree.nodes.new("ShaderNodeMapping")
    mapping.inputs["Scale"].default_value = tuple(s / MM for s in scale)
    mapping.inputs["Location"].default_value = (offset, 1.7 * offset, 0.3 * offset)
    mapping.inputs["Rotation"].default_value = (0.0, 0.0, turn)
    tree.links.new(where.outputs["Object"], mapping.inputs["Vector"])
    return mapping.outputs["Vector"]


def _ramp(tree: Any, source: Any, low: Rgb, high: Rgb, span: tuple[float, float]) -> Any:
    ramp = tree.nodes.new("ShaderNodeValToRGB")
    for stop, (at, rgb) in zip(
        ramp.color_ramp.elements, zip(span, (low, high), strict=True), strict=True
    ):
        stop.position, stop.color = at, to_linear_rgba(rgb)
    tree.links.new(source, ramp.inputs["Fac"])
    return ramp.outputs["Color"]


def _noise(tree: Any, vector: Any, detail: float = 5.0) -> Any:
    noise = tree.nodes.new("ShaderNodeTexNoise")
    noise.inputs["Scale"].default_value = 1.0
    noise.inputs["Detail"].default_value = detail
    tree.links.new(vector, noise.inputs["Vector"])
    return noise.outputs["Fac"]


def finish_material(name: str, finish: Finish, offset: float = 0.0, turn: float = 0.0) -> Any:
    """A material for a finish; ``offset`` picks another piece of the same wood."""
    material, tree, shader = _new(name, finish)
    if finish.contrast > 0:
        across, along = 1.0 / finish.grain_mm, 0.06 / finish.grain_mm
        vector = _map_coordinates(tree, (along, across, 0.5 * across), offset, turn)
        c = finish.contrast
        low, high = (
            scale_brightness(finish.rgb, 1 - 1.4 * c),
            scale_brightness(finish.rgb, 1 + 0.6 * c),
        )
        colour = _ramp(tree, _noise(tree, vector), low, high, (0.3, 0.7))
        tree.links.new(colour, shader.inputs["Base Color"])
    return material


def picture_material(name: str, picture: Path, finish: Finish, extent: float) -> Any:
    """A material that puts a square picture, half-side ``extent`` mm, on an object's middle."""
    material, tree, shader = _new(name, finish)
    vector = _map_coordinates(tree, (0.5 / extent, 0.5 / extent, 0.0), 0.0)
    vector.node.inputs["Location"].default_value = (0.5, 0.5, 0.0)
    image = tree.nodes.new("ShaderNodeTexImage")
    image.image = bpy.data.images.load(str(picture))
    image.extension = "EXTEND"
    tree.links.new(vector, image.inputs["Vector"])
    tree.links.new(image.outputs["Color"], shader.inputs["Base Color"])
    return material


def _tiles(tree: Any, table: Tabletop, vector: Any, size: tuple[float, float], gap: float) -> Any:
    brick = tree.nodes.new("ShaderNodeTexBrick")
    brick.offset = 0.0 if table.kind == "tile" else 0.5
    brick.inputs["Scale"].default_value = 1.0
    brick.inputs["Brick Width"].default_value, brick.inputs["Row Height"].default_value = size
    brick.inputs["Mortar Size"].default_value = gap
    brick.inputs["Color1"].default_value = to_linear_rgba(table.rgb)
    second = table.second_rgb if table.kind == "wood" else scale_brightness(table.rgb, 0.93)
    brick.inputs["Color2"].default_value = to_linear_rgba(second)
    mortar = scale_brightness(table.second_rgb, 0.55) if table.kind == "wood" else table.second_rgb
    brick.inputs["Mortar"].default_value = to_linear_rgba(mortar)
    tree.links.new(vector, brick.inputs["Vector"])
    return brick.outputs["Color"]


def _multiply(tree: Any, a: Any, b: Any) -> Any:
    mix = tree.nodes.new("ShaderNodeMix")
    mix.data_type, mix.blend_type = "RGBA", "MULTIPLY"
    mix.inputs[0].default_value = 1.0
    tree.links.new(a, mix.inputs[6])
    tree.links.new(b, mix.inputs[7])
    return mix.outputs[2]


def table_material(table: Tabletop) -> Any:
    """The table's top by its kind."""
    gloss = 0.15 if table.kind in ("wood", "tile") else 0.0
    finish = Finish(name="table", rgb=table.rgb, roughness=table.roughness, gloss=gloss)
    material, tree, shader = _new("table", finish)
    p = table.pattern_mm
    plain = _map_coordinates(tree, (1 / p, 1 / p, 1 / p), 3.1, table.turn_deg / 57.3)
    if table.kind == "tile":
        colour = _tiles(tree, table, plain, (1.0, 1.0), 0.012)
    elif table.kind == "wood":
        grain = _map_coordinates(tree, (0.8 / p, 14 / p, 1 / p), 3.1, table.turn_deg / 57.3)
        streaks = _ramp(tree, _noise(tree, grain, 6.0), (0.72, 0.72, 0.72), (1, 1, 1), (0.3, 0.65))
        colour = _multiply(tree, _tiles(tree, table, plain, (8.0, 1.0), 0.006), streaks)
    elif table.kind == "cloth":
        colour = _ramp(tree, _noise(tree, plain, 8.0), table.rgb, table.second_rgb, (0.42, 0.62))
    else:
        colour = _ramp(
            tree, _noise(tree, plain, 2.0), table.rgb, scale_brightness(table.rgb, 0.94), (0.3, 0.7)
        )
    tree.links.new(colour, shader.inputs["Base Color"])
    return material
