"""Scenes, the input of ``crokinole simulate``, and the table that every physics file may describe.

Omitted values are nominal, or those of a board's profile.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, TypeVar, get_type_hints

from pydantic import BeforeValidator, Field, GetCoreSchemaHandler
from pydantic_core import CoreSchema

from calibration.board import BoardSpec
from calibration.disc import DiscSpec
from calibration.profile import ProfileError, load_profile
from calibration.wizard.sentences import describe_nominal_discs
from scorer.physics.inverse.observations import Spreads, derive_spreads
from scorer.physics.parameters import PARAMETERS, PhysicsSpec, apply_board_speed
from scorer.physics.scene import (
    MOST_DISCS,
    MOST_SPEED_MM_S,
    MOST_SPIN_RAD_S,
    FlickSpec,
    PhysicsScene,
    SceneDisc,
    TableSpec,
)
from webapp.formats.form import (
    Form,
    FormError,
    InputFileError,
    Name,
    Omitted,
    OpenForm,
    check_form,
    quote,
)
from webapp.formats.form_from_dataclass import create_form

Spec = TypeVar("Spec", BoardSpec, DiscSpec, PhysicsSpec)

#: More posts than any board has.
_MAX_POSTS = 64


@dataclass(frozen=True, slots=True)
class _ChangesTo:
    """Makes a form from a dataclass; any of its fields may be given, by name."""

    spec: type[BoardSpec | DiscSpec | PhysicsSpec]

    def __get_pydantic_core_schema__(
        self, _source: object, handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        fields = {
            name: (_type_of_size(name, hint), None)
            for name, hint in get_type_hints(self.spec).items()
        }
        name = f"{self.spec.__name__}Changes"
        doc = f"Values that are not nominal, with the names of {self.spec.__name__}."
        return handler(create_form(name, Form, doc, fields))


def _type_of_size(name: str, hint: object) -> object:
    """The type of a field in a file: JSON has lists for tuples, and 8.0 for 8."""
    if name in PARAMETERS:
        ranges = PARAMETERS[name]
        return Annotated[float, Field(ge=ranges.low, le=ranges.high)]
    if hint is int:
        return Annotated[int, Field(ge=0, le=_MAX_POSTS), BeforeValidator(_make_whole)]
    if hint is float:
        return Annotated[float, Field(ge=0)] if name.endswith("_mm") else float
    return Annotated[hint, BeforeValidator(_make_tuples)]


def _make_whole(value: object) -> object:
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _make_tuples(value: object) -> object:
    """Convert lists, including nested ones, to tuples."""
    if not isinstance(value, list):
        return value
    return tuple(tuple(part) if isinstance(part, list) else part for part in value)


class TableForm(Form):
    """The table for a shot."""

    board: Annotated[Form, _ChangesTo(BoardSpec)] | Omitted = Field(
        default=None, description="Sizes, with the names of a profile's board."
    )
    disc: Annotated[Form, _ChangesTo(DiscSpec)] | Omitted = Field(
        default=None, description="Sizes, with the names of a profile's disc."
    )
    physics: Annotated[Form, _ChangesTo(PhysicsSpec)] | Omitted = Field(
        default=None, description="Friction, restitution and so on: scorer.physics.parameters."
    )


class DiscForm(OpenForm):
    """A disc at rest, by the centre of its bottom face."""

    id: Name
    x_mm: float
    y_mm: float


class SceneDiscForm(DiscForm):
    """A disc of a scene, and its owner if pictures should show that."""

    team: Name | Omitted = Field(default=None, description="Its team; used only in pictures.")


class FlickForm(Form):
    """The flicked disc, its speed and its direction."""

    id: Name = Field(description="The disc that is flicked; one of the discs, or a new one.")
    x_mm: float | Omitted = Field(default=None, description="By default the disc's place.")
    y_mm: float | Omitted = Field(default=None, description="By default the disc's place.")
    speed_mm_s: float = Field(ge=0, le=MOST_SPEED_MM_S)
    direction_deg: float = Field(description="Counter-clockwise from +x.")
    spin_rad_s: float = Field(default=0.0, ge=-MOST_SPIN_RAD_S, le=MOST_SPIN_RAD_S)
    team: Name | Omitted = Field(
        default=None, description=("Its team, like that of the other discs.")
    )


class SceneForm(TableForm):
    """A board and a flick.

    Millimetres in the board frame: origin at the rings' centre, x right, y away from the viewer;
    directions counter-clockwise from +x. Omitted values are nominal.
    """

    discs: list[SceneDiscForm] = Field(max_length=MOST_DISCS, default_factory=list)
    shot: FlickForm


def parse_scene(content: Mapping[str, object], known: TableSpec | None = None) -> PhysicsScene:
    """The scene described by a file. Raises ``ValueError``, naming field and value.

    known  the known facts of the table; the file's own take precedence
    """
    form = check_form(SceneForm, content)
    discs = make_discs(form.discs)
    shot = _make_flick(form.shot, discs)
    return PhysicsScene(table=make_table(form, known), discs=discs, shot=shot)


def pick_scene(content: object, number: int) -> Mapping[str, object]:
    """The scene in a file: itself, or that of a suggested shot, the best numbered 1.

    Raises ``FormError``.
    """
    if isinstance(content, dict):
        if number != 1:
            raise FormError(f"it has only one shot, not shot {number}. Leave out --shot")
        return content
    if not (isinstance(content, list) and content and all(isinstance(e, dict) for e in content)):
        raise FormError("it must contain one JSON object, or a list printed by `crokinole advise`")
    if not 1 <= number <= len(content):
        raise FormError(f"--shot must be between 1 and {len(content)}, not {number}")
    scene = content[number - 1].get("scene")
    if not isinstance(scene, dict):
        raise FormError("its shots have no scene. Create it again with `crokinole advise --json`")
    return scene


def read_teams(content: Mapping[str, object]) -> dict[str, str]:
    """The owners of the discs by id, if a scene's file gives them. Raises ``FormError``."""
    form = check_form(SceneForm, content)
    discs: tuple[SceneDiscForm | FlickForm, ...] = (*form.discs, form.shot)
    return {str(disc.id): str(disc.team) for disc in discs if disc.team is not None}


def make_table(form: TableForm, known: TableSpec | None = None) -> TableSpec:
    """Board, disc and physics of a file. Raises ``FormError`` if sizes do not fit together.

    known  the values for those that the file omits; nominal where those are missing too
    """
    known = known or TableSpec()
    return TableSpec(
        board=_change(known.board, form.board, "board"),
        disc=_change(known.disc, form.disc, "disc"),
        physics=_change(known.physics, form.physics, "physics"),
    )


def load_table(path: Path | None, warn: Callable[[str], None]) -> tuple[TableSpec, Spreads]:
    """The table of a profile, and the values that it does not know. Raises ``InputFileError``.

    If the profile knows no disc, ``warn`` gets the usual sizes that are used instead.
    """
    if path is None:
        return TableSpec(), Spreads()
    try:
        profile = load_profile(path)
    except ProfileError as error:
        raise InputFileError(str(error)) from error
    if profile.disc is None:
        warn(describe_nominal_discs(path))
    disc = profile.disc or DiscSpec()
    if profile.speed is None:
        return TableSpec(board=profile.board, disc=disc), Spreads()
    physics = apply_board_speed(PhysicsSpec(), profile.speed)
    table = TableSpec(board=profile.board, disc=disc, physics=physics)
    return table, derive_spreads(profile.speed)


def make_discs(forms: Iterable[DiscForm]) -> tuple[SceneDisc, ...]:
    """Discs with their positions; ids may be numbers in files, and are text from here on."""
    return tuple(SceneDisc(id=str(form.id), x_mm=form.x_mm, y_mm=form.y_mm) for form in forms)


def _make_flick(form: FlickForm, discs: tuple[SceneDisc, ...]) -> FlickSpec:
    """The flick, from the place of its disc unless another start is given."""
    placed = {disc.id: disc for disc in discs}.get(str(form.id))
    x = form.x_mm if form.x_mm is not None or placed is None else placed.x_mm
    y = form.y_mm if form.y_mm is not None or placed is None else placed.y_mm
    if x is None or y is None:
        raise FormError(
            f"shot.id: the shooter {quote(form.id)} is not one of the discs and has no position. "
            "Give x_mm and y_mm"
        )
    return FlickSpec(
        id=str(form.id),
        x_mm=x,
        y_mm=y,
        speed_mm_s=form.speed_mm_s,
        direction_deg=form.direction_deg,
        spin_rad_s=form.spin_rad_s,
    )


def _change(known: Spec, form: Form | None, name: str) -> Spec:
    """One part of the table, with the file's values replaced."""
    if form is None:
        return known
    try:
        return replace(known, **form.model_dump(exclude_unset=True))
    except ValueError as error:
        raise FormError(f"{name}: {error}") from error
