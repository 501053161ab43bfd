"""Players' strength from all tournaments so far: Plackett-Luce ratings with uncertainty.

Weng and Lin 2011, "A Bayesian approximation method for online ranking", by ``openskill``. Walkovers
and byes are ignored. Players are identified by name, regardless of case.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from openskill.models import PlackettLuce, PlackettLuceRating

from scorer.tournament.state import TournamentState


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayerRating:
    """A player's strength as a normal distribution, and the number of matches from which it was
    estimated.
    """

    player: str
    mean: float
    sigma: float
    matches: int

    @property
    def ordinal(self) -> float:
        """The lower bound of a player's strength, three sigmas below the mean; lists are sorted by
        it.
        """
        return self.mean - 3 * self.sigma


def rate_players(tournaments: Iterable[TournamentState]) -> tuple[PlayerRating, ...]:
    """All who played a match, strongest first; the tournaments must be in order of date."""
    model = PlackettLuce()
    ratings: dict[str, PlackettLuceRating] = {}
    names: dict[str, str] = {}
    counts: dict[str, int] = {}
    for state in tournaments:
        for match in state.matches:
            if match.result is None or match.second is None or match.result.is_walkover:
                continue
            teams = [state.entries[entry].players for entry in (match.first, match.second)]
            for player in (player for team in teams for player in team):
                names.setdefault(player.casefold(), player)
                counts[player.casefold()] = counts.get(player.casefold(), 0) + 1
            keys = [[player.casefold() for player in team] for team in teams]
            rated = model.rate(
                [[ratings.get(key) or model.rating(name=key) for key in team] for team in keys],
                scores=[float(point) for point in match.result.points],
            )
            for team_keys, team_ratings in zip(keys, rated, strict=True):
                ratings.update(zip(team_keys, team_ratings, strict=True))
    result = [
        PlayerRating(player=names[key], mean=rating.mu, sigma=rating.sigma, matches=counts[key])
        for key, rating in ratings.items()
    ]
    return tuple(sorted(result, key=lambda rating: (-rating.ordinal, rating.player)))
