"""Two cameras' tracker events become one stream: a shot is judged once, by what both saw."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from drawn_discs import board_fit, view_at
from json_referee import JsonReferee
from merged_events import merge_recorded
from rest_boards import BLACK, INWARD, disc, rested, track

from calibration.placed_disc import DiscState, PlacedDisc
from scorer.rules.sets import rule_set
from vision.fuse.fuse_readings import turn_disc
from vision.fuse.registration import rotation
from vision.reading import UnexplainedReason
from vision.track.events import (
    BoardAtRest,
    OutcomeUnseen,
    SceneChanged,
    TrackerEvent,
    TrackingLost,
)
from vision.track.motion.motion_gate import SceneState
from vision.track.tracks.disc_track import DiscTrack

SIDE_FIT = board_fit(view_at(66.0))
READY, OTHER, THIRD = disc(0, -304), disc(90, 70, BLACK), disc(-150, 60, BLACK)
LOST = TrackingLost(t_s=4.0, reason="something covers the board", advice="Take it away.")


def at(t_s: float, board: BoardAtRest, **changed: object) -> BoardAtRest:
    """The board at rest at another time."""
    told = {"t_s": t_s, "t_rest_s": t_s - 0.2, "t_from_s": t_s - 2.5}
    return replace(board, **(told | changed))


def from_side(board: BoardAtRest, quarters: int = 1) -> BoardAtRest:
    """The same board as a camera at the side reads it, in its own board frame."""
    back_rad = -quarters * math.pi / 2
    turn = rotation(back_rad)
    tracks = [
        DiscTrack(
            name=path.name,
            lab=path.lab,
            samples=[replace(one, place_mm=turn @ one.place_mm) for one in path.samples],
        )
        for path in board.tracks
    ]
    return replace(
        board,
        board=replace(board.board, discs=turned(board.board.discs, back_rad)),
        before=turned(board.before, back_rad),
        tracks=tuple(tracks),
        fit=SIDE_FIT,
    )


def turned(discs: Sequence[PlacedDisc], angle_rad: float) -> tuple[PlacedDisc, ...]:
    return tuple(turn_disc(one, angle_rad) for one in discs)


def first_board() -> BoardAtRest:
    return at(1.0, rested([], [READY, OTHER, THIRD]), t_from_s=0.0)


def shot_board(*after: PlacedDisc) -> BoardAtRest:
    """A white disc was shot inward and stopped where ``after`` begins."""
    flick = track([(0.0, -304.0), *INWARD], name="0", t_s=3.0)
    return at(5.0, rested([READY, OTHER, THIRD], after, [flick]))


def boards(merged: Sequence[TrackerEvent]) -> list[BoardAtRest]:
    return [event for event in merged if isinstance(event, BoardAtRest)]


def judged(merged: Sequence[TrackerEvent]) -> list[dict]:
    referee = JsonReferee(rule_set("nca"))
    events = [reported for event in merged for reported in referee.handle_event(event)]
    return [event for event in events if event["type"] == "shot"]


@pytest.mark.parametrize("quarters", [1, 2, 3])
def test_a_shot_that_both_see_is_judged_once(quarters) -> None:
    after = shot_board(disc(0, -30), OTHER, THIRD)
    seen = [first_board(), after]
    merged = merge_recorded(seen, [from_side(rest, quarters) for rest in seen])
    assert [len(board.also) for board in boards(merged)] == [1, 1]
    (shot,) = judged(merged)
    assert {row["id"]: row["zone"] for row in shot["after"]} == {
        "white 1": 15, "black 1": 10, "black 2": 10
    }  # fmt: skip


def test_both_cameras_evidence_is_in_one_frame() -> None:
    seen = [first_board(), shot_board(disc(0, -30), OTHER, THIRD)]
    merged = boards(merge_recorded(seen, [from_side(rest) for rest in seen]))
    (view,) = merged[1].also
    assert np.allclose(view.tracks[0].places_mm, merged[1].tracks[0].places_mm)
    assert np.allclose(
        view.fit.view.project_plane([[100.0, 20.0]]),
        SIDE_FIT.view.project_plane([rotation(-math.pi / 2) @ [100.0, 20.0]]),
    )
    assert merged[0].also[0].fit is view.fit


def test_a_disc_hidden_from_the_side_stays_on_the_board() -> None:
    after = shot_board(disc(0, -30), OTHER, THIRD)
    hidden = shot_board(disc(0, -30), OTHER)
    side = [from_side(first_board()), from_side(hidden)]
    merged = boards(merge_recorded([first_board(), after], side))
    assert len(merged[-1].board.discs) == 3


def test_what_only_one_camera_read_in_the_hole_is_asked_about() -> None:
    twenty = replace(disc(0, 0), state=DiscState.IN_HOLE)
    side = [from_side(first_board()), from_side(shot_board(twenty, OTHER, THIRD))]
    merged = merge_recorded([first_board(), shot_board(OTHER, THIRD)], side)
    (shot,) = judged(merged)
    assert "only one camera sees the disc" in shot["doubts"]


def test_a_disc_that_lies_in_the_hole_or_leans_is_left_to_what_players_do() -> None:
    twenty = replace(disc(0, 0), state=DiscState.IN_HOLE)
    leaner = replace(twenty, state=DiscState.LEANING)
    side = [from_side(first_board()), from_side(shot_board(twenty, OTHER, THIRD))]
    merged = merge_recorded([first_board(), shot_board(leaner, OTHER, THIRD)], side)
    assert UnexplainedReason.LEANING in [
        spot.reason for spot in boards(merged)[-1].board.unexplained
    ]
    referee = JsonReferee(rule_set("nca"))
    told = [reported for event in merged for reported in referee.handle_event(event)]
    assert [event["type"] for event in told].count("shot") == 1
    (score,) = [event for event in referee.end(9.0) if event["type"] == "round"]
    assert any("is in the hole or leaning on its edge" in doubt for doubt in score["doubts"])


def test_a_disc_put_down_within_the_other_cameras_motion_is_no_board_of_its_own() -> None:
    put_down = at(3.5, rested([OTHER, THIRD], [READY, OTHER, THIRD]), t_from_s=2.8)
    empty = at(1.0, rested([], [OTHER, THIRD]), t_from_s=0.0)
    after = replace(shot_board(disc(0, -30), OTHER, THIRD), before=(OTHER, THIRD), t_from_s=2.5)
    side = [from_side(board) for board in (empty, put_down, replace(after, t_from_s=3.4))]
    merged = boards(merge_recorded([empty, after], side))
    assert [event.camera for event in merged] == [0, 0]
    assert len(merged[-1].tracks) == 1


def test_a_board_that_one_camera_missed_goes_alone() -> None:
    after = shot_board(disc(0, -30), OTHER, THIRD)
    away = SceneChanged(t_s=3.0, scene=SceneState.HAND)
    merged = boards(merge_recorded([first_board(), after], [from_side(first_board()), away]))
    assert [len(event.also) for event in merged] == [1, 0]
    (shot,) = judged(merged)
    assert shot["disc"] == "white 1"


def test_what_only_the_side_saw_move_is_dropped() -> None:
    side = [from_side(first_board()), from_side(shot_board(disc(0, -30), OTHER, THIRD))]
    ended = boards(merge_recorded([first_board()], side, ends_s=(2.0, math.inf)))
    assert len(ended) == 2  # no camera contradicts
    later = SceneChanged(t_s=20.0, scene=SceneState.MOTION)
    assert len(boards(merge_recorded([first_board(), later], side))) == 1


def test_where_one_camera_is_lost_the_other_goes_on() -> None:
    lost = replace(LOST, t_s=2.0)
    side = [from_side(first_board()), from_side(shot_board(disc(0, -30), OTHER, THIRD))]
    merged = merge_recorded([first_board(), lost], side)
    assert not [event for event in merged if isinstance(event, TrackingLost)]
    (shot,) = judged(merged)
    assert (shot["disc"], len(shot["after"])) == ("white 1", 3)


@pytest.mark.parametrize(
    ("both", "ends_s", "count"),
    [(True, (9.0, 9.0), 1), (False, (9.0, 9.0), 0), (False, (9.0, 5.0), 1)],
    ids=["both missed it", "the other saw it end", "the other's film had ended"],
)
def test_what_no_camera_saw_come_to_rest_is_told_once(both, ends_s, count) -> None:
    unseen = OutcomeUnseen(t_s=8.9, t_from_s=8.0)
    later = SceneChanged(t_s=8.5, scene=SceneState.STILL)
    side = [from_side(first_board()), unseen if both else later]
    merged = merge_recorded([first_board(), unseen], side, ends_s)
    assert len([event for event in merged if isinstance(event, OutcomeUnseen)]) == count


def test_a_hand_that_rests_before_one_camera_does_not_make_the_others_shot_a_mistake() -> None:
    resting = SceneChanged(t_s=1.5, scene=SceneState.HAND)
    side = [from_side(first_board()), from_side(shot_board(disc(0, -30), OTHER, THIRD))]
    later = SceneChanged(t_s=20.0, scene=SceneState.STILL)
    assert len(boards(merge_recorded([first_board(), resting, later], side))) == 2


def test_that_both_cameras_are_lost_is_told() -> None:
    side = [from_side(first_board()), replace(LOST, t_s=4.5)]
    merged = merge_recorded([first_board(), LOST], side)
    assert [event.t_s for event in merged if isinstance(event, TrackingLost)] == [4.5]


def test_cameras_that_see_no_disc_in_common_are_not_merged() -> None:
    ours = at(1.0, rested([], [READY, OTHER]), t_from_s=0.0)
    theirs = at(1.0, rested([], [THIRD]), t_from_s=0.0)
    (merged,) = boards(merge_recorded([ours], [from_side(theirs)]))
    assert len(merged.board.discs) == 2
