"""The discs that were shot, and whether they have stopped, from their tracks."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from rest_boards import FIT, STEP_S, disc, track

from vision.track.tracks.disc_track import DiscTrack
from vision.track.tracks.sliding_discs import (
    find_departed_discs,
    find_moved_discs,
    find_untouched,
    find_vanished_discs,
    has_come_to_rest,
    list_outcome_places,
)

RADIUS_MM = 15.9
#: A disc that is shot and slows down until it stops.
WAY = [(0.0, -300.0 + 40.0 * i) for i in range(6)]
REST = [(0.0, -100.0)] * 5


def ends(places: list[tuple[float, float]], late_s: float = 0.0) -> bool:
    shot = track([*WAY, *places])
    return has_come_to_rest(shot, FIT, RADIUS_MM, shot.last.t_s + late_s)


@pytest.mark.parametrize(
    ("places", "late_s", "at_rest"),
    [
        (REST, 0.0, True),
        ([(0.0, -100.0), (6.0, -98.0)] * 3, 0.0, True),  # trembles, as blobs do
        ([(0.0, -100.0), (0.0, -91.0), (0.0, -82.0), (0.0, -91.0), (0.0, -100.0)], 0.0, False),
        ([], 0.0, False),
        ([], 0.3, True),  # out of sight
        ([(200.0, 300.0)], 0.0, True),  # off the board
        # over the outer line, so it is out wherever it stops
        ([(0.0, 250.0), (0.0, 292.0)], 0.0, True),
        ([(0.0, 230.0), (0.0, 250.0)], 0.0, False),
        # crosses the line inwards
        ([(0.0, 320.0), (0.0, 310.0), (0.0, 300.0), (0.0, 294.0)], 0.0, False),
    ],
)
def test_a_disc_rests_that_lies_still_or_is_out_of_sight(
    places: list[tuple[float, float]], late_s: float, at_rest: bool
) -> None:
    assert ends(places, late_s) is at_rest


def test_a_hand_that_took_over_a_track_is_no_disc_in_motion() -> None:
    shot = track([*WAY, *REST])
    hand = track([(-20.0 * i, -100.0) for i in range(1, 6)], t_s=shot.last.t_s, roundness=0.45)
    both = DiscTrack(name=None, lab=shot.lab, samples=[*shot.samples, *hand.samples[1:]])
    assert has_come_to_rest(both, FIT, RADIUS_MM, both.last.t_s)
    round_one = [replace(sample, roundness=0.9) for sample in both.samples]
    still_a_disc = DiscTrack(name=None, lab=shot.lab, samples=round_one)
    assert not has_come_to_rest(still_a_disc, FIT, RADIUS_MM, both.last.t_s)


def test_a_disc_that_trembles_beside_a_finger_was_not_shot() -> None:
    assert find_moved_discs([track([(16.0 * (i % 2), -290.0) for i in range(9)])], FIT) == []
    (shot,) = find_moved_discs([track([*WAY, *REST])], FIT)
    assert shot.times_s[1] - shot.times_s[0] == pytest.approx(STEP_S)


def test_a_disc_that_lay_there_and_is_seen_no_more_has_vanished() -> None:
    lay, came = (track([(0.0, 100.0)] * 5, name=name) for name in ("0", None))
    assert find_vanished_discs([lay, came], lay.last.t_s) == []
    assert find_vanished_discs([lay, came], lay.last.t_s + 0.3) == [lay]


@pytest.mark.parametrize(
    ("places", "has_left"),
    [
        ([(0.0, 70.0), (-6.0, 84.0), (-6.0, 84.0)], False),  # centred anew
        ([(0.0, 70.0), (-6.0, 84.0), (-12.0, 98.0)], True),
        ([(0.0, 70.0), (-6.0, 84.0)], True),
    ],
)
def test_what_lies_still_in_the_last_frame_has_not_left_its_place(
    places: list[tuple[float, float]], has_left: bool
) -> None:
    assert bool(find_departed_discs([track(places)], FIT)) is has_left


def test_what_seems_to_move_where_a_disc_lay_has_not_left_its_place() -> None:
    trembles = track([(0.0, 70.0), (0.0, 70.0), (5.0, 76.0)])
    assert find_departed_discs([trembles], FIT, [disc(2, 73)]) == []
    assert find_departed_discs([trembles], FIT, [disc(40, 73)])


def test_a_hand_that_moves_along_the_rim_hides_nothing_of_a_shot() -> None:
    angles = np.linspace(2.6, 3.1, 8)
    along = [
        (-245.0, 60.0),
        *((310.0 * float(np.cos(a)), 310.0 * float(np.sin(a))) for a in angles),
    ]
    assert list_outcome_places([track(along)], [], FIT) == []
    assert len(list_outcome_places([track(along, name="0")], [], FIT)) == 1
    assert len(list_outcome_places([track([*WAY, *REST])], [], FIT)) == 1


@pytest.mark.parametrize(
    ("lies", "rest", "is_untouched"),
    [
        ((120.0, -150.0), REST, True),
        ((40.0, -150.0), REST, False),  # next to its path
        ((0.0, 30.0), REST, True),  # beyond its end
        ((0.0, 30.0), [], False),  # lost from sight on its path there
        ((0.0, 30.0), [(0.0, 100.0)], False),  # visible again only beyond it
    ],
)
def test_a_disc_is_untouched_where_none_can_have_reached_it(
    lies: tuple[float, float], rest: list[tuple[float, float]], is_untouched: bool
) -> None:
    shot = track([*WAY, *rest])
    (moved,) = find_moved_discs([shot], FIT)
    assert bool(find_untouched([disc(*lies)], [moved], FIT, RADIUS_MM)) is is_untouched
