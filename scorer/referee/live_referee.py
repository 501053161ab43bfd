"""The live referee: tracker events become shots, verdicts, removals, 20s and the round's score.

Every board at rest is compared with the one before. In between, a disc was shot, hands moved discs,
or nothing happened. This module has the state from shot to shot: the named discs, the last shooter,
the seating and the running score. ``scorer.referee.shot`` judges a shot. Events missed between two
boards at rest, such as two shots instead of one, are lost.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from calibration.board import BoardSpec, FloatArray
from calibration.disc import DiscSpec
from calibration.phrase import Phrase
from calibration.placed_disc import Team
from scorer.photo.aim_help import describe_reflection
from scorer.referee.disc_identities import (
    UNSEEN_CERTAINTY,
    DiscNamer,
    NamedDisc,
    follow_split_team,
    match_discs,
)
from scorer.referee.events import (
    BoardEvent,
    BumpedEvent,
    Event,
    HandEvent,
    MotionEvent,
    RecalibratedEvent,
    RemovalEvent,
    RoundEvent,
    SeenDisc,
    ShotEvent,
    TwentyEvent,
    round_s,
)
from scorer.referee.make_events import make_evidence, make_lost_event, see_discs, see_teams
from scorer.referee.manual_moves import (
    ManualMoves,
    describe_changes,
    describe_mistakes,
    find_manual_moves,
    is_ready,
    is_twenty,
)
from scorer.referee.round_score import RunningScore
from scorer.referee.seating import Seating, find_quadrant
from scorer.referee.shot.broadcast_replay import (
    LONGEST_REPLAY_S,
    MAYBE_REPLAY_REASON,
    REPLAY_ADVICE,
    REPLAY_REASON,
    describe_long_replay,
    may_repeat,
    repeats,
    shows_board_before,
)
from scorer.referee.shot.flick import Flick, find_flick, find_slide
from scorer.referee.shot.judge_hypotheses import RulesOfPlay
from scorer.referee.shot.physics_check import PhysicsCheck
from scorer.referee.shot.review_reasons import (
    find_alike_reasons,
    find_doubtful_twenty,
    find_missing_evidence,
    find_review_reasons,
)
from scorer.referee.shot.ruling import RuledShot, rule_on_shot
from scorer.referee.shot.shooter import UNKNOWN_TEAM
from scorer.referee.shot.shot_evidence import KnownBoard, ShotEvidence, collect_evidence
from scorer.referee.shot.unseen_flick import infer_flick_while_lost, infer_unseen_flick
from scorer.rules.board_geometry import BoardGeometry
from scorer.rules.judge_shot import Verdict
from scorer.rules.sets import RuleSet
from vision.track.events import (
    BoardAtRest,
    BoardFound,
    BoardMoved,
    OutcomeUnseen,
    SceneChanged,
    TrackerEvent,
    TrackingLost,
)
from vision.track.motion.motion_gate import SceneState

#: If a board was visible but not still for this long, s, a whole shot may have been missed. Films
#: that were read correctly had their first board within 3.5 s.
_UNREAD_S = 4.0


class LiveReferee:
    """Follows round after round. Teams are numbered in the order in which their discs appear."""

    def __init__(
        self,
        rules: RuleSet,
        physics_check: PhysicsCheck | None = None,
        on_ruled: Callable[[RuledShot], None] | None = None,
    ) -> None:
        """``on_ruled`` gets every shot with all of its evidence, before its event."""
        self._rules = rules
        self._physics_check = physics_check or PhysicsCheck()
        self._on_ruled = on_ruled
        self._namer = DiscNamer()
        self._discs: tuple[NamedDisc, ...] = ()
        self._teams: tuple[Team, ...] = ()
        self._spec, self._disc = BoardSpec(), DiscSpec()
        self._previous: BoardAtRest | None = None
        self._last_shooter: int | None = None
        self._running_score = RunningScore()
        self._was_moved = False
        self._unseen_since_s: float | None = None
        self._in_sight_since_s: float | None = None
        self._lost_mm: list[FloatArray] = []
        self._seating = Seating()
        self._last_shot: ShotEvidence | None = None
        self._was_cut, self._replay_from_s = False, math.inf

    def handle_event(self, tracker_event: TrackerEvent) -> Iterator[Event]:
        """The events that follow from a tracker event."""
        match tracker_event:
            case BoardFound():
                yield from self._handle_found(tracker_event)
            case TrackingLost():
                in_sight_s = tracker_event.t_s if tracker_event.over else None
                self._in_sight_since_s = in_sight_s
                yield make_lost_event(tracker_event)
            case BoardMoved():
                self._was_moved = True
                shift = None if tracker_event.shift_mm is None else round(tracker_event.shift_mm, 2)
                yield BumpedEvent(t_s=round_s(tracker_event.t_s), shift_mm=shift)
            case SceneChanged(scene=SceneState.MOTION):
                yield MotionEvent(t_s=round_s(tracker_event.t_s))
            case SceneChanged(scene=SceneState.HAND):
                yield HandEvent(t_s=round_s(tracker_event.t_s))
            case BoardAtRest():
                yield from self._handle_at_rest(tracker_event)
            case OutcomeUnseen():
                self._unseen_since_s = tracker_event.t_from_s
            case SceneChanged():
                pass

    def end(self, t_s: float, *, is_film_over: bool = False) -> Iterator[Event]:
        """The events at the end of the source: the round's score, unless nothing happened since the
        last one.

        is_film_over  whether a recording was watched to its end
        """
        if self._previous is None and self._is_long_unread(t_s):
            yield make_lost_event(
                TrackingLost(
                    t_s=t_s,
                    reason=Phrase("the discs were never seen at rest"),
                    advice=(
                        Phrase(
                            "Keep the camera still. To use a hand-held video, review one shot "
                            "at a time."
                        )
                    ),
                )
            )
        if self._unseen_since_s is not None:
            self._running_score.add_doubt(
                Phrase(
                    "discs were shot after %(unseen_since_s).1f s, but the video ended "
                    "or the view changed before they stopped",
                    unseen_since_s=self._unseen_since_s,
                )
            )
        if t_s - self._replay_from_s > LONGEST_REPLAY_S:
            self._running_score.add_doubt(describe_long_replay(self._replay_from_s))
        self._running_score.settle_twenty()
        if self._discs:  # otherwise all discs were removed, as at the end of a round
            score = self._running_score
            score.doubt_changes(Phrase("the video ended"), (), score.staying)
        if self._running_score.has_begun:
            yield self._end_round(t_s, is_film_over=is_film_over)

    def doubt_score(self, words: str) -> None:
        """Record a reason why an unseen event may make the score wrong."""
        self._running_score.add_doubt(words)

    @property
    def _sizes(self) -> BoardGeometry:
        return BoardGeometry(board=self._spec, disc=self._disc)

    def _handle_found(self, tracker_event: BoardFound) -> Iterator[Event]:
        self._spec = tracker_event.fit.spec
        if self._in_sight_since_s is None:
            self._in_sight_since_s = tracker_event.t_s
        if tracker_event.is_refound:
            yield RecalibratedEvent(
                t_s=round_s(tracker_event.t_s), residual_mm=round(tracker_event.residual_mm, 3)
            )

    def _handle_at_rest(self, at_rest: BoardAtRest) -> Iterator[Event]:
        if len(self._teams) == 1 and len(at_rest.board.teams) > 1:
            self._discs = follow_split_team(self._discs, at_rest.board.discs)
        self._teams, self._disc = at_rest.board.teams, at_rest.board.disc
        self._spec = at_rest.fit.spec
        self._was_cut |= at_rest.was_interrupted
        if self._shows_replay(at_rest):
            yield from self._report_replay(at_rest.t_s, over=False)
            return
        if self._previous is None and at_rest.board.discs and self._is_long_unread(at_rest.t_s):
            self._running_score.add_doubt(
                Phrase(
                    "the discs were not at rest until %(t_s).1f s, so earlier shots were not seen",
                    t_s=at_rest.t_s,
                )
            )
        if self._replay_from_s < math.inf:
            yield from self._report_replay(at_rest.t_s, over=True)
            at_rest, shot = replace(at_rest, was_interrupted=True), None
        else:
            shot = None if self._previous is None else self._find_shot(at_rest)
        if shot is not None:
            yield from self._handle_shot(at_rest, shot)
        else:
            yield from self._handle_manual_moves(at_rest)
        self._previous, self._was_moved, self._unseen_since_s = at_rest, False, None

    def _is_long_unread(self, t_s: float) -> bool:
        """Whether the board was in sight for so long without a reading that a whole shot may have
        been missed.
        """
        return self._in_sight_since_s is not None and t_s - self._in_sight_since_s > _UNREAD_S

    def _shows_replay(self, at_rest: BoardAtRest) -> bool:
        """Whether the picture was cut back to the board before the last shot."""
        is_replay = self._replay_from_s < math.inf
        if self._last_shot is None or not (at_rest.was_interrupted or is_replay):
            return False
        return shows_board_before(at_rest, self._last_shot, self._discs)

    def _report_replay(self, t_s: float, *, over: bool) -> Iterator[Event]:
        if (self._replay_from_s < math.inf) is over:
            self._replay_from_s = math.inf if over else t_s
            yield make_lost_event(
                TrackingLost(t_s=t_s, reason=REPLAY_REASON, advice=REPLAY_ADVICE, over=over)
            )

    def _find_shot(self, at_rest: BoardAtRest) -> Flick | None:
        """The shot since the previous board: seen, or inferred from the boards."""
        seen = find_flick(at_rest)
        if seen is not None:
            return seen
        if at_rest.was_interrupted:  # the picture jumped, so hands may have changed anything
            return None
        if self._was_moved:  # the board or the camera was moved: all discs are slightly displaced
            return infer_flick_while_lost(at_rest)
        ready = [disc for disc in self._discs if is_ready(disc, self._spec) and not disc.must_go]
        return infer_unseen_flick(at_rest, ready, self._lost_mm)

    def _handle_shot(self, at_rest: BoardAtRest, flick: Flick) -> Iterator[Event]:
        """The verdict on a shot, and the events that follow."""
        known = KnownBoard(
            discs=self._discs, teams=self._teams, previous=self._previous, last=self._last_shooter
        )
        shot = collect_evidence(at_rest, flick, known, self._namer)
        if self._was_cut and self._last_shot is not None and repeats(shot, self._last_shot):
            self._discs = tuple(shot.before)
            yield from self._report_replay(at_rest.t_s, over=False)
            return
        self._teams = self._teams or (UNKNOWN_TEAM,)
        if not shot.is_team_doubtful:
            self._seating.quadrants.setdefault(shot.shooter.disc.team, set())
        shot = replace(shot, before=self._flag_marks(shot.before))
        ruled = rule_on_shot(
            shot,
            RulesOfPlay(rules=self._rules, sizes=self._sizes, teams=self._teams),
            self._physics_check,
            unclear=(
                *dict.fromkeys(
                    find_review_reasons(shot, self._previous, was_bumped=self._was_moved)
                ),
                *find_alike_reasons(
                    shot, self._teams, self._seating, is_first=self._running_score.shots == 0
                ),
                *self._find_replay_reasons(shot),
            ),
            unseen=(*find_missing_evidence(shot),),
        )
        if self._on_ruled is not None:
            self._on_ruled(ruled)
        if shot.taken_off:
            yield self._make_removal(at_rest.t_s, shot.taken_off)
        yield self._make_shot_event(ruled)
        yield from self._apply_shot(ruled, is_unseen=not (flick.was_seen or shot.was_placed))

    def _flag_marks(self, discs: Sequence[NamedDisc]) -> tuple[NamedDisc, ...]:
        """The discs, of which those of neither side's colour may be marks."""
        return tuple(
            replace(disc, certainty=min(disc.certainty, UNSEEN_CERTAINTY))
            if self._seating.is_stranger(disc.disc.team)
            else disc
            for disc in discs
        )

    def _find_replay_reasons(self, shot: ShotEvidence) -> Iterator[str]:
        """The reason for suspecting a replay: the picture was cut since the last shot, and this
        shot begins like that one.
        """
        if self._was_cut and self._last_shot is not None and may_repeat(shot, self._last_shot):
            yield MAYBE_REPLAY_REASON

    def _make_shot_event(self, ruled: RuledShot) -> ShotEvent:
        shot, ruling = ruled.evidence, ruled.ruling
        at_rest = shot.at_rest
        named = {disc.name: disc for disc in (*shot.change.now, *shot.change.gone)}
        remove = [named[name] for name in ruling.outcome.remove if name in named]
        return ShotEvent(
            t_s=round_s(at_rest.t_s),
            index=self._running_score.shots,
            team=shot.shooter.disc.team,
            disc=shot.shooter.name,
            t_start_s=round(shot.flick.t_start_s, 3),
            t_rest_s=round(at_rest.t_rest_s, 3),
            verdict=ruling.verdict,
            faults=ruling.outcome.faults,
            doubts=ruling.review_reasons,
            question=ruling.question,
            remove=self._see_discs(remove),
            before=self._see_discs((*shot.before, shot.shooter)),
            after=self._see_discs(shot.change.now),
            contacts=ruled.likeliest.pairs,
            evidence=make_evidence(
                shot.flick,
                shot.displacements.moved_mm,
                ruled.likeliest,
                at_rest.longest_gap_s,
                at_rest.saw_hand,
                ruled.finding,
                ruled.near_passes,
            ),
            teams=see_teams(self._teams),
        )

    def _apply_shot(self, ruled: RuledShot, *, is_unseen: bool) -> Iterator[Event]:
        """Count the 20s of a shot, and take over the board after it.

        ``is_unseen``: the shooter's disc was not seen before.
        """
        shot, ruling = ruled.evidence, ruled.ruling
        shooter, change = shot.shooter, shot.change
        self._running_score.settle_twenty(shot.taken_off)
        self._running_score.settle_twenty()
        self._running_score.add_shot(shot, ruling)
        self._running_score.doubtful_twenty = find_doubtful_twenty(shot)
        self._lost_mm = [disc.place_mm for disc in change.gone]
        self._last_shooter, self._last_shot, self._was_cut = shooter.disc.team, shot, False
        self._seating.last_quadrant = find_quadrant(shooter.place_mm)
        if ruling.verdict is Verdict.LEGAL:
            self._seating.add_shot(shooter.disc.team, shooter.place_mm)
        counted = {disc.name for disc in self._discs if disc.must_go and is_twenty(disc)}
        for twenty in ruling.outcome.twenties:
            if twenty.id in counted:
                continue  # it should have been removed before this shot
            team = int(twenty.team)
            count = self._running_score.add_twenty(team)
            yield TwentyEvent(t_s=round_s(shot.at_rest.t_s), team=team, disc=twenty.id, count=count)
        go = {*ruling.outcome.remove, *(twenty.id for twenty in ruling.outcome.twenties)}
        in_play = {disc.name for disc in shot.before if not is_ready(disc, self._spec)}
        self._discs = tuple(
            replace(
                disc,
                must_go=disc.must_go or disc.name in go,
                is_in_play=disc.name in in_play or disc.name == shooter.name,
                certainty=UNSEEN_CERTAINTY
                if is_unseen and disc.name == shooter.name
                else disc.certainty,
            )
            for disc in change.now
        )
        self._update_score()
        self._running_score.settle(ruling.outcome.restore)

    def _handle_manual_moves(self, at_rest: BoardAtRest) -> Iterator[Event]:
        """Changes by hands since the last board at rest, or the very first board."""
        change = match_discs(
            self._discs,
            at_rest.board.discs,
            {},
            self._teams,
            self._namer,
            after_shot=at_rest.was_interrupted,
        )
        change = replace(change, now=self._flag_marks(change.now))
        moves = find_manual_moves(change, self._discs, self._spec)
        gone, ready = moves.gone, moves.ready
        self._running_score.settle_twenty(gone)
        stays = self._previous is not None
        if stays and at_rest.was_interrupted:
            for words in describe_changes(moves):
                self._running_score.add_doubt(words)
        warnings_found = (
            [*self._describe_mistakes(moves)] if stays and not at_rest.was_interrupted else []
        )
        reflection = None if stays else describe_reflection(at_rest.image, at_rest.fit)
        if reflection is not None:
            warnings_found.append(reflection)
        if moves.clear_board and self._running_score.has_begun:
            yield self._make_removal(at_rest.t_s, gone)
            yield self._end_round(at_rest.t_s, is_cleared=True)
            self._discs = change.now
            return
        slide = find_slide(at_rest, [disc for disc in self._discs if disc.must_go])
        if slide is not None and not at_rest.was_interrupted:
            self._running_score.doubt_slide(slide.samples[0].t_s)
        self._discs = change.now
        if gone and stays:
            yield self._make_removal(at_rest.t_s, gone, warnings_found)
        unexpected = [] if at_rest.was_interrupted else moves.unasked
        self._lost_mm += [disc.place_mm for disc in unexpected]
        self._running_score.unrequested_removals += unexpected
        if not unexpected and (self._running_score.has_begun or self._discs):
            self._update_score()
            self._running_score.has_begun |= bool(self._discs) and not ready
        if not stays or at_rest.was_interrupted or self._was_moved:
            self._running_score.settle()
        yield BoardEvent(
            t_s=round_s(at_rest.t_s),
            discs=self._see_discs(change.now),
            teams=see_teams(self._teams),
            warnings=tuple(warnings_found),
            next_team=None if not ready else ready[0].disc.team,
        )

    def _describe_mistakes(self, moves: ManualMoves) -> Iterator[str]:
        turn_after = self._last_shooter if len(self._teams) > 1 else None
        return describe_mistakes(moves, self._seating, turn_after, self._rules, self._sizes)

    # The score

    def _update_score(self) -> None:
        staying = [
            disc for disc in self._discs if not disc.must_go and not is_ready(disc, self._spec)
        ]
        self._running_score.update(staying, self._teams, self._spec, self._disc)

    def _end_round(
        self, t_s: float, *, is_cleared: bool = False, is_film_over: bool = False
    ) -> RoundEvent:
        unclear = [disc for disc in self._running_score.staying if not disc.is_sure]
        if unclear and not self._running_score.review_reasons:
            self._running_score.add_doubt(
                Phrase("it is not clear whether %(name)s is a disc", name=unclear[0].name)
            )
        round_event = self._running_score.to_event(
            t_s, self._teams, is_cleared=is_cleared, is_film_over=is_film_over
        )
        self._running_score, self._last_shooter, self._last_shot = RunningScore(), None, None
        return round_event

    def _make_removal(
        self, t_s: float, gone: Sequence[NamedDisc], warnings: Sequence[str] = ()
    ) -> RemovalEvent:
        return RemovalEvent(
            t_s=round_s(t_s), removed=self._see_discs(gone), warnings=tuple(warnings)
        )

    def _see_discs(self, discs: Sequence[NamedDisc]) -> tuple[SeenDisc, ...]:
        return see_discs(discs, self._spec, self._disc)
