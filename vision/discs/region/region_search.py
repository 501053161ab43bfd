"""Search for discs as regions: the silhouettes that together explain foreign pixels on a surface.

Greedy selection: the silhouette that explains most foreign pixels is taken and moved to where it
explains most. The pixels that it covers are explained and support no other disc. A disc's side wall
is therefore not taken for a second disc. Foreign objects other than discs, such as a hand, are
covered with silhouettes too; the classifier rejects them.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np

from calibration.board import BoardSpec
from calibration.camera import FloatArray
from calibration.parameters import StageParameters, parameter
from calibration.pose import View
from vision.discs.detector_input import PARAMS as DETECTOR_INPUT
from vision.discs.outline.contour import DiscGeometry
from vision.discs.outline.range_map import find_posts_mm
from vision.discs.region.silhouettes import SilhouetteScorer, SilhouetteScores, prepare_scorer
from vision.discs.region.surface_colours import map_foreign_pixels


class RegionSearchParameters(StageParameters):
    """Parameters of ``region_search``."""

    #: Noise is removed by a blur over this share of a disc's width.
    blur_diameters: float = parameter(
        0.03, unit="diameters", source="chosen: a tenth of a face's height at 75°"
    )
    #: A place is tried if the middle of a disc there is foreign by at least this on average.
    least_core: float = parameter(
        0.15, unit="", source="chosen: half of the value of a half-hidden disc"
    )
    #: Weight of foreign pixels left beside a silhouette against the area that it explains.
    spilling_weight: float = parameter(
        0.5, unit="", source="chosen: half of an outline may have a contact shadow beside it"
    )
    #: A silhouette that explains less than this share of its area is no hypothesis.
    least_gain: float = parameter(
        0.2, unit="share", source="chosen: a disc of which a quarter is visible gains this much"
    )
    #: A disc's middle stays this much farther from a post's than its radius.
    post_clear_mm: float = parameter(
        2.0, unit="mm", source="chosen: the nominal radius of posts, 4 mm, less the error of fits"
    )


PARAMS = RegionSearchParameters()
#: Most silhouettes: 24 discs of a game, and other objects.
_MAX_DISCS = 32
#: Width of a disc in the small picture of the search, for speed; places are refined afterwards.
_DISC_WIDTH_PX = 36.0
#: Steps by which a silhouette is moved, halved from one to the next.
_STEPS_PX = (1.0, 0.5, 0.25)
#: Moves tried together, in steps.
_MOVES = np.stack(np.meshgrid(np.arange(-2, 3), np.arange(-2, 3)), axis=-1).reshape(-1, 2)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RegionHypotheses:
    """n silhouettes that together explain the foreign pixels, best first.

    base_mm    (n, 2)
    scores     of the silhouettes, given the ones before them
    """

    base_mm: FloatArray
    scores: SilhouetteScores


def prepare_region_scorer(
    image: np.ndarray, view: View, spec: BoardSpec, shape: DiscGeometry
) -> SilhouetteScorer:
    """A scorer of silhouettes of one ``shape`` on the board in ``image`` (h, w, 3) BGR uint8."""
    small, small_view = _reduce(image, view, shape)
    return prepare_scorer(small_view, spec, shape, map_foreign_pixels(small, small_view, spec))


def find_disc_regions(scorer: SilhouetteScorer, spec: BoardSpec) -> RegionHypotheses:
    """Places where discs of the scorer's shape may be on the board."""
    places = _list_places(scorer, spec)
    return _select_greedily(scorer, places, spec)


def _reduce(image: np.ndarray, view: View, shape: DiscGeometry) -> tuple[np.ndarray, View]:
    """The picture and its view, without noise and reduced to the width that discs need."""
    across = view.project_plane([[-shape.radius_mm, 0.0], [shape.radius_mm, 0.0]])
    along = view.project_plane([[0.0, -shape.radius_mm], [0.0, shape.radius_mm]])
    width = max(float(np.linalg.norm(np.diff(line, axis=0))) for line in (across, along))
    if width > _DISC_WIDTH_PX:
        factor = _DISC_WIDTH_PX / width
        size = np.maximum(np.rint(np.array(image.shape[1::-1]) * factor), 1).astype(int)
        image = cv2.resize(image, (int(size[0]), int(size[1])), interpolation=cv2.INTER_AREA)
        view, width = view.rescale(factor), _DISC_WIDTH_PX
    return cv2.GaussianBlur(image, (0, 0), PARAMS.blur_diameters * width), view


def _list_places(scorer: SilhouetteScorer, spec: BoardSpec) -> FloatArray:
    """Bases (n, 2) of discs whose middle is a foreign pixel surrounded by foreign pixels."""
    foreign, shape = scorer.foreign_map, scorer.shape
    box = scorer.view.project([[0.0, 0.0, 0.0], [0.0, 0.0, shape.height_mm]])
    side = max(3, int(np.linalg.norm(box[1] - box[0])))
    core = cv2.blur(foreign.foreign, (side, side)) > PARAMS.least_core
    y, x = np.nonzero(core & ((foreign.foreign > 0) | ~foreign.known))
    every = (x + y) % 2 == 0
    px = np.stack([x, y], axis=-1)[every] + foreign.corner_px
    base = scorer.view.unproject_plane(px, shape.height_mm / 2)
    return base[_is_possible(base, spec, shape)]


def _is_possible(base_mm: FloatArray, spec: BoardSpec, shape: DiscGeometry) -> np.ndarray:
    """Discs (n,) that would be on the surface and through no post."""
    posts = find_posts_mm(spec)
    to_post = np.linalg.norm(base_mm[:, None] - posts, axis=-1).min(axis=1)
    on_surface = np.linalg.norm(base_mm, axis=-1) < spec.surface_radius_mm
    return np.asarray(on_surface & (to_post > shape.radius_mm + PARAMS.post_clear_mm))


def compute_net_gain(scores: SilhouetteScores) -> FloatArray:
    """The gain of the silhouettes (n,), minus the foreign pixels left beside them."""
    return scores.gain - PARAMS.spilling_weight * scores.spilling * scores.visible


def _select_greedily(
    scorer: SilhouetteScorer, places: FloatArray, spec: BoardSpec
) -> RegionHypotheses:
    """Silhouettes, chosen one by one as the best about ``places`` (n, 2)."""
    taken = np.zeros(scorer.foreign_map.foreign.shape, np.uint8)
    found: list[FloatArray] = [np.zeros((0, 2))]
    scores = [scorer.score(found[0], taken)]
    samples = scorer.sample(places)
    gain = compute_net_gain(samples.score(taken))
    reach_mm = 4.0 * scorer.shape.radius_mm
    while len(scores) <= _MAX_DISCS and gain.max(initial=0.0) > PARAMS.least_gain:
        base = _move_to_best(scorer, places[gain.argmax()], taken, spec)[None]
        found.append(base)
        scores.append(scorer.score(base, taken))
        scorer.draw(base[0], taken)
        apart = np.linalg.norm(places - base, axis=-1)
        gain[apart < 2 * DETECTOR_INPUT.min_separation_diameters * scorer.shape.radius_mm] = -np.inf
        stale = np.isfinite(gain) & _is_seen_near(scorer, places, base[0], reach_mm)
        gain[stale] = compute_net_gain(samples.score(taken, stale))
    return RegionHypotheses(
        base_mm=np.concatenate(found),
        scores=SilhouetteScores(
            gain=np.concatenate([score.gain for score in scores]),
            visible=np.concatenate([score.visible for score in scores]),
            spilling=np.concatenate([score.spilling for score in scores]),
            contrast=np.concatenate([score.contrast for score in scores]),
        ),
    )


def _is_seen_near(
    scorer: SilhouetteScorer, places: FloatArray, base_mm: FloatArray, reach_mm: float
) -> np.ndarray:
    """Places (n, 2) that are seen within ``reach_mm``, as a length across the view, of one
    place.
    """
    px = scorer.view.project_plane(np.concatenate([base_mm[None], places]))
    camera_mm = scorer.camera_mm[:2] - base_mm
    across = np.array([-camera_mm[1], camera_mm[0]]) / np.linalg.norm(camera_mm) * reach_mm
    reach_px = np.linalg.norm(scorer.view.project_plane((base_mm + across)[None])[0] - px[0])
    return np.asarray(np.linalg.norm(px[1:] - px[0], axis=-1) < reach_px)


def _move_to_best(
    scorer: SilhouetteScorer, base_mm: FloatArray, taken: np.ndarray, spec: BoardSpec
) -> FloatArray:
    """The base (2,) near ``base_mm`` (2,) whose silhouette explains most."""
    best = base_mm
    for step_px in _STEPS_PX:
        here = scorer.view.project_plane(best[None])[0]
        near = scorer.view.unproject_plane(here + step_px * _MOVES)
        near = np.concatenate([best[None], near[_is_possible(near, spec, scorer.shape)]])
        best = near[compute_net_gain(scorer.score(near, taken)).argmax()]
    return best
