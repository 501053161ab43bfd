"""Estimates the work of decoding a JPEG from its markers, before decoding.

Every scan of a progressive JPEG covers the whole picture, and a few bytes can declare thousands of
scans. Fill bytes and tiny segments cost a Python reader time as well. The markers (ITU-T T.81,
annex B) are found in one pass over the bytes.
"""

from __future__ import annotations

import re

from calibration.phrase import Phrase

#: Pixels that a decoder processes in all scans together: 120 megapixels in 20 scans. Cameras and
#: editors stay below this (a progressive JPEG usually has 10 scans). It takes 1.6 s (62 megapixels,
#: 40 scans).
MAX_SCANNED_PIXELS = 2_500_000_000
#: Segments, and bytes between segments: a camera's file has some dozens of segments and at most a
#: few bytes between them.
_MAX_SEGMENTS, _MAX_FILL_BYTES = 2_000, 65_536

_MARKER = re.compile(rb"\xff([^\x00\xff\xd0-\xd7])", re.DOTALL)
_END_OF_IMAGE, _START_OF_SCAN = 0xD9, 0xDA
#: Markers without a length field.
_ALONE = (0x01, 0xD8)
#: Frame markers (SOF), without the three markers of other kinds (DHT, JPG, DAC) in the same range
#: of numbers.
_FRAMES = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}


class DecodingWorkError(ValueError):
    """A JPEG that needs too much work to decode; the text is one sentence with the remedy."""


def check_decoding_work(data: bytes) -> None:
    """Raise ``DecodingWorkError`` for a JPEG that needs more work than any photo."""
    at, pixels, scans, segments, fill_bytes = 2, 0, 0, 0, 0
    while found := _MARKER.search(data, at):
        marker, begins = found[1][0], found.end()
        segments += 1
        if not scans:  # otherwise these bytes belong to a scan
            fill_bytes += found.start() - at
        if segments > _MAX_SEGMENTS or fill_bytes > _MAX_FILL_BYTES:
            raise DecodingWorkError(
                Phrase("The file contains far more data than a photo needs. Save it again.")
            )
        if marker == _END_OF_IMAGE:
            return
        if marker in _ALONE:
            at = begins
            continue
        if marker in _FRAMES:
            height, width = (
                int.from_bytes(data[begins + k : begins + k + 2], "big") for k in (3, 5)
            )
            pixels = max(pixels, height * width)
        scans += marker == _START_OF_SCAN
        if scans > 1 and scans * pixels > MAX_SCANNED_PIXELS:
            raise DecodingWorkError(
                Phrase("This JPEG is stored in an unusual way. Save it again as a standard JPEG.")
            )
        at = begins + int.from_bytes(data[begins : begins + 2], "big")
    if not scans and len(data) - at > _MAX_FILL_BYTES:
        raise DecodingWorkError(
            Phrase("The file contains far more data than a photo needs. Save it again.")
        )
