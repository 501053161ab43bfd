"""The types of a film: the still objects, and the content of one moment.

Board frame, mm; colours are sRGB, 0 to 1, red first.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from calibration.pose import View
from sample_images.renderer.scene import Board, Disc, DiscModel, Point, Rgb, Tabletop


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyLight:
    """The lamp that casts shadows.

    azimuth_deg    its direction, counter-clockwise from +x
    elevation_deg  above the board
    strength       darkness of its shadow: 0 none, 1 black
    softness_mm    width of a shadow's edge on the playing surface
    """

    azimuth_deg: float
    elevation_deg: float
    strength: float = 0.42
    softness_mm: float = 3.0
    rgb: Rgb = (1.0, 1.0, 1.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Glare:
    """A window reflected in the lacquer: a soft bright four-sided patch on the surface."""

    centre_mm: tuple[float, float]
    size_mm: tuple[float, float]
    turn_deg: float
    strength: float


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class StaticScene:
    """The still objects: the board, the discs' size and colours, the table and the light."""

    board: Board
    shape: DiscModel
    colours: Mapping[str, Rgb]
    table: Tabletop
    light: KeyLight
    glares: tuple[Glare, ...] = ()
    seed: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Hand:
    """A hand with its sleeve; its fingertips are at ``tip_mm``.

    shape        "hold" | "cocked" | "flicked" | "flat"
    azimuth_rad  direction of the fingers
    """

    shape: str
    tip_mm: Point
    azimuth_rad: float
    skin: Rgb
    sleeve: Rgb


@dataclass(frozen=True, slots=True, kw_only=True)
class Person:
    """A person beside the board: head and shoulders as an ellipse on the table's plane."""

    centre_mm: tuple[float, float]
    radii_mm: tuple[float, float]
    turn_deg: float
    rgb: Rgb


@dataclass(frozen=True, slots=True, kw_only=True)
class Moment:
    """All moving objects at one moment of the film."""

    discs: tuple[Disc, ...] = ()
    hands: tuple[Hand, ...] = ()
    people: tuple[Person, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ShadowBand:
    """A person's shadow: a soft dark band across the table, ``offset_mm`` from the middle."""

    offset_mm: float
    turn_deg: float
    width_mm: float
    strength: float


@dataclass(frozen=True, slots=True, kw_only=True)
class SunPatch:
    """Sunlight through a window: a four-sided patch on the table, brighter than the rest by a
    factor.

    softness_mm  one sigma of its edges, which the window's distance softens
    """

    corners_mm: tuple[tuple[float, float], ...]
    strength: float
    softness_mm: float


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class FrameSpec:
    """One frame: the motion while the shutter was open, and the camera's errors.

    moments  during the shutter's time, in order; equal ones are drawn once
    gain     brightness, by varying exposure; balance: red, green and blue
    graphic  lines of a score shown over a corner; empty: none
    """

    view: View
    moments: tuple[Moment, ...]
    gain: float = 1.0
    balance: Rgb = (1.0, 1.0, 1.0)
    shade: ShadowBand | None = None
    sun: SunPatch | None = None
    graphic: tuple[str, ...] = field(default=())
