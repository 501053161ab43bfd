"""Discs in another colour than the surface, in an oblique view, at places with votes for rims.

If a post or another disc is in front, the place that explains most of a region may be beside the
disc. The votes for its rim show the true place. Greedy selection: the likeliest place is kept and
the pixels that it covers are explained. Places next to it, and its mirror image, are not taken for
further discs. A rim with few edges has no such place and is missed. Over the surface's edge nothing
is reported, because a disc in the ditch looks the same.
"""

from __future__ import annotations

import numpy as np

from calibration.camera import FloatArray
from calibration.parameters import StageParameters, parameter
from vision.discs.detector_input import DetectorInput
from vision.discs.hough_votes import HoughVotes
from vision.discs.region.region_search import compute_net_gain
from vision.discs.region.scored_regions import compute_region_log_odds, look_up_votes
from vision.discs.region.silhouettes import SilhouetteScorer
from vision.discs.vote_peaks import find_vote_peaks


class VotedRegionsParameters(StageParameters):
    """Parameters of ``voted_regions``."""

    #: Smallest share of a rim that edges must support, and number of places tried.
    min_vote_share: float = parameter(
        0.1,
        unit="share",
        source="measured on renders: discs that look like the surface have 0.11 to 0.5",
    )
    max_places: int = parameter(200, unit="", source="chosen: limits the time")
    #: A face that differs this much from the surface around it shows as a region.
    like_surface_lab: float = parameter(
        12.0,
        unit="weighted Lab",
        source="measured on renders: discs that no region shows differ from the surface by up "
        "to 12",
    )
    #: No disc is this close to the hole's edge, which is a clear circle too.
    off_hole_mm: float = parameter(8.0, unit="mm", source="chosen: half a disc's radius")
    #: A mirror image is nearer to the camera than its disc, by the distance that the disc hides.
    #: The shades and edges around it begin at this share of that distance, end a diameter beyond
    #: it, and are at most this far to the side.
    mirrored_from: float = parameter(
        0.4, unit="share", source="chosen: the mirror image then starts inside the disc's own wall"
    )
    mirrored_beside_mm: float = parameter(
        12.0, unit="mm", source="chosen: most of a disc's radius, because light comes from one side"
    )
    #: Regions with lower log odds lead to no question.
    least_log_odds: float = parameter(
        0.0, unit="log odds", source="chosen: a disc is as likely as not, before its team is known"
    )


PARAMS = VotedRegionsParameters()


def find_voted_places(accumulator: HoughVotes, inputs: DetectorInput) -> FloatArray:
    """Places with votes for rims on the surface (n, 3): (x_mm, y_mm, share)."""
    place = find_vote_peaks(accumulator, inputs, PARAMS.min_vote_share, PARAMS.max_places)[:, :2]
    place = place[np.hypot(*place.T) < inputs.spec.surface_radius_mm]
    return np.column_stack([place, look_up_votes(accumulator, inputs, place)])


def score_voted_regions(
    base_mm: FloatArray,
    log_odds: FloatArray,
    share: FloatArray,
    scorer: SilhouetteScorer,
    sure_mm: FloatArray,
    inputs: DetectorInput,
) -> tuple[FloatArray, FloatArray]:
    """Contribution of regions to the ``log_odds`` (n,) of discs at ``base_mm`` (n, 2), minus
    infinity without a region; and the area that they explain, as a share of a disc (n,).

    Votes for their rims have a ``share`` (n,); ``sure_mm`` (m, 2) are discs that regions show.
    """
    taken = np.zeros(scorer.foreign_map.foreign.shape, np.uint8)
    for base in sure_mm:
        scorer.draw(base, taken)
    added, gain = np.full(len(base_mm), -np.inf), np.zeros(len(base_mm))
    inner_mm = inputs.spec.surface_radius_mm - inputs.shape.radius_mm
    is_possible = _find_possible_places(base_mm, sure_mm, inputs)
    left = np.flatnonzero(is_possible & (np.hypot(*base_mm.T) < inner_mm))
    samples = scorer.sample(base_mm)
    while len(left) > 0:
        scores = samples.score(taken, left)
        by_region = compute_region_log_odds(scores, share[left])
        best = int(np.argmax(log_odds[left] + by_region))
        chosen = left[best]
        if log_odds[chosen] + by_region[best] < PARAMS.least_log_odds:
            break
        added[chosen], gain[chosen] = by_region[best], compute_net_gain(scores)[best]
        scorer.draw(base_mm[chosen], taken)
        left = left[_find_possible_places(base_mm[left], base_mm[[chosen]], inputs)]
    return added, gain


def _find_possible_places(
    base_mm: FloatArray, sure_mm: FloatArray, inputs: DetectorInput
) -> np.ndarray:
    """Places (n, 2) on the surface that are not at the hole's edge, at one of the discs ``sure_mm``
    (m, 2) or at its mirror image: (n,) bool.
    """
    to_sure = np.linalg.norm(base_mm[:, None] - sure_mm[None], axis=-1)
    off_hole_mm = inputs.measure_hole_distance_mm(base_mm) - inputs.spec.hole_radius_mm
    return np.asarray(
        (np.hypot(*base_mm.T) < inputs.spec.surface_radius_mm)
        & (off_hole_mm > PARAMS.off_hole_mm)
        & (to_sure.min(axis=1, initial=np.inf) > inputs.min_separation_mm)
        & ~_is_mirrored(base_mm, sure_mm, inputs)
    )


def _is_mirrored(base_mm: FloatArray, sure_mm: FloatArray, inputs: DetectorInput) -> np.ndarray:
    """Places (n, 2) of the mirror images of the discs at ``sure_mm`` (m, 2)."""
    camera_mm, height_mm = inputs.picture.camera_mm, inputs.shape.height_mm
    to_camera = camera_mm[:2] - sure_mm
    range_mm = np.linalg.norm(to_camera, axis=-1)
    to_camera = to_camera / range_mm[:, None]
    hidden_mm = height_mm * range_mm / (camera_mm[2] - height_mm)
    apart = base_mm[:, None] - sure_mm[None]
    nearer_mm = np.einsum("nmk,mk->nm", apart, to_camera)
    aside_mm = np.abs(apart[..., 0] * to_camera[:, 1] - apart[..., 1] * to_camera[:, 0])
    is_below = (nearer_mm > PARAMS.mirrored_from * hidden_mm) & (
        nearer_mm < hidden_mm + 2 * inputs.shape.radius_mm
    )
    return np.asarray((is_below & (aside_mm < PARAMS.mirrored_beside_mm)).any(axis=1))
