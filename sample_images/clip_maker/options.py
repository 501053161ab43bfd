"""The options of a clip; the seed decides the rest."""

from __future__ import annotations

from dataclasses import dataclass, field

from sample_images.renderer.generate.choices import SceneOptions as Looks


@dataclass(frozen=True, slots=True, kw_only=True)
class ClipOptions:
    """The required content of a clip.

    looks          of board and colours, as for the still pictures
    hard_colours   discs may have nearly the surface's colour
    size           width and height of the picture, pixels
    tilt_deg, roll_deg, fill  the camera; None leaves it to the seed, a pair limits the seed's
                   choice
    intents        of the shots in order, by name (see ``intents``); empty: random
    lying          shots before the clip begins, whose discs lie on the board; the last shot of a
                   round is filmed always
    unshot         waiting place of discs: "table" | "hidden"
    removed_to     where hands take discs: "ditch" | "table"
    bump_mm        the camera is pushed once by this distance; 0: never
    hand_held_mm   a hand holds the camera, which sways this far around its place; 0: it is fixed
    flicker        brightness varies by this share; drift: the white balance does so too
    shade, sun, person, graphic, cuts, resting_hand, glare  whether there is one; the sun's patch
                   comes and goes with clouds
    inserts        whether close-ups and slow replays from nearer are shown after shots
    stored         width and height of the picture in the file, if its pixels are not square
    fidgets        share of shots whose disc is first slid along the line; gestures: before which a
                   hand points at something on the board
    errors         people's mistakes: "foul_stays" | "disc_nudged" | "wrong_side"
    dropped        share of lost frames (the one before is shown again)
    noise          of the camera, one standard deviation in levels of 255
    hurry          factor by which people are faster than usual
    ends_at_rest   the clip ends soon after the last shot, before anybody takes a disc off
    """

    looks: Looks = field(default_factory=Looks)
    hard_colours: bool = False
    size: tuple[int, int] = (1280, 720)
    fps: float = 30.0
    tilt_deg: float | tuple[float, float] | None = None
    roll_deg: float | None = None
    fill: float = 0.95
    discs_per_side: int = 4
    intents: tuple[str, ...] = ()
    lying: int = 0
    unshot: str | None = None
    removed_to: str | None = None
    bump_mm: float = 0.0
    hand_held_mm: float = 0.0
    flicker: float = 0.0
    drift: float = 0.0
    shade: bool = False
    sun: bool = False
    person: bool = False
    graphic: bool = False
    cuts: bool = False
    inserts: bool = False
    stored: tuple[int, int] | None = None
    resting_hand: bool = False
    glare: bool = False
    fidgets: float = 0.0
    gestures: float = 0.0
    errors: tuple[str, ...] = ()
    dropped: float = 0.0
    noise: float = 2.0
    hurry: float = 1.0
    ends_at_rest: bool = False
