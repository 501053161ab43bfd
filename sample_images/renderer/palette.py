"""Colours and woods of boards and discs by name, and pairs that are hard to distinguish.

Colours are sRGB, 0 to 1.
"""

from __future__ import annotations

from sample_images.renderer.scene import Finish, Rgb

#: Woods by base colour, with their range of grain contrast.
SURFACES: dict[str, tuple[Rgb, tuple[float, float]]] = {
    "birch": ((0.87, 0.77, 0.60), (0.03, 0.14)),
    "maple": ((0.84, 0.72, 0.54), (0.03, 0.16)),
    "oak": ((0.72, 0.53, 0.32), (0.12, 0.38)),
    "cherry": ((0.62, 0.38, 0.23), (0.08, 0.25)),
    "walnut": ((0.34, 0.23, 0.16), (0.12, 0.40)),
    "amber": ((0.74, 0.52, 0.22), (0.15, 0.45)),
    "black": ((0.07, 0.07, 0.075), (0.0, 0.03)),
    "blue": ((0.10, 0.20, 0.38), (0.0, 0.06)),
    "white": ((0.88, 0.88, 0.86), (0.0, 0.02)),
    "green": ((0.10, 0.28, 0.20), (0.0, 0.05)),
}
DARK_SURFACES = ("walnut", "black", "blue", "green")

DISCS: dict[str, Finish] = {
    "natural": Finish(name="natural", rgb=(0.80, 0.65, 0.45), contrast=0.14, grain_mm=2.5),
    "cream": Finish(name="cream", rgb=(0.90, 0.84, 0.70), contrast=0.05, grain_mm=2.5),
    "white": Finish(name="white", rgb=(0.88, 0.88, 0.85), gloss=0.3),
    "black": Finish(name="black", rgb=(0.05, 0.05, 0.055), gloss=0.25),
    "brown": Finish(name="brown", rgb=(0.27, 0.18, 0.12), contrast=0.25, grain_mm=2.5),
    "red": Finish(name="red", rgb=(0.62, 0.08, 0.08)),
    "blue": Finish(name="blue", rgb=(0.10, 0.19, 0.45)),
    "green": Finish(name="green", rgb=(0.08, 0.33, 0.17)),
    "orange": Finish(name="orange", rgb=(0.85, 0.38, 0.10)),
    "yellow": Finish(name="yellow", rgb=(0.88, 0.72, 0.16)),
    "purple": Finish(name="purple", rgb=(0.32, 0.14, 0.40)),
}

#: Teams of which at least one is close to the surface's own colour.
HARD_TEAMS: dict[str, tuple[tuple[str, str], ...]] = {
    "birch": (("natural", "black"), ("cream", "brown"), ("natural", "brown"), ("cream", "red")),
    "maple": (("natural", "black"), ("natural", "red"), ("cream", "natural"), ("cream", "blue")),
    "oak": (("natural", "brown"), ("natural", "black"), ("orange", "brown")),
    "amber": (("natural", "brown"), ("yellow", "black"), ("natural", "black")),
    "cherry": (("brown", "natural"), ("red", "brown"), ("orange", "black")),
    "walnut": (("brown", "natural"), ("black", "cream"), ("brown", "black")),
    "black": (("black", "natural"), ("brown", "white"), ("black", "red")),
    "blue": (("black", "natural"), ("blue", "white"), ("purple", "black")),
    "white": (("white", "black"), ("cream", "red"), ("white", "blue")),
    "green": (("green", "white"), ("black", "natural")),
}
EASY_TEAMS: tuple[tuple[str, str], ...] = (
    ("white", "red"),
    ("red", "blue"),
    ("orange", "green"),
    ("yellow", "purple"),
    ("natural", "black"),
    ("white", "black"),
    ("green", "red"),
    ("natural", "blue"),
)

HOLES: dict[str, Finish] = {
    "red": Finish(name="red", rgb=(0.50, 0.05, 0.06), roughness=0.7, gloss=0.0),
    "brown": Finish(name="brown", rgb=(0.24, 0.15, 0.10), roughness=0.7, gloss=0.0),
    "black": Finish(name="black", rgb=(0.04, 0.04, 0.04), roughness=0.7, gloss=0.0),
    "blue": Finish(name="blue", rgb=(0.10, 0.18, 0.42), roughness=0.7, gloss=0.0),
    "green": Finish(name="green", rgb=(0.07, 0.24, 0.14), roughness=0.8, gloss=0.0),
}

POSTS: dict[str, Finish] = {
    "steel": Finish(name="steel", rgb=(0.75, 0.75, 0.76), roughness=0.25, metallic=1.0),
    "brass": Finish(name="brass", rgb=(0.78, 0.62, 0.32), roughness=0.3, metallic=1.0),
    "wood": Finish(name="wood", rgb=(0.78, 0.62, 0.40), contrast=0.1, grain_mm=2.0),
    "black": Finish(name="black", rgb=(0.04, 0.04, 0.04), roughness=0.4),
    "rubber": Finish(name="rubber", rgb=(0.10, 0.10, 0.10), roughness=0.85, gloss=0.0),
    "white": Finish(name="white", rgb=(0.85, 0.85, 0.82), roughness=0.4),
}

DITCHES: tuple[Rgb, ...] = (
    (0.05, 0.05, 0.06),
    (0.07, 0.10, 0.24),
    (0.50, 0.09, 0.09),
    (0.07, 0.26, 0.22),
    (0.30, 0.31, 0.33),
)

TABLES: tuple[tuple[str, Rgb, Rgb], ...] = (
    ("plain", (0.78, 0.77, 0.74), (0.7, 0.7, 0.7)),
    ("plain", (0.30, 0.45, 0.48), (0.3, 0.4, 0.4)),
    ("plain", (0.20, 0.20, 0.22), (0.2, 0.2, 0.2)),
    ("wood", (0.52, 0.45, 0.38), (0.42, 0.36, 0.30)),
    ("wood", (0.66, 0.46, 0.27), (0.55, 0.36, 0.20)),
    ("wood", (0.28, 0.19, 0.13), (0.22, 0.15, 0.10)),
    ("tile", (0.72, 0.70, 0.66), (0.45, 0.43, 0.40)),
    ("tile", (0.42, 0.43, 0.45), (0.25, 0.25, 0.25)),
    ("cloth", (0.50, 0.10, 0.13), (0.62, 0.20, 0.22)),
    ("cloth", (0.25, 0.35, 0.52), (0.70, 0.72, 0.74)),
    ("cloth", (0.80, 0.78, 0.72), (0.60, 0.55, 0.48)),
)

#: Light of the room, from lamplight to open shade.
LIGHT_TINTS: tuple[Rgb, ...] = (
    (1.0, 0.72, 0.42),
    (1.0, 0.85, 0.66),
    (1.0, 0.96, 0.90),
    (0.92, 0.97, 1.0),
    (0.78, 0.88, 1.0),
)


def linear_light(rgb: Rgb) -> Rgb:
    """Linear light of an sRGB colour (IEC 61966-2-1)."""
    r, g, b = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in rgb)
    return r, g, b
