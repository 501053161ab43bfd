"""The rules of a shot, one function per rule, which returns faults with evidence, or nothing.

The options decide, never the name of a rule set. Distances are in board mm, rounded to a thousandth
in the evidence.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from calibration.phrase import Phrase
from calibration.placed_disc import DiscState
from scorer.rules.board_geometry import LINE_5, LINE_15, BoardGeometry, nearest_quadrant
from scorer.rules.choices import (
    BounceBack,
    ContactRule,
    Crossing,
    Leaner,
    OpenDisc,
    OpenTarget,
    OpenWhen,
    OutAtRest,
    PenaltyScope,
    PlacementCentre,
    PlacementLine,
    PlacementQuadrant,
    Reshoot,
    TwentyOwner,
    WrongPlace,
)
from scorer.rules.contacts import ContactSummary
from scorer.rules.fault_codes import FaultCode
from scorer.rules.sets import RuleSet
from scorer.rules.shot import ContactPair, DiscId, FinalPosition, ShotFacts


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """A fault: the rule as its source words it, and the evidence."""

    code: FaultCode
    rule: str
    evidence: dict[str, Any]

    @property
    def is_foul(self) -> bool:
        """Whether it makes the shot a foul."""
        return self.code is not FaultCode.OUT_OF_BOUNDS


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """The facts available to a rule.

    restored  discs to put back, because a dead disc disturbed them
    """

    shot: ShotFacts
    contact_summary: ContactSummary
    rules: RuleSet
    geometry: BoardGeometry
    restored: frozenset[DiscId]


# Placement


def find_placement_faults(case: Case) -> list[Fault]:
    """Faults of the position of the shooter's disc."""
    spot = case.shot.spot(case.shot.shooter)
    quadrant = case.shot.quadrant
    if quadrant is None:
        quadrant = nearest_quadrant(spot.x_mm, spot.y_mm)
    found = (
        _check_line_placement(case, spot.x_mm, spot.y_mm),
        _check_centre_placement(case, spot.x_mm, spot.y_mm),
        _check_quadrant_placement(case, quadrant, spot.x_mm, spot.y_mm),
    )
    return [fault for fault in found if fault is not None]


def _check_line_placement(case: Case, x_mm: float, y_mm: float) -> Fault | None:
    inside_mm = case.geometry.margin_mm(LINE_5, x_mm, y_mm)
    if inside_mm > 0:
        return _placement_fault(
            case, "placement_line", why=WrongPlace.CLEAR_INSIDE, by_mm=inside_mm
        )
    behind_mm = -case.geometry.reach_mm(LINE_5, x_mm, y_mm)
    must_touch = case.rules.options.placement_line is PlacementLine.TOUCHING
    if must_touch and behind_mm > 0:
        return _placement_fault(
            case, "placement_line", why=WrongPlace.CLEAR_BEHIND, by_mm=behind_mm
        )
    return None


def _check_centre_placement(case: Case, x_mm: float, y_mm: float) -> Fault | None:
    inside_mm = case.geometry.inside_mm(LINE_5, x_mm, y_mm)
    is_strict = case.rules.options.placement_centre is PlacementCentre.NOT_INSIDE
    if is_strict and inside_mm > 0:
        return _placement_fault(
            case, "placement_centre", why=WrongPlace.CENTRE_INSIDE, by_mm=inside_mm
        )
    return None


def _check_quadrant_placement(case: Case, quadrant: int, x_mm: float, y_mm: float) -> Fault | None:
    centre_mm = case.geometry.inside_quadrant_mm(quadrant, x_mm, y_mm)
    edge_mm = case.geometry.disc.contact_radius_mm
    half_line_mm = case.geometry.half_line_mm
    spare_mm = {
        PlacementQuadrant.HALF_OVER: centre_mm,
        PlacementQuadrant.WITHIN: centre_mm - edge_mm + half_line_mm,
        PlacementQuadrant.TOUCHING: centre_mm + edge_mm + half_line_mm,
    }[case.rules.options.placement_quadrant]
    if spare_mm >= 0:
        return None
    why = Phrase("over a line of quadrant %(quadrant)s", quadrant=quadrant)
    return _placement_fault(case, "placement_quadrant", why=why, by_mm=-spare_mm)


def _placement_fault(case: Case, option: str, *, why: str, by_mm: float) -> Fault:
    evidence = {"disc": case.shot.shooter, "why": why, "by_mm": _round_mm(by_mm)}
    return Fault(code=FaultCode.PLACEMENT, rule=_rule_source(case, option), evidence=evidence)


# Contact


def find_valid_contact(case: Case) -> ContactPair | None:
    """The first contact that satisfies the set's rule."""
    joins = _CONTACT_RULES[case.rules.options.contact]
    return next((pair for pair in case.contact_summary.in_play if joins(case, pair)), None)


def find_contact_faults(case: Case) -> list[Fault]:
    """Fault: no valid contact, with opponents' discs on the board."""
    if not case.shot.opponents or find_valid_contact(case) is not None:
        return []
    evidence = {
        "opponents": list(case.shot.opponents),
        "touched": list(case.contact_summary.touched),
        "contacts": [list(pair) for pair in case.contact_summary.in_play],
        "asked": case.rules.options.contact.words,
    }
    if case.contact_summary.disturbed:
        evidence["touched_by_a_disc_out_of_play"] = list(case.contact_summary.disturbed)
    return [Fault(code=FaultCode.NO_CONTACT, rule=_rule_source(case, "contact"), evidence=evidence)]


def _meets_opponent(case: Case, pair: ContactPair) -> bool:
    return any(not case.shot.is_own(name) for name in pair)


def _by_shooter(case: Case, pair: ContactPair) -> bool:
    return case.shot.shooter in pair and _meets_opponent(case, pair)


def _by_any_own(case: Case, pair: ContactPair) -> bool:
    return _meets_opponent(case, pair) and any(case.shot.is_own(name) for name in pair)


def _by_driven_friend(case: Case, pair: ContactPair) -> bool:
    driven = case.contact_summary.involved
    return _by_any_own(case, pair) and any(
        case.shot.is_own(name) and name in driven for name in pair
    )


def _by_chain(case: Case, pair: ContactPair) -> bool:
    return _meets_opponent(case, pair) and set(pair) <= case.contact_summary.involved


_CONTACT_RULES: dict[ContactRule, Callable[[Case, ContactPair], bool]] = {
    ContactRule.SHOOTER_ONLY: _by_shooter,
    ContactRule.FRIENDLY_DRIVEN: _by_driven_friend,
    ContactRule.ANY_OWN: _by_any_own,
    ContactRule.CHAIN: _by_chain,
}


# Open board


def find_open_board_faults(case: Case) -> list[Fault]:
    """Fault: no disc in the required area, with no opponent's disc on the board."""
    options = case.rules.options
    is_free = options.open_target is OpenTarget.ANYWHERE
    is_later = options.open_when is OpenWhen.FIRST_SHOT and not case.shot.is_first_shot
    if case.shot.opponents or is_free or is_later:
        return []
    tried = _open_discs(case)
    if any(_reaches_target(case, disc) for disc in tried):
        return []
    evidence = {
        "asked": options.open_target.words,
        "by": options.open_disc.words,
        "discs": [_open_board_evidence(case, disc) for disc in tried],
    }
    return [
        Fault(code=FaultCode.OPEN_BOARD, rule=_rule_source(case, "open_target"), evidence=evidence)
    ]


def _open_discs(case: Case) -> list[DiscId]:
    """The discs that may fulfil the rule, the shooter's first."""
    shooter = case.shot.shooter
    if case.rules.options.open_disc is OpenDisc.SHOOTER_ONLY:
        return [shooter]
    struck = [
        disc.id for disc in case.shot.after if disc.id in case.contact_summary.involved - {shooter}
    ]
    if case.rules.options.open_disc is OpenDisc.OWN:
        struck = [name for name in struck if case.shot.is_own(name)]
    return [shooter, *struck]


def _reaches_target(case: Case, disc: DiscId) -> bool:
    rest = case.shot.resting(disc)
    if disc in case.restored or disc in find_out_discs(case) or rest.state is DiscState.DITCH:
        return False
    return rest.state is DiscState.IN_HOLE or _target_spare_mm(case, rest)[1]


def _target_spare_mm(case: Case, rest: FinalPosition) -> tuple[float, bool]:
    """Distance of a disc within the target, negative outside, and whether that suffices."""
    x_mm, y_mm = _position_of(rest)
    if case.rules.options.open_target is OpenTarget.WITHIN_15:
        spare_mm = case.geometry.margin_mm(LINE_15, x_mm, y_mm)
        return spare_mm, spare_mm > 0
    if case.rules.options.open_target is OpenTarget.PARTLY_INSIDE_15:
        spare_mm = case.geometry.reach_past_inner_edge_mm(LINE_15, x_mm, y_mm)
        return spare_mm, spare_mm > 0
    spare_mm = case.geometry.reach_mm(LINE_15, x_mm, y_mm)
    return spare_mm, spare_mm >= 0


def _open_board_evidence(case: Case, disc: DiscId) -> dict[str, object]:
    rest = case.shot.resting(disc)
    evidence: dict[str, Any] = {"disc": disc, "state": str(rest.state)}
    if rest.x_mm is not None:
        evidence["short_by_mm"] = _round_mm(-_target_spare_mm(case, rest)[0])
    return evidence


# Out of bounds


def find_bounds_faults(case: Case) -> list[Fault]:
    """All discs on the surface or in the hole that are out."""
    return [
        Fault(
            code=FaultCode.OUT_OF_BOUNDS,
            rule=_rule_source(case, option),
            evidence={"disc": disc, **evidence},
        )
        for disc, (option, evidence) in _find_out_reasons(case).items()
    ]


def find_out_discs(case: Case) -> frozenset[DiscId]:
    """The discs that ``find_bounds_faults`` reports."""
    return frozenset(_find_out_reasons(case))


def _find_out_reasons(case: Case) -> dict[DiscId, tuple[str, dict[str, Any]]]:
    """Discs that are out, each with the deciding option and the evidence."""
    found = {}
    for rest in case.shot.after:
        if rest.state is DiscState.DITCH or rest.id in case.restored:
            continue
        for rule in (_check_bounce_back, _check_crossing, _check_out_at_rest):
            reason = rule(case, rest)
            if reason is not None:
                found[rest.id] = reason
                break
    return found


def _check_bounce_back(case: Case, rest: FinalPosition) -> tuple[str, dict[str, Any]] | None:
    if rest.id not in case.contact_summary.returned:
        return None
    return "bounce_back", {
        "why": Phrase("it touched something off the playing surface and came back")
    }


def _check_crossing(case: Case, rest: FinalPosition) -> tuple[str, dict[str, Any]] | None:
    if case.rules.options.crossing is Crossing.REMAINS or rest.id not in case.shot.crossed:
        return None
    return "crossing", {"why": Phrase("it crossed the outer line and came back")}


def _check_out_at_rest(case: Case, rest: FinalPosition) -> tuple[str, dict[str, Any]] | None:
    if rest.state is DiscState.IN_HOLE:
        return None
    x_mm, y_mm = _position_of(rest)
    overhang_mm = case.geometry.overhang_mm(x_mm, y_mm)
    if rest.state is DiscState.OVERHANGING or overhang_mm > 0:
        evidence = {
            "why": Phrase("it overhangs the edge of the playing surface"),
            "overhang_mm": _round_mm(overhang_mm),
        }
        return "out_at_rest", evidence
    margin_mm = case.geometry.margin_mm(LINE_5, x_mm, y_mm)
    if case.rules.options.out_at_rest is OutAtRest.TOUCHING_LINE and margin_mm <= 0:
        evidence = {"why": Phrase("it touches the outer line or is beyond it")}
        return "out_at_rest", {**evidence, "margin_mm": _round_mm(margin_mm)}
    return None


def find_disturbed_discs(contact_summary: ContactSummary, rules: RuleSet) -> tuple[DiscId, ...]:
    """Discs to put back, because a disc that had left the board and come back disturbed them."""
    if rules.options.bounce_back is BounceBack.DAMAGE_REMAINS:
        return ()
    return contact_summary.disturbed


# Consequences


def find_penalised_discs(case: Case, faults: list[Fault]) -> frozenset[DiscId]:
    """The discs lost through fouls, by the penalty scopes of the rules."""
    scopes = {
        FaultCode.NO_CONTACT: case.rules.options.miss_penalty,
        FaultCode.OPEN_BOARD: case.rules.options.open_penalty,
        FaultCode.PLACEMENT: case.rules.options.placement_penalty,
    }
    lost = frozenset[DiscId]()
    for code in {fault.code for fault in faults if fault.is_foul}:
        lost |= _discs_in_scope(case, scopes[code])
    if case.rules.options.penalty_takes_twenties:
        return lost
    return frozenset(
        name for name in lost if case.shot.resting(name).state is not DiscState.IN_HOLE
    )


def _discs_in_scope(case: Case, scope: PenaltyScope) -> frozenset[DiscId]:
    own = {name for name in case.contact_summary.involved if case.shot.is_own(name)}
    touched = frozenset(case.contact_summary.touched)
    wider = {
        PenaltyScope.SHOOTER: frozenset[DiscId](),
        PenaltyScope.OWN_TOUCHED: touched & own,
        PenaltyScope.OWN_INVOLVED: frozenset(own),
        PenaltyScope.TOUCHED: touched,
        PenaltyScope.INVOLVED: case.contact_summary.involved,
    }[scope]
    return wider | {case.shot.shooter}


def twenty_team(case: Case, rest: FinalPosition) -> str | None:
    """The team for which a disc is a 20; None if it is not one."""
    is_leaner = rest.state is DiscState.LEANING and case.geometry.is_at_hole(*_position_of(rest))
    counts = case.rules.options.leaner is Leaner.TWENTY
    if rest.state is not DiscState.IN_HOLE and not (is_leaner and counts):
        return None
    by_shooter = case.rules.options.twenty_owner is TwentyOwner.SHOOTER
    return case.shot.team if by_shooter else case.shot.teams[rest.id]


def may_shoot_again(case: Case, faults: list[Fault]) -> bool:
    """Whether a beginner may repeat the shot, as far as a single shot shows."""
    fouls = [fault.code for fault in faults if fault.is_foul]
    if case.rules.options.reshoot is Reshoot.AGREED:
        return bool(fouls)
    if case.rules.options.reshoot is Reshoot.MET_NO_DISC:
        return FaultCode.NO_CONTACT in fouls and not case.contact_summary.touched
    return False


def _position_of(rest: FinalPosition) -> tuple[float, float]:
    # a shot with a disc on the board without a position was refused before
    assert rest.x_mm is not None
    assert rest.y_mm is not None
    return rest.x_mm, rest.y_mm


def _rule_source(case: Case, option: str) -> str:
    return case.rules.source(option)


def _round_mm(value_mm: float) -> float:
    """Rounded to a thousandth of a millimetre, finer than any measurement."""
    return round(value_mm, 3)
