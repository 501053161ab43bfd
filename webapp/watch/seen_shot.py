"""All that was seen of one shot, as it is put before the rules and before physics.

Knows what belongs to a shot. Refuses to judge it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from vision.sights import Rested
from vision.tracks import Track
from webapp.watch.book import Change, NamedDisc
from webapp.watch.evidence import Contacts, Flick, Stirred


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SeenShot:
    """One shot between two boards at rest.

    shooter     the disc that was shot, as it lay before
    was_placed  whether it was read there at rest
    before      the other discs that lay there
    tracks      by the discs' names
    told        what may have touched what, the likeliest first
    """

    rested: Rested
    flick: Flick
    shooter: NamedDisc
    was_placed: bool
    before: tuple[NamedDisc, ...]
    tracks: Mapping[str, Track]
    change: Change
    moves: Stirred
    told: Sequence[Contacts]

    @property
    def unmoved(self) -> frozenset[str]:
        """Names of discs that pictures show to lie where they lay."""
        known = {*self.moves.moved_mm, *self.moves.unsure, self.shooter.name}
        return frozenset(each.name for each in self.before if each.name not in known)
