"""The types of a scene: the content of a picture, as frozen values.

Nothing here is random: two equal scenes give the same picture, and a clip is one scene with its
``discs`` replaced frame by frame. ``generate`` makes scenes up, ``blender`` draws them and
``truth`` describes them.

World frame = board frame: origin at the common centre of the ring lines on the playing surface,
x right, y up, z out of the board; mm. Colours are sRGB, 0 to 1.
"""

from __future__ import annotations

from dataclasses import dataclass, field

Rgb = tuple[float, float, float]
Point = tuple[float, float, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class Finish:
    """The look of a material.

    contrast   strength of the wood grain: 0 is paint, 0.1 is quiet, 0.5 is wild
    grain_mm   width of one growth ring
    figure     bend of the grain: 0 straight, 1 strongly figured
    roughness  0 mirror to 1 chalk; gloss is the share of a clear coat
    """

    name: str
    rgb: Rgb
    contrast: float = 0.0
    grain_mm: float = 6.0
    figure: float = 0.3
    roughness: float = 0.45
    gloss: float = 0.2
    metallic: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Board:
    """A board's sizes and looks; lengths in mm, radii to the middle of a painted line.

    quadrant_span     radii at which the quadrant lines begin and end
    ditch_width       from the playing surface's edge to the rail (of an octagon: to its flats)
    rail_height       above the playing surface
    veneer_strips     glued strips of wood with different tones, 1 for a single sheet
    """

    surface: Finish
    ditch: Finish
    rail: Finish
    hole: Finish
    post: Finish
    playing_radius: float
    line_radii: tuple[float, float, float]
    line_width: float
    line_rgb: Rgb
    line_opacity: float
    quadrant_span: tuple[float, float]
    hole_radius: float
    hole_depth: float
    hole_centre: tuple[float, float]
    post_count: int
    post_radius: float
    post_height: float
    post_ring_radius: float
    rail_shape: str  # "round" | "octagon"
    rail_height: float
    rail_width: float
    ditch_width: float
    ditch_depth: float
    digits: bool = False
    digit_height_mm: float = 14.0
    digit_face: int = 0
    twenty_digits: bool = False
    logo: str = ""
    veneer_strips: int = 1
    knots: int = 0
    texture_seed: int = 0
    grain_turn_deg: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class DiscModel:
    """The sizes of all discs of a set, in mm; ``bottom_radius`` is the edge that touches.

    top  "plain" | "dished" | "ring" | "rim"
    """

    radius: float
    bottom_radius: float
    height: float
    top: str = "plain"


@dataclass(frozen=True, slots=True, kw_only=True)
class Disc:
    """One disc: the centre of its bottom face, its tilt and its turn.

    tilt_deg rotates the disc about the horizontal axis perpendicular to ``lean_deg``, so that its
    side towards azimuth ``lean_deg`` rises.
    """

    colour: str
    position: Point
    state: str = "flat"  # "flat" | "in_hole" | "leaning" | "overhanging" | "ditch"
    tilt_deg: float = 0.0
    lean_deg: float = 0.0
    spin_deg: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class CameraIntrinsics:
    """A camera. Pixels: the centre of the top-left pixel at (0, 0); k1, k2 as in OpenCV."""

    width: int
    height: int
    focal_px: float
    k1: float = 0.0
    k2: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Viewpoint:
    """The camera's place (mm), its target, and its roll about that line."""

    position: Point
    target: Point
    roll_deg: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Light:
    """A lamp. ``irradiance`` is that at the middle of the board, on any one scale.

    kind  "area" (size: width, height in mm) | "sun" (size[0]: angle in degrees)
    """

    kind: str
    position: Point
    size: tuple[float, float]
    irradiance: float
    rgb: Rgb = (1.0, 1.0, 1.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Tabletop:
    """The table under the board: a plane of half-sizes ``extent`` mm, with a floor far below it."""

    kind: str  # "plain" | "wood" | "tile" | "cloth"
    rgb: Rgb
    second_rgb: Rgb
    pattern_mm: float
    turn_deg: float
    extent: tuple[float, float] = (2500.0, 2500.0)
    roughness: float = 0.6
    floor_rgb: Rgb = (0.4, 0.38, 0.36)


@dataclass(frozen=True, slots=True, kw_only=True)
class Prop:
    """An object on the table that is not part of the game; ``size`` in mm, with a meaning that
    depends on its kind.
    """

    kind: str  # "cup" | "plate" | "box" | "bowl" | "arm" | "clock" | "duck"
    x: float
    y: float
    turn_deg: float
    size: float
    rgb: Rgb
    second_rgb: Rgb = (0.9, 0.9, 0.9)


@dataclass(frozen=True, slots=True, kw_only=True)
class Sensor:
    """A phone's effect on the light.

    exposure       mean grey of the picture's middle, 0 to 1 of linear white
    white_balance  gains of red, green, blue
    noise          standard deviation at mid grey, share of white
    """

    exposure: float = 0.25
    white_balance: Rgb = (1.0, 1.0, 1.0)
    blur_px: float = 0.5
    noise: float = 0.01
    vignette: float = 0.1
    jpeg_quality: int = 88


@dataclass(frozen=True, slots=True, kw_only=True)
class RenderScene:
    """The complete content of one picture. ``board`` is None if there is none."""

    seed: int
    lens: CameraIntrinsics
    viewpoint: Viewpoint
    table: Tabletop
    lights: tuple[Light, ...]
    ambient_rgb: Rgb
    ambient_irradiance: float
    sensor: Sensor
    board: Board | None = None
    disc_shape: DiscModel | None = None
    teams: tuple[str, ...] = ()
    discs: tuple[Disc, ...] = field(default=())
    props: tuple[Prop, ...] = field(default=())
    samples: int = 16
