"""Discs followed in spite of occlusions and similar discs."""

from __future__ import annotations

import numpy as np
import pytest

from vision.discs.teams.team_colours import bgr_to_weighted_lab
from vision.track.motion.blob_appearance import CLEAR_ROUNDNESS
from vision.track.motion.disc_blobs import DiscBlobs
from vision.track.tracks.disc_track import Sample
from vision.track.tracks.disc_tracker import DiscTracker

BROWN, BLACK = (28, 44, 67), (11, 11, 11)
STEP_S = 1 / 30


def lab(bgr: tuple[int, int, int]) -> np.ndarray:
    return bgr_to_weighted_lab(np.array([bgr], dtype=np.float32))[0]


def seen(*discs: tuple[float, float, tuple[int, int, int]]) -> DiscBlobs:
    return DiscBlobs(
        centre_mm=np.array([disc[:2] for disc in discs], dtype=np.float64).reshape(-1, 2),
        roundness=np.full(len(discs), 0.9),
        colour_bgr=np.array([disc[2] for disc in discs], dtype=np.float32).reshape(-1, 3),
    )


def ends(tracker: DiscTracker, frames: list[DiscBlobs]) -> dict[str | None, tuple[float, float]]:
    for i, blobs in enumerate(frames):
        tracker.update((i + 1) * STEP_S, blobs, np.zeros(len(blobs.centre_mm), dtype=bool))
    return {track.name: tuple(track.last.place_mm) for track in tracker.tracks}


def test_a_disc_struck_head_on_is_not_taken_for_the_one_that_struck_it() -> None:
    """The striker stops over the dark hole, where it is not visible; the struck disc continues."""
    tracker = DiscTracker(
        [("a", np.array([0.0, -120]), lab(BLACK)), ("b", np.zeros(2), lab(BROWN))], 0
    )
    frames = [
        seen((0, -120, BLACK), (0, 0, BROWN)),
        seen((0, -80, BLACK), (0, 0, BROWN)),
        seen((0, -40, BLACK), (0, 0, BROWN)),
        seen((0, 30, BROWN)),
        seen((0, 65, BROWN)),
        seen((0, 98, BROWN)),
    ]
    assert ends(tracker, frames) == {"a": (0.0, -40.0), "b": (0.0, 98.0)}


def test_a_disc_keeps_its_name_when_its_colour_is_blurred_with_the_board() -> None:
    tracker = DiscTracker(
        [("a", np.array([0.0, -120]), lab(BLACK)), ("b", np.zeros(2), lab(BROWN))], 0
    )
    mixed = tuple(int(v) for v in np.mean([BLACK, (40, 60, 90)], axis=0))
    frames = [seen((0, -120 - 40 * i, mixed), (0, 0, BROWN)) for i in range(4)]
    assert ends(tracker, frames)["a"] == (0.0, -240.0)


def test_a_disc_flew_when_it_was_seen_fast_and_free() -> None:
    tracker = DiscTracker([], 0.0)
    ends(tracker, [seen((0, 40.0 * i, BLACK)) for i in range(6)])
    assert tracker.tracks[0].has_moved_freely()
    still = DiscTracker([], 0.0)
    ends(still, [seen((0, 0.5 * i, BLACK)) for i in range(6)])
    assert not still.tracks[0].has_moved_freely()
    assert tracker.tracks[0].has_moved_freely(1000.0)
    assert not tracker.tracks[0].has_moved_freely(1500.0)


def test_a_disc_that_trembles_where_it_stopped_flew_all_the_same() -> None:
    """At fifteen frames a second, a blob's error is as large as the step of a slow disc."""
    shot = DiscTracker([], 0.0)
    ends(shot, [seen((0, away, BLACK)) for away in (300, 240, 180, 120, 60, 20)])
    (track,) = shot.tracks
    rest = [(0.0, 20.0 + 6.0 * (i % 2)) for i in range(8)]
    last_s = track.last.t_s
    track.samples += [
        Sample(t_s=last_s + 0.05 * (i + 1), place_mm=np.array(at), is_free=True, roundness=0.6)
        for i, at in enumerate(rest)
    ]
    assert track.find_flick(304.8, CLEAR_ROUNDNESS) == 0


def test_what_was_seen_once_slid_nowhere() -> None:
    tracker = DiscTracker([], 0.0)
    ends(tracker, [seen((0, 40.0, BLACK))])
    assert not tracker.tracks[0].has_moved_freely()


def test_what_comes_from_beyond_to_the_line_was_not_flicked_off_it() -> None:
    """Fingers that put a disc down look round at times, and are fast."""
    tracker = DiscTracker([], 0.0)
    ends(tracker, [seen((0, away, BROWN)) for away in (338, 331, 322, 313, 306, 300, 304)])
    assert tracker.tracks[0].find_flick(304.8, CLEAR_ROUNDNESS) is None
    shot = DiscTracker([], 0.0)
    ends(shot, [seen((0, away, BROWN)) for away in (306, 299, 290, 281, 274, 268, 266)])
    assert shot.tracks[0].find_flick(304.8, CLEAR_ROUNDNESS) == 0


@pytest.mark.parametrize(("is_held", "is_round"), [(True, False), (False, False), (True, True)])
def test_a_disc_lost_over_the_hole_goes_on_in_no_piece_of_a_hand(
    is_held: bool, is_round: bool
) -> None:
    tracker = DiscTracker([("a", np.array([0.0, 120]), lab(BLACK))], 0)
    ends(tracker, [seen((0, 120.0 - 36.0 * i, BLACK)) for i in range(4)])
    beyond = seen((0, -90.0, BLACK))
    beyond.roundness[:] = 0.9 if is_round else 0.5
    tracker.update(7 * STEP_S, beyond, np.array([is_held]))
    goes_on = not is_held or is_round
    assert tuple(tracker.tracks[0].last.place_mm) == (0.0, -90.0 if goes_on else 12.0)


@pytest.mark.parametrize(("pause_s", "start"), [(0.0, 0), (0.4, None)])
def test_pieces_of_a_hand_far_apart_in_time_make_no_flight(
    pause_s: float, start: int | None
) -> None:
    tracker = DiscTracker([], 0.0)
    ends(tracker, [seen((0, 300.0, BLACK)), seen((0, 280.0, BLACK))])
    (track,) = tracker.tracks
    for i, away_mm in enumerate((200.0, 120.0, 40.0)):
        t_s = 2 * STEP_S + (i + 1) * (STEP_S + pause_s)
        track.samples.append(Sample(t_s=t_s, place_mm=np.array([0.0, away_mm]), is_free=True))
    assert track.find_flick(304.8, CLEAR_ROUNDNESS) == start
