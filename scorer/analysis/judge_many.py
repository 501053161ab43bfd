"""The rules' verdicts on many simulated shots at once, on one board or on one board per shot.

The verdicts equal those of ``scorer.rules.judge_shot`` for shots with known contacts. Sets of discs
are bits of a number, so a rule is a few array operations. A shot in which a disc comes back from
outside, which needs a flick of 7 m/s, is passed to ``judge``.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from calibration.numerics.arrays import BoolArray, FloatArray
from calibration.placed_disc import DiscState
from scorer.analysis.positions import NOWHERE_MM, board_points, find_clear_mm, read_zones
from scorer.physics import kernels
from scorer.physics.engine import BatchResult, partner_name
from scorer.physics.scene import TableSpec
from scorer.rules.board_geometry import LINE_5, LINE_15, BoardGeometry
from scorer.rules.choices import (
    ContactRule,
    OpenDisc,
    OpenTarget,
    OpenWhen,
    OutAtRest,
    PenaltyScope,
    TwentyOwner,
)
from scorer.rules.judge_shot import ShotOutcome, Verdict, judge
from scorer.rules.options import RuleOptions
from scorer.rules.sets import RuleSet
from scorer.rules.shot import ContactPair, FinalPosition, ShotFacts, StartPosition
from scorer.zone_values import TWENTY

#: Sets of discs: bit k is disc k; disc 0 is the shooter's.
DiscSets = NDArray[np.uint32]

_SHOOTER = np.uint32(1)
#: The partner code of the hole in the physics' contacts; no rule needs these contacts.
_HOLE_CODES = (kernels.HOLE_CODE, kernels.MISSED_HOLE_CODE, kernels.SUNK_CODE)
#: Names of the sides in the facts of a shot.
_OWN, _OTHERS = "own", "others"


@dataclass(frozen=True, slots=True, kw_only=True)
class BoardToShoot:
    """A board before shots of one side, or a board per shot; disc 0 is the shooter's.

    places_mm  (d, 2) or (n, d, 2); the shooter's row is ignored, because a shot has its own start.
               A place off the surface has no disc, so boards with different counts can be combined
    own        (d,) or (n, d) whether the discs belong to the shooter's side; all others are
               opponents'
    """

    table: TableSpec
    places_mm: FloatArray
    own: BoolArray

    @property
    def in_hole(self) -> BoolArray:
        """Discs (d,) already in the hole: they count, and rules ignore them."""
        away = self.places_mm - np.asarray(self.table.board.hole_centre_mm)
        found = np.asarray(np.hypot(away[..., 0], away[..., 1]) < self.table.tip_radius_mm)
        found[..., 0] = False
        return found

    @property
    def in_play(self) -> BoolArray:
        """Discs (d,) or (n, d) that the rules consider: on the surface and not in the hole."""
        away = np.hypot(self.places_mm[..., 0], self.places_mm[..., 1])
        found = np.asarray((away <= self.table.board.surface_radius_mm) & ~self.in_hole)
        found[..., 0] = True
        return found

    def take(self, k: int) -> BoardToShoot:
        """The board of shot k."""
        if self.places_mm.ndim == 2:
            return self
        return BoardToShoot(table=self.table, places_mm=self.places_mm[k], own=self.own[k])

    @property
    def geometry(self) -> BoardGeometry:
        """The sizes for the rules' measurements."""
        return BoardGeometry(board=self.table.board, disc=self.table.disc)


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedShots:
    """The rules' judgement of n shots.

    is_foul     (n,)
    points      (n,) own points on the board and in the hole minus the opponents', after the shot
    own_twenty  (n,) whether an own disc counts as a new 20
    stays       (n,) whether the shooter's disc remains on the board or counts as a 20
    places_mm   (n, d, 2) of the discs on the board afterwards; a place off the surface means no
                disc
    gained      (n,) 20s of this shot times 20, own minus the opponents'
    """

    is_foul: BoolArray
    points: FloatArray
    own_twenty: BoolArray
    stays: BoolArray
    places_mm: FloatArray
    gained: FloatArray


def judge_many(
    board: BoardToShoot,
    rules: RuleSet,
    starts_mm: FloatArray,
    result: BatchResult,
    *,
    is_misplaced: bool = False,
) -> JudgedShots:
    """Judge shots from ``starts_mm`` (n, 2); with ``is_misplaced``, no disc was placed as the rules
    require.
    """
    contacts = _summarise(result)
    judged = _judge_arrays(board, rules.options, result, contacts, is_misplaced=is_misplaced)
    for k in np.flatnonzero(contacts.has_returned):
        _judge_alone(board, rules, starts_mm[k], result, int(k), judged)
    return judged


@dataclass(frozen=True, slots=True, kw_only=True)
class _Contacts:
    """Contacts of n shots as pairs of discs.

    pairs         (n, c); 0 for no contact
    touched       (n,) discs that the shooter's disc touched itself
    involved      (n,) discs joined to the shooter's by contacts, including itself
    has_returned  (n,) whether a disc came back after it had touched something outside
    """

    pairs: DiscSets
    touched: DiscSets
    involved: DiscSets
    has_returned: BoolArray


def _summarise(result: BatchResult) -> _Contacts:
    first, second = result.contacts[..., 0], result.contacts[..., 1]
    is_pair = (first >= 0) & (second >= 0) & (second < kernels.POST_0)
    one = np.where(first >= 0, np.uint32(1) << np.maximum(first, 0).astype(np.uint32), np.uint32(0))
    other = np.uint32(1) << np.where(is_pair, second, 0).astype(np.uint32)
    pairs = np.where(is_pair, one | other, np.uint32(0))
    by_shooter = np.where(pairs & _SHOOTER, pairs, np.uint32(0))
    touched = np.bitwise_or.reduce(by_shooter, axis=1) & ~_SHOOTER
    involved = touched | _SHOOTER
    while True:
        joined = np.where(pairs & involved[:, None], pairs, np.uint32(0))
        wider = involved | np.bitwise_or.reduce(joined, axis=1)
        if (wider == involved).all():
            break
        involved = wider
    left = np.where(second == kernels.OUTSIDE_CODE, one, np.uint32(0))
    had_left = np.bitwise_or.accumulate(left, axis=1)
    has_returned = ((had_left[:, :-1] & (one | pairs)[:, 1:]) != 0).any(axis=1)
    on_board = _to_sets(result.states != kernels.DITCH)
    has_returned |= (had_left[:, -1] & on_board) != 0
    return _Contacts(pairs=pairs, touched=touched, involved=involved, has_returned=has_returned)


def _judge_arrays(
    board: BoardToShoot,
    options: RuleOptions,
    result: BatchResult,
    contacts: _Contacts,
    *,
    is_misplaced: bool,
) -> JudgedShots:
    clear_mm = find_clear_mm(board.table, result.places_mm)
    in_play = board.in_play
    own = np.atleast_1d(_to_sets(board.own & in_play))
    others = np.atleast_1d(_to_sets(~board.own & in_play))
    is_flat = (result.states == kernels.FLAT) & in_play
    in_hole = (result.states == kernels.IN_HOLE) & in_play
    out = is_flat & (_find_overhang_mm(board, result) > 0)
    if options.out_at_rest is OutAtRest.TOUCHING_LINE:
        out |= is_flat & (clear_mm[LINE_5] <= 0)
    valid = _is_valid_contact(options.contact, contacts, own[:, None], others[:, None])
    is_miss = np.asarray((others != 0) & ~valid.any(axis=1))
    at_target = in_hole | (is_flat & _is_at_target(options, board, clear_mm[LINE_15]))
    tried = _to_flags(_open_discs(options.open_disc, contacts, own), out.shape[1])
    asks = (others == 0) & _asks_for_target(options, is_first=in_play.sum(axis=-1) == 1)
    is_short = np.asarray(asks & ~(tried & at_target & ~out).any(axis=1))
    lost = np.zeros_like(out)
    for is_fault, scope in (
        (is_miss, options.miss_penalty),
        (is_short, options.open_penalty),
        (np.full_like(is_miss, is_misplaced), options.placement_penalty),
    ):
        lost |= is_fault[:, None] & _to_flags(_in_scope(scope, contacts, own), out.shape[1])
    if not options.penalty_takes_twenties:
        lost &= ~in_hole
    lost |= out
    counts, on_board = in_hole & ~lost, is_flat & ~lost
    sign = np.where(board.own, 1.0, -1.0)
    owner = np.ones_like(sign) if options.twenty_owner is TwentyOwner.SHOOTER else sign
    before = TWENTY * (sign * board.in_hole).sum(axis=-1)
    gained = TWENTY * (counts * owner).sum(axis=1)
    return JudgedShots(
        is_foul=is_miss | is_short | is_misplaced,
        points=before + (np.where(on_board, read_zones(clear_mm), 0.0) * sign).sum(axis=1) + gained,
        own_twenty=(counts & (owner > 0)).any(axis=1),
        stays=on_board[:, 0] | counts[:, 0],
        places_mm=np.where(on_board[..., None], result.places_mm, NOWHERE_MM),
        gained=gained,
    )


def zone_values(board: BoardToShoot, result: BatchResult) -> FloatArray:
    """The values of discs (n, d) at rest, before the rules remove any."""
    values = board_points(board.table, result.places_mm)
    values[result.states == kernels.IN_HOLE] = TWENTY
    values[result.states == kernels.DITCH] = 0.0
    return values


def _find_overhang_mm(board: BoardToShoot, result: BatchResult) -> FloatArray:
    """Distance by which discs (n, d), at their widest, hang over the playing surface's edge."""
    away = np.hypot(result.places_mm[..., 0], result.places_mm[..., 1])
    return np.asarray(away + board.table.disc.radius_mm - board.table.board.surface_radius_mm)


def _is_valid_contact(
    rule: ContactRule, contacts: _Contacts, own: DiscSets, others: DiscSets
) -> BoolArray:
    """Whether the contacts (n, c) satisfy the rule."""
    pairs, involved = contacts.pairs, contacts.involved[:, None]
    meets = (pairs & others) != 0
    match rule:
        case ContactRule.SHOOTER_ONLY:
            return np.asarray(meets & ((pairs & _SHOOTER) != 0))
        case ContactRule.FRIENDLY_DRIVEN:
            return np.asarray(meets & ((pairs & own & involved) != 0))
        case ContactRule.ANY_OWN:
            return np.asarray(meets & ((pairs & own) != 0))
        case ContactRule.CHAIN:
            return np.asarray(meets & ((pairs & ~involved) == 0))


def _asks_for_target(options: RuleOptions, *, is_first: BoolArray) -> BoolArray:
    """Whether a disc must reach a target, because no opponent's disc is on the board."""
    asks = options.open_target is not OpenTarget.ANYWHERE
    return asks & (is_first | (options.open_when is not OpenWhen.FIRST_SHOT))


def _is_at_target(options: RuleOptions, board: BoardToShoot, clear_mm: FloatArray) -> BoolArray:
    """Whether the discs are at the target, by their distance clear inside the 15-line."""
    width_mm = 2 * board.table.disc.contact_radius_mm
    match options.open_target:
        case OpenTarget.WITHIN_15:
            return np.asarray(clear_mm > 0)
        case OpenTarget.PARTLY_INSIDE_15:
            return np.asarray(clear_mm + width_mm > 0)
        case OpenTarget.TOUCHING_15:
            return np.asarray(clear_mm + width_mm + board.table.board.line_width_mm >= 0)
        case OpenTarget.ANYWHERE:
            return np.ones(clear_mm.shape, dtype=np.bool_)


def _open_discs(rule: OpenDisc, contacts: _Contacts, own: DiscSets) -> DiscSets:
    """The discs that may reach the target."""
    return {
        OpenDisc.SHOOTER_ONLY: np.full_like(contacts.involved, _SHOOTER),
        OpenDisc.OWN: contacts.involved & own,
        OpenDisc.SHOOTER_OR_STRUCK: contacts.involved,
    }[rule]


def _in_scope(scope: PenaltyScope, contacts: _Contacts, own: DiscSets) -> DiscSets:
    """The discs that a foul removes."""
    wider = {
        PenaltyScope.SHOOTER: np.zeros_like(contacts.involved),
        PenaltyScope.OWN_TOUCHED: contacts.touched & own,
        PenaltyScope.OWN_INVOLVED: contacts.involved & own,
        PenaltyScope.TOUCHED: contacts.touched,
        PenaltyScope.INVOLVED: contacts.involved,
    }[scope]
    return wider | _SHOOTER


def _to_sets(flags: BoolArray) -> DiscSets:
    """Flags (..., d) as sets (...)."""
    bits = np.uint32(1) << np.arange(flags.shape[-1], dtype=np.uint32)
    return np.asarray(np.where(flags, bits, 0).sum(axis=-1), dtype=np.uint32)


def _to_flags(sets: DiscSets, discs: int) -> BoolArray:
    """Sets (n,) as flags (n, d)."""
    return np.asarray((sets[:, None] >> np.arange(discs, dtype=np.uint32)) & 1, dtype=np.bool_)


# One shot, judged by ``judge``


def shot_facts(board: BoardToShoot, start_mm: FloatArray, result: BatchResult, k: int) -> ShotFacts:
    """The facts of shot k for ``judge``; a disc's id is its row."""
    board = board.take(k)
    before = [start_mm.tolist(), *board.places_mm[1:].tolist()]
    names = tuple(str(i) for i in range(len(before)))
    in_play = np.flatnonzero(board.in_play).tolist()
    contacts: list[ContactPair] = []
    for a, b in result.contacts[k].tolist():
        if a >= 0 and b not in _HOLE_CODES:
            contacts.append((names[a], partner_name(names, b)))
    return ShotFacts(
        shooter=names[0],
        team=_OWN,
        teams={names[i]: _OWN if board.own[i] else _OTHERS for i in in_play},
        before=tuple(
            StartPosition(id=names[i], x_mm=before[i][0], y_mm=before[i][1]) for i in in_play
        ),
        after=tuple(_rest(names[i], result, k, i) for i in in_play),
        contacts=tuple(contacts),
    )


def _rest(name: str, result: BatchResult, k: int, i: int) -> FinalPosition:
    x, y = result.places_mm[k, i].tolist()
    state = int(result.states[k, i])
    if state == kernels.DITCH:
        return FinalPosition(id=name, state=DiscState.DITCH)
    rest = DiscState.IN_HOLE if state == kernels.IN_HOLE else DiscState.FLAT
    return FinalPosition(id=name, state=rest, x_mm=x, y_mm=y)


def _judge_alone(
    board: BoardToShoot,
    rules: RuleSet,
    start_mm: FloatArray,
    result: BatchResult,
    k: int,
    judged: JudgedShots,
) -> None:
    """Write the judgement of ``judge`` for shot k; the worst for the shooter if the rules leave a
    choice.
    """
    judgement = judge(shot_facts(board, start_mm, result, k), rules, board.geometry)
    board = board.take(k)
    outcomes = [alternative.outcome for alternative in judgement.alternatives] or [
        judgement.outcome
    ]
    values = [score_outcome(board, outcome) for outcome in outcomes]
    worst = outcomes[int(np.argmin(values))]
    judged.is_foul[k] = any(outcome.verdict is Verdict.FOUL for outcome in outcomes)
    judged.points[k] = min(values)
    judged.own_twenty[k] = any(twenty.team == _OWN for twenty in worst.twenties)
    left = [rest.id for rest in worst.board_after] + [twenty.id for twenty in worst.twenties]
    judged.stays[k] = "0" in left
    judged.places_mm[k] = NOWHERE_MM
    for rest in worst.board_after:
        judged.places_mm[k, int(rest.id)] = rest.x_mm, rest.y_mm
    twenties = [1 if twenty.team == _OWN else -1 for twenty in worst.twenties]
    judged.gained[k] = TWENTY * sum(twenties)


def score_outcome(board: BoardToShoot, outcome: ShotOutcome) -> float:
    """Own points minus the opponents' after the consequences of an outcome."""
    sign = np.where(board.own, 1.0, -1.0)
    discs = [int(rest.id) for rest in outcome.board_after]
    # All discs on the board have a position.
    places = [(rest.x_mm, rest.y_mm) for rest in outcome.board_after]
    values = board_points(board.table, np.array(places, dtype=np.float64).reshape(-1, 2))
    twenties = sum(1 if twenty.team == _OWN else -1 for twenty in outcome.twenties)
    return TWENTY * float(sign[board.in_hole].sum() + twenties) + float(sign[discs] @ values)
