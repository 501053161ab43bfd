"""Whether a disc that slid past another at rest touched it, from its path and the other's shift.

Physics leaves one unknown: the gap ``u`` at which the disc would pass on its straight path. Above 0
it continues straight and the other does not move. Below 0 their edges overlap by ``-u``, which
deflects it and moves the other, both by the collision law of frictionless discs. So the path
between the frames is a line with a bend that depends on ``u``, and the other's displacement is a
known function of ``u``. The likelihood of both is summed over ``u``, with all values equally likely
beforehand (Bayes' theorem by quadrature). It is wrong if another object bends the path, so pass
only free flight.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np

from calibration.board import FloatArray
from calibration.parameters import StageParameters, parameter
from scorer.physics.parameters import PhysicsSpec


class NearPassParameters(StageParameters):
    """Parameters of ``graze_probability``."""

    #: Gaps of the quadrature: largest depth, largest distance, and smallest depth.
    deepest_mm: float = parameter(
        12.0, unit="mm", source="chosen: deeper contacts are full hits, not grazes"
    )
    farthest_mm: float = parameter(
        40.0, unit="mm", source="chosen: larger than any sigma of a path"
    )
    finest_mm: float = parameter(
        1e-5,
        unit="mm",
        source="chosen: moves a disc by under 0.001 mm at 1 m/s, which cannot be measured",
    )
    #: Points of the quadrature on either side of touching.
    points: int = parameter(400, unit="", source="chosen: steps of 4%, finer than any sigma")
    #: One sigma of the logarithm of the displacement at a given depth.
    displacement_spread: float = parameter(
        0.35,
        unit="log",
        source="chosen: friction is known to 25% and the speed there, squared, to 10%",
    )
    slide_points: int = parameter(9, unit="", source="chosen: steps of half a sigma")
    #: Errors of a displacement follow Student's t with this many degrees of freedom and this share
    #: of a sigma as scale: most are small, and a few are several sigmas.
    tails: float = parameter(
        3.0,
        unit="",
        source="measured on 290 discs that nothing touched in films made of photographs: half "
        "are within 0.45 sigmas, 90% within 1.5, 95% within 2.0, 98% within 2.8, the "
        "worst at 8.5",
    )
    tails_sigma: float = parameter(
        0.5,
        unit="sigma",
        source="measured on the same 290 discs: by this law half are within 0.66, 95% within "
        "2.2, 98% within 3.1",
    )
    #: Offsets beyond this many sigmas count less (Huber's weights).
    huber: float = parameter(
        1.5,
        unit="sigma",
        source="chosen: near Huber's 1.345, which is 95 % efficient on normal noise",
    )
    #: Another object bent a path if its bend and its gap disagree by this many sigmas; or if a
    #: contact is its best explanation, but chi squared is this many sigmas off.
    bent_sigmas: float = parameter(
        3.5, unit="sigma", source="exceeded by chance by one path in two thousand"
    )
    misfit_sigmas: float = parameter(
        3.0,
        unit="sigma",
        source="measured on 91 paths in films: five exceed it, none of them a graze",
    )
    #: Drift of a disc's observed positions across its path: one sigma at the path's ends.
    drift_mm: float = parameter(
        0.7,
        unit="mm",
        source="chosen: with less, a path bowed by 1 mm in a film was mistaken for a certain "
        "graze of a disc 1.5 mm away",
    )
    #: Fewest places from which a path is fitted.
    min_places: int = parameter(3, unit="", source="chosen: two places always form a line")
    rounds: int = parameter(
        4, unit="", source="chosen: the direction then changes by under 0.001 rad"
    )
    #: Two paths contradict each other if their joint chi squared exceeds the sum of the separate
    #: ones by this.
    contradiction: float = parameter(
        9.0, unit="σ²", source="chosen: three sigmas of the difference of two gaps"
    )
    #: Probability that the model is wrong, which limits the certainty of any result.
    model_error_probability: float = parameter(
        0.0005,
        unit="probability",
        source="chosen: far below any probability on which a decision depends",
    )


PARAMS = NearPassParameters()


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class StillDisc:
    """The disc at rest: its displacement (2,), and one sigma per axis.

    moved_mm  None if not known, or if a hand may have held it
    """

    moved_mm: FloatArray | None
    sigma_mm: float


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PassObservation:
    """Observation of a disc that slides past another at rest.

    times_s          (n,) in order
    places_mm        (n, 2) of its centre, in flight that only the other disc may have bent
    covariances_mm2  (n, 2, 2) of the places on their own
    common_mm2       (2, 2) shared covariance of all places, and of the other disc's place
    still_mm         (2,) place of the other disc
    """

    times_s: FloatArray
    places_mm: FloatArray
    covariances_mm2: FloatArray
    common_mm2: FloatArray
    still_mm: FloatArray


@dataclass(frozen=True, slots=True, kw_only=True)
class NearPass:
    """The measurement of a pass.

    t_s           time at which the discs were closest, on the clock of the observation
    gap_mm        between their edges at that time, by path and displacement; slightly below 0 in a
                  contact
    sigma_mm      one sigma of the gap
    sigmas_apart  sigmas by which the path alone excludes a contact; 0 if a contact is likelier
    p_contact     probability that they touched, from path and displacement
    chi2          (g,) of the path, at the gaps of the quadrature
    log_moved     (g,) ln of the likelihood of the displacement there
    """

    t_s: float
    gap_mm: float
    sigma_mm: float
    sigmas_apart: float
    p_contact: float
    chi2: FloatArray = field(repr=False, compare=False)
    log_moved: FloatArray = field(repr=False, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PassedGap:
    """A gap that was measured at one moment, at a turn of the path or at its end.

    towards       direction (2,) from the moving disc to the one at rest at that moment
    speeds_mm_s   (s,) of the moving disc at that moment, equally likely
    """

    t_s: float
    gap_mm: float
    sigma_mm: float
    towards: FloatArray
    speeds_mm_s: FloatArray


def estimate_near_pass(
    seen: PassObservation, still: StillDisc, disc_radius_mm: float, physics: PhysicsSpec
) -> NearPass | None:
    """The measurement of a pass; None if too few places were seen, the disc did not move, or if an
    object other than the disc at rest bent its path.
    """
    if len(seen.times_s) < PARAMS.min_places:
        return None
    line = _fit_line(seen, physics.friction * physics.gravity_mm_s2)
    if line is None:
        return None
    bends = _bend_at(disc_radius_mm, physics.restitution)
    for _ in range(PARAMS.rounds):
        chi2, slope, is_bent_elsewhere = _fit_across(seen, line, bends, disc_radius_mm)
        line = line.turn(slope)
    if is_bent_elsewhere:
        return None
    push = bends.cosine[:, None] * line.direction - bends.sine[:, None] * line.across
    log_moved = _log_displacement(still, bends.slide_mm(line.speed_mm_s, physics), push)
    return _weigh_gaps(chi2, log_moved, line.t_s)


def estimate_at_gap(
    passed: PassedGap, still: StillDisc, disc_radius_mm: float, physics: PhysicsSpec
) -> NearPass:
    """The measurement of a pass with a gap known only at its closest moment."""
    bends = _bend_at(disc_radius_mm, physics.restitution)
    chi2 = ((bends.gaps_mm - passed.gap_mm) / passed.sigma_mm) ** 2
    slides_mm = [bends.slide_mm(float(speed), physics) for speed in passed.speeds_mm_s]
    logs = [_log_displacement(still, slide_mm, passed.towards) for slide_mm in slides_mm]
    log_moved = np.logaddexp.reduce(logs, axis=0) - math.log(len(logs))
    return _weigh_gaps(chi2, log_moved, passed.t_s)


def combine_near_passes(one: NearPass, other: NearPass) -> NearPass | None:
    """One pass from two independently measured paths, and the displacement of ``one``; None if the
    paths contradict each other.
    """
    chi2 = one.chi2 + other.chi2
    if float(chi2.min() - one.chi2.min() - other.chi2.min()) > PARAMS.contradiction:
        return None
    return _weigh_gaps(chi2, one.log_moved, one.t_s)


def _weigh_gaps(chi2: FloatArray, log_moved: FloatArray, t_s: float) -> NearPass:
    """Bayes' theorem over the gaps (g,), which are equally likely beforehand."""
    gaps = _make_gaps()
    log_all = log_moved - 0.5 * chi2
    weights = np.gradient(gaps) * np.exp(log_all - log_all.max())
    weights /= weights.sum()
    mean = float(weights @ gaps)
    excess = float(chi2[gaps < 0].min() - chi2.min())
    return NearPass(
        t_s=t_s,
        gap_mm=mean,
        sigma_mm=math.sqrt(float(weights @ (gaps - mean) ** 2)),
        sigmas_apart=math.sqrt(max(excess, 0.0)),
        p_contact=PARAMS.model_error_probability
        + (1 - 2 * PARAMS.model_error_probability) * float(weights[gaps < 0].sum()),
        chi2=chi2,
        log_moved=log_moved,
    )


def _make_gaps() -> FloatArray:
    """Gaps (g,) in mm, below and above 0."""
    deep = -np.geomspace(PARAMS.deepest_mm, PARAMS.finest_mm, PARAMS.points)
    wide = np.geomspace(PARAMS.finest_mm, PARAMS.farthest_mm, PARAMS.points)
    return np.concatenate([deep, wide])


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Bends:
    """Effect of a pass at the gaps (g,).

    gaps_mm  (g,)
    sine, cosine  of the angle between the path and the line of centres when the edges meet
    early_mm  distance before the closest point at which they meet
    slope     deflection of the path, as a tangent
    struck    speed of the other disc, as a share of the passing one's
    """

    gaps_mm: FloatArray
    sine: FloatArray
    cosine: FloatArray
    early_mm: FloatArray
    slope: FloatArray
    struck: FloatArray

    def slide_mm(self, speed_mm_s: float, physics: PhysicsSpec) -> FloatArray:
        """Distance (g,) that the other disc slides until friction stops it."""
        slowing_mm_s2 = physics.friction * physics.gravity_mm_s2
        return np.asarray((self.struck * speed_mm_s) ** 2 / (2 * slowing_mm_s2))


def _bend_at(disc_radius_mm: float, restitution: float) -> _Bends:
    """The collision law of two equal discs: the normal speed is exchanged but for its loss."""
    gaps_mm, touch_mm = _make_gaps(), 2 * disc_radius_mm
    sine = np.minimum((touch_mm + gaps_mm) / touch_mm, 1.0)
    cosine = np.sqrt(1 - sine**2)
    struck = cosine * (1 + restitution) / 2
    return _Bends(
        gaps_mm=gaps_mm,
        sine=sine,
        cosine=cosine,
        early_mm=touch_mm * cosine,
        slope=struck * sine / (1 - struck * cosine),
        struck=struck,
    )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _PassLine:
    """The path of a disc: its direction (2,), and time and speed at its closest point to the other.

    along_mm   (n,) the places along it, from the closest point on
    across_mm  (n,) the places beside the other disc's centre, on the side of the path
    """

    direction: FloatArray
    side: float
    t_s: float
    speed_mm_s: float
    seen: PassObservation

    @property
    def across(self) -> FloatArray:
        """The direction (2,) from the other disc to the path."""
        return self.side * np.array([-self.direction[1], self.direction[0]])

    @property
    def along_mm(self) -> FloatArray:
        return np.asarray((self.seen.places_mm - self.seen.still_mm) @ self.direction)

    @property
    def across_mm(self) -> FloatArray:
        return np.asarray((self.seen.places_mm - self.seen.still_mm) @ self.across)

    def turn(self, slope: float) -> _PassLine:
        """The line turned by a slope, so that incoming discs are along it."""
        turned = self.direction + slope * self.across
        return _PassLine(
            direction=turned / np.linalg.norm(turned),
            side=self.side,
            t_s=self.t_s,
            speed_mm_s=self.speed_mm_s,
            seen=self.seen,
        )


def _fit_line(seen: PassObservation, slowing_mm_s2: float) -> _PassLine | None:
    """The least-squares line through places of a disc that friction slows; None at rest."""
    middle_s = float(seen.times_s.mean())
    since_s = seen.times_s - middle_s
    way, start = np.polyfit(since_s, seen.places_mm, 1)
    for _ in range(PARAMS.rounds):
        speed = float(np.linalg.norm(way))
        if speed <= slowing_mm_s2 * float(np.ptp(since_s)) / 8:
            break
        slowed = since_s - np.clip(slowing_mm_s2 / (2 * speed), 0, None) * since_s**2
        way, start = np.polyfit(slowed, seen.places_mm, 1)
    speed = float(np.linalg.norm(way))
    if speed == 0:
        return None
    direction = way / speed
    away_mm = float((seen.still_mm - start) @ direction)
    left = max(speed**2 - 2 * slowing_mm_s2 * away_mm, 0.0)
    passing = math.sqrt(left)
    across = np.array([-direction[1], direction[0]])
    return _PassLine(
        direction=direction,
        side=math.copysign(1.0, float((start - seen.still_mm) @ across)),
        t_s=middle_s + 2 * away_mm / (speed + passing),
        speed_mm_s=passing,
        seen=seen,
    )


def _fit_across(
    seen: PassObservation, line: _PassLine, bends: _Bends, disc_radius_mm: float
) -> tuple[FloatArray, float, bool]:
    """Chi squared (g,) of the path for the gaps, with fitted slope and common offset; the likeliest
    path's slope against the line; and whether an object other than the other disc bent it.
    """
    along, across = line.along_mm, line.across
    variances = np.einsum("i,nij,j->n", across, seen.covariances_mm2, across)
    common = float(across @ seen.common_mm2 @ across)
    after = np.maximum(along + bends.early_mm[:, None], 0.0)
    straight = line.across_mm - 2 * disc_radius_mm
    offsets = straight - bends.gaps_mm[:, None] - bends.slope[:, None] * after
    off = along - along.mean()
    drift = (off / max(float(np.abs(off).max()), 1e-9)) ** 2
    design = np.stack([np.ones_like(along), along, drift], axis=1)
    prior = np.array([1 / common, 0.0, PARAMS.drift_mm**-2])
    weights = 1 / variances
    for _ in range(PARAMS.rounds):
        solve = _solver(design, weights, prior)
        k = int(_chi2(offsets, design, weights, prior, solve).argmin())
        fit = solve @ (weights * offsets[k])
        left = np.abs(offsets[k] - design @ fit) / np.sqrt(variances)
        weights = np.minimum(1.0, PARAMS.huber / np.maximum(left, 1e-9)) / variances
    degrees = max(len(along) - 2, 1)
    excess = max(float((weights * (offsets[k] - design @ fit) ** 2).sum()) / degrees, 1.0)
    weights = weights / excess
    solve = _solver(design, weights, prior)
    is_bent_elsewhere = abs(float(fit[0])) > PARAMS.bent_sigmas * math.sqrt(common)
    most = 1 + PARAMS.misfit_sigmas * math.sqrt(2 / degrees)
    is_bent_elsewhere |= bool(bends.gaps_mm[k] < 0) and excess > most
    return _chi2(offsets, design, weights, prior, solve), float(fit[1]), is_bent_elsewhere


def _solver(design: FloatArray, weights: FloatArray, prior: FloatArray) -> FloatArray:
    """Solver of common offset, slope and drift (3,) from weighted offsets (n,), with prior
    precisions ``prior`` (3,)."""
    normal = design.T @ (weights[:, None] * design) + np.diag(prior)
    return np.asarray(np.linalg.solve(normal, design.T))


def _chi2(
    offsets: FloatArray,
    design: FloatArray,
    weights: FloatArray,
    prior: FloatArray,
    solve: FloatArray,
) -> FloatArray:
    """Chi squared (g,) of offsets (g, n), the fit's prior cost included."""
    fits = (offsets * weights) @ solve.T
    left = offsets - fits @ design.T
    return np.asarray((weights * left**2).sum(axis=1) + fits**2 @ prior)


def _log_displacement(still: StillDisc, slide_mm: FloatArray, push: FloatArray) -> FloatArray:
    """ln of the likelihood (g,) of the other disc's displacement, up to a constant, for slides (g,)
    along directions (g, 2) or (2,): integrated over friction's spread by Gauss-Hermite
    quadrature."""
    if still.moved_mm is None:
        return np.zeros(len(slide_mm))
    nodes, weights = np.polynomial.hermite_e.hermegauss(PARAMS.slide_points)
    slides_mm = slide_mm[:, None] * np.exp(PARAMS.displacement_spread * nodes)
    way = np.broadcast_to(push, (len(slide_mm), 2))
    off_mm = still.moved_mm - slides_mm[..., None] * way[:, None]
    chi2 = (off_mm**2).sum(axis=-1) / (PARAMS.tails_sigma * still.sigma_mm) ** 2
    density = (1 + chi2 / PARAMS.tails) ** (-(PARAMS.tails + 2) / 2)
    return np.asarray(np.log(density @ weights))
