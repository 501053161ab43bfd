"""Likely results of a flick at a player's skill, and the best flicks on a given board.

Monte Carlo: a flick is repeated with the scatter of the player and of the hole, from a fixed seed,
and every outcome is judged by the rules in force. The value of a flick is the expected lead at the
round's end: the points after it, minus the gain that the value network then expects of the other
side. The best flicks are searched from all allowed places on the shooting line by halving: many
flicks are tried once, and the best of them more and more often. Suggested flicks are simulated
anew, so luck in the search does not help them. A foul is suggested only if no legal shot was found.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import ClassVar

import numpy as np

from calibration.numerics.arrays import BoolArray, FloatArray
from calibration.parameters import StageParameters, parameter
from calibration.placed_disc import DiscState
from scorer.analysis.judge_many import BoardToShoot, JudgedShots, judge_many
from scorer.analysis.positions import Positions, features, skill_rows, turn_places
from scorer.analysis.value import value_network
from scorer.physics import kernels
from scorer.physics.engine import parameter_vector, simulate_many
from scorer.physics.scene import TableSpec
from scorer.physics.skills import Skill
from scorer.rules.board_geometry import LINE_5, nearest_quadrant
from scorer.rules.checks import Case, find_placement_faults
from scorer.rules.contacts import summarise_contacts
from scorer.rules.sets import RuleSet
from scorer.rules.shot import FinalPosition, ShotFacts, StartPosition

#: The quadrant nearest to the viewer, where an unknown shooter is assumed to sit.
LOWEST_QUADRANT = 3
#: Decimals of a flick in messages: mm, mm/s, degrees, rad/s.
_DECIMALS = (2, 2, 1, 2, 2)
#: Loss by rounding in the gap between two discs, mm, and at the ends of the line.
_ROUNDING_MM, _END_MM = 0.02, 0.1
#: Azimuths at which the rules are asked whether a disc may be placed there, a tenth of a degree
#: apart.
_AZIMUTHS_DEG = np.linspace(-60.0, 60.0, 1201)


class AdviceParameters(StageParameters):
    """Parameters of the advice."""

    stage: ClassVar[str] = "advice"

    #: Number of flicks tried at first, without scatter; half of them at discs and the hole.
    tried: int = parameter(8000, unit="", source="chosen for the time that advice takes")
    #: Number of further searches, each with as many flicks, if none found so far is legal.
    more_tries: int = parameter(31, unit="", source="chosen for the time that advice takes")
    #: How many of the best flicks reach each stage, and how often they are repeated there with the
    #: player's scatter.
    halving: tuple[tuple[int, int], ...] = parameter(
        ((400, 6), (160, 15), (60, 50)), unit="", source="chosen for the time that advice takes"
    )
    #: Repeats of a suggested flick.
    repeats: int = parameter(
        300,
        unit="",
        source="chosen: a chance is then within 0.03, one sigma of the binomial distribution",
    )
    #: A flick that is a foul at least this often is suggested only if no other is legal.
    most_foul: float = parameter(
        0.5, unit="share", source="chosen: shots that are more often a foul than not are dropped"
    )
    #: Spread of the hole's capture speed, relative.
    capture_spread: float = parameter(
        0.1, unit="", source="chosen: half of PhysicsSpec.hole_capture_doubt, taken as two sigmas"
    )
    #: Speeds tried.
    speeds_mm_s: tuple[float, float] = parameter(
        (500.0, 3200.0),
        unit="mm/s",
        source="chosen: usual flicks, at 800 to 3000 mm/s, and a little more",
    )
    #: Greatest angle between the aim and the board's centre, to either side.
    fan_rad: float = parameter(
        1.2, unit="rad", source="chosen: flicks at larger angles soon leave the board"
    )
    #: Suggested flicks differ by at least this in their angle to the board's centre.
    min_separation_rad: float = parameter(
        math.radians(3), unit="rad", source="chosen: so that suggestions look different to a person"
    )


PARAMS = AdviceParameters()


@dataclass(frozen=True, slots=True, kw_only=True)
class Forecast:
    """The likely outcome of a flick.

    is_foul  whether the flick itself, without scatter, is a foul
    twenty   chance that an own disc falls into the hole and counts
    stays    chance that the shooter's disc remains on the board or counts as a 20
    foul     chance of a foul
    points   expected own points minus the opponent's, after applying the rules to the shot
    lead     the same at the round's end, after all remaining shots of both sides
    lead_sigma  one standard deviation of ``lead``, due only to the number of repeats
    """

    shot: FloatArray
    is_foul: bool
    twenty: float
    stays: float
    foul: float
    points: float
    lead: float
    lead_sigma: float


class NothingLegal(StrEnum):
    """The reason why no legal shot is suggested."""

    NO_ROOM = "no_room"
    MISPLACED = "misplaced"
    NONE_FOUND = "none_found"


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundToPlay:
    """The rest of the round after the shot on a board.

    left      discs that the side to shoot, including this one, and the other still have to shoot
    turn_rad  turn of the next shooter's quadrant from this one's
    other     the other side's skill; None: the same as this side's
    """

    left: tuple[int, int]
    turn_rad: float = math.pi
    other: Skill | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Advice:
    """The best shots, best first; fouls only with a reason why no legal shot is suggested."""

    shots: tuple[Forecast, ...]
    nothing_legal: NothingLegal | None = None


def advise(
    table: TableSpec,
    others_mm: FloatArray,
    others_own: BoolArray,
    rules: RuleSet,
    skill: Skill,
    *,
    start_mm: FloatArray | None = None,
    quadrant: int = LOWEST_QUADRANT,
    ahead: RoundToPlay | None = None,
    count: int = 3,
) -> Advice:
    """At most ``count`` flicks on a board of other discs (d, 2), best by the expected lead.

    others_own  (d,) whether the discs belong to the shooter's side
    start_mm    (2,) the one place to shoot from; None: all places in the quadrant that the rules
                allow
    quadrant    where the shooter sits, 0 to 3 counter-clockwise from +x
    ahead       the remaining shots; None: from ``guess_round``
    """
    places = np.concatenate([np.zeros((1, 2)), others_mm.reshape(-1, 2)])
    board = BoardToShoot(table=table, places_mm=places, own=np.concatenate([[True], others_own]))
    line = ShootingLine.find(board, rules, start_mm, quadrant)
    if line is None:
        return Advice(shots=(), nothing_legal=NothingLegal.NO_ROOM)
    is_misplaced = start_mm is not None and not may_place(board, rules, start_mm, quadrant)
    search = ShotSearch(
        board=board,
        rules=rules,
        skill=skill,
        line=line,
        is_misplaced=is_misplaced,
        ahead=ahead or guess_round(board, rules),
        quadrant=quadrant,
    )
    found = _rank(search.run())
    best = found[0]
    if best.is_foul:
        reason = NothingLegal.MISPLACED if is_misplaced else NothingLegal.NONE_FOUND
        return Advice(shots=_pick_apart(found, count), nothing_legal=reason)
    legal = [one for one in found if not one.is_foul]
    likely = [one for one in legal if one.foul < PARAMS.most_foul]
    return Advice(shots=_pick_apart(likely or legal, count))


def compare_choice(
    board: BoardToShoot,
    flick: FloatArray,
    rules: RuleSet,
    skill: Skill,
    ahead: RoundToPlay | None,
) -> tuple[Forecast, Forecast | None]:
    """The forecasts of a played flick (5,), repeated by the same player, and of a better one; None
    if no legal flick is better by two points and two standard errors.
    """
    quadrant, ahead = nearest_quadrant(*flick[:2].tolist()), ahead or guess_round(board, rules)
    search = ShotSearch(
        board=board,
        rules=rules,
        skill=skill,
        line=ShootingLine(board=board, ends_rad=(0.0, 0.0), fixed_mm=flick[:2]),
        is_misplaced=False,
        ahead=ahead,
        quadrant=quadrant,
    )
    (played,) = search.forecast(flick[None], PARAMS.repeats, seed=len(PARAMS.halving))
    advice = advise(
        board.table,
        board.places_mm[1:],
        board.own[1:],
        rules,
        skill,
        quadrant=quadrant,
        ahead=ahead,
        count=1,
    )
    if not advice.shots or advice.nothing_legal:
        return played, None
    best = advice.shots[0]
    least = max(_LEAST_LEAD, 2 * math.hypot(best.lead_sigma, played.lead_sigma))
    return played, best if best.lead - played.lead >= least else None


#: A shot is called better if it gains at least this many points.
_LEAST_LEAD = 2.0


def guess_round(board: BoardToShoot, rules: RuleSet) -> RoundToPlay:
    """The remaining shots if only the board is known, assuming that no disc has left the board."""
    own = int(board.own[1:].sum())
    left = max(rules.options.discs_singles - max(own, len(board.own) - 1 - own), 1)
    return RoundToPlay(left=(left, left))


def may_place(
    board: BoardToShoot, rules: RuleSet, place_mm: FloatArray, quadrant: int | None = None
) -> bool:
    """Whether the rules allow the shooter's disc at a place of the given quadrant, or of its
    own.
    """
    x, y = (float(value) for value in place_mm)
    shot = ShotFacts(
        shooter="0",
        team="own",
        teams={"0": "own"},
        before=(StartPosition(id="0", x_mm=x, y_mm=y),),
        after=(FinalPosition(id="0", state=DiscState.FLAT, x_mm=x, y_mm=y),),
        contacts=(),
        quadrant=quadrant,
    )
    case = Case(
        shot=shot,
        contact_summary=summarise_contacts(shot, ()),
        rules=rules,
        geometry=board.geometry,
        restored=frozenset(),
    )
    return not find_placement_faults(case)


@dataclass(frozen=True, slots=True, kw_only=True)
class ShootingLine:
    """The allowed starts of a side's shots: part of its line, or one given place.

    ends_rad  least and greatest azimuth around the line's centre
    fixed_mm  (2,) the given place; None: all free places between the ends
    """

    board: BoardToShoot
    ends_rad: tuple[float, float]
    fixed_mm: FloatArray | None = None

    @classmethod
    def find(
        cls, board: BoardToShoot, rules: RuleSet, fixed_mm: FloatArray | None, quadrant: int
    ) -> ShootingLine | None:
        """The positions that the rules allow; None if all are occupied."""
        if fixed_mm is not None:
            return cls(board=board, ends_rad=(0.0, 0.0), fixed_mm=fixed_mm)
        azimuths = quadrant * math.pi / 2 + np.radians(_AZIMUTHS_DEG)
        places = board.table.board.line_points_mm(LINE_5, azimuths)
        allowed = [may_place(board, rules, place, quadrant) for place in places]
        end_rad = _END_MM / board.table.board.line_radii_mm[LINE_5]
        kept = azimuths[np.array(allowed)]
        if not len(kept):
            return None
        line = cls(board=board, ends_rad=(float(kept[0]) + end_rad, float(kept[-1]) - end_rad))
        return line if line.is_free(places[np.array(allowed)]).any() else None

    def places_mm(self, azimuths_rad: FloatArray) -> FloatArray:
        """Places (n, 2) on the line at azimuths (n,)."""
        spec = self.board.table.board
        return np.asarray(spec.line_points_mm(LINE_5, azimuths_rad), dtype=np.float64)

    def is_free(self, places_mm: FloatArray) -> BoolArray:
        """Whether a disc at the places (n, 2) touches no other disc and no post."""
        table = self.board.table
        others, posts = self.board.places_mm[1:][~self.board.in_hole[1:]], table.posts_mm
        free = np.ones(len(places_mm), dtype=np.bool_)
        for blocks, reach in ((others, 2 * table.disc.radius_mm), (posts, table.post_reach_mm)):
            away = np.hypot(*(places_mm[:, None] - blocks[None]).transpose(2, 0, 1))
            free &= (away > reach + _ROUNDING_MM).all(axis=1)
        return free

    def draw(self, rng: np.random.Generator, count: int) -> FloatArray:
        """Free places (count, 2), chosen at random."""
        if self.fixed_mm is not None:
            return np.tile(self.fixed_mm, (count, 1))
        places = self.places_mm(rng.uniform(*self.ends_rad, 4 * count))
        free = places[self.is_free(places)]
        if not len(free):  # hardly more room than one disc needs
            grid = self.places_mm(np.linspace(*self.ends_rad, len(_AZIMUTHS_DEG)))
            free = grid[self.is_free(grid)]
        return free[rng.integers(0, len(free), count)]


@dataclass(frozen=True, slots=True, kw_only=True)
class ShotSearch:
    """The search for the best flicks of one side on one board."""

    board: BoardToShoot
    rules: RuleSet
    skill: Skill
    line: ShootingLine
    is_misplaced: bool
    ahead: RoundToPlay
    quadrant: int

    def run(self) -> list[Forecast]:
        """The remaining flicks, with full and new forecasts."""
        shots, found = self._try_flicks(), list[Forecast]()
        for stage, (lasting, repeats) in enumerate(PARAMS.halving):
            found = _rank(self.forecast(shots[:lasting], repeats, seed=stage))
            shots = np.array([one.shot for one in found])
        best = [*found[:10], *_pick_apart(found, 10)]
        kept = np.unique([one.shot for one in best], axis=0)
        return self.forecast(kept, PARAMS.repeats, seed=len(PARAMS.halving))

    def forecast(self, shots: FloatArray, repeats: int, seed: int) -> list[Forecast]:
        """The outcomes of flicks (n, 5), with the given number of repeats and the same scatter for
        all.
        """
        rng = np.random.default_rng(seed)
        many = np.repeat(shots[:, None], repeats, axis=1)
        many[..., 2] *= np.exp(rng.normal(0, self.skill.speed_ratio, repeats))
        many[..., 3] += rng.normal(0, self.skill.aim_mrad * 1e-3, repeats)
        many[..., 4] += rng.normal(0, self.skill.spin_rad_s, repeats)
        parameters = np.repeat(parameter_vector(self.board.table)[None], repeats, axis=0)
        parameters[:, kernels.CAPTURE_SPEED] *= np.exp(
            rng.normal(0, PARAMS.capture_spread, repeats)
        )
        judged = self._judge(many.reshape(-1, 5), np.tile(parameters, (len(shots), 1)))
        leads = self.find_leads(judged)
        chances = np.stack([judged.own_twenty, judged.stays, judged.is_foul, judged.points, leads])
        means = chances.reshape(5, len(shots), repeats).mean(axis=2).T.tolist()
        sigmas = leads.reshape(len(shots), repeats).std(axis=1) / math.sqrt(repeats)
        return [
            Forecast(
                shot=shot,
                is_foul=is_foul,
                twenty=twenty,
                stays=stays,
                foul=foul,
                points=points,
                lead=lead,
                lead_sigma=float(sigma),
            )
            for shot, is_foul, sigma, (twenty, stays, foul, points, lead) in zip(
                shots, self._judge(shots).is_foul.tolist(), sigmas, means, strict=True
            )
        ]

    def find_leads(self, judged: JudgedShots) -> FloatArray:
        """The expected leads (n,) at the round's end after shots."""
        own_left, other_left = self.ahead.left
        if own_left + other_left <= 1:
            return judged.points
        count, azimuth = len(judged.points), self.quadrant * math.pi / 2 + self.ahead.turn_rad
        other = self.ahead.other or self.skill
        after = Positions(
            places_mm=turn_places(judged.places_mm, -math.pi / 2 - azimuth),
            own=np.broadcast_to(~self.board.own, judged.places_mm.shape[:2]),
            left=np.tile([float(other_left), own_left - 1.0], (count, 1)),
            skills=skill_rows(other, self.skill, count),
            turn_rad=self.ahead.turn_rad,
        )
        gained = value_network().gain(features(self.board.table, self.rules.options, after))
        return np.asarray(judged.points - gained)

    def _judge(self, shots: FloatArray, parameters: FloatArray | None = None) -> JudgedShots:
        """The rules' judgement of flicks (n, 5)."""
        board = self.board
        result = simulate_many(board.table, board.places_mm, shots, parameters=parameters)
        return judge_many(board, self.rules, shots[:, :2], result, is_misplaced=self.is_misplaced)

    def _try_flicks(self) -> FloatArray:
        """The best of many random flicks (n, 5), legal ones first."""
        rng = np.random.default_rng(0)
        rounds = 1 if self.is_misplaced else 1 + PARAMS.more_tries
        shots, keys = np.empty((0, 5)), np.empty((2, 0))
        for _ in range(rounds):
            tried = self._sample(rng, PARAMS.tried)
            judged = self._judge(tried)
            shots = np.concatenate([shots, tried])
            keys = np.concatenate([keys, [-self.find_leads(judged), judged.is_foul]], axis=1)
            if not judged.is_foul.all():
                break
        return shots[np.lexsort(keys)[: PARAMS.halving[0][0]]]

    def _sample(self, rng: np.random.Generator, count: int) -> FloatArray:
        """Flicks (count, 5), one half in any direction and one half at discs and the hole."""
        shots = np.zeros((count, 5))
        shots[:, :2] = self.line.draw(rng, count)
        shots[:, 2] = rng.uniform(*PARAMS.speeds_mm_s, count)
        to_centre = np.arctan2(-shots[:, 1], -shots[:, 0])
        shots[:, 3] = to_centre + rng.uniform(-PARAMS.fan_rad, PARAMS.fan_rad, count)
        # Opponents' discs must be touched, so more flicks are aimed at them than at own ones.
        hole, opponents = np.array([self.board.table.board.hole_centre_mm]), ~self.board.own
        targets = np.concatenate([hole, self.board.places_mm[1:], self.board.places_mm[opponents]])
        aimed = slice(0, count // 2)
        away = targets[rng.integers(0, len(targets), count // 2)] - shots[aimed, :2]
        reach = 2 * self.board.table.disc.radius_mm / np.maximum(np.hypot(*away.T), 1.0)
        shots[aimed, 3] = np.arctan2(away[:, 1], away[:, 0])
        shots[aimed, 3] += np.minimum(reach, 1.0) * rng.uniform(-1, 1, count // 2)
        return _round_as_printed(shots)


def _round_as_printed(shots: FloatArray) -> FloatArray:
    """Flicks (n, 5) rounded to the decimals that are displayed, so that the displayed flicks are
    judged.
    """
    rounded = shots.copy()
    rounded[:, 3] = np.degrees(shots[:, 3]) % 360
    for column, decimals in enumerate(_DECIMALS):
        rounded[:, column] = np.round(rounded[:, column], decimals)
    rounded[:, 3] = np.radians(rounded[:, 3] % 360)
    return rounded


def _rank(forecasts: Iterable[Forecast]) -> list[Forecast]:
    """Legal flicks first, the rarely foul ones before others, then by expected lead."""
    return sorted(forecasts, key=lambda one: (one.is_foul, one.foul >= PARAMS.most_foul, -one.lead))


def _pick_apart(ranked: list[Forecast], count: int) -> tuple[Forecast, ...]:
    """The first ``count`` flicks that look different to a person, by their angle to the line to the
    centre.
    """
    chosen: list[Forecast] = []
    for one in ranked:
        turns = (math.remainder(_aim_rad(one) - _aim_rad(other), 2 * math.pi) for other in chosen)
        if len(chosen) < count and all(abs(turn) > PARAMS.min_separation_rad for turn in turns):
            chosen.append(one)
    return tuple(chosen)


def _aim_rad(one: Forecast) -> float:
    """The angle by which a flick is aimed left of the board's centre."""
    x, y, _, direction, _ = one.shot.tolist()
    return float(direction - math.atan2(-y, -x))
