"""The choices between ways to play crokinole: a closed list for each decision.

The value of a choice is typed by users and stored in matches; ``words`` explain it.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Self


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

    TWO = "two", "two players"
    TWO_V_ONE = "two-v-one", "three players, two partners against one"
    THREE_SETS = "three-sets", "three players, each with a set of discs"
    TEAMS = "teams", "four players in two pairs"
    FOUR_ALONE = "four-alone", "four players, each alone"


class TwoVOneOrder(Choice):
    """Order of shots of three players with two sets."""

    SINGLE_EVERY_OTHER = (
        "lone-every-other",
        "the lone player takes every other turn, always from one quadrant",
    )
    SINGLE_AFTER_OPPONENT = "lone-after-each", "the lone player shoots after each opponent"
    SIDES_ALTERNATE = (
        "sides-alternate",
        "the sides take turns, and the partners share their side's turns",
    )


class FirstStarter(Choice):
    """Starter of the first round."""

    DRAW = "draw", "drawn at random"
    AGREED = "agreed", "agreed by the players"


class NextStarter(Choice):
    """Starter of the rounds after the first."""

    ALTERNATES = "alternates", "the side that did not start the last round"
    CLOCKWISE = "clockwise", "the next player clockwise"
    LOSER_DECIDES = (
        "loser-decides",
        "the loser of the round decides; after a tie, the next player clockwise",
    )


class PlacementLine(Choice):
    """Allowed place of a disc relative to the shooting line before its shot."""

    TOUCHING = "touching", "touching the shooting line"
    TOUCHING_OR_BEHIND = "touching-or-behind", "touching or behind the shooting line"


class PlacementCentre(Choice):
    """Allowed place of a disc's centre before its shot."""

    ANYWHERE = "anywhere", "its centre on either side of the line"
    NOT_INSIDE = "not-inside", "its centre on the line or outside it"


class PlacementQuadrant(Choice):
    """Allowed position of a disc relative to the quadrant lines before its shot."""

    WITHIN = "within", "inside the shooter's quadrant, not over its lines"
    HALF_OVER = "half-over", "at most half over a quadrant line"
    TOUCHING = "touching", "inside the quadrant or touching its lines from either side"


class WrongPlace(StrEnum):
    """Where a disc was placed wrongly, other than over a quadrant line: ``why`` in the evidence."""

    CLEAR_INSIDE = "clear inside the line"
    CLEAR_BEHIND = "clear behind the line"
    CENTRE_INSIDE = "centre inside the line"


class ContactRule(Choice):
    """Contact with an opponent's disc that makes a shot valid."""

    SHOOTER_ONLY = "shooter-only", "the shooting disc itself must hit an opponent's disc"
    FRIENDLY_DRIVEN = "friendly-driven", "the shooting disc, or a friendly disc that it hits"
    ANY_OWN = "any-own", "any of the shooter's discs may hit it, in any order"
    CHAIN = "chain", "the shooting disc, or any disc in a chain it starts"


class PenaltyScope(Choice):
    """Discs lost by an invalid shot."""

    SHOOTER = "shooter", "the shooting disc"
    OWN_TOUCHED = "own-touched", "the shooting disc and any of the side's own discs it touched"
    OWN_INVOLVED = "own-involved", "the shooting disc and all of the side's own discs involved"
    TOUCHED = "touched", "the shooting disc and every disc it touched"
    INVOLVED = "involved", "the shooting disc and every disc touched in that turn"


class OpenTarget(Choice):
    """Target of a shot when no opponent's disc is on the board."""

    ANYWHERE = "anywhere", "anywhere on the board"
    PARTLY_INSIDE_15 = "partly-inside-15", "in the hole or at least partly inside the 15-circle"
    TOUCHING_15 = "touching-15", "in the hole, or inside or touching the 15-circle"
    WITHIN_15 = "within-15", "in the hole or completely inside the 15-circle"


class OpenWhen(Choice):
    """Shots at an open board to which its target applies."""

    EVERY = "every", "every shot while no opponent's disc is on the board"
    FIRST_SHOT = "first-shot", "only the first shot of a round"


class OpenDisc(Choice):
    """Disc that must reach the target of an open board."""

    SHOOTER_OR_STRUCK = "shooter-or-struck", "the shooting disc, or a disc that was hit"
    OWN = "own", "a disc of the shooter's colour that was part of the shot"
    SHOOTER_ONLY = "shooter-only", "only the shooting disc"


class OutAtRest(Choice):
    """Discs that are out when all have come to rest."""

    TOUCHING_LINE = "touching-line", "touching the outer line or beyond it"
    OVERHANGING = "overhanging", "hanging over the edge of the playing surface"


class BounceBack(Choice):
    """What happens to effects of a disc that left the board and bounced back."""

    DAMAGE_UNDONE = (
        "damage-undone",
        "the disc is removed, and any discs it then disturbed are put back",
    )
    DAMAGE_REMAINS = (
        "damage-stays",
        "the disc is removed, and any discs it then disturbed stay where they are",
    )


class Crossing(Choice):
    """What happens to a disc that crossed the outer line and came back without touching anything
    but the surface.
    """

    REMAINS = "stays", "it stays"
    OUT = "out", "it is out"


class TwentyOwner(Choice):
    """Side that a disc in the hole counts for."""

    OWNER = "owner", "its owner, whoever knocked it in"
    SHOOTER = "shooter", "the side that shot"


class Leaner(Choice):
    """The value of a disc that leans in or on the hole."""

    NOT_TWENTY = "not-twenty", "not a 20: it stays, may be knocked in, and is worth 15 at the end"
    TWENTY = "twenty", "a 20"


class LineZone(Choice):
    """The zone of a disc that touches a line."""

    LOWER = "lower", "the lower zone, judged by the disc's bottom edge"


class RoundScore(Choice):
    """The value of a round between two sides."""

    DIFFERENCE = "difference", "the higher side scores the difference; a tie scores nothing"
    SIMPLE = "simple", "each side keeps its own points"
    ONE_TO_WINNER = "one-to-winner", "1 to the winner; nothing for a tie"
    MATCH_PLAY = "match-play", "2 to the winner; 1 each for a tie"


class AloneScore(Choice):
    """The value of a round of three or four single players."""

    PLACES = "places", "2, 1 and 0 by place; 1 each if tied for first, 0 each if tied for second"
    SIMPLE = "simple", "each player keeps their own points"
    OVER_LOWEST = "over-lowest", "each player's points minus the lowest player's"


class GameEnd(Choice):
    """The end of a game."""

    POINTS = "points", "a points total"
    ROUNDS = "rounds", "a number of rounds"
    BEST_OF = "best-of", "best of a fixed number of rounds"


class EndChecked(Choice):
    """When the end of a game is checked."""

    AFTER_ROUND = "after-round", "after a round, never during one"


class EndTie(Choice):
    """The consequence of a tied game."""

    ANOTHER_ROUND = "another-round", "one more round decides"
    BOTH_WIN = "both-win", "all tied sides win"
    SHOOTOUT = "shootout", "a shoot-out for 20s decides"


class TimeOut(Choice):
    """The consequence of time running out."""

    NO_RULE = "no-rule", "nothing: the round is played to its end"
    EQUAL_TURNS = "equal-turns", "the side with fewer shots takes one more, so that turns are equal"


class Reshoot(Choice):
    """Shots that a beginner may repeat."""

    NONE = "none", "never"
    AGREED = "agreed", "after an invalid shot, as many times as agreed beforehand"
    MET_NO_DISC = (
        "met-no-disc",
        ("after an invalid shot that touched no disc, but not after a free shot"),
    )


class CalledFoul(Choice):
    """Fouls called by people: those of a shot, and conduct that a camera above a board cannot
    see.
    """

    NO_CONTACT = "no-contact", "no opponent's disc was touched"
    OPEN_BOARD = "open-board", "no disc ended in the centre of an open board"
    PLACEMENT = "placement", "the disc was placed wrongly"
    ONE_CHEEK = "one-cheek", "the shooter left the chair"
    OTHER_HAND = "other-hand", "more than the shooting hand touched the board"
    MOVED_BOARD = "moved-board", "the board was moved"
    MOVED_CHAIR = "moved-chair", "a chair was moved"
    COACHING = "coaching", "someone coached the shooter against the rules"
    DISTRACTION = "distraction", "the shooter was distracted"
    AID = "aid", "the shooter used something other than a finger"
    NOT_SEATED = "not-seated", "the shooter did not stay seated"
    TOO_SOON = "too-soon", "the shooter shot before all discs had stopped"
    HELD_DISCS = "held-discs", "discs waiting to be shot were held in the hand"
    EARLY_DISC = "early-disc", "a disc was placed before it was time to shoot it"
    MOVED_DISC = "moved-disc", "a disc was moved before the round was scored"
    CHAIR_LEGS = "chair-legs", "a leg of the chair left the floor"
    FLOOR = "floor", "the shooter used the floor for support"
    WAX = "wax", "someone other than an official waxed the board"
