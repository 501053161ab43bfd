"""Disc hypotheses: circles from Hough votes, fitted, measured and scored before any team is known.

A disc without a peak in the votes is missed, unless a learned detector proposes it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from calibration.camera import FloatArray
from calibration.parameters import StageParameters, parameter
from vision.discs.detector_input import DetectorInput
from vision.discs.hough_votes import accumulate_votes, orient_edges, suppress_non_maxima
from vision.discs.outline.contour import FlatDiscs
from vision.discs.outline.outline_fit import OutlineFit, fit_outlines, measure_lasting_share
from vision.discs.outline.range_map import RangeMap
from vision.discs.region.region_search import prepare_region_scorer
from vision.discs.region.scored_regions import PARAMS as SCORED_REGIONS
from vision.discs.region.scored_regions import look_up_votes, score_regions
from vision.discs.rim_classifier import RimScores, measure_rim_features, score_rims
from vision.discs.teams.team_colours import PARAMS as TEAM_COLOURS
from vision.discs.teams.team_colours import FaceColours, measure_face_colours
from vision.discs.vote_peaks import find_vote_peaks


class DiscHypothesesParameters(StageParameters):
    """Parameters of ``disc_hypotheses``."""

    #: How far a disc's radius may differ from the shared radius when the disc is fitted alone.
    radius_sigma_mm: float = parameter(
        0.4,
        unit="mm",
        source="chosen: the scatter of the radii of one board's discs when fitted alone",
    )
    #: A region with a better fit hides objects behind it.
    hiding_fit: float = parameter(
        0.8,
        unit="share",
        source="measured on 18 stills: discs fit by 0.81 to 0.99, hands by up to 0.78",
    )
    #: In an oblique view the rims' support by votes counts a second time, from this share on, ...
    per_vote_share: float = parameter(
        8.0,
        unit="log odds",
        source="measured on 18 stills: discs have shares of 0.18 to 0.5, hands up to 0.13",
    )
    #: ... and a region of the same colour as its surroundings loses up to this.
    stands_out_log_odds: float = parameter(
        3.0,
        unit="log odds",
        source="chosen: surroundings of parts of hands and sleeves have the same colour",
    )
    #: Circles whose middle is this close to the hole's are not used for learning.
    on_hole_mm: float = parameter(
        20.0,
        unit="mm",
        source="chosen: the hole's radius of 17.5 mm, and the shift of its floor when seen "
        "from the side",
    )
    #: Discs beside wood that is brighter than usual by this are in glare, and are not used for
    #: learning colours.
    glare_l: float = parameter(
        8.0, unit="weighted L", source="chosen: half of the lightness that glare adds"
    )
    #: Log odds of a certain disc. On a whole board, whose grain has many chances to look like a
    #: disc, at least one disc must be more certain than this.
    sure_log_odds: float = parameter(
        2.2, unit="log odds", source="chosen: odds of 9 to 1, beyond which a disc counts as certain"
    )
    surest_log_odds: float = parameter(
        3.0, unit="log odds", source="measured on photographs: true boards reach 4.5"
    )
    #: A region with at least this gain, as a share of a disc, must be explained.
    large_region: float = parameter(
        0.45, unit="share", source="chosen: about half of the disc is visible"
    )
    #: The same applies from this gain on, if the region's rim probably is a disc's, with these log
    #: odds.
    rimmed_region: float = parameter(
        0.3,
        unit="share",
        source="measured on 332 pictures from the side: finds four more places, all of them discs",
    )
    rimmed_log_odds: float = parameter(
        1.5, unit="log odds", source="measured on the same pictures: odds of 9 to 2"
    )


PARAMS = DiscHypothesesParameters()


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class DiscHypotheses:
    """n circles that may be discs, and their measurements.

    rim_scores       log odds by rim and face alone, before any team is known
    region_log_odds  addition for how well a circle covers foreign pixels in an oblique view: (n,);
                     0 in other views, and outside the surface
    region_gain      foreign area that only this circle explains, as a share of a disc: (n,)
    proposed_log_odds  addition from a learned detector: (n,)
    """

    outlines: OutlineFit
    face_colours: FaceColours
    rim_scores: RimScores
    region_log_odds: FloatArray
    region_gain: FloatArray
    proposed_log_odds: FloatArray

    @property
    def log_odds(self) -> FloatArray:
        """Log odds of a disc, before any team is known: (n,)."""
        return self.rim_scores.log_odds + self.region_log_odds + self.proposed_log_odds


def find_disc_hypotheses(inputs: DetectorInput) -> DiscHypotheses:
    """Circles of the discs' radius, fitted, measured and scored; none if no votes agree.

    In an oblique view, those on the surface are regions that discs would cover.
    """
    picture = inputs.picture
    edges = orient_edges(inputs.searched, inputs.edges, picture.camera_mm)
    accumulator = accumulate_votes(inputs.searched, edges, inputs.shape.radius_mm)
    place = find_vote_peaks(accumulator, inputs)
    proposed_mm = inputs.proposed_mm
    proposed = np.column_stack([proposed_mm, look_up_votes(accumulator, inputs, proposed_mm)])
    if not inputs.is_oblique:
        place = np.concatenate([place, proposed])
    nothing = np.zeros(len(place))
    if not inputs.is_oblique:
        return _measure_hypotheses(place, nothing, nothing, None, inputs)
    in_ditch = place[np.hypot(*place[:, :2].T) > inputs.spec.surface_radius_mm]
    scorer = prepare_region_scorer(picture.image, picture.view, inputs.spec, inputs.shape)
    found = score_regions(accumulator, scorer, inputs)
    place = np.concatenate([found.place, in_ditch, proposed])
    beyond = np.zeros(len(in_ditch) + len(proposed))
    log_odds, gain = (np.append(values, beyond) for values in (found.log_odds, found.gain))
    in_front = inputs.map_front(found.place[found.fit > PARAMS.hiding_fit, :2])
    return _measure_hypotheses(place, log_odds, gain, in_front, inputs)


def _measure_hypotheses(
    place: FloatArray,
    region_log_odds: FloatArray,
    region_gain: FloatArray,
    in_front: RangeMap | None,
    inputs: DetectorInput,
) -> DiscHypotheses:
    """Outlines fitted from places (n, 3), as (x_mm, y_mm, share of votes), with their measurements.

    Regions' log odds and gain are (n,).
    """
    discs = FlatDiscs.of_shape(place[:, :2], inputs.shape)
    outlines = fit_outlines(
        inputs.picture, discs, radius_sigma_mm=PARAMS.radius_sigma_mm, in_front=in_front
    )
    base_mm, wood_bgr = outlines.base_mm, inputs.wood_bgr
    colours = measure_face_colours(
        inputs.picture, base_mm, inputs.shape, wood_bgr, in_front=in_front
    )
    if inputs.is_oblique:
        region_log_odds = region_log_odds + _compute_oblique_log_odds(
            colours.surround_distance, place[:, 2]
        )
    lasting = measure_lasting_share(inputs.picture, outlines, colours.rgb[:, ::-1])
    features = measure_rim_features(outlines, place[:, 2], lasting, colours.scatter)
    return DiscHypotheses(
        outlines=outlines,
        face_colours=colours,
        rim_scores=score_rims(features),
        region_log_odds=region_log_odds,
        region_gain=region_gain,
        proposed_log_odds=inputs.weigh_proposals(base_mm),
    )


def _compute_oblique_log_odds(surround_distance: FloatArray, share: FloatArray) -> FloatArray:
    """Contribution of votes (n,) and surroundings (n,) to the log odds (n,) in an oblique view."""
    differs = surround_distance / TEAM_COLOURS.stands_out_lab
    by_votes = PARAMS.per_vote_share * (share - SCORED_REGIONS.voted_share)
    return np.asarray(by_votes - PARAMS.stands_out_log_odds * (1.0 - np.minimum(differs, 1.0)))


def select_sure_discs(hypotheses: DiscHypotheses, inputs: DetectorInput) -> np.ndarray:
    """Indices (m,) of certain hypotheses, on the surface or in the ditch, surest first.

    None on a board without a single very sure disc.
    """
    base_mm, log_odds = hypotheses.outlines.base_mm, hypotheses.log_odds
    on_hole_mm = inputs.min_hole_distance_mm if inputs.is_oblique else PARAMS.on_hole_mm
    off_hole = np.hypot(*(base_mm - inputs.hole_mm).T) > on_hole_mm
    sure = np.flatnonzero((log_odds > PARAMS.sure_log_odds) & off_hole)
    if log_odds[sure].max(initial=0.0) < PARAMS.surest_log_odds:
        return sure[:0]
    order = sure[np.argsort(-log_odds[sure], kind="stable")]
    return order[suppress_non_maxima(base_mm[order], inputs.min_separation_mm)]


def drop_glare(hypotheses: DiscHypotheses, sure: np.ndarray, inputs: DetectorInput) -> np.ndarray:
    """The ``sure`` discs that show their own colour; all of them if none does."""
    in_ditch = np.hypot(*hypotheses.outlines.base_mm[sure].T) > inputs.spec.surface_radius_mm
    clear = sure[in_ditch | (hypotheses.face_colours.glare[sure] < PARAMS.glare_l)]
    return clear if len(clear) > 0 else sure
