"""Outlines are found at their true places, in any light on rounded rims."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path

import cv2
import numpy as np
import pytest
from drawn_discs import SCATTERED, draw, view_at

from sample_images.train_rims.field import Field, Lamp
from sample_images.train_rims.field_generator import generate_field
from sample_images.train_rims.path_tracer import trace_field
from sample_images.train_rims.photograph import photograph
from sample_images.train_rims.train_edge_network import EdgeSamples, main, sample_edges, train
from vision.discs.outline.bundle_fit import fit_bundle
from vision.discs.outline.contour import DiscGeometry, FlatDiscs, compute_contour
from vision.discs.outline.edge_network import EdgeNetwork, predict_outline_edges
from vision.discs.outline.posed_image import PosedImage

#: A seed that training does not use.
UNSEEN = 900_002


@cache
def traced(seed: int) -> tuple[Field, PosedImage]:
    field = generate_field(seed)
    picture = PosedImage(image=photograph(field, seed), view=field.view, whitening=np.eye(3))
    return field, picture


@cache
def sampled() -> EdgeSamples:
    return sample_edges(UNSEEN)


def test_feet_under_light_from_one_side_are_found_to_a_fraction_of_a_millimetre() -> None:
    field, picture = traced(UNSEEN)
    base = field.whole_mm
    guess = base + np.random.default_rng(UNSEEN).normal(0, 0.5, base.shape)
    fit = fit_bundle(picture, guess, DiscGeometry(radius_mm=15.9, height_mm=9.4), (0.3, 0.4))
    assert np.median(np.linalg.norm(fit.base_mm - base, axis=-1)) < 0.4


def test_an_outline_guessed_too_far_out_is_said_to_lie_farther_in() -> None:
    view = view_at(20.0)
    image = draw(view, SCATTERED)
    base = np.array([(x, y) for x, y, _ in SCATTERED])
    shape = DiscGeometry(radius_mm=16.9, height_mm=9.5)
    outline = compute_contour(
        view.cam_from_board.camera_board_mm, FlatDiscs.of_shape(base, shape), 64
    )
    edges = predict_outline_edges(image, view, outline)
    assert -1.3 < np.median(edges.offset_mm) < -0.5
    assert np.median(edges.sigma_mm) < 0.5


def test_a_foot_that_is_partly_hidden_is_found_and_less_sure() -> None:
    view = view_at(20.0)
    whole = draw(view, SCATTERED)
    base = np.array([(x, y) for x, y, _ in SCATTERED])
    hidden = view.project_plane([(x, y + 13) for x, y in base[:1]])[0]
    partly = cv2.circle(whole.copy(), np.rint(hidden).astype(int).tolist(), 13, (90, 140, 60), -1)
    seen, part = (
        fit_bundle(
            PosedImage(image=image, view=view, whitening=np.eye(3)),
            base,
            DiscGeometry(radius_mm=15.9, height_mm=9.4),
            (0.3, 0.4),
        )
        for image in (whole, partly)
    )
    assert np.linalg.norm(part.base_mm[0] - base[0]) < 0.5
    sigma = [np.sqrt(np.trace(fit.covariance_mm2[0])) for fit in (seen, part)]
    assert sigma[1] > 1.05 * sigma[0]


def test_a_field_is_the_same_from_the_same_seed() -> None:
    field, picture = traced(UNSEEN)
    again, same = traced.__wrapped__(UNSEEN)
    assert np.array_equal(field.base_mm, again.base_mm)
    assert np.array_equal(picture.image, same.image)


def test_a_disc_throws_its_shadow_away_from_the_lamp() -> None:
    lamp = Lamp(
        middle_mm=np.array([900.0, 0.0, 900.0]),
        half_u_mm=np.array([0.0, 40.0, 0.0]),
        half_v_mm=np.array([-28.0, 0.0, 28.0]),
        radiance_rgb=np.full(3, 400.0),
    )
    field = replace(
        generate_field(UNSEEN),
        base_mm=np.zeros((1, 2)),
        disc_rgb=np.full((1, 3), 0.5),
        wood_rgb=np.full((800, 800, 3), 0.5, np.float32),
        lamps=(lamp,),
        gloss=(0.0, 0.0),
    )
    light = trace_field(field, 0)

    def seen(x_mm: float) -> float:
        column, row = np.rint(field.view.project_plane([[x_mm, 0.0]])[0]).astype(int)
        return float(light[row - 1 : row + 2, column - 1 : column + 2].mean())

    beside = field.radius_mm + 4
    assert seen(-beside) < 0.6 * seen(beside)
    assert seen(beside) == pytest.approx(seen(3 * beside), rel=0.2)


def test_training_tells_lines_that_it_was_not_shown(tmp_path: Path) -> None:
    every = sampled()
    lines, held_out = (
        EdgeSamples(features=every.features[part], offset_mm=every.offset_mm[part])
        for part in (slice(0, None, 2), slice(1, None, 2))
    )
    network = train(lines, held_out, rounds=40)
    network.save(tmp_path / "n.npz")
    stored = EdgeNetwork.load(tmp_path / "n.npz")
    told = stored(held_out.features)[:, 0]
    assert np.array_equal(told, network(held_out.features)[:, 0])
    assert np.median(np.abs(held_out.offset_mm - told)) < 0.7 * np.median(
        np.abs(held_out.offset_mm)
    )


def test_lines_are_as_far_from_the_outline_as_the_guess_was_wrong() -> None:
    lines = sampled()
    assert len(lines.features) == len(lines.offset_mm)
    assert 0.2 < np.std(lines.offset_mm) < 1.2
    assert np.abs(lines.offset_mm).max() < 4


def test_too_few_fields_are_refused_in_a_sentence(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["out.npz", "--fields", "3"]) == 1
    assert "at least 20 fields" in capsys.readouterr().err
