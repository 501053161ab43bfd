"""One shot and its rules to a verdict: legal, foul, or a person must look.

Knows the order of judging and what the board is afterwards. Every check runs and every fault is
told. Where nobody saw the contacts, every way that the discs' displacement allows is judged, and
where a disc lies nearer to a line than it is known, both sides of it; only what all of them share
is decided.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import StrEnum

from scorer.contacts import displacement_mm, moved_discs, possible_contacts, trail_of
from scorer.places import Sizes
from scorer.rules.checks import (
    Case,
    Fault,
    bounds_faults,
    contact_faults,
    damaged_discs,
    may_shoot_again,
    open_board_faults,
    penalty,
    placement_faults,
    twenty_team,
    valid_contact,
)
from scorer.rules.sets import RuleSet
from scorer.shot import DiscId, Pair, Rest, Resting, Shot, Spot
from scorer.zones import CLOSE_SIGMAS


class Verdict(StrEnum):
    """What a shot was."""

    LEGAL = "legal"
    FOUL = "foul"
    NEEDS_REVIEW = "needs_review"


@dataclass(frozen=True, slots=True, kw_only=True)
class Twenty:
    """A disc that counts 20, and for whom."""

    id: DiscId
    team: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What follows from one account of a shot.

    remove       discs to take off the surface or out of the hole, without counting them
    restore      discs to put back, with the place
    twenties     discs in the hole that count
    board_after  what then lies on the board
    reshoot      a beginner may take the shot again
    contact      the contact that satisfied the rule; None when there was none, or none was needed
    """

    verdict: Verdict
    faults: tuple[Fault, ...]
    remove: tuple[DiscId, ...]
    restore: tuple[Spot, ...]
    twenties: tuple[Twenty, ...]
    board_after: tuple[Resting, ...]
    reshoot: bool = False
    contact: Pair | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Alternative:
    """An outcome, and what must have happened for it to hold."""

    when: str
    outcome: Outcome


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgement:
    """A verdict with its outcome, and the alternatives where a person must choose.

    moved_mm  how far each disc moved that certainly did, where nobody saw the contacts
    """

    outcome: Outcome
    contacts_seen: bool
    moved_mm: dict[DiscId, float]
    alternatives: tuple[Alternative, ...] = ()

    @property
    def verdict(self) -> Verdict:
        """Legal or foul where it is certain, with all that follows."""
        return self.outcome.verdict


def judge(shot: Shot, rules: RuleSet, sizes: Sizes | None = None) -> Judgement:
    """What the rules say of a shot."""
    found = list(_accounts(shot, rules, sizes or Sizes()))
    seen = shot.contacts is not None
    moved = {} if seen else {each: displacement_mm(shot, each) for each in moved_discs(shot)}
    if len(found) == 1:
        return Judgement(outcome=found[0].outcome, contacts_seen=seen, moved_mm=moved)
    return Judgement(
        outcome=_shared(shot, [each.outcome for each in found]),
        contacts_seen=seen,
        moved_mm=moved,
        alternatives=tuple(found),
    )


def _accounts(shot: Shot, rules: RuleSet, sizes: Sizes) -> Iterator[Alternative]:
    """The outcomes that differ, each under the first account that leads to it."""
    told: list[Outcome] = []
    for when, contacts, is_brush in _told_or_possible(shot):
        if is_brush and any(each.verdict is Verdict.LEGAL for each in told):
            return  # one more contact makes no legal shot a foul
        for words, outcome in _judged_within_doubt(shot, contacts, rules, sizes):
            same = (_essence(each) == _essence(outcome) for each in told)
            is_idle = is_brush and outcome.verdict is Verdict.FOUL
            if is_idle or any(same):
                continue
            told.append(outcome)
            account = "; ".join(each for each in (when, words) if each)
            yield Alternative(when=account or "every disc lies as it was seen", outcome=outcome)


def _told_or_possible(shot: Shot) -> Iterator[tuple[str, tuple[Pair, ...], bool]]:
    if shot.contacts is not None:
        yield "", shot.contacts, False
    else:
        yield from possible_contacts(shot)


def _judged_within_doubt(
    shot: Shot, contacts: tuple[Pair, ...], rules: RuleSet, sizes: Sizes
) -> Iterator[tuple[str, Outcome]]:
    """The outcomes of one account, also where a disc may lie on the other side of a line."""
    yield from _judged(shot, contacts, rules, sizes)
    for words, moved in _doubted(shot, sizes):
        for more, outcome in _judged(moved, contacts, rules, sizes):
            counted = {each.id for each in outcome.twenties}
            board = _board_after(shot, set(outcome.remove), list(outcome.restore), counted)
            told = "; ".join(each for each in (more, words) if each)
            yield told, replace(outcome, board_after=board)


def _doubted(shot: Shot, sizes: Sizes) -> Iterator[tuple[str, Shot]]:
    """The shot with one disc as far in or out as its place is uncertain, where a rule may turn."""
    for rest in shot.after:
        reach_mm = CLOSE_SIGMAS * rest.sigma_mm
        if reach_mm == 0 or rest.x_mm is None or rest.y_mm is None:
            continue
        if sizes.nearest_edge_mm(rest.x_mm, rest.y_mm) > reach_mm:
            continue
        distance_mm = math.hypot(rest.x_mm, rest.y_mm)
        for way, step_mm in (("inward", -reach_mm), ("outward", reach_mm)):
            factor = 1 + step_mm / distance_mm
            moved = replace(rest, x_mm=factor * rest.x_mm, y_mm=factor * rest.y_mm)
            after = tuple(moved if each is rest else each for each in shot.after)
            words = f"{rest.id} lies up to {reach_mm:.1f} mm further {way} than it was seen"
            yield words, replace(shot, after=after)


def _judged(
    shot: Shot, contacts: tuple[Pair, ...], rules: RuleSet, sizes: Sizes
) -> Iterator[tuple[str, Outcome]]:
    """The outcome of one account; two where it cannot be known where a disc is to be put back.

    A disc that the shot had moved already, before a dead disc disturbed it, lay at a place that
    nobody noted.
    """
    trail = trail_of(shot, contacts)
    damaged = [each for each in damaged_discs(trail, rules) if each != shot.shooter]
    clear = frozenset(each for each in damaged if each not in trail.involved)
    whole = Case(shot=shot, trail=trail, rules=rules, sizes=sizes, restored=frozenset(damaged))
    tangled = [each for each in damaged if each in trail.involved]
    if not tangled:
        yield "", _outcome(whole)
        return
    names = " and ".join(tangled)
    yield f"{names} stays where it lies now", _outcome(replace(whole, restored=clear))
    yield f"{names} is put back where it lay before the shot", _outcome(whole)


def _outcome(case: Case) -> Outcome:
    """All checks, and what follows from them."""
    faults = [
        *placement_faults(case),
        *contact_faults(case),
        *open_board_faults(case),
        *bounds_faults(case),
    ]
    out = {each.evidence["disc"] for each in faults if not each.is_foul}
    lost = penalty(case, faults) | out
    shot = case.shot
    removed = [each.id for each in shot.after if each.id in lost and each.state is not Rest.DITCH]
    restored = [each for each in shot.before if each.id in case.restored and each.id not in lost]
    kept = {each.id for each in restored}
    twenties = [
        Twenty(id=rest.id, team=team)
        for rest in shot.after
        if rest.id not in lost | kept and (team := twenty_team(case, rest)) is not None
    ]
    return Outcome(
        verdict=Verdict.FOUL if any(each.is_foul for each in faults) else Verdict.LEGAL,
        faults=tuple(faults),
        remove=tuple(removed),
        restore=tuple(restored),
        twenties=tuple(twenties),
        board_after=_board_after(shot, set(removed), restored, {each.id for each in twenties}),
        reshoot=may_shoot_again(case, faults),
        contact=valid_contact(case) if shot.opponents else None,
    )


def _board_after(
    shot: Shot, removed: set[DiscId], restored: list[Spot], counted: set[DiscId]
) -> tuple[Resting, ...]:
    """What lies on the board once everything is done, in the order of ``after``."""
    back = {each.id: each for each in restored}
    board = []
    for rest in shot.after:
        if rest.id in back:
            spot = back[rest.id]
            board.append(Resting(id=rest.id, state=Rest.FLAT, x_mm=spot.x_mm, y_mm=spot.y_mm))
        elif rest.state is not Rest.DITCH and rest.id not in removed | counted:
            board.append(rest)
    return tuple(board)


def _essence(outcome: Outcome) -> object:
    """What makes two outcomes differ for the players."""
    return outcome.verdict, outcome.remove, outcome.restore, outcome.twenties, outcome.reshoot


def _shared(shot: Shot, outcomes: list[Outcome]) -> Outcome:
    """What all outcomes share; the rest is for a person to decide."""
    first, *others = outcomes
    codes = [{(each.code, each.evidence.get("disc")) for each in other.faults} for other in others]
    faults = [
        each
        for each in first.faults
        if all((each.code, each.evidence.get("disc")) in told for told in codes)
    ]
    remove = [each for each in first.remove if all(each in other.remove for other in others)]
    restore = [each for each in first.restore if all(each in other.restore for other in others)]
    twenties = [each for each in first.twenties if all(each in other.twenties for other in others)]
    return Outcome(
        verdict=Verdict.NEEDS_REVIEW,
        faults=tuple(faults),
        remove=tuple(remove),
        restore=tuple(restore),
        twenties=tuple(twenties),
        board_after=_board_after(shot, set(remove), restore, {each.id for each in twenties}),
    )
