"""Players' intents by name: the aim and the required result."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass

import numpy as np

from sample_images.clip_maker.play.round_record import SimulatedShot, contact_pairs, find_near_pass
from scorer.rules.board_geometry import LINE_15, BoardGeometry

#: Gap of a near miss to an opponent's disc; the distance by which a grazed one moves.
_NEAR_MM, _GRAZED_MM = (0.8, 3.0), (3.0, 14.0)
#: Largest gap or depth of a pass; results that depend on less than a hundredth of a millimetre are
#: excluded.
PASS_MM, _EXACT_MM = 2.0, 0.01
#: A disc that was hit moves farther than this.
_HIT_MM = 15.0
#: A disc that stops short is this far inside the 15-line.
_INSIDE_MM = 2.0

IntentTest = Callable[[SimulatedShot, BoardGeometry], bool]


@dataclass(frozen=True, slots=True, kw_only=True)
class Intent:
    """A player's intention.

    aim          "hole" | "opponent" | "own" | "post"
    speed        of the flick, relative to the speed that just reaches the target: least and most
    scatter_rad  of its direction, one standard deviation
    is_fulfilled  whether a shot is the intended one
    passes       it is aimed to pass its target with a gap of at most ``PASS_MM``, positive or
                 negative
    open_share, share  how often it is chosen on an open board, and on another board
    """

    aim: str
    speed: tuple[float, float]
    scatter_rad: float
    is_fulfilled: IntentTest
    open_share: float = 0.0
    share: float = 0.0
    passes: bool = False


def choose_intent(rng: np.random.Generator, side: str, on_board: Collection[str]) -> str:
    """A player's random intent, given the discs on the board."""
    is_open = all(name[0] == side for name in on_board)
    has_own = any(name[0] == side for name in on_board)
    shares = {
        name: intent.open_share if is_open else intent.share
        for name, intent in INTENTS.items()
        if has_own or intent.aim != "own"
    }
    names = list(shares)
    weights = np.array([shares[name] for name in names])
    return str(rng.choice(names, p=weights / weights.sum()))


def _is_twenty(shot: SimulatedShot, _: BoardGeometry) -> bool:
    return shot.twenties[:1] == (shot.id,)


def _is_lost_on_open_board(shot: SimulatedShot, _: BoardGeometry) -> bool:
    return shot.is_foul and shot.id in shot.remove


def _stops_short(shot: SimulatedShot, sizes: BoardGeometry) -> bool:
    rest = shot.rest(shot.id)
    inside_mm = sizes.margin_mm(LINE_15, rest.x_mm, rest.y_mm)
    return rest.state == "flat" and inside_mm > _INSIDE_MM and not shot.is_foul


def _is_hit(shot: SimulatedShot, _: BoardGeometry) -> bool:
    return any(shot.moved_mm(opponent) > _HIT_MM for opponent in shot.touched_opponents)


def _is_takeout(shot: SimulatedShot, _: BoardGeometry) -> bool:
    return any(opponent in shot.lost for opponent in shot.touched_opponents)


def _is_carom(shot: SimulatedShot, sizes: BoardGeometry) -> bool:
    sinks = shot.rest(shot.id).state == "in_hole" and _is_hit(shot, sizes)
    return len(shot.touched_opponents) > 1 or sinks


def _is_combination(shot: SimulatedShot, _: BoardGeometry) -> bool:
    """An own disc is driven against an opponent's, which the shooter itself does not touch."""
    pairs = contact_pairs(shot.outcome.contacts)
    by_shooter = {name for pair in pairs if shot.id in pair for name in pair} - {shot.id}
    drives_own = any(name[0] == shot.side for name in by_shooter)
    return drives_own and bool(shot.touched_opponents) and not by_shooter & shot.touched_opponents


def _is_off_post(shot: SimulatedShot, _: BoardGeometry) -> bool:
    return any(
        contact.a == shot.id and contact.b.startswith("post") for contact in shot.outcome.contacts
    )


def _is_near_miss(shot: SimulatedShot, _: BoardGeometry) -> bool:
    low, high = _NEAR_MM
    return shot.gap_mm is not None and low < shot.gap_mm < high and shot.is_foul


def _is_graze(shot: SimulatedShot, _: BoardGeometry) -> bool:
    low, high = _GRAZED_MM
    touched = shot.touched_opponents
    return len(touched) == 1 and all(low < shot.moved_mm(disc) < high for disc in touched)


def _is_pass(shot: SimulatedShot, sizes: BoardGeometry) -> bool:
    """One opponent's disc is passed or grazed on the flick's first leg, with no touch before."""
    near = find_near_pass(shot, sizes.disc.radius_mm)
    if near is None or not _EXACT_MM < abs(near.gap_mm) < PASS_MM:
        return False
    if shot.gap_mm is not None:
        return abs(shot.gap_mm - near.gap_mm) < _EXACT_MM
    first = {shot.outcome.contacts[0].a, shot.outcome.contacts[0].b}
    return first == {shot.id, near.id} and shot.touched_opponents == {near.id}


INTENTS: dict[str, Intent] = {
    "twenty": Intent(
        aim="hole", speed=(1.1, 1.6), scatter_rad=0.008, is_fulfilled=_is_twenty, open_share=0.5
    ),
    "leaner": Intent(
        aim="hole",
        speed=(1.1, 1.7),
        scatter_rad=0.02,
        is_fulfilled=lambda shot, _: shot.rest(shot.id).state == "leaning",
    ),
    "stop_short": Intent(
        aim="hole", speed=(0.86, 1.02), scatter_rad=0.02, is_fulfilled=_stops_short, open_share=0.25
    ),
    "open_miss": Intent(
        aim="hole",
        speed=(0.45, 0.7),
        scatter_rad=0.02,
        is_fulfilled=_is_lost_on_open_board,
        open_share=0.15,
    ),
    "post": Intent(
        aim="post",
        speed=(1.0, 1.5),
        scatter_rad=0.02,
        is_fulfilled=_is_off_post,
        open_share=0.1,
        share=0.05,
    ),
    "hit": Intent(
        aim="opponent", speed=(1.0, 1.5), scatter_rad=0.02, is_fulfilled=_is_hit, share=0.27
    ),
    "takeout": Intent(
        aim="opponent", speed=(1.5, 2.6), scatter_rad=0.03, is_fulfilled=_is_takeout, share=0.18
    ),
    "carom": Intent(
        aim="opponent", speed=(1.4, 2.2), scatter_rad=0.05, is_fulfilled=_is_carom, share=0.08
    ),
    "combination": Intent(
        aim="own", speed=(1.3, 2.0), scatter_rad=0.04, is_fulfilled=_is_combination, share=0.08
    ),
    "graze": Intent(
        aim="opponent", speed=(1.1, 1.8), scatter_rad=0.1, is_fulfilled=_is_graze, share=0.09
    ),
    "near_miss": Intent(
        aim="opponent", speed=(1.05, 1.8), scatter_rad=0.12, is_fulfilled=_is_near_miss, share=0.10
    ),
    "miss": Intent(
        aim="opponent",
        speed=(0.7, 1.8),
        scatter_rad=0.3,
        is_fulfilled=lambda shot, _: shot.is_foul,
        share=0.06,
    ),
    "overshoot": Intent(
        aim="hole",
        speed=(1.9, 2.8),
        scatter_rad=0.02,
        is_fulfilled=lambda shot, _: shot.id in shot.lost,
        share=0.04,
    ),
    "pass": Intent(
        aim="opponent", speed=(1.02, 1.8), scatter_rad=0.0, is_fulfilled=_is_pass, passes=True
    ),
    "any": Intent(
        aim="opponent", speed=(0.7, 2.0), scatter_rad=0.1, is_fulfilled=lambda *_: True, share=0.05
    ),
}
