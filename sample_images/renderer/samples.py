"""The named pictures of sample_images/stills, with their required content.

A name describes the picture; the seed decides the rest.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from sample_images.renderer.generate.choices import SceneOptions
from sample_images.renderer.generate.scene_generator import generate_scene, generate_still_life
from sample_images.renderer.scene import Prop, RenderScene

_WIDE = (1280, 960)
_BOARDS: dict[str, tuple[int, SceneOptions]] = {
    "overhead_maple_black_and_natural": (
        101,
        SceneOptions(
            surface="maple",
            teams=("natural", "black"),
            tilt_deg=4,
            fill=0.96,
            round_kind="some",
            centre="free",
            light="ceiling",
            digits=False,
            size=_WIDE,
        ),
    ),
    "oblique_birch_red_and_blue": (
        102,
        SceneOptions(
            surface="birch",
            teams=("red", "blue"),
            tilt_deg=44,
            fill=1.0,
            round_kind="some",
            centre="free",
            light="window",
            table="wood",
            size=_WIDE,
        ),
    ),
    "overhead_walnut_brown_and_natural": (
        103,
        SceneOptions(
            surface="walnut",
            teams=("brown", "natural"),
            tilt_deg=7,
            fill=0.95,
            round_kind="some",
            centre="free",
            light="window",
            table="tile",
            size=_WIDE,
        ),
    ),
    "oblique_black_board_black_and_white": (
        104,
        SceneOptions(
            surface="black",
            teams=("black", "white"),
            tilt_deg=35,
            fill=1.0,
            round_kind="some",
            centre="free",
            light="mixed",
            size=_WIDE,
        ),
    ),
    "empty_cherry_board": (
        105,
        SceneOptions(
            surface="cherry",
            tilt_deg=28,
            fill=0.95,
            round_kind="empty",
            hole="red",
            light="window",
            size=_WIDE,
        ),
    ),
    "full_board_white_and_red": (
        106,
        SceneOptions(
            surface="oak",
            teams=("white", "red"),
            tilt_deg=18,
            fill=1.0,
            round_kind="many",
            centre="free",
            light="ceiling",
            size=_WIDE,
        ),
    ),
    "twenty_in_the_hole": (
        107,
        SceneOptions(
            surface="birch",
            teams=("cream", "brown"),
            tilt_deg=30,
            fill=1.0,
            round_kind="few",
            centre="in_hole",
            hole="brown",
            light="lamp",
            size=_WIDE,
        ),
    ),
    "leaner_on_the_hole": (
        108,
        SceneOptions(
            surface="amber",
            teams=("natural", "black"),
            tilt_deg=38,
            fill=1.0,
            round_kind="few",
            centre="leaning",
            hole="black",
            light="ceiling",
            size=_WIDE,
        ),
    ),
    "near_lines_on_both_sides": (
        509,
        SceneOptions(
            surface="maple",
            teams=("natural", "blue"),
            tilt_deg=25,
            fill=0.98,
            round_kind="some",
            centre="free",
            near_lines=(0.8, -0.8, 1.2, -1.2, 1.8, -1.8, 2.5, -2.5),
            light="window",
            size=_WIDE,
        ),
    ),
    "octagon_blue_board_with_digits": (
        110,
        SceneOptions(
            surface="blue",
            teams=("natural", "black"),
            rail="octagon",
            digits=True,
            hole="red",
            tilt_deg=9,
            fill=0.95,
            round_kind="some",
            centre="free",
            table="wood",
            size=_WIDE,
        ),
    ),
    "cropped_board": (
        111,
        SceneOptions(
            surface="cherry",
            teams=("orange", "black"),
            tilt_deg=20,
            fill=1.22,
            round_kind="some",
            centre="free",
            table="cloth",
            size=_WIDE,
        ),
    ),
    "low_sun_and_hard_shadows": (
        112,
        SceneOptions(
            surface="white",
            teams=("white", "black"),
            tilt_deg=15,
            fill=0.95,
            round_kind="some",
            centre="free",
            light="sun",
            size=_WIDE,
        ),
    ),
    "steep_view_walnut_black_and_cream": (
        1113,
        SceneOptions(
            surface="walnut",
            teams=("black", "cream"),
            tilt_deg=57,
            fill=1.0,
            round_kind="some",
            centre="free",
            size=_WIDE,
        ),
    ),
}


def _tableware() -> RenderScene:
    return generate_still_life(
        114,
        (
            Prop(
                kind="plate",
                x=-150,
                y=30,
                turn_deg=0,
                size=260,
                rgb=(0.9, 0.88, 0.82),
                second_rgb=(0.1, 0.15, 0.4),
            ),
            Prop(
                kind="clock",
                x=170,
                y=40,
                turn_deg=20,
                size=280,
                rgb=(0.92, 0.9, 0.85),
                second_rgb=(0.25, 0.15, 0.08),
            ),
            Prop(
                kind="cup",
                x=20,
                y=-170,
                turn_deg=0,
                size=85,
                rgb=(0.2, 0.4, 0.5),
                second_rgb=(0.2, 0.1, 0.05),
            ),
        ),
    )


def _duck() -> RenderScene:
    return generate_still_life(
        115,
        (
            Prop(
                kind="duck",
                x=0,
                y=0,
                turn_deg=-60,
                size=130,
                rgb=(0.92, 0.74, 0.08),
                second_rgb=(0.88, 0.36, 0.06),
            ),
            Prop(kind="bowl", x=170, y=90, turn_deg=0, size=140, rgb=(0.75, 0.75, 0.78)),
        ),
    )


SAMPLES: dict[str, Callable[[], RenderScene]] = {
    **{name: partial(generate_scene, seed, options) for name, (seed, options) in _BOARDS.items()},
    "no_board_plate_and_clock": _tableware,
    "no_board_rubber_duck": _duck,
}
