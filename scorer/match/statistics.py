"""Statistics of a match's players: 20s, fouls and points gained, with the number of observations.

Means of few observations are not suppressed: every mean has its n, and is None without
observations. Shots that a person only counted are left out, because it is not known whether they
were misses. Rounds entered only as points have no shots, so their players have only their side's
statistics.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from scorer.match.events import Event, FoulCalled, ShotPlayed
from scorer.match.fold import replay_log
from scorer.match.state import MatchState, RoundState
from scorer.match.turns import side_of
from scorer.zone_values import TWENTY

_FOUL = "foul"


@dataclass(frozen=True, slots=True, kw_only=True)
class RunningMean:
    """A sum over n observations, and its mean."""

    total: int = 0
    n: int = 0

    @property
    def mean(self) -> float | None:
        """The mean; None without observations."""
        return self.total / self.n if self.n else None

    def add(self, amount: int) -> RunningMean:
        """The running mean after one more observation."""
        return RunningMean(total=self.total + amount, n=self.n + 1)


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayerStatistics:
    """One player's statistics.

    open_twenties  20s, per shots at a board without an opponent's disc
    fouls          foul shots, per shots
    shot_points    change of the own side's points minus the others' by a shot, per shots
    called_fouls   fouls that a person called
    round_points   points of the player's side, per rounds
    round_twenties 20s of the player's side, over rounds
    """

    player: str
    open_twenties: RunningMean = RunningMean()
    fouls: RunningMean = RunningMean()
    shot_points: RunningMean = RunningMean()
    called_fouls: int = 0
    round_points: RunningMean = RunningMean()
    round_twenties: RunningMean = RunningMean()


def compute_player_statistics(log: Sequence[Event]) -> tuple[PlayerStatistics, ...]:
    """Every player's statistics, in the order of the players. Raises ``MatchError``."""
    (_, _, state), *rest = replay_log(log)
    players = [PlayerStatistics(player=name) for name in state.setup.players]
    for _, event, after in rest:
        if isinstance(event, ShotPlayed):
            players[event.player] = _count_shot(players[event.player], state, after, event)
        elif isinstance(event, FoulCalled):
            known = players[event.player]
            players[event.player] = replace(known, called_fouls=known.called_fouls + 1)
        state = after
    return tuple(_add_rounds(known, state, player) for player, known in enumerate(players))


def _count_shot(
    known: PlayerStatistics, before: MatchState, after: MatchState, event: ShotPlayed
) -> PlayerStatistics:
    if event.is_unseen:
        return known
    side = side_of(before.setup.format, event.player)
    known = replace(known, fouls=known.fouls.add(event.verdict == _FOUL))
    if event.reshoot:
        return known
    if all(disc.side == side for disc in before.round.board):
        twenties = known.open_twenties.add(event.made_twenty(side))
        known = replace(known, open_twenties=twenties)
    # A camera's 20 is an event of its own in the log, after its shot.
    own = max(event.twenties[side], event.made_twenty(side) and event.verdict != _FOUL)
    others = sum(event.twenties) - event.twenties[side]
    gained = _lead_on_board(after.round, side) - _lead_on_board(before.round, side)
    return replace(known, shot_points=known.shot_points.add(gained + TWENTY * (own - others)))


def _lead_on_board(play: RoundState, side: int) -> int:
    """A side's points on the board minus those of all others."""
    return sum(disc.zone if disc.side == side else -disc.zone for disc in play.board)


def _add_rounds(known: PlayerStatistics, state: MatchState, player: int) -> PlayerStatistics:
    side = side_of(state.setup.format, player)
    rounds = len(state.rounds)
    return replace(
        known,
        round_points=RunningMean(
            total=sum(result.points[side] for result in state.rounds), n=rounds
        ),
        round_twenties=RunningMean(
            total=sum(result.twenties[side] for result in state.rounds), n=rounds
        ),
    )
