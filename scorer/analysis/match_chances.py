"""The chances of two sides to win a match, from the score, the starter and the format.

Dynamic programming over rounds: a round's change follows from the expected gain of one side over
the other from an empty board (``value``), and the rules define its value and the end of a game. A
shoot-out counts as even. If both sides add up their own points, the split of points is not known,
so there are no chances. Games too long to enumerate have none either.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cache
from typing import NamedTuple

import numpy as np

from calibration.numerics.arrays import FloatArray
from scorer.match.scoring import Amounts, evaluate_standing, round_value, winning_total
from scorer.match.state import MatchSetup, MatchState
from scorer.match.turns import side_of
from scorer.rules.choices import GameEnd, RoundScore
from scorer.rules.options import RuleOptions

#: Games with more points or rounds than these are not enumerated.
_MOST_POINTS, _MOST_ROUNDS = 300, 40


class Chances(NamedTuple):
    """The chances that side 0 wins, of a tie, and that side 1 wins."""

    win: float
    tie: float
    lose: float

    def of_side(self, side: int) -> float:
        """The chance that a side wins, with a tie counting half."""
        return (self.lose if side else self.win) + self.tie / 2


class _Standing(NamedTuple):
    """The facts that decide how a game continues: totals or rounds won, the number of rounds
    played, the starter.
    """

    amounts: Amounts
    played: int
    starter: int


#: Chances of side 0's lead over side 1 in a round that a given side starts, in multiples of a step.
RoundGains = Callable[[int], dict[int, float]]


def can_enumerate(options: RuleOptions) -> bool:
    """Whether a game's chances can be computed."""
    if options.round_score is RoundScore.SIMPLE:
        return False
    if options.game_end is GameEnd.POINTS:
        return winning_total(options, 2) <= _MOST_POINTS
    most = options.best_of if options.game_end is GameEnd.BEST_OF else options.game_rounds
    return most <= _MOST_ROUNDS


class MatchChances:
    """The chances of a match between two sides, by the result of the current round."""

    def __init__(self, setup: MatchSetup, round_gains: RoundGains) -> None:
        """For a match with these round gains."""
        is_known = len(setup.sides) == 2 and can_enumerate(setup.options)
        self._setup = setup
        self._game = _GameChances(setup.options, round_gains) if is_known else None

    def find(self, state: MatchState, ends: FloatArray) -> FloatArray | None:
        """The chances (k, 3) by side 0's lead (k,) in the current round; None: unknown."""
        if self._game is None:
            return None
        game, setup = self._game, self._setup
        starter = side_of(setup.format, state.round.starter)
        values = [result.value for result in state.rounds[state.game_start :]]
        standing = _Standing(*_add_rounds(setup.options, values), starter)
        a, b = (sum(side in over.winners for over in state.games) for side in (0, 1))
        fresh, played = game.fresh(), len(state.games)
        return np.array(
            [
                _play_games(game.after(standing, round(end)), fresh, (a, b), played, setup.games)
                for end in ends.tolist()
            ]
        )


def _mix(parts: Iterable[tuple[float, Chances]]) -> Chances:
    total = np.zeros(3)
    for chance, chances in parts:
        total += chance * np.array(chances)
    return Chances(*(total / max(total.sum(), 1e-12)).tolist())


def _add_rounds(options: RuleOptions, values: list[Amounts]) -> tuple[Amounts, int]:
    """The facts that decide a game, from the values of its rounds."""
    if options.game_end is GameEnd.BEST_OF:
        won = [sum(value[side] > value[1 - side] for value in values) for side in (0, 1)]
        return (won[0], won[1]), len(values)
    totals = (sum(value[0] for value in values), sum(value[1] for value in values))
    if options.game_end is GameEnd.ROUNDS:  # only the difference decides
        return (totals[0] - min(totals), totals[1] - min(totals)), len(values)
    return totals, 0


class _GameChances:
    """The chances of one game, by its standing."""

    def __init__(self, options: RuleOptions, round_gains: RoundGains) -> None:
        """For these rules, with these round gains."""
        self._options = options
        # from here on, only the score matters
        is_best = options.game_end is GameEnd.BEST_OF
        self._most = options.best_of if is_best else options.game_rounds
        self._gains = {starter: round_gains(starter) for starter in (0, 1)}
        self._from = cache(self._find)

    def fresh(self) -> Chances:
        """The chances of a new game, for either starter."""
        return _mix((0.5, self._from((0, 0), 0)[starter]) for starter in (0, 1))

    def after(self, standing: _Standing, points: int) -> Chances:
        """The chances after a round that side 0 wins by the given number of points."""
        amounts, played = self._count(standing.amounts, standing.played, points)
        return self._end(amounts, played) or self._from(amounts, played)[1 - standing.starter]

    def _count(self, amounts: Amounts, played: int, points: int) -> tuple[Amounts, int]:
        value = round_value((max(points, 0), max(-points, 0)), self._options)
        more, counted = _add_rounds(self._options, [value])
        total = (amounts[0] + more[0], amounts[1] + more[1])
        if self._options.game_end is GameEnd.ROUNDS:  # only the difference decides
            total = (total[0] - min(total), total[1] - min(total))
        return total, min(played + counted, self._most)

    def _end(self, amounts: Amounts, played: int) -> Chances | None:
        """The chances of a finished game; None while it continues."""
        a, b = amounts
        values: list[Amounts] = [amounts] + [(0, 0)] * (played - 1)
        if self._options.game_end is GameEnd.BEST_OF:
            values = [*[(1, 0)] * a, *[(0, 1)] * b, *[(0, 0)] * (played - a - b)]
        standing = evaluate_standing(values, self._options)
        if standing.shootout:
            return Chances(0.5, 0.0, 0.5)
        if len(standing.winners) == 2:
            return Chances(0.0, 1.0, 0.0)
        if standing.winners:
            return Chances(1.0, 0.0, 0.0) if standing.winners == (0,) else Chances(0.0, 0.0, 1.0)
        return None

    def _find(self, amounts: Amounts, played: int) -> tuple[Chances, Chances]:
        """The chances before a round that side 0 starts, and before one that side 1 starts.

        A tied round leads to the same standing with the other starter, which gives two linear
        equations.
        """
        known, stays = np.zeros((2, 3)), np.zeros(2)
        for starter in (0, 1):
            for points, chance in self._gains[starter].items():
                after = self._count(amounts, played, points)
                if after == (amounts, played):
                    stays[starter] += chance
                    continue
                end = self._end(*after) or self._from(*after)[1 - starter]
                known[starter] += chance * np.array(end)
        both = 1 - stays[0] * stays[1]
        first = (known[0] + stays[0] * known[1]) / both
        second = (known[1] + stays[1] * known[0]) / both
        return Chances(*first.tolist()), Chances(*second.tolist())


def _play_games(
    this: Chances, fresh: Chances, won: tuple[int, int], played: int, games: int
) -> Chances:
    """The chances of a match of several games, from the chances of the current game and of later
    games.
    """

    def go_on(a: int, b: int, count: int, chances: Chances) -> Chances:
        return _mix(
            (chance, end(a + more[0], b + more[1], count + 1))
            for chance, more in zip(chances, ((1, 0), (1, 1), (0, 1)), strict=True)
        )

    @cache
    def end(a: int, b: int, count: int) -> Chances:
        if 2 * max(a, b) > games or count >= games:
            return Chances(float(a > b), float(a == b), float(a < b))
        return go_on(a, b, count, fresh)

    return go_on(*won, played, this)
