"""The contacts of a shot, seen or inferred.

Seen contacts are followed in time order; the discs connected by them are the connected component of
the shooter's disc. If contacts are unseen, a disc that moved further than noise was touched by an
unknown disc, so every possible sequence is enumerated.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

from calibration.placed_disc import DiscState
from scorer.rules.contact_parameters import PARAMS
from scorer.rules.shot import OUTSIDE, ContactPair, DiscId, ShotFacts, is_non_disc


@dataclass(frozen=True, slots=True, kw_only=True)
class ContactSummary:
    """A summary of a shot's contacts, in time order.

    in_play    contacts of discs that had not left, in time order
    touched    discs that the shooter's disc touched directly, in time order
    involved   discs connected to the shooter's disc by contacts in play, in any order
    returned   discs that touched something outside and came back on the board
    disturbed  discs touched or set moving by a disc that had left, in time order
    """

    in_play: tuple[ContactPair, ...]
    touched: tuple[DiscId, ...]
    involved: frozenset[DiscId]
    returned: frozenset[DiscId]
    disturbed: tuple[DiscId, ...]


def summarise_contacts(shot: ShotFacts, contacts: tuple[ContactPair, ...]) -> ContactSummary:
    """A summary of the contacts."""
    in_play, left, disturbed = _follow_contacts(contacts)
    touched = [_partner(pair, shot.shooter) for pair in in_play if shot.shooter in pair]
    on_board = {disc.id for disc in shot.after if disc.state is not DiscState.DITCH}
    return ContactSummary(
        in_play=tuple(in_play),
        touched=tuple(dict.fromkeys(touched)),
        involved=_find_connected(shot.shooter, in_play),
        returned=frozenset(left & on_board),
        disturbed=tuple(dict.fromkeys(disturbed)),
    )


def _follow_contacts(
    contacts: tuple[ContactPair, ...],
) -> tuple[list[ContactPair], set[DiscId], list[DiscId]]:
    """Contacts in play, the discs that left, and those disturbed by a disc that had left."""
    in_play: list[ContactPair] = []
    left: set[DiscId] = set()
    disturbed: list[DiscId] = []
    for pair in contacts:
        if OUTSIDE in pair:
            left.add(_partner(pair, OUTSIDE))
        elif not any(is_non_disc(name) for name in pair):
            dead = [name for name in pair if name in left or name in disturbed]
            if dead:
                disturbed += [name for name in pair if name not in left]
            else:
                in_play.append(pair)
    return in_play, left, disturbed


def _partner(pair: ContactPair, disc: str) -> str:
    return pair[1] if pair[0] == disc else pair[0]


def _find_connected(start: DiscId, pairs: list[ContactPair]) -> frozenset[DiscId]:
    """The discs that contacts connect to ``start``, itself included."""
    connected = {start}
    is_growing = True
    while is_growing:
        more = {name for pair in pairs if connected & set(pair) for name in pair} - connected
        connected |= more
        is_growing = bool(more)
    return frozenset(connected)


def displacement_mm(shot: ShotFacts, disc: DiscId) -> float:
    """Displacement of a disc by the shot; infinite if it ends in the hole or the ditch."""
    spot, rest = shot.spot(disc), shot.resting(disc)
    if rest.state in (DiscState.DITCH, DiscState.IN_HOLE) or rest.x_mm is None or rest.y_mm is None:
        return math.inf
    return math.hypot(rest.x_mm - spot.x_mm, rest.y_mm - spot.y_mm)


def find_moved_discs(shot: ShotFacts) -> tuple[DiscId, ...]:
    """Discs other than the shooter's that certainly moved."""
    others = [disc.id for disc in shot.before if disc.id != shot.shooter]
    return tuple(other for other in others if displacement_mm(shot, other) > PARAMS.moved_mm)


def enumerate_possible_contacts(
    shot: ShotFacts,
) -> Iterator[tuple[str, tuple[ContactPair, ...], bool]]:
    """Possible unseen events: as text, as contacts, and whether the event is a brush.

    Every disc that moved was touched: by the shooter's disc, or by another that it drove. A disc
    that did not move may still have been brushed, but only by a shooter's disc that moved.
    """
    moved = find_moved_discs(shot)
    ways = list(_enumerate_ways(shot, moved))
    for description, contacts in ways:
        yield description or "the shooter's disc touched nothing", contacts, False
    if displacement_mm(shot, shot.shooter) > PARAMS.moved_mm:
        description, contacts = ways[0]
        for unmoved in _find_unmoved(shot, moved):
            yield _describe_brush(description, unmoved), (*contacts, (shot.shooter, unmoved)), True


def _enumerate_ways(
    shot: ShotFacts, moved: tuple[DiscId, ...]
) -> Iterator[tuple[str, tuple[ContactPair, ...]]]:
    """Possible causes of the moved discs: the shooter's disc moved all of them, or one of them
    moved all others.
    """
    star = tuple((shot.shooter, name) for name in moved)
    yield (f"the shooter's disc itself touched {_join_names(moved)}" if moved else ""), star
    if len(moved) > 1:
        for first in moved:
            rest = tuple((first, name) for name in moved if name != first)
            description = f"the shooter's disc touched only {first}, which moved the others"
            yield description, ((shot.shooter, first), *rest)


def _find_unmoved(shot: ShotFacts, moved: tuple[DiscId, ...]) -> tuple[DiscId, ...]:
    return tuple(
        disc.id for disc in shot.before if disc.id not in moved and disc.id != shot.shooter
    )


def _describe_brush(description: str, unmoved: DiscId) -> str:
    brushed = f"brushed {unmoved} without moving it"
    return f"{description} and {brushed}" if description else f"the shooter's disc {brushed}"


def _join_names(discs: tuple[DiscId, ...]) -> str:
    return " and ".join(discs)
