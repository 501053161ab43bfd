"""Labels for the rules' options in plain English, and their possible values.

The meaning of a value is in ``choices``; the sets' values are in ``sets``.
"""

from __future__ import annotations

from scorer.rules.choices import Choice
from scorer.rules.options import RANGES, SET_TYPES, RuleOptions

#: The effect of each option, as the end of a question or a noun.
OPTION_WORDS = {
    "discs_singles": "discs per player (two players)",
    "discs_partner": "discs per partner (one player against two has twice as many)",
    "discs_alone": "discs per player (three or four players, each alone)",
    "formats": "possible numbers of players and teams",
    "two_v_one_order": "the order of turns with two against one",
    "first_starter": "who starts the first round",
    "next_starter": "who starts later rounds",
    "placement_line": "where a disc is placed relative to the shooting line",
    "placement_centre": "where the centre of a disc may be before the shot",
    "placement_quadrant": "how far a disc may reach over the quadrant lines before the shot",
    "placement_penalty": "discs removed for a wrong placement",
    "contact": "how a shot must hit an opponent's disc",
    "miss_penalty": "discs removed after a shot without that contact",
    "penalty_takes_twenties": "whether 20s from such a shot are also lost",
    "open_target": "where a disc must stop on an open board (no opponent's disc on it)",
    "open_when": "which open-board shots this applies to",
    "open_disc": "which disc must stop there on an open board",
    "open_penalty": "discs removed if an open-board shot misses",
    "out_at_rest": "which discs are out when everything has stopped",
    "bounce_back": "when a disc leaves the board and bounces back",
    "crossing": "when a disc crosses the outer line and comes back by itself",
    "twenty_owner": "who scores a 20",
    "leaner": "how a disc leaning in or on the hole counts",
    "line_zone": "the zone of a disc that touches a line",
    "round_score": "how a round between two sides is scored",
    "alone_score": "how a round of three or four individual players is scored",
    "twenties_apart": "whether 20s are also counted separately",
    "game_end": "what ends a game",
    "game_points": "points to win a game (games to a points total)",
    "match_points": "match points to win a game (match play)",
    "game_rounds": "rounds in a game (fixed number of rounds)",
    "best_of": "rounds in a best-of game (an odd number)",
    "end_checked": "when the end of a game is checked",
    "end_tie": "what happens if a game ends in a tie",
    "shootout_shots": "shots per side in a shoot-out",
    "shootout_shots_partner": "shots per partner in a shoot-out",
    "time_out": "what happens when a round's time runs out",
    "reshoot": "when a beginner can shoot again",
    "reshoot_limit": "re-shoots per player in a round",
    "called_fouls": "fouls a person can call, besides faults of the shot itself",
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
        return f"from {least} to {most}"
    choices = list_values(options, name)
    return ", ".join(choice.value for choice in choices) if choices else "yes or no"
