"""The colour of a side's discs on a screen, by the name that people and pictures use.

The colours are chosen to be distinguishable on a scoreboard; ``vision.discs.teams.team_colours``
names pixels.
"""

from __future__ import annotations

#: Names of colours in picture readings, and *dark wood*, with the colours that look best on a
#: screen.
COLOUR_HEX: dict[str, str] = {
    "black": "#26262b",
    "natural": "#d9a766",
    "dark wood": "#5a3620",
    "brown": "#7a5230",
    "red": "#c0282d",
    "blue": "#2f5fd0",
    "green": "#2b7a4b",
    "white": "#f2efe8",
    "cream": "#ecdab4",
    "yellow": "#e3c33a",
    "orange": "#ea7f30",
    "purple": "#69409a",
    "pink": "#e3a0b8",
    "navy": "#232b52",
    "grey": "#858585",
}
#: Colour for a side whose colour is unknown; no disc has it.
NEUTRAL_HEX = "#a39b90"
#: Colours for the sides in a drawing if their own are not known.
_DEFAULT_COLOURS = ("#26262b", "#d9a766", "#c0282d", "#2f5fd0")


def side_colour(side: int, name: str | None) -> str:
    """``#rrggbb`` for a side, by its colour's name; by the side's number if that is unknown."""
    return COLOUR_HEX.get(name or "", _DEFAULT_COLOURS[side % len(_DEFAULT_COLOURS)])
