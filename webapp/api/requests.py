"""What programs send to the API, with its bounds, as pydantic models.

An unknown field of a body is refused, so that nothing misspelt is ignored.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, Field

from scorer.match.fold import MAX_BOARDS
from scorer.rules.choices import Format
from webapp.api.match_events import NAME_LETTERS, Name, StrictModel

#: Longest address, so that nothing swells.
_ADDRESS = 2000

RuleName = Literal["mayday", "cogitate", "traditional", "family", "nca"]


class Setup(StrictModel):
    """A new match."""

    rules: RuleName
    format: Literal["two", "two-v-one", "three-sets", "teams", "four-alone"] = "two"
    players: Annotated[list[Name], Field(min_length=1, max_length=4)]
    options: dict[Annotated[str, Field(max_length=NAME_LETTERS)], Any] = Field(default_factory=dict)
    starter: Annotated[int, Field(ge=0, le=3)] = 0
    games: Annotated[int, Field(ge=1, le=99)] = 1
    colours: Annotated[list[Name], Field(max_length=4)] = Field(default_factory=list)
    at_board: Annotated[int, Field(ge=1, le=MAX_BOARDS)] = 1


class Search(BaseModel):
    """Which matches are asked for: those of a name, a date or a number, and which page of them."""

    q: Annotated[str, Field(max_length=80)] | None = None
    page: Annotated[int, Field(ge=1, le=100_000)] | None = None


class OfMatch(BaseModel):
    """Whose shots are asked for."""

    match: Annotated[int, Field(ge=1, le=2**31)]


class Source(StrictModel):
    """What the referee is to watch: a camera by number or address, a sample clip, a phone."""

    kind: Literal["camera", "url", "clip", "phone"]
    camera: Annotated[int, Field(ge=0, le=99)] = 0
    url: Annotated[str, Field(max_length=_ADDRESS)] = ""
    clip: Name = ""
    profile: Annotated[str, Field(max_length=60)] = ""


class OnBoard(BaseModel):
    """Which board's profile is used, by its key; none to measure the board in the picture."""

    profile: Annotated[str, Field(max_length=60)] = ""


class AtBoard(BaseModel):
    """Which board is meant, by its number; the first where none is named."""

    board: Annotated[int, Field(ge=1, le=MAX_BOARDS)] = 1


class Hook(StrictModel):
    """Where events are sent to, and which; every one where none is named."""

    url: Annotated[str, Field(min_length=8, max_length=_ADDRESS)]
    types: Annotated[list[Name], Field(max_length=20)] = Field(default_factory=list)


#: The ways to sit that a match may have are those of the rules; the list here must name them all.
assert set(Setup.model_fields["format"].annotation.__args__) == {str(each) for each in Format}  # type: ignore[union-attr]
