"""Requests of programs about tournaments, and the answers, as pydantic models."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, Field, RootModel, model_validator

from calibration.json_text import format_json
from scorer.store.tournament_store import StoredTournament
from scorer.tournament.events import (
    MAX_ENTRIES,
    Criterion,
    MatchPlan,
    ResultReported,
    StageKind,
    TournamentEvent,
    read_event,
)
from scorer.tournament.season import PlayerEvening, SeasonRow
from scorer.tournament.standings import RankedEntry
from scorer.tournament.state import Entry, Stage, TournamentMatch
from webapp.api.answers import ANSWERS
from webapp.api.match_events import Name, StrictModel
from webapp.api.requests import RuleName


class FirstStage(StrictModel):
    """The first stage of a new tournament, with all its entries, the strongest first."""

    kind: StageKind = StageKind.SWISS
    name: Name = "Swiss"
    rounds: Annotated[int, Field(ge=1, le=60)] | None = None
    groups: Annotated[int, Field(ge=1, le=32)] = 1
    criteria: Annotated[list[Criterion], Field(max_length=len(Criterion))] = Field(
        default_factory=list
    )
    third_place: bool = False


class TournamentSetup(StrictModel):
    """A new tournament; an entry is a list of its players' names.

    ``bye`` is three quarters of a match's points if not given.
    """

    name: Name
    boards: Annotated[list[Name], Field(min_length=1, max_length=128)]
    plan: MatchPlan = MatchPlan()
    rules: RuleName = "nca"
    bye: Annotated[int, Field(ge=0, le=1000)] | None = None
    entries: Annotated[
        list[Annotated[list[Name], Field(min_length=1, max_length=8)]],
        Field(max_length=MAX_ENTRIES),
    ] = Field(default_factory=list)
    stage: FirstStage | None = None


class TournamentEntry(
    RootModel[Annotated[TournamentEvent, Field(discriminator="type")]],
):
    """An event of a tournament; entries, stages and matches are counted from 0."""

    @model_validator(mode="before")
    @classmethod
    def _read(cls, value: object) -> object:
        """The event in its JSON form: with lists, and texts for choices."""
        return read_event(format_json(value))


class AfterEvents(BaseModel):
    """The expected number of events in the log; a request is refused if it differs."""

    after: Annotated[int, Field(ge=0, le=1_000_000)] | None = None


class TournamentRow(BaseModel):
    """One line of the list of tournaments; ``damage`` is the reason if one cannot be read."""

    id: int
    created: str
    name: str
    entries: int
    boards: int
    damage: str | None = None


Tournaments = ANSWERS.declare(
    "Tournaments", "All tournaments, the newest first.", tournaments=list[TournamentRow]
)
TournamentEntryState = ANSWERS.select(
    "TournamentEntryState",
    Entry,
    "players has_left rests",
    "An entry of a tournament; ``rests``: it sits out the next round.",
)
Standing = ANSWERS.select(
    "Standing",
    RankedEntry,
    "points played wins draws twenties rank entry name buchholz decided_by",
    "A rank in a table; ``decided_by`` is the criterion that puts it below the one before.",
    name=str,
)
TournamentStageState = ANSWERS.select(
    "TournamentStage",
    Stage,
    "name kind rounds_paired is_over third_place entries criteria standings",
    "A stage with its standings by group.",
    rounds_paired=int,
    is_over=bool,
    third_place=bool,
    standings=list[list[Standing]],  # type: ignore[valid-type]
)
Claim = ANSWERS.select(
    "Claim",
    ResultReported,
    "by points twenties",
    "A side's report of its match, before it counts.",
    by=str,
    points=tuple[int, ...],
    twenties=tuple[int, ...],
)
TournamentMatchState = ANSWERS.select(
    "TournamentMatchState",
    TournamentMatch,
    "stage round first second board points twenties walkover annulled disputed reports",
    "A match: ``second`` is null for a bye, ``board`` until it has one, ``points`` while open.",
    first=str,
    second=str | None,
    board=str | None,
    points=list[int] | None,
    twenties=list[int] | None,
    walkover=bool,
    annulled=bool,
    disputed=bool,
    reports=list[Claim],  # type: ignore[valid-type]
)


_PodiumPlace = ANSWERS.declare("PodiumPlace", "One of the best three.", rank=int, name=str)
Tournament = ANSWERS.select(
    "Tournament",
    StoredTournament,
    "id name created events rules boards plan entries stages matches podium",
    """The state of a tournament; ``events`` is the length of its log.

    ``podium`` has the best three once the stage that decides the title is over.
    """,
    name=str,
    events=int,
    rules=str,
    boards=list[str],
    plan=MatchPlan,
    entries=list[TournamentEntryState],  # type: ignore[valid-type]
    stages=list[TournamentStageState],  # type: ignore[valid-type]
    matches=list[TournamentMatchState],  # type: ignore[valid-type]
    podium=list[_PodiumPlace],  # type: ignore[valid-type]
)


class TournamentFile(Tournament):  # type: ignore[misc, valid-type]
    """A tournament with its log: its events with the times when they were ``recorded``."""

    log: list[dict[str, object]]


ImportedTournament = ANSWERS.declare(
    "ImportedTournament", "The tournament's number on this server.", tournament=int
)
SeasonEvening = ANSWERS.select(
    "SeasonEvening",
    PlayerEvening,
    "points played wins draws twenties tournament place entries rating sigma",
    "A player's evening; ``points`` for the season, ``rating`` and ``sigma`` after it.",
    tournament=int,
    place=int,
    rating=float | None,
    sigma=float | None,
)
SeasonPlayer = ANSWERS.select(
    "SeasonPlayer",
    SeasonRow,
    "rank player points evenings",
    "A player's line of a season's table.",
    evenings=list[SeasonEvening],  # type: ignore[valid-type]
)

Season = ANSWERS.declare(
    "Season",
    "The table over several tournaments.",
    tournaments=list[int],
    players=list[SeasonPlayer],  # type: ignore[valid-type]
)


class OfSeason(BaseModel):
    """The numbers of the tournaments that count, separated by commas; all if none is given."""

    t: Annotated[str, Field(max_length=2000, pattern=r"^[0-9]+(,[0-9]+)*$")] | None = None
