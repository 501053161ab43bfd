"""What a person or a program chose for the referee to watch, as a source.

Knows the kinds of sources that may be chosen from afar. Refuses any file of this machine but the
clips that came along: those are for whoever starts the server to name.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from scorer.match_events import MatchError
from webapp.clip_files import clips

#: Cameras that are offered by number; a machine that lends more is rare.
CAMERAS = 4
_SCHEMES = frozenset({"http", "https", "rtsp", "rtmp", "udp", "tcp"})
_ADDRESS_LETTERS = 2000

Told = Mapping[str, Any]


def source_from(told: Told) -> str | None:
    """The source that was chosen; None for frames that a phone sends. Raises ``MatchError``."""
    read = _KINDS.get(str(told.get("kind", "")))
    if read is None:
        raise MatchError("Choose what the referee is to watch.")
    return read(told)


def _camera(told: Told) -> str:
    number = str(told.get("camera", "0"))
    if not (number.isascii() and number.isdigit() and len(number) < 4):
        raise MatchError("A camera has a number, such as 0.")
    return number


def _clip(told: Told) -> str:
    clip = clips().get(str(told.get("clip", "")))
    if clip is None:
        raise MatchError("There is no such clip; choose one from the list.")
    return str(clip)


def _address(told: Told) -> str:
    address = str(told.get("url", "")).strip()
    scheme, separator, _ = address.partition("://")
    is_known = separator and scheme.lower() in _SCHEMES and address.isprintable()
    if not is_known or len(address) > _ADDRESS_LETTERS:
        raise MatchError("Give the camera's address, such as rtsp://192.168.1.20/live.")
    return address


def _phone(_told: Told) -> None:
    return None


_KINDS: dict[str, Callable[[Told], str | None]] = {
    "camera": _camera,
    "clip": _clip,
    "url": _address,
    "phone": _phone,
}
