"""Motions are smoothed piece by piece, with the contact between two pieces found."""

from __future__ import annotations

import numpy as np
import pytest

from calibration.board import FloatArray
from scorer.referee.review.smooth_motion import rest_at, smooth_samples
from vision.track.tracks.disc_track import Sample

FPS = 30.0


def slide(start: FloatArray, velocity: FloatArray, friction_mm_s2: float, t_s: float) -> FloatArray:
    """The place after ``t_s`` of a disc with constant deceleration."""
    speed = float(np.linalg.norm(velocity))
    t_s = min(t_s, speed / friction_mm_s2)
    return start + velocity * t_s - velocity / speed * friction_mm_s2 * t_s**2 / 2


def deflected(t_s: float) -> FloatArray:
    """A disc that strikes an object at 0.31 s and continues in another direction."""
    first = slide(np.array([0.0, -300.0]), np.array([100.0, 900.0]), 900.0, min(t_s, 0.31))
    return first if t_s < 0.31 else slide(first, np.array([400.0, 120.0]), 900.0, t_s - 0.31)


def sample(times_s: FloatArray, noise_mm: float, seed: int) -> list[Sample]:
    chance = np.random.default_rng(seed)
    return [
        Sample(t_s=float(t), place_mm=deflected(t) + chance.normal(0, noise_mm, 2), is_free=True)
        for t in times_s
    ]


def test_a_deflection_is_found_and_both_sides_are_known_better_than_a_sample() -> None:
    times = np.arange(0, 0.6, 1 / FPS)
    motion = smooth_samples(sample(times, 0.8, seed=1))
    assert len(motion.pieces) == 2
    assert motion.pieces[0].to_s < 0.31 < motion.pieces[1].from_s
    inner = np.array([0.1, 0.2, 0.45])
    places, sigmas = motion.at(inner)
    errors = np.linalg.norm(places - [deflected(t) for t in inner], axis=1)
    assert errors.max() < 1.0
    assert (sigmas < 0.8).all()


def test_a_disc_turns_where_its_ways_meet_and_not_half_way_between_two_samples() -> None:
    motion = smooth_samples(sample(0.004 + np.arange(0, 0.6, 1 / FPS), 0.1, seed=3))
    assert motion.pieces[0].to_s == pytest.approx(0.304)
    between_s = np.linspace(0.305, 0.336, 20)
    errors = np.linalg.norm(motion.at(between_s)[0] - [deflected(t) for t in between_s], axis=1)
    assert errors.max() < 2.5


def test_errors_are_as_large_as_their_sigmas_say() -> None:
    times, inner = np.arange(0, 0.6, 1 / FPS), np.array([0.15, 0.25, 0.4, 0.5])
    true = np.array([deflected(t) for t in inner])
    squared = []
    for seed in range(30):
        places, sigmas = smooth_samples(sample(times, 1.0, seed)).at(inner)
        squared += list(((places - true) ** 2).sum(axis=1) / sigmas**2 / 2)
    assert 0.5 < np.mean(squared) < 2.0


def test_one_wrong_sample_moves_nothing() -> None:
    times = np.arange(0, 0.3, 1 / FPS)
    samples = sample(times, 0.3, seed=2)
    samples[4] = Sample(t_s=samples[4].t_s, place_mm=samples[4].place_mm + 25.0, is_free=True)
    places, _ = smooth_samples(samples).at(times)
    right = [k for k in range(len(times)) if k != 4]
    errors = np.linalg.norm(places - [deflected(t) for t in times], axis=1)
    assert errors[right].max() < 1.5


def test_a_disc_at_rest_lies_there_before_and_after_it_was_seen() -> None:
    places, sigmas = rest_at(np.array([10.0, -4.0]), 0.3, 1.0, 2.0).at(np.array([0.0, 1.5, 9.0]))
    assert places == pytest.approx(np.tile([10.0, -4.0], (3, 1)))
    assert sigmas == pytest.approx(0.3)


@pytest.mark.parametrize("count", [1, 2, 3])
def test_few_samples_are_gone_through(count: int) -> None:
    times = np.arange(count) / FPS
    places, sigmas = smooth_samples(sample(times, 0.0, seed=3)).at(times)
    assert places == pytest.approx(np.array([deflected(t) for t in times]), abs=0.5)
    assert (sigmas > 0.1).all()
