"""A film that is shorter than stated reports where it breaks off, in any container."""

from __future__ import annotations

import re
import struct
import threading
from fractions import Fraction
from pathlib import Path

import av
import numpy as np
import pytest

from vision.io.sources import open_source
from vision.io.timed_frame import BrokenOffError
from webapp.cli.main import main

FPS, FRAMES, RATE = 30, 60, 48000
#: Codec of pictures, options of the writer and codec of sound, by file name. These files state
#: their duration ...
STATING = {
    "front.mp4": ("mpeg4", {"movflags": "faststart"}, "aac"),
    "front.mov": ("mpeg4", {"movflags": "faststart"}, "aac"),
    "a.mkv": ("mpeg4", {}, "aac"),
    "a.webm": ("libvpx", {}, "libopus"),
    "a.avi": ("mpeg4", {}, "mp2"),
    "a.flv": ("flv1", {}, "aac"),
    "a.wmv": ("wmv2", {}, ""),
}
#: ... and these do not.
OTHERS = {
    "fragments.mp4": ("mpeg4", {"movflags": "frag_keyframe+empty_moov"}, "aac"),
    "a.ts": ("mpeg2video", {}, "aac"),
    "a.mpg": ("mpeg2video", {}, "mp2"),
    "a.m4v": ("mpeg4", {}, ""),
}
KINDS = STATING | OTHERS
#: Whole films that seem cut: their sound is longer, or their last frame is shown for long.
LONG_S = 5.0


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("films")


def make_film(
    folder: Path, name: str, *, sound_s: float = 0.0, last_s: float = 0.0, levels: int = 255
) -> Path:
    """Two seconds of grain, with sound, or with uneven times and a last frame of a given
    duration.
    """
    path = folder / f"{sound_s:g}_{last_s:g}_{levels}_{name}"
    if path.exists():
        return path
    codec, options, sound_codec = KINDS[name]
    kind = {"m4v": "m4v", "wmv": "asf"}.get(path.suffix[1:])
    rng = np.random.default_rng(3)
    tick_s = Fraction(1, 1000) if last_s else Fraction(1, FPS)
    times = np.cumsum(rng.choice([33, 34, 67], FRAMES)) if last_s else np.arange(FRAMES)
    with av.open(str(path), "w", format=kind, options=options) as container:
        fast = (
            {"deadline": "realtime", "cpu-used": "16", "lag-in-frames": "0"}
            if codec == "libvpx"
            else {}
        )
        video = container.add_stream(codec, rate=FPS, options={"g": "15", **fast})
        video.width, video.height, video.pix_fmt = 96, 72, "yuv420p"
        video.bit_rate, video.codec_context.time_base = 200_000, tick_s
        sound = container.add_stream(sound_codec, rate=RATE) if sound_s else None
        if sound is not None:
            sound.bit_rate = 64_000
        packets = []
        for index, time in enumerate(times):
            grain = rng.integers(0, levels, (72, 96, 3), dtype=np.uint8)
            frame = av.VideoFrame.from_ndarray(grain, "rgb24")
            frame.pts, frame.time_base = int(time), tick_s
            frame.duration = round(1000 * last_s) if last_s and index == FRAMES - 1 else 0
            packets += video.encode(frame)
        packets += video.encode()
        packets += encode_sound(sound, sound_s) if sound is not None else []
        for packet in sorted(packets, key=lambda item: item.dts * item.time_base):
            container.mux(packet)
    return path


def encode_sound(stream, length_s: float) -> list[av.Packet]:
    size = stream.codec_context.frame_size or 1024
    packets = []
    for index in range(round(length_s * RATE / size)):
        frame = av.AudioFrame.from_ndarray(np.zeros((1, 2 * size), np.int16), "s16", "stereo")
        frame.sample_rate, frame.pts, frame.time_base = RATE, index * size, Fraction(1, RATE)
        packets += stream.encode(frame)
    return packets + stream.encode()


def cut(path: Path, share: float, folder: Path) -> Path:
    """The first part of a file."""
    part, data = folder / f"cut{path.suffix}", path.read_bytes()
    part.write_bytes(data[: round(share * len(data))])
    return part


def play(path: Path) -> tuple[int, str]:
    """The number of a film's frames, and the time at which it reports to break off; "" if it does
    not.
    """
    frames, trouble = list[float](), list[str]()
    try:
        shown = open_source(str(path)).frames(threading.Event(), trouble.append)
        frames.extend(frame.t_s for frame in shown)
    except BrokenOffError as error:
        return len(frames), str(error)
    assert trouble == []
    return len(frames), ""


@pytest.mark.parametrize("share", [0.4, 0.6, 0.8])
@pytest.mark.parametrize("sound_s", [0.0, 3.0], ids=["silent", "sound"])
@pytest.mark.parametrize("name", STATING)
def test_a_film_that_breaks_off_reports_its_end(folder, tmp_path, name, sound_s, share) -> None:
    if sound_s and not KINDS[name][2]:
        pytest.skip("it holds pictures alone")
    part = cut(make_film(folder, name, sound_s=sound_s), share, tmp_path)
    count, words = play(part)
    assert 5 < count < FRAMES
    found = re.fullmatch(r"(.*) ends early at (\d\.\d)( of [23]\.\d)? s\. .*", words)
    assert found is not None
    assert found[1] == str(part)
    assert float(found[2]) == pytest.approx(count / FPS, abs=0.06)
    assert found[3] is not None or name == "a.wmv"  # FFmpeg reads no duration of a cut file


@pytest.mark.parametrize("sound_s", [0.0, 1.0, 3.0], ids=["silent", "short", "long"])
@pytest.mark.parametrize("name", KINDS)
def test_a_whole_film_does_not_break_off(folder, name, sound_s) -> None:
    if sound_s and not KINDS[name][2]:
        pytest.skip("it holds pictures alone")
    count, words = play(make_film(folder, name, sound_s=sound_s))
    assert (count, words) == (FRAMES, "")


@pytest.mark.parametrize("name", ["front.mp4", "front.mov", "a.mkv", "a.webm"])
def test_uneven_times_and_a_long_last_frame_are_no_break(folder, tmp_path, name) -> None:
    whole = make_film(folder, name, last_s=LONG_S)
    assert play(whole) == (FRAMES, "")
    assert "ends early at" in play(cut(whole, 0.5, tmp_path))[1]


@pytest.mark.parametrize("name", OTHERS)
def test_a_film_that_states_no_length_ends_where_it_ends(folder, tmp_path, name) -> None:
    count, words = play(cut(make_film(folder, name), 0.5, tmp_path))
    assert 5 < count < FRAMES
    assert words == ""


def test_a_film_without_its_last_bytes_that_holds_all_pictures_is_no_break(folder, tmp_path):
    whole = make_film(folder, "a.mkv")
    part = tmp_path / "a.mkv"
    part.write_bytes(whole.read_bytes()[:-30])  # of the index at its end
    assert play(part) == (FRAMES, "")


@pytest.mark.parametrize("from_s", [0.0, 1.0], ids=["end", "both ends"])
def test_a_film_that_a_phone_trimmed_is_no_break(folder, tmp_path, from_s) -> None:
    """Trimming leaves all frames in the file, with an edit list of the frames to be shown."""
    data = bytearray(make_film(folder, "front.mp4").read_bytes())
    at = data.index(b"elst") + 12
    _, begin, rate = struct.unpack(">IiI", data[at : at + 12])
    ticks_s = struct.unpack(">I", data[data.index(b"mdhd") + 16 :][:4])[0]
    data[at : at + 12] = struct.pack(">IiI", 1000, begin + round(from_s * ticks_s), rate)
    path = tmp_path / "trimmed.mp4"
    path.write_bytes(data)
    count, words = play(path)
    assert count == pytest.approx(FPS, abs=1)
    assert words == ""


def test_a_file_that_was_never_filled_to_its_length_breaks_off(folder, tmp_path) -> None:
    data = make_film(folder, "a.mkv").read_bytes()
    path, half = tmp_path / "a.mkv", len(data) // 2
    path.write_bytes(data[:half] + bytes(len(data) - half))
    assert "of 2.0 s" in play(path)[1]


@pytest.mark.parametrize(
    ("command", "name"), [("watch", "a.mkv"), ("watch", "front.mp4"), ("review", "a.mkv")]
)
def test_commands_say_where_a_film_breaks_off_and_fail(
    folder, tmp_path, capsys, monkeypatch, command, name
) -> None:
    monkeypatch.chdir(tmp_path)
    # Faint grain without lines that look like a board's, so that no search takes long.
    part = cut(make_film(folder, name, levels=4), 0.5, tmp_path)
    assert main([command, str(part)]) == 1
    said = capsys.readouterr()
    assert re.search(rf"crokinole: {re.escape(str(part))} ends early at \d\.\d of 2\.0 s", said.err)
    if command == "watch":
        assert "ends early at" in said.out  # the event with the reason for the end
