"""The effect of each option of the rules in plain English, and its possible values.

What a value means stands beside it in ``choices``; which set chooses which, in ``sets``.
"""

from __future__ import annotations

from scorer.rules.choices import Choice
from scorer.rules.options import RANGES, SET_TYPES, RuleOptions

#: What each option decides, as a question's end or a noun.
OPTION_WORDS = {
    "discs_singles": "discs of each player where two play",
    "discs_partner": "discs of each partner; the lone player against two has twice as many",
    "discs_alone": "discs of each player where three or four play each alone",
    "formats": "how many may play, and with whom",
    "two_v_one_order": "the order of turns where two play against one",
    "first_starter": "who starts the first round",
    "next_starter": "who starts the rounds after the first",
    "placement_line": "how a disc must lie to the shooting line before it is shot",
    "placement_centre": "where its centre may be then",
    "placement_quadrant": "how it may lie to the quadrant lines then",
    "placement_penalty": "which discs a wrong placement costs",
    "contact": "which contact with an opponent's disc makes a shot valid",
    "miss_penalty": "which discs a shot costs that made no such contact",
    "penalty_takes_twenties": "whether such a shot's 20s are lost, too",
    "open_target": "where a disc must end when no opponent's disc is on the board",
    "open_when": "to which shots at such an open board that applies",
    "open_disc": "which disc must end there",
    "open_penalty": "which discs a shot costs that misses that place",
    "out_at_rest": "which discs are out once all lie still",
    "bounce_back": "what becomes of what a disc did that left the board and bounced back",
    "crossing": "what becomes of a disc that crossed the outer line and came back by itself",
    "twenty_owner": "whose a 20 is",
    "leaner": "what a disc counts that leans in or on the hole",
    "line_zone": "the zone of a disc that touches a line",
    "round_score": "what a round between two sides is worth",
    "alone_score": "what a round is worth where three or four play each alone",
    "twenties_apart": "whether 20s are counted apart from points, too",
    "game_end": "what ends a game",
    "game_points": "points that win a game, where points end it",
    "match_points": "points that win a game in match play",
    "game_rounds": "rounds of a game, where their number ends it",
    "best_of": "rounds of which the majority wins, where that ends a game; an odd number",
    "end_checked": "when the end of a game is looked at",
    "end_tie": "what follows when a game ends level",
    "shootout_shots": "shots of each side in a shoot-out",
    "shootout_shots_partner": "shots of each partner in a shoot-out",
    "time_out": "what follows when the time of a round runs out",
    "reshoot": "when a beginner may shoot a disc again",
    "reshoot_limit": "re-shoots of a player in a round",
    "called_fouls": "fouls that a person may call, in addition to those of a shot",
}


def list_values(options: RuleOptions, name: str) -> tuple[Choice, ...]:
    """The choices of an option; none for a number or for yes and no."""
    value = getattr(options, name)
    kind = SET_TYPES.get(name, type(value))
    return tuple(kind) if issubclass(kind, Choice) else ()


def describe_values(options: RuleOptions, name: str) -> str:
    """Which values an option takes, such as ``from 1 to 12`` or ``two, teams``."""
    if name in RANGES:
        least, most = RANGES[name]
        return f"from {least} to {most}"
    choices = list_values(options, name)
    return ", ".join(choice.value for choice in choices) if choices else "yes or no"
