"""The offset of two clocks follows from the times of motion, or is reported as undetermined."""

from __future__ import annotations

from collections import deque

import numpy as np
import pytest

from scorer.referee.cameras.clock_offset import MotionEnergy, find_clock_offset

FRAME_S = 1 / 30
#: Times at which hands and discs move, s of the first camera's clock, without rhythm.
MOVING = ((2.0, 3.1), (4.0, 4.4), (9.5, 12.0), (13.2, 13.9), (20.0, 21.7), (26.3, 26.9))


def film(offset_s: float = 0.0, *, length_s: float = 30.0, gain: float = 0.3) -> MotionEnergy:
    """The motion seen by a camera whose clock is ``offset_s`` behind."""
    times = np.arange(0.0, length_s, FRAME_S)
    rng = np.random.default_rng(abs(round(100 * offset_s)) + 7)
    energy = 0.004 + 0.004 * rng.random(len(times))
    for start, end in MOVING:
        energy[(times + offset_s >= start) & (times + offset_s <= end)] += gain
    return motion(times, energy * rng.uniform(0.9, 1.1, len(times)))


def motion(times_s: np.ndarray, energy: np.ndarray) -> MotionEnergy:
    """Motion with these energies at these times."""
    return MotionEnergy(samples=deque(zip(times_s.tolist(), energy.tolist(), strict=True)))


@pytest.mark.parametrize("offset_s", [0.0, 2.5, -3.1, 7.0])
def test_the_offset_is_found_to_a_frame_whatever_each_camera_sees(offset_s) -> None:
    found = find_clock_offset(film(), film(offset_s, gain=4.0))
    assert found is not None
    assert found == pytest.approx(offset_s, abs=FRAME_S)


def test_a_clock_that_starts_later_is_taken_as_it_says() -> None:
    times, energy = np.array(film(2.0).samples).T
    assert find_clock_offset(film(), motion(times + 2.0, energy)) == pytest.approx(0.0, abs=FRAME_S)


def test_what_moves_alike_again_and_again_tells_nothing() -> None:
    times = np.arange(0.0, 30.0, FRAME_S)
    beat = motion(times, 0.01 + (times % 2.0 < 1.0))
    assert find_clock_offset(beat, beat) is None


@pytest.mark.parametrize("length_s", [0.0, 10.0])
def test_a_film_in_which_nothing_moves_tells_nothing(length_s) -> None:
    times = np.arange(0.0, length_s, FRAME_S)
    still = motion(times, np.zeros(len(times)))
    assert find_clock_offset(film(), still) is None
