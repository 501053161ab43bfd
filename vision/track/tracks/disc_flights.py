"""Flights of discs blurred by a slow shutter: an object that flew straight and fast is a disc.

In motion blur, a fast disc's colour mixes with the wood, and it hardly looks like a disc. No hand
moves straight and fast for so long.
"""

from __future__ import annotations

import numpy as np

from vision.track.tracks.disc_track import MOVED_MM, DiscTrack
from vision.track.tracks.disc_track import PARAMS as TRACKS


def has_flown_straight(track: DiscTrack) -> bool:
    """Whether it moved straight and fast, with no hand holding it, for longer than a hand does."""
    steps_s = np.diff(track.times_s)
    free = np.array([sample.is_free for sample in track.samples[1:]], dtype=bool)
    flies = (track.speeds_mm_s() > TRACKS.fast_mm_s) & free & (steps_s < TRACKS.unseen_s)
    times_s, places = track.times_s, track.places_mm
    for begin in range(len(flies)):
        end = begin
        while end < len(flies) and flies[end] and times_s[end] - times_s[begin] <= TRACKS.flight_s:
            end += 1
        if times_s[end] - times_s[begin] > TRACKS.flight_s and _is_straight(
            places[begin : end + 1]
        ):
            return True
    return False


def _is_straight(places_mm: np.ndarray) -> bool:
    """Whether places (n, 2) are on one line, with deviations smaller than a clear motion of a
    disc.
    """
    off = places_mm - places_mm.mean(axis=0)
    *_, axes = np.linalg.svd(off, full_matrices=False)
    return bool(np.abs(off @ axes[1]).max() < MOVED_MM)
