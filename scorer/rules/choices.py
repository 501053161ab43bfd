"""The choices between ways to play crokinole: a closed list for each decision.

The value of a choice is typed by users and stored in matches; ``words`` explain it.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Self

from calibration.phrase import Phrase


class Choice(StrEnum):
    """A member of a closed list of choices, with its meaning in plain words."""

    words: str

    def __new__(cls, value: str, words: str) -> Self:
        """A choice typed as ``value`` and explained by ``words``."""
        member = str.__new__(cls, value)
        member._value_ = value
        member.words = words
        return member


class Format(Choice):
    """Number of players and their teams."""

    TWO = "two", Phrase("two players")
    TWO_V_ONE = "two-v-one", Phrase("three players, two partners against one")
    THREE_SETS = "three-sets", Phrase("three players, each with a set of discs")
    TEAMS = "teams", Phrase("four players in two pairs")
    FOUR_ALONE = "four-alone", Phrase("four players, each alone")


class TwoVOneOrder(Choice):
    """Order of shots of three players with two sets."""

    SINGLE_EVERY_OTHER = (
        "lone-every-other",
        Phrase("the lone player takes every other turn, always from one quadrant"),
    )
    SINGLE_AFTER_OPPONENT = "lone-after-each", Phrase("the lone player shoots after each opponent")
    SIDES_ALTERNATE = (
        "sides-alternate",
        Phrase("the sides take turns, and the partners share their side's turns"),
    )


class FirstStarter(Choice):
    """Starter of the first round."""

    DRAW = "draw", Phrase("drawn at random")
    AGREED = "agreed", Phrase("agreed by the players")


class NextStarter(Choice):
    """Starter of the rounds after the first."""

    ALTERNATES = "alternates", Phrase("the side that did not start the last round")
    CLOCKWISE = "clockwise", Phrase("the next player clockwise")
    LOSER_DECIDES = (
        "loser-decides",
        Phrase("the loser of the round decides; after a tie, the next player clockwise"),
    )


class PlacementLine(Choice):
    """Allowed place of a disc relative to the shooting line before its shot."""

    TOUCHING = "touching", Phrase("touching the shooting line")
    TOUCHING_OR_BEHIND = "touching-or-behind", Phrase("touching or behind the shooting line")


class PlacementCentre(Choice):
    """Allowed place of a disc's centre before its shot."""

    ANYWHERE = "anywhere", Phrase("its centre on either side of the line")
    NOT_INSIDE = "not-inside", Phrase("its centre on the line or outside it")


class PlacementQuadrant(Choice):
    """Allowed position of a disc relative to the quadrant lines before its shot."""

    WITHIN = "within", Phrase("inside the shooter's quadrant, not over its lines")
    HALF_OVER = "half-over", Phrase("at most half over a quadrant line")
    TOUCHING = "touching", Phrase("inside the quadrant or touching its lines from either side")


class WrongPlace(StrEnum):
    """The way in which a disc was placed wrongly, other than over a quadrant line: ``why`` in the
    evidence.
    """

    CLEAR_INSIDE = "clear inside the line"
    CLEAR_BEHIND = "clear behind the line"
    CENTRE_INSIDE = "centre inside the line"


class ContactRule(Choice):
    """Contact with an opponent's disc that makes a shot valid."""

    SHOOTER_ONLY = "shooter-only", Phrase("the shooting disc itself must hit an opponent's disc")
    FRIENDLY_DRIVEN = (
        "friendly-driven",
        Phrase("the shooting disc, or a friendly disc that it hits"),
    )
    ANY_OWN = "any-own", Phrase("any of the shooter's discs may hit it, in any order")
    CHAIN = "chain", Phrase("the shooting disc, or any disc in a chain it starts")


class PenaltyScope(Choice):
    """Discs lost by an invalid shot."""

    SHOOTER = "shooter", Phrase("the shooting disc")
    OWN_TOUCHED = (
        "own-touched",
        Phrase("the shooting disc and any of the side's own discs it touched"),
    )
    OWN_INVOLVED = (
        "own-involved",
        Phrase("the shooting disc and all of the side's own discs involved"),
    )
    TOUCHED = "touched", Phrase("the shooting disc and every disc it touched")
    INVOLVED = "involved", Phrase("the shooting disc and every disc touched in that turn")


class OpenTarget(Choice):
    """Target of a shot when no opponent's disc is on the board."""

    ANYWHERE = "anywhere", Phrase("anywhere on the board")
    PARTLY_INSIDE_15 = (
        "partly-inside-15",
        Phrase("in the hole or at least partly inside the 15-circle"),
    )
    TOUCHING_15 = "touching-15", Phrase("in the hole, or inside or touching the 15-circle")
    WITHIN_15 = "within-15", Phrase("in the hole or completely inside the 15-circle")


class OpenWhen(Choice):
    """Shots at an open board to which its target applies."""

    EVERY = "every", Phrase("every shot while no opponent's disc is on the board")
    FIRST_SHOT = "first-shot", Phrase("only the first shot of a round")


class OpenDisc(Choice):
    """Disc that must reach the target of an open board."""

    SHOOTER_OR_STRUCK = "shooter-or-struck", Phrase("the shooting disc, or a disc that was hit")
    OWN = "own", Phrase("a disc of the shooter's colour that was part of the shot")
    SHOOTER_ONLY = "shooter-only", Phrase("only the shooting disc")


class OutAtRest(Choice):
    """Discs that are out when all have come to rest."""

    TOUCHING_LINE = "touching-line", Phrase("touching the outer line or beyond it")
    OVERHANGING = "overhanging", Phrase("hanging over the edge of the playing surface")


class BounceBack(Choice):
    """Treatment of the effects of a disc that left the board and bounced back."""

    DAMAGE_UNDONE = (
        "damage-undone",
        Phrase("the disc is removed, and any discs it then disturbed are put back"),
    )
    DAMAGE_REMAINS = (
        "damage-stays",
        Phrase("the disc is removed, and any discs it then disturbed stay where they are"),
    )


class Crossing(Choice):
    """Treatment of a disc that crossed the outer line and came back without touching anything but
    the surface.
    """

    REMAINS = "stays", Phrase("it stays")
    OUT = "out", Phrase("it is out")


class TwentyOwner(Choice):
    """Side for which a disc in the hole counts."""

    OWNER = "owner", Phrase("its owner, whoever knocked it in")
    SHOOTER = "shooter", Phrase("the side that shot")


class Leaner(Choice):
    """The value of a disc that leans in or on the hole."""

    NOT_TWENTY = (
        "not-twenty",
        Phrase("not a 20: it stays, may be knocked in, and is worth 15 at the end"),
    )
    TWENTY = "twenty", "a 20"


class LineZone(Choice):
    """The zone of a disc that touches a line."""

    LOWER = "lower", Phrase("the lower zone, judged by the disc's bottom edge")


class RoundScore(Choice):
    """The value of a round between two sides."""

    DIFFERENCE = (
        "difference",
        Phrase("the side with more points scores the difference; a tie scores nothing"),
    )
    SIMPLE = "simple", Phrase("each side keeps its own points")
    ONE_TO_WINNER = "one-to-winner", Phrase("1 to the winner; nothing for a tie")
    MATCH_PLAY = "match-play", Phrase("2 to the winner; 1 each for a tie")


class AloneScore(Choice):
    """The value of a round of three or four single players."""

    PLACES = (
        "places",
        Phrase("2, 1 and 0 by place; 1 each if tied for first, 0 each if tied for second"),
    )
    SIMPLE = "simple", Phrase("each player keeps their own points")
    OVER_LOWEST = "over-lowest", Phrase("each player's points minus the lowest player's")


class GameEnd(Choice):
    """The end of a game."""

    POINTS = "points", Phrase("a points total")
    ROUNDS = "rounds", Phrase("a number of rounds")
    BEST_OF = "best-of", Phrase("best of a fixed number of rounds")


class EndChecked(Choice):
    """When the end of a game is checked."""

    AFTER_ROUND = "after-round", Phrase("after a round, never during one")


class EndTie(Choice):
    """The consequence of a tied game."""

    ANOTHER_ROUND = "another-round", Phrase("one more round decides")
    BOTH_WIN = "both-win", Phrase("all tied sides win")
    SHOOTOUT = "shootout", Phrase("a shoot-out for 20s decides")


class TimeOut(Choice):
    """The consequence of time running out."""

    NO_RULE = "no-rule", Phrase("nothing: the round is played to its end")
    EQUAL_TURNS = (
        "equal-turns",
        Phrase("the side with fewer shots takes one more, so that turns are equal"),
    )


class Reshoot(Choice):
    """Shots that a beginner may repeat."""

    NONE = "none", "never"
    AGREED = "agreed", Phrase("after an invalid shot, as many times as agreed beforehand")
    MET_NO_DISC = (
        "met-no-disc",
        (Phrase("after an invalid shot that touched no disc, but not after a free shot")),
    )


class CalledFoul(Choice):
    """Fouls called by people: those of a shot, and conduct that a camera above a board cannot
    see.
    """

    NO_CONTACT = "no-contact", Phrase("no opponent's disc was touched")
    OPEN_BOARD = "open-board", Phrase("no disc ended in the centre of an open board")
    PLACEMENT = "placement", Phrase("the disc was placed wrongly")
    ONE_CHEEK = "one-cheek", Phrase("the shooter left the chair")
    OTHER_HAND = "other-hand", Phrase("more than the shooting hand touched the board")
    MOVED_BOARD = "moved-board", Phrase("the board was moved")
    MOVED_CHAIR = "moved-chair", Phrase("a chair was moved")
    COACHING = "coaching", Phrase("someone coached the shooter against the rules")
    DISTRACTION = "distraction", Phrase("the shooter was distracted")
    AID = "aid", Phrase("the shooter used something other than a finger")
    NOT_SEATED = "not-seated", Phrase("the shooter did not stay seated")
    TOO_SOON = "too-soon", Phrase("the shooter shot before all discs had stopped")
    HELD_DISCS = "held-discs", Phrase("discs waiting to be shot were held in the hand")
    EARLY_DISC = "early-disc", Phrase("a disc was placed before it was time to shoot it")
    MOVED_DISC = "moved-disc", Phrase("a disc was moved before the round was scored")
    CHAIR_LEGS = "chair-legs", Phrase("a leg of the chair left the floor")
    FLOOR = "floor", Phrase("the shooter used the floor for support")
    WAX = "wax", Phrase("someone other than an official waxed the board")
