"""Frames from folders, files and phones, and errors of sources that cannot be used."""

from __future__ import annotations

import os
import struct
import threading
import zlib

import cv2
import numpy as np
import pytest
from paths import CLIPS

from vision.io.sources import PushedFrames, SourceError, name_source, open_source
from webapp.cli.main import main


def all_frames(source, trouble=None):
    return list(source.frames(threading.Event(), (trouble if trouble is not None else []).append))


def frame_times(source) -> np.ndarray:
    """The times of a source's frames; no picture is kept after its turn."""
    return np.array([frame.t_s for frame in source.frames(threading.Event(), print)])


def grey(level: int, size=(48, 64)) -> np.ndarray:
    return np.full((*size, 3), level, np.uint8)


def test_a_folder_shows_its_pictures_in_the_order_of_their_names(tmp_path):
    for name, level in (("b.png", 20), ("a.png", 10), ("c.png", 30)):
        cv2.imwrite(str(tmp_path / name), grey(level))
    (tmp_path / "notes.txt").write_text("no picture")
    shown = all_frames(open_source(str(tmp_path)))
    assert [int(frame.image[0, 0, 0]) for frame in shown] == [10, 20, 30]
    assert [frame.t_s for frame in shown] == pytest.approx([0, 1 / 30, 2 / 30])


def test_a_broken_picture_of_a_folder_is_named_and_left_out(tmp_path):
    cv2.imwrite(str(tmp_path / "a.png"), grey(10))
    (tmp_path / "b.png").write_bytes(b"not a picture")
    trouble: list[str] = []
    assert len(all_frames(open_source(str(tmp_path)), trouble)) == 1
    assert "b.png" in trouble[0]


def test_a_video_shows_every_frame_at_its_own_time():
    times = frame_times(open_source(str(CLIPS / "round.mp4")))
    assert len(times) > 500
    assert times[0] == 0.0
    assert np.diff(times) == pytest.approx(np.full(len(times) - 1, 1 / 30), abs=2e-3)


def test_a_video_that_breaks_off_gives_its_frames(tmp_path):
    whole = (CLIPS / "round.mp4").read_bytes()
    broken = tmp_path / "broken.mp4"
    broken.write_bytes(whole[: len(whole) // 2])
    reason, times = "", np.array([])
    try:
        times = frame_times(open_source(str(broken)))
    except SourceError as error:  # the index may be in the missing half
        reason = str(error)
    assert len(times) or "broken.mp4" in reason


def test_a_source_that_is_none_is_named():
    with pytest.raises(SourceError, match="nowhere"):
        open_source("nowhere.mp4")


@pytest.mark.parametrize(
    "address",
    [
        "rtsp://admin:hunter2@127.0.0.1:9/live",
        "rtsp://127.0.0.1:9/user=admin&password=hunter2&channel=1",
        "http://127.0.0.1:9?password=hunter2",
    ],
)
def test_a_camera_s_password_is_not_in_its_name(address):
    assert open_source(address).name == address[:4] + "://127.0.0.1:9"


@pytest.mark.parametrize(
    ("source", "name"),
    [
        ("rtsp://cam.club:554/stream@1", "network camera"),
        ("rtsp://admin:12/34@cam.club/live", "network camera"),  # FFmpeg reads no such address
        ("rtsp://admin:a#b@cam.club/live", "network camera"),
        ("rtsp://admin:%40x@Cam.club/live", "rtsp://cam.club"),
        ("http://[fe80", "network camera"),
        ("/tmp/films/board-1/evening.mp4", "evening.mp4"),
        ("2", "2"),
    ],
)
def test_a_source_shows_no_password_and_no_folder(source, name):
    assert name_source(source) == name


def test_a_camera_that_is_not_there_is_named(capfd):
    assert main(["watch", "97"]) == 1
    (said,) = capfd.readouterr().err.splitlines()
    assert "camera 97 cannot be opened" in said


def test_a_file_that_is_no_video_is_named(tmp_path, capsys):
    path = tmp_path / "letter.mp4"
    path.write_text("Dear referee,")
    assert main(["watch", str(path)]) == 1
    assert "letter.mp4 cannot be opened as a video" in capsys.readouterr().err


def test_pushed_frames_come_out_decoded_as_far_apart_as_their_sender_says():
    phone = PushedFrames()
    levels = [10, 20, 30, 40]
    sender = threading.Thread(target=lambda: push_all(phone, levels))
    sender.start()
    frames = all_frames(phone)
    sender.join()
    assert [int(frame.image[0, 0, 0]) for frame in frames] == levels
    assert np.diff([frame.t_s for frame in frames]) == pytest.approx([0.1, 0.1, 0.1], abs=1e-6)


def push_all(phone: PushedFrames, levels: list[int]) -> None:
    """Send grey pictures faster than their capture times state."""
    for level in levels:
        phone.push(cv2.imencode(".jpg", grey(level, (120, 160)))[1].tobytes(), 1.7e9 + level / 100)
    phone.close()


def test_a_pushed_frame_that_is_too_large_is_refused():
    with pytest.raises(SourceError, match="8 MB"):
        PushedFrames().push(bytes(9_000_000))


def test_a_picture_that_vanished_is_named_and_left_out(tmp_path):
    for name in ("a.png", "b.png", "e.png"):
        cv2.imwrite(str(tmp_path / name), grey(10))
    (tmp_path / "c.png").symlink_to(tmp_path / "nowhere.png")
    (tmp_path / "d.png").write_bytes(b"")
    os.mkfifo(tmp_path / "f.png")  # from which nothing ever arrives
    source = open_source(str(tmp_path))
    (tmp_path / "b.png").unlink()
    trouble: list[str] = []
    assert len(all_frames(source, trouble)) == 2
    assert [problem.split()[0] for problem in trouble] == ["b.png", "c.png", "d.png"]


def test_a_picture_that_claims_to_be_huge_is_left_out(tmp_path):
    header = bytearray(cv2.imencode(".png", grey(10))[1].tobytes())
    header[16:24] = struct.pack(">II", 100_000, 100_000)
    header[29:33] = struct.pack(">I", zlib.crc32(header[12:29]))
    (tmp_path / "a.png").write_bytes(header)
    trouble: list[str] = []
    with pytest.raises(SourceError, match="No photos in the folder"):
        all_frames(open_source(str(tmp_path)), trouble)
    assert len(trouble) == 1
    phone = PushedFrames()
    phone.push(bytes(header))
    phone.push(b"")
    phone.close()
    assert all_frames(phone) == []
