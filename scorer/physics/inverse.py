"""Which flick turns one board into another: ranked explanations, and whether there is one at all.

Knows the search: many flicks at once, then least squares from the best of them. What is not known
exactly (where discs lay, the board's friction and bounce, spin) is fitted along, each held by its
own spread. So the misfit left is judged against what the shot's own sensitivity allows: where a
hit magnifies a tenth of a millimetre, a tenth of a millimetre explains much, and elsewhere it does
not. Refuses to know rules: an opponent's disc is one of a set that is given.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.stats import chi2

from scorer.physics import kernels
from scorer.physics.engine import ManyOutcomes, parameter_vector, simulate_many
from scorer.physics.scene import Table

FloatArray = NDArray[np.float64]

#: One sigma of a disc's place as seen, mm per axis.
NOISE_MM = 0.7
#: Flicks tried, and how many of the best are fitted: the search's bound in time.
_FLICKS, _FITTED = 60_000, 160
_ROUNDS = 14
#: Slowest and fastest flick tried, mm/s.
_SPEEDS_MM_S = (150.0, 4000.0)
#: Spread of what is fitted along: spin in rad/s, friction (relative), restitutions.
_SPIN, _FRICTION, _RESTITUTION, _POST_RESTITUTION = 6.0, 0.05, 0.02, 0.05
#: Units of the two numbers that nothing holds: direction in rad, speed (relative).
_DIRECTION, _SPEED = 0.01, 0.02
#: A disc that is elsewhere than in the hole, the ditch or on the surface as seen: sigmas.
_WRONG_STATE = 12.0
#: Step of the numerical slopes, in sigmas.
_STEP = 1e-3
#: A true explanation is refused this rarely were all spreads exact; they are not: a half more.
_REFUSED, _SLACK = 1e-3, 1.5
#: Chance that the physics themselves mislead: no certainty is claimed beyond it.
_MODEL_DOUBT = 0.01
#: A disc that is seen to lie within this many sigmas of its old place did not move.
_MOVED_SIGMAS = 4.5
#: A flick whose discs go further than this for one sigma of what is not known would explain any
#: board, so it explains none, mm.
_MOST_SENSITIVE_MM = 3000.0
#: Parameters that every fit has: place of the shooter (2), direction, speed, spin, friction,
#: restitution, post restitution; then two for each other disc that moved.
_COMMON = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class BoardPair:
    """A board before and after a shot; disc 0 is the shooter's.

    before_mm, after_mm (d, 2); states (d,) of ``kernels.FLAT`` and so on, where places after count
    for flat discs only; opponents (d,) says which discs are an opponent's
    """

    before_mm: FloatArray
    after_mm: FloatArray
    states: NDArray[np.int8]
    opponents: NDArray[np.bool_]


@dataclass(frozen=True, slots=True, kw_only=True)
class Explanation:
    """A flick that may have happened.

    shot            place in mm, speed in mm/s, direction in rad, spin in rad/s: (5,)
    misfit_mm       what is left unexplained, by disc, pulls on the fitted spreads counted in
    tolerance_mm    the misfit that a true explanation stays under
    sensitivity_mm  how far the most sensitive disc goes for one sigma of all that is not known
    probability     among these explanations
    """

    shot: FloatArray
    places_mm: FloatArray
    states: NDArray[np.int8]
    contacts: tuple[tuple[int, int], ...]
    misfit_mm: float
    tolerance_mm: float
    sensitivity_mm: float
    probability: float
    touches_opponent: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """What the physics say about a pair of boards.

    p_contact  probability that an opponent's disc was touched; None when nothing explains the pair
    """

    explained: bool
    reason: str
    p_contact: float | None
    explanations: tuple[Explanation, ...]


def explain(table: Table, pair: BoardPair, *, noise_mm: float = NOISE_MM) -> Verdict:
    """The likeliest flicks, best first; none when discs were moved by hand. The same every time."""
    search = _Search(table, pair, noise_mm)
    if not search.moved.any():
        return Verdict(
            explained=False, reason="No disc has moved.", p_contact=None, explanations=()
        )
    theta = search.first_guesses()
    theta, cost, slopes = search.fitted(theta)
    return search.verdict(theta, cost, slopes)


class _Search:
    """One pair's search: flicks as rows of numbers in units of their spreads."""

    def __init__(self, table: Table, pair: BoardPair, noise_mm: float) -> None:
        self.table, self.pair, self.noise_mm = table, pair, noise_mm
        self.vector = parameter_vector(table)
        flat = pair.states == kernels.FLAT
        shift = np.hypot(*(pair.after_mm - pair.before_mm).T)
        self.seen = flat
        was_sunk = np.hypot(*(pair.before_mm - table.board.hole_centre_mm).T) < table.tip_radius_mm
        stays_sunk = was_sunk & (pair.states == kernels.IN_HOLE)
        self.moved = ~stays_sunk & (~flat | (shift > _MOVED_SIGMAS * noise_mm))
        # A disc that stayed was seen twice.
        self.base = np.where(
            (self.moved | ~flat)[:, None], pair.before_mm, (pair.before_mm + pair.after_mm) / 2
        )
        self.loose = [int(i) for i in np.flatnonzero(self.moved) if i != 0]
        self.centre = np.zeros(_COMMON + 2 * len(self.loose))
        self.free = np.zeros(len(self.centre), dtype=bool)
        self.free[2:4] = True
        self.limit = (
            _SLACK
            * float(chi2.ppf(1 - _REFUSED, max(2 * int((self.moved & self.seen).sum()) - 2, 1)))
            + 2.0 * float((~self.moved).sum()) * 0.5
        )

    def run(self, flicks: FloatArray, theta: FloatArray) -> ManyOutcomes:
        """Simulate: ``flicks`` (n, 2) of direction and ln speed about which ``theta`` varies."""
        count = len(theta)
        boards = np.repeat(self.base[None], count, axis=0)
        boards[:, 0] += self.noise_mm * theta[:, :2]
        for k, i in enumerate(self.loose):
            boards[:, i] += self.noise_mm * theta[:, _COMMON + 2 * k : _COMMON + 2 * k + 2]
        parameters = np.repeat(self.vector[None], count, axis=0)
        parameters[:, kernels.MU_G] *= np.exp(_FRICTION * theta[:, 5])
        for column, spread, unit in (
            (kernels.RESTITUTION, _RESTITUTION, theta[:, 6]),
            (kernels.POST_RESTITUTION, _POST_RESTITUTION, theta[:, 7]),
        ):
            parameters[:, column] = np.clip(parameters[:, column] + spread * unit, 0, 1)
        return simulate_many(
            self.table, boards, self.shots(flicks, theta), parameters=parameters, threads=1
        )

    def shots(self, flicks: FloatArray, theta: FloatArray) -> FloatArray:
        """The flicks (n, 5) as the engine takes them."""
        return np.column_stack(
            [
                self.base[0] + self.noise_mm * theta[:, :2],
                np.exp(np.clip(flicks[:, 1] + _SPEED * theta[:, 3], 3.0, 9.0)),
                flicks[:, 0] + _DIRECTION * theta[:, 2],
                _SPIN * theta[:, 4],
            ]
        )

    def offsets(self, result: ManyOutcomes) -> tuple[FloatArray, NDArray[np.bool_]]:
        """How far discs end from where they were seen (n, d, 2) in sigmas; and who is elsewhere."""
        wrong = result.states != self.pair.states[None]
        off = (result.places_mm - self.pair.after_mm[None]) / self.noise_mm
        # A disc that stayed is compared with the mean of two sights.
        off[:, ~self.moved] = (result.places_mm - self.base[None])[:, ~self.moved] / self.noise_mm
        off[:, ~self.seen] = 0.0
        off[wrong] = 0.0
        return off, wrong

    def first_guesses(self) -> FloatArray:
        """The best of many flicks: (n, 2) of direction and ln speed."""
        rng = np.random.default_rng(0)
        direction = self._directions(rng)
        low, high = np.log(_SPEEDS_MM_S)
        flicks = np.column_stack([direction, rng.uniform(low, high, len(direction))])
        theta = np.zeros((len(flicks), len(self.centre)))
        off, wrong = self.offsets(self.run(flicks, theta))
        far = np.hypot(off[..., 0], off[..., 1]) * self.noise_mm
        # Logarithms: one disc right and one far off is worth more than both half off.
        cost = np.log1p((far / 12.0) ** 2).sum(axis=1) + 3.5 * wrong.sum(axis=1)
        best = flicks[np.argsort(cost, kind="stable")[: 4 * _FITTED]]
        near, _ = self.narrowed(rng, best)
        return near

    def narrowed(self, rng: np.random.Generator, best: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Flicks around the best, a little closer: (_FITTED, 2) and their costs."""
        spread = np.array([0.012, 0.03])
        cost = np.empty(0)
        for _ in range(2):
            tried = np.repeat(best, 24, axis=0)
            tried[len(best) :] += rng.normal(0, 1, (len(tried) - len(best), 2)) * spread
            theta = np.zeros((len(tried), len(self.centre)))
            off, wrong = self.offsets(self.run(tried, theta))
            far = np.hypot(off[..., 0], off[..., 1]) * self.noise_mm
            cost = np.log1p((far / 6.0) ** 2).sum(axis=1) + 4.5 * wrong.sum(axis=1)
            order = np.argsort(cost, kind="stable")[:_FITTED]
            best, cost = tried[order], cost[order]
            spread = spread / 4
        return best, cost

    def _directions(self, rng: np.random.Generator) -> FloatArray:
        """Directions towards discs that moved, posts, the shooter's own end, and all over."""
        start = self.base[0]
        marks = [(self.base[i], 2 * self.table.disc.radius_mm) for i in self.loose]
        if self.seen[0]:
            marks.append((self.pair.after_mm[0], 6.0))
        marks += [(post, self.table.post_reach_mm) for post in self.table.posts_mm]
        marks.append((np.asarray(self.table.board.hole_centre_mm), self.table.tip_radius_mm))
        weights = np.array([4.0] * len(self.loose) + [1.0] * (len(marks) - len(self.loose)))
        counts = (0.85 * _FLICKS * weights / weights.sum()).astype(int)
        parts = [rng.uniform(-math.pi, math.pi, _FLICKS - int(counts.sum()))]
        for (place, radius), count in zip(marks, counts.tolist(), strict=True):
            away = place - start
            distance = max(float(np.hypot(*away)), radius * 1.001)
            middle = math.atan2(away[1], away[0])
            sine = rng.uniform(-1, 1, count) * radius / distance
            parts.append(middle + np.arcsin(sine))
        return np.concatenate(parts)

    def fitted(self, flicks: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Flicks and all that is fitted along (n, 2 + q), chi squared (n,), and slopes."""
        self.flicks = flicks
        count, size = len(flicks), len(self.centre)
        theta = np.zeros((count, size))
        damping = np.full(count, 1.0)
        residual, slopes = self._linearised(theta)
        cost = self._cost(theta)
        for _ in range(_ROUNDS):
            step = self._step(theta, residual, slopes, damping)
            tried = theta + step
            tried_cost = self._cost(tried)
            better = tried_cost < cost
            theta = np.where(better[:, None], tried, theta)
            cost = np.where(better, tried_cost, cost)
            damping = np.where(better, damping * 0.3, np.minimum(damping * 5.0, 1e6))
            residual, slopes = self._linearised(theta)
        return theta, cost, slopes

    def _cost(self, theta: FloatArray) -> FloatArray:
        """Chi squared of the places, of wrong states and of the pulls on what is fitted along."""
        off, wrong = self.offsets(self.run(self.flicks, theta))
        pulls = (theta[:, ~self.free] ** 2).sum(axis=1)
        total = (off**2).sum(axis=(1, 2)) + _WRONG_STATE**2 * wrong.sum(axis=1) + pulls
        return np.asarray(total)

    def _linearised(self, theta: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Offsets (n, 2 d) and their slopes (n, 2 d, q)."""
        count, size = theta.shape
        steps = np.concatenate([np.zeros((1, size)), _STEP * np.eye(size)])
        tried = (theta[:, None] + steps[None]).reshape(-1, size)
        off, _ = self.offsets(self.run(np.repeat(self.flicks, size + 1, axis=0), tried))
        off = off.reshape(count, size + 1, -1)
        slopes = np.swapaxes(off[:, 1:] - off[:, :1], 1, 2) / _STEP
        # A step across another order of events is no slope.
        slopes[np.abs(slopes) > 1e4] = 0.0
        return off[:, 0], slopes

    def _step(
        self, theta: FloatArray, residual: FloatArray, slopes: FloatArray, damping: FloatArray
    ) -> FloatArray:
        """Levenberg's step, discs far off counted less: they may go with another order."""
        weight = 1.0 / (1.0 + (residual / 40.0) ** 2)
        weighted = slopes * weight[:, :, None]
        pull = np.where(self.free, 0.0, 1.0)
        normal = np.swapaxes(weighted, 1, 2) @ slopes
        diagonal = np.einsum("nii->ni", normal)
        diagonal += pull + damping[:, None] * (diagonal + 1e-3)
        down = np.einsum("nik,ni->nk", weighted, residual) + pull * theta
        step = -np.linalg.solve(normal, down[..., None])[..., 0]
        return np.clip(step, -3.0, 3.0)

    def verdict(self, theta: FloatArray, cost: FloatArray, slopes: FloatArray) -> Verdict:
        """Explanations with their probabilities, from fitted flicks."""
        result = self.run(self.flicks, theta)
        order = [int(k) for k in np.argsort(cost, kind="stable")]
        kept: list[int] = []
        seen: set[tuple[tuple[int, int], ...]] = set()
        for k in order:
            contacts = _contacts(result, k)
            if contacts not in seen and cost[k] < cost[order[0]] + 20:
                seen.add(contacts)
                kept.append(k)
        kept = kept[:5]
        weight = np.exp(-0.5 * (cost[kept] - cost[kept[0]]))
        weight /= weight.sum()
        found = tuple(
            self._explanation(theta, cost, slopes, result, k, float(share))
            for k, share in zip(kept, weight, strict=True)
        )
        if cost[kept[0]] > self.limit:
            best = found[0]
            reason = (
                "No legal collision explains this: the best flick leaves "
                f"{best.misfit_mm:.1f} mm, and {best.tolerance_mm:.1f} mm is what it may."
            )
            return Verdict(explained=False, reason=reason, p_contact=None, explanations=found)
        if found[0].sensitivity_mm > _MOST_SENSITIVE_MM:
            reason = (
                "Only flicks explain this that go elsewhere by "
                f"{found[0].sensitivity_mm:.0f} mm with what is not known exactly; "
                "they would explain any board."
            )
            return Verdict(explained=False, reason=reason, p_contact=None, explanations=found)
        touched = sum(each.probability for each in found if each.touches_opponent)
        p_contact = _MODEL_DOUBT + (1 - 2 * _MODEL_DOUBT) * touched
        return Verdict(explained=True, reason="", p_contact=p_contact, explanations=found)

    def _explanation(
        self,
        theta: FloatArray,
        cost: FloatArray,
        slopes: FloatArray,
        result: ManyOutcomes,
        k: int,
        share: float,
    ) -> Explanation:
        contacts = _contacts(result, k)
        measured = max(int((self.moved & self.seen).sum()), 1)
        held = slopes[k][:, ~self.free]
        by_disc = (held**2).sum(axis=1).reshape(-1, 2).sum(axis=1)
        opponents = set(np.flatnonzero(self.pair.opponents).tolist())
        return Explanation(
            shot=self.shots(self.flicks[k : k + 1], theta[k : k + 1])[0],
            places_mm=result.places_mm[k],
            states=result.states[k],
            contacts=contacts,
            misfit_mm=self.noise_mm * math.sqrt(float(cost[k]) / measured),
            tolerance_mm=self.noise_mm * math.sqrt(self.limit / measured),
            sensitivity_mm=self.noise_mm * math.sqrt(float(by_disc.max())),
            probability=share,
            touches_opponent=any({a, b} & opponents for a, b in contacts),
        )


def _contacts(result: ManyOutcomes, k: int) -> tuple[tuple[int, int], ...]:
    """Contacts of one of many shots, in order of time."""
    kept = min(int(result.counts[k]), result.contacts.shape[1])
    return tuple((int(a), int(b)) for a, b in result.contacts[k, :kept])
