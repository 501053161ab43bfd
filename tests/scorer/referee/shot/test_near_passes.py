"""Discs that closely pass one at rest: contact, no contact, or a question."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from drawn_discs import BLACK_BGR, DISC, PALE_BGR, board_fit, draw, view_at
from json_referee import JsonReferee
from rest_boards import BLACK, STEP_S, disc, rested, track, verdicts

from calibration.board import BoardSpec
from calibration.fit import BoardFit
from scorer.physics.engine import parameter_vector, simulate_tracked
from scorer.physics.scene import TableSpec
from scorer.rules.sets import rule_set
from vision.track.events import BoardAtRest

#: The black disc that a white disc, shot straight up the board, passes on its right.
TARGET_MM = (0.0, -120.0)
TOUCH_MM = 2 * DISC.radius_mm
SPEED_MM_S = 900.0


def passing(
    gap_mm: float, fit: BoardFit, *, nudged_mm: float = 0.0
) -> tuple[BoardAtRest, BoardAtRest]:
    """Boards before and after a white disc slid past a black one, or grazed it, by the physics.

    The track is half a disc's height above the base, like real tracks. The black disc is also
    ``nudged_mm`` farther to the left.
    """
    start = (TARGET_MM[0] + TOUCH_MM + gap_mm, -304.0)
    table = TableSpec(board=BoardSpec(post_count=0))
    times = np.arange(1, 31) * STEP_S
    result, seen = simulate_tracked(
        table,
        np.array([[start, TARGET_MM]]),
        np.array([[*start, SPEED_MM_S, np.pi / 2, 0.0]]),
        parameters=parameter_vector(table)[None],
        discs=np.zeros(30, dtype=np.int64),
        times_s=times[None],
    )
    camera = fit.view.cam_from_board.camera_board_mm
    share = DISC.height_mm / 2 / (camera[2] - DISC.height_mm / 2)
    places = seen[0] + share * (seen[0] - camera[:2])
    end, struck = result.places_mm[0]
    struck = struck - np.array([nudged_mm, 0.0])
    before = [disc(*TARGET_MM, BLACK), disc(*start)]
    after = [disc(*struck, BLACK), disc(*end)]
    way = track([start, *(tuple(place) for place in places)], name="1")
    first = draw(fit.view, [(*TARGET_MM, BLACK_BGR), (*start, PALE_BGR)])
    second = draw(fit.view, [(*struck, BLACK_BGR), (*end, PALE_BGR)])
    return (
        replace(rested([], before), image=first, fit=fit),
        replace(rested(before, after, [way]), image=second, fit=fit),
    )


def judged(*boards: BoardAtRest) -> dict:
    (shot,) = verdicts(JsonReferee(rule_set("nca")), *boards)
    return shot


def test_edges_that_stay_three_sigmas_apart_make_a_foul_by_the_path_alone() -> None:
    shot = judged(*passing(5.0, board_fit(view_at(0.0))))
    assert shot["verdict"] == "foul"
    (near,) = shot["evidence"]["near_passes"]
    assert near["decided_by"] == "path"
    assert abs(near["gap_mm"] - 5.0) < 3 * near["sigma_mm"]


@pytest.mark.parametrize("tilt_deg", [0.0, 40.0])
def test_a_graze_that_moved_the_opponents_disc_by_half_a_millimetre_is_no_foul(
    tilt_deg: float,
) -> None:
    """Seen from the side, a track is offset from the base, here by 4 mm: judged by it, the discs
    did not touch.
    """
    shot = judged(*passing(-0.03, board_fit(view_at(tilt_deg))))
    (near,) = shot["evidence"]["near_passes"]
    assert 0.3 < near["moved_mm"] < 0.7
    assert near["p_contact"] > 0.9
    assert shot["verdict"] != "foul"


def test_a_graze_that_moved_the_disc_by_more_is_a_contact() -> None:
    shot = judged(*passing(-0.12, board_fit(view_at(20.0))))
    assert shot["verdict"] == "legal"
    (near,) = shot["evidence"]["near_passes"]
    assert near["decided_by"] == "physics"
    assert shot["contacts"] == [["white 1", "black 1"]]


@pytest.mark.parametrize("gap_mm", [0.01, 0.8])
def test_a_disc_that_lies_where_it_lay_was_passed_however_closely(gap_mm: float) -> None:
    shot = judged(*passing(gap_mm, board_fit(view_at(0.0))))
    assert shot["verdict"] == "foul"
    (near,) = shot["evidence"]["near_passes"]
    assert near["decided_by"] == "physics"
    assert near["p_contact"] < 0.01


@pytest.mark.parametrize("gap_mm", [-0.007, -0.005])
def test_what_neither_path_nor_displacement_tells_a_person_is_asked_with_the_moment(
    gap_mm: float,
) -> None:
    """A graze of a hundredth of a millimetre moves the disc by at most a tenth, which noise does
    too.
    """
    shot = judged(*passing(gap_mm, board_fit(view_at(0.0))))
    assert shot["verdict"] == "needs_review"
    assert "white 1 touched black 1" in shot["question"]
    assert "±" in shot["question"]
    (near,) = shot["evidence"]["near_passes"]
    assert near["decided_by"] == "person"
    passed_s = 1.0 + (SPEED_MM_S - np.sqrt(SPEED_MM_S**2 - 2 * 981.0 * 184.0)) / 981.0
    assert abs(near["t_s"] - passed_s) < STEP_S


def test_what_a_disc_does_beyond_the_edge_tells_nothing_of_what_it_passed() -> None:
    still, x = (0.0, 250.0), TOUCH_MM + 1.0
    way = [(x, y) for y in np.arange(-304.0, 320.0, 32.0).tolist()]
    toppled = [(x + 2.0, 336.0), (x + 5.0, 350.0)]
    before = [disc(*still, BLACK), disc(x, -304.0)]
    found = []
    for places in (way, way + toppled):
        boards = rested([], before), rested(before, before[:1], [track(places, name="1")])
        (near,) = judged(*boards)["evidence"]["near_passes"]
        found.append((near["gap_mm"], near["sigma_mm"], near["p_contact"]))
    assert found[0] == pytest.approx(found[1])


@pytest.mark.parametrize(("nudged_mm", "verdict"), [(0.7, "foul"), (2.5, "needs_review")])
@pytest.mark.parametrize("gap_mm", [10.0, 30.0])
def test_a_disc_that_plainly_moved_where_none_came_near_is_asked_about(
    nudged_mm: float, verdict: str, gap_mm: float
) -> None:
    """A smaller displacement is an error of the pictures: all moving discs were followed, and
    stayed away or passed it.
    """
    shot = judged(*passing(gap_mm, board_fit(view_at(0.0)), nudged_mm=nudged_mm))
    assert shot["verdict"] == verdict
    has_moved = any("no disc was seen to reach it" in doubt for doubt in shot["doubts"])
    assert has_moved is (verdict == "needs_review")


@pytest.mark.parametrize(
    ("gap_mm", "was_followed", "verdict"),
    [
        (1.0, False, "legal"),
        (1.0, True, "needs_review"),  # it is nearer to the passing disc: a hand may have moved it
        (8.0, True, "needs_review"),  # by the path, they did not touch
    ],
)
def test_a_disc_that_was_plainly_moved_was_touched_by_what_came_near_unseen(
    gap_mm: float, was_followed: bool, verdict: str
) -> None:
    """For example, if it bounces back from a post between two frames."""
    earlier, later = passing(gap_mm, board_fit(view_at(0.0)), nudged_mm=-3.0)
    if not was_followed:
        (way,) = later.tracks
        seen = [sample for i, sample in enumerate(way.samples) if not 5 <= i < 9]
        later = replace(later, tracks=(replace(way, samples=seen),))
    assert judged(earlier, later)["verdict"] == verdict


@pytest.mark.parametrize("gap_mm", [-0.2, -0.12])
def test_a_disc_that_was_plainly_moved_was_touched_by_the_only_one_that_came_near(
    gap_mm: float,
) -> None:
    """The unseen part of the path, two frames around the touch, does not decide it alone."""
    earlier, later = passing(gap_mm, board_fit(view_at(0.0)))
    (way,) = later.tracks
    seen = [sample for i, sample in enumerate(way.samples) if not 5 <= i < 9]
    shot = judged(earlier, replace(later, tracks=(replace(way, samples=seen),)))
    (near,) = shot["evidence"]["near_passes"]
    assert 0.8 < near["p_contact"] < 0.95
    assert shot["verdict"] == "legal"


def test_a_disc_that_a_hand_covers_was_not_touched_by_what_was_followed_far_from_it() -> None:
    earlier, later = passing(30.0, board_fit(view_at(0.0)), nudged_mm=0.9)
    covered = track([TARGET_MM] * 5, name="0", held=True)
    shot = judged(earlier, replace(later, tracks=(*later.tracks, covered)))
    assert shot["verdict"] == "foul"


@pytest.mark.parametrize("tremble_px", [(0.0, 0.0), (0.4, -0.5)])
def test_a_camera_that_trembles_moves_no_disc(tremble_px: tuple[float, float]) -> None:
    earlier, later = passing(5.0, board_fit(view_at(0.0)))
    camera = later.fit.view.camera
    shaken = replace(camera, cx_px=camera.cx_px + tremble_px[0], cy_px=camera.cy_px + tremble_px[1])
    end = later.board.discs[1].centre_mm.tolist()
    image = draw(
        replace(later.fit.view, camera=shaken), [(*TARGET_MM, BLACK_BGR), (*end, PALE_BGR)]
    )
    shot = judged(earlier, replace(later, image=image))
    assert shot["verdict"] == "foul"
    (near,) = shot["evidence"]["near_passes"]
    assert near["moved_mm"] < 0.2
