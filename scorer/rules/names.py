"""The names of the five ways to play.

A finished round scores alike in all of them; they differ in the requirements of a shot, where a
disc must come to rest, and how rounds make a game.
"""

from __future__ import annotations

from enum import StrEnum


class RuleSetName(StrEnum):
    """A rule set, by the name a person types."""

    MAYDAY = "mayday"
    COGITATE = "cogitate"
    TRADITIONAL = "traditional"
    FAMILY = "family"
    NCA = "nca"
