"""A disc's motion from all its samples: pieces of constant deceleration between contacts.

Between two contacts a disc slides on a straight line and loses speed evenly (Coulomb friction), so
both coordinates are parabolas in time. The ends of the pieces are found by optimal partitioning
(Jackson et al. 2005): the sum of squared residuals plus a cost per piece (the Bayesian information
criterion) is least. Every sample counts, earlier or later. If a disc was visible in few frames
between two contacts, its motion is correspondingly uncertain.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import ClassVar

import numpy as np

from calibration.board import FloatArray
from calibration.numerics.least_squares import MAD_TO_SIGMA
from calibration.parameters import StageParameters, parameter
from vision.track.tracks.disc_track import Sample


class SmoothMotionParameters(StageParameters):
    """Parameters of ``smooth_motion``."""

    stage: ClassVar[str] = "review.smooth_motion"

    #: One sigma of a sample's position per axis: the value for the search, and the minimum.
    place_mm: float = parameter(
        0.8,
        unit="mm",
        source="chosen: the error of a blob's centroid is about a millimetre (vision.track.motion)",
    )
    least_place_mm: float = parameter(
        0.3, unit="mm", source="chosen: neighbouring frames of a blurred disc have similar errors"
    )
    #: A piece must have more samples than its parabola has unknowns.
    fewest_samples: int = parameter(
        4, unit="", source="chosen: three unknowns per axis, and one to spare"
    )
    #: Cap for residuals: a sample with a larger residual is wrong, and adds no more cost than this.
    most_sigmas: float = parameter(
        5.0, unit="σ", source="chosen: exceeded by one in two million normal errors"
    )
    #: Number of moments at which a turn between two pieces is searched for.
    turn_steps: int = parameter(
        33, unit="", source="chosen: steps of a millisecond at 30 frames a second"
    )
    most_samples: int = parameter(
        240, unit="", source="chosen for time: a shot of one second at 240 frames a second"
    )


PARAMS = SmoothMotionParameters()


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class MotionPiece:
    """A parabola in time.

    from_s, to_s   times of its first and last sample
    coefficients   (k, 2) of powers of the time since ``from_s``: mm, mm/s, mm/s²
    covariance     of one axis's coefficients: (k, k)
    """

    from_s: float
    to_s: float
    coefficients: FloatArray
    covariance: FloatArray

    def place_mm(self, times_s: FloatArray) -> FloatArray:
        """Places (n, 2) at times (n,)."""
        return _powers(times_s - self.from_s, len(self.coefficients)) @ self.coefficients

    def sigma_mm(self, times_s: FloatArray) -> FloatArray:
        """One sigma (n,) of each axis of those places."""
        powers = _powers(times_s - self.from_s, len(self.coefficients))
        return np.asarray(np.sqrt(np.einsum("ni,ij,nj->n", powers, self.covariance, powers)))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SmoothMotion:
    """A disc's motion, in pieces in order of time; at least one."""

    pieces: tuple[MotionPiece, ...]

    @property
    def from_s(self) -> float:
        """Time of the disc's first sample."""
        return self.pieces[0].from_s

    @property
    def to_s(self) -> float:
        """Time of the disc's last sample."""
        return self.pieces[-1].to_s

    def at(self, times_s: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Places (n, 2) and one sigma per axis (n,) at times (n,).

        Between two pieces it changes where their paths come closest. Before the first sample and
        after the last, the disc rests at its seen place.
        """
        times = np.clip(times_s, self.from_s, self.to_s)
        bounds = [_find_turn_s(a, b) for a, b in pairwise(self.pieces)]
        which = np.searchsorted(bounds, times)
        places, sigmas = np.zeros((len(times), 2)), np.zeros(len(times))
        for index, piece in enumerate(self.pieces):
            own = which == index
            places[own], sigmas[own] = piece.place_mm(times[own]), piece.sigma_mm(times[own])
        return places, sigmas


def _find_turn_s(one: MotionPiece, other: MotionPiece) -> float:
    """The time, after one piece and before the next, at which the two come closest."""
    times_s = np.linspace(one.to_s, other.from_s, PARAMS.turn_steps + 2)[1:-1]
    apart_mm = np.linalg.norm(one.place_mm(times_s) - other.place_mm(times_s), axis=1)
    return float(times_s[apart_mm.argmin()])


def rest_at(place_mm: FloatArray, sigma_mm: float, from_s: float, to_s: float) -> SmoothMotion:
    """The motion of a disc at rest at ``place_mm`` (2,), known to ``sigma_mm`` per axis."""
    piece = MotionPiece(
        from_s=from_s,
        to_s=to_s,
        coefficients=np.asarray(place_mm, dtype=np.float64)[None],
        covariance=np.array([[sigma_mm**2]]),
    )
    return SmoothMotion(pieces=(piece,))


def smooth_samples(samples: Sequence[Sample]) -> SmoothMotion:
    """The motion that explains all the samples; at least one."""
    if len(samples) > PARAMS.most_samples:
        chosen = np.linspace(0, len(samples) - 1, PARAMS.most_samples).round().astype(int)
        samples = [samples[i] for i in chosen]
    times_s = np.array([sample.t_s for sample in samples])
    places_mm = np.array([sample.place_mm for sample in samples], dtype=np.float64)
    cuts = _find_cuts(times_s, places_mm)
    pieces = [(times_s[a:b], places_mm[a:b]) for a, b in pairwise(cuts)]
    fits = [_fit_robustly(times, places) for times, places in pieces]
    errors = [
        _standardise(fit, times, places) for fit, (times, places) in zip(fits, pieces, strict=True)
    ]
    known = np.concatenate([*errors, np.zeros((0, 2))])
    sigma_mm = MAD_TO_SIGMA * float(np.median(np.abs(known))) if len(known) else PARAMS.place_mm
    sigma_mm = max(sigma_mm, PARAMS.least_place_mm)
    return SmoothMotion(
        pieces=tuple(
            MotionPiece(
                from_s=fit.from_s,
                to_s=fit.to_s,
                coefficients=fit.coefficients,
                covariance=sigma_mm**2 * fit.covariance,
            )
            for fit in fits
        )
    )


def _standardise(fit: MotionPiece, times_s: FloatArray, places_mm: FloatArray) -> FloatArray:
    """Standardised residuals (n, 2) of a piece, with the degrees of freedom taken up by its
    unknowns.

    None for a piece with too few samples.
    """
    spare = len(times_s) - len(fit.coefficients)
    if len(times_s) < PARAMS.fewest_samples:
        return np.zeros((0, 2))
    return np.asarray((fit.place_mm(times_s) - places_mm) * np.sqrt(len(times_s) / spare))


def _find_cuts(times_s: FloatArray, places_mm: FloatArray) -> list[int]:
    """Indices of samples at which pieces begin, and their number, by dynamic programming."""
    count = len(times_s)
    # Three unknowns per axis, and the start of the piece.
    piece_cost = 3.5 * np.log(2 * max(count, 2))
    best = np.full(count + 1, np.inf)
    best[0], back = 0.0, np.zeros(count + 1, dtype=int)
    for end in range(1, count + 1):
        for begin in range(end):
            cost = best[begin] + piece_cost + _misfit(times_s[begin:end], places_mm[begin:end])
            if cost < best[end]:
                best[end], back[end] = cost, begin
    cuts = [count]
    while cuts[-1] > 0:
        cuts.append(int(back[cuts[-1]]))
    return cuts[::-1]


def _misfit(times_s: FloatArray, places_mm: FloatArray) -> float:
    """Half the squared residuals of a piece, in sigmas; wrong samples cost at most a cap."""
    fit = _fit(times_s, places_mm, np.ones(len(times_s)))
    squared = ((fit.place_mm(times_s) - places_mm) ** 2).sum(axis=1) / PARAMS.place_mm**2
    return float(np.minimum(squared, PARAMS.most_sigmas**2).sum() / 2)


def _fit_robustly(times_s: FloatArray, places_mm: FloatArray) -> MotionPiece:
    """The parabola of samples, without the wrong ones (iteratively reweighted, Tukey)."""
    weights = np.ones(len(times_s))
    fit = _fit(times_s, places_mm, weights)
    for _ in range(4):
        away = np.linalg.norm(fit.place_mm(times_s) - places_mm, axis=1) / PARAMS.place_mm
        weights = np.clip(1 - (away / PARAMS.most_sigmas) ** 2, 0.0, None) ** 2
        if np.count_nonzero(weights) < PARAMS.fewest_samples:
            break
        fit = _fit(times_s, places_mm, weights)
    return fit


def _fit(times_s: FloatArray, places_mm: FloatArray, weights: FloatArray) -> MotionPiece:
    """Weighted least squares of one piece; its covariance is for samples of sigma 1."""
    terms = min(3, max(1, len(times_s) - 1))
    powers = _powers(times_s - times_s[0], terms)
    normal = (powers * weights[:, None]).T @ powers
    inverse = np.linalg.pinv(normal)
    return MotionPiece(
        from_s=float(times_s[0]),
        to_s=float(times_s[-1]),
        coefficients=inverse @ (powers * weights[:, None]).T @ places_mm,
        covariance=inverse,
    )


def _powers(times_s: FloatArray, terms: int) -> FloatArray:
    return np.stack([times_s**power for power in range(terms)], axis=-1)
