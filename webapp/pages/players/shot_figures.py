"""The results of a player's shots that cameras saw: by target and distance, and where discs
stopped.

Every figure is a success rate with its number of shots. A shot at an opponent's disc is a success
if it touches one, and takes it out if that disc is off the board after it.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from scorer.match.events import ShotPlayed
from scorer.match.fold import replay_log
from scorer.match.seen_shot import SeenShot
from scorer.practice.figures import SuccessRate, see_from_seat
from scorer.store import ListedMatch, Store

#: Limits between near, middle and far targets, mm.
_DISTANCES_MM = (250.0, 350.0)
#: The zones in which a disc may end, best first; None: off the board.
_ENDS = (20, 15, 10, 5, 0, None)
#: A square of the heat map, mm: a disc's width.
CELL_MM = 32.0


@dataclass(frozen=True, slots=True, kw_only=True)
class TargetRow:
    """Shots at opponents' discs of one kind: the numbers that touched one, and that took it out.

    zone           the target's zone; None in a row of distances
    from_mm, to_mm how far away it was; None if the row has no such bound
    """

    hits: SuccessRate
    take_outs: SuccessRate
    zone: int | None = None
    from_mm: float | None = None
    to_mm: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class EndRow:
    """The number of all shots that ended in a zone; None: off the board."""

    zone: int | None
    rate: SuccessRate


@dataclass(frozen=True, slots=True, kw_only=True)
class HeatCell:
    """A square of the board in which discs stopped, as the player sees it: mm, y downwards."""

    x_mm: float
    y_mm: float
    discs: int
    strength: float


@dataclass(frozen=True, slots=True, kw_only=True)
class ShotFigures:
    """A player's shots that cameras saw.

    rests  number of discs that came to rest on the board or in the hole, shown by the heat map
    """

    shots: int
    open_board: SuccessRate
    by_zone: tuple[TargetRow, ...]
    by_distance: tuple[TargetRow, ...]
    ends: tuple[EndRow, ...]
    rests: int
    heat: tuple[HeatCell, ...]


def list_seen_shots(name: str, listed: Sequence[ListedMatch], store: Store) -> list[SeenShot]:
    """The shots of a player that cameras saw, in readable matches."""
    return [
        event.seen
        for match in listed
        if match.summary is not None and match.summary.has_seen_shots
        if name in match.summary.players
        for _, event, _ in replay_log(store.log(match.id))
        if isinstance(event, ShotPlayed)
        and event.seen is not None
        and match.summary.players[event.player] == name
    ]


def summarise_shots(shots: Sequence[SeenShot]) -> ShotFigures:
    """The figures of a player's shots."""
    aimed = [shot for shot in shots if shot.target_mm is not None]
    places = [
        see_from_seat(shot.start_mm, shot.rest_mm) for shot in shots if shot.rest_mm is not None
    ]
    bounds = (None, *_DISTANCES_MM, None)
    return ShotFigures(
        shots=len(shots),
        open_board=_rate(shot.zone == 20 for shot in shots if shot.target_mm is None),
        by_zone=tuple(
            _rate_targets([shot for shot in aimed if shot.target_zone == zone], zone=zone)
            for zone in (15, 10, 5)
            if any(shot.target_zone == zone for shot in aimed)
        ),
        by_distance=tuple(
            _rate_targets(within, from_mm=low, to_mm=high)
            for low, high in pairwise(bounds)
            if (within := [shot for shot in aimed if _is_within(shot, low, high)])
        ),
        ends=tuple(EndRow(zone=zone, rate=_rate(s.zone == zone for s in shots)) for zone in _ENDS),
        rests=len(places),
        heat=draw_heat(places),
    )


def draw_heat(places: Iterable[tuple[float, float]]) -> tuple[HeatCell, ...]:
    """Squares with their numbers of discs; ``places`` are mm to the right, and beyond.

    A square is centred on the hole, and the fullest has the strength 1.
    """
    counts: dict[tuple[int, int], int] = {}
    for right_mm, beyond_mm in places:
        cell = round(right_mm / CELL_MM), round(-beyond_mm / CELL_MM)
        counts[cell] = counts.get(cell, 0) + 1
    most = max(counts.values(), default=1)
    return tuple(
        HeatCell(
            x_mm=(column - 0.5) * CELL_MM,
            y_mm=(row - 0.5) * CELL_MM,
            discs=count,
            strength=round(math.sqrt(count / most), 2),
        )
        for (column, row), count in sorted(counts.items())
    )


def _is_within(shot: SeenShot, low: float | None, high: float | None) -> bool:
    distance_mm = shot.distance_mm or 0.0
    return (low is None or distance_mm >= low) and (high is None or distance_mm < high)


def _rate_targets(
    shots: Sequence[SeenShot],
    zone: int | None = None,
    from_mm: float | None = None,
    to_mm: float | None = None,
) -> TargetRow:
    return TargetRow(
        hits=_rate(shot.is_hit for shot in shots),
        take_outs=_rate(shot.is_out for shot in shots),
        zone=zone,
        from_mm=from_mm,
        to_mm=to_mm,
    )


def _rate(outcomes: Iterable[bool]) -> SuccessRate:
    listed = list(outcomes)
    return SuccessRate(successes=sum(listed), shots=len(listed))
