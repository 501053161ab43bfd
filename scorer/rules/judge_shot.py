"""The verdict on a shot by its rules: legal, foul, or needs review.

Every check runs, and all faults are reported. If contacts are unseen, every sequence consistent
with the discs' displacements is judged. If a disc is closer to a line than its uncertainty, both
sides are judged. The consequences common to all outcomes are decided, and a person chooses among
the rest.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import StrEnum

from calibration.phrase import Phrase, join
from calibration.placed_disc import DiscState
from scorer import zones
from scorer.rules.board_geometry import BoardGeometry
from scorer.rules.checks import (
    Case,
    Fault,
    find_bounds_faults,
    find_contact_faults,
    find_disturbed_discs,
    find_open_board_faults,
    find_penalised_discs,
    find_placement_faults,
    find_valid_contact,
    may_shoot_again,
    twenty_team,
)
from scorer.rules.contacts import (
    displacement_mm,
    enumerate_possible_contacts,
    find_moved_discs,
    summarise_contacts,
)
from scorer.rules.sets import RuleSet
from scorer.rules.shot import ContactPair, DiscId, FinalPosition, ShotFacts, StartPosition


class Verdict(StrEnum):
    """The verdict on a shot."""

    LEGAL = "legal"
    FOUL = "foul"
    NEEDS_REVIEW = "needs_review"


@dataclass(frozen=True, slots=True, kw_only=True)
class Twenty:
    """A disc that counts as a 20, and its side."""

    id: DiscId
    team: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ShotOutcome:
    """The consequences of a shot, if it happened in one particular way.

    remove       discs to take off the surface or out of the hole, without counting them
    restore      discs to put back, and where
    twenties     discs in the hole that count
    board_after  the discs on the board afterwards
    reshoot      whether a beginner may repeat the shot
    contact      the contact that satisfied the rule; None if there was none, or none was needed
    """

    verdict: Verdict
    faults: tuple[Fault, ...]
    remove: tuple[DiscId, ...]
    restore: tuple[StartPosition, ...]
    twenties: tuple[Twenty, ...]
    board_after: tuple[FinalPosition, ...]
    reshoot: bool = False
    contact: ContactPair | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class AlternativeOutcome:
    """An outcome, and the condition under which it holds."""

    when: str
    outcome: ShotOutcome


@dataclass(frozen=True, slots=True, kw_only=True)
class ShotJudgement:
    """A verdict with its outcome, and the alternatives if a person must choose.

    moved_mm  displacement of the discs that certainly moved, if contacts are unseen
    """

    outcome: ShotOutcome
    contacts_seen: bool
    moved_mm: dict[DiscId, float]
    alternatives: tuple[AlternativeOutcome, ...] = ()

    @property
    def verdict(self) -> Verdict:
        """Legal or foul if that is certain, with the consequences."""
        return self.outcome.verdict


def judge(shot: ShotFacts, rules: RuleSet, geometry: BoardGeometry | None = None) -> ShotJudgement:
    """The rules' judgement of a shot; ``geometry`` defaults to the standard board and disc.

    If outcomes differ for the players, the verdict is ``NEEDS_REVIEW``, with all outcomes as
    ``alternatives``.
    """
    found = list(_enumerate_outcomes(shot, rules, geometry or BoardGeometry()))
    seen = shot.contacts is not None
    moved = {} if seen else {disc: displacement_mm(shot, disc) for disc in find_moved_discs(shot)}
    if len(found) == 1:
        return ShotJudgement(outcome=found[0].outcome, contacts_seen=seen, moved_mm=moved)
    return ShotJudgement(
        outcome=_intersect_outcomes(shot, [outcome.outcome for outcome in found]),
        contacts_seen=seen,
        moved_mm=moved,
        alternatives=tuple(found),
    )


def _enumerate_outcomes(
    shot: ShotFacts, rules: RuleSet, geometry: BoardGeometry
) -> Iterator[AlternativeOutcome]:
    """The distinct outcomes, with the first condition that leads to them."""
    outcomes: list[ShotOutcome] = []
    for when, contacts, is_brush in _enumerate_contacts(shot):
        if is_brush and any(shot_outcome.verdict is Verdict.LEGAL for shot_outcome in outcomes):
            return  # one more contact cannot turn a legal shot into a foul
        for description, outcome in _judge_with_uncertainty(shot, contacts, rules, geometry):
            same = (
                _outcome_key(shot_outcome) == _outcome_key(outcome) for shot_outcome in outcomes
            )
            is_idle = is_brush and outcome.verdict is Verdict.FOUL
            if is_idle or any(same):
                continue
            outcomes.append(outcome)
            condition = join("; ", filter(None, (when, description)))
            yield AlternativeOutcome(
                when=condition or Phrase("all discs are where they were seen"), outcome=outcome
            )


def _enumerate_contacts(shot: ShotFacts) -> Iterator[tuple[str, tuple[ContactPair, ...], bool]]:
    if shot.contacts is not None:
        yield "", shot.contacts, False
    else:
        yield from enumerate_possible_contacts(shot)


def _judge_with_uncertainty(
    shot: ShotFacts, contacts: tuple[ContactPair, ...], rules: RuleSet, geometry: BoardGeometry
) -> Iterator[tuple[str, ShotOutcome]]:
    """Outcomes of one contact sequence, and those with a disc on the other side of a line."""
    yield from _judge_scenario(shot, contacts, rules, geometry)
    for description, moved in _shift_uncertain_discs(shot, geometry):
        for more, outcome in _judge_scenario(moved, contacts, rules, geometry):
            counted = {twenty.id for twenty in outcome.twenties}
            board = _build_board_after(shot, set(outcome.remove), list(outcome.restore), counted)
            condition = join("; ", filter(None, (more, description)))
            yield condition, replace(outcome, board_after=board)


def _shift_uncertain_discs(
    shot: ShotFacts, geometry: BoardGeometry
) -> Iterator[tuple[str, ShotFacts]]:
    """The shot with one disc shifted in or out by its uncertainty, if that may change a rule's
    result.
    """
    for rest in shot.after:
        reach_mm = zones.find_close_sigmas() * rest.sigma_mm
        if reach_mm == 0 or rest.x_mm is None or rest.y_mm is None:
            continue
        if geometry.nearest_decision_mm(rest.x_mm, rest.y_mm) > reach_mm:
            continue
        distance_mm = math.hypot(rest.x_mm, rest.y_mm)
        for way, step_mm in ((Phrase("inward"), -reach_mm), (Phrase("outward"), reach_mm)):
            factor = 1 + step_mm / distance_mm
            moved = replace(rest, x_mm=factor * rest.x_mm, y_mm=factor * rest.y_mm)
            after = tuple(moved if disc is rest else disc for disc in shot.after)
            description = Phrase(
                "%(id)s is up to %(reach_mm).1f mm further %(way)s than it appears",
                id=rest.id,
                reach_mm=reach_mm,
                way=way,
            )
            yield description, replace(shot, after=after)


def _judge_scenario(
    shot: ShotFacts, contacts: tuple[ContactPair, ...], rules: RuleSet, geometry: BoardGeometry
) -> Iterator[tuple[str, ShotOutcome]]:
    """Outcome of one contact sequence; two if it is unknown where to put a disc back.

    The position is unknown if the shot had already moved a disc before a dead disc disturbed it.
    """
    contact_summary = summarise_contacts(shot, contacts)
    disturbed = [
        disc for disc in find_disturbed_discs(contact_summary, rules) if disc != shot.shooter
    ]
    clear = frozenset(name for name in disturbed if name not in contact_summary.involved)
    whole = Case(
        shot=shot,
        contact_summary=contact_summary,
        rules=rules,
        geometry=geometry,
        restored=frozenset(disturbed),
    )
    tangled = [name for name in disturbed if name in contact_summary.involved]
    if not tangled:
        yield "", _decide_outcome(whole)
        return
    names = join(Phrase(" and "), tangled)
    yield (
        Phrase("%(names)s may stay", names=names),
        _decide_outcome(replace(whole, restored=clear)),
    )
    yield (
        Phrase("%(names)s must go back to the position before the shot", names=names),
        _decide_outcome(whole),
    )


def _decide_outcome(case: Case) -> ShotOutcome:
    """The outcome: all checks, and their consequences."""
    faults = [
        *find_placement_faults(case),
        *find_contact_faults(case),
        *find_open_board_faults(case),
        *find_bounds_faults(case),
    ]
    out = {fault.evidence["disc"] for fault in faults if not fault.is_foul}
    lost = find_penalised_discs(case, faults) | out
    shot = case.shot
    removed = [
        disc.id for disc in shot.after if disc.id in lost and disc.state is not DiscState.DITCH
    ]
    restored = [disc for disc in shot.before if disc.id in case.restored and disc.id not in lost]
    kept = {disc.id for disc in restored}
    twenties = [
        Twenty(id=rest.id, team=team)
        for rest in shot.after
        if rest.id not in lost | kept and (team := twenty_team(case, rest)) is not None
    ]
    return ShotOutcome(
        verdict=Verdict.FOUL if any(fault.is_foul for fault in faults) else Verdict.LEGAL,
        faults=tuple(faults),
        remove=tuple(removed),
        restore=tuple(restored),
        twenties=tuple(twenties),
        board_after=_build_board_after(
            shot, set(removed), restored, {twenty.id for twenty in twenties}
        ),
        reshoot=may_shoot_again(case, faults),
        contact=find_valid_contact(case) if shot.opponents else None,
    )


def _build_board_after(
    shot: ShotFacts, removed: set[DiscId], restored: list[StartPosition], counted: set[DiscId]
) -> tuple[FinalPosition, ...]:
    """The discs on the board afterwards, in the order of ``after``."""
    back = {disc.id: disc for disc in restored}
    board = []
    for rest in shot.after:
        if rest.id in back:
            spot = back[rest.id]
            board.append(
                FinalPosition(id=rest.id, state=DiscState.FLAT, x_mm=spot.x_mm, y_mm=spot.y_mm)
            )
        elif rest.state is not DiscState.DITCH and rest.id not in removed | counted:
            board.append(rest)
    return tuple(board)


def _outcome_key(outcome: ShotOutcome) -> object:
    """A key that differs if outcomes differ for the players."""
    return outcome.verdict, outcome.remove, outcome.restore, outcome.twenties, outcome.reshoot


def _intersect_outcomes(shot: ShotFacts, outcomes: list[ShotOutcome]) -> ShotOutcome:
    """The consequences that all outcomes share; a person decides the rest."""
    first, *others = outcomes
    codes = [
        {(fault.code, fault.evidence.get("disc")) for fault in other.faults} for other in others
    ]
    faults = [
        fault
        for fault in first.faults
        if all((fault.code, fault.evidence.get("disc")) in known for known in codes)
    ]
    remove = [name for name in first.remove if all(name in other.remove for other in others)]
    restore = [disc for disc in first.restore if all(disc in other.restore for other in others)]
    twenties = [
        twenty for twenty in first.twenties if all(twenty in other.twenties for other in others)
    ]
    return ShotOutcome(
        verdict=Verdict.NEEDS_REVIEW,
        faults=tuple(faults),
        remove=tuple(remove),
        restore=tuple(restore),
        twenties=tuple(twenties),
        board_after=_build_board_after(
            shot, set(remove), restore, {twenty.id for twenty in twenties}
        ),
    )
