"""A round played by seed: two sides flick in turn, physics moves the discs, the rules judge.

Knows how a flick is found that does what its player means. Refuses to know when things happen and
how they look.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from scorer.physics.engine import Outcome, simulate
from scorer.physics.scene import Scene, SceneDisc, Table
from scorer.physics.scene import Shot as Flick
from scorer.places import Sizes
from scorer.referee import Verdict, judge
from scorer.rules.sets import RuleSet
from scorer.shot import Rest, Resting, Shot, Spot
from webapp.clips.intents import INTENTS, chosen_intent
from webapp.clips.played import Lying, PlayedRound, PlayedShot, contact_pairs

#: Flicks tried for one intent before the player takes whatever comes first, and tried at most.
_TRIES, _MOST_TRIES = 400, 1200
#: Discs may not come to lie nearer to a deciding line: whose side would be a matter of hundredths.
_CLEAR_MM = 1.0
#: A leaning disc reaches so much further from the hole's middle than a sunk one.
_LEANER_MM = 9.0
#: How far a careless hand pushes a disc.
_NUDGE_MM = 28.0
#: Air that a disc needs when it is put down.
_AIR_MM = 1.0
#: Half of the arc on which a player places discs: a little less than the quadrant.
_HALF_ARC_DEG = 38.0
#: How far the placed disc's centre lies from the starting line: inside and outside of it.
_OFF_LINE_MM = (-2.0, 3.0)
#: Slowest and fastest flick, mm/s, and one standard deviation of its spin.
_SPEEDS_MM_S, _SPIN_RAD_S = (350.0, 3200.0), 4.0
_SEAT_DEG = {"A": -90.0, "B": 90.0}
_QUADRANT = {"A": 3, "B": 1}


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """How a round goes.

    intents  of the shots that are filmed, in order; where they end, chance goes on
    unseen   shots that happened before the film begins
    errors   what people do wrong, as in ``wishes``
    leaner   how a disc can lean on the hole's edge, from chance; None: no disc does
    """

    discs_per_side: int
    first: str
    intents: Sequence[str] = ()
    unseen: int = 0
    errors: Sequence[str] = ()
    leaner: Callable[[np.random.Generator], Lying | None] | None = None


@dataclass(slots=True, kw_only=True)
class _Play:
    """A round that is being played."""

    table: Table
    rules: RuleSet
    rng: np.random.Generator
    plan: Plan
    board: dict[str, Lying] = field(default_factory=dict)
    counted: list[str] = field(default_factory=list)

    @property
    def sizes(self) -> Sizes:
        return Sizes(board=self.table.board, disc=self.table.disc)

    def is_free(self, x_mm: float, y_mm: float, *, but: str = "") -> bool:
        """Whether a disc has room there."""
        room = 2 * self.table.disc.radius_mm + _AIR_MM
        posts = self.table.posts_mm.tolist()
        others = [each for each in self.board.values() if each.id != but]
        return all(
            math.hypot(x_mm - each.x_mm, y_mm - each.y_mm) > room for each in others
        ) and all(
            math.hypot(x_mm - px, y_mm - py) > self.table.post_reach_mm + _AIR_MM
            for px, py in posts
        )


def play_round(table: Table, rules: RuleSet, rng: np.random.Generator, plan: Plan) -> PlayedRound:
    """A round of that plan."""
    play = _Play(table=table, rules=rules, rng=rng, plan=plan)
    shots: list[PlayedShot] = []
    lying: tuple[Lying, ...] = ()
    numbers = dict.fromkeys("AB", 0)
    mistakes = set(plan.errors)
    for turn in range(2 * plan.discs_per_side):
        seen = turn - plan.unseen
        if seen == 0:
            lying = tuple(play.board.values())
        side = _side(plan, turn)
        numbers[side] += 1
        shot = _played(play, seen, side, f"{side}{numbers[side]}", _wanted(play, plan, seen, side))
        if seen >= 0 and shot.remove and "foul_stays" in mistakes:
            shot = replace(shot, left=shot.remove[:1])
            mistakes.discard("foul_stays")
        _tidy(play, shot)
        if seen >= 1 and play.board and "disc_nudged" in mistakes:
            shot = _nudged(play, shot)
            mistakes.discard("disc_nudged")
        if seen >= 0:
            shots.append(shot)
    return PlayedRound(
        table=table,
        sizes=play.sizes,
        shots=tuple(shots),
        lying=lying,
        final=tuple(play.board.values()),
        counted=tuple(play.counted),
    )


def _side(plan: Plan, turn: int) -> str:
    """Whose turn it is; the third filmed shot is played by the wrong side, if that is planned."""
    is_wrong = "wrong_side" in plan.errors and turn == plan.unseen + 3
    sides = ("A", "B") if plan.first == "A" else ("B", "A")
    return sides[(turn + is_wrong) % 2]


def _wanted(play: _Play, plan: Plan, seen: int, side: str) -> str:
    if 0 <= seen < len(plan.intents):
        return plan.intents[seen]
    is_open = all(name[0] == side for name in play.board)
    if seen < 0:  # what is not filmed shall leave discs on the board
        return "stop_short" if is_open else "hit"
    return chosen_intent(play.rng, side, play.board)


def _tidy(play: _Play, shot: PlayedShot) -> None:
    """Take off what goes off, so that the next shot may be played."""
    gone = (set(shot.remove) - set(shot.left)) | set(shot.twenties)
    play.counted += shot.twenties
    play.board = {
        each.id: each for each in shot.after if each.state != "ditch" and each.id not in gone
    }


def _nudged(play: _Play, shot: PlayedShot) -> PlayedShot:
    """The shot, after which somebody pushes a disc further in or out, where there is room."""
    for name, each in play.board.items():
        reach = math.hypot(each.x_mm, each.y_mm)
        share = 1 - _NUDGE_MM / reach if reach > 150 else 1 + _NUDGE_MM / reach
        x, y = each.x_mm * share, each.y_mm * share
        if play.is_free(x, y, but=name):
            play.board[name] = replace(each, x_mm=x, y_mm=y)
            return replace(shot, nudge=(name, x, y))
    return shot


def _played(play: _Play, index: int, side: str, name: str, intent: str) -> PlayedShot:
    """The first flick that does what was meant, else the first whose verdict is clear."""
    fallback: PlayedShot | None = None
    for attempt in range(_MOST_TRIES):
        flick = _flick(play, side, name, intent)
        if flick is None:
            continue
        shot = _outcome(play, index, side, flick, intent)
        if not _is_clear(play, shot):
            continue
        if INTENTS[intent].does(shot, play.sizes):
            return shot
        fallback = fallback or shot
        if attempt > _TRIES:
            return fallback
    if fallback is None:
        raise ValueError("No flick can be played on this board; choose another seed.")
    return fallback


def _flick(play: _Play, side: str, name: str, intent: str) -> Flick | None:
    """A flick in the direction of something that the intent may want; None: no room for it."""
    rng, table, meant = play.rng, play.table, INTENTS[intent]
    azimuth = math.radians(_SEAT_DEG[side] + rng.uniform(-_HALF_ARC_DEG, _HALF_ARC_DEG))
    radius = table.board.line_radii_mm[2] + rng.uniform(*_OFF_LINE_MM)
    x, y = radius * math.cos(azimuth), radius * math.sin(azimuth)
    if not play.is_free(x, y):
        return None
    target = _target(play, side, meant.aim)
    aim = math.atan2(target[1] - y, target[0] - x)
    away = math.hypot(target[0] - x, target[1] - y)
    needed = math.sqrt(2 * table.physics.friction * table.physics.gravity_mm_s2 * away)
    return Flick(
        id=name,
        x_mm=x,
        y_mm=y,
        speed_mm_s=float(np.clip(needed * rng.uniform(*meant.speed), *_SPEEDS_MM_S)),
        direction_deg=math.degrees(aim + rng.normal(0, meant.scatter_rad)),
        spin_rad_s=float(rng.normal(0, _SPIN_RAD_S)),
    )


def _target(play: _Play, side: str, aim: str) -> tuple[float, float]:
    """Something to aim at; the hole where there is nothing of the kind."""
    if aim == "post" and len(play.table.posts_mm):
        x, y = play.table.posts_mm[play.rng.integers(len(play.table.posts_mm))].tolist()
        return x, y
    is_own = aim == "own"
    pool = [each for each in play.board.values() if (each.id[0] == side) is is_own]
    if aim == "hole" or not pool:
        return play.table.board.hole_centre_mm
    chosen = pool[int(play.rng.integers(len(pool)))]
    return chosen.x_mm, chosen.y_mm


def _outcome(play: _Play, index: int, side: str, flick: Flick, intent: str) -> PlayedShot:
    """What a flick leads to, by physics and by the rules."""
    before = tuple(play.board.values())
    discs = tuple(SceneDisc(id=each.id, x_mm=each.x_mm, y_mm=each.y_mm) for each in before)
    outcome = simulate(Scene(table=play.table, discs=discs, shot=flick))
    after = tuple(
        Lying(id=each.id, x_mm=each.x_mm, y_mm=each.y_mm, state=str(each.state))
        for each in outcome.discs
    )
    if intent == "leaner" and outcome.hole_doubtful:
        after = tuple(_leaning(play, each) if each.id == flick.id else each for each in after)
    leaning = {each.id: each for each in before if each.state == "leaning"}
    after = tuple(leaning.get(each.id, each) for each in after)
    placed = Spot(id=flick.id, x_mm=flick.x_mm, y_mm=flick.y_mm)
    shot = Shot(
        shooter=flick.id,
        team=side,
        teams={each.id: each.id[0] for each in after},
        before=(*(Spot(id=d.id, x_mm=d.x_mm, y_mm=d.y_mm) for d in before), placed),
        after=tuple(_resting(each) for each in after),
        contacts=contact_pairs(outcome.contacts),
        quadrant=_QUADRANT[side],
    )
    judgement = judge(shot, play.rules, play.sizes)
    played = PlayedShot(
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
        twenties=tuple(each.id for each in judgement.outcome.twenties),
        gap_mm=None,
    )
    return replace(played, gap_mm=_closest_gap_mm(play, played, outcome))


def _leaning(play: _Play, each: Lying) -> Lying:
    """A disc that the hole took so narrowly that it leans, if one of its size can."""
    lean = play.plan.leaner(play.rng) if play.plan.leaner and each.state == "in_hole" else None
    return each if lean is None else replace(lean, id=each.id)


def _comes_near_leaner(play: _Play, shot: PlayedShot) -> bool:
    """Whether anything passes where physics, which knows no leaners, would be wrong."""
    if not any(each.state == "leaning" for each in shot.before):
        return False
    hole = play.table.board.hole_centre_mm
    near = 2 * play.table.disc.radius_mm + _LEANER_MM
    return any(_apart(leg.from_mm, leg.to_mm, hole) < near for leg in shot.outcome.path)


def _resting(each: Lying) -> Resting:
    if each.state == "ditch":
        return Resting(id=each.id, state=Rest.DITCH)
    return Resting(id=each.id, state=Rest(each.state), x_mm=each.x_mm, y_mm=each.y_mm)


def _closest_gap_mm(play: _Play, shot: PlayedShot, outcome: Outcome) -> float | None:
    """The least air between a disc of the side that moved and an opponent's; None: they touched."""
    if shot.touched_opponents:
        return None
    gaps = [
        _apart(leg.from_mm, leg.to_mm, (each.x_mm, each.y_mm))
        for leg in outcome.path
        for each in shot.before
        if leg.id[0] == shot.side != each.id[0]
    ]
    return min(gaps) - 2 * play.table.disc.radius_mm if gaps else None


def _apart(a: tuple[float, float], b: tuple[float, float], p: tuple[float, float]) -> float:
    """Distance of a point from a segment."""
    dx, dy = b[0] - a[0], b[1] - a[1]
    length2 = dx * dx + dy * dy
    t = 0.0 if length2 == 0 else ((p[0] - a[0]) * dx + (p[1] - a[1]) * dy) / length2
    t = min(max(t, 0.0), 1.0)
    return math.hypot(p[0] - a[0] - t * dx, p[1] - a[1] - t * dy)


def _is_clear(play: _Play, shot: PlayedShot) -> bool:
    """Whether neither the verdict nor a zone hangs on a hundredth of a millimetre."""
    if shot.judgement.verdict is Verdict.NEEDS_REVIEW or _comes_near_leaner(play, shot):
        return False
    for each in shot.after:
        if each.state in ("flat", "overhanging"):
            edges = [abs(play.sizes.margin_mm(n, each.x_mm, each.y_mm)) for n in range(3)]
            edges.append(play.sizes.nearest_edge_mm(each.x_mm, each.y_mm))
            if min(edges) < _CLEAR_MM:
                return False
    return True
