"""A player's record in all matches: wins and losses, 20s and points per round, and opponents.

Every figure has its number of rounds or matches. With a partner, points and 20s are those of both.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from calibration.phrase import Phrase, join
from scorer.local_day import find_day
from scorer.match.statistics import RunningMean
from scorer.match.summary import MatchSummary
from scorer.match.turns import side_of
from scorer.store import ListedMatch

_WIDTH, _HEIGHT, _LEFT = 340, 130, 34


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayedMatch:
    """One match of a player's.

    outcome    won, lost, tied, or open while it is being played
    opponents  names of everybody on the other sides
    """

    id: int
    created: str
    sides: tuple[str, ...]
    totals: tuple[int, ...]
    outcome: str
    opponents: tuple[str, ...]
    points: RunningMean
    twenties: RunningMean


@dataclass(frozen=True, slots=True, kw_only=True)
class HeadToHead:
    """Finished matches against one player."""

    opponent: str
    won: int
    lost: int
    level: int

    @property
    def matches(self) -> int:
        """Number of matches."""
        return self.won + self.lost + self.level


@dataclass(frozen=True, slots=True, kw_only=True)
class ChartPoint:
    """A match's 20s per round as a point in a drawing, with its words."""

    x: float
    y: float
    words: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayerRecord:
    """A player's matches, the newest first, and their sums."""

    name: str
    matches: tuple[PlayedMatch, ...]
    rivals: tuple[HeadToHead, ...]
    points: RunningMean
    twenties: RunningMean
    chart: tuple[ChartPoint, ...]
    most_twenties: float

    def count(self, outcome: str) -> int:
        """Number of matches with that result."""
        return sum(match.outcome == outcome for match in self.matches)


def build_player_record(name: str, listed: Sequence[ListedMatch]) -> PlayerRecord:
    """A player's results in these matches, given the newest first."""
    matches = tuple(
        _describe_match(match, match.summary, match.summary.players.index(name))
        for match in listed
        if match.summary is not None and name in match.summary.players
    )
    most = max((match.twenties.mean or 0.0 for match in matches), default=0.0)
    return PlayerRecord(
        name=name,
        matches=matches,
        rivals=_count_rivals(matches),
        points=_add_up(match.points for match in matches),
        twenties=_add_up(match.twenties for match in matches),
        chart=_place_points([match for match in matches[::-1] if match.twenties.n], max(most, 1.0)),
        most_twenties=max(most, 1.0),
    )


def _describe_match(listed: ListedMatch, summary: MatchSummary, player: int) -> PlayedMatch:
    side = side_of(summary.format, player)
    others = (k for k in range(len(summary.players)) if side_of(summary.format, k) != side)
    return PlayedMatch(
        id=listed.id,
        created=listed.created,
        sides=summary.sides,
        totals=summary.totals,
        outcome=_name_outcome(summary, side),
        opponents=tuple(summary.players[k] for k in others),
        points=RunningMean(total=summary.points[side], n=summary.rounds),
        twenties=RunningMean(total=summary.twenties[side], n=summary.rounds),
    )


def _name_outcome(summary: MatchSummary, side: int) -> str:
    if not summary.is_over:
        return "open"
    if side not in summary.winners:
        return "lost"
    return "won" if len(summary.winners) == 1 else "tied"


def _add_up(means: Iterable[RunningMean]) -> RunningMean:
    means = tuple(means)
    return RunningMean(total=sum(mean.total for mean in means), n=sum(mean.n for mean in means))


def _count_rivals(matches: Sequence[PlayedMatch]) -> tuple[HeadToHead, ...]:
    """The opponents and the number of matches, the most frequent first."""
    played = [match for match in matches if match.outcome != "open"]
    ended = Counter((name, match.outcome) for match in played for name in match.opponents)
    rivals = (
        HeadToHead(
            opponent=name,
            won=ended[name, "won"],
            lost=ended[name, "lost"],
            level=ended[name, "tied"],
        )
        for name in dict.fromkeys(name for name, _ in ended)
    )
    return tuple(sorted(rivals, key=lambda rival: -rival.matches))


def _place_points(matches: Sequence[PlayedMatch], most: float) -> tuple[ChartPoint, ...]:
    """The matches' 20s per round, the oldest on the left."""
    step = (_WIDTH - _LEFT - 16) / max(1, len(matches) - 1)
    return tuple(
        ChartPoint(
            x=round(_LEFT + 8 + k * step, 1),
            y=round(_HEIGHT - 20 - (_HEIGHT - 36) * (match.twenties.mean or 0.0) / most, 1),
            words=join(
                "",
                (
                    Phrase(
                        "%(created)s: %(mean).1f twenties per round ",
                        created=find_day(match.created),
                        mean=match.twenties.mean or 0,
                    ),
                    Phrase("(1 round)")
                    if match.twenties.n == 1
                    else Phrase("(%(rounds)s rounds)", rounds=match.twenties.n),
                ),
            ),
        )
        for k, match in enumerate(matches)
    )
