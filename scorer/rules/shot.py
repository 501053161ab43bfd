"""The facts of a shot for the referee: the board before, the contacts, and the board after.

Board frame, mm; a position is the centre of a disc's bottom face. Facts that no rules allow raise
``ValueError``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from calibration.placed_disc import DiscState

#: The partner in a contact with the rail, the ditch or a disc out of play.
OUTSIDE = "outside"
#: Prefix of the partner in a contact with a post.
POST_PREFIX = "post:"

DiscId = str
ContactPair = tuple[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class StartPosition:
    """Position of a disc, flat, before the shot."""

    id: DiscId
    x_mm: float
    y_mm: float


@dataclass(frozen=True, slots=True, kw_only=True)
class FinalPosition:
    """Position and state of a disc at rest; in the ditch it has no position.

    sigma_mm  one standard deviation of the position in any direction; 0: exactly known
    """

    id: DiscId
    state: DiscState
    x_mm: float | None = None
    y_mm: float | None = None
    sigma_mm: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class ShotFacts:
    """The facts of a shot. Raises ``ValueError``, in one sentence, for impossible facts.

    teams     the team of every disc
    contacts  pairs in time order; None when unseen
    quadrant  the shooter's, 0 to 3 counter-clockwise from +x; None: the disc's own
    is_first  whether it is the round's first; None: it is when no other disc is on the board
    crossed   discs that crossed the outer line and came back without touching anything but the
              surface
    """

    shooter: DiscId
    team: str
    teams: Mapping[DiscId, str]
    before: tuple[StartPosition, ...]
    after: tuple[FinalPosition, ...]
    contacts: tuple[ContactPair, ...] | None = None
    quadrant: int | None = None
    is_first: bool | None = None
    crossed: frozenset[DiscId] = field(default_factory=frozenset)

    def __post_init__(self) -> None:
        for check in (_check_discs, _check_shooter, _check_final_positions, _check_contacts):
            check(self)

    def spot(self, disc: DiscId) -> StartPosition:
        """Position of a disc before the shot."""
        return next(position for position in self.before if position.id == disc)

    def resting(self, disc: DiscId) -> FinalPosition:
        """Position and state of a disc after the shot."""
        return next(position for position in self.after if position.id == disc)

    def is_own(self, disc: DiscId) -> bool:
        """Whether the disc belongs to the shooter's side."""
        return self.teams[disc] == self.team

    @property
    def opponents(self) -> tuple[DiscId, ...]:
        """Opponents' discs on the board before the shot: the discs of all other sides."""
        return tuple(disc.id for disc in self.before if not self.is_own(disc.id))

    @property
    def is_first_shot(self) -> bool:
        """Whether it is the round's first shot."""
        return len(self.before) == 1 if self.is_first is None else self.is_first


def _check_discs(shot: ShotFacts) -> None:
    ids = [disc.id for disc in shot.before]
    twice = next((name for name in ids if ids.count(name) > 1), None)
    if twice is not None:
        raise ValueError(f'Disc {twice} is listed twice in "before"; list each disc once.')
    teamless = next((name for name in ids if name not in shot.teams), None)
    if teamless is not None:
        raise ValueError(f'Disc {teamless} has no team. Add it to "teams".')


def _check_shooter(shot: ShotFacts) -> None:
    if shot.shooter not in {disc.id for disc in shot.before}:
        raise ValueError(
            f'The shooter\'s disc {shot.shooter} is missing from "before". Add the position '
            "where it was placed."
        )
    if not shot.is_own(shot.shooter):
        raise ValueError(
            f"Disc {shot.shooter} belongs to team {shot.teams[shot.shooter]}, but team {shot.team} "
            "shot; correct shooter_team or shooter_id."
        )
    if shot.quadrant is not None and shot.quadrant not in range(4):
        raise ValueError(f"The quadrant is {shot.quadrant}. Give 0, 1, 2 or 3.")


def _check_final_positions(shot: ShotFacts) -> None:
    before, after = (
        {position.id for position in shot.before},
        [position.id for position in shot.after],
    )
    for disc in after:
        if disc not in before:
            raise ValueError(
                f'Disc {disc} is listed in "after" but not in "before"; list every disc in both.'
            )
        if after.count(disc) > 1:
            raise ValueError(f'Disc {disc} is listed twice in "after"; list each disc once.')
    lost = sorted(before - set(after))
    if lost:
        raise ValueError(
            f'Disc {lost[0]} is missing from "after". Add its position, or the state "ditch".'
        )
    for position in shot.after:
        if position.state is not DiscState.DITCH and (
            position.x_mm is None or position.y_mm is None
        ):
            raise ValueError(f'Disc {position.id} has no position in "after". Give x_mm and y_mm.')


def _check_contacts(shot: ShotFacts) -> None:
    known = {disc.id for disc in shot.before}
    for pair in shot.contacts or ():
        discs = [name for name in pair if not is_non_disc(name)]
        unknown = next((disc for disc in discs if disc not in known), None)
        if unknown is not None:
            raise ValueError(f'The contacts mention disc {unknown}, which is not in "before".')
        if not discs or pair[0] == pair[1]:
            raise ValueError(f"{pair[0]} cannot touch {pair[1]}. Give two different discs.")
    stray = next((name for name in sorted(shot.crossed) if name not in known), None)
    if stray is not None:
        raise ValueError(f'"crossed" mentions disc {stray}, which is not in "before".')


def is_non_disc(name: str) -> bool:
    """Whether a contact's partner is not a disc in play: a post, or something outside."""
    return name == OUTSIDE or name.startswith(POST_PREFIX)
