"""A flick in a player's terms: the disc's place, its target, its strength.

Left and right are the shooter's, who looks from the disc to the board's centre; places are in the
board frame, mm.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

from scorer.clock_hour import find_clock_hour
from scorer.physics.engine import SimulationResult
from scorer.physics.scene import PhysicsScene

#: Labels by speed: usual flicks are 800 to 3000 mm/s.
_PACES = ((1000.0, "gently"), (1600.0, "at medium pace"), (2300.0, "firmly"), (math.inf, "hard"))
#: Precision of placing and aiming a disc: mm, and degrees.
_MIDDLE_MM, _MIDDLE_DEG = 2.0, 0.25
#: Offset of the line of aim from a disc's centre, in its diameters, and the players' name for it.
_THICKNESSES = ((0.1, "full"), (0.35, "thick on its {side}"), (0.65, "half on its {side}"))
_THIN = "thin on its {side}"
#: Labels of contact partners that are no disc and no post.
_PLACES = {"hole": "the 20-hole", "hole_missed": "the hole's edge", "sunk": "the disc in the hole"}
#: Largest number of contacts described.
_MOST_MET = 3


def find_aimed_disc(scene: PhysicsScene, outcome: SimulationResult) -> str | None:
    """The first disc that the flicked one hits; None if it hits none."""
    return next((name for name in _list_met(scene, outcome) if name in scene.ids), None)


def describe_flick(
    scene: PhysicsScene, outcome: SimulationResult, teams: Mapping[str, str]
) -> list[str]:
    """Three sentences: the place of the disc, the aim, and the strength.

    outcome  the result of the flick without scatter
    teams    the team of every disc, by its id
    """
    shot = scene.shot
    pace = next(words for most, words in _PACES if shot.speed_mm_s < most)
    met = [_name(name, teams) for name in _list_met(scene, outcome)][:_MOST_MET]
    way = f"; it hits {', then '.join(met)}" if met else ""
    hour = find_clock_hour(shot.x_mm, shot.y_mm)
    return [
        f"Place the disc at {hour} o'clock, {_describe_place(scene)}: "
        f"({shot.x_mm:.1f}, {shot.y_mm:.1f}) mm.",
        f"Aim {_describe_target(scene, outcome, teams)}, {_describe_direction(scene)} "
        f"(towards {shot.direction_deg:.1f}°).",
        f"Flick it {pace}, at {shot.speed_mm_s / 1000:.1f} m/s{way}.",
    ]


def _describe_place(scene: PhysicsScene) -> str:
    """The place on the shooting line, from the middle of the shooter's quadrant."""
    shot, board = scene.shot, scene.table.board
    azimuth = math.degrees(math.atan2(shot.y_mm, shot.x_mm))
    away = (azimuth + 45.0) % 90.0 - 45.0
    along_mm = math.radians(away) * math.hypot(shot.x_mm, shot.y_mm)
    outside_mm = math.hypot(shot.x_mm, shot.y_mm) - board.line_radii_mm[2]
    is_on_line = abs(outside_mm) <= scene.table.disc.radius_mm
    line = "on" if is_on_line else "behind" if outside_mm > 0 else "inside"
    if abs(along_mm) < _MIDDLE_MM:
        return f"{line} the line in the middle of your quadrant"
    side = "right" if along_mm > 0 else "left"
    return f"{line} the line, {abs(along_mm):.0f} mm {side} of your quadrant's middle"


def _describe_target(
    scene: PhysicsScene, outcome: SimulationResult, teams: Mapping[str, str]
) -> str:
    """The first object hit by the disc, and the point of contact."""
    met = _list_met(scene, outcome)
    if not met:
        return "clear of everything"
    if met[0] not in scene.ids:
        return f"at {_name(met[0], teams)}"
    places = dict(zip(scene.ids, scene.places_mm.tolist(), strict=True))
    across_mm = _find_offset_mm(scene, places[met[0]])
    share = abs(across_mm) / (2 * scene.table.disc.radius_mm)
    side = "right" if across_mm > 0 else "left"
    where = next((words for most, words in _THICKNESSES if share <= most), _THIN)
    beside = f" ({abs(across_mm) / 10:.1f} cm {side} of its middle)" if "{side}" in where else ""
    return f"at {_name(met[0], teams)}, {where.format(side=side)}{beside}"


def _find_offset_mm(scene: PhysicsScene, place_mm: list[float]) -> float:
    """Offset of the line of aim to the right of a place, mm."""
    shot, angle = scene.shot, math.radians(scene.shot.direction_deg)
    arm_x, arm_y = place_mm[0] - shot.x_mm, place_mm[1] - shot.y_mm
    return math.cos(angle) * arm_y - math.sin(angle) * arm_x


def _describe_direction(scene: PhysicsScene) -> str:
    """The direction of the line of aim relative to the line to the board's centre."""
    shot = scene.shot
    to_centre = math.degrees(math.atan2(-shot.y_mm, -shot.x_mm))
    left_deg = (shot.direction_deg - to_centre + 180.0) % 360.0 - 180.0
    if abs(left_deg) < _MIDDLE_DEG:
        return "straight at the centre"
    return f"{abs(left_deg):.1f}° {'left' if left_deg > 0 else 'right'} of the centre"


def _list_met(scene: PhysicsScene, outcome: SimulationResult) -> list[str]:
    """All objects hit by the flicked disc, in order, once each."""
    met: list[str] = []
    for contact in outcome.contacts:
        if scene.shot.id in (contact.a, contact.b):
            other = contact.b if contact.a == scene.shot.id else contact.a
            if other != "outside" and other not in met:
                met.append(other)
    return met


def _name(met: str, teams: Mapping[str, str]) -> str:
    """The name of a partner in a contact; a disc with its side."""
    if met in teams:
        return f"{met} ({teams[met]})"
    if met.startswith("post:"):
        return "a post"
    return _PLACES.get(met, met)
