"""How each player of a match did, always with how often it was seen.

Knows shots, fouls and 20s of a log. Refuses to judge small numbers: every rate carries its n, and
one that was never seen is None. Rounds that were told as points alone have no shots: their
players have only the figures of their side.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from scorer.match import steps
from scorer.match_events import Event, FoulCalled, ShotPlayed
from scorer.match_state import MatchState, RoundState
from scorer.match_turns import side_of

_FOUL = "foul"
_TWENTY = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Rate:
    """A sum over so many occasions."""

    total: int = 0
    n: int = 0

    @property
    def mean(self) -> float | None:
        """The mean; None where nothing was seen."""
        return self.total / self.n if self.n else None

    def with_one(self, amount: int) -> Rate:
        """The rate after one more occasion."""
        return Rate(total=self.total + amount, n=self.n + 1)


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayerFigures:
    """One player's figures.

    open_twenties  20s, over shots at a board without an opponent's disc
    fouls          shots that were fouls, over shots
    shot_points    points that a shot changed for the own side less the others', over shots
    called_fouls   fouls that a person called
    round_points   points of the player's side, over rounds
    round_twenties 20s of the player's side, over rounds
    """

    player: str
    open_twenties: Rate = Rate()
    fouls: Rate = Rate()
    shot_points: Rate = Rate()
    called_fouls: int = 0
    round_points: Rate = Rate()
    round_twenties: Rate = Rate()


@dataclass(slots=True)
class _Tally:
    open_twenties: Rate = Rate()
    fouls: Rate = Rate()
    shot_points: Rate = Rate()
    called_fouls: int = 0


def figures(log: Sequence[Event]) -> tuple[PlayerFigures, ...]:
    """Every player's figures, in the order of the players."""
    (_, state), *rest = steps(log)
    tallies = [_Tally() for _ in state.setup.players]
    for event, after in rest:
        if isinstance(event, ShotPlayed):
            _count_shot(tallies[event.player], state, after, event)
        elif isinstance(event, FoulCalled):
            tallies[event.player].called_fouls += 1
        state = after
    return tuple(_figures(state, player, tally) for player, tally in enumerate(tallies))


def _count_shot(tally: _Tally, before: MatchState, after: MatchState, event: ShotPlayed) -> None:
    side = side_of(before.setup.format, event.player)
    tally.fouls = tally.fouls.with_one(event.verdict == _FOUL)
    if event.reshoot:
        return
    if all(each.side == side for each in before.round.board):
        tally.open_twenties = tally.open_twenties.with_one(int(event.twenties[side] > 0))
    gained = _lead(after.round, side) - _lead(before.round, side)
    tally.shot_points = tally.shot_points.with_one(gained)


def _lead(play: RoundState, side: int) -> int:
    """Points of a side less those of all others, with 20s."""
    on_board = sum(each.zone if each.side == side else -each.zone for each in play.board)
    own = play.twenties[side]
    return on_board + _TWENTY * (2 * own - sum(play.twenties))


def _figures(state: MatchState, player: int, tally: _Tally) -> PlayerFigures:
    side = side_of(state.setup.format, player)
    rounds = len(state.rounds)
    return PlayerFigures(
        player=state.setup.players[player],
        open_twenties=tally.open_twenties,
        fouls=tally.fouls,
        shot_points=tally.shot_points,
        called_fouls=tally.called_fouls,
        round_points=Rate(total=sum(each.points[side] for each in state.rounds), n=rounds),
        round_twenties=Rate(total=sum(each.twenties[side] for each in state.rounds), n=rounds),
    )
