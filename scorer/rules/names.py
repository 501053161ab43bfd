"""The names of the five ways to play.

A finished round scores the same in all of them. They differ in the requirements of a shot, the
final place of a disc, and the way rounds make a game.
"""

from __future__ import annotations

from enum import StrEnum


class RuleSetName(StrEnum):
    """A rule set, by its name on the command line."""

    MAYDAY = "mayday"
    COGITATE = "cogitate"
    TRADITIONAL = "traditional"
    FAMILY = "family"
    NCA = "nca"
