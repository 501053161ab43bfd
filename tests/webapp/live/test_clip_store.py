"""Stored shots: they survive a restart, stay within the limit, and are whole or not stored."""

from __future__ import annotations

import os
from pathlib import Path

import cv2
import numpy as np
import pytest
from jpeg_film import draw_film, read_level
from watch_events import RED, shot_event

from scorer.photo.rectified_image import RectifiedBoardImage
from scorer.referee.events import ShotEvent, from_json
from vision.io.encoded_image import read_encoded_image
from vision.io.timed_frame import CameraImage
from webapp.live.clip_store import ClipStore, ShotRecord
from webapp.live.ring_buffer import FrameRingBuffer

PLAN = RectifiedBoardImage(
    jpeg=b"above", half_mm=355.0, foot_mm=15.4, lines=("1,2", "3,4"), hole=(0.0, 0.1, 17.5)
)

#: Two shots of ``draw_film`` take less space than this, and three take more.
MOST_BYTES = 7_000


def shot_seen(number: int) -> ShotEvent:
    event = from_json(shot_event(number, RED))
    assert isinstance(event, ShotEvent)
    return event


def shot(number: int, match: int | None = 1) -> ShotRecord:
    return ShotRecord(
        key=f"shot-{number}",
        match=match,
        round=1,
        number=number,
        at=f"2026-01-02T03:04:{number:02}.000+00:00",
        event=shot_seen(number),
        times_s=(0.5, 0.6),
    )


def test_shot_is_there_at_once_and_after_a_restart(tmp_path: Path) -> None:
    for is_restarted in (False, True):
        shots = ClipStore(tmp_path / "shots")
        if not is_restarted:
            shots.keep_plan("shot-3", PLAN)
            shots.keep(shot(3), draw_film())
            shots.keep(shot(4, match=2), draw_film())
        assert shots.get("shot-3") == shot(3)
        assert read_level(shots.picture("shot-3", 1)) == 1
        assert b"ftyp" in (shots.replay("shot-3") or b"")[:12]
        assert shots.plan("shot-3") == PLAN
        assert [record.key for record in shots.of_match(2)] == ["shot-4"]
        shots.close()


def test_shots_that_a_worker_kept_are_listed_and_played_by_a_running_server(tmp_path: Path) -> None:
    server, worker = ClipStore(tmp_path), ClipStore(tmp_path)
    worker.keep(shot(1), draw_film())
    worker.close()
    (tmp_path / "20260102-y.part").write_bytes(b"another worker writes this")
    assert [record.key for record in server.of_match(1)] == ["shot-1"]
    assert read_level(server.picture("shot-1", 1)) == 1
    server.close()
    ClipStore(tmp_path).close()
    assert (tmp_path / "20260102-y.part").exists()


def test_what_is_not_kept_is_nothing(tmp_path: Path) -> None:
    shots = ClipStore(tmp_path)
    shots.keep(shot(1), draw_film())
    assert shots.get("shot-2") is None
    assert shots.plan("shot-1") is None
    assert [shots.picture("shot-1", number) for number in (-1, 2, 999)] == [None] * 3
    assert shots.picture("../../etc/passwd", 0) is None
    assert shots.replay("shot-2") is None
    shots.close()


def test_oldest_shots_go_when_there_are_too_many(tmp_path: Path) -> None:
    shots = ClipStore(tmp_path, most_bytes=MOST_BYTES)
    for number in range(1, 6):
        shots.keep(shot(number), draw_film())
        if number == 1:
            shots.close()
            next(tmp_path.glob("*.shot")).unlink()  # the file was removed
            shots = ClipStore(tmp_path, most_bytes=MOST_BYTES)
            shots.keep(shot(0), draw_film())
    shots.close()
    again = ClipStore(tmp_path, most_bytes=MOST_BYTES)
    assert [record.number for record in again.of_match(1)] == [5, 4]
    assert sum(path.stat().st_size for path in tmp_path.iterdir()) <= MOST_BYTES
    again.close()


def test_half_a_file_and_a_strange_one_are_no_shots(tmp_path: Path) -> None:
    (tmp_path / "20260102-x.part").write_bytes(b"half")
    os.utime(tmp_path / "20260102-x.part", (0, 0))
    (tmp_path / "20260102-y.shot").write_bytes(b"no such thing")
    shots = ClipStore(tmp_path)
    assert shots.of_match(1) == []
    assert [path.name for path in tmp_path.iterdir()] == ["20260102-y.shot"]
    shots.close()


def test_shot_that_cannot_be_written_is_let_go(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    shots = ClipStore(tmp_path / "file")
    shots.keep(shot(1), draw_film())
    shots.close()
    assert shots.get("shot-1") is None


@pytest.mark.parametrize(("is_moving", "least", "most"), [(False, 9, 11), (True, 28, 31)])
def test_film_takes_every_picture_while_discs_move(is_moving: bool, least: int, most: int) -> None:
    film = FrameRingBuffer()
    film.is_moving = is_moving
    for frame in range(90):
        film.take(CameraImage(np.zeros((90, 160, 3), np.uint8)), frame / 30)
    seen = film.shot(1.6, 1.4)
    assert least <= len([frame for frame in seen if frame.t_s < 2.0]) <= most
    assert all(1.0 <= frame.t_s <= 2.0 for frame in seen)


def test_a_phones_frames_are_kept_as_they_came() -> None:
    jpeg = cv2.imencode(".jpg", np.zeros((900, 1600, 3), np.uint8))[1].tobytes()
    picture, film = read_encoded_image(jpeg), FrameRingBuffer()
    assert picture is not None
    film.take(picture, 1.0)
    film.take(CameraImage(picture.bgr), 2.0)
    assert film.shot(1.0, 1.0)[0].jpeg == jpeg
    small = cv2.imdecode(np.frombuffer(film.shot(2.0, 2.0)[0].jpeg, np.uint8), cv2.IMREAD_COLOR)
    assert small is not None
    assert small.shape == (540, 960, 3)
