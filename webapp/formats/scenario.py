"""Scenarios, the input of ``crokinole judge``: the facts of a shot and its rules."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Literal

from pydantic import BeforeValidator, Field

from calibration.placed_disc import DiscState
from scorer.rules.board_geometry import BoardGeometry
from scorer.rules.names import RuleSetName
from scorer.rules.possible_boards import check_boards
from scorer.rules.sets import RuleSet, rule_set
from scorer.rules.shot import FinalPosition, ShotFacts, StartPosition
from webapp.formats.form import (
    MAX_LISTED_DISCS,
    BoardState,
    Form,
    FormError,
    Name,
    Omitted,
    OpenForm,
    check_form,
    must_be,
)

#: A side has at most 12 discs in every way to play.
_MAX_DISCS = 12
#: No disc of a scenario is farther out than this: a little beyond the rail of the widest board.
_MAX_DISTANCE_MM = 1_000.0
#: A disc whose position is not known to within half its width was not seen.
_MAX_SIGMA_MM = 15.0
#: More contacts than a shot can have.
_MAX_CONTACTS = 1_000
#: More options than any rule set has, and the longest of their names and values.
_MAX_OPTIONS, _MAX_OPTION = 60, 60

_Coordinate = Annotated[float, Field(ge=-_MAX_DISTANCE_MM, le=_MAX_DISTANCE_MM)]
_Pair = Annotated[list[Name], Field(min_length=2, max_length=2)]
_Text = Annotated[str, Field(max_length=_MAX_OPTION)]
_Option = Annotated[
    bool | int | _Text | Annotated[list[_Text], Field(max_length=20)],
    must_be("true, false, a number, text or a list of text values"),
]


def _lower(value: object) -> object:
    """A name in any case, converted to that of rule sets."""
    return value.lower() if isinstance(value, str) else value


class BeforeForm(OpenForm):
    """A disc on the board, or the shooter's disc at its start."""

    id: Name
    x_mm: _Coordinate
    y_mm: _Coordinate


class DitchForm(OpenForm):
    """A disc in the ditch, without a place."""

    id: Name
    state: Literal["ditch"]


class AfterForm(BeforeForm):
    """A disc on the surface or in the hole."""

    state: BoardState
    sigma_mm: float = Field(
        default=0.0,
        ge=0,
        le=_MAX_SIGMA_MM,
        description=(
            "One standard deviation of the position; exact if left out. A call within three of "
            "them needs review."
        ),
    )


class ScenarioForm(Form):
    """One shot.

    Millimetres are in the board frame, and a position is the centre of a disc's bottom face. Every
    disc of ``before`` must also be in ``after``.
    """

    rules: Annotated[RuleSetName, BeforeValidator(_lower)] = Field(strict=False)
    options: Annotated[dict[_Text, _Option], Field(max_length=_MAX_OPTIONS)] | Omitted = Field(
        default=None,
        description="Changed options, by the names that `crokinole rules NAME` prints.",
    )
    shooter_team: Name
    shooter_id: Name
    teams: dict[str, Name] = Field(
        max_length=MAX_LISTED_DISCS, description="The team of every disc."
    )
    before: list[BeforeForm] = Field(
        max_length=MAX_LISTED_DISCS,
        description="The discs on the board, and the shooter's disc where it was placed.",
    )
    contacts: Annotated[list[_Pair], Field(max_length=_MAX_CONTACTS)] | None = Field(
        description="Pairs in time order; null when nobody saw them. A partner may be post:k, "
        "or outside: the rail, the ditch or a disc out of play."
    )
    after: list[Annotated[DitchForm | AfterForm, Field(discriminator="state")]] = Field(
        max_length=MAX_LISTED_DISCS
    )
    shooter_quadrant: Annotated[int, Field(ge=0, le=3), must_be("0, 1, 2 or 3")] | None = Field(
        default=None,
        description=(
            "Where the shooter sits: quadrant k's centre is at 90 k degrees counter-clockwise "
            "from +x. By default the quadrant in which the disc was placed."
        ),
    )
    first_shot: bool | None = Field(
        default=None,
        description=(
            "Whether it is the first shot of a round. By default true if no other disc was on the "
            "board."
        ),
    )
    crossed: Annotated[list[Name], Field(max_length=MAX_LISTED_DISCS)] | Omitted = Field(
        default=None,
        description="Discs that crossed the outer line and came back, touching nothing but the "
        "playing surface.",
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Scenario:
    """A shot, its rules, and the names of discs and teams as written in the file."""

    shot: ShotFacts
    rules: RuleSet
    written_ids: Mapping[str, str | int]
    written_teams: Mapping[str, str | int]


def parse_scenario(content: object, geometry: BoardGeometry | None = None) -> Scenario:
    """The scenario in decoded JSON. Raises ``ValueError``, or ``RulesError`` for an option.

    geometry  the sizes used to refuse overlapping discs; None: they are not refused
    """
    form = check_form(ScenarioForm, content)
    rules = rule_set(form.rules, form.options)
    shot = ShotFacts(
        shooter=str(form.shooter_id),
        team=str(form.shooter_team),
        teams={disc: str(team) for disc, team in form.teams.items()},
        before=tuple(
            StartPosition(id=str(disc.id), x_mm=disc.x_mm, y_mm=disc.y_mm) for disc in form.before
        ),
        after=tuple(_make_final_position(disc) for disc in form.after),
        contacts=None
        if form.contacts is None
        else tuple((str(one), str(other)) for one, other in form.contacts),
        quadrant=form.shooter_quadrant,
        is_first=form.first_shot,
        crossed=frozenset(str(disc) for disc in form.crossed or ()),
    )
    _check_counts(shot)
    if geometry is not None:
        check_boards(shot, geometry)
    return Scenario(
        shot=shot,
        rules=rules,
        written_ids={str(disc.id): disc.id for disc in form.before},
        written_teams={str(team): team for team in (*form.teams.values(), form.shooter_team)},
    )


def _make_final_position(form: DitchForm | AfterForm) -> FinalPosition:
    if isinstance(form, DitchForm):
        return FinalPosition(id=str(form.id), state=DiscState.DITCH)
    return FinalPosition(
        id=str(form.id),
        state=DiscState(form.state),
        x_mm=form.x_mm,
        y_mm=form.y_mm,
        sigma_mm=form.sigma_mm,
    )


def _check_counts(shot: ShotFacts) -> None:
    owners = [shot.teams[disc.id] for disc in shot.before]
    for team in dict.fromkeys(owners):
        if owners.count(team) > _MAX_DISCS:
            raise FormError(
                f"before: team {team} has {owners.count(team)} discs on the board; a side has at "
                f"most {_MAX_DISCS}, so correct before or teams"
            )
