"""A hand-held film of one shot is reviewed from beginning to end, and reported on the command
line.
"""

from __future__ import annotations

import json
import shutil
import threading
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import av
import cv2
import numpy as np
import pytest
from hand_held_film import FPS, move_board, sway_views
from jsonschema import validate
from paths import CLIPS, SCHEMAS

from calibration.camera import Camera
from calibration.pose import Pose, View
from scorer.referee.review import review_film as reviews
from scorer.referee.review.review_stage import ReviewStage
from scorer.rules.sets import RuleSet, rule_set
from vision.io.encode_video import VideoFormat, encode_video
from vision.io.sources import open_source
from webapp.cli.main import main
from webapp.jobs.review_job import FIRST_LOOK, review_upload

#: The third shot of the sample: a hit, from the board before it until all discs have stopped.
FROM_S, TO_S = 9.8, 12.7
#: The film's size, as a share of the sample's.
SCALE = 0.7
TRUTH = json.loads((CLIPS / "round.json").read_text(encoding="utf-8"))
HIT = TRUTH["shots"][2]


def fixed_view() -> View:
    camera, matrix = TRUTH["camera"], np.array(TRUTH["camera"]["K"])
    return View(
        camera=Camera(
            fx_px=matrix[0, 0],
            fy_px=matrix[1, 1],
            cx_px=matrix[0, 2],
            cy_px=matrix[1, 2],
            k1=camera["distortion"][0],
            k2=camera["distortion"][1],
        ),
        cam_from_board=Pose(rotation=np.array(camera["R"]), translation_mm=np.array(camera["t"])),
    )


def hand_held_frames() -> Iterator[np.ndarray]:
    """The sample's shot as a hand-held camera would have filmed it."""
    fixed = fixed_view().rescale(SCALE)
    views = iter(sway_views(fixed, round((TO_S - FROM_S) * FPS) + 2, 12.0, seed=8))
    for frame in open_source(str(CLIPS / "round.mp4")).frames(threading.Event(), print):
        if frame.t_s >= TO_S:
            break
        if frame.t_s >= FROM_S:
            small = cv2.resize(frame.image, None, fx=SCALE, fy=SCALE, interpolation=cv2.INTER_AREA)
            yield move_board(small, fixed, next(views))


@pytest.fixture(scope="module", autouse=True)
def _reviewed_once() -> Iterator[None]:
    """The same film is reviewed only once; later calls repeat the reported progress."""
    review, kept = reviews.review_film, {}

    def review_once(path: str, rules: RuleSet, profile: Any, *listeners: Any) -> Any:
        if not Path(path).is_file():
            return review(path, rules, profile, *listeners)
        key = (Path(path).read_bytes(), rules.name, profile)
        if key in kept:
            reports, found = kept[key]
            for which, report in reports:
                if which < len(listeners):
                    listeners[which](report)
            return found
        reports = []

        def pass_on(which: int, report: Any) -> None:
            reports.append((which, report))
            if which < len(listeners):
                listeners[which](report)

        found = review(path, rules, profile, partial(pass_on, 0), partial(pass_on, 1))
        kept[key] = reports, found
        return found

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(reviews, "review_film", review_once)
        yield


@pytest.fixture(scope="module")
def film(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("film") / "hit.mp4"
    width, height = (round(SCALE * length) for length in TRUTH["size"])
    size = (width, height)
    encode_video(hand_held_frames(), path, VideoFormat(size=size, stored=size, fps=FPS, quality=22))
    return path


def test_a_hand_held_hit_is_judged_legal_at_the_moment_of_its_touch(
    film: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    slow = tmp_path / "slow.mp4"
    assert main(["review", str(film), "--json", "--video", str(slow)]) == 0
    review = json.loads(capsys.readouterr().out)
    validate(review, json.loads((SCHEMAS / "review.schema.json").read_text(encoding="utf-8")))
    assert review["status"] == "reviewed"
    assert review["registration"]["registered_share"] > 0.95
    assert review["registration"]["camera_px_s"] > 30
    assert review["registration"]["sigma_mm"] < 0.3
    assert review["shot"]["verdict"] == "legal"
    # no other disc: the knot in the wood is as round and as large as one
    assert {row["id"] for row in review["shot"]["before"]} == {"black 1", "red 1"}
    touch = HIT["contacts"][0]["t"] - FROM_S
    assert review["nearest"]["kind"] == "touch"
    assert review["nearest"]["t_s"] == pytest.approx(touch, abs=0.035)
    assert_is_slow_film(slow)


class EnoughSeenError(Exception):
    """Raised when a test needs no more of a review."""


def test_whoever_waits_has_a_verdict_before_the_boards_are_read_again(
    film: Path, tmp_path: Path
) -> None:
    upload = tmp_path / "upload"
    shutil.copy(film, upload)
    has_looked: dict[str, bool] = {}

    def report(stage: str) -> None:
        has_looked[stage] = (tmp_path / FIRST_LOOK).is_file()
        if stage == ReviewStage.READ_BOARDS:
            raise EnoughSeenError

    with pytest.raises(EnoughSeenError):
        review_upload(report, upload, "hit.mp4", rule_set("nca"), None)
    assert list(has_looked) == list(ReviewStage)[:4]
    assert list(has_looked.values()) == [False, False, False, True]
    assert (tmp_path / FIRST_LOOK).read_text() == "legal"


def assert_is_slow_film(path: Path) -> None:
    """Assert that the video is H.264 at a quarter of 30 frames a second, with both pictures side by
    side.
    """
    with av.open(str(path)) as container:
        stream = container.streams.video[0]
        assert stream.codec_context.name == "h264"
        assert float(stream.average_rate or 0) == pytest.approx(FPS / 4, rel=0.01)
        assert stream.width > 1.5 * stream.height
        assert sum(1 for _ in container.decode(stream)) > 30


def test_a_name_that_is_no_mp4_is_refused_before_any_work(
    film: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["review", str(film), "--video", "slow.gif"]) == 2
    assert "must end in .mp4" in capsys.readouterr().err


def test_a_camera_is_no_film(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["review", "0", "--no-video"]) == 1
    assert "Record a film" in capsys.readouterr().err


def test_a_single_picture_is_no_film(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    picture = tmp_path / "board.jpg"
    cv2.imwrite(str(picture), np.full((96, 128, 3), 120, np.uint8))
    assert main(["review", str(picture), "--no-video"]) == 1
    assert "Score it as a photo" in capsys.readouterr().err


def test_a_film_without_a_board_is_exit_code_1_with_its_reason(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("first.png", "second.png"):
        cv2.imwrite(str(tmp_path / name), np.full((96, 128, 3), 120, np.uint8))
    assert main(["review", str(tmp_path), "--json", "--no-video"]) == 1
    told = capsys.readouterr()
    review = json.loads(told.out)
    assert review["status"] == "no_board"
    assert review["reason"] in told.err
