"""Everything that one way to play crokinole may decide otherwise than another.

Knows the choices and which of them cannot go together. Refuses to know what a board looks like and
which set chooses what (see ``sets``).
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, replace
from enum import Enum, StrEnum
from typing import Any, Self


class RulesError(ValueError):
    """A rule set or an option that cannot be; the text is one sentence for the user."""


class Choice(StrEnum):
    """One of a closed list of choices, with what it means in plain words."""

    words: str

    def __new__(cls, value: str, words: str) -> Self:
        """A choice that is typed as ``value`` and explained as ``words``."""
        member = str.__new__(cls, value)
        member._value_ = value
        member.words = words
        return member


class Format(Choice):
    """How many play, and with whom."""

    TWO = "two", "two players"
    TWO_V_ONE = "two-v-one", "three players, two as partners against one"
    THREE_SETS = "three-sets", "three players with a set of discs each"
    TEAMS = "teams", "four players as two pairs of partners"
    FOUR_ALONE = "four-alone", "four players, each alone"


class TwoVOneOrder(Choice):
    """In which order three players with two sets shoot."""

    LONE_EVERY_OTHER = "lone-every-other", "the lone player takes every other turn, in one quadrant"
    LONE_AFTER_EACH = "lone-after-each", "the lone player shoots after each of the two others"
    SIDES_ALTERNATE = "sides-alternate", "the sides take turns, and the partners share theirs"


class FirstStarter(Choice):
    """Who starts the first round."""

    DRAW = "draw", "a draw"
    AGREED = "agreed", "as the players agree"


class NextStarter(Choice):
    """Who starts the rounds after the first."""

    ALTERNATES = "alternates", "the side that did not start the round before"
    CLOCKWISE = "clockwise", "the next player clockwise"
    LOSER_DECIDES = "loser-decides", "the loser of the round decides; after a tie, clockwise"


class PlacementLine(Choice):
    """How a disc may lie to the shooting line before it is shot."""

    TOUCHING = "touching", "touching the shooting line"
    TOUCHING_OR_BEHIND = "touching-or-behind", "touching the shooting line or behind it"


class PlacementCentre(Choice):
    """Where the centre of a disc may be before it is shot."""

    ANYWHERE = "anywhere", "its centre on either side of the line"
    NOT_INSIDE = "not-inside", "its centre on the line or outside it"


class PlacementQuadrant(Choice):
    """How a disc may lie to the quadrant lines before it is shot."""

    WITHIN = "within", "inside the shooter's quadrant, not reaching over its lines"
    HALF_OVER = "half-over", "at most half over a quadrant line"
    TOUCHING = "touching", "inside the quadrant or touching its lines from either side"


class ContactRule(Choice):
    """Which contact with an opponent's disc makes a shot valid."""

    SHOOTER_ONLY = "shooter-only", "the disc shot must itself strike an opponent's disc"
    FRIENDLY_DRIVEN = "friendly-driven", "the disc shot, or a friendly disc that it drives"
    ANY_OWN = "any-own", "any own disc may strike it, in any order"
    CHAIN = "chain", "the disc shot, or any disc in a chain from it"


class PenaltyScope(Choice):
    """Which discs an invalid shot costs."""

    SHOOTER = "shooter", "the disc shot"
    OWN_TOUCHED = "own-touched", "the disc shot and the own discs that it touched"
    OWN_INVOLVED = "own-involved", "the disc shot and all own discs involved"
    TOUCHED = "touched", "the disc shot and every disc that it touched"
    INVOLVED = "involved", "the disc shot and every disc touched in that turn"


class OpenTarget(Choice):
    """Where a disc must end when no opponent's disc is on the board."""

    ANYWHERE = "anywhere", "anywhere on the board"
    PARTLY_INSIDE_15 = "partly-inside-15", "in the hole or at least partly inside the 15-circle"
    TOUCHING_15 = "touching-15", "in the hole, or inside or touching the 15-circle"
    WITHIN_15 = "within-15", "in the hole or wholly inside the 15-circle"


class OpenWhen(Choice):
    """To which shots at an open board its target applies."""

    EVERY = "every", "every shot while no opponent's disc is on the board"
    FIRST_SHOT = "first-shot", "only the first shot of a round"


class OpenDisc(Choice):
    """Which disc must reach the target of an open board."""

    SHOOTER_OR_STRUCK = "shooter-or-struck", "the disc shot, or a disc struck"
    OWN = "own", "one of the shooter's colour that took part"
    SHOOTER_ONLY = "shooter-only", "the disc shot and no other"


class OutAtRest(Choice):
    """Which discs are out when all have come to rest."""

    TOUCHING_LINE = "touching-line", "touching the outer line, or beyond"
    OVERHANGING = "overhanging", "overhanging the edge of the playing surface"


class BounceBack(Choice):
    """What becomes of what a disc did after it left the board and bounced back."""

    DAMAGE_UNDONE = "damage-undone", "the disc is removed and what it then disturbed is put back"
    DAMAGE_STAYS = "damage-stays", "the disc is removed and what it then disturbed stays"


class Crossing(Choice):
    """What becomes of a disc that crossed the outer line and came back over the surface alone."""

    STAYS = "stays", "it stays"
    OUT = "out", "it is out"


class TwentyOwner(Choice):
    """Whose a disc in the hole is."""

    OWNER = "owner", "its owner, whoever knocked it in"
    SHOOTER = "shooter", "the side that shot"


class Leaner(Choice):
    """What a disc is that leans in or on the hole."""

    NOT_TWENTY = "not-twenty", "no 20: it stays, may be knocked in, and is worth 15 at the end"
    TWENTY = "twenty", "a 20"


class LineZone(Choice):
    """The zone of a disc that touches a line."""

    LOWER = "lower", "the lower zone, by the disc's bottom edge"


class RoundScore(Choice):
    """What a round between two sides is worth."""

    DIFFERENCE = "difference", "the difference goes to the higher side; a tie is worth nothing"
    SIMPLE = "simple", "each side keeps its own points"
    ONE_TO_WINNER = "one-to-winner", "one goes to the winner; a tie is worth nothing"
    MATCH_PLAY = "match-play", "2 go to the winner; a tie is 1 each"


class AloneScore(Choice):
    """What a round is worth when three or four play each alone."""

    PLACES = "places", "2, 1, 0 by place; a tie for first 1 each, a tie for second 0 both"
    SIMPLE = "simple", "each player keeps the own points"
    OVER_LOWEST = "over-lowest", "each player's points less the lowest player's"


class GameEnd(Choice):
    """What ends a game."""

    POINTS = "points", "a total of points"
    ROUNDS = "rounds", "a number of rounds"
    BEST_OF = "best-of", "the majority of a number of rounds"


class EndChecked(Choice):
    """When the end of a game is checked."""

    AFTER_ROUND = "after-round", "after a round, never inside it"


class EndTie(Choice):
    """What follows when a game ends level."""

    ANOTHER_ROUND = "another-round", "one more round decides"
    BOTH_WIN = "both-win", "all who are level win"
    SHOOTOUT = "shootout", "a shoot-out for 20s decides"


class TimeOut(Choice):
    """What follows when the time of a round runs out."""

    NO_RULE = "no-rule", "nothing: the round is played to its end"
    EQUAL_TURNS = "equal-turns", "the side with fewer shots gets one more, so that turns are equal"


class Reshoot(Choice):
    """When a beginner may shoot a disc again."""

    NONE = "none", "never"
    AGREED = "agreed", "an invalid shot, as often as was agreed before"
    MET_NO_DISC = "met-no-disc", "a shot that met no disc and was not valid, but no free shot"


class CalledFoul(Choice):
    """What no camera over a board sees, so that a person calls it."""

    ONE_CHEEK = "one-cheek", "the shooter left the chair"
    OTHER_HAND = "other-hand", "more than the shooting hand touched the board"
    MOVED_BOARD = "moved-board", "the board was moved"
    MOVED_CHAIR = "moved-chair", "a chair was moved"
    COACHING = "coaching", "somebody coached the shooter who may not"
    DISTRACTION = "distraction", "the shooter was distracted"
    AID = "aid", "the shooter used more than a finger"


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleOptions:
    """One way to play, decision by decision. Raises ``RulesError`` for what cannot be played."""

    discs_singles: int
    discs_partner: int
    discs_alone: int
    formats: frozenset[Format]
    two_v_one_order: TwoVOneOrder
    first_starter: FirstStarter
    next_starter: NextStarter
    placement_line: PlacementLine
    placement_centre: PlacementCentre
    placement_quadrant: PlacementQuadrant
    placement_penalty: PenaltyScope
    contact: ContactRule
    miss_penalty: PenaltyScope
    penalty_takes_twenties: bool
    open_target: OpenTarget
    open_when: OpenWhen
    open_disc: OpenDisc
    open_penalty: PenaltyScope
    out_at_rest: OutAtRest
    bounce_back: BounceBack
    crossing: Crossing
    twenty_owner: TwentyOwner
    leaner: Leaner
    line_zone: LineZone
    round_score: RoundScore
    alone_score: AloneScore
    twenties_apart: bool
    game_end: GameEnd
    game_points: int
    match_points: int
    game_rounds: int
    best_of: int
    end_checked: EndChecked
    end_tie: EndTie
    shootout_shots: int
    shootout_shots_partner: int
    time_out: TimeOut
    reshoot: Reshoot
    reshoot_limit: int
    called_fouls: frozenset[CalledFoul]

    def __post_init__(self) -> None:
        for name, least, most in _RANGES:
            _check_range(name, getattr(self, name), least, most)
        if not self.formats:
            raise RulesError("formats is empty; name at least one way to sit, such as two.")
        if self.best_of % 2 == 0:
            raise RulesError(f"best_of is {self.best_of}; give an odd number of rounds.")
        for conflict in _CONFLICTS:
            sentence = conflict(self)
            if sentence is not None:
                raise RulesError(sentence)


#: Least and most of every number. A set has at most 12 discs; 20 hours hold no 1,000 rounds.
_RANGES = (
    ("discs_singles", 1, 12),
    ("discs_partner", 1, 6),
    ("discs_alone", 1, 12),
    ("game_points", 1, 10_000),
    ("match_points", 1, 1_000),
    ("game_rounds", 1, 1_000),
    ("best_of", 1, 999),
    ("shootout_shots", 1, 12),
    ("shootout_shots_partner", 1, 6),
    ("reshoot_limit", 0, 12),
)


def _check_range(name: str, value: int, least: int, most: int) -> None:
    if not least <= value <= most:
        raise RulesError(f"{name} is {value}; give a number from {least} to {most}.")


def _first_shot_without_target(options: RuleOptions) -> str | None:
    if options.open_when is OpenWhen.FIRST_SHOT and options.open_target is OpenTarget.ANYWHERE:
        return (
            "open_when=first-shot and open_target=anywhere cannot go together: a rule for the "
            "first shot needs somewhere for its disc to end."
        )
    return None


def _reshoot_without_limit(options: RuleOptions) -> str | None:
    if options.reshoot is not Reshoot.NONE and options.reshoot_limit == 0:
        return (
            f"reshoot={options.reshoot} and reshoot_limit=0 cannot go together: say how many "
            "re-shoots a player has in a round."
        )
    return None


def _limit_without_reshoot(options: RuleOptions) -> str | None:
    if options.reshoot is Reshoot.NONE and options.reshoot_limit > 0:
        return (
            f"reshoot=none and reshoot_limit={options.reshoot_limit} cannot go together: "
            "say which shots may be shot again."
        )
    return None


def _uneven_shootout(options: RuleOptions) -> str | None:
    is_uneven = options.shootout_shots != 2 * options.shootout_shots_partner
    if options.end_tie is EndTie.SHOOTOUT and is_uneven:
        return (
            f"shootout_shots={options.shootout_shots} and "
            f"shootout_shots_partner={options.shootout_shots_partner} cannot go together: a pair "
            "shoots as often as a single player, so one is twice the other."
        )
    return None


_CONFLICTS: tuple[Callable[[RuleOptions], str | None], ...] = (
    _first_shot_without_target,
    _reshoot_without_limit,
    _limit_without_reshoot,
    _uneven_shootout,
)


def option_names() -> tuple[str, ...]:
    """The names of all options, in the order in which a game meets them."""
    return tuple(field.name for field in fields(RuleOptions))


def override_options(options: RuleOptions, changes: Mapping[str, Any]) -> RuleOptions:
    """``options`` with some decided otherwise, by name and as typed. Raises ``RulesError``."""
    parsed = {name: _parse_option(name, options, value) for name, value in changes.items()}
    return replace(options, **parsed)


def to_json_value(value: Any) -> Any:
    """An option's value as JSON holds it."""
    if isinstance(value, frozenset):
        return sorted(str(each) for each in value)
    return str(value) if isinstance(value, Enum) else value


def _parse_option(name: str, options: RuleOptions, value: Any) -> Any:
    names = option_names()
    if name not in names:
        near = difflib.get_close_matches(name, names, n=1)
        hint = f"did you mean {near[0]}?" if near else "`crokinole rules mayday` lists all."
        raise RulesError(f"There is no option {name!r}; {hint}")
    current = getattr(options, name)
    if isinstance(current, bool):
        return _parse_bool(name, value)
    if isinstance(current, int):
        return _parse_int(name, value)
    if isinstance(current, frozenset):
        return _parse_set(name, value)
    return _parse_choice(name, type(current), value)


def _parse_bool(name: str, value: Any) -> bool:
    words = {"yes": True, "no": False, "true": True, "false": False}
    if isinstance(value, str) and value.lower() in words:
        return words[value.lower()]
    if isinstance(value, bool):
        return value
    raise RulesError(f"{name} is {value!r}; say yes or no.")


def _parse_int(name: str, value: Any) -> int:
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    if isinstance(value, str) and value.strip().isascii() and value.strip().isdigit():
        return int(value)
    raise RulesError(f"{name} is {value!r}; give a whole number.")


_SET_TYPES: dict[str, type[Choice]] = {"formats": Format, "called_fouls": CalledFoul}


def _parse_set(name: str, value: Any) -> frozenset[Any]:
    if isinstance(value, str):
        value = [each for each in value.split(",") if each]
    if not isinstance(value, list | tuple | set | frozenset):
        raise RulesError(f"{name} is {value!r}; give a list of choices.")
    return frozenset(_parse_choice(name, _SET_TYPES[name], each) for each in value)


def _parse_choice(name: str, kind: type[Choice], value: Any) -> Choice:
    try:
        return kind(value)  # type: ignore[call-arg]  # by value, which the enum's metaclass allows
    except (ValueError, TypeError):
        choices = ", ".join(each.value for each in kind)
        raise RulesError(f"{name} is {value!r}; choose from {choices}.") from None
