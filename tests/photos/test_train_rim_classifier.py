"""Weights of rim evidence are recovered from simulated circles, and from the project's own
pictures.
"""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest

from bench.photos import stills_folder
from sample_images.renderer.picture_truth import load_pictures_with_truth, parse_truth
from sample_images.train_rims.train_rim_classifier import (
    CURRENT_WEIGHTS,
    ErrorCounts,
    LabelledCircles,
    count_errors,
    cross_validate,
    fit_weights,
    main,
)
from vision.discs.rim_classifier import BIAS, FEATURES, WEIGHTS, score_rims

#: Pictures of full boards, which have circles of both kinds.
PICTURES = ("full_board_white_and_red", "low_sun_and_hard_shadows", "oblique_birch_red_and_blue")
#: Means and spreads of features on real boards: they overlap, as real ones do.
MIDDLE = np.array([0.4, 0.75, -0.4, 0.6, 1.5])
SPREAD = np.array([0.15, 0.2, 0.5, 0.2, 1.0])


def made_up(count: int, seed: int = 1) -> LabelledCircles:
    """Circles that are discs with the probability given by the current weights."""
    rng = np.random.default_rng(seed)
    features = MIDDLE + SPREAD * rng.normal(size=(count, len(FEATURES)))
    chance = score_rims(features).probability
    return LabelledCircles(
        features=features,
        is_disc=rng.random(count) < chance,
        picture=rng.integers(0, 10, count),
    )


def test_a_fit_to_many_circles_recovers_the_weights_that_made_their_labels() -> None:
    fitted = fit_weights(made_up(100_000), ridge=1e-6)
    # By Fisher's information, this many circles leave an uncertainty of 1 to 2% of the larger
    # weights.
    assert fitted.bias == pytest.approx(BIAS, rel=0.05)
    assert fitted.per_feature == pytest.approx(WEIGHTS, rel=0.1)


def test_a_stiffer_ridge_makes_weights_smaller() -> None:
    circles = made_up(500)
    soft, stiff = (np.array(fit_weights(circles, ridge).per_feature) for ridge in (0.1, 100.0))
    assert np.linalg.norm(stiff * SPREAD) < 0.6 * np.linalg.norm(soft * SPREAD)


def test_unseen_circles_are_judged_about_as_well_as_by_the_true_weights() -> None:
    circles = made_up(2_000)
    best = count_errors(CURRENT_WEIGHTS.log_odds(circles.features), circles.is_disc)
    unseen = count_errors(cross_validate(circles), circles.is_disc)
    assert unseen.missed + unseen.extra <= 1.1 * (best.missed + best.extra)


def test_mistakes_are_counted_by_their_kind() -> None:
    is_disc = np.array([True, True, False, False, False])
    assert count_errors(np.array([1.0, -1, 1, 1, -1]), is_disc) == ErrorCounts(missed=1, extra=2)


def test_discs_in_the_ditch_are_known_of_renders_only() -> None:
    truth = dict(load_pictures_with_truth(stills_folder()))[stills_folder() / f"{PICTURES[0]}.jpg"]
    assert truth.ditch is not None
    assert all(np.hypot(x, y) > 320 and z < -8 for x, y, z in truth.ditch)
    assert len(truth.ditch) > 0
    assert parse_truth({"discs": [], "totals": {}}).ditch is None


def test_the_command_prints_weights_and_mistakes_side_by_side(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in PICTURES:
        for suffix in (".jpg", ".json"):
            shutil.copy(stills_folder() / (name + suffix), tmp_path)
    assert main([str(tmp_path)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert "circles in 3 pictures" in lines[0]
    assert any(line.split()[:2] == ["bias", f"{BIAS:.2f}"] for line in lines)
    assert all(any(line.startswith(name) for line in lines) for name in FEATURES)
    assert sum(line.startswith("wrongly judged") for line in lines) == 2


def test_the_command_says_what_to_do_without_enough_pictures(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([str(tmp_path)]) == 1
    assert "several pictures" in capsys.readouterr().err
