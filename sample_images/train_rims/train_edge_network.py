"""Train the edge network again: ``python -m sample_images.train_rims.train_edge_network OUT.npz``.

The recipe for the data: fields of discs from seeds (``field_generator``), traced and photographed,
with outlines guessed a little wrongly around every disc. The network (two hidden layers of tanh)
learns the distance of the true outline from a guess, and its uncertainty, by the likelihood of
Student's distribution, with Adam (Kingma and Ba 2015). Every tenth field is held out; the round
that predicts those best is kept. If the result is better, copy it over
``vision/discs/outline/outline_edges.npz``.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from calibration.board import FloatArray
from sample_images.train_rims.field import Field
from sample_images.train_rims.field_generator import generate_field
from sample_images.train_rims.photograph import photograph
from vision.discs.outline.bundle_fit import BOTTOM_ROUND_MM, STUDENT_FREEDOM, compute_size_jacobian
from vision.discs.outline.contour import Contour, DiscGeometry, FlatDiscs, compute_contour
from vision.discs.outline.edge_network import EdgeNetwork, compute_edge_features
from vision.discs.outline.outline_fit import DIRECTIONS
from webapp.cli.progress import show_progress

#: Errors of the guesses in x and y (one of each about every disc), radius, height, top rounding,
#: mm.
_PLACE_MM, _RADIUS_MM, _HEIGHT_MM, _ROUND_MM = (0.2, 0.6, 1.5), 0.3, 0.4, 0.5
#: Units of the two hidden layers, and strength of the ridge.
_HIDDEN, _RIDGE = (64, 32), 1e-5
#: Number of passes over all lines, lines per step, and Adam's learning rate and decay rates.
_ROUNDS, _BATCH, _LEARNING_RATE = 8, 1024, 3e-3
_BETA_1, _BETA_2 = 0.9, 0.999
#: One in this many fields is held out.
_HELD_OUT = 10


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class EdgeSamples:
    """Training samples: features (m, f) across outlines, and the outward distance of the true one,
    mm (m,).
    """

    features: np.ndarray
    offset_mm: np.ndarray


def sample_edges(seed: int) -> EdgeSamples:
    """The samples across the perturbed outlines of one field's discs."""
    field = generate_field(seed)
    image, rng = photograph(field, seed), np.random.default_rng(seed)
    return _concatenate([_perturb_outlines(field, image, rng, place_mm) for place_mm in _PLACE_MM])


def _concatenate(parts: Sequence[EdgeSamples]) -> EdgeSamples:
    return EdgeSamples(
        features=np.concatenate([part.features for part in parts]),
        offset_mm=np.concatenate([part.offset_mm for part in parts]),
    )


def _perturb_outlines(
    field: Field, image: np.ndarray, rng: np.random.Generator, place_mm: float
) -> EdgeSamples:
    """The samples across outlines that are perturbed by about ``place_mm`` in x and y."""
    base = field.whole_mm
    away = rng.normal(0, place_mm, base.shape)
    true = np.array([field.radius_mm, field.disc_height_mm, field.round_mm[1]])
    size = true + rng.normal(0, 1, 3) * (_RADIUS_MM, _HEIGHT_MM, _ROUND_MM)
    size[2] = max(size[2], 0.1)
    shape = DiscGeometry(
        radius_mm=size[0], height_mm=size[1], bottom_round_mm=BOTTOM_ROUND_MM, top_round_mm=size[2]
    )
    camera_mm = field.view.cam_from_board.camera_board_mm
    outline = compute_contour(camera_mm, FlatDiscs.of_shape(base + away, shape), DIRECTIONS)
    # distance of the true outline along the same normals: a support function is linear
    offset = compute_size_jacobian(outline) @ (true - size)
    offset -= (outline.normal[..., :2] @ away[..., None])[..., 0]
    offset += _lower_edge_derivative(outline) * (field.round_mm[0] - BOTTOM_ROUND_MM)
    return EdgeSamples(
        features=compute_edge_features(image, field.view, outline),
        offset_mm=offset.ravel().astype(np.float32),
    )


def _lower_edge_derivative(outline: Contour) -> FloatArray:
    """Outward movement of the points with the bottom edge's rounding: (n, k)."""
    sideways = np.linalg.norm(outline.normal[..., :2], axis=-1)
    rise = outline.normal[..., 2]
    return np.where(rise > 0, 0.0, 1 - sideways + rise)


LayerShapes = tuple[tuple[int, ...], ...]


def train(samples: EdgeSamples, held_out: EdgeSamples, rounds: int = _ROUNDS) -> EdgeNetwork:
    """The network with the best prediction of the held-out lines during its training on
    ``samples``.

    Uses Adam (Kingma and Ba 2015) with steps that shrink along half a cosine.
    """
    rng = np.random.default_rng(0)
    middle, spread = samples.features.mean(axis=0), samples.features.std(axis=0) + 0.02
    training, validation = (
        EdgeSamples(features=(some.features - middle) / spread, offset_mm=some.offset_mm)
        for some in (samples, held_out)
    )
    layers = _layer_shapes(samples.features.shape[1])
    weights = _init_weights(layers, rng)
    mean, square = np.zeros_like(weights), np.zeros_like(weights)
    per_round = max(len(training.offset_mm) // _BATCH, 1)
    best, best_loss = weights, np.inf
    for step in range(rounds * per_round):
        if step % per_round == 0:
            order = rng.permutation(len(training.offset_mm))
        rows = order[step % per_round * _BATCH :][:_BATCH]
        batch = EdgeSamples(features=training.features[rows], offset_mm=training.offset_mm[rows])
        _, gradient = loss(weights, batch, layers, _RIDGE)
        mean = _BETA_1 * mean + (1 - _BETA_1) * gradient
        square = _BETA_2 * square + (1 - _BETA_2) * gradient**2
        unbiased = np.sqrt(square / (1 - _BETA_2 ** (step + 1)))
        size = _LEARNING_RATE * 0.5 * (1 + np.cos(np.pi * step / (rounds * per_round)))
        weights = weights - size * mean / (1 - _BETA_1 ** (step + 1)) / (unbiased + 1e-8)
        if (step + 1) % per_round == 0:
            now = loss(weights, validation, layers, ridge=0.0)[0]
            print(f"round {(step + 1) // per_round} of {rounds}: {now:.4f} on held-out fields")
            best, best_loss = (weights, now) if now < best_loss else (best, best_loss)
    return EdgeNetwork(
        middle=middle.astype(np.float32),
        spread=spread.astype(np.float32),
        layers=tuple(_unpack(best, layers)),
    )


def _init_weights(layers: LayerShapes, rng: np.random.Generator) -> FloatArray:
    """Random weights that keep the spread of the input; no biases."""
    drawn = [
        rng.normal(0, shape[0] ** -0.5, shape) if len(shape) == 2 else np.zeros(shape)
        for shape in layers
    ]
    return np.concatenate([part.ravel() for part in drawn])


def _layer_shapes(inputs: int) -> LayerShapes:
    a, b = _HIDDEN
    return (inputs, a), (a,), (a, b), (b,), (b, 2), (2,)


def _unpack(weights: FloatArray, layers: LayerShapes) -> list[np.ndarray]:
    ends = np.cumsum([int(np.prod(shape)) for shape in layers])
    parts = np.split(weights.astype(np.float32), ends[:-1])
    return [part.reshape(shape) for part, shape in zip(parts, layers, strict=True)]


def loss(
    weights: FloatArray, samples: EdgeSamples, layers: LayerShapes, ridge: float
) -> tuple[float, FloatArray]:
    """Mean negative log likelihood of Student's distribution, with a ridge, and its gradient."""
    w1, b1, w2, b2, w3, b3 = _unpack(weights, layers)
    first = np.tanh(samples.features @ w1 + b1)
    second = np.tanh(first @ w2 + b2)
    offset, log_sigma = (second @ w3 + b3).T
    away = samples.offset_mm - offset
    precision = np.exp(-2 * log_sigma)
    ratio = away * away * precision / STUDENT_FREEDOM
    value = np.mean(log_sigma + 0.5 * (STUDENT_FREEDOM + 1) * np.log1p(ratio))
    share = (STUDENT_FREEDOM + 1) / STUDENT_FREEDOM / (1 + ratio)
    back = np.stack([-share * away * precision, 1 - share * ratio * STUDENT_FREEDOM], axis=1) / len(
        away
    )
    back_2 = back @ w3.T * (1 - second * second)
    back_1 = back_2 @ w2.T * (1 - first * first)
    gradients = (
        *(samples.features.T @ back_1, back_1.sum(axis=0)),
        *(first.T @ back_2, back_2.sum(axis=0)),
        *(second.T @ back, back.sum(axis=0)),
    )
    gradient = np.concatenate([part.ravel() for part in gradients]).astype(np.float64)
    return float(value) + ridge * float(weights @ weights), gradient + 2 * ridge * weights


def main(arguments: Sequence[str] | None = None) -> int:
    """Write a newly trained network; returns the exit code."""
    parser = argparse.ArgumentParser(
        prog="python -m sample_images.train_rims.train_edge_network",
        description="Train the network of outline edges again.",
    )
    parser.add_argument("out", type=Path, metavar="OUT.npz")
    parser.add_argument("--fields", type=int, default=800, help="so many are traced, 2 s each")
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=_ROUNDS)
    args = parser.parse_args(arguments)
    if args.fields < 2 * _HELD_OUT or args.out.suffix != ".npz":
        print(
            f"Name a file that ends in .npz, and at least {2 * _HELD_OUT} fields.", file=sys.stderr
        )
        return 1
    with ProcessPoolExecutor(args.processes) as pool:
        waiting = [pool.submit(sample_edges, seed) for seed in range(args.fields)]
        fields = [future.result() for future in show_progress(waiting, "Tracing")]
    held_out = _concatenate(fields[::_HELD_OUT])
    training = _concatenate([lines for k, lines in enumerate(fields) if k % _HELD_OUT])
    train(training, held_out, args.rounds).save(args.out)
    return 0


if __name__ == "__main__":
    sys.exit(main())
