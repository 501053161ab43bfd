"""Evidence of one shot, as the rules and the physics check take it.

Knows what belongs to a shot. Refuses to judge it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from vision.track.events import BoardAtRest
from vision.track.motion.disc_tracker import DiscTrack
from webapp.referee.disc_identities import BoardChange, NamedDisc
from webapp.referee.shot.reconstruct import ContactHypothesis, Displacements, Flick


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ShotEvidence:
    """One shot between two boards at rest.

    shooter     the disc that was shot, as it lay before
    was_placed  whether it was read there at rest
    before      the other discs that lay there
    tracks      by the discs' names
    contact_hypotheses  what may have touched what, the likeliest first
    """

    at_rest: BoardAtRest
    flick: Flick
    shooter: NamedDisc
    was_placed: bool
    before: tuple[NamedDisc, ...]
    tracks: Mapping[str, DiscTrack]
    change: BoardChange
    displacements: Displacements
    contact_hypotheses: Sequence[ContactHypothesis]

    @property
    def unmoved(self) -> frozenset[str]:
        """Names of discs that pictures show to lie where they lay."""
        known = {*self.displacements.moved_mm, *self.displacements.unsure, self.shooter.name}
        return frozenset(each.name for each in self.before if each.name not in known)
