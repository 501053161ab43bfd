"""A shot's path in a match, read from the referee's event.

Its target is the opponent's disc that it touched first. If it touched none, it is the disc to which
its path, or the straight line to the hole if no path was seen, came closest.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise

from scorer.match.seen_shot import Place, SeenShot
from scorer.referee.events import SeenDisc, ShotEvent


def read_match_shot(event: ShotEvent) -> SeenShot | None:
    """The referee's record of a shot; None if the disc was not seen before the shot."""
    before = {disc.id: disc for disc in event.before}
    after = {disc.id: disc for disc in event.after}
    start, own = before.get(event.disc), after.get(event.disc)
    if start is None:
        return None
    theirs = [disc for disc in event.before if disc.team != event.team]
    names = {disc.id for disc in theirs}
    contacts = (name for pair in event.contacts for name in pair)  # in the order of time
    touched = next((name for name in contacts if name in names), None)
    target = before[touched] if touched else _find_nearest(theirs, _list_path(event, start))
    return SeenShot(
        start_mm=start.place_mm,
        rest_mm=None if own is None else own.place_mm,
        zone=None if own is None else own.zone,
        target_mm=None if target is None else target.place_mm,
        target_zone=None if target is None else target.zone,
        is_hit=touched is not None,
        is_out=target is not None and target.id not in after,
    )


def _list_path(event: ShotEvent, start: SeenDisc) -> list[Place]:
    seen = [(point.x_mm, point.y_mm) for point in event.evidence.track]
    return [start.place_mm, *(seen if len(seen) > 1 else [(0.0, 0.0)])]


def _find_nearest(discs: Sequence[SeenDisc], path: Sequence[Place]) -> SeenDisc | None:
    def distance_mm(disc: SeenDisc) -> float:
        at = disc.place_mm
        return min(_distance_to_leg(at, *leg) for leg in pairwise(path))

    return min(discs, key=distance_mm, default=None)


def _distance_to_leg(at: Place, start: Place, end: Place) -> float:
    """Distance of a place from a straight leg of a path, mm."""
    along = (end[0] - start[0], end[1] - start[1])
    length2 = along[0] ** 2 + along[1] ** 2
    way = (at[0] - start[0]) * along[0] + (at[1] - start[1]) * along[1]
    share = min(1.0, max(0.0, way / length2)) if length2 else 0.0
    return math.dist(at, (start[0] + share * along[0], start[1] + share * along[1]))
