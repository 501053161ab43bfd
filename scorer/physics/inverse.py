"""Which flick turns one board into another: ranked explanations, and whether there is one at all.

Knows the order of the search: many flicks at once, least squares from the best of them with all
that is not known exactly fitted along, then what was found weighed against a hand that moved discs;
and once more, harder, where a hand seems likelier. Refuses to know rules: an opponent's disc is one
of a set that is given.

``explain`` is what a live referee calls: pure, the same answer for the same input as long as no
budget of time is set.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from scorer.physics.engine import ManyOutcomes
from scorer.physics.evidence import NOISE_MM, BoardPair, Spreads
from scorer.physics.flick_breeding import bred
from scorer.physics.flick_chances import Drawn, drawn_around
from scorer.physics.flick_fit import Fitted, fitted, unfitted
from scorer.physics.flick_model import FlickModel, Flicks, Residuals
from scorer.physics.flick_odds import Scales, Weighed
from scorer.physics.flick_search import Effort, first_guesses, varied
from scorer.physics.scene import Table

FloatArray = NDArray[np.float64]

#: The whole search at the usual effort takes about this long on one core with 12 discs, s.
USUAL_S = 0.5
#: Searches at most; the first is plain, and those after it breed flicks.
_ATTEMPTS = 3
#: Rounds of least squares, scale in sigmas and flicks kept after it, from wide to exact.
_STAGES = ((4, 40.0, 64), (4, 15.0, 24), (6, 8.0, 24))
#: Flicks kept of each order of contacts.
_OF_ONE_ORDER = 4
#: Flicks and rounds of a last fit in which every disc counts in full.
_POLISHED, _POLISH, _NO_DOUBT = 8, 4, 1e3
#: Chance that the physics themselves mislead: no certainty is claimed beyond it.
_MODEL_DOUBT = 0.01
#: Explanations told, at most; and those around which more are drawn for the chance of a contact.
_TOLD, _DRAWN_AROUND = 5, 12


@dataclass(frozen=True, slots=True, kw_only=True)
class Explanation:
    """A flick that may have happened.

    shot            place in mm, speed in mm/s, direction in rad, spin in rad/s: (5,)
    misfit_mm       what is left unexplained, by disc, pulls on the fitted spreads counted in
    tolerance_mm    the misfit from which on a hand that moved discs accounts better for the board
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
    log_odds   ln of the odds of the flicks alone against a hand that moved discs
    by_hand    discs that a hand accounts for best; of use when nothing explains the pair
    """

    explained: bool
    reason: str
    p_contact: float | None
    explanations: tuple[Explanation, ...]
    log_odds: float = -math.inf
    by_hand: tuple[int, ...] = ()


def explain(
    table: Table,
    pair: BoardPair,
    *,
    noise_mm: float | FloatArray = NOISE_MM,
    spreads: Spreads | None = None,
    budget_s: float | None = None,
    clock: Callable[[], float] = time.perf_counter,
) -> Verdict:
    """The likeliest flicks, best first; none when discs were moved by hand.

    noise_mm  one sigma of a resting disc's place, of all discs or of each (d,)
    spreads   one sigma of what is not known exactly; those of an unfitted board when left out
    budget_s  about how long it may take; without it, up to three searches, about five times USUAL_S
    """
    model = FlickModel(table, pair, spreads or Spreads(), noise_mm)
    if not model.moved.any():
        return Verdict(
            explained=False, reason="No disc has moved.", p_contact=None, explanations=()
        )
    began, share = clock(), 1.0
    if budget_s is not None:
        share = min(budget_s / USUAL_S, 1.0)
    scales, found = Scales(model), None
    for attempt in range(_ATTEMPTS):
        found = _searched(model, Effort().scaled(share), attempt, found)
        judged = _judged(scales, found)
        # A search with breeding takes about twice as long as one without.
        spent = clock() - began
        is_late = budget_s is not None and spent * (1 + 2 / (2 * attempt + 1)) > budget_s
        if judged.log_odds >= 0:
            return _explained(scales, judged)
        if is_late:
            break
    return _unexplained(scales, judged)


def _searched(model: FlickModel, effort: Effort, seed: int, known: Fitted | None) -> Fitted:
    """The best fits of one search and of what was known before."""
    rng = np.random.default_rng(seed)
    flicks = first_guesses(model, effort, rng)
    found = unfitted(model, flicks) if seed == 0 else bred(model, flicks, rng)
    some, every = model.active(model.moved), _every_number(model)
    last = len(_STAGES) - 1
    for stage, (rounds, scale, kept) in enumerate(_STAGES):
        active = every if stage == last else some
        found = fitted(model, found, active, rounds=rounds, scale=scale)
        if stage == last and known is not None:
            found = joined(known, found)
        found = found.chosen(varied(found.costs, found.contacts, kept, _OF_ONE_ORDER))
    whole = found.chosen(np.argsort(found.costs, kind="stable")[:_POLISHED])
    return joined(found, fitted(model, whole, every, rounds=_POLISH, scale=_NO_DOUBT))


def joined(one: Fitted, other: Fitted) -> Fitted:
    """Both sets of fits."""
    return Fitted(
        flicks=Flicks(
            directions=np.concatenate([one.flicks.directions, other.flicks.directions]),
            log_speeds=np.concatenate([one.flicks.log_speeds, other.flicks.log_speeds]),
            clocks_s=np.concatenate([one.flicks.clocks_s, other.flicks.clocks_s]),
        ),
        theta=np.concatenate([one.theta, other.theta]),
        costs=np.concatenate([one.costs, other.costs]),
        contacts=np.concatenate([one.contacts, other.contacts]),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Judged:
    """Fits with their accounts; ``kept`` are the likeliest of each order of contacts, in order."""

    fits: Fitted
    residuals: Residuals
    slopes: FloatArray
    weighed: list[Weighed]
    kept: list[int]
    log_hand: float
    by_hand: tuple[int, ...]

    @property
    def logs(self) -> FloatArray:
        """ln of the probability of what was seen, of those kept."""
        return np.array([self.weighed[k].log_shot for k in self.kept])

    @property
    def shares(self) -> FloatArray:
        """Probabilities of those kept, among them."""
        return np.asarray(np.exp(self.logs - np.logaddexp.reduce(self.logs)))

    @property
    def log_odds(self) -> float:
        """ln of the odds of the flicks alone against a hand."""
        return float(np.logaddexp.reduce(self.logs)) - self.log_hand


def _judged(scales: Scales, fits: Fitted) -> _Judged:
    """The fits' accounts."""
    every = _every_number(scales.model)
    residuals, slopes = scales.model.linearised(fits.flicks, fits.theta, every)
    weighed = scales.weighed(fits, residuals, slopes, every)
    sequences = [contacts_of(residuals.outcomes, k) for k in range(len(weighed))]
    order = sorted(range(len(weighed)), key=lambda k: -weighed[k].log_shot)
    log_hand, by_hand = _hand(scales, weighed, sequences)
    return _Judged(
        fits=fits,
        residuals=residuals,
        slopes=slopes,
        weighed=weighed,
        kept=_first_of_each(order, sequences),
        log_hand=log_hand,
        by_hand=by_hand,
    )


def _every_number(model: FlickModel) -> NDArray[np.int64]:
    return model.active(np.ones(model.discs, dtype=bool))


def _explained(scales: Scales, judged: _Judged) -> Verdict:
    """The verdict when flicks explain the pair, after a look for other orders of contacts nearby.

    A graze that moves a disc by less than noise has so narrow a place that no search meets it.
    """
    model, every = scales.model, _every_number(scales.model)
    near = _drawn(scales, judged, 0).new_orders(judged.fits)
    if len(near.costs):
        _, scale, _ = _STAGES[-1]
        near = fitted(model, near, every, rounds=_POLISH, scale=scale)
        judged = _judged(scales, joined(judged.fits, near))
    drawn = _drawn(scales, judged, 1).touching_chance()
    fits_alone = zip(judged.shares, judged.kept, strict=True)
    touched = sum(float(share) * judged.weighed[k].touching for share, k in fits_alone)
    return Verdict(
        explained=True,
        reason="",
        p_contact=_MODEL_DOUBT + (1 - 2 * _MODEL_DOUBT) * (touched if drawn is None else drawn),
        explanations=_told(scales, judged),
        log_odds=judged.log_odds,
    )


def _unexplained(scales: Scales, judged: _Judged) -> Verdict:
    told = _told(scales, judged)
    return Verdict(
        explained=False,
        reason=_why_not(told[0]),
        p_contact=None,
        explanations=told,
        log_odds=judged.log_odds,
        by_hand=judged.by_hand,
    )


def _drawn(scales: Scales, judged: _Judged, seed: int) -> Drawn:
    """Flicks drawn around the likeliest."""
    rows = np.array(judged.kept[:_DRAWN_AROUND])
    every, rng = _every_number(scales.model), np.random.default_rng(seed)
    return drawn_around(scales, judged.fits.chosen(rows), judged.slopes[rows], every, rng)


def _told(scales: Scales, judged: _Judged) -> tuple[Explanation, ...]:
    """The likeliest flicks as they are told."""
    return tuple(
        _explanation(scales.model, judged, k, float(share))
        for k, share in zip(judged.kept[:_TOLD], judged.shares, strict=False)
    )


def _first_of_each(order: list[int], keys: list[tuple[tuple[int, int], ...]]) -> list[int]:
    """The first in that order with each key."""
    first: dict[tuple[tuple[int, int], ...], int] = {}
    for k in order:
        first.setdefault(keys[k], k)
    return list(first.values())


def _hand(
    scales: Scales, weighed: list[Weighed], sequences: list[tuple[tuple[int, int], ...]]
) -> tuple[float, tuple[int, ...]]:
    """ln of the probability that a hand was at work, and on which discs most likely."""
    logs: dict[tuple[object, ...], float] = {}
    for each, sequence in zip(weighed, sequences, strict=True):
        key = (sequence, tuple(sorted(each.by_hand)))
        logs[key] = max(logs.get(key, -math.inf), each.log_hand)
    alone = scales.hand_alone
    best = max(weighed, key=lambda each: each.log_hand)
    moved = tuple(int(i) for i in np.flatnonzero(scales.model.moved))
    by_hand = tuple(sorted(best.by_hand)) if best.log_hand > alone else moved
    return float(np.logaddexp.reduce([alone, *logs.values()])), by_hand


def _why_not(best: Explanation) -> str:
    if best.misfit_mm > best.tolerance_mm + 1.0:
        return (
            "No legal collision explains this: the best flick leaves "
            f"{best.misfit_mm:.1f} mm, and {best.tolerance_mm:.1f} mm is what it may."
        )
    return (
        "Only flicks explain this that go elsewhere by "
        f"{best.sensitivity_mm:.0f} mm with what is not known exactly; "
        "a hand that moved discs accounts for the board at least as well."
    )


def _explanation(model: FlickModel, judged: _Judged, k: int, share: float) -> Explanation:
    weighed, fits, residuals = judged.weighed[k], judged.fits, judged.residuals
    measured = max(int((model.moved & (model.pair.states == 0)).sum()), 1)
    noise_mm = float(model.noise_mm.mean())
    allowed = weighed.chi2 + 2 * (weighed.log_shot - judged.log_hand)
    row = np.array([k])
    return Explanation(
        shot=model.shots(fits.flicks.chosen(row), fits.theta[row])[0],
        places_mm=residuals.outcomes.places_mm[k],
        states=residuals.outcomes.states[k],
        contacts=contacts_of(residuals.outcomes, k),
        misfit_mm=noise_mm * math.sqrt(max(weighed.chi2, 0.0) / measured),
        tolerance_mm=noise_mm * math.sqrt(max(allowed, 0.0) / measured),
        sensitivity_mm=float((np.hypot(*weighed.spread.T) * model.noise_mm).max()),
        probability=share,
        touches_opponent=weighed.touching > 0.5,
    )


def contacts_of(outcomes: ManyOutcomes, k: int) -> tuple[tuple[int, int], ...]:
    """Contacts of one of many shots, in order of time."""
    kept = min(int(outcomes.counts[k]), outcomes.contacts.shape[1])
    return tuple((int(a), int(b)) for a, b in outcomes.contacts[k, :kept])
