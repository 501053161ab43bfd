"""The live referee: what the lookout sees → shots, verdicts, removals, 20s and the round's score.

Each board at rest is held against the one before. Between them a disc was shot, or hands were at
work, or nothing happened. Knows what a round is. Refuses to see, and to know any rule.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace

from calibration.board import BoardSpec, DiscSpec, FloatArray
from calibration.state import Team
from scorer.places import Sizes
from scorer.referee import Verdict
from scorer.rules.sets import RuleSet
from vision.sights import Blind, Bumped, Found, Rested, SceneBegan, Sight
from vision.stillness import Scene
from vision.tracks import Track
from webapp.watch.book import Change, NamedDisc, Namer, compare
from webapp.watch.doubts import doubts_about, unseen_parts
from webapp.watch.events import Event, discs_json, event, evidence_json, ruling_json, teams_json
from webapp.watch.evidence import (
    Contacts,
    Flick,
    accounts,
    find_flick,
    flick_meanwhile,
    stirred,
    unseen_flick,
)
from webapp.watch.handled import Handled, handled, is_ready, is_twenty, warnings
from webapp.watch.seats import Seats, quadrant_of
from webapp.watch.seen_shot import SeenShot
from webapp.watch.shooter import UNSEEN_TEAM, find_shooter, known_by
from webapp.watch.sunk import with_sunk
from webapp.watch.tally import Tally
from webapp.watch.verdict import Ruling, rule
from webapp.watch.witness import Testimony, Witness

#: Fewer discs taken off at once are no end of a round.
_CLEARED_DISCS = 2


class Referee:
    """Follows one round after the other. Teams are numbered as their discs first appear."""

    def __init__(self, rules: RuleSet, witness: Witness | None = None) -> None:
        self._rules = rules
        self._witness = witness or Witness()
        self._namer = Namer()
        self._discs: tuple[NamedDisc, ...] = ()
        self._teams: tuple[Team, ...] = ()
        self._spec, self._disc = BoardSpec(), DiscSpec()
        self._earlier: Rested | None = None
        self._last_shooter: int | None = None
        self._tally = Tally()
        self._was_bumped = False
        self._lost_mm: list[FloatArray] = []
        self._seats = Seats()

    def hear(self, sight: Sight) -> Iterator[Event]:
        """The events that follow from what was seen."""
        match sight:
            case Found():
                yield from self._found(sight)
            case Blind():
                yield self._blind(sight)
            case Bumped():
                self._was_bumped = True
                shift = None if sight.shift_mm is None else round(sight.shift_mm, 2)
                yield event("bumped", sight.t_s, shift_mm=shift)
            case SceneBegan(scene=Scene.MOTION):
                yield event("motion", sight.t_s)
            case SceneBegan(scene=Scene.HAND):
                yield event("hand", sight.t_s)
            case Rested():
                yield from self._rested(sight)
            case SceneBegan():
                pass

    def end(self, t_s: float) -> Iterator[Event]:
        """The end of the source: the round's score, unless nothing happened since the last one."""
        if self._tally.has_begun:
            yield self._round(t_s)

    @property
    def _sizes(self) -> Sizes:
        return Sizes(board=self._spec, disc=self._disc)

    # Sights

    def _found(self, sight: Found) -> Iterator[Event]:
        self._spec = sight.fit.spec
        if sight.again:
            yield event("recalibrated", sight.t_s, residual_mm=round(sight.residual_mm, 3))

    def _blind(self, sight: Blind) -> Event:
        return event(
            "not_refereeing", sight.t_s, reason=sight.reason, advice=sight.advice, over=sight.over
        )

    def _rested(self, rested: Rested) -> Iterator[Event]:
        self._teams, self._disc = rested.board.known, rested.board.disc
        self._spec = rested.fit.spec
        flick = find_flick(rested) if self._earlier is not None else None
        unseen = None
        is_followed = self._earlier is not None and not (rested.jumped or self._was_bumped)
        if flick is None and is_followed:
            waits = [each for each in self._discs if is_ready(each, self._spec)]
            ready = [each for each in waits if not each.must_go]
            unseen = unseen_flick(rested, ready, self._lost_mm)
        elif flick is None and self._was_bumped and not rested.jumped:
            unseen = flick_meanwhile(rested)
        if flick is not None:
            yield from self._shot(rested, flick)
        elif unseen is not None:
            yield from self._shot(rested, unseen, is_unseen=True)
        else:
            yield from self._hands(rested)
        self._earlier, self._was_bumped = rested, False

    # A shot

    def _shot(self, rested: Rested, flick: Flick, *, is_unseen: bool = False) -> Iterator[Event]:
        shot = self._seen_shot(rested, flick)
        change, tracks = shot.change, shot.tracks
        doubts = (
            *doubts_about(shot.rested, change, tracks, was_bumped=self._was_bumped),
            *self._alike(shot.shooter),
        )
        unseen = (*unseen_parts(shot.rested, is_unseen=is_unseen),)

        def ruled(heard: Sequence[Contacts], reasons: Sequence[str]) -> Ruling:
            return rule(
                shot.before,
                shot.shooter,
                change,
                heard,
                self._teams,
                self._rules,
                self._sizes,
                was_placed=shot.was_placed,
                doubts=reasons,
            )

        ruling, testimony = ruled(shot.told, (*unseen, *doubts)), None
        can_settle = shot.was_placed and not doubts and change.named(shot.shooter.name) is not None
        if ruling.verdict is Verdict.NEEDS_REVIEW and can_settle:
            testimony = self._witness.hear(shot)
            if testimony is not None and testimony.is_sure:
                possible = [ruled([each], ()) for each in shot.told]
                ruling = _settled(ruling, possible, testimony, ruled)
        yield self._shot_event(shot, ruling, testimony)
        yield from self._after_shot(shot, ruling, is_unseen=is_unseen and not shot.was_placed)

    def _seen_shot(self, rested: Rested, flick: Flick) -> SeenShot:
        """All that was seen of the shot."""
        found = find_shooter(rested, flick, self._discs, self._teams, self._namer)
        shooter = found.named
        if not self._teams:
            self._teams = (UNSEEN_TEAM,)
        before = tuple(each for each in self._discs if each.name != shooter.name)
        tracks = self._tracks(rested, flick, shooter.name)
        rested = with_sunk(rested, (*before, shooter), tracks)
        change = self._change(rested, (*before, shooter), tracks, after_shot=True)
        moves = stirred(before, change, shooter.name, self._earlier, rested)
        return SeenShot(
            rested=rested,
            flick=flick,
            shooter=shooter,
            was_placed=found.was_placed,
            before=before,
            tracks=tracks,
            change=change,
            moves=moves,
            told=accounts(before, shooter.name, tracks, moves, flick.t_start_s, rested),
        )

    def _tracks(self, rested: Rested, flick: Flick, shooter: str) -> dict[str, Track]:
        """Tracks by the discs' names: those known before, and the shooter's."""
        out = {shooter: flick.track}
        for track in rested.tracks:
            known = known_by(track, rested, self._discs)
            if known is not None and known.name not in out:
                out[known.name] = track
        return out

    def _change(
        self,
        rested: Rested,
        before: Sequence[NamedDisc],
        tracks: Mapping[str, Track],
        *,
        after_shot: bool,
    ) -> Change:
        expected: dict[str, FloatArray] = {
            name: track.last.place_mm for name, track in tracks.items()
        }
        return compare(
            before, rested.board.discs, expected, self._teams, self._namer, after_shot=after_shot
        )

    def _alike(self, shooter: NamedDisc) -> Iterator[str]:
        """Whether another side shot, by its seat, whose discs look like the first one's."""
        shot_from = self._seats.shot_from
        is_elsewhere = shot_from is not None and shot_from != quadrant_of(shooter.place_mm)
        if len(self._teams) == 1 and is_elsewhere:
            yield "the discs of both sides look alike so far"

    def _shot_event(self, shot: SeenShot, ruling: Ruling, testimony: Testimony | None) -> Event:
        rested, likeliest = shot.rested, shot.told[0]
        named = {each.name: each for each in (*shot.change.now, *shot.change.gone)}
        remove = [named[each] for each in ruling.outcome.remove if each in named]
        return event(
            "shot",
            rested.t_s,
            index=self._tally.shots,
            team=shot.shooter.disc.team,
            disc=shot.shooter.name,
            t_start_s=round(shot.flick.t_start_s, 3),
            t_rest_s=round(rested.t_rest_s, 3),
            **ruling_json(ruling),
            remove=self._json(remove),
            before=self._json((*shot.before, shot.shooter)),
            after=self._json(shot.change.now),
            contacts=[list(pair) for pair in likeliest.pairs],
            evidence=evidence_json(
                shot.flick,
                shot.moves.moved_mm,
                likeliest,
                rested.longest_gap_s,
                rested.saw_hand,
                testimony,
            ),
            teams=teams_json(self._teams),
        )

    def _after_shot(self, shot: SeenShot, ruling: Ruling, *, is_unseen: bool) -> Iterator[Event]:
        """The board after a shot. ``is_unseen``: nobody saw the shooter's disc before."""
        shooter, change = shot.shooter, shot.change
        self._tally.take_shot(shooter, ruling, shot.before)
        self._lost_mm = [each.place_mm for each in change.gone]
        self._last_shooter = shooter.disc.team
        self._seats.shot_from = quadrant_of(shooter.place_mm)
        if ruling.verdict is Verdict.LEGAL:
            self._seats.learn(shooter.disc.team, shooter.place_mm)
        counted = {each.name for each in self._discs if each.must_go and is_twenty(each)}
        for each in ruling.outcome.twenties:
            if each.id in counted:
                continue  # it should have been taken off before this shot
            team = int(each.team)
            count = self._tally.count_twenty(team)
            yield event("twenty", shot.rested.t_s, team=team, disc=each.id, count=count)
        go = {*ruling.outcome.remove, *(each.id for each in ruling.outcome.twenties)}
        self._discs = tuple(
            replace(
                each,
                must_go=each.must_go or each.name in go,
                came_unseen=each.came_unseen or (is_unseen and each.name == shooter.name),
            )
            for each in change.now
        )
        self._count()

    # Hands

    def _hands(self, rested: Rested) -> Iterator[Event]:
        """What hands did since the board last lay still; or the first board of all."""
        change = self._change(rested, self._discs, {}, after_shot=rested.jumped)
        what = handled(change, self._discs, self._spec)
        gone, ready = what.gone, what.ready
        stays = self._earlier is not None
        told = [*self._warnings(what)] if stays and not rested.jumped else []
        if len(gone) >= _CLEARED_DISCS and not change.now and self._tally.has_begun:
            yield event("removal", rested.t_s, removed=self._json(gone), warnings=[])
            yield self._round(rested.t_s)
            self._discs = ()
            return
        self._discs = change.now
        if gone and stays:
            yield event("removal", rested.t_s, removed=self._json(gone), warnings=told)
        unexpected = [each for each in gone if not each.must_go]
        self._lost_mm += [each.place_mm for each in unexpected]
        self._tally.taken_off += unexpected
        if not unexpected and (self._tally.has_begun or self._discs):
            self._count()
            self._tally.has_begun |= bool(self._discs) and not ready
        yield event(
            "board",
            rested.t_s,
            discs=self._json(change.now),
            teams=teams_json(self._teams),
            warnings=told,
            next_team=None if not ready else ready[0].disc.team,
        )

    def _warnings(self, what: Handled) -> Iterator[str]:
        turn_after = self._last_shooter if len(self._teams) > 1 else None
        return warnings(what, self._seats, turn_after, self._rules, self._sizes)

    # The score

    def _count(self) -> None:
        staying = [
            each for each in self._discs if not each.must_go and not is_ready(each, self._spec)
        ]
        self._tally.count(staying, self._teams, self._spec, self._disc)

    def _round(self, t_s: float) -> Event:
        told = self._tally.told(t_s, self._teams)
        self._tally, self._last_shooter = Tally(), None
        return told

    def _json(self, discs: Sequence[NamedDisc]) -> list[Event]:
        return discs_json(discs, self._spec, self._disc)


def _settled(
    asked: Ruling,
    possible: Sequence[Ruling],
    testimony: Testimony,
    ruled: Callable[[Sequence[Contacts], Sequence[str]], Ruling],
) -> Ruling:
    """What is decided when sure physics are heard; the same question where they do not decide.

    They choose between accounts of what was seen; where they agree with none, a person must look.
    """
    firm = ruled([testimony.contacts], ())
    if firm.verdict is Verdict.NEEDS_REVIEW:
        return asked
    if any(each.is_like(firm) for each in possible):
        return firm
    doubts = (*asked.doubts, "physics contradict what was seen")
    return replace(asked, doubts=doubts)
