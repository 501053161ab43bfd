"""Requests of programs to the API, with their limits, as pydantic models.

An unknown field of a body is refused, so misspelt names are noticed.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, Field, RootModel

from scorer.match.fold import MAX_BOARDS
from scorer.physics.skills import SkillName
from scorer.practice.events import (
    USUAL_SHOTS,
    Drill,
    PracticeEnded,
    PracticeShot,
    PracticeShotUndone,
)
from scorer.rules.choices import Format
from webapp.api.match_events import NAME_LETTERS, Name, StrictModel

#: Longest accepted address.
_ADDRESS = 2000

RuleName = Literal["mayday", "cogitate", "traditional", "family", "nca"]


class Setup(StrictModel):
    """A new match."""

    rules: RuleName
    format: Literal["two", "two-v-one", "three-sets", "teams", "four-alone"] = "two"
    players: Annotated[list[Name], Field(min_length=1, max_length=4)]
    options: dict[Annotated[str, Field(max_length=NAME_LETTERS)], object] = Field(
        default_factory=dict
    )
    starter: Annotated[int, Field(ge=0, le=3)] = 0
    games: Annotated[int, Field(ge=1, le=99)] = 1
    colours: Annotated[list[Name], Field(max_length=4)] = Field(default_factory=list)
    at_board: Annotated[int, Field(ge=1, le=MAX_BOARDS)] = 1


class OnceOnly(BaseModel):
    """A key chosen by the program: a request repeated after a lost answer enters nothing and
    returns the same answer.
    """

    idempotency_key: Annotated[
        str | None, Field(alias="Idempotency-Key", pattern=r"^[\x21-\x7e]{1,64}$")
    ] = None


class Search(BaseModel):
    """A selection of matches: by a name, a date or a number, with the page; or those after a
    match.
    """

    q: Annotated[str, Field(max_length=80)] | None = None
    page: Annotated[int, Field(ge=1, le=100_000)] | None = None
    after: Annotated[int, Field(ge=0, le=2**31 - 1)] = 0


class InPages(BaseModel):
    """The wanted page of the rows, from 1; all rows without one."""

    page: Annotated[int, Field(ge=1, le=100_000)] | None = None


class Slice(BaseModel):
    """A selection of a log's entries: the first ones to skip, and the number wanted."""

    after: Annotated[int, Field(ge=0, le=1_000_000)] = 0
    limit: Annotated[int, Field(ge=1, le=10_000)] | None = None


class OfSkill(BaseModel):
    """The players' skill."""

    skill: SkillName = SkillName.CLUB


class OfMatch(InPages):
    """The match whose shots are wanted."""

    match: Annotated[int, Field(ge=1, le=2**31)]


class FileForm(BaseModel):
    """The file form of a match: all of it as JSON, rounds as CSV, or Crokinole Match Notation."""

    format: Literal["json", "csv", "cmn"] = "json"


class PracticeSearch(BaseModel):
    """The player whose practices are wanted (without a name, all players), and the page."""

    player: Name | None = None
    page: Annotated[int, Field(ge=1, le=100_000)] = 1


class PracticeSetup(StrictModel):
    """A new practice session; the board's camera, if there is one, counts it."""

    player: Annotated[str, Field(min_length=1, max_length=NAME_LETTERS)]
    drill: Drill
    shots: Annotated[int, Field(ge=1, le=200)] = USUAL_SHOTS


class PracticeEntry(
    RootModel[
        Annotated[PracticeShot | PracticeShotUndone | PracticeEnded, Field(discriminator="type")]
    ]
):
    """A shot of a practice session, an undo of the last one, or its early end."""


class NewProfile(StrictModel):
    """A profile to save: a calibration's, by its key, or your own."""

    name: Annotated[str, Field(max_length=60)] = ""
    calibration: Annotated[str, Field(max_length=60)] | None = None
    profile: dict[str, object] | None = None


class SecondCamera(StrictModel):
    """A second camera on the same board, by number or address."""

    kind: Literal["camera", "url"]
    camera: Annotated[int, Field(ge=0, le=99)] = 0
    url: Annotated[str, Field(max_length=_ADDRESS)] = ""


class Source(SecondCamera):
    """The referee's source: a camera by number or address, a sample clip, a phone; and ``beside``,
    a second camera on the same board, if there is one.
    """

    kind: Literal["camera", "url", "clip", "phone"]  # type: ignore[assignment]
    clip: Name = ""
    profile: Annotated[str, Field(max_length=60)] = ""
    beside: SecondCamera | None = None


class OnBoard(BaseModel):
    """The board whose profile is used, by its key; none to measure the board in the picture."""

    profile: Annotated[str, Field(max_length=60)] = ""


class AtBoard(BaseModel):
    """The number of the board; without one, the first board."""

    board: Annotated[int, Field(ge=1, le=MAX_BOARDS)] = 1


class Hook(StrictModel):
    """The address to which events are sent, and their types; all types if none is named."""

    url: Annotated[str, Field(min_length=8, max_length=_ADDRESS)]
    types: Annotated[list[Name], Field(max_length=20)] = Field(default_factory=list)


#: The rules define the possible seatings of a match; this list must contain them all.
assert set(Setup.model_fields["format"].annotation.__args__) == {str(form) for form in Format}  # type: ignore[union-attr]
