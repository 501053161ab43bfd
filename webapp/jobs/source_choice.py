"""The referee's source as chosen by a person or a program.

Over the network, people can choose a camera's number, a network address, a phone's frames, or a
sample clip, but no other file of this computer. Only the person who starts the server can name
files.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from calibration.phrase import Phrase
from scorer.match.events import MatchError
from webapp.sample_clips import list_clips

#: Number of cameras offered by number; few computers have more.
CAMERAS = 4
_SCHEMES = frozenset({"http", "https", "rtsp", "rtmp", "udp", "tcp"})
_ADDRESS_LETTERS = 2000

SourceForm = Mapping[str, object]


def parse_source(form: SourceForm) -> str | None:
    """The chosen source; None for frames sent by a phone. Raises ``MatchError``."""
    read = _PARSERS.get(str(form.get("kind", "")))
    if read is None:
        raise MatchError(Phrase("Choose a camera or video for the referee."))
    return read(form)


def describe_source(source: str | None) -> dict[str, str]:
    """The text with which a source can be chosen again; empty if no form can choose it.

    An address that may contain a password must be typed again.
    """
    if source is None:
        return {"kind": "phone"}
    if source.isdigit() and int(source) < CAMERAS:
        return {"kind": "camera", "camera": source}
    if source.partition("://")[0].lower() in _SCHEMES:
        return {"kind": "url", "url": "" if "@" in source else source}
    named = (name for name, path in list_clips().items() if str(path) == source)
    return {"kind": "clip", "clip": name} if (name := next(named, None)) else {}


def parse_beside(form: SourceForm, source: str | None) -> str | None:
    """A second camera on the same board; None if none was chosen. Raises ``MatchError``."""
    kind = str(form.get("beside_kind", "") or "none")
    if kind == "none":
        return None
    if kind not in ("camera", "url"):
        raise MatchError(
            Phrase("The second camera must be connected to this server or the network.")
        )
    chosen = {name: form.get(f"beside_{name}", "") for name in ("kind", "camera", "url")}
    beside = parse_source(chosen)
    if beside == source:
        raise MatchError(Phrase("Choose a different second camera. This one is already the first."))
    if source is not None and not (source.isdigit() or "://" in source):
        raise MatchError(
            Phrase(
                "A second camera can be used with a live camera or phone, but not "
                "with a recorded video."
            )
        )
    return beside


def describe_beside(beside: str | None) -> dict[str, str]:
    """The text with which a second camera can be chosen again."""
    chosen = {"kind": "none"} if beside is None else describe_source(beside)
    return {f"beside_{name}": value for name, value in chosen.items()}


def _parse_camera(form: SourceForm) -> str:
    number = str(form.get("camera", "0"))
    if not (number.isascii() and number.isdigit() and len(number) < 4):
        raise MatchError(Phrase("Enter a camera number, such as 0."))
    return number


def _parse_clip(form: SourceForm) -> str:
    clip = list_clips().get(str(form.get("clip", "")))
    if clip is None:
        raise MatchError(Phrase("Video not found. Choose one from the list."))
    return str(clip)


def _parse_address(form: SourceForm) -> str:
    address = str(form.get("url", "")).strip()
    scheme, separator, _ = address.partition("://")
    is_known = separator and scheme.lower() in _SCHEMES and address.isprintable()
    if not is_known or len(address) > _ADDRESS_LETTERS:
        raise MatchError(Phrase("Enter the camera's address, such as rtsp://192.168.1.20/live."))
    return address


_PARSERS: dict[str, Callable[[SourceForm], str | None]] = {
    "camera": _parse_camera,
    "clip": _parse_clip,
    "url": _parse_address,
    "phone": lambda _form: None,  # the phone's frames are sent
}
