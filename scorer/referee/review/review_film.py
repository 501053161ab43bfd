"""A film of one disputed shot becomes its verdict and the picture of the closest moment.

In order: the reference and its board; registration of every frame; the film tracked as if from a
fixed camera; boards read again in original frames; discs tracked both ways; the live referee's
rules; physics; smoothed motions and the closest moment. Without a visible board or shot, the review
reports this and decides nothing. Of several shots in one film, the last is reviewed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from calibration.phrase import Phrase
from calibration.profile import CalibrationProfile
from scorer.referee.events import ShotEvent
from scorer.referee.live_referee import LiveReferee
from scorer.referee.review.follow_film import FollowedFilm, follow_film, steady_frames
from scorer.referee.review.nearest_moment import NearestMoment, find_nearest_moment
from scorer.referee.review.review_stage import ReviewStage
from scorer.referee.review.shot_motions import smooth_shot
from scorer.referee.review.smooth_motion import SmoothMotion
from scorer.referee.review.still_boards import refine_boards
from scorer.referee.shot.flick import find_flick
from scorer.referee.shot.physics_check import PhysicsCheck, PhysicsFinding
from scorer.referee.shot.ruling import RuledShot
from scorer.rules.sets import RuleSet
from vision.board.find_board import NoBoard
from vision.discs.teams.team_colours import get_team_colours_lab
from vision.read_discs import read_discs
from vision.register.film import open_film
from vision.register.reference import find_reference
from vision.register.register_film import RegisteredFilm, register_film
from vision.track.events import BoardAtRest, TrackerEvent
from vision.track.tracks.two_way_tracks import (
    FrameDetections,
    detect_discs,
    track_both_ways,
)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ReviewedShot:
    """The shot that was reviewed.

    event    as the live referee reports it
    motions  of the discs that were tracked, by name
    finding  the physics engine's finding about the whole motion; None if it does not support such a
             board
    """

    event: ShotEvent
    ruled: RuledShot
    motions: dict[str, SmoothMotion]
    nearest: NearestMoment | None
    finding: PhysicsFinding | None


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class FilmReview:
    """The result of a film.

    registered  None if no board was seen
    shots       number of visible shots; the last is ``shot``
    reason      the reason why there is no shot; empty if there is one
    trouble     the decoder's reports, one sentence each
    broken_off  the time at which the film breaks off; empty if it is complete
    """

    name: str
    registered: RegisteredFilm | None = None
    shots: int = 0
    shot: ReviewedShot | None = None
    reason: str = ""
    trouble: tuple[str, ...] = ()
    broken_off: str = ""


def review_film(
    path: str,
    rules: RuleSet,
    profile: CalibrationProfile | None = None,
    progress: Callable[[str], None] = lambda _: None,
    first_look: Callable[[ShotEvent], None] = lambda _: None,
) -> FilmReview:
    """The review of the film in a file. ``progress`` gets the current step in words, and
    ``first_look`` the shot before its boards are read again, which may still change its verdict.

    Raises ``SourceError`` if the file has no film or one that is too long.
    """
    film = open_film(path)
    progress(ReviewStage.FIND_BOARD)
    reference = find_reference(film, profile)
    if isinstance(reference, NoBoard):
        return FilmReview(
            name=film.name,
            reason=reference.reason,
            trouble=tuple(film.trouble),
            broken_off=film.broken_off,
        )
    reading = read_discs(reference.image, reference.fit)
    discs_mm = np.array([disc.centre_mm for disc in reading.discs]).reshape(-1, 2)
    progress(ReviewStage.REGISTER)
    registered = register_film(film, reference, discs_mm)
    progress(ReviewStage.FOLLOW)
    followed = follow_film(registered, profile)
    registered = followed.registered
    if looked := _judge(followed.events, rules, profile):
        first_look(looked[-1][1])
    progress(ReviewStage.READ_BOARDS)
    events = _refine_events(followed, profile)
    progress(ReviewStage.JUDGE)
    found = _judge(events, rules, profile)
    review = FilmReview(
        name=film.name,
        registered=registered,
        shots=len(found),
        trouble=tuple(film.trouble),
        broken_off=film.broken_off,
    )
    if not found:
        return replace(review, reason=_explain_no_shot(registered, followed))
    ruled, event = found[-1]
    motions = smooth_shot(ruled.evidence)
    finding = ruled.finding or PhysicsCheck(profile=profile).check(ruled.evidence)
    return replace(
        review,
        shot=ReviewedShot(
            event=event,
            ruled=ruled,
            motions=motions,
            nearest=find_nearest_moment(ruled, motions),
            finding=finding,
        ),
    )


def _refine_events(
    followed: FollowedFilm, profile: CalibrationProfile | None
) -> list[TrackerEvent]:
    """The tracker's events, with boards and tracks from the whole film."""
    at_rests = [event for event in followed.events if isinstance(event, BoardAtRest)]
    known = profile.accurate_disc if profile else None
    boards = iter(refine_boards(followed.registered, at_rests, known))
    detections = _detect_in_motion(followed, at_rests)
    events: list[TrackerEvent] = []
    for event in followed.events:
        events.append(
            _track_again(next(boards), detections) if isinstance(event, BoardAtRest) else event
        )
    return events


def _detect_in_motion(
    followed: FollowedFilm, at_rests: Sequence[BoardAtRest]
) -> list[FrameDetections]:
    """The detections of discs in the frames of a shot."""
    view = followed.view
    spans = [(rest.t_from_s, rest.t_s) for rest in at_rests if find_flick(rest) is not None]
    if view is None or not spans:
        return []
    radius_mm = at_rests[-1].board.disc.radius_mm
    return [
        detect_discs(frame.steady, frame.t_s, view.rectifier, view.background, radius_mm)
        for frame in steady_frames(followed.registered)
        if any(from_s <= frame.t_s <= to_s for from_s, to_s in spans)
    ]


def _track_again(at_rest: BoardAtRest, detections: Sequence[FrameDetections]) -> BoardAtRest:
    """The board at rest with tracks followed in both directions, if its shot is also visible in
    these.
    """
    own = [detection for detection in detections if at_rest.t_from_s < detection.t_s <= at_rest.t_s]
    if not own or find_flick(at_rest) is None:
        return at_rest
    colour_lab = {team.number: get_team_colours_lab([team])[0] for team in at_rest.board.teams}
    before, after = (
        [(disc.centre_mm, colour_lab[disc.team]) for disc in discs]
        for discs in (at_rest.before, at_rest.board.discs)
    )
    again = replace(at_rest, tracks=track_both_ways(own, before, after))
    return at_rest if find_flick(again) is None else again


def _judge(
    events: Sequence[TrackerEvent], rules: RuleSet, profile: CalibrationProfile | None
) -> list[tuple[RuledShot, ShotEvent]]:
    """All shots with their evidence and events."""
    ruled: list[RuledShot] = []
    referee = LiveReferee(rules, PhysicsCheck(profile=profile), ruled.append)
    judged = [event for entry in events for event in referee.handle_event(entry)]
    return list(
        zip(ruled, [event for event in judged if isinstance(event, ShotEvent)], strict=True)
    )


def _explain_no_shot(registered: RegisteredFilm, followed: FollowedFilm) -> str:
    """The reason why no shot was seen, as one clause with the remedy."""
    if registered.registered_share < 0.5:
        return Phrase(
            "the board was out of view in %(percent).0f%% of the frames. Keep the whole board "
            "in view",
            percent=100 * (1 - registered.registered_share),
        )
    if not any(isinstance(event, BoardAtRest) for event in followed.events):
        return Phrase("the discs are never at rest. Start filming one second before the shot")
    return Phrase("no shot was found. Film from one second before the shot until the discs stop")
