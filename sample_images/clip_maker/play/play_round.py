"""A round played by seed: two sides flick in turn, physics moves the discs, the rules judge.

A flick with the player's intended result is found by trial: flicks around an aim are simulated
until one fulfils the intent. After many tries the player accepts the first clear result.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from calibration.placed_disc import DiscState
from sample_images.clip_maker.play.round_record import (
    DiscRecord,
    RoundRecord,
    SimulatedShot,
    contact_pairs,
)
from sample_images.clip_maker.play.shot_choice import INTENTS, PASS_MM, choose_intent
from scorer.physics.engine import SimulationResult, simulate
from scorer.physics.scene import FlickSpec as Flick
from scorer.physics.scene import PhysicsScene, SceneDisc, TableSpec
from scorer.rules.board_geometry import BoardGeometry
from scorer.rules.judge_shot import Verdict, judge
from scorer.rules.sets import RuleSet
from scorer.rules.shot import FinalPosition, ShotFacts, StartPosition

#: Number of flicks tried for one intent before the player accepts any clear result, and in total.
_TRIES, _MOST_TRIES = 400, 1200
#: Discs may not stop nearer to a deciding line, because the side would depend on hundredths of a
#: millimetre.
_CLEAR_MM = 1.0
#: A leaning disc reaches this much farther from the hole's middle than a sunk one.
_LEANER_MM = 9.0
#: Distance by which a careless hand pushes a disc.
_NUDGE_MM = 28.0
#: Gap that a disc needs when it is put down.
_AIR_MM = 1.0
#: Half of the arc on which a player places discs: a little less than the quadrant.
_HALF_ARC_DEG = 38.0
#: Distances of the placed disc's centre from the starting line: inside and outside of it.
_OFF_LINE_MM = (-2.0, 3.0)
#: Slowest and fastest flick, mm/s, and one standard deviation of its spin.
_SPEEDS_MM_S, _SPIN_RAD_S = (350.0, 3200.0), 4.0
_SEAT_DEG = {"A": -90.0, "B": 90.0}
_QUADRANT = {"A": 3, "B": 1}


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundPlan:
    """The plan of a round.

    intents  of the filmed shots, in order; after their end, chance continues
    unseen   shots before the film begins
    errors   people's mistakes, as in ``options``
    leaner   a random pose of a disc leaning on the hole's edge; None: no disc leans
    """

    discs_per_side: int
    first: str
    intents: Sequence[str] = ()
    unseen: int = 0
    errors: Sequence[str] = ()
    leaner: Callable[[np.random.Generator], DiscRecord | None] | None = None


@dataclass(slots=True, kw_only=True)
class _RoundState:
    """A round in progress."""

    table: TableSpec
    rules: RuleSet
    rng: np.random.Generator
    plan: RoundPlan
    board: dict[str, DiscRecord] = field(default_factory=dict)
    counted_twenties: list[str] = field(default_factory=list)

    @property
    def geometry(self) -> BoardGeometry:
        return BoardGeometry(board=self.table.board, disc=self.table.disc)

    def is_free(self, x_mm: float, y_mm: float, *, but: str = "") -> bool:
        """Whether a disc has room there."""
        room = 2 * self.table.disc.radius_mm + _AIR_MM
        posts = self.table.posts_mm.tolist()
        others = [disc for disc in self.board.values() if disc.id != but]
        return all(
            math.hypot(x_mm - other.x_mm, y_mm - other.y_mm) > room for other in others
        ) and all(
            math.hypot(x_mm - px, y_mm - py) > self.table.post_reach_mm + _AIR_MM
            for px, py in posts
        )


def play_round(
    table: TableSpec, rules: RuleSet, rng: np.random.Generator, plan: RoundPlan
) -> RoundRecord:
    """A round by the given plan."""
    state = _RoundState(table=table, rules=rules, rng=rng, plan=plan)
    shots: list[SimulatedShot] = []
    lying: tuple[DiscRecord, ...] = ()
    numbers = dict.fromkeys("AB", 0)
    mistakes = set(plan.errors)
    for turn in range(2 * plan.discs_per_side):
        seen = turn - plan.unseen
        if seen == 0:
            lying = tuple(state.board.values())
        side = _choose_side(plan, turn)
        numbers[side] += 1
        shot = _find_shot(
            state, seen, side, f"{side}{numbers[side]}", _choose_intent(state, plan, seen, side)
        )
        if seen >= 0 and shot.remove and "foul_stays" in mistakes:
            shot = replace(shot, left=shot.remove[:1])
            mistakes.discard("foul_stays")
        _remove_discs(state, shot)
        if seen >= 1 and state.board and "disc_nudged" in mistakes:
            shot = _nudge_disc(state, shot)
            mistakes.discard("disc_nudged")
        if seen >= 0:
            shots.append(shot)
    return RoundRecord(
        table=table,
        geometry=state.geometry,
        shots=tuple(shots),
        lying=lying,
        final=tuple(state.board.values()),
        counted_twenties=tuple(state.counted_twenties),
    )


def _choose_side(plan: RoundPlan, turn: int) -> str:
    """The side to play; the wrong side plays the third filmed shot, if planned."""
    is_wrong = "wrong_side" in plan.errors and turn == plan.unseen + 3
    sides = ("A", "B") if plan.first == "A" else ("B", "A")
    return sides[(turn + is_wrong) % 2]


def _choose_intent(state: _RoundState, plan: RoundPlan, seen: int, side: str) -> str:
    if 0 <= seen < len(plan.intents):
        return plan.intents[seen]
    is_open = all(name[0] == side for name in state.board)
    if seen < 0:  # shots before the film begins shall leave discs on the board
        return "stop_short" if is_open else "hit"
    return choose_intent(state.rng, side, state.board)


def _remove_discs(state: _RoundState, shot: SimulatedShot) -> None:
    """Take off the discs that must go, so that the next shot can be played."""
    gone = (set(shot.remove) - set(shot.left)) | set(shot.twenties)
    state.counted_twenties += shot.twenties
    state.board = {
        disc.id: disc for disc in shot.after if disc.state != "ditch" and disc.id not in gone
    }


def _nudge_disc(state: _RoundState, shot: SimulatedShot) -> SimulatedShot:
    """The shot, after which a person pushes a disc farther in or out, if there is room."""
    for name, disc in state.board.items():
        reach = math.hypot(disc.x_mm, disc.y_mm)
        share = 1 - _NUDGE_MM / reach if reach > 150 else 1 + _NUDGE_MM / reach
        x, y = disc.x_mm * share, disc.y_mm * share
        if state.is_free(x, y, but=name):
            state.board[name] = replace(disc, x_mm=x, y_mm=y)
            return replace(shot, nudge=(name, x, y))
    return shot


def _find_shot(state: _RoundState, index: int, side: str, name: str, intent: str) -> SimulatedShot:
    """The first flick with the intended result, otherwise the first with a clear verdict."""
    fallback: SimulatedShot | None = None
    for attempt in range(_MOST_TRIES):
        flick = _sample_flick(state, side, name, intent)
        if flick is None:
            continue
        shot = _simulate_shot(state, index, side, flick, intent)
        if not _is_clear(state, shot):
            continue
        if INTENTS[intent].is_fulfilled(shot, state.geometry):
            return shot
        fallback = fallback or shot
        if attempt > _TRIES:
            return fallback
    if fallback is None:
        raise ValueError("No flick can be played on this board; choose another seed.")
    return fallback


def _sample_flick(state: _RoundState, side: str, name: str, intent: str) -> Flick | None:
    """A flick towards a possible target of the intent; None: no room for it."""
    rng, table, meant = state.rng, state.table, INTENTS[intent]
    azimuth = math.radians(_SEAT_DEG[side] + rng.uniform(-_HALF_ARC_DEG, _HALF_ARC_DEG))
    radius = table.board.line_radii_mm[2] + rng.uniform(*_OFF_LINE_MM)
    x, y = radius * math.cos(azimuth), radius * math.sin(azimuth)
    if not state.is_free(x, y):
        return None
    target = _choose_target(state, side, meant.aim)
    aim = math.atan2(target[1] - y, target[0] - x)
    away = math.hypot(target[0] - x, target[1] - y)
    if meant.passes:
        aim += _draw_pass_angle(rng, away, table.disc.radius_mm)
    needed = math.sqrt(2 * table.physics.friction * table.physics.gravity_mm_s2 * away)
    return Flick(
        id=name,
        x_mm=x,
        y_mm=y,
        speed_mm_s=float(np.clip(needed * rng.uniform(*meant.speed), *_SPEEDS_MM_S)),
        direction_deg=math.degrees(aim + rng.normal(0, meant.scatter_rad)),
        spin_rad_s=float(rng.normal(0, _SPIN_RAD_S)),
    )


def _draw_pass_angle(rng: np.random.Generator, away_mm: float, disc_radius_mm: float) -> float:
    """The angle by which to aim aside so that a disc at a distance is passed; small gaps are
    likelier.
    """
    gap_mm = float(rng.choice((-1.0, 1.0))) * PASS_MM * float(rng.uniform()) ** 2
    side = float(rng.choice((-1.0, 1.0)))
    return side * math.asin(min((2 * disc_radius_mm + gap_mm) / away_mm, 1.0))


def _choose_target(state: _RoundState, side: str, aim: str) -> tuple[float, float]:
    """A target; the hole if there is none of that kind."""
    if aim == "post" and len(state.table.posts_mm):
        x, y = state.table.posts_mm[state.rng.integers(len(state.table.posts_mm))].tolist()
        return x, y
    is_own = aim == "own"
    pool = [disc for disc in state.board.values() if (disc.id[0] == side) is is_own]
    if aim == "hole" or not pool:
        return state.table.board.hole_centre_mm
    chosen = pool[int(state.rng.integers(len(pool)))]
    return chosen.x_mm, chosen.y_mm


def _simulate_shot(
    state: _RoundState, index: int, side: str, flick: Flick, intent: str
) -> SimulatedShot:
    """The result of a flick, by physics and the rules."""
    before = tuple(state.board.values())
    discs = tuple(SceneDisc(id=disc.id, x_mm=disc.x_mm, y_mm=disc.y_mm) for disc in before)
    outcome = simulate(PhysicsScene(table=state.table, discs=discs, shot=flick))
    after = tuple(
        DiscRecord(id=disc.id, x_mm=disc.x_mm, y_mm=disc.y_mm, state=str(disc.state))
        for disc in outcome.discs
    )
    if intent == "leaner" and outcome.is_hole_uncertain:
        after = tuple(_lean_disc(state, disc) if disc.id == flick.id else disc for disc in after)
    leaning = {disc.id: disc for disc in before if disc.state == "leaning"}
    after = tuple(leaning.get(disc.id, disc) for disc in after)
    placed = StartPosition(id=flick.id, x_mm=flick.x_mm, y_mm=flick.y_mm)
    shot = ShotFacts(
        shooter=flick.id,
        team=side,
        teams={disc.id: disc.id[0] for disc in after},
        before=(*(StartPosition(id=d.id, x_mm=d.x_mm, y_mm=d.y_mm) for d in before), placed),
        after=tuple(_to_resting(disc) for disc in after),
        contacts=contact_pairs(outcome.contacts),
        quadrant=_QUADRANT[side],
    )
    judgement = judge(shot, state.rules, state.geometry)
    record = SimulatedShot(
        index=index,
        side=side,
        id=flick.id,
        intent=intent,
        flick=flick,
        before=before,
        outcome=outcome,
        after=after,
        judgement=judgement,
        remove=judgement.outcome.remove,
        twenties=tuple(twenty.id for twenty in judgement.outcome.twenties),
        gap_mm=None,
    )
    return replace(record, gap_mm=_closest_gap_mm(state, record, outcome))


def _lean_disc(state: _RoundState, disc: DiscRecord) -> DiscRecord:
    """A disc that the hole only just caught, so that it leans, if its size allows this."""
    lean = state.plan.leaner(state.rng) if state.plan.leaner and disc.state == "in_hole" else None
    return disc if lean is None else replace(lean, id=disc.id)


def _passes_near_leaner(state: _RoundState, shot: SimulatedShot) -> bool:
    """Whether a disc passes so near to a leaner that physics, which does not support leaners, would
    be wrong.
    """
    if not any(disc.state == "leaning" for disc in shot.before):
        return False
    hole = state.table.board.hole_centre_mm
    near = 2 * state.table.disc.radius_mm + _LEANER_MM
    return any(
        _distance_to_segment(leg.from_mm, leg.to_mm, hole) < near for leg in shot.outcome.path
    )


def _to_resting(disc: DiscRecord) -> FinalPosition:
    if disc.state == "ditch":
        return FinalPosition(id=disc.id, state=DiscState.DITCH)
    return FinalPosition(id=disc.id, state=DiscState(disc.state), x_mm=disc.x_mm, y_mm=disc.y_mm)


def _closest_gap_mm(
    state: _RoundState, shot: SimulatedShot, outcome: SimulationResult
) -> float | None:
    """The least gap between a moved disc of the side and an opponent's; None: they touched."""
    if shot.touched_opponents:
        return None
    gaps = [
        _distance_to_segment(leg.from_mm, leg.to_mm, (disc.x_mm, disc.y_mm))
        for leg in outcome.path
        for disc in shot.before
        if leg.id[0] == shot.side != disc.id[0]
    ]
    return min(gaps) - 2 * state.table.disc.radius_mm if gaps else None


def _distance_to_segment(
    a: tuple[float, float], b: tuple[float, float], p: tuple[float, float]
) -> float:
    """Distance of a point from a segment."""
    dx, dy = b[0] - a[0], b[1] - a[1]
    length2 = dx * dx + dy * dy
    t = 0.0 if length2 == 0 else ((p[0] - a[0]) * dx + (p[1] - a[1]) * dy) / length2
    t = min(max(t, 0.0), 1.0)
    return math.hypot(p[0] - a[0] - t * dx, p[1] - a[1] - t * dy)


def _is_clear(state: _RoundState, shot: SimulatedShot) -> bool:
    """Whether the verdict and the zones would stay the same with an error of a hundredth of a
    millimetre.
    """
    if shot.judgement.verdict is Verdict.NEEDS_REVIEW or _passes_near_leaner(state, shot):
        return False
    for disc in shot.after:
        if disc.state in ("flat", "overhanging"):
            edges = [abs(state.geometry.margin_mm(n, disc.x_mm, disc.y_mm)) for n in range(3)]
            edges.append(state.geometry.nearest_decision_mm(disc.x_mm, disc.y_mm))
            if min(edges) < _CLEAR_MM:
                return False
    return True
