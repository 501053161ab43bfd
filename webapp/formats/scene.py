"""Scenes in files: JSON of people and programs to the physics' checked values.

Knows the format that ``schemas/scene.schema.json`` describes, and says in one sentence what is
wrong with a file: the field, and its value.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import fields, replace
from pathlib import Path
from typing import Any, TypeVar

from calibration.board import BoardSpec, DiscSpec
from calibration.profile import ProfileError, load_profile
from scorer.physics.inverse.observations import Spreads, derive_spreads
from scorer.physics.parameters import PhysicsSpec, apply_board_speed
from scorer.physics.scene import FlickSpec, PhysicsScene, SceneDisc, TableSpec
from webapp.formats.calibration_sentences import describe_nominal_discs

Spec = TypeVar("Spec", BoardSpec, DiscSpec, PhysicsSpec)


class SceneError(Exception):
    """A file that cannot be used; the message is one sentence."""


@contextmanager
def name_file_in_errors(path: Path) -> Iterator[None]:
    """Name the file in what is wrong with its content: any ``ValueError`` is a ``SceneError``."""
    try:
        yield
    except ValueError as error:
        raise SceneError(f"{path}: {error}.") from None


def read_object(path: Path) -> dict[str, Any]:
    """The JSON object in a file. Raises ``SceneError``."""
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise SceneError(f"{path}: it cannot be read ({error.strerror}).") from error
    except ValueError as error:
        raise SceneError(f"{path}: it is not JSON.") from error
    if not isinstance(content, dict):
        raise SceneError(f"{path}: it must hold one JSON object.")
    return content


def parse_scene(content: Mapping[str, Any], known: TableSpec | None = None) -> PhysicsScene:
    """The scene that a file describes. Raises ``ValueError``, naming field and value.

    known  what is known of the table; what the file says of it comes first
    """
    refuse_unknown(content, {"board", "disc", "physics", "discs", "shot"}, "scene")
    shot = content.get("shot")
    if not isinstance(shot, Mapping):
        raise ValueError("shot: the scene needs one, a JSON object")
    discs = parse_discs(content.get("discs", []), "discs")
    return PhysicsScene(
        table=parse_table(content, known), discs=discs, shot=_parse_shot(shot, discs)
    )


def parse_table(content: Mapping[str, Any], known: TableSpec | None = None) -> TableSpec:
    """Board, disc and physics of a file; what is left out is as known, or has its nominal value."""
    known = known or TableSpec()
    return TableSpec(
        board=_parse_spec(known.board, content.get("board", {}), "board"),
        disc=_parse_spec(known.disc, content.get("disc", {}), "disc"),
        physics=_parse_spec(known.physics, content.get("physics", {}), "physics"),
    )


def load_table(path: Path | None, warn: Callable[[str], None]) -> tuple[TableSpec, Spreads]:
    """The table that a profile describes, and what it leaves unknown. Raises ``SceneError``.

    Where the profile knows no disc, ``warn`` is told of the usual sizes that stand in.
    """
    if path is None:
        return TableSpec(), Spreads()
    try:
        profile = load_profile(path)
    except ProfileError as error:
        raise SceneError(str(error)) from error
    if profile.disc is None:
        warn(describe_nominal_discs(path))
    disc = profile.disc or DiscSpec()
    if profile.speed is None:
        return TableSpec(board=profile.board, disc=disc), Spreads()
    physics = apply_board_speed(PhysicsSpec(), profile.speed)
    table = TableSpec(board=profile.board, disc=disc, physics=physics)
    return table, derive_spreads(profile.speed)


def parse_discs(content: Any, name: str) -> tuple[SceneDisc, ...]:
    """A list of discs with their places."""
    if not isinstance(content, list):
        raise ValueError(f"{name} must be a list, not {json.dumps(content)}")
    return tuple(_parse_disc(each, f"{name}[{index}]") for index, each in enumerate(content))


def read_number(
    content: Mapping[str, Any], key: str, name: str, default: float | None = None
) -> float:
    """A finite number of an object, by its key."""
    value = content.get(key, default)
    if value is None:
        raise ValueError(f"{name}.{key} is missing")
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise ValueError(f"{name}.{key} must be a number, not {json.dumps(value)}")
    return float(value)


def read_id(content: Any, name: str) -> str:
    """A disc's id as text; ids may be numbers in files."""
    if not isinstance(content, Mapping):
        raise ValueError(f"{name} must be a JSON object, not {json.dumps(content)}")
    value = content.get("id")
    if isinstance(value, bool) or not isinstance(value, str | int):
        raise ValueError(f"{name}.id must be text or a whole number, not {json.dumps(value)}")
    return str(value)


def refuse_unknown(content: Mapping[str, Any], known: set[str], name: str) -> None:
    """Raise ``ValueError`` for the first key that nobody reads: mostly a slip of the pen."""
    unknown = sorted(content.keys() - known)
    if unknown:
        raise ValueError(f"{name}: the entry {unknown[0]!r} is unknown")


def _parse_disc(content: Any, name: str) -> SceneDisc:
    key = read_id(content, name)
    x, y = read_number(content, "x_mm", name), read_number(content, "y_mm", name)
    return SceneDisc(id=key, x_mm=x, y_mm=y)


def _parse_shot(content: Mapping[str, Any], discs: tuple[SceneDisc, ...]) -> FlickSpec:
    known = {"id", "x_mm", "y_mm", "speed_mm_s", "direction_deg", "spin_rad_s"}
    refuse_unknown(content, known, "shot")
    key = read_id(content, "shot")
    placed = {disc.id: disc for disc in discs}.get(key)
    if placed is None and not {"x_mm", "y_mm"} <= content.keys():
        raise ValueError(f"shot.id: the shooter {key!r} is none of the discs and has no place")
    return FlickSpec(
        id=key,
        x_mm=read_number(content, "x_mm", "shot", placed.x_mm if placed else None),
        y_mm=read_number(content, "y_mm", "shot", placed.y_mm if placed else None),
        speed_mm_s=read_number(content, "speed_mm_s", "shot"),
        direction_deg=read_number(content, "direction_deg", "shot"),
        spin_rad_s=read_number(content, "spin_rad_s", "shot", 0.0),
    )


def _parse_spec(known: Spec, content: Any, name: str) -> Spec:
    """One part of the table with what the file says of it, every value checked."""
    if not isinstance(content, Mapping):
        raise ValueError(f"{name} must be a JSON object, not {json.dumps(content)}")
    parts = {field.name: str(field.type) for field in fields(known)}
    refuse_unknown(content, set(parts), name)
    values = {key: _parse_value(content, key, name, parts[key]) for key in content}
    for key, value in values.items():
        if key.endswith("_mm") and isinstance(value, float) and value < 0:
            raise ValueError(f"{name}.{key} must not be negative, not {value:g}")
    try:
        return replace(known, **values)
    except (TypeError, ValueError) as error:
        raise ValueError(f"{name}: {error}") from error


def _parse_value(content: Mapping[str, Any], key: str, name: str, kind: str) -> Any:
    """A JSON value as what a field of this annotation holds."""
    if kind.startswith("tuple"):
        return _parse_tuple(content[key], f"{name}.{key}")
    value = read_number(content, key, name)
    if kind != "int":
        return value
    if value != int(value) or not 0 <= value <= 64:
        raise ValueError(f"{name}.{key} must be a whole number up to 64, not {value:g}")
    return int(value)


def _parse_tuple(content: Any, name: str) -> Any:
    """Nested lists of numbers as tuples."""
    if isinstance(content, list):
        return tuple(_parse_tuple(each, name) for each in content)
    return read_number({"value": content}, "value", name)
