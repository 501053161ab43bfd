"""Manual moves between two shots, and warnings about moves that were wrong, or missing.

Differences between two boards at rest without a shot in between were made by hands. The referee
does not know whose hands they were, so a warning names only discs.
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from calibration.board import BoardSpec, FloatArray
from calibration.phrase import Phrase
from calibration.placed_disc import DiscState
from scorer.referee.disc_identities import BoardChange, NamedDisc
from scorer.referee.seating import Seating
from scorer.rules.board_geometry import BoardGeometry
from scorer.rules.sets import RuleSet
from vision.track.tracks.same_disc import PARAMS as SAME_DISC

#: A disc is on the starting line, ready to be shot, if its middle is within this of it, mm: a
#: radius, because it may touch the line from either side, and some millimetres for the hand.
_READY_MM = 22.0
#: A disc has moved if it is at least this far from its old position, mm: over five sigmas of the
#: difference of two positions.
_SHIFTED_MM = 4.0
#: A disc that a hand puts back is within this of its position, mm: about a radius.
_RESTORED_MM = 15.0
#: If at least this many discs leave the board at once without a rule requiring it, the round is
#: over.
_CLEARED_DISCS = 2


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ManualMoves:
    """The changes between two boards with no shot between.

    names   of the discs before
    gone    those of them that were taken off, except from the starting line
    ready   new ones on the starting line
    """

    change: BoardChange
    names: Container[str]
    gone: Sequence[NamedDisc]
    ready: Sequence[NamedDisc]

    @property
    def unasked(self) -> list[NamedDisc]:
        """The discs that were removed although no rule requires it."""
        return [disc for disc in self.gone if not disc.must_go]

    @property
    def clear_board(self) -> bool:
        """Whether players took all discs off, as at the end of a round; what may be a mark stays.

        Discs that had to be removed after a shot do not count as a sign of this.
        """
        is_empty = not any(disc.is_sure for disc in self.change.now)
        return is_empty and len(self.unasked) >= _CLEARED_DISCS


def is_ready(named: NamedDisc, board: BoardSpec) -> bool:
    """Whether the disc is on the starting line, ready to be shot; a disc in play that stops there
    counts.
    """
    if named.is_in_play:
        return False
    away_mm = float(np.linalg.norm(named.place_mm))
    return abs(away_mm - board.line_radii_mm[2]) < _READY_MM


def is_twenty(named: NamedDisc) -> bool:
    """Whether the disc is in the hole."""
    return named.disc.state is DiscState.IN_HOLE


def find_manual_moves(
    change: BoardChange, before: Sequence[NamedDisc], board: BoardSpec
) -> ManualMoves:
    """Changes made by hands to the discs that were there ``before``, and new discs."""
    return ManualMoves(
        change=change,
        names={disc.name for disc in before},
        gone=[disc for disc in change.gone if not is_ready(disc, board)],
        ready=[
            disc for disc in change.now if disc.name in change.new_names and is_ready(disc, board)
        ],
    )


def describe_changes(moves: ManualMoves) -> Iterator[str]:
    """A clause for every disc that appeared, disappeared or moved while the board was hidden."""
    while_away = Phrase("while the board was out of view")
    for disc in moves.unasked:
        yield Phrase("%(name)s disappeared %(while_away)s", name=disc.name, while_away=while_away)
    placed = {disc.name for disc in moves.ready}
    for name in moves.change.new_names:
        if name not in placed:
            yield Phrase("%(name)s appeared %(while_away)s", name=name, while_away=while_away)
    for disc in moves.change.now:
        moved_mm = moves.change.moved_mm.get(disc.name, 0.0)
        if moved_mm > SAME_DISC.unmoved_mm and not disc.must_go:
            yield Phrase("%(name)s moved while the board was out of view", name=disc.name)


def describe_unexplained(
    settled: Sequence[NamedDisc],
    now: Sequence[NamedDisc],
    restored: Sequence[FloatArray],
    until: str,
) -> Iterator[str]:
    """A clause for every disc that is ``now`` at a position where no shot left it. They were
    ``settled`` after the last shot, and the rules had discs ``restored`` to positions (2,).
    ``until`` is the next event.
    """
    earlier = {disc.name: disc for disc in settled}
    for disc in now:
        if any(np.linalg.norm(disc.place_mm - place) < _RESTORED_MM for place in restored):
            continue
        before = earlier.get(disc.name)
        if before is None:
            yield Phrase(
                "%(name)s appeared before %(until)s, but no shot was seen",
                name=disc.name,
                until=until,
            )
        elif (moved_mm := float(np.linalg.norm(disc.place_mm - before.place_mm))) > _SHIFTED_MM:
            yield (
                Phrase(
                    "%(name)s moved %(moved_mm).0f mm before %(until)s, but no shot was seen",
                    name=disc.name,
                    moved_mm=moved_mm,
                    until=until,
                )
            )


def describe_mistakes(
    moves: ManualMoves,
    seating: Seating,
    turn_after: int | None,
    rules: RuleSet,
    sizes: BoardGeometry,
) -> Iterator[str]:
    """A sentence for every mistake.

    ``turn_after`` is the team that shot last and must not shoot next; None if no turn is known.
    """
    for disc in moves.unasked:
        yield Phrase("%(name)s was removed, but no rule requires it.", name=disc.name)
    for disc in moves.change.now:
        if disc.must_go and (moves.ready or moves.unasked):
            why = Phrase("was counted as a 20") if is_twenty(disc) else Phrase("must be removed")
            yield Phrase(
                "%(name)s %(reason)s but is still on the board.", name=disc.name, reason=why
            )
        moved_mm = moves.change.moved_mm.get(disc.name, 0.0)
        if moved_mm > SAME_DISC.unmoved_mm and disc.name in moves.names:
            yield Phrase(
                "%(name)s was moved %(moved_mm).0f mm by hand.", name=disc.name, moved_mm=moved_mm
            )
    for disc in moves.ready:
        if disc.disc.team == turn_after:
            yield Phrase(
                "%(name)s is about to be shot, but it is the other side's turn.", name=disc.name
            )
        if seating.is_outside(disc.disc.team, disc.place_mm, rules, sizes):
            yield Phrase("%(name)s is outside its player's quadrant.", name=disc.name)
    for name in moves.change.new_names:
        named = moves.change.find_disc(name)
        if named is not None and not is_ready(named, sizes.board):
            yield Phrase(
                "%(name)s was put on the board by hand, away from the shooting line.", name=name
            )
