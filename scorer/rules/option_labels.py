"""Labels for the rules' options in plain English, and their possible values.

The meaning of a value is in ``choices``; the sets' values are in ``sets``.
"""

from __future__ import annotations

from calibration.phrase import Phrase
from scorer.rules.choices import Choice
from scorer.rules.options import RANGES, SET_TYPES, RuleOptions

#: The effect of each option, in words that can end a question or stand alone.
OPTION_WORDS = {
    "discs_singles": Phrase("discs per player (two players)"),
    "discs_partner": Phrase("discs per partner (one player against two has twice as many)"),
    "discs_alone": Phrase("discs per player (three or four players, each alone)"),
    "formats": Phrase("possible numbers of players and teams"),
    "two_v_one_order": Phrase("the order of turns with two against one"),
    "first_starter": Phrase("who starts the first round"),
    "next_starter": Phrase("who starts later rounds"),
    "placement_line": Phrase("where a disc is placed relative to the shooting line"),
    "placement_centre": Phrase("where the centre of a disc may be before the shot"),
    "placement_quadrant": Phrase(
        "how far a disc may reach over the quadrant lines before the shot"
    ),
    "placement_penalty": Phrase("discs removed for a wrong placement"),
    "contact": Phrase("how a shot must hit an opponent's disc"),
    "miss_penalty": Phrase("discs removed after a shot without that contact"),
    "penalty_takes_twenties": Phrase("whether 20s from such a shot are also lost"),
    "open_target": Phrase("where a disc must stop on an open board (no opponent's disc on it)"),
    "open_when": Phrase("which open-board shots this applies to"),
    "open_disc": Phrase("which disc must stop there on an open board"),
    "open_penalty": Phrase("discs removed if an open-board shot misses"),
    "out_at_rest": Phrase("which discs are out when everything has stopped"),
    "bounce_back": Phrase("when a disc leaves the board and bounces back"),
    "crossing": Phrase("when a disc crosses the outer line and comes back by itself"),
    "twenty_owner": Phrase("who scores a 20"),
    "leaner": Phrase("how a disc leaning in or on the hole counts"),
    "line_zone": Phrase("the zone of a disc that touches a line"),
    "round_score": Phrase("how a round between two sides is scored"),
    "alone_score": Phrase("how a round of three or four individual players is scored"),
    "twenties_apart": Phrase("whether 20s are also counted separately"),
    "game_end": Phrase("how a game ends"),
    "game_points": Phrase("points to win a game (games to a points total)"),
    "match_points": Phrase("match points to win a game (match play)"),
    "game_rounds": Phrase("rounds in a game (fixed number of rounds)"),
    "best_of": Phrase("rounds in a best-of game (an odd number)"),
    "end_checked": Phrase("when the end of a game is checked"),
    "end_tie": Phrase("how a tied game is decided"),
    "shootout_shots": Phrase("shots per side in a shoot-out"),
    "shootout_shots_partner": Phrase("shots per partner in a shoot-out"),
    "time_out": Phrase("what happens when a round's time runs out"),
    "reshoot": Phrase("when a beginner can shoot again"),
    "reshoot_limit": Phrase("re-shoots per player in a round"),
    "called_fouls": Phrase("fouls a person can call, besides faults of the shot itself"),
}


def list_values(options: RuleOptions, name: str) -> tuple[Choice, ...]:
    """The choices of an option; none for a number or for yes and no."""
    value = getattr(options, name)
    kind = SET_TYPES.get(name, type(value))
    return tuple(kind) if issubclass(kind, Choice) else ()


def describe_values(options: RuleOptions, name: str) -> str:
    """The values that an option takes, such as ``from 1 to 12`` or ``two, teams``."""
    if name in RANGES:
        least, most = RANGES[name]
        return Phrase("from %(least)s to %(most)s", least=least, most=most)
    choices = list_values(options, name)
    return ", ".join(choice.value for choice in choices) if choices else Phrase("yes or no")
