"""What programs send to the API, with its bounds, as pydantic models.

An unknown field of a body is refused, so that nothing misspelt is ignored.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from scorer.match.fold import MAX_BOARDS
from scorer.rules.choices import Format

#: Longest texts, so that nothing swells: names, remarks, addresses.
_NAME, _REMARK, _ADDRESS = 40, 500, 2000

Name = Annotated[str, Field(max_length=_NAME)]
Count = Annotated[int, Field(ge=0, le=1000)]
RuleName = Literal["mayday", "cogitate", "traditional", "family", "nca"]


class StrictModel(BaseModel):
    """What all request models share: an unknown field is refused."""

    model_config = ConfigDict(extra="forbid", strict=False)


class Setup(StrictModel):
    """A new match."""

    rules: RuleName
    format: Literal["two", "two-v-one", "three-sets", "teams", "four-alone"] = "two"
    players: Annotated[list[Name], Field(min_length=1, max_length=4)]
    options: dict[Annotated[str, Field(max_length=_NAME)], Any] = Field(default_factory=dict)
    starter: Annotated[int, Field(ge=0, le=3)] = 0
    games: Annotated[int, Field(ge=1, le=99)] = 1
    colours: Annotated[list[Name], Field(max_length=4)] = Field(default_factory=list)
    at_board: Annotated[int, Field(ge=1, le=MAX_BOARDS)] = 1


class BoardDisc(StrictModel):
    """A disc on the board."""

    id: Name
    side: Annotated[int, Field(ge=0, le=3)]
    zone: Annotated[int, Field(ge=0, le=20)]


class MatchEvent(StrictModel):
    """An entry of a match's log; which fields it has depends on its type."""

    type: Literal[
        "starter_chosen",
        "round_started",
        "shot_played",
        "twenty_counted",
        "foul_called",
        "round_scored",
        "round_corrected",
        "disc_corrected",
        "disputed",
        "ruled",
        "time_ran_out",
        "shootout_played",
        "undone",
    ]
    player: Annotated[int, Field(ge=0, le=3)] | None = None
    minutes: Annotated[int, Field(ge=1, le=240)] | None = None
    verdict: Literal["legal", "foul", "needs_review"] | None = None
    board: Annotated[list[BoardDisc], Field(max_length=24)] | None = None
    twenties: Annotated[list[Count], Field(max_length=4)] | None = None
    faults: Annotated[list[Name], Field(max_length=8)] | None = None
    reshoot: bool | None = None
    foul: Name | None = None
    removed: Annotated[list[Name], Field(max_length=24)] | None = None
    points: Annotated[list[Count], Field(max_length=4)] | None = None
    source: Literal["hand", "photo", "shots"] | None = None
    round: Annotated[int, Field(ge=1, le=1000)] | None = None
    disc: Name | None = None
    zone: Annotated[int, Field(ge=0, le=20)] | None = None
    side: Annotated[int, Field(ge=0, le=3)] | None = None
    change: Literal[1, -1] | None = None
    about: Annotated[str, Field(min_length=1, max_length=_REMARK)] | None = None
    shot: Name | None = None
    dispute: Annotated[int, Field(ge=1, le=1000)] | None = None
    decision: Annotated[str, Field(min_length=1, max_length=_REMARK)] | None = None


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
