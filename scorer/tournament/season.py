"""A season of several evenings, with a ranking by the places in all of them.

On an evening a player gets one point for every player ranked equal or below, themselves included,
so a well-attended evening is worth more. Players are identified by name, regardless of case; both
players of a pair get the pair's points.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from scorer.tournament.ratings import PlayerRating, rate_players
from scorer.tournament.standings import rank_overall
from scorer.tournament.state import TournamentState


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayerEvening:
    """A player's results on one evening; ``rating`` is the rating afterwards, None before any
    match.

    evening  its place in the season, from 0
    """

    evening: int
    rank: int
    entries: int
    points: int
    played: int
    wins: int
    draws: int
    twenties: int
    rating: PlayerRating | None


@dataclass(frozen=True, slots=True, kw_only=True)
class SeasonRow:
    """A player's line of the season's table."""

    player: str
    rank: int
    points: int
    evenings: tuple[PlayerEvening, ...]

    @property
    def wins(self) -> int:
        """Matches won on all evenings, without walkovers."""
        return sum(evening.wins for evening in self.evenings)

    @property
    def played(self) -> int:
        """Matches played on all evenings."""
        return sum(evening.played for evening in self.evenings)

    @property
    def twenties(self) -> int:
        """20s made on all evenings."""
        return sum(evening.twenties for evening in self.evenings)

    @property
    def best(self) -> int:
        """The best place on any evening."""
        return min(evening.rank for evening in self.evenings)

    @property
    def rating(self) -> PlayerRating | None:
        """The player's rating after the last evening."""
        return self.evenings[-1].rating


def build_season(states: Sequence[TournamentState]) -> tuple[SeasonRow, ...]:
    """The table of a season; evenings come in order, and ties are broken by wins and 20s."""
    evenings: dict[str, list[PlayerEvening]] = {}
    names: dict[str, str] = {}
    for number, state in enumerate(states):
        ratings = {row.player.casefold(): row for row in rate_players(states[: number + 1])}
        ranked = rank_overall(state)
        for entry, rank in ranked:
            for player in state.entries[entry].players:
                key = player.casefold()
                names.setdefault(key, player)
                evening = _sum_evening(state, entry, number, rank, len(ranked), ratings.get(key))
                evenings.setdefault(key, []).append(evening)
    rows = [
        SeasonRow(
            player=names[key],
            rank=0,
            points=sum(evening.points for evening in played),
            evenings=tuple(played),
        )
        for key, played in evenings.items()
    ]
    rows.sort(key=lambda row: (-row.points, -row.wins, -row.twenties, row.player))
    return tuple(
        SeasonRow(
            player=row.player,
            rank=1 + sum(other.points > row.points for other in rows),
            points=row.points,
            evenings=row.evenings,
        )
        for row in rows
    )


def _sum_evening(
    state: TournamentState,
    entry: int,
    evening: int,
    rank: int,
    entries: int,
    rating: PlayerRating | None,
) -> PlayerEvening:
    played = [
        match
        for match in state.matches
        if entry in match.entries and match.result and not match.result.is_walkover
    ]
    return PlayerEvening(
        evening=evening,
        rank=rank,
        entries=entries,
        points=entries - rank + 1,
        played=len(played),
        wins=sum(match.winner == entry for match in played),
        draws=sum(match.winner is None for match in played),
        twenties=sum(match.twenties_of(entry) for match in played),
        rating=rating,
    )
