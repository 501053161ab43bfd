"""Ways to play by their popular names, and the ways that a club has used before."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from calibration.phrase import Phrase
from scorer.match.events import MatchStarted
from scorer.rules.names import RuleSetName
from scorer.rules.sets import RuleSet, rule_set
from scorer.rules.sources import TITLES

#: Number of names offered; more would not fit on a phone's screen.
_MOST_NAMES = 12


@dataclass(frozen=True, slots=True, kw_only=True)
class Preset:
    """Rules and options under one name, with their meaning in a few words."""

    key: str
    name: str
    words: str
    rules: str
    options: tuple[tuple[str, object], ...] = ()

    @property
    def rule_set(self) -> RuleSet:
        """The rules in force."""
        return rule_set(self.rules, dict(self.options))


PRESETS = (
    Preset(
        key="club",
        name="Club",
        words=Phrase("4 rounds, 2 points per win"),
        rules=RuleSetName.NCA,
        options=(
            ("round_score", "match-play"),
            ("game_end", "rounds"),
            ("game_rounds", 4),
            ("end_tie", "both-win"),
        ),
    ),
    Preset(
        key="nca",
        name=Phrase("NCA singles"),
        words=Phrase("first to 100, 8 discs"),
        rules=RuleSetName.NCA,
    ),
    Preset(
        key="family",
        name=Phrase("Family evening"),
        words=Phrase("family rules, first to 100"),
        rules=RuleSetName.FAMILY,
    ),
    Preset(
        key="hundred",
        name=Phrase("First to 100"),
        words=Phrase("12 discs per side"),
        rules=RuleSetName.TRADITIONAL,
    ),
)


def list_presets(last: MatchStarted | None) -> tuple[tuple[Preset, ...], str]:
    """The presets, with that of the last match first if it is none of them; and its key."""
    if last is None:
        return PRESETS, PRESETS[0].key
    options = rule_set(last.rules, dict(last.options)).options
    same = [preset for preset in PRESETS if preset.rule_set.options == options]
    if same:
        return PRESETS, same[0].key
    title = TITLES[rule_set(last.rules).name]
    again = Preset(
        key="last",
        name=Phrase("Same as last time"),
        words=title,
        rules=last.rules,
        options=last.options,
    )
    return (again, *PRESETS), again.key


def find_preset(key: str, last: MatchStarted | None) -> Preset | None:
    """The preset of that key; None if there is none."""
    return next((preset for preset in list_presets(last)[0] if preset.key == key), None)


def find_preset_name(rules: RuleSet) -> str | None:
    """The popular name of these rules; None if no preset has them."""
    same = (preset.name for preset in PRESETS if preset.rule_set.options == rules.options)
    return next(same, None)


def list_known_players(setups: Sequence[MatchStarted]) -> list[tuple[str, str]]:
    """Names from earlier matches, the latest first, with the colours that they played last."""
    colours: dict[str, str] = {}
    for setup in setups:
        played = setup.colours or ("",) * len(setup.players)
        for k, name in enumerate(setup.players):
            colours.setdefault(name, played[k % len(played)])
    return list(colours.items())[:_MOST_NAMES]
