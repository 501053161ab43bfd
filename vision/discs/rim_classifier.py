"""Rim classifier: log odds that a circle is a disc, by a few physical measurements of rim and face.

It is a logistic regression on discs and other circles (letters, posts, the hole seen at a slant,
knots) of photos and renders, with rounded weights. The two kinds are far apart, so the exact
numbers matter little (``sample_images.train_rims.train_rim_classifier`` fits them again). Rims that
are mostly hidden, or of the wood's own colour, look like other circles to it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from calibration.camera import FloatArray
from calibration.numerics.medians import median_where
from calibration.parameters import StageParameters, parameter
from vision.discs.outline.outline_fit import OutlineFit


class RimClassifierParameters(StageParameters):
    """Parameters of ``rim_classifier``."""

    #: An edge supports a rim within this distance of the fitted outline, ...
    on_rim_mm: float = parameter(
        0.8, unit="mm", source="chosen: covers the rounding, blur and wear of rims"
    )
    #: ... and if it is at least this strong, in sigmas of the wood's grain.
    min_edge_sigma: float = parameter(2.0, unit="σ", source="chosen: stronger than most grain")
    #: Strength of steps below which they need not lead to another colour.
    glint_sigma: float = parameter(
        8.0, unit="σ", source="chosen: on a dark disc on a dark board, only the bevel's glint shows"
    )
    #: A face's scatter counts up to this.
    max_scatter_lab: float = parameter(
        10.0,
        unit="weighted Lab",
        source="chosen: saturated or printed discs are discs all the same",
    )


PARAMS = RimClassifierParameters()

#: The features of a rim and its face, in the order of ``measure_rim_features``, ...
FEATURES = ("share", "support", "log sigma", "lasting", "scatter")
#: ... the log odds that each adds per unit, and the log odds if all are zero.
WEIGHTS = (3.5, 8.0, -1.8, 9.0, -0.5)
BIAS = -13.0


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RimScores:
    """Log odds that n circles are discs, by rim and face alone, and the features behind them.

    features  of ``measure_rim_features``: (n, 5)
    log_odds  natural: (n,)
    """

    features: FloatArray
    log_odds: FloatArray

    @property
    def vote_share(self) -> FloatArray:
        """Share of each rim that edges support: (n,)."""
        return np.asarray(self.features[:, FEATURES.index("share")])

    @property
    def probability(self) -> FloatArray:
        """The log odds as probabilities, 0 to 1: (n,)."""
        return 1 / (1 + np.exp(-self.log_odds))


def score_rims(features: FloatArray) -> RimScores:
    """Scores of n circles with such features (n, 5)."""
    return RimScores(features=features, log_odds=BIAS + features @ np.array(WEIGHTS))


def measure_rim_features(
    rims: OutlineFit, share: FloatArray, lasting: FloatArray, face_scatter_lab: FloatArray
) -> FloatArray:
    """Features of the visible parts of n circles: (n, 5), in the order of ``FEATURES``.

    share    of the rim that edges support in the bird's-eye image, by Hough votes: (n,)
    lasting  share of the rim where the colour changes permanently (``measure_lasting_share``); if
             the
             steps are weak, a glint alone counts as well: (n,)
    face_scatter_lab  scatter of a face's colours about their even slope, weighted Lab: (n,)
    """
    strength = np.linalg.norm(rims.step, axis=-1)
    on_rim = (np.abs(rims.offset_mm) < PARAMS.on_rim_mm) & (strength > PARAMS.min_edge_sigma)
    usual = median_where(strength[..., None], rims.visible)[:, 0]
    glint = np.exp(-usual / PARAMS.glint_sigma)
    return np.stack(
        [
            share,
            rims.average_visible(on_rim),
            np.log(rims.sigma_mm),
            lasting + (1 - lasting) * glint,
            np.minimum(face_scatter_lab, PARAMS.max_scatter_lab),
        ],
        axis=-1,
    )
