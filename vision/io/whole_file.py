"""Whether a film's file has all the bytes that its container states, judged by its top-level parts.

These are boxes (ISO/IEC 14496-12: MP4, MOV), elements (RFC 9559: Matroska, WebM), RIFF chunks (AVI)
or ASF objects (WMV); only their headers are read. An interrupted recording may state no sizes, and
fragments of MP4 follow each other without an end; then the answer is unknown.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from pathlib import Path
from typing import IO

_FIRST_BOXES = (b"ftyp", b"moov", b"mdat", b"free", b"skip", b"wide")
_EBML, _SEGMENT, _VOID = b"\x1a\x45\xdf\xa3", b"\x18\x53\x80\x67", b"\xec"
_ASF_HEADER = bytes.fromhex("3026b2758e66cf11a6d900aa0062ce6c")
#: A file that ends in so many zeros got its length before it was filled.
_ZEROS = bytes(4096)


def is_whole_file(path: Path) -> bool | None:
    """Whether a file has all of its bytes; None if its size is not stated. Raises ``OSError``."""
    length, end = path.stat().st_size, 0
    with path.open("rb") as file:
        measure = _choose_measure(file.read(16))
        if measure is None:
            return None
        while end < length:
            file.seek(end)
            size = measure(file)
            if size is None:
                return None
            end += size
        if end > length:
            return False
        file.seek(max(0, length - len(_ZEROS)))
        return None if file.read() == _ZEROS else True


def _choose_measure(start: bytes) -> Callable[[IO[bytes]], int | None] | None:
    """The reader of a part's size for this container; None for an unknown one."""
    if start[4:8] in _FIRST_BOXES:
        return _measure_box
    if start.startswith(_EBML):
        return _measure_element
    if start.startswith(b"RIFF"):
        return _measure_chunk
    return _measure_object if start == _ASF_HEADER else None


def _measure_box(file: IO[bytes]) -> int | None:
    size, kind = struct.unpack(">I4s", file.read(8).ljust(8, b"\0"))
    if size == 1:
        (size,) = struct.unpack(">Q", file.read(8).ljust(8, b"\0"))
    is_box = kind.isalnum() and kind != b"moof" and size >= 8
    return size if is_box else None


def _measure_element(file: IO[bytes]) -> int | None:
    head = file.read(12)
    name = next(
        (identifier for identifier in (_EBML, _SEGMENT, _VOID) if head.startswith(identifier)), None
    )
    if name is None or len(head) == len(name):
        return None
    first = head[len(name)]
    octets = 9 - first.bit_length()  # as many zeros stand before its first bit, and one more
    number = int.from_bytes(head[len(name) : len(name) + octets], "big")
    value = number - (1 << 7 * octets)
    is_known = octets <= 8 and value != (1 << 7 * octets) - 1
    return len(name) + octets + value if is_known else None


def _measure_chunk(file: IO[bytes]) -> int | None:
    name, size = struct.unpack("<4sI", file.read(8).ljust(8, b"\0"))
    is_known = name in (b"RIFF", b"JUNK") and 0 < size < 0xFFFFFFFF
    return 8 + size + size % 2 if is_known else None


def _measure_object(file: IO[bytes]) -> int | None:
    _, size = struct.unpack("<16sQ", file.read(24).ljust(24, b"\0"))
    return size if size > 24 else None
