"""The five ways to play as rows of options, and a user's changes to one.

Choices take effect in ``scorer.rules.checks`` and ``scorer.match``; their sources are in
``sources``.
"""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from dataclasses import dataclass, replace

from calibration.phrase import Phrase
from scorer.rules.choices import (
    AloneScore,
    BounceBack,
    CalledFoul,
    ContactRule,
    Crossing,
    EndChecked,
    EndTie,
    FirstStarter,
    Format,
    GameEnd,
    Leaner,
    LineZone,
    NextStarter,
    OpenDisc,
    OpenTarget,
    OpenWhen,
    OutAtRest,
    PenaltyScope,
    PlacementCentre,
    PlacementLine,
    PlacementQuadrant,
    Reshoot,
    RoundScore,
    TimeOut,
    TwentyOwner,
    TwoVOneOrder,
)
from scorer.rules.names import RuleSetName
from scorer.rules.options import RuleOptions, RulesError, override_options, to_json_value
from scorer.rules.sources import source_of
from scorer.texts import quote


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleSet:
    """A named way to play, with the user's changes."""

    name: RuleSetName
    options: RuleOptions
    changed: frozenset[str] = frozenset()

    def source(self, option: str) -> str:
        """Source of the set's choice: its document, or the user."""
        if option in self.changed:
            value = to_json_value(getattr(self.options, option))
            return f"house rule: {option}={value} instead of {self.name}"
        return source_of(self.name, option)


_MAYDAY = RuleOptions(
    discs_singles=12,
    discs_partner=6,
    discs_alone=12,
    formats=frozenset({Format.TWO, Format.TWO_V_ONE, Format.THREE_SETS, Format.TEAMS}),
    two_v_one_order=TwoVOneOrder.SINGLE_EVERY_OTHER,
    first_starter=FirstStarter.AGREED,
    next_starter=NextStarter.CLOCKWISE,
    placement_line=PlacementLine.TOUCHING,
    placement_centre=PlacementCentre.ANYWHERE,
    placement_quadrant=PlacementQuadrant.HALF_OVER,
    placement_penalty=PenaltyScope.SHOOTER,
    contact=ContactRule.FRIENDLY_DRIVEN,
    miss_penalty=PenaltyScope.OWN_TOUCHED,
    penalty_takes_twenties=True,
    open_target=OpenTarget.TOUCHING_15,
    open_when=OpenWhen.EVERY,
    open_disc=OpenDisc.SHOOTER_OR_STRUCK,
    open_penalty=PenaltyScope.INVOLVED,
    out_at_rest=OutAtRest.TOUCHING_LINE,
    bounce_back=BounceBack.DAMAGE_UNDONE,
    crossing=Crossing.REMAINS,
    twenty_owner=TwentyOwner.OWNER,
    leaner=Leaner.NOT_TWENTY,
    line_zone=LineZone.LOWER,
    round_score=RoundScore.DIFFERENCE,
    alone_score=AloneScore.PLACES,
    twenties_apart=False,
    game_end=GameEnd.POINTS,
    game_points=100,
    match_points=8,
    game_rounds=4,
    best_of=3,
    end_checked=EndChecked.AFTER_ROUND,
    end_tie=EndTie.ANOTHER_ROUND,
    shootout_shots=8,
    shootout_shots_partner=4,
    time_out=TimeOut.NO_RULE,
    reshoot=Reshoot.NONE,
    reshoot_limit=0,
    called_fouls=frozenset(
        {
            CalledFoul.ONE_CHEEK,
            CalledFoul.OTHER_HAND,
            CalledFoul.MOVED_CHAIR,
            CalledFoul.HELD_DISCS,
            CalledFoul.EARLY_DISC,
            CalledFoul.MOVED_DISC,
            CalledFoul.AID,
        }
    ),
)

_COGITATE = replace(
    _MAYDAY,
    discs_alone=8,
    two_v_one_order=TwoVOneOrder.SINGLE_AFTER_OPPONENT,
    first_starter=FirstStarter.DRAW,
    placement_quadrant=PlacementQuadrant.TOUCHING,
    contact=ContactRule.ANY_OWN,
    miss_penalty=PenaltyScope.OWN_INVOLVED,
    open_disc=OpenDisc.OWN,
    open_penalty=PenaltyScope.OWN_INVOLVED,
    bounce_back=BounceBack.DAMAGE_REMAINS,
    crossing=Crossing.OUT,
    alone_score=AloneScore.SIMPLE,
    twenties_apart=True,
    end_tie=EndTie.BOTH_WIN,
    called_fouls=frozenset(
        {
            CalledFoul.ONE_CHEEK,
            CalledFoul.MOVED_BOARD,
            CalledFoul.MOVED_CHAIR,
            CalledFoul.CHAIR_LEGS,
            CalledFoul.AID,
        }
    ),
)

_TRADITIONAL = replace(
    _MAYDAY,
    formats=frozenset({Format.TWO, Format.TWO_V_ONE, Format.TEAMS}),
    two_v_one_order=TwoVOneOrder.SIDES_ALTERNATE,
    next_starter=NextStarter.ALTERNATES,
    placement_line=PlacementLine.TOUCHING_OR_BEHIND,
    placement_quadrant=PlacementQuadrant.WITHIN,
    contact=ContactRule.SHOOTER_ONLY,
    miss_penalty=PenaltyScope.SHOOTER,
    open_target=OpenTarget.ANYWHERE,
    open_disc=OpenDisc.SHOOTER_ONLY,
    open_penalty=PenaltyScope.SHOOTER,
    out_at_rest=OutAtRest.OVERHANGING,
    bounce_back=BounceBack.DAMAGE_REMAINS,
    alone_score=AloneScore.SIMPLE,
    called_fouls=frozenset({CalledFoul.MOVED_BOARD, CalledFoul.AID}),
)

_FAMILY = replace(
    _MAYDAY,
    discs_alone=6,
    formats=frozenset({Format.TWO, Format.TEAMS, Format.FOUR_ALONE}),
    two_v_one_order=TwoVOneOrder.SIDES_ALTERNATE,
    next_starter=NextStarter.ALTERNATES,
    placement_quadrant=PlacementQuadrant.WITHIN,
    contact=ContactRule.CHAIN,
    miss_penalty=PenaltyScope.INVOLVED,
    open_target=OpenTarget.ANYWHERE,
    open_disc=OpenDisc.SHOOTER_ONLY,
    open_penalty=PenaltyScope.INVOLVED,
    bounce_back=BounceBack.DAMAGE_REMAINS,
    crossing=Crossing.OUT,
    alone_score=AloneScore.OVER_LOWEST,
    called_fouls=frozenset({CalledFoul.AID}),
)

_NCA = replace(
    _MAYDAY,
    discs_singles=8,
    two_v_one_order=TwoVOneOrder.SIDES_ALTERNATE,
    first_starter=FirstStarter.DRAW,
    placement_line=PlacementLine.TOUCHING_OR_BEHIND,
    contact=ContactRule.CHAIN,
    miss_penalty=PenaltyScope.TOUCHED,
    open_penalty=PenaltyScope.TOUCHED,
    bounce_back=BounceBack.DAMAGE_REMAINS,
    end_tie=EndTie.SHOOTOUT,
    time_out=TimeOut.EQUAL_TURNS,
    called_fouls=frozenset(
        {
            CalledFoul.ONE_CHEEK,
            CalledFoul.OTHER_HAND,
            CalledFoul.MOVED_BOARD,
            CalledFoul.MOVED_CHAIR,
            CalledFoul.COACHING,
            CalledFoul.DISTRACTION,
            CalledFoul.AID,
            CalledFoul.TOO_SOON,
            CalledFoul.CHAIR_LEGS,
            CalledFoul.FLOOR,
            CalledFoul.WAX,
        }
    ),
)

_ROWS = {
    RuleSetName.MAYDAY: _MAYDAY,
    RuleSetName.COGITATE: _COGITATE,
    RuleSetName.TRADITIONAL: _TRADITIONAL,
    RuleSetName.FAMILY: _FAMILY,
    RuleSetName.NCA: _NCA,
}

RULE_SETS = {name: RuleSet(name=name, options=options) for name, options in _ROWS.items()}


def rule_set(name: str, changes: Mapping[str, object] | None = None) -> RuleSet:
    """The set with that name, regardless of case, with a user's changes by option. Raises
    ``RulesError``.
    """
    chosen = _find_rule_set(name)
    if not changes:
        return chosen
    options = override_options(chosen.options, changes)
    changed = {
        change for change in changes if getattr(options, change) != getattr(chosen.options, change)
    }
    return replace(chosen, options=options, changed=frozenset(changed))


def _find_rule_set(name: str) -> RuleSet:
    plain = str(name).strip().lower()
    if plain in set(RuleSetName):
        return RULE_SETS[RuleSetName(plain)]
    near = difflib.get_close_matches(plain, list(RuleSetName), n=1)
    hint = (
        Phrase("did you mean %(name)s?", name=near[0])
        if near
        else Phrase("choose from %(choices)s.", choices=", ".join(RuleSetName))
    )
    raise RulesError(Phrase("There is no rule set %(name)s; %(hint)s", name=quote(name), hint=hint))
