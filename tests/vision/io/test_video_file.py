"""Recorded clips as video players show them: their times, shape and orientation, and damage."""

from __future__ import annotations

import threading
import time
from fractions import Fraction
from itertools import islice

import av
import cv2
import numpy as np
import pytest
from paths import CLIPS
from PIL import Image
from written_clip import draw_scene, write_clip

from vision.io.sources import SourceError, open_source
from vision.io.timed_frame import BrokenOffError, TimedFrame
from vision.io.video_file import POLL_S
from webapp.cli.main import main

#: Number of the EXIF tag for how a picture is turned.
_ORIENTATION = 0x0112


def all_frames(path, trouble=None):
    report = (trouble if trouble is not None else []).append
    return list(open_source(str(path)).frames(threading.Event(), report))


def times_of(path) -> list[float]:
    return [frame.t_s for frame in all_frames(path)]


def test_frames_are_shown_at_their_own_uneven_times(tmp_path):
    times_ms = [0, 40, 50, 130, 260, 270, 400]
    path = write_clip(tmp_path / "a.mp4", [draw_scene(k) for k in range(7)], times_ms=times_ms)
    assert times_of(path) == pytest.approx(np.array(times_ms) / 1000)


def test_times_count_from_the_first_frame(tmp_path):
    times_ms = [1000, 1033, 1067, 1100]
    path = write_clip(tmp_path / "a.mkv", [draw_scene(k) for k in range(4)], times_ms=times_ms)
    assert times_of(path) == pytest.approx([0, 0.033, 0.067, 0.1])


def test_frames_without_times_are_evenly_spaced(tmp_path):
    path = write_clip(tmp_path / "a.h264", [draw_scene(k) for k in range(6)], fps=20)
    assert np.diff(times_of(path)) == pytest.approx(np.full(5, 0.05), abs=1e-3)


@pytest.mark.parametrize(
    ("stored", "aspect", "shown"),
    [
        ((720, 576), Fraction(64, 45), (1024, 576)),
        ((720, 480), Fraction(8, 9), (640, 480)),
        ((640, 360), Fraction(1), (640, 360)),
    ],
    ids=["wide", "narrow", "square"],
)
def test_pixels_become_square(tmp_path, stored, aspect, shown):
    scene = draw_scene(0, size=shown)
    squeezed = cv2.resize(scene, stored, interpolation=cv2.INTER_AREA)
    path = write_clip(tmp_path / "a.mp4", [squeezed], pixel_aspect=aspect)
    (frame,) = all_frames(path)
    assert frame.image.shape == scene.shape
    assert np.abs(frame.image.astype(int) - scene).mean() < 5


@pytest.mark.parametrize("mirrored", [False, True], ids=["", "mirrored"])
@pytest.mark.parametrize("turns", range(4))
def test_a_phone_s_clip_is_shown_upright(tmp_path, turns, mirrored):
    upright = draw_scene(0)
    held = np.rot90(np.fliplr(upright) if mirrored else upright, turns)  # anticlockwise
    path = write_clip(tmp_path / "a.mp4", [held], rotation_deg=-90 * turns, is_mirrored=mirrored)
    (frame,) = all_frames(path)
    assert frame.picture.shape == frame.image.shape == upright.shape
    assert np.abs(frame.image.astype(int) - upright).mean() < 5
    np.testing.assert_array_equal(frame.picture.bgra[..., :3], frame.image)
    luma, *chroma = (plane.levels for plane in frame.picture.planes)
    np.testing.assert_array_equal(frame.picture.grey, luma)
    grey = 16 + 219 / 255 * cv2.cvtColor(upright, cv2.COLOR_BGR2GRAY)
    assert np.abs(luma - grey).mean() < 5
    assert [plane.shape for plane in chroma] == 2 * [tuple(size // 2 for size in luma.shape)]


@pytest.mark.parametrize(("orientation", "turns"), [(1, 0), (8, 3), (3, 2), (6, 1)])
def test_frames_with_exif_data_are_shown_upright(tmp_path, orientation, turns):
    upright, exif = draw_scene(0), Image.Exif()
    exif[_ORIENTATION] = orientation
    held = cv2.cvtColor(np.rot90(upright, turns), cv2.COLOR_BGR2RGB)
    Image.fromarray(held).save(tmp_path / "a.jpg", quality=95, exif=exif)
    trouble: list[str] = []
    (frame,) = all_frames(tmp_path / "a.jpg", trouble)
    assert np.abs(frame.image.astype(int) - upright).mean() < 5
    assert "only one frame" in trouble[0]


def test_an_anamorphic_clip_that_is_turned_is_widened_before(tmp_path):
    upright = draw_scene(0, size=(360, 640))
    held = cv2.resize(np.rot90(upright), (450, 360), interpolation=cv2.INTER_AREA)
    path = write_clip(tmp_path / "a.mp4", [held], rotation_deg=-90, pixel_aspect=Fraction(64, 45))
    (frame,) = all_frames(path)
    assert frame.image.shape == (640, 360, 3)
    assert np.abs(frame.image.astype(int) - upright).mean() < 5


def test_a_clip_of_one_frame_is_refused_with_a_remedy(tmp_path):
    trouble: list[str] = []
    path = write_clip(tmp_path / "one.mp4", [draw_scene(0)])
    assert len(all_frames(path, trouble)) == 1
    assert "one.mp4 has only one frame" in trouble[0]
    assert "crokinole score" in trouble[0]


def test_an_empty_file_is_named(tmp_path):
    path = tmp_path / "empty.mp4"
    path.touch()
    with pytest.raises(SourceError, match=r"empty\.mp4 is empty\. Copy it again"):
        open_source(str(path))


def test_a_recording_of_sound_alone_is_named(tmp_path):
    path = tmp_path / "sound.mp4"
    with av.open(str(path), "w") as container:
        stream = container.add_stream("aac", rate=44100)
        sound = av.AudioFrame.from_ndarray(np.zeros((1, 4096), np.float32), "fltp", "mono")
        sound.sample_rate = 44100
        container.mux(stream.encode(sound))
        container.mux(stream.encode())
    with pytest.raises(SourceError, match="has sound but no picture"):
        open_source(str(path))


def test_a_title_in_another_encoding_is_no_obstacle(tmp_path):
    path = write_clip(tmp_path / "a.mkv", [draw_scene(k) for k in range(3)])
    written = path.read_bytes()
    assert b"Lavf" in written
    path.write_bytes(written.replace(b"Lavf", b"La\xe9\xff"))
    assert len(all_frames(path)) == 3


def test_a_playlist_in_disguise_fetches_nothing(tmp_path):
    write_clip(tmp_path / "other.ts", [draw_scene(k) for k in range(3)])
    lines = ["#EXTM3U", "#EXT-X-TARGETDURATION:1", "#EXTINF:1,", "http://127.0.0.1:9/other.ts"]
    path = tmp_path / "playlist.mp4"
    path.write_text("\n".join([*lines, "#EXT-X-ENDLIST"]))
    with pytest.raises(SourceError, match="playlist"):
        all_frames(path)


@pytest.mark.parametrize(
    "lines",
    [
        ["#EXTM3U", "#EXT-X-TARGETDURATION:1", "#EXTINF:1,", "own.mp4", "#EXT-X-ENDLIST"],
        ["ffconcat version 1.0", "file own.mp4"],
    ],
    ids=["HLS", "concat"],
)
def test_a_playlist_in_disguise_opens_no_file_of_this_machine(tmp_path, lines):
    write_clip(tmp_path / "own.mp4", [draw_scene(k) for k in range(3)])
    path = tmp_path / "playlist.mp4"
    path.write_text("\n".join(lines))
    with pytest.raises(SourceError, match="cannot be opened as a video"):
        all_frames(path)


def test_frames_that_no_memory_holds_are_refused(tmp_path):
    path = write_clip(tmp_path / "huge.mp4", [np.zeros((5008, 8000, 3), np.uint8)])
    with pytest.raises(SourceError, match="8000 × 5008 pixels"):
        all_frames(path)


def test_an_absurd_pixel_aspect_is_ignored(tmp_path):
    path = write_clip(tmp_path / "a.mp4", [draw_scene(0)], pixel_aspect=Fraction(1, 250))
    assert all_frames(path)[0].image.shape == (240, 320, 3)


def test_a_truncated_clip_gives_its_frames_and_a_report(tmp_path, capfd):
    path = write_clip(tmp_path / "cut.mp4", [draw_scene(k) for k in range(60)], is_grainy=True)
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
    trouble: list[str] = []
    shown: list[TimedFrame] = []
    with pytest.raises(BrokenOffError) as broken:
        shown.extend(open_source(str(path)).frames(threading.Event(), trouble.append))
    assert 20 < len(shown) < 40
    assert trouble == []
    assert str(broken.value) == (
        f"{path} ends early at {len(shown) / 30:.1f} of 2.0 s. Everything before that was read."
    )
    assert capfd.readouterr().err == ""


def test_a_damaged_clip_goes_on_after_the_damage_with_a_report(tmp_path, capfd):
    path = write_clip(tmp_path / "hurt.mp4", [draw_scene(k) for k in range(60)], is_grainy=True)
    data = bytearray(path.read_bytes())
    damage = range(len(data) // 3, len(data) // 2)
    data[damage.start : damage.stop] = bytes(len(damage))
    path.write_bytes(data)
    trouble: list[str] = []
    shown = all_frames(path, trouble)
    assert shown[-1].t_s > 1.5
    assert 30 < len(shown) < 60
    assert len(trouble) == 1
    assert "hurt.mp4 is damaged" in trouble[0]
    assert capfd.readouterr().err == ""


def test_an_undecodable_clip_is_refused(tmp_path, capsys):
    path = write_clip(tmp_path / "hurt.mp4", [draw_scene(k) for k in range(3)])
    data = path.read_bytes()
    begin = data.index(b"mdat") + 4
    path.write_bytes(data[:begin] + bytes(len(data) - begin))
    assert main(["watch", str(path)]) == 1
    assert "contains no readable frames" in capsys.readouterr().err


def test_decoding_runs_a_few_frames_ahead_and_ends_with_its_reader(tmp_path):
    path = write_clip(tmp_path / "a.mp4", [draw_scene(k) for k in range(40)])
    frames = open_source(str(path)).frames(threading.Event(), lambda _: None)
    assert len(list(islice(frames, 3))) == 3
    decoders = [thread for thread in threading.enumerate() if thread.name == "decoder"]
    assert decoders
    frames.close()
    assert not any(decoder.is_alive() for decoder in decoders)


def test_decoding_threads_never_wait_for_python_to_log():
    clip = CLIPS / "round.mp4"
    for frames_taken in range(1, 31):
        frames = open_source(str(clip)).frames(threading.Event(), lambda _: None)
        assert len(list(islice(frames, frames_taken))) == frames_taken
        frames.close()
    assert av.logging.get_level() is None


def test_a_clip_that_is_stopped_ends_at_once(tmp_path):
    path = write_clip(tmp_path / "a.mp4", [draw_scene(k) for k in range(40)])
    stop, trouble = threading.Event(), []
    frames = open_source(str(path)).frames(stop, trouble.append)
    next(frames)
    stop.set()
    began_s = time.monotonic()
    assert len(list(frames)) <= 1
    assert time.monotonic() - began_s < 20 * POLL_S
    assert not trouble
