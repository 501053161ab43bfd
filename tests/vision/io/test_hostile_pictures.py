"""Files that are no photos, or are broken: one sentence, and no unusual decoder."""

from __future__ import annotations

import io
import os
import subprocess
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from PIL import Image

from vision.io.frame import Frame, UnreadablePicture, decode_frame

EPS = b"""%!PS-Adobe-3.0 EPSF-3.0
%%BoundingBox: 0 0 400 400
%%EndComments
{} loop
%%EOF
"""
#: Formats written by phones and cameras.
KINDS = ("JPEG", "PNG", "WEBP", "AVIF", "TIFF", "BMP", "GIF", "HEIF")


def picture(kind: str, size: tuple[int, int] = (160, 120)) -> bytes:
    width, height = size
    x, y = np.meshgrid(np.linspace(0, 255, width), np.linspace(0, 255, height))
    file = io.BytesIO()
    if kind == "HEIF":
        import pillow_heif

        pillow_heif.register_heif_opener()
    Image.fromarray(np.stack([x, y, x], axis=-1).astype(np.uint8)).save(file, kind)
    return file.getvalue()


WHOLE = {kind: picture(kind) for kind in KINDS}


@pytest.fixture
def ghostscript(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A ``gs`` that leaves a file when it is started; returns the file's path."""
    mark = tmp_path / "was started"
    program = tmp_path / "gs"
    program.write_text(f"#!/bin/sh\ntouch '{mark}'\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    subprocess.run(["gs"], check=True)
    mark.unlink()
    return mark


def test_no_program_is_started_for_a_picture(
    ghostscript: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from PIL import EpsImagePlugin

    monkeypatch.setattr(EpsImagePlugin, "gs_binary", None)
    answer = decode_frame(EPS, "board.jpg")
    assert isinstance(answer, UnreadablePicture)
    assert "JPEG, PNG" in answer.reason
    assert not ghostscript.exists()


@pytest.mark.parametrize("kind", ["PPM", "TGA", "ICO", "PCX", "SGI", "DDS", "JPEG2000"])
def test_unusual_formats_are_not_decoded(kind: str) -> None:
    answer = decode_frame(picture(kind), "board.jpg")
    assert isinstance(answer, UnreadablePicture)


@pytest.mark.parametrize(
    "start",
    [b"\0\0\0\x18ftypmp42\0\0\0\0mp42isom", b"\x1a\x45\xdf\xa3\x01", b"RIFF\0\0\0\0AVI LIST"],
    ids=["MP4", "WebM", "AVI"],
)
def test_a_film_is_recognised(start: bytes) -> None:
    answer = decode_frame(start + bytes(200), "board.jpg")
    assert isinstance(answer, UnreadablePicture)
    assert "This is a video" in answer.reason


@pytest.mark.parametrize("kind", KINDS)
def test_formats_of_cameras_and_phones_are_decoded(kind: str) -> None:
    assert isinstance(decode_frame(WHOLE[kind], "board"), Frame)


@pytest.mark.parametrize("size", [(1_400_000, 80), (80, 1_400_000), (22_400, 80), (23_000, 700)])
def test_a_strip_is_refused_before_it_is_decoded(size: tuple[int, int]) -> None:
    file = io.BytesIO()
    Image.new("1", size).save(file, "PNG", compress_level=1)
    answer = decode_frame(file.getvalue(), "strip")
    assert isinstance(answer, UnreadablePicture)
    assert "strip" in answer.reason


def test_a_long_picture_of_a_board_is_no_strip() -> None:
    assert isinstance(decode_frame(picture("JPEG", (4000, 400)), "panorama"), Frame)


def test_a_damaged_avif_ends_no_batch() -> None:
    """Its decoder raises other errors than those of older formats."""
    chance = np.random.default_rng(1)
    for _ in range(300):
        content = bytearray(WHOLE["AVIF"])
        for place in chance.integers(0, len(content), 4):
            content[place] = chance.integers(256)
        assert isinstance(decode_frame(bytes(content), "damaged"), Frame | UnreadablePicture)


@settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(data=st.data(), kind=st.sampled_from(KINDS))
def test_a_damaged_picture_is_read_or_refused(data: st.DataObject, kind: str) -> None:
    content = bytearray(WHOLE[kind])
    for _ in range(data.draw(st.integers(1, 6))):
        content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
    cut = data.draw(st.integers(len(content) // 2, len(content)))
    answer = decode_frame(bytes(content[:cut]), "damaged")
    assert isinstance(answer, Frame | UnreadablePicture)
    if isinstance(answer, UnreadablePicture):
        assert answer.reason.endswith(".")
