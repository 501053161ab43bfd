"""Replays: MP4 that browsers play, with all pictures at their own times."""

from __future__ import annotations

from io import BytesIO
from typing import Any

import av
import numpy as np
import pytest
from jpeg_film import draw_film, read_level

from webapp.live.replay import encode_replay, extract_picture
from webapp.live.ring_buffer import JpegFrame

TIMES_S = (7.0, 7.09, 7.18, 7.213, 7.246, 7.279, 7.9)


def decode(replay: bytes | None) -> tuple[Any, list[Any]]:
    """The video stream and its frames."""
    assert replay is not None
    with av.open(BytesIO(replay), "r") as container:
        return container.streams.video[0], list(container.decode(video=0))


def test_each_picture_is_shown_at_its_own_time() -> None:
    _, frames = decode(encode_replay(draw_film(TIMES_S)))
    shown_s = [frame.time for frame in frames]
    assert shown_s == pytest.approx(np.array(TIMES_S) - TIMES_S[0], abs=1e-3)


def test_browsers_can_play_it_before_they_have_all_of_it() -> None:
    replay = encode_replay(draw_film(TIMES_S))
    stream, _ = decode(replay)
    assert (stream.codec_context.name, stream.codec_context.pix_fmt) == ("h264", "yuv420p")
    assert replay is not None
    assert replay.index(b"moov") < replay.index(b"mdat")


def test_players_can_jump_to_every_half_second() -> None:
    _, frames = decode(encode_replay(draw_film(np.arange(60) / 30)))
    keys = [index for index, frame in enumerate(frames) if frame.key_frame]
    assert max(np.diff([*keys, len(frames)])) <= 15


def test_a_picture_of_it_is_found_again_by_its_number() -> None:
    replay = encode_replay(draw_film(TIMES_S))
    assert replay is not None
    assert [read_level(extract_picture(replay, k)) for k in range(7)] == list(range(7))
    assert extract_picture(replay, 7) is None


@pytest.mark.parametrize("size", [(161, 91), (160, 91), (161, 90)])
def test_odd_sizes_lose_a_row_or_column(size: tuple[int, int]) -> None:
    _, frames = decode(encode_replay(draw_film(TIMES_S, size)))
    assert (frames[0].width, frames[0].height) == (160, 90)


def test_a_picture_of_another_size_or_none_keeps_the_others_at_their_times() -> None:
    film = list(draw_film(TIMES_S))
    film[2] = JpegFrame(t_s=TIMES_S[2], jpeg=b"no picture")
    film[4] = draw_film(TIMES_S, (320, 200))[4]
    replay = encode_replay(film)
    assert replay is not None
    assert [read_level(extract_picture(replay, k)) for k in range(7)] == [0, 1, 1, 3, 4, 5, 6]


def test_a_film_of_nothing_has_no_replay() -> None:
    assert encode_replay(()) is None
    assert encode_replay((JpegFrame(t_s=0.5, jpeg=b"no picture"),)) is None


def test_a_film_whose_times_run_back_is_none() -> None:
    with pytest.raises(ValueError, match="increase"):
        encode_replay(draw_film((0.5, 0.4)))
