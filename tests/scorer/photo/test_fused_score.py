"""One score from two pictures of a board: from drawn boards, and from invented readings."""

from __future__ import annotations

import json
import math
from dataclasses import replace

import jsonschema
import numpy as np
import pytest
from example_reading import BLACK, WHITE, disc, frame
from paths import SCHEMAS
from two_readings import from_above, from_beside

from bench.grading.photo_grade import grade_photo
from calibration.disc import DiscSpec
from calibration.placed_disc import DiscState
from sample_images.clip_maker.make_still import make_two_stills
from scorer.photo.fused_score import FusedScore, fuse_scores, score_in_picture
from scorer.photo.place_labels import describe_place
from scorer.photo.score import Score, ScoreStatus, score_reading
from scorer.photo.score_overlay import draw_score
from vision.io.frame import Frame
from vision.read_photo import read_photo
from vision.reading import Reading
from webapp.formats.score import fused_score_json, score_json

DISCS = (disc(60.0, 20.0), disc(-160.0, -180.0), disc(0.0, 150.0, BLACK))
TWENTY = disc(0.0, 0.0, BLACK, DiscState.IN_HOLE)


def scored(reading: Reading, name: str = "above.jpg") -> Score:
    return score_reading(replace(frame(), name=name), reading)


def checked(fused: FusedScore) -> dict:
    """Its JSON, checked against the schema."""
    schema = json.loads((SCHEMAS / "fused_score.schema.json").read_text("utf-8"))
    told = json.loads(json.dumps(fused_score_json(fused)))
    jsonschema.validate(told, schema)
    return told


def test_two_cameras_that_agree_leave_nothing_to_ask() -> None:
    fused = fuse_scores(scored(from_above(*DISCS)), scored(from_beside(*DISCS), "beside.jpg"))
    assert not fused.score.needs_review
    told = checked(fused)
    assert [total["points"] for total in told["score"]["totals"]] == [20, 10]
    assert [reading["disc"] for reading in told["evidence"]] == [0, 1, 2]
    assert told["turns_deg"] == [0.0, 90.0]


def test_a_twenty_that_one_camera_alone_shows_is_counted_and_asked_about() -> None:
    fused = fuse_scores(
        scored(from_above(*DISCS)), scored(from_beside(*DISCS, TWENTY), "beside.jpg")
    )
    assert [total.twenties for total in fused.score.totals] == [0, 1]
    assert "Only beside.jpg shows the disc at the hole." in fused.score.concerns


def test_a_leaner_that_both_are_sure_of_and_see_otherwise_is_asked_about() -> None:
    leaner = replace(TWENTY, state=DiscState.LEANING)
    fused = fuse_scores(
        scored(from_above(*DISCS, TWENTY)), scored(from_beside(*DISCS, leaner), "beside.jpg")
    )
    words = "The disc at the hole is in the hole in above.jpg and leaning in beside.jpg."
    assert words in fused.score.concerns
    assert checked(fused)["evidence"][-1]["differences"] in ([], ["state"])


def test_a_disc_left_out_is_among_the_evidence_and_asked_about() -> None:
    more = (*DISCS, disc(200.0, 90.0))
    fused = fuse_scores(scored(from_above(*DISCS)), scored(from_beside(*more), "beside.jpg"))
    assert fused.score.needs_review
    assert checked(fused)["evidence"][-1]["disc"] is None


@pytest.mark.parametrize("bad", [0, 1])
def test_one_camera_without_a_board_leaves_the_other_and_says_so(bad) -> None:
    none = Reading(board=None, disc=DiscSpec(), reason="There is no board.")
    scores = [scored(from_above(*DISCS), "good.jpg"), scored(from_above(*DISCS), "good.jpg")]
    scores[bad] = scored(none, "bad.jpg")
    fused = fuse_scores(*scores)
    assert fused.score.image == "good.jpg"
    assert not fused.score.needs_review
    assert checked(fused)["note"] == "bad.jpg was left out: There is no board."


def test_boards_whose_turn_nobody_can_tell_are_not_fused() -> None:
    fused = fuse_scores(scored(from_above(DISCS[0])), scored(from_beside(*DISCS[1:]), "b.jpg"))
    assert fused.score.image == "b.jpg"
    assert fused.score.needs_review
    assert "too few discs appear in both" in checked(fused)["note"]


def test_both_pictures_are_drawn_with_the_same_calls() -> None:
    fused = fuse_scores(scored(from_above(*DISCS)), scored(from_beside(*DISCS), "beside.jpg"))
    shown = [score_in_picture(fused, camera) for camera in (0, 1)]
    assert [score.image for score in shown] == ["above.jpg", "beside.jpg"]
    for one, other in zip(shown[0].discs, shown[1].discs, strict=True):
        assert one.call == other.call
        assert math.dist(one.disc.centre_mm, other.disc.centre_mm) > 50.0
        assert np.linalg.norm(one.disc.centre_mm) == pytest.approx(
            float(np.linalg.norm(other.disc.centre_mm))
        )
    for score in shown:
        assert draw_score(score) is not None


def test_each_picture_tells_by_its_own_clock_what_is_unexplained() -> None:
    more = (*DISCS, disc(200.0, 90.0))
    fused = fuse_scores(scored(from_above(*DISCS)), scored(from_beside(*more), "beside.jpg"))
    shown = [score_in_picture(fused, camera) for camera in (0, 1)]
    for score in shown:
        assert score.reading is not None
        assert score.reading.board is not None
        (left_out,) = score.reading.unexplained
        place = describe_place(left_out.centre_mm, score.reading.board)
        assert any(place in words for words in score.concerns)
    assert shown[0].concerns != shown[1].concerns


def test_a_drawn_board_is_scored_from_two_cameras() -> None:
    stills = make_two_stills(7002, (23.0, 68.0), 82.0, size=(720, 405))
    scores = []
    for still, name in zip(stills, ("above", "beside"), strict=True):
        height, width = still.image.shape[:2]
        taken = Frame(name=name, image=still.image, scale=1.0, width_px=width, height_px=height)
        scores.append(score_reading(taken, read_photo(taken)))
    fused = fuse_scores(*scores)
    assert fused.score.status is ScoreStatus.SCORED
    grade = grade_photo("both", stills[0].truth, score_json(fused.score))
    assert (grade.missed, grade.extra, grade.certain_wrong, grade.team_wrong) == (0, 0, 0, 0)
    assert fused.fusion is not None
    assert math.degrees(fused.fusion.turns_rad[1]) % 360 == pytest.approx(90.0, abs=1.0)


def test_white_is_the_first_team_of_the_score() -> None:
    fused = fuse_scores(scored(from_above(*DISCS)), scored(from_beside(*DISCS, teams=(1, 0))))
    assert [total.team for total in fused.score.totals] == [WHITE.number, BLACK.number]
