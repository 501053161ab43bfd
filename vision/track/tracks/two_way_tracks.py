"""Tracks of a recorded motion interval, followed forwards, and backwards from its end.

Forwards, a track begins at the known place of a disc before the interval; backwards, at its known
place after it. Both use the same detections, which use all that was learned about the empty board.
Tracks that share detections belong to one disc. Its path is the forward track's up to the last
shared detection, and the backward track's from there on (a two-filter smoother's division of
labour, Fraser and Potter 1969, with the hard choice that assignment needs). A disc that both lose
remains lost.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from calibration.camera import FloatArray
from vision.rectify.frame_rectifier import FrameRectifier
from vision.track.background.background_model import BackgroundModel, normalise_frame
from vision.track.motion.disc_blobs import DiscBlobs, find_disc_blobs
from vision.track.motion.hands_and_occluders import find_hands_and_occluders, find_touched_blobs
from vision.track.tracks.disc_track import DiscTrack, Sample
from vision.track.tracks.disc_tracker import DiscTracker

#: Two tracks belong to one disc if they share this many detections; two detections may just be a
#: place where a disc waited.
_MIN_SHARED = 3
#: Frame interval, s, if there is only one frame.
_PAUSE_S = 1 / 30


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class FrameDetections:
    """The blobs (n) of one frame, and whether (n,) bool a hand touches them."""

    t_s: float
    blobs: DiscBlobs
    held: np.ndarray


def detect_discs(
    image: np.ndarray,
    t_s: float,
    rectifier: FrameRectifier,
    background: BackgroundModel,
    radius_mm: float,
) -> FrameDetections:
    """The disc blobs of a frame (h, w, 3) uint8 BGR of a view whose background is known."""
    frame = normalise_frame(background, rectifier, rectifier.rectify(image))
    blobs = find_disc_blobs(rectifier, background, frame, radius_mm)
    _, occluders = find_hands_and_occluders(
        rectifier, background, frame, blobs.centre_mm[blobs.free], radius_mm
    )
    held = find_touched_blobs(rectifier, occluders, blobs, radius_mm)
    return FrameDetections(t_s=t_s, blobs=blobs, held=held)


def track_both_ways(
    frames: Sequence[FrameDetections],
    before: Sequence[tuple[FloatArray, FloatArray]],
    after: Sequence[tuple[FloatArray, FloatArray]],
) -> tuple[DiscTrack, ...]:
    """The tracks of an interval, in order of time; names index ``before``, like the tracker's.

    ``before`` and ``after`` hold the places (2,) in mm and the colours (3,) in weighted Lab of the
    discs at the interval's beginning and end.
    """
    if not frames:
        return ()
    forward = _track(frames, before)
    backward = [_reverse(track) for track in _track(_turn_round(frames), after)]
    return tuple(_complete(track, backward) for track in forward)


def _track(
    frames: Sequence[FrameDetections], start: Sequence[tuple[FloatArray, FloatArray]]
) -> list[DiscTrack]:
    """Tracks through frames, from discs at rest at their ``start``, a frame before the first.

    These places come from readings and differ by some millimetres from detections. At least a
    frame's time must have passed, or the discs would seem to move.
    """
    named = [(str(i), place, lab) for i, (place, lab) in enumerate(start)]
    pause_s = frames[1].t_s - frames[0].t_s if len(frames) > 1 else _PAUSE_S
    tracker = DiscTracker(named, frames[0].t_s - pause_s)
    for frame in frames:
        tracker.update(frame.t_s, frame.blobs, frame.held)
    return tracker.tracks


def _turn_round(frames: Sequence[FrameDetections]) -> list[FrameDetections]:
    """The same frames in reverse order, with time running backwards."""
    return [replace(frame, t_s=-frame.t_s) for frame in reversed(frames)]


def _reverse(track: DiscTrack) -> DiscTrack:
    """A backward track, put into order of time, without the place from the reading."""
    seen = track.samples if track.name is None else track.samples[1:]
    samples = [replace(sample, t_s=-sample.t_s) for sample in reversed(seen)]
    return DiscTrack(name=track.name, lab=track.lab, samples=samples)


def _complete(track: DiscTrack, backward: Sequence[DiscTrack]) -> DiscTrack:
    """A forward track, with its end replaced by the backward track of the same disc, if there is
    one.
    """
    known = {_key(sample) for sample in track.samples}
    shared = [[s for s in disc_track.samples if _key(s) in known] for disc_track in backward]
    best = max(range(len(backward)), key=lambda i: len(shared[i]), default=None)
    if best is None or len(shared[best]) < _MIN_SHARED:
        return track
    turn_s = shared[best][-1].t_s
    later = [sample for sample in backward[best].samples if sample.t_s > turn_s]
    if not later:
        return track
    earlier = [sample for sample in track.samples if sample.t_s <= turn_s]
    return DiscTrack(name=track.name, lab=track.lab, samples=[*earlier, *later])


def _key(sample: Sample) -> tuple[float, float, float]:
    """The identity of a detection; both directions use exactly the same ones."""
    x, y = sample.place_mm
    return round(sample.t_s, 6), float(x), float(y)
