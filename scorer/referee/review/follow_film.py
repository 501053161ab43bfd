"""A registered film followed by the tracker, as if from a fixed camera."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from calibration.profile import CalibrationProfile, ProfileCamera
from vision.register.reference import Reference
from vision.register.register_film import RegisteredFilm
from vision.register.steady_view import SteadyView
from vision.track.events import TrackerEvent
from vision.track.states import Seeking
from vision.track.tracked_view import TrackedView
from vision.track.tracker import BoardTracker


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class FollowedFilm:
    """The tracker's results for a film.

    registered  in the board frame of the tracker
    view  of the steady picture, with the data learned about it in the whole film; None if it was
          never seen
    """

    registered: RegisteredFilm
    events: tuple[TrackerEvent, ...]
    view: TrackedView | None


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SteadyFrame:
    """One frame in the original and as from a fixed camera.

    steady    (h, w, 3) uint8 BGR, smoothed for the motion gate
    detailed  the same before smoothing
    """

    image: np.ndarray
    t_s: float
    steady: np.ndarray
    detailed: np.ndarray


def follow_film(registered: RegisteredFilm, profile: CalibrationProfile | None) -> FollowedFilm:
    """The tracker's events of a film. Raises ``SourceError``."""
    tracker = BoardTracker(_make_film_profile(registered.reference, profile))
    events: list[TrackerEvent] = []
    for frame in steady_frames(registered):
        events += tracker.process_frame(frame.steady, frame.t_s, detailed=frame.detailed)
    events += tracker.finish()
    state = tracker.state
    if isinstance(state, Seeking):
        return FollowedFilm(registered=registered, events=tuple(events), view=None)
    return FollowedFilm(
        registered=registered.express_in(state.view.fit.view),
        events=tuple(events),
        view=state.view,
    )


def steady_frames(registered: RegisteredFilm) -> Iterator[SteadyFrame]:
    """The registered frames, also in the reference's view. Raises ``SourceError``."""
    reference = registered.reference
    steady = SteadyView(reference.fit.view, reference.image.shape)
    for frame, pose in registered.frames():
        detailed = steady.warp(frame.image, pose.view)
        yield SteadyFrame(
            image=frame.image,
            t_s=frame.t_s,
            steady=steady.smooth(detailed),
            detailed=detailed,
        )


def _make_film_profile(
    reference: Reference, profile: CalibrationProfile | None
) -> CalibrationProfile:
    """Board and lens as measured in the film itself, and discs and speed as known before."""
    height, width = reference.image.shape[:2]
    camera = reference.fit.view.camera
    lens = ProfileCamera(
        width_px=width,
        height_px=height,
        fx_px=camera.fx_px,
        fy_px=camera.fy_px,
        cx_px=camera.cx_px,
        cy_px=camera.cy_px,
        k1=camera.k1,
        k2=camera.k2,
    )
    known = profile or CalibrationProfile(board=reference.fit.spec)
    return replace(known, board=reference.fit.spec, camera=lens)
