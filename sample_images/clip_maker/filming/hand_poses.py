"""Poses of a round's hands: the places from which the hands of both sides come, their directions
and their durations.

Board frame, mm; seconds of the timeline.
"""

from __future__ import annotations

import math

import numpy as np

from sample_images.clip_maker.filming.disc_places import outer_radius_mm
from sample_images.clip_maker.filming.motions import HandKeyframe, HandVisit
from sample_images.clip_maker.play.scene_generator import PictureExtent
from sample_images.renderer.scene import Board, Point, Rgb

#: Distance of the fingertips from a hand's middle, and of chairs from the picture's edge.
_HAND_MM, _CHAIR_MM = 70.0, 450.0
_SKINS: tuple[Rgb, ...] = ((0.80, 0.58, 0.46), (0.44, 0.29, 0.21), (0.66, 0.46, 0.34))
_SLEEVES: tuple[Rgb, ...] = (
    (0.16, 0.22, 0.38), (0.66, 0.66, 0.62), (0.30, 0.10, 0.12), (0.10, 0.10, 0.11),
    (0.20, 0.34, 0.26), (0.55, 0.42, 0.26),
)  # fmt: skip


class HandPoses:
    """The hands of both sides at one board; they come from outside the picture.

    hurry  factor by which people are faster than usual
    """

    def __init__(
        self, board: Board, extent: PictureExtent, hurry: float, rng: np.random.Generator
    ) -> None:
        self.board, self.extent, self.hurry, self.rng = board, extent, hurry, rng
        picks = rng.permutation(len(_SLEEVES))
        self.sleeves = {"A": _SLEEVES[picks[0]], "B": _SLEEVES[picks[1]]}
        self.skins = {player: _SKINS[rng.integers(len(_SKINS))] for player in "AB"}

    def sample_duration(self, low: float, high: float) -> float:
        """A random time between these, s, at people's pace."""
        return float(self.rng.uniform(low, high)) / self.hurry

    def new_visit(self, side: str, purpose: str) -> HandVisit:
        """A visit of a hand of that side, without poses yet."""
        return HandVisit(
            side=side, purpose=purpose, skin=self.skins[side], sleeve=self.sleeves[side]
        )

    def entry_point(self, side: str) -> Point:
        """A random point outside the picture where a hand of that side enters or leaves."""
        way = -1.0 if side == "A" else 1.0
        return -way * float(self.rng.uniform(20, 160)), way * self._out_of_picture_mm(side), 50.0

    def pose_at(
        self, t_s: float, side: str, tip: Point, shape: str, lift: float = 0.0
    ) -> HandKeyframe:
        """The pose at a time, with the fingertips there and the arm towards its player's chair."""
        return HandKeyframe(
            t_s=t_s, tip=tip, azimuth_rad=self._azimuth(side, tip), shape=shape, lift_mm=lift
        )

    def _out_of_picture_mm(self, side: str) -> float:
        """Distance from the middle at which a hand of that side is out of the picture."""
        return max(self.extent.towards_mm[side], outer_radius_mm(self.board)) + _HAND_MM

    def _azimuth(self, side: str, tip: Point) -> float:
        """Direction of a hand that reaches for ``tip`` from its player's chair."""
        way = -1.0 if side == "A" else 1.0
        chair = self._out_of_picture_mm(side) + _CHAIR_MM
        return math.atan2(tip[1] - way * chair, tip[0] + way * 120)
