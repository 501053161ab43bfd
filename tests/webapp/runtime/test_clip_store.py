"""Shots that are kept: over a restart, within their bound, and whole or not at all."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from webapp.photo.rectified_image import RectifiedBoardImage
from webapp.runtime.clip_store import ClipStore, ShotRecord
from webapp.runtime.ring_buffer import FrameRingBuffer, JpegFrame

PLAN = RectifiedBoardImage(
    jpeg=b"above", half_mm=355.0, foot_mm=15.4, lines=("1,2", "3,4"), hole=(0.0, 0.1, 17.5)
)


def shot(number: int, match: int | None = 1) -> ShotRecord:
    return ShotRecord(
        key=f"shot-{number}",
        match=match,
        round=1,
        number=number,
        at=f"2026-01-02T03:04:{number:02}.000+00:00",
        event={"type": "shot", "index": number - 1},
        times_s=(0.5, 0.6),
    )


def film(size: int = 10) -> tuple[JpegFrame, ...]:
    return (JpegFrame(t_s=0.5, jpeg=b"a" * size), JpegFrame(t_s=0.6, jpeg=b"b" * size))


def test_shot_is_there_at_once_and_after_a_restart(tmp_path: Path) -> None:
    for is_restarted in (False, True):
        shots = ClipStore(tmp_path / "shots")
        if not is_restarted:
            shots.lay("shot-3", PLAN)
            shots.keep(shot(3), film())
            shots.keep(shot(4, match=2), film())
        assert shots.get("shot-3") == shot(3)
        assert shots.picture("shot-3", 1) == b"b" * 10
        assert shots.plan("shot-3") == PLAN
        assert [each.key for each in shots.of_match(2)] == ["shot-4"]
        shots.close()


def test_what_is_not_kept_is_nothing(tmp_path: Path) -> None:
    shots = ClipStore(tmp_path)
    shots.keep(shot(1), film())
    assert shots.get("shot-2") is None
    assert shots.plan("shot-1") is None
    assert [shots.picture("shot-1", number) for number in (-1, 2, 999)] == [None] * 3
    assert shots.picture("../../etc/passwd", 0) is None
    shots.close()


def test_oldest_shots_go_when_there_are_too_many(tmp_path: Path) -> None:
    shots = ClipStore(tmp_path, most_bytes=50_000)
    for number in range(1, 6):
        shots.keep(shot(number), film(size=10_000))
        if number == 1:
            shots.close()
            next(tmp_path.glob("*.shot")).unlink()  # somebody took it away
            shots = ClipStore(tmp_path, most_bytes=50_000)
            shots.keep(shot(0), film(size=10_000))
    shots.close()
    again = ClipStore(tmp_path, most_bytes=50_000)
    assert [each.number for each in again.of_match(1)] == [5, 4]
    assert sum(path.stat().st_size for path in tmp_path.iterdir()) <= 50_000
    again.close()


def test_half_a_file_and_a_strange_one_are_no_shots(tmp_path: Path) -> None:
    (tmp_path / "20260102-x.part").write_bytes(b"half")
    (tmp_path / "20260102-y.shot").write_bytes(b"no such thing")
    shots = ClipStore(tmp_path)
    assert shots.of_match(1) == []
    assert [path.name for path in tmp_path.iterdir()] == ["20260102-y.shot"]
    shots.close()


def test_shot_that_cannot_be_written_is_let_go(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    shots = ClipStore(tmp_path / "file")
    shots.keep(shot(1), film())
    shots.close()
    assert shots.get("shot-1") is None


@pytest.mark.parametrize(("is_moving", "least", "most"), [(False, 9, 11), (True, 28, 31)])
def test_film_takes_every_picture_while_discs_move(is_moving: bool, least: int, most: int) -> None:
    film = FrameRingBuffer()
    film.is_moving = is_moving
    for frame in range(90):
        film.take(np.zeros((90, 160, 3), np.uint8), frame / 30)
    seen = film.shot(1.6, 1.4)
    assert least <= len([each for each in seen if each.t_s < 2.0]) <= most
    assert all(1.0 <= each.t_s <= 2.0 for each in seen)
