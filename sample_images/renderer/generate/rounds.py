"""A round's end from a seed: the discs' places, on boards as full as after real rounds."""

from __future__ import annotations

import math

import numpy as np

from sample_images.renderer import lens as optics
from sample_images.renderer.generate import layout as laying
from sample_images.renderer.generate.choices import Rng, SceneOptions, pick
from sample_images.renderer.generate.layout import Layout
from sample_images.renderer.scene import CameraIntrinsics, Disc, Viewpoint

#: Discs must lie this far inside the picture, as a share of its short side.
_FRAME_SHARE = 0.015


def make_visibility_test(
    lens: CameraIntrinsics, viewpoint: Viewpoint, radius: float
) -> laying.VisibilityTest:
    """Whether a whole disc at a point (3,) is in the picture."""
    ring = np.array([[math.cos(a), math.sin(a), 0] for a in np.arange(8) * math.pi / 4]) * radius
    pad = _FRAME_SHARE * min(lens.width, lens.height)

    def visible(point: np.ndarray) -> bool:
        px = optics.project(
            lens, viewpoint, np.concatenate([point + ring, point + ring + np.array([0, 0, 12.0])])
        )
        return bool((px > pad).all() and (px < (lens.width - pad, lens.height - pad)).all())

    return visible


def generate_round(rng: Rng, layout: Layout, options: SceneOptions) -> tuple[Disc, ...]:
    """A round's end: the hole first, then the required content, then the rest."""
    kind = options.round_kind or pick(
        rng, ("empty", "few", "some", "many"), (0.07, 0.25, 0.43, 0.25)
    )
    if kind == "empty":
        laying.fill_ditch(layout, int(rng.choice((0, 0, 4, 9))))
        return tuple(layout.discs)
    centre = options.centre or pick(rng, ("free", "in_hole", "leaning"), (0.55, 0.27, 0.18))
    if centre == "in_hole":
        laying.place_in_hole(layout)
    if centre == "leaning":
        laying.place_leaner(layout)
    for margin in _near_margins(rng, kind, options):
        laying.place_near_line(layout, int(rng.integers(3)), margin)
    _fill(rng, layout, kind)
    laying.fill_ditch(layout, int(rng.integers(0, 13)), standing=int(rng.uniform() < 0.3))
    return tuple(layout.discs)


def _near_margins(rng: Rng, kind: str, options: SceneOptions) -> tuple[float, ...]:
    if options.near_lines is not None:
        return options.near_lines
    count = {"few": 1, "some": 3, "many": 6}[kind]
    return tuple(float(rng.choice((-1, 1)) * rng.uniform(0.5, 3.0)) for _ in range(count))


def _fill(rng: Rng, layout: Layout, kind: str) -> None:
    if kind == "few":
        laying.scatter(layout, int(rng.integers(1, 5)))
        return
    laying.place_cluster(layout, int(rng.integers(2, 4 if kind == "some" else 6)))
    for chance, put in (
        (0.5, laying.place_at_post),
        (0.3, laying.place_beside_hole),
        (0.3, laying.place_overhanging),
    ):
        if rng.uniform() < chance:
            put(layout)
    if rng.uniform() < 0.3:
        laying.place_row(layout, int(rng.integers(2, 5)))
    laying.scatter(layout, int(rng.integers(1, 6) if kind == "some" else rng.integers(6, 12)))
