"""Practice: the possible events of a drill, and its figures."""

from __future__ import annotations

import math

import pytest

from scorer.practice.events import (
    Drill,
    Outcome,
    PracticeEnded,
    PracticeError,
    PracticeShot,
    PracticeShotUndone,
    PracticeStarted,
    read_practice_event,
    write_practice_event,
)
from scorer.practice.figures import (
    compare_misses,
    find_best,
    measure_spread,
    rate_success,
    see_from_seat,
)
from scorer.practice.fold import fold_practice

START = PracticeStarted(player="Ann", drill=Drill.OPEN_TWENTIES, shots=3)
MADE = PracticeShot(outcome=Outcome.TWENTY)


def missed(right_mm: float, beyond_mm: float) -> PracticeShot:
    return PracticeShot(outcome=Outcome.ON_BOARD, right_mm=right_mm, beyond_mm=beyond_mm)


def test_a_drill_is_over_after_its_shots_and_the_last_can_be_taken_back() -> None:
    log = [START, MADE, missed(3, 4), MADE]
    state = fold_practice(log)
    assert (state.is_over, state.successes) == (True, 2)
    again = fold_practice([*log, PracticeShotUndone()])
    assert (again.is_over, again.successes) == (False, 1)


IMPOSSIBLE = {
    "no beginning": [MADE],
    "two beginnings": [START, START],
    "one shot too many": [START, MADE, MADE, MADE, MADE],
    "a shot after the end": [START, MADE, PracticeEnded(), MADE],
    "nothing to take back": [START, PracticeShotUndone()],
    "an outcome of another drill": [START, PracticeShot(outcome=Outcome.OUT)],
    "half a place": [START, PracticeShot(outcome=Outcome.ON_BOARD, right_mm=1.0)],
}


@pytest.mark.parametrize("log", IMPOSSIBLE.values(), ids=IMPOSSIBLE)
def test_impossible_events_are_refused(log) -> None:
    with pytest.raises(PracticeError):
        fold_practice(log)


def test_every_event_comes_back_from_its_json() -> None:
    log = [START, missed(-3.5, 40), PracticeShotUndone(), PracticeEnded()]
    assert [read_practice_event(write_practice_event(event)) for event in log] == log
    with pytest.raises(PracticeError):
        read_practice_event('{"type": "practice_shot", "outcome": "twenty", "speed": 3}')


def test_a_share_has_its_number_of_shots_and_interval() -> None:
    runs = [fold_practice([START, MADE, missed(1, 1)]), fold_practice([START, MADE])]
    rate = rate_success(runs)
    assert (rate.successes, rate.shots) == (2, 3)
    # Wilson's interval for 2 of 3, by its closed form.
    z2 = 1.96**2 / 3
    half = math.sqrt(2 / 9 * z2 + z2 * z2 / 4)
    assert rate.interval == pytest.approx(
        ((2 / 3 + z2 / 2 - half) / (1 + z2), (2 / 3 + z2 / 2 + half) / (1 + z2))
    )
    assert rate_success([]).interval == (0.0, 1.0)


def test_the_spread_is_of_misses_whose_place_is_known() -> None:
    off = PracticeShot(outcome=Outcome.OFF_BOARD)
    spread = measure_spread([MADE, missed(10, -20), off, missed(30, 20)])
    assert spread is not None
    assert (spread.shots, spread.missed) == (2, 3)
    assert (spread.mean_right_mm, spread.mean_beyond_mm) == (20, 0)
    assert spread.sd_right_mm == pytest.approx(math.sqrt(200))
    assert spread.sd_beyond_mm == pytest.approx(math.sqrt(800))
    assert measure_spread([MADE, off, missed(1, 1)]) is None


def test_only_a_whole_drill_can_be_the_best() -> None:
    whole = fold_practice([START, MADE, missed(1, 1), missed(1, 1)])
    early = fold_practice([START, MADE, MADE, PracticeEnded()])
    assert find_best([whole, early], 3) == 1
    assert find_best([early], 3) is None
    assert find_best([whole], 12) is None


#: The same shot from each side of the table: 30 mm to the right of the hole, and 40 mm beyond it.
SEATS = {
    "from below": ((0, -300), (30, 40)),
    "from above": ((0, 300), (-30, -40)),
    "from the left": ((-300, 0), (40, -30)),
    "from the right": ((300, 0), (-40, 30)),
}


@pytest.mark.parametrize(("start_mm", "place_mm"), SEATS.values(), ids=SEATS)
def test_a_place_is_given_as_the_shooter_sees_it(start_mm, place_mm) -> None:
    assert see_from_seat(start_mm, place_mm) == pytest.approx((30, 40))


@pytest.mark.parametrize(
    ("across_mm", "along_mm", "weakness"),
    [(5.7, 110.0, "neither"), (14.0, 90.0, "direction"), (3.0, 130.0, "speed")],
    ids=["as a club player", "wide", "long and short"],
)
def test_misses_that_a_camera_measured_say_what_to_work_on(
    across_mm: float, along_mm: float, weakness: str
) -> None:
    places = [(across_mm * x, along_mm * y) for x, y in ((1, 1), (-1, 1), (1, -1), (-1, -1))]
    shots = [
        missed(right, beyond).model_copy(update={"source": "camera"})
        for right, beyond in places * 8
    ]
    found = compare_misses(shots)
    assert found is not None
    assert found.shots == 32
    assert found.weakness == weakness
    assert found.across == pytest.approx(across_mm / 5.7, rel=0.02)
    assert found.spread == pytest.approx(1.29, abs=0.01)
    assert compare_misses(shots[:7]) is None
    assert compare_misses([missed(*place) for place in places * 8]) is None  # taps
