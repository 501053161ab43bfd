"""A board with discs and a flick, validated by the assumptions of the engine.

Board mm. An impossible board is refused with a ``ValueError`` that names the field and value;
overlaps within measuring error are separated by relaxation, pair by pair.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from calibration.board import BoardSpec
from calibration.disc import DiscSpec
from calibration.numerics.arrays import FloatArray
from calibration.parameters import StageParameters, parameter
from scorer.physics.parameters import PhysicsSpec

#: Twelve discs a side, and at most two sides.
MOST_DISCS = 24
#: Faster than any flick: usual is 800 to 3000 mm/s.
MOST_SPEED_MM_S = 20_000.0
#: Faster than any disc turns when flicked: 30 turns a second.
MOST_SPIN_RAD_S = 200.0
#: Gap between separated discs: far below any measurement.
_CLEARANCE_MM = 1e-6


class SceneParameters(StageParameters):
    """The limits of an acceptable scene."""

    #: Overlap within measuring error; it is separated.
    noise_overlap_mm: float = parameter(
        2.0,
        unit="mm",
        source="chosen: two sigmas of the distance between two discs, each known to 0.7 mm",
    )
    #: Rounds of separation; overlaps left after them remain.
    separation_rounds: int = parameter(
        500, unit="", source="chosen: ten times as many as a full board of touching discs needs"
    )


PARAMS = SceneParameters()


@dataclass(frozen=True, slots=True, kw_only=True)
class SceneDisc:
    """A disc at rest, by the centre of its base."""

    id: str
    x_mm: float
    y_mm: float


@dataclass(frozen=True, slots=True, kw_only=True)
class FlickSpec:
    """A flick: disc, place, speed, and direction counter-clockwise from +x."""

    id: str
    x_mm: float
    y_mm: float
    speed_mm_s: float
    direction_deg: float
    spin_rad_s: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class TableSpec:
    """The table for the shots."""

    board: BoardSpec = field(default_factory=BoardSpec)
    disc: DiscSpec = field(default_factory=DiscSpec)
    physics: PhysicsSpec = field(default_factory=PhysicsSpec)

    @property
    def tip_radius_mm(self) -> float:
        """Inside this distance from the hole's centre a disc's centre of mass has no support."""
        outer = self.board.hole_radius_mm + self.physics.edge_rounding_mm
        return math.sqrt(max(outer**2 - self.disc.contact_radius_mm**2, 0.0))

    @property
    def posts_mm(self) -> FloatArray:
        """Centres of the posts (n, 2)."""
        count = self.board.post_count
        azimuth = (np.arange(count) + 0.5) * 2 * np.pi / max(count, 1)
        return self.board.post_ring_radius_mm * np.stack(
            [np.cos(azimuth), np.sin(azimuth)], axis=-1
        )

    @property
    def post_reach_mm(self) -> float:
        """Distance of the centres when a disc touches a post."""
        return self.board.post_radius_mm + self.physics.post_sleeve_mm + self.disc.radius_mm


@dataclass(frozen=True, slots=True, kw_only=True)
class PhysicsScene:
    """A board before a shot. ``discs`` may contain the shooter's, whose place in the shot is used.

    Raises ``ValueError``, naming the field and its value, for an impossible board.
    """

    table: TableSpec = field(default_factory=TableSpec)
    discs: tuple[SceneDisc, ...] = ()
    shot: FlickSpec

    def __post_init__(self) -> None:
        _check_flick(self.shot)
        identities = [disc.id for disc in self.discs]
        for name in identities:
            if identities.count(name) > 1:
                raise ValueError(f"discs: the id {name!r} is used {identities.count(name)} times")
        if len(self.ids) > MOST_DISCS:
            raise ValueError(f"discs: {len(self.ids)} discs are more than {MOST_DISCS}")
        check_places(self.table, self.ids, self.places_mm)

    @property
    def ids(self) -> tuple[str, ...]:
        """All discs, the shooter first, then by place: the order in the file does not matter."""
        others = [disc for disc in self.discs if disc.id != self.shot.id]
        others.sort(key=lambda disc: (disc.x_mm, disc.y_mm))
        return (self.shot.id, *(disc.id for disc in others))

    @property
    def places_mm(self) -> FloatArray:
        """Places of ``ids`` (n, 2)."""
        known = {disc.id: (disc.x_mm, disc.y_mm) for disc in self.discs}
        known[self.shot.id] = (self.shot.x_mm, self.shot.y_mm)
        return np.array([known[name] for name in self.ids], dtype=np.float64)


def check_places(table: TableSpec, ids: Sequence[str], places_mm: FloatArray) -> None:
    """Raise ``ValueError`` for a place (n, 2) that no disc can have."""
    for name, (x, y) in zip(ids, places_mm.tolist(), strict=True):
        for axis, value in (("x_mm", x), ("y_mm", y)):
            if not math.isfinite(value):
                raise ValueError(f"disc {name}: {axis} must be a number, not {value}")
        if math.hypot(x, y) > table.board.surface_radius_mm:
            raise ValueError(
                f"disc {name}: ({x:g}, {y:g}) mm is off the playing surface, whose radius is "
                f"{table.board.surface_radius_mm:g} mm"
            )
    for (first, second), overlap in _find_overlaps(table, places_mm):
        if overlap > PARAMS.noise_overlap_mm:
            other = f"disc {ids[second]}" if second < len(ids) else f"post {second - len(ids)}"
            raise ValueError(
                f"disc {ids[first]}: it overlaps {other} by {overlap:.1f} mm; "
                f"up to {PARAMS.noise_overlap_mm:g} mm is taken for noise"
            )


def separate_overlaps(table: TableSpec, places_mm: FloatArray) -> FloatArray:
    """Places (n, 2) without overlaps from noise: both discs move by half, posts stay."""
    places = places_mm.copy()
    posts = table.posts_mm
    for _ in range(PARAMS.separation_rounds):
        overlaps = [found for found in _find_overlaps(table, places) if found[1] > 0]
        if not overlaps:
            break
        for (first, second), overlap in overlaps:
            fixed = second >= len(places)
            other = posts[second - len(places)] if fixed else places[second]
            away = places[first] - other
            length = float(np.hypot(*away))
            push = away / length if length > 0 else np.array([1.0, 0.0])
            push = push * (overlap + _CLEARANCE_MM)
            places[first] += push if fixed else push / 2
            if not fixed:
                places[second] -= push / 2
    return places


def _find_overlaps(table: TableSpec, places_mm: FloatArray) -> list[tuple[tuple[int, int], float]]:
    """Pairs of a disc with a later disc, or with post k as n + k, and their overlap."""
    reach = 2 * table.disc.radius_mm
    in_hole = (
        np.hypot(*(places_mm - np.asarray(table.board.hole_centre_mm)).T) < table.tip_radius_mm
    )
    in_hole[0] = False
    found = []
    everything = np.concatenate([places_mm, table.posts_mm])
    for first in range(len(places_mm)):
        distances = np.hypot(*(everything[first + 1 :] - places_mm[first]).T)
        for offset, distance in enumerate(distances.tolist()):
            second = first + 1 + offset
            is_post = second >= len(places_mm)
            if in_hole[first] or (not is_post and in_hole[second]):
                continue  # a disc above a disc in the hole does not overlap it
            overlap = (table.post_reach_mm if is_post else reach) - distance
            if overlap > 0:
                found.append(((first, second), overlap))
    return found


def _check_flick(flick: FlickSpec) -> None:
    for name in ("x_mm", "y_mm", "speed_mm_s", "direction_deg", "spin_rad_s"):
        value = getattr(flick, name)
        if not math.isfinite(value):
            raise ValueError(f"shot.{name} must be a number, not {value}")
    if not 0 <= flick.speed_mm_s <= MOST_SPEED_MM_S:
        raise ValueError(
            f"shot.speed_mm_s must be between 0 and {MOST_SPEED_MM_S:g}, not {flick.speed_mm_s:g}"
        )
    if abs(flick.spin_rad_s) > MOST_SPIN_RAD_S:
        raise ValueError(
            f"shot.spin_rad_s must be within ±{MOST_SPIN_RAD_S:g}, not {flick.spin_rad_s:g}"
        )
