"""Regions that discs would cover, drawn and scored."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from drawn_discs import DISC, RED_BGR, board_fit, draw, view_at

from vision.discs.detector_input import prepare_detector_input
from vision.discs.outline.contour import FlatDiscs
from vision.discs.outline.outline_fit import fit_outlines
from vision.discs.region import scored_regions
from vision.discs.region.region_search import prepare_region_scorer
from vision.discs.region.scored_regions import compute_region_log_odds
from vision.discs.region.silhouettes import SilhouetteScores


@pytest.mark.parametrize(
    ("share", "contrast", "counts"), [(0.2, 0.6, 1 / 0.6), (0.2, 0.1, 2.0), (0.1, 0.6, 1.0)]
)
def test_a_region_of_little_contrast_fits_as_well_as_any_where_a_rim_is_voted_for(
    share: float, contrast: float, counts: float
) -> None:
    parameters = scored_regions.PARAMS
    one = [np.array([part]) for part in (0.4, 0.8, 0.0, contrast)]
    gain, visible, spilling, level = one
    scores = SilhouetteScores(gain=gain, visible=visible, spilling=spilling, contrast=level)
    (log_odds,) = compute_region_log_odds(scores, np.array([share]))
    fit = 0.5 * counts - parameters.usual_region_fit
    hidden = 0.2 * parameters.per_hidden_share
    assert log_odds == pytest.approx(parameters.per_region_fit * fit - hidden)


def test_contrast_is_that_of_the_foreign_part_of_a_silhouette() -> None:
    view = view_at(70.0, 1400.0)
    image = draw(view, [(150.0, 30.0, RED_BGR)], noise_grey=0.0)
    inputs = prepare_detector_input(image, board_fit(view), DISC)
    scorer = prepare_region_scorer(image, view, inputs.spec, inputs.shape)
    nothing = np.zeros(scorer.foreign_map.foreign.shape, np.uint8)
    on_it, half_off, empty = scorer.score(
        np.array([(150.0, 30.0), (162.0, 30.0), (200.0, 120.0)]), nothing
    ).contrast
    assert on_it == pytest.approx(1.0, abs=0.02)
    assert half_off == pytest.approx(1.0, abs=0.05)
    assert empty == 0.0


def test_an_outline_is_left_where_it_is_in_a_picture_without_a_step() -> None:
    view = view_at(62.0, 1400.0)
    inputs = prepare_detector_input(draw(view, []), board_fit(view), None)
    white = replace(inputs.picture, image=np.full_like(inputs.picture.image, 255))
    places = np.array([(-39.0, -70.0), (200.0, 120.0)])
    fitted = fit_outlines(white, FlatDiscs.of_shape(places, inputs.shape))
    assert fitted.base_mm == pytest.approx(places)
    assert np.isfinite(fitted.sigma_mm).all()
