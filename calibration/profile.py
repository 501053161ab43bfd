"""A profile: one board's, one set of discs' and one camera's measured sizes, in a versioned file.

Knows the file's format and what it must not say. Refuses to know how the sizes were measured.

The file is JSON: ``{"version": 1, "board": {...}, "disc": {...}, "camera": {...} or null}``, with
the field names of ``BoardSpec``, ``DiscSpec`` and ``ProfileCamera``. A field left out has its
nominal size.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any, TypeVar

from calibration.board import BoardSpec, DiscSpec
from calibration.camera import Camera

VERSION = 1

#: Pictures whose aspect differs by more than this are not of the same camera setting.
_ASPECT_TOLERANCE = 0.005

Spec = TypeVar("Spec", BoardSpec, DiscSpec, "ProfileCamera")


class ProfileError(Exception):
    """A profile that cannot be used; the message is one sentence that says what to do."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ProfileCamera:
    """A camera's intrinsics, in pixels of an upright picture of the stated size."""

    width_px: int
    height_px: int
    fx_px: float
    fy_px: float
    cx_px: float
    cy_px: float
    k1: float = 0.0
    k2: float = 0.0

    def __post_init__(self) -> None:
        if min(self.width_px, self.height_px, self.fx_px, self.fy_px) <= 0:
            raise ValueError("a camera's picture size and focal lengths must be positive")


@dataclass(frozen=True, slots=True, kw_only=True)
class Profile:
    """What is known before a picture is looked at."""

    board: BoardSpec
    disc: DiscSpec
    camera: ProfileCamera | None = None

    def camera_for(self, width_px: int, height_px: int) -> Camera | None:
        """The camera of a picture of this size, None when the profile's is of another shape."""
        known = self.camera
        if known is None:
            return None
        factor = width_px / known.width_px
        if abs(height_px / (known.height_px * factor) - 1) > _ASPECT_TOLERANCE:
            return None
        camera = Camera(
            fx_px=known.fx_px,
            fy_px=known.fy_px,
            cx_px=known.cx_px,
            cy_px=known.cy_px,
            k1=known.k1,
            k2=known.k2,
        )
        return camera.scaled(factor)


def load_profile(path: Path) -> Profile:
    """The profile in a file. Raises ``ProfileError`` when there is none that can be used."""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, ValueError) as error:
        cause = getattr(error, "strerror", None) or "it is not text"
        raise ProfileError(f"The profile {path} cannot be read ({cause}).") from error
    try:
        return parse_profile(text)
    except ProfileError as error:
        raise ProfileError(f"The profile {path} cannot be used: {error}") from error


def save_profile(profile: Profile, path: Path) -> None:
    """Write a profile; ``load_profile`` gives the same one back."""
    path.write_text(format_profile(profile), encoding="utf-8")


def format_profile(profile: Profile) -> str:
    """The profile as the text of its file."""
    return json.dumps({"version": VERSION, **asdict(profile)}, indent=2) + "\n"


def parse_profile(text: str) -> Profile:
    """The profile that a file's text describes. Raises ``ProfileError``."""
    try:
        content = json.loads(text)
    except ValueError as error:
        raise ProfileError("it is not JSON; calibrate again to make a new one.") from error
    if not isinstance(content, dict):
        raise ProfileError("it must hold one JSON object; calibrate again to make a new one.")
    version = content.pop("version", None)
    if version != VERSION:
        raise ProfileError(
            f"its version is {json.dumps(version)} and this program knows {VERSION}; "
            "calibrate again, or update the program."
        )
    unknown = sorted(content.keys() - {"board", "disc", "camera"})
    if unknown:
        raise ProfileError(f"it has the unknown entry {unknown[0]!r}; check the spelling.")
    camera = content.get("camera")
    return Profile(
        board=_spec(BoardSpec, content.get("board", {}), "board"),
        disc=_spec(DiscSpec, content.get("disc", {}), "disc"),
        camera=None if camera is None else _spec(ProfileCamera, camera, "camera"),
    )


def _spec(kind: type[Spec], content: object, name: str) -> Spec:
    """One part of a profile, every value checked."""
    if not isinstance(content, Mapping):
        raise ProfileError(f"its {name!r} must be a JSON object.")
    known = {field.name: str(field.type) for field in fields(kind)}
    unknown = sorted(content.keys() - known.keys())
    if unknown:
        raise ProfileError(f"its {name!r} has the unknown entry {unknown[0]!r}.")
    values = {key: _value(value, known[key], f"{name}.{key}") for key, value in content.items()}
    try:
        return kind(**values)
    except (TypeError, ValueError) as error:
        raise ProfileError(f"its {name!r} is wrong: {error}.") from error


def _value(value: object, kind: str, name: str) -> Any:
    """A JSON value as what the field of this annotation holds: a number, numbers or pairs."""
    if kind.startswith("tuple[tuple["):
        if not isinstance(value, list):
            raise ProfileError(f"its {name!r} must be a list of pairs of numbers.")
        return tuple(_value(item, "tuple[float, float]", name) for item in value)
    if kind.startswith("tuple["):
        count = kind.count("float")
        if not isinstance(value, list) or len(value) != count:
            raise ProfileError(f"its {name!r} must be a list of {count} numbers.")
        return tuple(_number(item, name) for item in value)
    number = _number(value, name)
    if kind != "int":
        return number
    if number != int(number):
        raise ProfileError(f"its {name!r} must be a whole number.")
    return int(number)


def _number(value: object, name: str) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise ProfileError(f"its {name!r} must be a number, not {json.dumps(value)}.")
    return float(value)
