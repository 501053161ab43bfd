"""Discs followed forwards and backwards through a motion interval."""

from __future__ import annotations

import numpy as np

from vision.discs.teams.team_colours import bgr_to_weighted_lab
from vision.track.motion.disc_blobs import DiscBlobs
from vision.track.tracks.two_way_tracks import FrameDetections, track_both_ways

READ_MM = np.array([[0.0, 0.0], [80.0, 0.0]])
#: Its shadow shifts the visible part of a dark disc sideways.
SEEN_MM = READ_MM + np.array([2.5, -1.0])
BLACK_BGR = np.array([[25.0, 25.0, 28.0], [25.0, 25.0, 28.0]])


def detect(t_s: float) -> FrameDetections:
    blobs = DiscBlobs(centre_mm=SEEN_MM, roundness=np.ones(2), colour_bgr=BLACK_BGR)
    return FrameDetections(t_s=t_s, blobs=blobs, held=np.zeros(2, dtype=bool))


def test_discs_that_lie_still_beside_where_they_were_read_keep_their_places() -> None:
    lie = list(zip(READ_MM, bgr_to_weighted_lab(BLACK_BGR), strict=True))
    frames = [detect(i / 30) for i in range(8)]
    tracks = track_both_ways(frames, lie, lie)
    assert [track.name for track in tracks] == ["0", "1"]
    for track, seen_mm in zip(tracks, SEEN_MM, strict=True):
        assert len(track.samples) == 1 + len(frames)
        np.testing.assert_allclose(track.places_mm[1:], np.tile(seen_mm, (len(frames), 1)))
