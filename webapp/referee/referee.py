"""The live referee: tracker events → shots, verdicts, removals, 20s and the round's score.

Each board at rest is held against the one before. Between them a disc was shot, or hands were at
work, or nothing happened. Knows what a round is. Refuses to see, and to know any rule.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace

from calibration.board import BoardSpec, DiscSpec, FloatArray
from calibration.state import Team
from scorer.rules.board_geometry import BoardGeometry
from scorer.rules.referee import Verdict
from scorer.rules.sets import RuleSet
from vision.track.events import (
    BoardAtRest,
    BoardFound,
    BoardMoved,
    SceneChanged,
    TrackerEvent,
    TrackingLost,
)
from vision.track.motion.disc_tracker import DiscTrack
from vision.track.motion.motion_gate import SceneState
from webapp.referee.disc_identities import BoardChange, DiscNamer, NamedDisc, match_discs
from webapp.referee.events import (
    Event,
    discs_json,
    evidence_json,
    make_event,
    ruling_json,
    teams_json,
)
from webapp.referee.manual_moves import (
    ManualMoves,
    describe_mistakes,
    find_manual_moves,
    is_ready,
    is_twenty,
)
from webapp.referee.review_reasons import find_missing_evidence, find_review_reasons
from webapp.referee.round_score import RunningScore
from webapp.referee.seating import Seating, find_quadrant
from webapp.referee.shot.physics_check import PhysicsCheck, PhysicsFinding
from webapp.referee.shot.reconstruct import (
    ContactHypothesis,
    Flick,
    find_flick,
    infer_flick_while_lost,
    infer_unseen_flick,
    list_contact_hypotheses,
    measure_displacements,
)
from webapp.referee.shot.recovered_twenties import add_recovered_twenty
from webapp.referee.shot.shooter import UNKNOWN_TEAM, find_known_disc, find_shooter
from webapp.referee.shot.shot_evidence import ShotEvidence
from webapp.referee.shot.verdict import Ruling, judge_hypotheses

#: Fewer discs taken off at once are no end of a round.
_CLEARED_DISCS = 2


class LiveReferee:
    """Follows one round after the other. Teams are numbered as their discs first appear."""

    def __init__(self, rules: RuleSet, physics_check: PhysicsCheck | None = None) -> None:
        self._rules = rules
        self._physics_check = physics_check or PhysicsCheck()
        self._namer = DiscNamer()
        self._discs: tuple[NamedDisc, ...] = ()
        self._teams: tuple[Team, ...] = ()
        self._spec, self._disc = BoardSpec(), DiscSpec()
        self._previous: BoardAtRest | None = None
        self._last_shooter: int | None = None
        self._running_score = RunningScore()
        self._was_moved = False
        self._lost_mm: list[FloatArray] = []
        self._seating = Seating()

    def handle_event(self, tracker_event: TrackerEvent) -> Iterator[Event]:
        """The events that follow from a tracker event."""
        match tracker_event:
            case BoardFound():
                yield from self._handle_found(tracker_event)
            case TrackingLost():
                yield self._tracking_lost(tracker_event)
            case BoardMoved():
                self._was_moved = True
                shift = None if tracker_event.shift_mm is None else round(tracker_event.shift_mm, 2)
                yield make_event("bumped", tracker_event.t_s, shift_mm=shift)
            case SceneChanged(scene=SceneState.MOTION):
                yield make_event("motion", tracker_event.t_s)
            case SceneChanged(scene=SceneState.HAND):
                yield make_event("hand", tracker_event.t_s)
            case BoardAtRest():
                yield from self._handle_at_rest(tracker_event)
            case SceneChanged():
                pass

    def end(self, t_s: float) -> Iterator[Event]:
        """The end of the source: the round's score, unless nothing happened since the last one."""
        if self._running_score.has_begun:
            yield self._end_round(t_s)

    @property
    def _sizes(self) -> BoardGeometry:
        return BoardGeometry(board=self._spec, disc=self._disc)

    # Tracker events

    def _handle_found(self, tracker_event: BoardFound) -> Iterator[Event]:
        self._spec = tracker_event.fit.spec
        if tracker_event.is_refound:
            yield make_event(
                "recalibrated", tracker_event.t_s, residual_mm=round(tracker_event.residual_mm, 3)
            )

    def _tracking_lost(self, tracker_event: TrackingLost) -> Event:
        return make_event(
            "not_refereeing",
            tracker_event.t_s,
            reason=tracker_event.reason,
            advice=tracker_event.advice,
            over=tracker_event.over,
        )

    def _handle_at_rest(self, at_rest: BoardAtRest) -> Iterator[Event]:
        self._teams, self._disc = at_rest.board.teams, at_rest.board.disc
        self._spec = at_rest.fit.spec
        flick = find_flick(at_rest) if self._previous is not None else None
        unseen = None
        is_followed = self._previous is not None and not (at_rest.has_jumped or self._was_moved)
        if flick is None and is_followed:
            waits = [each for each in self._discs if is_ready(each, self._spec)]
            ready = [each for each in waits if not each.must_go]
            unseen = infer_unseen_flick(at_rest, ready, self._lost_mm)
        elif flick is None and self._was_moved and not at_rest.has_jumped:
            unseen = infer_flick_while_lost(at_rest)
        if flick is not None:
            yield from self._handle_shot(at_rest, flick)
        elif unseen is not None:
            yield from self._handle_shot(at_rest, unseen, is_unseen=True)
        else:
            yield from self._handle_manual_moves(at_rest)
        self._previous, self._was_moved = at_rest, False

    # A shot

    def _handle_shot(
        self, at_rest: BoardAtRest, flick: Flick, *, is_unseen: bool = False
    ) -> Iterator[Event]:
        shot = self._collect_evidence(at_rest, flick)
        change, tracks = shot.change, shot.tracks
        reasons_found = (
            *find_review_reasons(shot.at_rest, change, tracks, was_bumped=self._was_moved),
            *self._find_alike_reasons(shot.shooter),
        )
        missing = (*find_missing_evidence(shot.at_rest, is_unseen=is_unseen),)

        def judge(heard: Sequence[ContactHypothesis], reasons: Sequence[str]) -> Ruling:
            return judge_hypotheses(
                shot.before,
                shot.shooter,
                change,
                heard,
                self._teams,
                self._rules,
                self._sizes,
                was_placed=shot.was_placed,
                review_reasons=reasons,
            )

        ruling, finding = judge(shot.contact_hypotheses, (*missing, *reasons_found)), None
        can_settle = (
            shot.was_placed
            and not reasons_found
            and change.find_disc(shot.shooter.name) is not None
        )
        if ruling.verdict is Verdict.NEEDS_REVIEW and can_settle:
            finding = self._physics_check.check(shot)
            if finding is not None and finding.is_sure:
                possible = [judge([each], ()) for each in shot.contact_hypotheses]
                ruling = _apply_physics(ruling, possible, finding, judge)
        yield self._make_shot_event(shot, ruling, finding)
        yield from self._apply_shot(shot, ruling, is_unseen=is_unseen and not shot.was_placed)

    def _collect_evidence(self, at_rest: BoardAtRest, flick: Flick) -> ShotEvidence:
        """All that was seen of the shot."""
        found = find_shooter(at_rest, flick, self._discs, self._teams, self._namer)
        shooter = found.disc
        if not self._teams:
            self._teams = (UNKNOWN_TEAM,)
        before = tuple(each for each in self._discs if each.name != shooter.name)
        tracks = self._name_tracks(at_rest, flick, shooter.name)
        at_rest = add_recovered_twenty(at_rest, (*before, shooter), tracks)
        change = self._match_discs(at_rest, (*before, shooter), tracks, after_shot=True)
        displacements = measure_displacements(before, change, shooter.name, self._previous, at_rest)
        return ShotEvidence(
            at_rest=at_rest,
            flick=flick,
            shooter=shooter,
            was_placed=found.was_placed,
            before=before,
            tracks=tracks,
            change=change,
            displacements=displacements,
            contact_hypotheses=list_contact_hypotheses(
                before, shooter.name, tracks, displacements, flick.t_start_s, at_rest
            ),
        )

    def _name_tracks(
        self, at_rest: BoardAtRest, flick: Flick, shooter: str
    ) -> dict[str, DiscTrack]:
        """Tracks by the discs' names: those known before, and the shooter's."""
        out = {shooter: flick.track}
        for track in at_rest.tracks:
            known = find_known_disc(track, at_rest, self._discs)
            if known is not None and known.name not in out:
                out[known.name] = track
        return out

    def _match_discs(
        self,
        at_rest: BoardAtRest,
        before: Sequence[NamedDisc],
        tracks: Mapping[str, DiscTrack],
        *,
        after_shot: bool,
    ) -> BoardChange:
        expected: dict[str, FloatArray] = {
            name: track.last.place_mm for name, track in tracks.items()
        }
        return match_discs(
            before, at_rest.board.discs, expected, self._teams, self._namer, after_shot=after_shot
        )

    def _find_alike_reasons(self, shooter: NamedDisc) -> Iterator[str]:
        """Whether another side shot, by its seat, whose discs look like the first one's."""
        shot_from = self._seating.last_quadrant
        is_elsewhere = shot_from is not None and shot_from != find_quadrant(shooter.place_mm)
        if len(self._teams) == 1 and is_elsewhere:
            yield "the discs of both sides look alike so far"

    def _make_shot_event(
        self, shot: ShotEvidence, ruling: Ruling, finding: PhysicsFinding | None
    ) -> Event:
        at_rest, likeliest = shot.at_rest, shot.contact_hypotheses[0]
        named = {each.name: each for each in (*shot.change.now, *shot.change.gone)}
        remove = [named[each] for each in ruling.outcome.remove if each in named]
        return make_event(
            "shot",
            at_rest.t_s,
            index=self._running_score.shots,
            team=shot.shooter.disc.team,
            disc=shot.shooter.name,
            t_start_s=round(shot.flick.t_start_s, 3),
            t_rest_s=round(at_rest.t_rest_s, 3),
            **ruling_json(ruling),
            remove=self._discs_json(remove),
            before=self._discs_json((*shot.before, shot.shooter)),
            after=self._discs_json(shot.change.now),
            contacts=[list(pair) for pair in likeliest.pairs],
            evidence=evidence_json(
                shot.flick,
                shot.displacements.moved_mm,
                likeliest,
                at_rest.longest_gap_s,
                at_rest.saw_hand,
                finding,
            ),
            teams=teams_json(self._teams),
        )

    def _apply_shot(
        self, shot: ShotEvidence, ruling: Ruling, *, is_unseen: bool
    ) -> Iterator[Event]:
        """The board after a shot. ``is_unseen``: nobody saw the shooter's disc before."""
        shooter, change = shot.shooter, shot.change
        self._running_score.add_shot(shooter, ruling, shot.before)
        self._lost_mm = [each.place_mm for each in change.gone]
        self._last_shooter = shooter.disc.team
        self._seating.last_quadrant = find_quadrant(shooter.place_mm)
        if ruling.verdict is Verdict.LEGAL:
            self._seating.add_shot(shooter.disc.team, shooter.place_mm)
        counted = {each.name for each in self._discs if each.must_go and is_twenty(each)}
        for each in ruling.outcome.twenties:
            if each.id in counted:
                continue  # it should have been taken off before this shot
            team = int(each.team)
            count = self._running_score.add_twenty(team)
            yield make_event("twenty", shot.at_rest.t_s, team=team, disc=each.id, count=count)
        go = {*ruling.outcome.remove, *(each.id for each in ruling.outcome.twenties)}
        self._discs = tuple(
            replace(
                each,
                must_go=each.must_go or each.name in go,
                is_unconfirmed=each.is_unconfirmed or (is_unseen and each.name == shooter.name),
            )
            for each in change.now
        )
        self._update_score()

    # Manual moves

    def _handle_manual_moves(self, at_rest: BoardAtRest) -> Iterator[Event]:
        """What hands did since the board last lay still; or the first board of all."""
        change = self._match_discs(at_rest, self._discs, {}, after_shot=at_rest.has_jumped)
        moves = find_manual_moves(change, self._discs, self._spec)
        gone, ready = moves.gone, moves.ready
        stays = self._previous is not None
        warnings_found = (
            [*self._describe_mistakes(moves)] if stays and not at_rest.has_jumped else []
        )
        if len(gone) >= _CLEARED_DISCS and not change.now and self._running_score.has_begun:
            yield make_event("removal", at_rest.t_s, removed=self._discs_json(gone), warnings=[])
            yield self._end_round(at_rest.t_s)
            self._discs = ()
            return
        self._discs = change.now
        if gone and stays:
            yield make_event(
                "removal", at_rest.t_s, removed=self._discs_json(gone), warnings=warnings_found
            )
        unexpected = [each for each in gone if not each.must_go]
        self._lost_mm += [each.place_mm for each in unexpected]
        self._running_score.unrequested_removals += unexpected
        if not unexpected and (self._running_score.has_begun or self._discs):
            self._update_score()
            self._running_score.has_begun |= bool(self._discs) and not ready
        yield make_event(
            "board",
            at_rest.t_s,
            discs=self._discs_json(change.now),
            teams=teams_json(self._teams),
            warnings=warnings_found,
            next_team=None if not ready else ready[0].disc.team,
        )

    def _describe_mistakes(self, moves: ManualMoves) -> Iterator[str]:
        turn_after = self._last_shooter if len(self._teams) > 1 else None
        return describe_mistakes(moves, self._seating, turn_after, self._rules, self._sizes)

    # The score

    def _update_score(self) -> None:
        staying = [
            each for each in self._discs if not each.must_go and not is_ready(each, self._spec)
        ]
        self._running_score.update(staying, self._teams, self._spec, self._disc)

    def _end_round(self, t_s: float) -> Event:
        round_event = self._running_score.to_event(t_s, self._teams)
        self._running_score, self._last_shooter = RunningScore(), None
        return round_event

    def _discs_json(self, discs: Sequence[NamedDisc]) -> list[Event]:
        return discs_json(discs, self._spec, self._disc)


def _apply_physics(
    undecided: Ruling,
    possible: Sequence[Ruling],
    finding: PhysicsFinding,
    judge: Callable[[Sequence[ContactHypothesis], Sequence[str]], Ruling],
) -> Ruling:
    """The ruling by sure physics; the same question where they do not decide.

    They choose between contact hypotheses; where they agree with none, a person must look.
    """
    firm = judge([finding.contacts], ())
    if firm.verdict is Verdict.NEEDS_REVIEW:
        return undecided
    if any(each.has_same_consequences(firm) for each in possible):
        return firm
    reasons = (*undecided.review_reasons, "physics contradict what was seen")
    return replace(undecided, review_reasons=reasons)
