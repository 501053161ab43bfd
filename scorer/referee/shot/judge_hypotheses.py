"""Judge one shot's contact hypotheses by the rules: a verdict, or the question for a person.

``scorer.rules`` judges the hypotheses separately. If all lead to the same consequences, the shot is
decided. Otherwise it needs review, with the deciding condition. A measurement error must not cause
a fault: the starting position is shifted towards the legal area as far as its uncertainty allows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from calibration.board import FloatArray
from calibration.parameters import StageParameters, parameter
from calibration.phrase import Phrase, join
from calibration.placed_disc import DiscState, PlacedDisc, Team
from scorer.referee.disc_identities import NamedDisc
from scorer.referee.seating import min_inside_mm
from scorer.referee.shot.contact_hypotheses import ContactHypothesis
from scorer.referee.shot.near_passes import PARAMS as NEAR_PASSES
from scorer.referee.shot.possible_twenties import may_have_fallen_in
from scorer.referee.shot.review_reasons import find_doubtful_twenty, find_unseen_departures
from scorer.referee.shot.shot_evidence import ShotEvidence
from scorer.rules.board_geometry import LINE_5, BoardGeometry, nearest_quadrant
from scorer.rules.choices import OutAtRest
from scorer.rules.judge_shot import ShotJudgement, ShotOutcome, Verdict, judge
from scorer.rules.sets import RuleSet
from scorer.rules.shot import FinalPosition, ShotFacts, StartPosition


class JudgeHypothesesParameters(StageParameters):
    """Parameters of ``judge_hypotheses``."""

    #: A smaller placement fault is ignored, for a disc that was read at rest ...
    seen_placement_mm: float = parameter(
        1.5, unit="mm", source="chosen: a place is known to 1.2 mm (95 %), and the line to 0.3 mm"
    )
    #: ... or, in an oblique view, one of fewer standard deviations of its position ...
    placement_sigmas: float = parameter(2.0, unit="σ", source="95% of normal errors")
    #: ... and for a disc that was first seen in motion.
    unseen_placement_mm: float = parameter(
        40.0, unit="mm", source="chosen: the distance of a frame at 1.2 m/s and 30 frames a second"
    )


PARAMS = JudgeHypothesesParameters()
#: Judges the shot with these discs before it and these contacts, and with one disc's final position
#: replaced.
JudgeOne = Callable[..., ShotJudgement]
_VERDICTS = {Verdict.LEGAL: Phrase("legal"), Verdict.FOUL: Phrase("a foul")}


@dataclass(frozen=True, slots=True, kw_only=True)
class Ruling:
    """The verdict on a shot, or the reason why a person must decide it.

    review_reasons  reasons why a person must decide, one sentence each; empty if it is decided
    question  the question for the person; None if there is none
    """

    verdict: Verdict
    outcome: ShotOutcome
    review_reasons: tuple[str, ...] = ()
    question: str | None = None

    def has_same_consequences(self, other: Ruling) -> bool:
        """Whether both have the same consequences for the players."""
        return _consequences(self.verdict, self.outcome) == _consequences(
            other.verdict, other.outcome
        )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RulesOfPlay:
    """The basis of a judgement: the rule set, the board's sizes and the teams."""

    rules: RuleSet
    sizes: BoardGeometry
    teams: Sequence[Team]


def judge_hypotheses(
    shot: ShotEvidence,
    hypotheses: Sequence[ContactHypothesis],
    play: RulesOfPlay,
    review_reasons: Sequence[str] = (),
) -> Ruling:
    """The verdict on a shot by its hypotheses (at least one), the likeliest first.

    With any ``review_reasons``, a person must decide, whatever the hypotheses.
    """
    shot, hypotheses = _leave_out_waiting(shot, hypotheses, play)
    start = _tolerate_placement(
        shot.shooter.place_mm,
        play.sizes,
        min_inside_mm(play.rules, play.sizes),
        _find_placement_tolerance(shot),
    )

    def judge_one(
        before: Sequence[NamedDisc],
        contacts: ContactHypothesis,
        instead: FinalPosition | None = None,
    ) -> ShotJudgement:
        facts = _make_shot(shot, before, contacts, start, play.teams, instead)
        return judge(facts, play.rules, play.sizes)

    judged = [
        (hypothesis.description, judge_one(shot.before, hypothesis)) for hypothesis in hypotheses
    ]
    first = judged[0][1]
    unconfirmed = _find_unconfirmed(shot)
    if unconfirmed:
        others = [disc for disc in shot.before if disc.name not in unconfirmed]
        pairs = tuple(pair for pair in hypotheses[0].pairs if pair[1] not in unconfirmed)
        without = judge_one(others, replace(hypotheses[0], pairs=pairs))
        judged.append((_describe_false_discs(unconfirmed), without))
    judged += _judge_taken_off(shot, hypotheses[0], judge_one)
    judged += _judge_over_hole(shot, hypotheses[0], judge_one, first)
    conditions = _find_disagreements(judged, frozenset(unconfirmed))
    reasons = [*review_reasons, *conditions]
    if not reasons:
        return Ruling(verdict=first.verdict, outcome=first.outcome)
    shared = replace(first.outcome, verdict=Verdict.NEEDS_REVIEW)
    return Ruling(
        verdict=Verdict.NEEDS_REVIEW,
        outcome=shared,
        review_reasons=tuple(reasons),
        question=_ask_question(_expect_outcome(first), review_reasons, conditions),
    )


def _leave_out_waiting(
    shot: ShotEvidence, hypotheses: Sequence[ContactHypothesis], play: RulesOfPlay
) -> tuple[ShotEvidence, Sequence[ContactHypothesis]]:
    """The shot and its hypotheses without the other side's discs on or beyond the starting line.
    Such discs wait to be shot next, or had to be removed, and are not in play. A light or a finger
    at the edge that looks like a disc is left out too. Pushing such a disc off is not a contact.

    If the rules allow discs there, they count. A disc that struck another disc, or moved inside the
    line, is now in play.
    """
    if play.rules.options.out_at_rest is not OutAtRest.TOUCHING_LINE:
        return shot, hypotheses
    sizes = play.sizes
    in_play = {striker for hypothesis in hypotheses for striker, _ in hypothesis.pairs}
    in_play |= {name for name, mm in shot.displacements.moved_mm.items() if np.isfinite(mm)}

    def is_waiting(disc: NamedDisc) -> bool:
        if disc.disc.team == shot.shooter.disc.team or disc.name in in_play:
            return False
        sigma_mm = float(np.sqrt(np.linalg.eigvalsh(disc.disc.covariance_mm2)[-1]))
        margin_mm = sizes.margin_mm(LINE_5, float(disc.place_mm[0]), float(disc.place_mm[1]))
        return margin_mm < -PARAMS.placement_sigmas * sigma_mm

    waiting = {disc.name for disc in shot.before if is_waiting(disc)}
    if not waiting:
        return shot, hypotheses
    return replace(shot, before=tuple(disc for disc in shot.before if disc.name not in waiting)), [
        replace(
            hypothesis, pairs=tuple(pair for pair in hypothesis.pairs if pair[1] not in waiting)
        )
        for hypothesis in hypotheses
    ]


def _judge_taken_off(
    shot: ShotEvidence, contacts: ContactHypothesis, judge_one: JudgeOne
) -> Iterator[tuple[str, ShotJudgement]]:
    """The shot's judgements if a hand took off a disc that was not seen to leave, for all such
    discs.
    """
    for gone in find_unseen_departures(shot):
        others = [disc for disc in shot.before if disc.name != gone.name]
        pairs = tuple(
            (shot.shooter.name if striker == gone.name else striker, struck)
            for striker, struck in contacts.pairs
            if struck != gone.name
        )
        words = Phrase(
            "%(name)s, which was not seen leaving the board, was removed by hand", name=gone.name
        )
        yield words, judge_one(others, replace(contacts, pairs=pairs))


def _judge_over_hole(
    shot: ShotEvidence, contacts: ContactHypothesis, judge_one: JudgeOne, first: ShotJudgement
) -> Iterator[tuple[str, ShotJudgement]]:
    """The shot's judgements if a lost disc fell into the hole, and if a disc in the hole leans on
    its edge, if these differ from the ``first`` judgement in more than 20s.
    """
    for gone in shot.change.gone:
        if may_have_fallen_in(gone, shot.tracks.get(gone.name), shot.at_rest):
            sunk = _place_over_hole(shot, gone.name, DiscState.IN_HOLE)
            as_twenty = judge_one(shot.before, contacts, sunk)
            if gone.name not in as_twenty.outcome.remove:  # otherwise it is removed wherever it is
                yield (
                    Phrase("%(name)s went out of view and fell into the hole", name=gone.name),
                    as_twenty,
                )
    doubtful = find_doubtful_twenty(shot)
    if doubtful is not None:
        leaner = _place_over_hole(shot, doubtful.name, DiscState.LEANING)
        leaning = judge_one(shot.before, contacts, leaner)
        # Otherwise the round's points depend on it.
        if not _differs_by_twenties_alone(first, leaning):
            yield Phrase("%(name)s is leaning on the edge of the hole", name=doubtful.name), leaning


def _find_unconfirmed(shot: ShotEvidence) -> list[str]:
    """The other side's discs that never moved, if all of them may be marks on the board."""
    unmoved = [
        disc
        for disc in shot.before
        if disc.disc.team != shot.shooter.disc.team
        and disc.certainty < 1.0
        and disc.name not in shot.displacements.moved_mm
    ]
    p_marks = np.prod([1.0 - disc.certainty for disc in unmoved])
    return [disc.name for disc in unmoved] if p_marks > 1.0 - NEAR_PASSES.sure else []


def _describe_false_discs(names: Sequence[str]) -> str:
    """The possibility that unconfirmed discs are light or a mark."""
    if len(names) == 1:
        return Phrase("%(disc)s is not a disc (it was not seen arriving)", disc=names[0])
    return Phrase("%(discs)s are not discs (they were not seen arriving)", discs=join(", ", names))


def _find_disagreements(
    judged: list[tuple[str, ShotJudgement]], unconfirmed: frozenset[str]
) -> dict[str, ShotOutcome]:
    """The deciding condition if the hypotheses lead to different outcomes, and the outcomes.

    The fate of ``unconfirmed`` discs does not count; whether they are discs was asked when they
    appeared.
    """
    first = judged[0][1]
    expected = _consequences(first.verdict, first.outcome, unconfirmed)
    conditions = {alternative.when: alternative.outcome for alternative in first.alternatives[1:]}
    for words, other in judged[1:]:
        if _consequences(other.verdict, other.outcome, unconfirmed) != expected:
            conditions.setdefault(words, other.outcome)
    return conditions


def _consequences(
    verdict: Verdict, outcome: ShotOutcome, but: frozenset[str] = frozenset()
) -> object:
    """The consequences for the players, for comparison, except those for the discs in ``but``."""
    return (
        verdict,
        set(outcome.remove) - but,
        tuple(disc for disc in outcome.restore if disc.id not in but),
        tuple(twenty for twenty in outcome.twenties if twenty.id not in but),
    )


def _differs_by_twenties_alone(one: ShotJudgement, other: ShotJudgement) -> bool:
    """Whether the players must do the same after both outcomes, so that they differ only in 20s."""
    return _consequences(one.verdict, replace(one.outcome, twenties=())) == _consequences(
        other.verdict, replace(other.outcome, twenties=())
    )


def _expect_outcome(judgement: ShotJudgement) -> ShotOutcome:
    """The outcome if every disc is where it was seen."""
    first = next(iter(judgement.alternatives), None)
    return judgement.outcome if first is None else first.outcome


def _ask_question(
    otherwise: ShotOutcome, review_reasons: Sequence[str], conditions: Mapping[str, ShotOutcome]
) -> str:
    """A plain question: about the unseen part, or otherwise whether the first condition holds.

    ``otherwise`` is the outcome if no condition holds.
    """
    if review_reasons:
        return Phrase("%(reason)S. Was the shot legal?", reason=review_reasons[0])
    reason, outcome = next(iter(conditions.items()))
    if {outcome.verdict, otherwise.verdict} == {Verdict.LEGAL, Verdict.FOUL}:
        return Phrase(
            "Is it true that %(reason)s? If so, the shot is %(verdict)s. If not, it is "
            "%(other_verdict)s.",
            reason=reason,
            verdict=_VERDICTS[outcome.verdict],
            other_verdict=_VERDICTS[otherwise.verdict],
        )
    if outcome.twenties != otherwise.twenties:
        return Phrase("Is it true that %(reason)s? If so, it is a 20.", reason=reason)
    return Phrase(
        "Is it true that %(reason)s? The answer decides which discs stay on the board.",
        reason=reason,
    )


def _make_shot(
    shot: ShotEvidence,
    before: Sequence[NamedDisc],
    contacts: ContactHypothesis,
    start: FloatArray,
    teams: Sequence[Team],
    instead: FinalPosition | None,
) -> ShotFacts:
    """The shot in the form that the rules take: a disc starts at ``start`` (2,), with the others at
    ``before``.

    One disc may be placed at ``instead`` rather than where it was seen.
    """
    shooter = shot.shooter
    colour = {team.number: str(team.number) for team in teams}
    spots = [StartPosition(id=shooter.name, x_mm=float(start[0]), y_mm=float(start[1]))]
    spots += [
        StartPosition(id=disc.name, x_mm=float(disc.place_mm[0]), y_mm=float(disc.place_mm[1]))
        for disc in before
        if disc.name != shooter.name
    ]
    named = {disc.name: disc for disc in shot.change.now}
    rests = {spot.id: _make_resting(spot.id, named.get(spot.id)) for spot in spots}
    if instead is not None and instead.id in rests:
        rests[instead.id] = instead
    return ShotFacts(
        shooter=shooter.name,
        team=colour[shooter.disc.team],
        teams={disc.name: colour[disc.disc.team] for disc in (*before, shooter)},
        before=tuple(spots),
        after=tuple(rests.values()),
        contacts=contacts.pairs,
        quadrant=nearest_quadrant(float(start[0]), float(start[1])),
    )


def _place_over_hole(shot: ShotEvidence, name: str, state: DiscState) -> FinalPosition:
    """A disc in the hole, or leaning on its edge."""
    x, y = shot.at_rest.fit.spec.hole_centre_mm
    return FinalPosition(id=name, state=state, x_mm=x, y_mm=y)


def _make_resting(name: str, now: NamedDisc | None) -> FinalPosition:
    if now is None:
        return FinalPosition(id=name, state=DiscState.DITCH)
    return FinalPosition(
        id=name,
        state=now.disc.state,
        x_mm=float(now.place_mm[0]),
        y_mm=float(now.place_mm[1]),
        sigma_mm=_worst_sigma_mm(now.disc),
    )


def _worst_sigma_mm(disc: PlacedDisc) -> float:
    """One standard deviation of a disc's place in its worst direction, mm; 0 in the hole."""
    if disc.state is DiscState.IN_HOLE:
        return 0.0
    return float(np.sqrt(np.linalg.eigvalsh(disc.covariance_mm2)[-1]))


def _find_placement_tolerance(shot: ShotEvidence) -> float:
    """The distance, mm, by which the starting place may break the rule without being a fault."""
    if not shot.was_placed:
        return PARAMS.unseen_placement_mm
    return max(
        PARAMS.seen_placement_mm, PARAMS.placement_sigmas * _worst_sigma_mm(shot.shooter.disc)
    )


def _tolerate_placement(
    place_mm: FloatArray, sizes: BoardGeometry, least_inside_mm: float, tolerance_mm: float
) -> FloatArray:
    """The place nearest to the line, and at least as far inside its quadrant as required, within
    ``tolerance_mm``, because a measurement error is not a fault.
    """
    x, y = (float(coordinate) for coordinate in place_mm)
    inside = float(np.clip(sizes.inside_mm(LINE_5, x, y), -tolerance_mm, tolerance_mm))
    place = np.asarray(place_mm) * (1 + inside / max(float(np.hypot(x, y)), 1.0))
    quadrant = nearest_quadrant(x, y)
    over_mm = least_inside_mm - sizes.inside_quadrant_mm(quadrant, float(place[0]), float(place[1]))
    if not 0 < over_mm < tolerance_mm:
        return place
    middle = quadrant * np.pi / 2
    way = np.sign(np.sin(middle - np.arctan2(y, x)))
    angle = way * 2 * over_mm / max(float(np.hypot(*place)), 1.0)
    turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    return np.asarray(turn @ place)
