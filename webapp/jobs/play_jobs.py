"""The jobs that look ahead: the best shots on a board, and other possible outcomes of a shot.

They run in the worker's process, where the physics are compiled once. Physics handle flat discs.
Leaning discs count as flat, and a board with more discs than supported gives None.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from enum import StrEnum
from typing import TYPE_CHECKING

from calibration.phrase import Phrase
from calibration.placed_disc import DiscState
from scorer.physics.skills import SKILLS, SkillName
from scorer.rules.fault_codes import FaultCode
from scorer.rules.sets import RuleSet
from scorer.texts import quote

if TYPE_CHECKING:
    import numpy as np

    from scorer.physics.engine import PathSegment
    from scorer.physics.scene import PhysicsScene
    from scorer.referee.events import SeenDisc, ShotEvent
    from webapp.formats.shot_boards import NamedPair
    from webapp.live.live_state import LiveDisc

#: Number of a shot's other outcomes that are shown besides the actual one.
_SHOWN = 3
_QUADRANT_DEG = 90.0

Report = Callable[[str], None]


def read_skill(name: str | None) -> SkillName:
    """The skill of that name; a club player's without a name. Raises ``ValueError``."""
    if name is not None and name not in SKILLS:
        raise ValueError(
            Phrase(
                "There is no skill level %(name)s. Choose from %(choices)s.",
                name=quote(name),
                choices=", ".join(SkillName),
            )
        )
    return SkillName.CLUB if name is None else SkillName(name)


def advise_board(
    _report: Report,
    discs: Sequence[LiveDisc],
    team: int,
    seat_deg: float,
    left: tuple[int, int] | None,
    rules: RuleSet,
    skill: SkillName = SkillName.CLUB,
) -> list[dict[str, object]] | None:
    """The best shots of a team on a board, best first, with their chances and their disc's path.

    seat_deg  direction of the middle of the shooter's quadrant, counter-clockwise from +x
    left      discs that the team and the other still have to shoot; None if unknown
    rules     the rules for judging; a foul is among the shots only if no other was found
    skill     of the player's hand
    """
    from scorer.physics.engine import simulate  # the compiler takes a while to import
    from webapp.formats.advice import advise_shots

    board = [
        {"id": disc.id, "x_mm": disc.x_mm, "y_mm": disc.y_mm, "team": str(disc.team)}
        for disc in discs
    ]
    position: dict[str, object] = {"discs": board, "quadrant": round(seat_deg / _QUADRANT_DEG) % 4}
    position |= {} if left is None else {"left": list(left)}
    try:
        advice = advise_shots(position, str(team), SKILLS[skill], rules=rules)
    except ValueError:
        return None  # the physics do not support such a board
    found: list[dict[str, object]] = []
    for rank, shot in enumerate(advice.shots):
        scene = advice.scene(rank)
        path = _list_places(simulate(scene).path, scene)
        found.append(
            {
                "points": round(shot.points, 1),
                "lead": round(shot.lead, 1),
                "p_twenty": round(shot.twenty, 2),
                "p_stays": round(shot.stays, 2),
                "p_foul": round(shot.foul, 2),
                "is_foul": shot.is_foul,
                "path": [_round_place(place) for place in path],
            }
        )
    return found or None


def _list_places(path: Sequence[PathSegment], scene: PhysicsScene) -> list[tuple[float, float]]:
    """Places of the shooter's disc: the corners of its path."""
    legs = [leg for leg in path if leg.id == scene.shot.id]
    return [leg.from_mm for leg in legs[:1]] + [leg.to_mm for leg in legs]


def list_shot_outcomes(
    _report: Report, event: ShotEvent, rules: RuleSet, skill: SkillName = SkillName.CLUB
) -> list[dict[str, object]] | None:
    """The likeliest outcomes of the flick that explains a shot best, the most frequent first.

    ``event`` is the referee's event of the shot. None if no flick explains it.
    """
    from scorer.analysis.flick_outcomes import list_outcomes

    found = _explain(event)
    if found is None:
        return None
    named, own, flick = found
    listed = list_outcomes(named.table, named.pair.before_mm, own, flick, SKILLS[skill], rules)
    actual = _find_actual(event)
    return [
        {
            "share": round(outcome.share, 2),
            "points": outcome.points,
            "lost": outcome.lost,
            "own_lost": outcome.own_lost,
            "is_foul": outcome.is_foul,
            "is_actual": (outcome.points, outcome.lost, outcome.own_lost, outcome.is_foul)
            == actual,
            "place": None if outcome.points is None else _round_place(outcome.places_mm[0]),
        }
        for outcome in listed[: _SHOWN + 1]
    ]


class NoChoice(StrEnum):
    """The reason why a player's choice is not known."""

    IN_DITCH = "in_ditch"
    UNEXPLAINED = "unexplained"


def find_better_shot(
    _report: Report,
    event: ShotEvent,
    ahead: tuple[tuple[int, int], float] | None,
    rules: RuleSet,
    skill: SkillName = SkillName.CLUB,
) -> dict[str, object]:
    """The flick that explains a shot best, and the clearly better one, if any.

    ahead  the remaining shots, from ``find_round_ahead``
    """
    from scorer.analysis.best_shots import RoundToPlay, compare_choice
    from scorer.analysis.judge_many import BoardToShoot
    from scorer.physics.engine import simulate
    from scorer.physics.scene import FlickSpec, PhysicsScene, SceneDisc

    if all(disc.id != event.disc for disc in event.after):
        return {"reason": NoChoice.IN_DITCH, "better": None}
    found = _explain(event)
    if found is None:
        return {"reason": NoChoice.UNEXPLAINED, "better": None}
    named, own, flick = found
    places = named.pair.before_mm
    played, best = compare_choice(
        BoardToShoot(table=named.table, places_mm=places, own=own),
        flick,
        rules,
        SKILLS[skill],
        None if ahead is None else RoundToPlay(left=ahead[0], turn_rad=ahead[1]),
    )
    answer: dict[str, object] = {"reason": None, "lead": round(played.lead, 1), "better": None}
    if best is not None:
        x, y, speed, direction, spin = best.shot.tolist()
        shot = FlickSpec(
            id=named.ids[0],
            x_mm=x,
            y_mm=y,
            speed_mm_s=speed,
            direction_deg=math.degrees(direction),
            spin_rad_s=spin,
        )
        others = zip(named.ids[1:], places[1:].tolist(), strict=True)
        discs = tuple(SceneDisc(id=name, x_mm=at[0], y_mm=at[1]) for name, at in others)
        scene = PhysicsScene(table=named.table, discs=discs, shot=shot)
        path = _list_places(simulate(scene).path, scene)
        answer["better"] = {
            "lead": round(best.lead, 1),
            "p_twenty": round(best.twenty, 2),
            "p_foul": round(best.foul, 2),
            "path": [_round_place(place) for place in path],
        }
    return answer


def _explain(event: ShotEvent) -> tuple[NamedPair, np.ndarray, np.ndarray] | None:
    """A shot's boards, which of their discs are its side's, and the flick that explains it best.

    None if no flick explains it.
    """
    import numpy as np

    from scorer.physics.inverse.explain import explain
    from webapp.formats.shot_boards import parse_pair

    try:
        named = parse_pair(_make_pair(event))
    except ValueError:
        return None
    found = explain(named.table, named.pair, max_simulated_discs=2_000_000)
    if not found.explained:
        return None
    team_of = {disc.id: disc.team for disc in event.before}
    own = np.array([team_of[name] == event.team for name in named.ids])
    return named, own, found.explanations[0].shot


def _round_place(place_mm: Sequence[float]) -> list[float]:
    return [round(float(value), 1) for value in place_mm]


def _find_actual(event: ShotEvent) -> tuple[int | None, int, int, bool]:
    """The result of a shot: its disc's points, the numbers of lost opponent's and other own discs,
    and whether it was a foul.
    """
    after = {disc.id: disc for disc in event.after}
    lost = [disc for disc in event.before if disc.id not in after]
    own_lost = sum(disc.team == event.team for disc in lost)
    own = after.get(event.disc)
    points = None if own is None else own.zone
    is_foul = any(fault.code is not FaultCode.OUT_OF_BOUNDS for fault in event.faults)
    return points, len(lost) - own_lost, own_lost - int(own is None), is_foul


def _make_pair(event: ShotEvent) -> dict[str, object]:
    """The boards before and after a shot in the form of ``crokinole explain``."""
    after = {disc.id: disc for disc in event.after}
    return {
        "shooter_id": event.disc,
        "teams": {disc.id: str(disc.team) for disc in event.before},
        "before": [{"id": disc.id, "x_mm": disc.x_mm, "y_mm": disc.y_mm} for disc in event.before],
        "after": [_rest(disc.id, after.get(disc.id)) for disc in event.before],
        "track": [
            {"id": event.disc, "t_s": point.t_s, "x_mm": point.x_mm, "y_mm": point.y_mm}
            for point in event.evidence.track
        ],
    }


def _rest(name: str, disc: SeenDisc | None) -> dict[str, object]:
    if disc is None:
        return {"id": name, "state": "ditch"}
    if disc.state is DiscState.IN_HOLE:
        return {"id": name, "state": "in_hole"}
    return {"id": name, "x_mm": disc.x_mm, "y_mm": disc.y_mm, "state": str(disc.state)}
