"""Finds the flick that turns one board into another: ranked explanations, and whether any fits.

The search has three steps: random search over many flicks at once; least squares from the best of
them with all uncertain parameters fitted; then the Bayes factor of these fits against a hand that
moved discs. If a hand seems likelier, the search is repeated with an evolutionary search before the
fits. The opponents' discs are passed in, so no rules are needed.

``explain`` is made for a live referee: a pure function with the same answer for the same input on
any computer under any load. Its effort is limited by work, not by time. It cannot explain long
chains of contacts: every contact magnifies the uncertainty, until any board is possible.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from calibration.numerics.arrays import FloatArray
from calibration.parameters import StageParameters, parameter
from scorer.physics import kernels
from scorer.physics.engine import BatchResult
from scorer.physics.inverse.bayes_factor import FlickLikelihood, LikelihoodModel
from scorer.physics.inverse.contact_probability import estimate_contact_probability
from scorer.physics.inverse.evolutionary_search import evolve_flicks
from scorer.physics.inverse.flick_fit import FitStage, FlickFits, fit_flicks, init_fits
from scorer.physics.inverse.flick_model import FlickModel, Linearisation
from scorer.physics.inverse.graze_starts import aim_at_grazes
from scorer.physics.inverse.observations import PARAMS as OBSERVATION_PARAMS
from scorer.physics.inverse.observations import BoardPair, Spreads
from scorer.physics.inverse.random_search import FlickSearchBudget, search_flicks, select_diverse
from scorer.physics.scene import TableSpec


class ExplainParameters(StageParameters):
    """Parameters of ``explain``."""

    #: Largest number of searches; the first is only a random search, later ones add an evolutionary
    #: search.
    attempts: int = parameter(3, unit="", source="chosen for the time that a search takes")
    #: Number of flicks kept for each order of contacts.
    of_one_order: int = parameter(
        4, unit="", source="chosen: so that no order of contacts fills the list"
    )
    #: Number of flicks in the last fit, in which every disc counts in full.
    refined: int = parameter(
        8, unit="", source="chosen: the best few, because the others are not candidates"
    )
    #: Rounds of that fit.
    refine_rounds: int = parameter(4, unit="", source="chosen: few, because it starts from a fit")
    #: Robust scale of that fit.
    refine_scale: float = parameter(
        1e3, unit="σ", source="chosen: larger than any offset, which makes it plain least squares"
    )
    #: Probability that the physics model is wrong, which limits the certainty of any result.
    model_error_probability: float = parameter(
        0.01,
        unit="probability",
        source="chosen: even a good model may be wrong in one of a hundred cases",
    )
    #: A misfit is named as the cause of a failure if it exceeds its tolerance by this factor.
    blamed_misfit_mm: float = parameter(1.0, unit="mm", source="chosen: visible to a person")
    #: Explanations returned, at most.
    most_explanations: int = parameter(5, unit="", source="chosen: as many as a person can compare")
    #: Number of explanations whose first legs are searched for grazes.
    grazed_from: int = parameter(
        3,
        unit="",
        source="chosen: beyond the first three explanations, the first legs hardly differ",
    )
    #: Explanations around which more are sampled for p_contact.
    sampled_around: int = parameter(12, unit="", source="chosen for the time that it takes")


PARAMS = ExplainParameters()
#: From wide to exact.
_STAGES = (FitStage(4, 40.0, 64), FitStage(4, 15.0, 24), FitStage(6, 8.0, 24))


@dataclass(frozen=True, slots=True, kw_only=True)
class Explanation:
    """A flick that may have happened.

    shot            place in mm, speed in mm/s, direction in rad, spin in rad/s: (5,)
    places_mm       (d, 2) final places of the discs
    states          (d,) of ``kernels.FLAT`` and so on
    contacts        pairs of a disc and a partner's code, in time order
    misfit_mm       the misfit per disc, prior cost included
    tolerance_mm    the misfit above which a hand explains the board better
    sensitivity_mm  displacement of the most sensitive disc for one sigma of all unknowns
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
class InverseSearchResult:
    """Whether flicks explain a pair of boards, and the flicks.

    p_contact  probability that an opponent's disc was touched; None if no flick explains the pair
    log_odds   ln of the odds of the flicks alone against a hand that moved discs
    by_hand    discs that a hand explains best, for pairs that no flick explains
    """

    explained: bool
    reason: str
    p_contact: float | None
    explanations: tuple[Explanation, ...]
    log_odds: float = -math.inf
    by_hand: tuple[int, ...] = ()


def explain(
    table: TableSpec,
    pair: BoardPair,
    *,
    spreads: Spreads | None = None,
    max_simulated_discs: int | None = None,
) -> InverseSearchResult:
    """The likeliest flicks, best first, and whether they explain the pair better than a hand.

    spreads   one sigma of the uncertain parameters; an unfitted board's by default
    max_simulated_discs  limit of the work: no further search begins that would move more discs than
              this, summed over all simulated flicks (0.5 to 1 µs each on one core). The first
              search, of about 100,000 flicks, is always completed. Without a limit, up to three
              searches.
    """
    model = FlickModel(table, pair, spreads or Spreads(), OBSERVATION_PARAMS.noise_mm)
    if not model.moved.any():
        return InverseSearchResult(
            explained=False, reason="No discs moved.", p_contact=None, explanations=()
        )
    likelihood_model, found = LikelihoodModel(model), None
    for attempt in range(PARAMS.attempts):
        found = _search(model, FlickSearchBudget(), attempt, found)
        ranked = _rank_fits(likelihood_model, found)
        if ranked.log_odds >= 0:
            return _build_explained_result(likelihood_model, ranked)
        # A search with evolution takes about twice the work of one without.
        expected = model.simulated_discs * (1 + 2 / (2 * attempt + 1))
        if max_simulated_discs is not None and expected > max_simulated_discs:
            break
    return _build_unexplained_result(likelihood_model, ranked)


def _search(
    model: FlickModel, budget: FlickSearchBudget, seed: int, earlier: FlickFits | None
) -> FlickFits:
    """The best fits of one search and of those known before."""
    rng = np.random.default_rng(seed)
    flicks = search_flicks(model, budget, rng)
    found = init_fits(flicks) if seed == 0 else evolve_flicks(model, flicks, rng)
    some, every = model.active_columns(model.moved), _all_columns(model)
    last = len(_STAGES) - 1
    for stage, (rounds, scale, kept) in enumerate(_STAGES):
        active = every if stage == last else some
        found = fit_flicks(model, found, active, rounds=rounds, scale=scale)
        if stage == last and earlier is not None:
            found = concatenate_fits(earlier, found)
        ranked = np.argsort(found.costs, kind="stable")
        orders = (found.contacts, PARAMS.of_one_order)
        found = found.select_rows(select_diverse(ranked, [orders], kept))
    whole = found.select_rows(np.argsort(found.costs, kind="stable")[: PARAMS.refined])
    return concatenate_fits(
        found,
        fit_flicks(model, whole, every, rounds=PARAMS.refine_rounds, scale=PARAMS.refine_scale),
    )


def concatenate_fits(one: FlickFits, other: FlickFits) -> FlickFits:
    """Both sets of fits."""
    return FlickFits(
        theta=np.concatenate([one.theta, other.theta]),
        costs=np.concatenate([one.costs, other.costs]),
        contacts=np.concatenate([one.contacts, other.contacts]),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _RankedFits:
    """Fits with likelihoods; ``kept`` are the likeliest of each order of contacts, in order."""

    fits: FlickFits
    at_fits: Linearisation
    likelihoods: list[FlickLikelihood]
    kept: list[int]
    log_hand: float
    by_hand: tuple[int, ...]

    @property
    def log_likelihoods(self) -> FloatArray:
        """ln of the observations' probability, for the kept fits."""
        return np.array([self.likelihoods[k].log_shot for k in self.kept])

    @property
    def posteriors(self) -> FloatArray:
        """Posterior probabilities among the kept fits."""
        return np.asarray(np.exp(self.log_likelihoods - np.logaddexp.reduce(self.log_likelihoods)))

    @property
    def log_odds(self) -> float:
        """ln of the odds of the flicks alone against a hand."""
        return float(np.logaddexp.reduce(self.log_likelihoods)) - self.log_hand


def _rank_fits(likelihood_model: LikelihoodModel, fits: FlickFits) -> _RankedFits:
    """The fits, ranked by likelihood."""
    columns = _all_columns(likelihood_model.model)
    at_fits = likelihood_model.model.linearise(fits.theta, columns)
    likelihoods = likelihood_model.likelihoods(fits, at_fits)
    outcomes = at_fits.residuals.outcomes
    sequences = [list_contacts(outcomes, k) for k in range(len(likelihoods))]
    order = sorted(range(len(likelihoods)), key=lambda k: -likelihoods[k].log_shot)
    log_hand, by_hand = _evaluate_hand(likelihood_model, likelihoods, sequences)
    return _RankedFits(
        fits=fits,
        at_fits=at_fits,
        likelihoods=likelihoods,
        kept=_take_first_by_key(order, sequences),
        log_hand=log_hand,
        by_hand=by_hand,
    )


def _all_columns(model: FlickModel) -> NDArray[np.int64]:
    return model.active_columns(np.ones(model.discs, dtype=bool))


def _build_explained_result(
    likelihood_model: LikelihoodModel, ranked: _RankedFits
) -> InverseSearchResult:
    """The result when flicks explain the pair, after a search for grazes beside them.

    The range of flicks for a graze below the noise is too narrow for the first search.
    """
    model, columns = likelihood_model.model, _all_columns(likelihood_model.model)
    likeliest = ranked.fits.select_rows(np.array(ranked.kept[: PARAMS.grazed_from]))
    rounds, scale, _ = _STAGES[-1]
    fits = ranked.fits
    for grazing in aim_at_grazes(model, likeliest):
        more = fit_flicks(model, grazing, columns, rounds=rounds, scale=scale)
        fits = concatenate_fits(fits, more)
    ranked = _rank_fits(likelihood_model, fits)
    rows = np.array(ranked.kept[: PARAMS.sampled_around])
    sampled = estimate_contact_probability(
        likelihood_model, ranked.fits.select_rows(rows), ranked.at_fits.slopes[rows], columns
    )
    fits_alone = zip(ranked.posteriors, ranked.kept, strict=True)
    touched = sum(float(share) * ranked.likelihoods[k].touching for share, k in fits_alone)
    return InverseSearchResult(
        explained=True,
        reason="",
        p_contact=PARAMS.model_error_probability
        + (1 - 2 * PARAMS.model_error_probability) * (touched if sampled is None else sampled),
        explanations=_list_explanations(likelihood_model, ranked),
        log_odds=ranked.log_odds,
    )


def _build_unexplained_result(
    likelihood_model: LikelihoodModel, ranked: _RankedFits
) -> InverseSearchResult:
    explanations = _list_explanations(likelihood_model, ranked)
    return InverseSearchResult(
        explained=False,
        reason=_failure_reason(explanations[0]),
        p_contact=None,
        explanations=explanations,
        log_odds=ranked.log_odds,
        by_hand=ranked.by_hand,
    )


def _list_explanations(
    likelihood_model: LikelihoodModel, ranked: _RankedFits
) -> tuple[Explanation, ...]:
    """The likeliest flicks as explanations."""
    return tuple(
        _build_explanation(likelihood_model.model, ranked, k, float(share))
        for k, share in zip(
            ranked.kept[: PARAMS.most_explanations], ranked.posteriors, strict=False
        )
    )


def _take_first_by_key(order: list[int], keys: list[tuple[tuple[int, int], ...]]) -> list[int]:
    """The first row for each key, in order."""
    first: dict[tuple[tuple[int, int], ...], int] = {}
    for k in order:
        first.setdefault(keys[k], k)
    return list(first.values())


def _evaluate_hand(
    likelihood_model: LikelihoodModel,
    likelihoods: list[FlickLikelihood],
    sequences: list[tuple[tuple[int, int], ...]],
) -> tuple[float, tuple[int, ...]]:
    """ln of the probability of a hand, and the discs that it most likely moved."""
    logs: dict[tuple[object, ...], float] = {}
    for likelihood, sequence in zip(likelihoods, sequences, strict=True):
        key = (sequence, tuple(sorted(likelihood.by_hand)))
        logs[key] = max(logs.get(key, -math.inf), likelihood.log_hand)
    alone = likelihood_model.log_hand_alone
    best = max(likelihoods, key=lambda likelihood: likelihood.log_hand)
    moved = tuple(int(i) for i in np.flatnonzero(likelihood_model.model.moved))
    by_hand = tuple(sorted(best.by_hand)) if best.log_hand > alone else moved
    return float(np.logaddexp.reduce([alone, *logs.values()])), by_hand


def _failure_reason(best: Explanation) -> str:
    if best.misfit_mm > best.tolerance_mm + PARAMS.blamed_misfit_mm:
        return (
            f"No legal collision explains this: the best flick is {best.misfit_mm:.1f} mm off, "
            f"and the limit is {best.tolerance_mm:.1f} mm."
        )
    return (
        f"Only flicks that vary by {best.sensitivity_mm:.0f} mm within the uncertainty explain "
        "this. Discs moved by hand explain the board at least as well."
    )


def _build_explanation(model: FlickModel, ranked: _RankedFits, k: int, share: float) -> Explanation:
    likelihood, fits, residuals = ranked.likelihoods[k], ranked.fits, ranked.at_fits.residuals
    measured = max(int((model.moved & (model.pair.states == kernels.FLAT)).sum()), 1)
    noise_mm = float(model.noise_mm.mean())
    allowed = likelihood.chi2 + 2 * (likelihood.log_shot - ranked.log_hand)
    return Explanation(
        shot=model.shots(fits.theta[k : k + 1])[0],
        places_mm=residuals.outcomes.places_mm[k],
        states=residuals.outcomes.states[k],
        contacts=list_contacts(residuals.outcomes, k),
        misfit_mm=noise_mm * math.sqrt(max(likelihood.chi2, 0.0) / measured),
        tolerance_mm=noise_mm * math.sqrt(max(allowed, 0.0) / measured),
        sensitivity_mm=float((np.hypot(*likelihood.spread.T) * model.noise_mm).max()),
        probability=share,
        touches_opponent=likelihood.touching > 0.5,
    )


def list_contacts(outcomes: BatchResult, k: int) -> tuple[tuple[int, int], ...]:
    """Contacts of one of many shots, in order of time."""
    kept = min(int(outcomes.counts[k]), outcomes.contacts.shape[1])
    return tuple((int(a), int(b)) for a, b in outcomes.contacts[k, :kept])
