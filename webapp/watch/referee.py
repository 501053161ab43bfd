"""The live referee: what the lookout sees → shots, verdicts, removals, 20s and the round's score.

Each board at rest is held against the one before. Between them a disc was shot, or hands were at
work, or nothing happened. Knows what a round is. Refuses to see, and to know any rule.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np

from calibration.board import BoardSpec, DiscSpec, FloatArray
from calibration.state import DiscState, PlacedDisc, Team
from scorer.places import Sizes
from scorer.referee import Verdict
from scorer.rules.sets import RuleSet
from scorer.zones import ContactEdge, TeamTotal, call_zone
from vision.lookout import Blind, Bumped, Found, Rested, SceneBegan, Sight
from vision.still import StillBoard
from vision.stillness import Scene
from vision.tracks import Track
from webapp.watch.book import UNMOVED_MM, Change, NamedDisc, Namer, compare
from webapp.watch.events import (
    Event,
    discs_json,
    event,
    evidence_json,
    ruling_json,
    teams_json,
    totals_json,
)
from webapp.watch.evidence import (
    Contacts,
    Flick,
    Stirred,
    accounts,
    find_flick,
    stirred,
    team_of,
    unseen_flick,
)
from webapp.watch.seats import Seats, quadrant_of
from webapp.watch.verdict import Ruling, rule
from webapp.watch.witness import Testimony, Witness

#: A disc lies on the starting line, ready to be shot, within this of it, mm.
_READY_MM = 22.0
#: A disc that waited to be shot is first seen moving within this of its place, mm.
_WAITED_MM = 90.0
#: Frames missing for longer than this while discs moved are evidence missing, s.
_GAP_S = 0.2
#: A disc that was lost from sight may have left the surface if it was about to, in so long, s.
_SOON_S = 0.2
#: Fewer discs taken off at once are no end of a round.
_CLEARED_DISCS = 2
_TWENTY = 20
#: A disc that left before any team was known is shown grey.
_UNSEEN_RGB = (128, 128, 128)


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
        self._shots = 0
        self._last_shooter: int | None = None
        self._twenties: dict[int, int] = {}
        self._totals: tuple[TeamTotal, ...] = ()
        self._unsettled: list[str] = []
        self._has_begun = False
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
        if self._has_begun:
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
            ready = [each for each in self._discs if self._is_ready(each) and not each.must_go]
            unseen = unseen_flick(rested, ready, self._lost_mm)
        if flick is not None:
            yield from self._shot(rested, flick)
        elif unseen is not None:
            yield from self._shot(rested, unseen, is_unseen=True)
        else:
            yield from self._hands(rested)
        self._earlier, self._was_bumped = rested, False

    # A shot

    def _shot(self, rested: Rested, flick: Flick, *, is_unseen: bool = False) -> Iterator[Event]:
        shooter, was_placed = self._shooter(rested, flick)
        before = tuple(each for each in self._discs if each.name != shooter.name)
        tracks = self._tracks(rested, flick, shooter.name)
        rested = _with_sunk(rested, (*before, shooter), tracks)
        change = self._change(rested, (*before, shooter), tracks, after_shot=True)
        moves = stirred(before, change, shooter.name, self._earlier, rested)
        told = accounts(before, shooter.name, tracks, moves, flick.t_start_s, rested)
        doubts = (*self._doubts(rested, change, tracks), *self._alike(shooter))
        unseen = (*_unseen(rested, is_unseen=is_unseen),)

        def ruled(heard: Sequence[Contacts], reasons: Sequence[str]) -> Ruling:
            return rule(
                before,
                shooter,
                change,
                heard,
                self._teams,
                self._rules,
                self._sizes,
                was_placed=was_placed,
                doubts=reasons,
            )

        ruling, testimony = ruled(told, (*unseen, *doubts)), None
        can_settle = was_placed and not doubts and change.named(shooter.name) is not None
        if ruling.verdict is Verdict.NEEDS_REVIEW and can_settle:
            testimony = self._heard(before, shooter, flick, change, moves, tracks)
            if testimony is not None and testimony.is_sure:
                ruling = _settled(ruling, [ruled([each], ()) for each in told], testimony, ruled)
        yield self._shot_event(
            rested, flick, shooter, before, change, moves, told, ruling, testimony
        )
        yield from self._after_shot(rested, shooter, change, ruling)

    def _heard(
        self,
        before: Sequence[NamedDisc],
        shooter: NamedDisc,
        flick: Flick,
        change: Change,
        moves: Stirred,
        tracks: Mapping[str, Track],
    ) -> Testimony | None:
        """What physics say of the shot."""
        known = {*moves.moved_mm, *moves.unsure, shooter.name}
        unmoved = frozenset(each.name for each in before if each.name not in known)
        return self._witness.hear(
            before, shooter, flick, change, tracks, unmoved, self._spec, self._disc
        )

    def _shooter(self, rested: Rested, flick: Flick) -> tuple[NamedDisc, bool]:
        """The disc that was shot, as it lay before, and whether it was read there at rest."""
        known = self._known(rested, flick.track)
        if known is not None:
            return known, True
        team = self._team_of(rested, flick)
        waiting = self._waiting(rested, flick, team)
        if waiting is not None:
            return waiting, True
        disc = PlacedDisc(
            centre_mm=flick.place_mm,
            covariance_mm2=np.eye(2),
            team=team.number,
            state=DiscState.FLAT,
        )
        return NamedDisc(name=self._namer.name(team), disc=disc), False

    def _known(self, rested: Rested, track: Track) -> NamedDisc | None:
        """The disc that a track began with, if it was on the board before."""
        if track.name is None:
            return None
        place = rested.before[int(track.name)].centre_mm
        near = (each for each in self._discs if np.linalg.norm(each.place_mm - place) < UNMOVED_MM)
        return next(near, None)

    def _waiting(self, rested: Rested, flick: Flick, team: Team) -> NamedDisc | None:
        """The disc of that team that lay ready near the flick's start and no longer does."""
        now = [each.centre_mm for each in rested.board.discs]
        for each in self._discs:
            away_mm = float(np.linalg.norm(each.place_mm - flick.place_mm))
            left = all(np.linalg.norm(place - each.place_mm) > UNMOVED_MM for place in now)
            if each.disc.team == team.number and away_mm < _WAITED_MM and left:
                return each
        return None

    def _team_of(self, rested: Rested, flick: Flick) -> Team:
        """Whose disc was shot: by the disc that lies where the track ends, else by its colour."""
        end = flick.track.last.place_mm
        near = [
            each
            for each in rested.board.discs
            if np.linalg.norm(each.centre_mm - end) < self._disc.radius_mm / 2
        ]
        if near:
            return next(team for team in self._teams if team.number == near[0].team)
        found = team_of(flick.track, self._teams)
        if found is None:
            found = Team(number=0, colour_rgb=_UNSEEN_RGB, colour_name="unknown")
            self._teams = (found,)
        return found

    def _tracks(self, rested: Rested, flick: Flick, shooter: str) -> dict[str, Track]:
        """Tracks by the discs' names: those known before, and the shooter's."""
        out = {shooter: flick.track}
        for track in rested.tracks:
            known = self._known(rested, track)
            if known is not None and known.name not in out:
                out[known.name] = track
        return out

    def _change(
        self,
        rested: Rested,
        before: Sequence[NamedDisc],
        tracks: dict[str, Track],
        *,
        after_shot: bool,
    ) -> Change:
        expected: dict[str, FloatArray] = {
            name: track.last.place_mm for name, track in tracks.items()
        }
        return compare(
            before, rested.board.discs, expected, self._teams, self._namer, after_shot=after_shot
        )

    def _doubts(self, rested: Rested, change: Change, tracks: dict[str, Track]) -> Iterator[str]:
        """What evidence is missing, one clause each."""
        if rested.jumped or self._was_bumped:
            yield "the picture jumped while the discs moved"
        yield from (item.reason for item in rested.board.unexplained)
        for name in change.came:
            yield f"{name} lies there and nobody saw it come"
        for each in change.gone:
            if not self._can_be_gone(each, tracks.get(each.name)):
                yield f"{each.name} is gone and was not seen to leave"

    def _alike(self, shooter: NamedDisc) -> Iterator[str]:
        """Whether another side shot, by its seat, whose discs look like the first one's."""
        shot_from = self._seats.shot_from
        is_elsewhere = shot_from is not None and shot_from != quadrant_of(shooter.place_mm)
        if len(self._teams) == 1 and is_elsewhere:
            yield "the discs of both sides look alike so far"

    def _can_be_gone(self, each: NamedDisc, track: Track | None) -> bool:
        """Whether the disc was last seen on its way off the board."""
        if track is None:
            return float(np.linalg.norm(each.place_mm)) > self._spec.line_radii_mm[2]
        soon_mm = track.last.place_mm + _SOON_S * track.speed_mm_s()
        reached_mm = max(np.linalg.norm(soon_mm), np.linalg.norm(track.last.place_mm))
        return float(reached_mm) > self._spec.line_radii_mm[2]

    def _shot_event(
        self,
        rested: Rested,
        flick: Flick,
        shooter: NamedDisc,
        before: Sequence[NamedDisc],
        change: Change,
        moves: Stirred,
        told: Sequence[Contacts],
        ruling: Ruling,
        testimony: Testimony | None,
    ) -> Event:
        named = {each.name: each for each in (*change.now, *change.gone)}
        remove = [named[each] for each in ruling.outcome.remove if each in named]
        return event(
            "shot",
            rested.t_s,
            index=self._shots,
            team=shooter.disc.team,
            disc=shooter.name,
            t_start_s=round(flick.t_start_s, 3),
            t_rest_s=round(rested.t_rest_s, 3),
            **ruling_json(ruling),
            remove=discs_json(remove, self._spec, self._disc),
            before=discs_json((*before, shooter), self._spec, self._disc),
            after=discs_json(change.now, self._spec, self._disc),
            contacts=[list(pair) for pair in told[0].pairs],
            evidence=evidence_json(
                flick, moves.moved_mm, told[0], rested.longest_gap_s, rested.saw_hand, testimony
            ),
            teams=teams_json(self._teams),
        )

    def _after_shot(
        self, rested: Rested, shooter: NamedDisc, change: Change, ruling: Ruling
    ) -> Iterator[Event]:
        self._shots += 1
        self._has_begun = True
        if ruling.verdict is Verdict.NEEDS_REVIEW:
            why = ruling.doubts[0] if ruling.doubts else "its evidence does not decide it"
            self._unsettled.append(f"shot {self._shots}, by {shooter.name}, was not decided: {why}")
        self._lost_mm = [each.place_mm for each in change.gone]
        self._last_shooter = shooter.disc.team
        self._seats.shot_from = quadrant_of(shooter.place_mm)
        if ruling.verdict is Verdict.LEGAL:
            self._seats.learn(shooter.disc.team, shooter.place_mm)
        counted = {each.name for each in self._discs if each.must_go and self._is_twenty(each)}
        for each in ruling.outcome.twenties:
            if each.id in counted:
                continue  # it should have been taken off before this shot
            team = int(each.team)
            self._twenties[team] = self._twenties.get(team, 0) + 1
            yield event("twenty", rested.t_s, team=team, disc=each.id, count=self._twenties[team])
        go = {*ruling.outcome.remove, *(each.id for each in ruling.outcome.twenties)}
        self._discs = tuple(
            replace(each, must_go=each.must_go or each.name in go) for each in change.now
        )
        self._totals = self._count()

    # Hands

    def _hands(self, rested: Rested) -> Iterator[Event]:
        """What hands did since the board last lay still; or the first board of all."""
        change = self._change(rested, self._discs, {}, after_shot=rested.jumped)
        before = {each.name: each for each in self._discs}
        gone = [each for each in change.gone if not self._is_ready(each)]
        ready = [each for each in change.now if each.name in change.came and self._is_ready(each)]
        stays = self._earlier is not None
        is_told = stays and not rested.jumped
        warnings = [*self._warnings(change, before, gone, ready)] if is_told else []
        if gone and len(gone) >= _CLEARED_DISCS and not change.now and self._has_begun:
            yield event("removal", rested.t_s, removed=self._json(gone), warnings=[])
            yield self._round(rested.t_s)
            self._discs = ()
            return
        self._discs = change.now
        if gone and stays:
            yield event("removal", rested.t_s, removed=self._json(gone), warnings=warnings)
        unexpected = [each for each in gone if not each.must_go]
        self._lost_mm += [each.place_mm for each in unexpected]
        if not unexpected and (self._has_begun or self._discs):
            self._totals = self._count()
            self._has_begun |= bool(self._discs) and not ready
        yield event(
            "board",
            rested.t_s,
            discs=self._json(change.now),
            teams=teams_json(self._teams),
            warnings=warnings,
            next_team=None if not ready else ready[0].disc.team,
        )

    def _warnings(
        self,
        change: Change,
        before: dict[str, NamedDisc],
        gone: Sequence[NamedDisc],
        ready: Sequence[NamedDisc],
    ) -> Iterator[str]:
        """What hands did that they should not have, or did not do that they should."""
        unasked = [each for each in gone if not each.must_go]
        for each in unasked:
            yield f"{each.name} was taken off, though no rule asks for it."
        for each in change.now:
            if each.must_go and (ready or unasked):
                what = "is a 20 that was counted" if self._is_twenty(each) else "must be removed"
                yield f"{each.name} {what} and still lies there."
            if change.moved_mm.get(each.name, 0.0) > UNMOVED_MM and each.name in before:
                yield f"{each.name} was moved by hand, {change.moved_mm[each.name]:.0f} mm."
        for each in ready:
            if each.disc.team == self._last_shooter and len(self._teams) > 1:
                yield f"{each.name} is about to be shot, but it is the other side's turn."
            if self._seats.is_outside(each.disc.team, each.place_mm, self._rules, self._sizes):
                yield f"{each.name} lies outside its player's quadrant."
        for name in change.came:
            named = change.named(name)
            if named is not None and not self._is_ready(named):
                yield f"{name} was put on the board by hand, away from the starting line."

    def _is_twenty(self, each: NamedDisc) -> bool:
        return each.disc.state is DiscState.IN_HOLE

    def _is_ready(self, each: NamedDisc) -> bool:
        """Whether the disc lies on the starting line, to be shot."""
        away_mm = float(np.linalg.norm(each.place_mm))
        return abs(away_mm - self._spec.line_radii_mm[2]) < _READY_MM

    # The score

    def _count(self) -> tuple[TeamTotal, ...]:
        """What each team has now: the discs that stay, and the 20s that were counted."""
        edge = ContactEdge(
            radius_mm=self._disc.contact_radius_mm,
            radius_sigma_mm=self._disc.contact_inset_sigma_mm,
        )
        points = {team.number: 0 for team in self._teams}
        twenties = {team.number: self._twenties.get(team.number, 0) for team in self._teams}
        for each in self._discs:
            if each.must_go or self._is_ready(each):
                continue
            zone = call_zone(each.disc, self._spec, edge).zone
            points[each.disc.team] += zone
            twenties[each.disc.team] += zone == _TWENTY
        return tuple(
            TeamTotal(
                team=team,
                points=points[team] + _TWENTY * self._twenties.get(team, 0),
                twenties=twenties[team],
            )
            for team in points
        )

    def _round(self, t_s: float) -> Event:
        told = event(
            "round",
            t_s,
            totals=totals_json(self._totals, self._teams),
            shots=self._shots,
            needs_review=bool(self._unsettled),
            doubts=self._unsettled,
        )
        self._unsettled = []
        self._shots, self._has_begun, self._last_shooter = 0, False, None
        self._twenties, self._totals = {}, ()
        return told

    def _json(self, discs: Sequence[NamedDisc]) -> list[Event]:
        return discs_json(discs, self._spec, self._disc)


def _unseen(rested: Rested, *, is_unseen: bool) -> Iterator[str]:
    """Why the contacts may not have been seen, one clause each."""
    if is_unseen:
        yield "the shot itself was not seen"
    if rested.longest_gap_s > _GAP_S:
        yield f"no frame came for {rested.longest_gap_s:.1f} s while the discs moved"


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


#: A disc that was last seen this near to the hole's middle, and nowhere after, fell in, mm; so did
#: one that was last seen a frame's way off it, mm, going so that it passed it this near.
_SUNK_MM, _A_FRAME_OFF_MM = 12.0, 50.0
#: How sure a 20 is that was seen to fall in, but not to lie there: a dark disc in a dark hole.
_SUNK_CONFIDENCE = 0.9


def _with_sunk(rested: Rested, discs: Sequence[NamedDisc], tracks: Mapping[str, Track]) -> Rested:
    """The board with the disc that was seen to fall into the hole, where none was read in it."""
    hole_mm = np.array(rested.fit.spec.hole_centre_mm)
    board = rested.board
    if any(np.linalg.norm(each.centre_mm - hole_mm) < _SUNK_MM for each in board.discs):
        return rested
    for each in discs:
        track = tracks.get(each.name)
        if track is None or not _fell_in(track, hole_mm) or _lies_near(track, each, discs, board):
            continue
        sunk = PlacedDisc(
            centre_mm=hole_mm,
            covariance_mm2=np.eye(2),
            team=each.disc.team,
            state=DiscState.IN_HOLE,
            confidence=_SUNK_CONFIDENCE,
        )
        return replace(rested, board=replace(board, discs=(*board.discs, sunk)))
    return rested


def _lies_near(
    track: Track, each: NamedDisc, before: Sequence[NamedDisc], board: StillBoard
) -> bool:
    """Whether a disc of that team came to lie near where the track ends."""
    for disc in board.discs:
        near = np.linalg.norm(disc.centre_mm - track.last.place_mm) < 2 * _A_FRAME_OFF_MM
        lay = any(np.linalg.norm(old.place_mm - disc.centre_mm) < UNMOVED_MM for old in before)
        if near and not lay and disc.team == each.disc.team:
            return True
    return False


def _fell_in(track: Track, hole_mm: FloatArray) -> bool:
    """Whether a disc that lies nowhere now went into the hole."""
    to_hole = hole_mm - track.last.place_mm
    away_mm = float(np.hypot(*to_hole))
    if away_mm < _SUNK_MM:
        return True
    velocity = track.speed_mm_s()
    speed = max(float(np.hypot(*velocity)), 1.0)
    along_mm = float(to_hole @ velocity) / speed
    past_mm = abs(float(to_hole[0] * velocity[1] - to_hole[1] * velocity[0])) / speed
    return away_mm < _A_FRAME_OFF_MM and along_mm > 0 and past_mm < _SUNK_MM
