"""A profile: measured sizes of one board, one set of discs and one camera, in a versioned file.

The file is JSON: ``{"version": 2, "board": {...}, "disc": {...} or null, "camera": {...} or null,
"origin": {...}, "speed": {...} or null, "empty_hole": {...}}``, with the field names of
``BoardSpec``, ``DiscSpec``, ``ProfileCamera``, ``Origin``, ``BoardSpeed`` and ``EmptyHole``. An
omitted field has its nominal size. Version 1 had no ``origin`` and can still be read. An unknown
``empty_hole`` is omitted, as it is in older files. A ``disc`` that is null or missing is unknown.
Older programs refuse such a profile rather than misread it, so the version need not change. Every
value is checked: if one is unknown, of the wrong type or impossible, ``ProfileError`` gives the
remedy in one sentence.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import Any, TypeVar

from calibration.board import BoardSpec, EmptyHole
from calibration.board_speed import BoardSpeed
from calibration.camera import Camera
from calibration.disc import DiscSpec
from calibration.json_text import format_json
from calibration.lens_prior import LensPrior
from calibration.parameters import StageParameters, parameter
from calibration.phrase import Phrase
from calibration.user_error import Trouble
from calibration.whole_file import write_whole_file

VERSION, _READABLE_VERSIONS = 2, (1, 2)
_ENTRIES = {"board", "disc", "camera", "origin", "speed", "empty_hole"}

#: Written by older versions when no disc had been measured.
_ONCE_UNMEASURED = {
    "radius_mm": 15.875,
    "radius_sigma_mm": 0.3,
    "height_mm": 9.5,
    "height_sigma_mm": 0.6,
    "contact_inset_mm": 0.45,
    "contact_inset_sigma_mm": 0.15,
}
#: Sigma of a size that a file gives without one, mm: about the reading error of a tape measure.
_STATED_SIGMAS_MM = {"radius": 0.3, "height": 0.6}


class ProfileParameters(StageParameters):
    """Parameters of ``profile``."""

    #: A radius with a larger sigma than this adds nothing to a picture that shows a disc.
    max_disc_sigma_mm: float = parameter(
        0.6,
        unit="mm",
        source="chosen: twice the sigma of a radius from a picture's sharp circles",
    )
    #: Pictures whose aspect ratios differ by more than this were taken with different camera
    #: settings.
    aspect_tolerance: float = parameter(
        0.005,
        unit="share",
        source="chosen: rounding a resized picture to whole pixels changes the ratio by less",
    )
    #: If the 15- or 5-line, relative to the 10-line, differs by more than this from the profile's,
    #: it is another board.
    same_board_tolerance: float = parameter(
        0.012,
        unit="share",
        source="chosen: four times the error of one picture's rings (0.3% in renders)",
    )
    refocus_sigma: float = parameter(
        0.005,
        unit="share",
        source="chosen: focusing changes focal length and distortion by about this much",
    )


PARAMS = ProfileParameters()

Spec = TypeVar("Spec", BoardSpec, DiscSpec, "ProfileCamera", "Origin", BoardSpeed, EmptyHole)


class ProfileError(Trouble):
    """A profile that cannot be used; the message is one sentence with the remedy."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ProfileCamera:
    """A camera's intrinsics, in pixels of an upright picture of the stated size.

    The sigmas are one standard deviation: of the focal length as a relative value, of ``k1``, and
    of the axis.
    """

    width_px: int
    height_px: int
    fx_px: float
    fy_px: float
    cx_px: float
    cy_px: float
    k1: float = 0.0
    k2: float = 0.0
    focal_log_sigma: float = 0.0
    k1_sigma: float = 0.0
    centre_sigma_px: float = 0.0

    def __post_init__(self) -> None:
        if min(self.width_px, self.height_px, self.fx_px, self.fy_px) <= 0:
            raise ValueError(Phrase("a camera's picture size and focal lengths must be positive"))
        if min(self.focal_log_sigma, self.k1_sigma, self.centre_sigma_px) < 0:
            raise ValueError(Phrase("a camera's uncertainties must not be negative"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Origin:
    """Where a profile comes from, for people.

    name         name of the profile
    made         ISO date and time; empty when unknown
    pictures     number of pictures it was measured in
    residual_mm  scatter of the rings about the fit, one standard deviation
    colours      of the discs that were measured
    """

    name: str = ""
    made: str = ""
    pictures: int = 0
    residual_mm: float = 0.0
    colours: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class CalibrationProfile:
    """Sizes and lens known before a picture is read.

    disc        None if no disc was measured
    empty_hole  None if the hole was not seen empty
    """

    board: BoardSpec
    disc: DiscSpec | None = None
    camera: ProfileCamera | None = None
    origin: Origin = Origin()
    speed: BoardSpeed | None = None
    empty_hole: EmptyHole | None = None

    @property
    def accurate_disc(self) -> DiscSpec | None:
        """The discs' sizes if they are known better than a picture can measure them; otherwise
        None.
        """
        if self.disc is None or self.disc.radius_sigma_mm > PARAMS.max_disc_sigma_mm:
            return None
        return self.disc

    def explain_size_mismatch(self, width_px: int, height_px: int) -> str | None:
        """Why the lens cannot be used for a picture of this size; None when it can."""
        known = self.camera
        if known is None or self.camera_for(width_px, height_px) is not None:
            return None
        return Phrase(
            "the lens data is for %(lens_width_px)s × %(lens_height_px)s pixels, not "
            "%(width_px)s × %(height_px)s, so it is not used. Calibrate at "
            "the resolution you are using",
            lens_width_px=known.width_px,
            lens_height_px=known.height_px,
            width_px=width_px,
            height_px=height_px,
        )

    def lens_for(self, width_px: int, height_px: int) -> LensPrior | None:
        """The lens for a picture of this size; None when it is not known."""
        camera = self.camera_for(width_px, height_px)
        if camera is None or self.camera is None:
            return None
        known, factor = self.camera, width_px / self.camera.width_px
        return LensPrior(
            focal_px=camera.fx_px,
            focal_log_sigma=math.hypot(known.focal_log_sigma, PARAMS.refocus_sigma),
            centre_px=(camera.cx_px, camera.cy_px),
            centre_sigma_px=math.hypot(
                known.centre_sigma_px * factor, PARAMS.refocus_sigma * camera.fx_px
            ),
            k1=camera.k1,
            k1_sigma=math.hypot(known.k1_sigma, PARAMS.refocus_sigma),
        )

    def camera_for(self, width_px: int, height_px: int) -> Camera | None:
        """The camera for a picture of this size; None if the profile's has a different shape."""
        known = self.camera
        if known is None:
            return None
        factor = width_px / known.width_px
        if abs(height_px / (known.height_px * factor) - 1) > PARAMS.aspect_tolerance:
            return None
        camera = Camera(
            fx_px=known.fx_px,
            fy_px=known.fy_px,
            cx_px=known.cx_px,
            cy_px=known.cy_px,
            k1=known.k1,
            k2=known.k2,
        )
        return camera.rescale(factor)


def find_ring_mismatch(known: BoardSpec, measured: BoardSpec) -> str | None:
    """The ring that differs from the known board's, as part of a sentence; None if all match.

    A picture measures only proportions, so both boards are scaled to the same 10-line.
    """
    for line, name in ((0, "15-line"), (2, "5-line")):
        expected = known.line_radii_mm[line] / known.line_radii_mm[1]
        found = measured.line_radii_mm[line] / measured.line_radii_mm[1]
        if abs(found / expected - 1) > PARAMS.same_board_tolerance:
            scale_mm = known.line_radii_mm[1]
            return Phrase(
                "its %(line)s has a radius of %(found).1f mm, not the "
                "%(expected).1f mm given in the profile",
                line=name,
                found=found * scale_mm,
                expected=expected * scale_mm,
            )
    return None


#: Larger than any size, count or variance in a profile.
_MAX_NUMBER = 1e15


def load_profile(path: Path) -> CalibrationProfile:
    """The profile in a file. Raises ``ProfileError`` if it cannot be used."""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, ValueError) as error:
        raise ProfileError(describe_read_error(path, error)) from error
    try:
        return parse_profile(text)
    except ProfileError as error:
        raise ProfileError(
            Phrase("The profile %(path)s cannot be used: %(error)s", path=path, error=error)
        ) from error


def describe_read_error(path: Path, error: OSError | ValueError) -> str:
    """The sentence, shared by all commands, that says why a text file cannot be read."""
    if isinstance(error, FileNotFoundError):
        return Phrase("%(path)s: File not found. Check the name.", path=path)
    if isinstance(error, IsADirectoryError):
        return Phrase("%(path)s: This is a folder. Choose a file in it.", path=path)
    if isinstance(error, OSError):
        return Phrase(
            "%(path)s: The file cannot be read (%(strerror)s). Check its permissions.",
            path=path,
            strerror=error.strerror,
        )
    return Phrase("%(path)s: This is not a text file. Choose a calibration profile.", path=path)


def save_profile(profile: CalibrationProfile, path: Path) -> None:
    """Write a profile; ``load_profile`` returns the same one."""
    write_whole_file(path, format_profile(profile).encode())


def format_profile(profile: CalibrationProfile) -> str:
    """The profile as the text of its file."""
    content = {"version": VERSION, **asdict(profile)}
    if profile.empty_hole is None:
        del content["empty_hole"]
    if profile.speed is not None and profile.speed.restitution_loss_s_m == 0:
        # Programs that do not know this loss can read the profile, too.
        for name in ("restitution_loss_s_m", "restitution_loss_sigma_s_m"):
            del content["speed"][name]
    return format_json(content, indent=2) + "\n"


def parse_profile(text: str) -> CalibrationProfile:
    """The profile that a file's text describes. Raises ``ProfileError``."""
    try:
        content = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ProfileError(Phrase("it is not JSON. Calibrate again to make a new one.")) from error
    if not isinstance(content, dict):
        raise ProfileError(
            Phrase("it must contain one JSON object. Calibrate again to make a new one.")
        )
    version = content.pop("version", None)
    if type(version) is not int or version not in _READABLE_VERSIONS:
        raise ProfileError(
            Phrase(
                "its version is %(version)s, but this program supports "
                "%(supported)s. Calibrate again, or update the program.",
                version=json.dumps(version),
                supported=VERSION,
            )
        )
    unknown = sorted(content.keys() - _ENTRIES)
    if unknown:
        raise ProfileError(
            Phrase(
                "it contains the unknown entry %(unknown)s. Check the spelling.",
                unknown=repr(unknown[0]),
            )
        )
    camera, speed, hole = (content.get(name) for name in ("camera", "speed", "empty_hole"))
    origin = _parse_part(Origin, content.get("origin", {}), "origin")
    return CalibrationProfile(
        board=_parse_part(BoardSpec, content.get("board", {}), "board"),
        disc=_disc(content.get("disc"), origin),
        camera=None if camera is None else _parse_part(ProfileCamera, camera, "camera"),
        origin=origin,
        speed=None if speed is None else _parse_part(BoardSpeed, speed, "speed"),
        empty_hole=None if hole is None else _parse_part(EmptyHole, hole, "empty_hole"),
    )


def _disc(content: object, origin: Origin) -> DiscSpec | None:
    """The discs' sizes; None if they were not measured."""
    if content is None or (content == _ONCE_UNMEASURED and not origin.colours):
        return None
    disc = _parse_part(DiscSpec, content, "disc")
    assert isinstance(content, Mapping)
    stated = {
        f"{size}_sigma_mm": sigma_mm
        for size, sigma_mm in _STATED_SIGMAS_MM.items()
        if f"{size}_mm" in content and f"{size}_sigma_mm" not in content
    }
    return replace(disc, **stated)


def _parse_part(kind: type[Spec], content: object, name: str) -> Spec:
    """One part of a profile, every value checked."""
    if not isinstance(content, Mapping):
        raise ProfileError(Phrase("its %(name)s must be a JSON object.", name=repr(name)))
    known = {field.name: str(field.type) for field in fields(kind)}
    unknown = sorted(content.keys() - known.keys())
    if unknown:
        raise ProfileError(
            Phrase(
                "its %(name)s has the unknown entry %(unknown)s.",
                name=repr(name),
                unknown=repr(unknown[0]),
            )
        )
    values = {
        key: _parse_value(value, known[key], f"{name}.{key}") for key, value in content.items()
    }
    try:
        return kind(**values)
    except (TypeError, ValueError) as error:
        raise ProfileError(
            Phrase("its %(name)s is wrong: %(error)s.", name=repr(name), error=error)
        ) from error


def _parse_value(value: object, kind: str, name: str) -> Any:
    """A JSON value as the type of the annotated field: text, a number, numbers or pairs."""
    if kind == "str":
        return _parse_text(value, name)
    if kind == "tuple[str, ...]":
        if not isinstance(value, list):
            raise ProfileError(
                Phrase("its %(name)s must be a list of text values.", name=repr(name))
            )
        return tuple(_parse_text(item, name) for item in value)
    if kind.startswith("tuple[tuple["):
        if not isinstance(value, list):
            raise ProfileError(
                Phrase("its %(name)s must be a list of pairs of numbers.", name=repr(name))
            )
        return tuple(_parse_value(item, "tuple[float, float]", name) for item in value)
    if kind.startswith("tuple["):
        count = kind.count("float")
        if not isinstance(value, list) or len(value) != count:
            raise ProfileError(
                Phrase(
                    "its %(name)s must be a list of %(count)s numbers.",
                    name=repr(name),
                    count=count,
                )
            )
        return tuple(_parse_number(item, name) for item in value)
    number = _parse_number(value, name)
    if kind != "int":
        return number
    if number != int(number):
        raise ProfileError(Phrase("its %(name)s must be a whole number.", name=repr(name)))
    return int(number)


def _parse_text(value: object, name: str) -> str:
    if not isinstance(value, str):
        raise ProfileError(
            Phrase(
                "its %(name)s must be text, not %(value)s.",
                name=repr(name),
                value=json.dumps(value),
            )
        )
    return value


def _parse_number(value: object, name: str) -> float:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if not is_number or not abs(value) <= _MAX_NUMBER:  # type: ignore[arg-type]
        raise ProfileError(
            Phrase(
                "its %(name)s must be a number, not %(value)s.",
                name=repr(name),
                value=json.dumps(value),
            )
        )
    return float(value)  # type: ignore[arg-type]
