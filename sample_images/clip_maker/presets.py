"""Named kinds of clips, with one difficulty each, and the clips of sample_images/clips.

A name describes a clip; the seed decides the rest.
"""

from __future__ import annotations

from sample_images.clip_maker.options import ClipOptions
from sample_images.renderer.generate.choices import SceneOptions as Looks

KINDS: dict[str, ClipOptions] = {
    "plain": ClipOptions(),
    "overhead": ClipOptions(tilt_deg=8),
    "oblique": ClipOptions(tilt_deg=33),
    "sixty_fps": ClipOptions(fps=60),
    "slow_camera": ClipOptions(fps=12, tilt_deg=20),
    "portrait": ClipOptions(size=(720, 1280), tilt_deg=25),
    "bumped": ClipOptions(bump_mm=14, tilt_deg=20),
    "flicker_and_drift": ClipOptions(flicker=0.10, drift=0.08),
    "walking_shadow": ClipOptions(shade=True, tilt_deg=12),
    "person_beside": ClipOptions(person=True, resting_hand=True, tilt_deg=10),
    "broadcast": ClipOptions(
        tilt_deg=3, cuts=True, graphic=True, resting_hand=True, glare=True, unshot="table"
    ),
    "sunlit": ClipOptions(sun=True, tilt_deg=14),
    "tournament": ClipOptions(
        tilt_deg=4, cuts=True, inserts=True, graphic=True, resting_hand=True, glare=True, sun=True,
        bump_mm=9, unshot="table", stored=(960, 720),
    ),
    "low_contrast": ClipOptions(
        looks=Looks(surface="walnut", teams=("brown", "black")), tilt_deg=10
    ),
    "hard_colours": ClipOptions(hard_colours=True),
    "natural_on_maple": ClipOptions(
        looks=Looks(surface="maple", teams=("natural", "cream")), tilt_deg=16
    ),
    "dropped_frames": ClipOptions(dropped=0.3),
    "mid_round": ClipOptions(discs_per_side=6, lying=6),
    "close_calls": ClipOptions(
        intents=("stop_short", "near_miss", "graze", "near_miss", "graze", "carom", "combination",
                 "near_miss"),
        tilt_deg=9,
    ),
    # One shot that passes an opponent's disc at a gap of -2 to +2 mm, most of them far less.
    "grazes": ClipOptions(
        intents=("pass",), lying=3, discs_per_side=2, tilt_deg=(0, 60), hurry=1.8, unshot="hidden",
        removed_to="ditch", ends_at_rest=True,
    ),
    "off_the_board": ClipOptions(
        intents=("stop_short", "takeout", "overshoot", "stop_short", "takeout", "takeout",
                 "overshoot", "hit"),
        tilt_deg=24,
    ),
    "leaners": ClipOptions(
        intents=("twenty", "twenty", "open_miss", "twenty", "open_miss", "leaner"),
        tilt_deg=15,
        discs_per_side=3,
    ),
    "fidgeting": ClipOptions(fidgets=0.7, gestures=0.6, tilt_deg=18),
    "foul_stays": ClipOptions(
        intents=("stop_short", "miss", "hit", "near_miss"), errors=("foul_stays",)
    ),
    "disc_nudged": ClipOptions(errors=("disc_nudged",)),
    "wrong_side": ClipOptions(errors=("wrong_side",)),
    "hurried": ClipOptions(hurry=1.8, discs_per_side=5),
    "hand_held": ClipOptions(
        size=(960, 540), hand_held_mm=12, tilt_deg=30, fill=0.85, discs_per_side=4, lying=7,
        unshot="table",
    ),
    "noisy": ClipOptions(noise=6.0, looks=Looks(surface="oak"), flicker=0.03),
}  # fmt: skip

#: Clips that the repository keeps: file name, seed, options.
SAMPLES: dict[str, tuple[int, ClipOptions]] = {
    "round": (
        47,
        ClipOptions(
            looks=Looks(surface="maple", teams=("red", "black"), rail="round", table="wood",
                        hole="bare", digits=False),
            tilt_deg=9,
            roll_deg=0,
            discs_per_side=3,
            intents=("twenty", "stop_short", "hit", "miss", "takeout", "twenty"),
            unshot="table",
            removed_to="table",
            hurry=1.35,
            noise=1.2,
        ),
    ),
    "bumped_and_flickering": (
        21,
        ClipOptions(
            looks=Looks(surface="cherry", teams=("white", "black"), rail="octagon", table="wood"),
            size=(960, 540),
            tilt_deg=34,
            discs_per_side=3,
            intents=("stop_short", "hit", "miss", "takeout", "overshoot", "hit"),
            bump_mm=12,
            flicker=0.07,
            drift=0.04,
            unshot="hidden",
            removed_to="ditch",
            hurry=1.35,
            noise=1.5,
        ),
    ),
}  # fmt: skip
