"""JPEGs that need more work than a photo are refused by their markers, before decoding."""

from __future__ import annotations

import io
import re
import time

import numpy as np
import pytest
from PIL import Image

from vision.io import jpeg_work
from vision.io.encoded_image import read_encoded_image
from vision.io.frame import Frame, UnreadablePicture, decode_frame, decode_whole
from vision.io.jpeg_work import DecodingWorkError, check_decoding_work

SCAN = re.compile(rb"\xff\xda")
START = b"\xff\xd8"


def picture(width: int = 400, height: int = 300, **settings: object) -> bytes:
    pixels = np.random.default_rng(1).integers(80, 180, (height, width, 3), dtype=np.uint8)
    written = io.BytesIO()
    Image.fromarray(pixels).save(written, "JPEG", quality=85, **settings)
    return written.getvalue()


def with_scans(count: int, *, size: int = 7900) -> bytes:
    """A progressive JPEG of a given width and height, whose last scan is repeated."""
    small = picture(64, 64, progressive=True)
    last = [match.start() for match in SCAN.finditer(small)][-1]
    scans = small[:last] + small[last:-2] * (count - 9) + b"\xff\xd9"
    frame = scans.index(b"\xff\xc2") + 5
    side = size.to_bytes(2, "big")
    return scans[:frame] + side + side + scans[frame + 4 :]


@pytest.mark.parametrize(
    "settings",
    [{}, {"progressive": True}, {"progressive": True, "optimize": True}, {"subsampling": 0}],
)
def test_a_photograph_is_read_in_every_storage_order(settings: dict[str, object]) -> None:
    assert isinstance(decode_frame(picture(**settings), "photo"), Frame)


@pytest.mark.parametrize(("scans", "size", "is_taken"), [(20, 10_900, True), (20, 11_300, False)])
def test_twenty_scans_of_a_phone_s_largest_picture_are_taken_and_no_more(
    scans: int, size: int, is_taken: bool
) -> None:
    data = with_scans(scans, size=size)
    if is_taken:
        check_decoding_work(data)
    else:
        with pytest.raises(DecodingWorkError, match="stored in an unusual way"):
            check_decoding_work(data)


def padded(fill: bytes) -> bytes:
    """A photo with bytes between its start and its first segment."""
    return START + fill + picture()[2:]


HOSTILE = {
    "2,000 scans of 62 megapixels": lambda: with_scans(2000),
    "5 MB of fill bytes": lambda: padded(b"\xff" * 5_000_000),
    "5 MB of fill bytes and no more": lambda: START + b"\xff" * 5_000_000,
    "5 MB of fill bytes and an end": lambda: START + b"\xff" * 5_000_000 + b"\xd9",
    "5 MB of other bytes": lambda: padded(b"\x55" * 5_000_000),
    "a million segments": lambda: padded(b"\xff\xfe\x00\x02" * 1_000_000),
    "markers alone": lambda: padded(b"\xff\x01" * 1_000_000),
}


@pytest.mark.parametrize("kind", HOSTILE)
def test_a_jpeg_with_more_work_than_a_photograph_is_refused_at_once(kind: str) -> None:
    data = HOSTILE[kind]()
    began_s = time.process_time()
    refused = decode_frame(data, "photo")
    assert isinstance(refused, UnreadablePicture)
    assert "Save" in refused.reason or "Use" in refused.reason
    assert decode_whole(data) is None
    assert read_encoded_image(data) is None
    assert time.process_time() - began_s < 2.0  # read byte by byte, it took 6 s and more


def test_data_after_the_first_picture_of_a_file_is_not_counted_as_work(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(jpeg_work, "MAX_SCANNED_PIXELS", 400 * 300)
    check_decoding_work(picture() + picture() + picture())
    thumbnail = picture(160, 120)
    held = START + b"\xff\xe1" + (len(thumbnail) + 2).to_bytes(2, "big") + thumbnail
    check_decoding_work(held + picture()[2:])
    with pytest.raises(DecodingWorkError):
        check_decoding_work(picture(progressive=True))
