"""The players of the sides, their discs, and the order of turns."""

from __future__ import annotations

from calibration.phrase import Phrase
from scorer.match.events import MatchError
from scorer.rules.choices import Format, NextStarter, TwoVOneOrder
from scorer.rules.options import RuleOptions

#: Sides by format, as player numbers; in two against one the lone player comes first.
_SIDES: dict[Format, tuple[tuple[int, ...], ...]] = {
    Format.TWO: ((0,), (1,)),
    Format.TWO_V_ONE: ((0,), (1, 2)),
    Format.THREE_SETS: ((0,), (1,), (2,)),
    Format.TEAMS: ((0, 2), (1, 3)),
    Format.FOUR_ALONE: ((0,), (1,), (2,), (3,)),
}

#: In all documented orders, the lone player takes every other turn.
_TWO_V_ONE_CYCLE = (0, 1, 0, 2)
#: The lone player's number.
_SINGLE = 0


def sides_of(format_: Format) -> tuple[tuple[int, ...], ...]:
    """The players of each side."""
    return _SIDES[format_]


def player_count(format_: Format) -> int:
    """Number of players."""
    return sum(len(side) for side in _SIDES[format_])


def side_of(format_: Format, player: int) -> int:
    """The side that a player plays for."""
    return next(k for k, side in enumerate(_SIDES[format_]) if player in side)


def discs_of(format_: Format, options: RuleOptions) -> tuple[int, ...]:
    """Number of discs of a player in a round."""
    partner = options.discs_partner
    return {
        Format.TWO: (options.discs_singles,) * 2,
        Format.TWO_V_ONE: (2 * partner, partner, partner),
        Format.THREE_SETS: (options.discs_alone,) * 3,
        Format.TEAMS: (partner,) * 4,
        Format.FOUR_ALONE: (options.discs_alone,) * 4,
    }[format_]


def discs_of_sides(format_: Format, options: RuleOptions) -> tuple[int, ...]:
    """Numbers of the sides' discs in a round."""
    discs = discs_of(format_, options)
    return tuple(sum(discs[player] for player in side) for side in _SIDES[format_])


def turn_order(format_: Format, starter: int) -> tuple[int, ...]:
    """The players in the order of their turns, which repeats until all discs have been shot."""
    if format_ is Format.TWO_V_ONE:
        first = _TWO_V_ONE_CYCLE.index(starter)
        return _TWO_V_ONE_CYCLE[first:] + _TWO_V_ONE_CYCLE[:first]
    count = player_count(format_)
    return tuple((starter + step) % count for step in range(count))


def player_to_shoot(format_: Format, starter: int, shot: int) -> int:
    """The player of a round's shot, counted from 0."""
    turns = turn_order(format_, starter)
    return turns[shot % len(turns)]


def shots_of_round(format_: Format, options: RuleOptions) -> int:
    """Number of shots in a whole round."""
    return sum(discs_of(format_, options))


def round_up_to_equal_turns(format_: Format, shots: int) -> int:
    """The number of shots, at least ``shots``, after which all sides have had the same number."""
    sides = len(_SIDES[format_])
    return -(-shots // sides) * sides


def may_start(format_: Format, options: RuleOptions, player: int) -> bool:
    """Whether a player may start a round; a player who shoots after each of two others never
    may.
    """
    is_after_opponents = options.two_v_one_order is TwoVOneOrder.SINGLE_AFTER_OPPONENT
    return not (format_ is Format.TWO_V_ONE and is_after_opponents and player == _SINGLE)


def list_starters(format_: Format, options: RuleOptions) -> tuple[int, ...]:
    """The players who may start a round, for a draw."""
    players = range(player_count(format_))
    return tuple(player for player in players if may_start(format_, options, player))


def starter_after(format_: Format, options: RuleOptions, player: int) -> int:
    """This player, or the next clockwise who may start a round."""
    return player if may_start(format_, options, player) else player + 1


def next_starter(format_: Format, options: RuleOptions, starter: int) -> int:
    """The starter of the next round, unless a loser decides differently."""
    if options.next_starter is NextStarter.ALTERNATES and format_ is Format.TWO_V_ONE:
        return 1 if starter == 0 else 0
    return starter_after(format_, options, (starter + 1) % player_count(format_))


def check_players(format_: Format, options: RuleOptions, players: tuple[str, ...]) -> None:
    """Raise ``MatchError`` if these players cannot play this format."""
    if format_ not in options.formats:
        known = ", ".join(sorted(options.formats))
        raise MatchError(
            Phrase(
                "These rules cannot be played as %(format)s. Choose from %(known)s.",
                format=format_,
                known=known,
            )
        )
    count = player_count(format_)
    if len(players) != count:
        raise MatchError(
            Phrase(
                "The format %(format)s needs %(count)s players, not %(players)s.",
                format=format_,
                count=count,
                players=len(players),
            )
        )
    if len(set(players)) != count or not all(player.strip() for player in players):
        raise MatchError(Phrase("Each player needs a different name."))
