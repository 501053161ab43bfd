"""Scores of discs' silhouettes: the foreign pixels that they cover, without covering others.

A disc is seen as the convex region within its contour: far edge of the face, side wall, near edge
of the bottom. It is sampled at points of equal area between the contour and its middle, and just
outside. Parts hidden by a post or another disc in front are ignored.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np

from calibration.board import BoardSpec
from calibration.camera import FloatArray
from calibration.parameters import StageParameters, parameter
from calibration.pose import View
from vision.discs.outline.contour import DiscGeometry, FlatDiscs, compute_contour
from vision.discs.outline.range_map import make_range_map, mask_cylinder
from vision.discs.region.surface_colours import ForeignMap


class SilhouettesParameters(StageParameters):
    """Parameters of ``silhouettes``."""

    #: A silhouette's surroundings begin and end this far outside it.
    outside_mm: tuple[float, float] = parameter(
        (2.5, 4.0),
        unit="mm",
        source="chosen: beyond the blur of a pixel, and nearer than the next disc",
    )


PARAMS = SilhouettesParameters()
#: Directions in which a silhouette is sampled: every 3.5 mm of the outline.
_DIRECTIONS = 28
#: Depths of equal area in a direction, for speed: 84 samples per silhouette.
_DEPTHS = 3


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SilhouetteScores:
    """Scores of n silhouettes on foreign pixels, as shares of their own areas.

    gain      foreign area minus area that shows the surface, of the visible part: (n,)
    visible   visible share: (n,)
    spilling  how foreign the surroundings are, 0 to 1: (n,)
    contrast  how foreign the area is, 0 to 1, by its contraharmonic mean: (n,)
    """

    gain: FloatArray
    visible: FloatArray
    spilling: FloatArray
    contrast: FloatArray


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SilhouetteSamples:
    """A picture's values at samples of n silhouettes, k inside each and m outside.

    inside, outside  their pixels, as flat indices of the map; -1 beyond it: (n, k), (n, m)
    area             share of the silhouette; 0 if a post hides it or nothing is known: (n, k)
    foreign          how foreign it is, times ``area``: (n, k)
    known            1 where the map knows the outside, else 0: (n, m)
    beside           how foreign the outside is: (n, m)
    """

    inside: np.ndarray
    outside: np.ndarray
    area: FloatArray
    foreign: FloatArray
    known: FloatArray
    beside: FloatArray

    def score(self, taken: np.ndarray, some: np.ndarray | slice = slice(None)) -> SilhouetteScores:
        """Scores of ``some``; ``taken`` (h, w) uint8 marks pixels that other discs explain."""
        is_free = np.append(taken.ravel() == 0, True)  # index -1: beyond the map
        inside, outside = is_free[self.inside[some]], is_free[self.outside[some]]
        foreign = self.foreign[some] * inside
        above = np.maximum(foreign, 0.0)
        squares = (above**2 / np.maximum(self.area[some], 1e-9)).sum(axis=1)
        return SilhouetteScores(
            gain=foreign.sum(axis=1),
            visible=(self.area[some] * inside).sum(axis=1),
            spilling=(self.beside[some] * outside).sum(axis=1)
            / np.maximum((self.known[some] * outside).sum(axis=1), 1.0),
            contrast=squares / np.maximum(above.sum(axis=1), 1e-9),
        )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SilhouetteScorer:
    """A scorer of silhouettes of one shape on one picture.

    reach_mm  how far from the camera, on the board, a disc is visible at a pixel of
              ``foreign_map``: as far as the post there, infinitely far without a post, and not at
              all if nothing is known, as beyond the map, which comes last: (h * w + 1,) float32
    """

    view: View
    shape: DiscGeometry
    foreign_map: ForeignMap
    reach_mm: np.ndarray

    @property
    def camera_mm(self) -> FloatArray:
        """The camera's centre (3,), board frame."""
        return self.view.cam_from_board.camera_board_mm

    def score(self, base_mm: FloatArray, taken: np.ndarray) -> SilhouetteScores:
        """Scores of discs at ``base_mm`` (n, 2); ``taken`` (h, w) uint8 marks pixels that other
        discs explain."""
        return self.sample(base_mm).score(taken)

    def sample(self, base_mm: FloatArray) -> SilhouetteSamples:
        """The picture's values at the places of discs at ``base_mm`` (n, 2)."""
        inside_px, outside_px, area = self._project_samples(base_mm)
        inside, outside = self._find_pixels(inside_px), self._find_pixels(outside_px)
        range_mm = np.linalg.norm(base_mm - self.camera_mm[:2], axis=-1)
        weight = area * self._find_known(inside, range_mm)
        known = self._find_known(outside, np.inf)
        return SilhouetteSamples(
            inside=inside,
            outside=outside,
            area=weight,
            foreign=weight * self._interpolate_foreign(inside_px),
            known=known,
            beside=np.maximum(self._interpolate_foreign(outside_px), 0.0) * known,
        )

    def _project_samples(self, base_mm: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Pixels inside (n, k, 2) and outside (n, m, 2), and the area (n, k) of the inside ones."""
        discs = FlatDiscs.of_shape(base_mm, self.shape)
        contour = compute_contour(self.camera_mm, discs, _DIRECTIONS)
        edge = self.view.project(contour.point_mm)
        middle_mm = np.column_stack([base_mm, discs.height_mm / 2])
        middle = self.view.project(middle_mm)[:, None]
        arm = edge - middle
        following = np.roll(arm, -1, axis=1)
        sector = np.abs(arm[..., 0] * following[..., 1] - arm[..., 1] * following[..., 0])
        area = (sector + np.roll(sector, 1, axis=1)) / (2 * sector.sum(axis=1, keepdims=True))
        depth = np.sqrt((np.arange(_DEPTHS) + 0.5) / _DEPTHS)
        inside = middle[:, :, None] + arm[:, :, None] * depth[:, None]
        beyond = contour.point_mm[:, :, None] + (
            contour.normal[:, :, None] * np.array(PARAMS.outside_mm)[:, None]
        )
        count = len(base_mm)
        return (
            inside.reshape(count, _DIRECTIONS * _DEPTHS, 2),
            self.view.project(beyond).reshape(count, _DIRECTIONS * 2, 2),
            np.repeat(area / _DEPTHS, _DEPTHS, axis=1),
        )

    def _find_pixels(self, px: FloatArray) -> np.ndarray:
        """Flat indices (n, k) of the map's pixels at (n, k, 2) of the picture; -1 beyond it."""
        height, width = self.foreign_map.foreign.shape
        x, y = np.moveaxis(np.rint(px - self.foreign_map.corner_px).astype(np.int32), -1, 0)
        is_within = (x >= 0) & (x < width) & (y >= 0) & (y < height)
        return np.where(is_within, y * width + x, -1)

    def _find_known(self, pixels: np.ndarray, range_mm: FloatArray | float) -> FloatArray:
        """1 if the map knows whether a disc at ``range_mm`` (n,) is visible, else 0: (n, k)."""
        is_seen = self.reach_mm[pixels] >= np.reshape(range_mm, (-1, 1))
        return np.asarray(is_seen, dtype=np.float64)

    def _interpolate_foreign(self, px: FloatArray) -> FloatArray:
        """How foreign the map is (n, k) at pixels (n, k, 2) of the picture; 0 beyond it."""
        if px.size == 0:
            return np.zeros(px.shape[:-1])
        x, y = np.moveaxis((px - self.foreign_map.corner_px).astype(np.float32), -1, 0)
        foreign = cv2.remap(
            self.foreign_map.foreign, x, y, cv2.INTER_LINEAR, borderMode=cv2.BORDER_CONSTANT
        )
        return np.asarray(foreign, dtype=np.float64)

    def draw(self, base_mm: FloatArray, taken: np.ndarray) -> None:
        """Mark the pixels of a disc at ``base_mm`` (2,) in ``taken`` (h, w) uint8."""
        corner_px = self.foreign_map.corner_px
        box, is_seen = mask_cylinder(self.view, base_mm, self.shape, corner_px, taken.shape)
        taken[box] |= is_seen


def prepare_scorer(
    view: View, spec: BoardSpec, shape: DiscGeometry, foreign_map: ForeignMap
) -> SilhouetteScorer:
    """The scorer of discs of one ``shape`` on the board of ``spec``."""
    posts = make_range_map(view, foreign_map.foreign.shape, foreign_map.corner_px)
    posts.add_posts(spec)
    reach_mm = np.where(foreign_map.known, posts.range_mm, np.float32(-np.inf))
    return SilhouetteScorer(
        view=view,
        shape=shape,
        foreign_map=foreign_map,
        reach_mm=np.append(reach_mm.ravel(), np.float32(-np.inf)),
    )
