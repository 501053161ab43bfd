"""The ruling on a shot: by its contact hypotheses, and by physics if those do not decide it.

The rules judge first. Physics is used only if the rules alone leave the question to a person, both
boards are certain, and the shooter's disc was read before and after the shot. If the physics check
is certain, it chooses between the contact hypotheses. If it agrees with none, a person must decide.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from calibration.phrase import Phrase
from scorer.physics.inverse.graze_probability import combine_near_passes
from scorer.referee.shot.contact_hypotheses import ContactHypothesis, list_contact_hypotheses
from scorer.referee.shot.judge_hypotheses import RulesOfPlay, Ruling, judge_hypotheses
from scorer.referee.shot.near_passes import DiscPass, find_near_passes
from scorer.referee.shot.physics_check import PhysicsCheck, PhysicsFinding
from scorer.referee.shot.shot_evidence import ShotEvidence
from scorer.rules.judge_shot import Verdict


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RuledShot:
    """A shot with its ruling.

    likeliest    the likeliest contact hypothesis
    near_passes  with discs at rest, in order of time
    finding      of the physics check; None if it was not used, or does not support such a board
    """

    evidence: ShotEvidence
    likeliest: ContactHypothesis
    near_passes: tuple[DiscPass, ...]
    ruling: Ruling
    finding: PhysicsFinding | None


def rule_on_shot(
    shot: ShotEvidence,
    play: RulesOfPlay,
    physics_check: PhysicsCheck,
    *,
    unclear: Sequence[str],
    unseen: Sequence[str],
) -> RuledShot:
    """The ruling on a shot.

    unclear  uncertainties about the boards or the discs: a person must decide
    unseen   parts of the shot that were not seen: a person must decide, unless physics is certain
    """
    near_passes = _combine_near_passes(shot)
    hypotheses = list_contact_hypotheses(shot, near_passes)
    ruling = judge_hypotheses(shot, hypotheses, play, (*unseen, *unclear))
    finding = None
    can_settle = (
        shot.was_placed
        and not unclear
        and shot.change.find_disc(shot.shooter.name) is not None
        and not any(hypothesis.is_weighed for hypothesis in hypotheses)
    )
    if ruling.verdict is Verdict.NEEDS_REVIEW and can_settle:
        finding = physics_check.check(shot)
        if finding is not None and finding.is_sure:
            by_physics = judge_hypotheses(shot, [finding.contacts], play)
            possible = [judge_hypotheses(shot, [hypothesis], play) for hypothesis in hypotheses]
            ruling = _apply_physics(ruling, by_physics, possible)
    return RuledShot(
        evidence=shot,
        likeliest=hypotheses[0],
        near_passes=tuple(near_passes),
        ruling=ruling,
        finding=finding,
    )


def _combine_near_passes(shot: ShotEvidence) -> list[DiscPass]:
    """The near passes from all cameras' paths; disputed if those contradict each other."""
    found = {(near_pass.mover, near_pass.still): near_pass for near_pass in find_near_passes(shot)}
    for view in shot.views:
        for near_pass in find_near_passes(view):
            pair = near_pass.mover, near_pass.still
            found[pair] = _combine_passes(found[pair], near_pass) if pair in found else near_pass
    return sorted(found.values(), key=lambda near_pass: near_pass.near_pass.t_s)


def _combine_passes(one: DiscPass, other: DiscPass) -> DiscPass:
    """One pass from two cameras' paths, and the displacement from the camera that knows it."""
    if one.moved_mm is None:
        one, other = other, one
    combined = combine_near_passes(one.near_pass, other.near_pass)
    if combined is None:
        return replace(one, is_disputed=True)
    return replace(one, near_pass=combined)


def _apply_physics(undecided: Ruling, by_physics: Ruling, possible: Sequence[Ruling]) -> Ruling:
    """The ruling by physics if that is certain; otherwise the same question."""
    if by_physics.verdict is Verdict.NEEDS_REVIEW:
        return undecided
    if any(ruling.has_same_consequences(by_physics) for ruling in possible):
        return by_physics
    reasons = (
        *undecided.review_reasons,
        Phrase("a simulation of the shot does not match the video"),
    )
    return replace(undecided, review_reasons=reasons)
