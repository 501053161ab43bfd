"""The value of a round, and the end of a game, from points by side alone."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from calibration.phrase import Phrase
from scorer.match.events import MatchError
from scorer.rules.choices import AloneScore, EndTie, GameEnd, RoundScore
from scorer.rules.options import RuleOptions
from scorer.zone_values import TWENTY, ZONES

#: All zone values and a 20 are multiples of this.
_STEP = 5

Amounts = tuple[int, ...]


def check_round(points: Amounts, twenties: Amounts, discs: Amounts, sides: Sequence[str]) -> None:
    """Raise ``MatchError`` if no discs can make these points."""
    if len(points) != len(sides) or len(twenties) != len(sides):
        raise MatchError(
            Phrase("The round needs a score for each side: %(sides)s.", sides=", ".join(sides))
        )
    for name, total, count, most in zip(sides, points, twenties, discs, strict=True):
        if total < 0 or count < 0:
            raise MatchError(Phrase("%(name)s: points and 20s cannot be negative.", name=name))
        if total % _STEP:
            raise MatchError(
                Phrase(
                    "%(name)s: %(total)s is not a possible score. A round's points "
                    "must be a multiple of 5.",
                    name=name,
                    total=total,
                )
            )
        if count > most:
            raise MatchError(
                Phrase(
                    "%(name)s: %(count)s is too many 20s for %(most)s discs.",
                    name=name,
                    count=count,
                    most=most,
                )
            )
        rest = total - TWENTY * count
        if not 0 <= rest <= max(ZONES) * (most - count):
            raise MatchError(
                Phrase(
                    "%(name)s's %(total)s points do not add up: %(discs)s discs "
                    "%(twenties)s can score from %(lowest)s to %(highest)s points.",
                    name=name,
                    total=total,
                    discs=most,
                    twenties=_describe_twenties(count),
                    lowest=TWENTY * count,
                    highest=TWENTY * count + max(ZONES) * (most - count),
                )
            )


def _describe_twenties(twenties: int) -> str:
    if twenties == 0:
        return Phrase("without a 20")
    return (
        Phrase("with one 20")
        if twenties == 1
        else Phrase("with %(twenties)s twenties", twenties=twenties)
    )


def round_value(points: Amounts, options: RuleOptions) -> Amounts:
    """The points that the sides add to their totals of the game."""
    if len(points) == 2:
        return _TWO_SIDES[options.round_score](points)
    return _ALONE[options.alone_score](points)


def _difference(points: Amounts) -> Amounts:
    return tuple(max(0, 2 * point - sum(points)) for point in points)


def _simple(points: Amounts) -> Amounts:
    return points


def _one_to_winner(points: Amounts) -> Amounts:
    return tuple(int(2 * point > sum(points)) for point in points)


def _match_play(points: Amounts) -> Amounts:
    if points[0] == points[1]:
        return (1, 1)
    return tuple(2 if point == max(points) else 0 for point in points)


def _place_points(points: Amounts) -> Amounts:
    """Points by rank: 2, 1, 0; 1 each and 0 below if tied for first; 0 if tied for second."""
    first = max(points)
    if points.count(first) > 1:
        return tuple(int(point == first) for point in points)
    second = max(point for point in points if point != first)
    second_value = 1 if points.count(second) == 1 else 0
    return tuple(2 if point == first else second_value * (point == second) for point in points)


def _over_lowest(points: Amounts) -> Amounts:
    return tuple(point - min(points) for point in points)


_TWO_SIDES: dict[RoundScore, Callable[[Amounts], Amounts]] = {
    RoundScore.DIFFERENCE: _difference,
    RoundScore.SIMPLE: _simple,
    RoundScore.ONE_TO_WINNER: _one_to_winner,
    RoundScore.MATCH_PLAY: _match_play,
}

_ALONE: dict[AloneScore, Callable[[Amounts], Amounts]] = {
    AloneScore.PLACES: _place_points,
    AloneScore.SIMPLE: _simple,
    AloneScore.OVER_LOWEST: _over_lowest,
}


def winning_total(options: RuleOptions, sides: int) -> int:
    """The total that ends a game played to points; in match points if rounds are worth match
    points.
    """
    if sides == 2:
        counts_rounds = options.round_score in (RoundScore.MATCH_PLAY, RoundScore.ONE_TO_WINNER)
    else:
        counts_rounds = options.alone_score is AloneScore.PLACES
    return options.match_points if counts_rounds else options.game_points


@dataclass(frozen=True, slots=True, kw_only=True)
class GameStanding:
    """The standing of a game after a round: over with winners, tied in a shoot-out, or neither."""

    winners: tuple[int, ...] = ()
    shootout: tuple[int, ...] = ()


_GOES_ON = GameStanding()


def evaluate_standing(values: Sequence[Amounts], options: RuleOptions) -> GameStanding:
    """The standing of a game, from the values of its rounds."""
    totals = tuple(map(sum, zip(*values, strict=True)))
    is_due, leading = _END_RULES[options.game_end](values, totals, options)
    if not is_due:
        return _GOES_ON
    tied = tuple(side for side, number in enumerate(leading) if number == max(leading))
    if len(tied) == 1 or options.end_tie is EndTie.BOTH_WIN:
        return GameStanding(winners=tied)
    return GameStanding(shootout=tied) if options.end_tie is EndTie.SHOOTOUT else _GOES_ON


def _by_points(
    _values: Sequence[Amounts], totals: Amounts, options: RuleOptions
) -> tuple[bool, Amounts]:
    return max(totals) >= winning_total(options, len(totals)), totals


def _by_rounds(
    values: Sequence[Amounts], totals: Amounts, options: RuleOptions
) -> tuple[bool, Amounts]:
    return len(values) >= options.game_rounds, totals


def _by_majority(
    values: Sequence[Amounts], totals: Amounts, options: RuleOptions
) -> tuple[bool, Amounts]:
    wins = [0] * len(totals)
    for value in values:
        if value.count(max(value)) == 1:
            wins[value.index(max(value))] += 1
    is_due = 2 * max(wins) > options.best_of or len(values) >= options.best_of
    return is_due, tuple(wins)


_END_RULES: dict[
    GameEnd, Callable[[Sequence[Amounts], Amounts, RuleOptions], tuple[bool, Amounts]]
] = {
    GameEnd.POINTS: _by_points,
    GameEnd.ROUNDS: _by_rounds,
    GameEnd.BEST_OF: _by_majority,
}
