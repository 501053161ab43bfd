"""Random choices, and the required content of a scene for any seed.

The generator is always passed in.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from sample_images.renderer.scene import Rgb

Rng = np.random.Generator
T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class SceneOptions:
    """The required content of a scene; None leaves it to the seed.

    tilt_deg, fill  camera: tilt, and the share of the picture's short side that the board fills
    round_kind      "empty" | "few" | "some" | "many"
    """

    surface: str | None = None
    teams: tuple[str, ...] | None = None
    rail: str | None = None
    digits: bool | None = None
    hole: str | None = None
    tilt_deg: float | None = None
    fill: float | None = None
    round_kind: str | None = None
    centre: str | None = None  # "free" | "in_hole" | "leaning"
    near_lines: tuple[float, ...] | None = None
    light: str | None = None
    table: str | None = None
    size: tuple[int, int] | None = None


def pick(rng: Rng, options: Iterable[T], shares: tuple[float, ...] = ()) -> T:
    """One of the options, equally likely or by their shares."""
    listed = list(options)
    chances = np.array(shares) / sum(shares) if shares else None
    return listed[int(rng.choice(len(listed), p=chances))]


def vary_colour(rng: Rng, rgb: Rgb, spread: float) -> Rgb:
    """A colour like ``rgb``, brighter or darker and slightly off in hue."""
    scale = math.exp(rng.normal(0, spread))
    r, g, b = (
        float(np.clip(c * scale * math.exp(rng.normal(0, spread / 4)), 0.02, 0.95)) for c in rgb
    )
    return r, g, b
