"""The events of a tournament: frozen values, checked on entry.

``fold`` applies the events. Databases store this JSON, so a field is never renamed
or removed.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from calibration.phrase import Phrase, term
from scorer.board_names import name_boards
from scorer.match.fold import MAX_BOARDS
from scorer.texts import bound_sentence, check_name

#: More boards, entries or rounds than the largest championships need.
MAX_ENTRIES = 256


class TournamentError(ValueError):
    """An impossible event; the text is one sentence for the user."""


class StageKind(StrEnum):
    """The pairing system of a stage."""

    ROUND_ROBIN = "round_robin"
    SWISS = "swiss"
    SINGLE_KNOCKOUT = "single_knockout"
    DOUBLE_KNOCKOUT = "double_knockout"
    LADDER = "ladder"

    @property
    def is_knockout(self) -> bool:
        """Whether a loss, or a second loss, eliminates an entry."""
        return self in (StageKind.SINGLE_KNOCKOUT, StageKind.DOUBLE_KNOCKOUT)


class Criterion(StrEnum):
    """A criterion for ranking; organisers choose which, and in which order."""

    WINS = "wins"
    POINTS = "points"
    HEAD_TO_HEAD = "head_to_head"
    TWENTIES = "twenties"
    BUCHHOLZ = "buchholz"
    SHOOTOUT = "shootout"


class LeaverResults(StrEnum):
    """How to count the round-robin matches of an entry that withdraws.

    ANNULLED   they count for nobody
    WALKOVERS  those already played count, and the opponents win the others by walkover
    """

    ANNULLED = "annulled"
    WALKOVERS = "walkovers"


class Reporter(StrEnum):
    """Who reports a match's result: one of the two sides, or the organiser, whose report
    decides.
    """

    FIRST = "first"
    SECOND = "second"
    ORGANISER = "organiser"


Name = Annotated[str, AfterValidator(check_name)]
Number = Annotated[int, Field(ge=0, le=100_000)]
Count = Annotated[int, Field(ge=0, le=1_000)]
#: The fields of a match's two sides, in order.
Two = tuple[Count, Count]


class _TournamentEvent(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


class MatchPlan(_TournamentEvent):
    """The length of a match of the tournament: rounds of 2, 1 or 0 points, or first to a number of
    points.

    Both count match points, 2 for a round won and 1 each for a tie.
    """

    rounds: Annotated[int, Field(ge=1, le=50)] | None = 4
    points: Annotated[int, Field(ge=2, le=500)] | None = None
    minutes: Annotated[int, Field(ge=1, le=240)] | None = None

    @property
    def bye_points(self) -> int:
        """Match points for a bye: three quarters of the most points in a match, rounded up."""
        return -(-3 * (self.points or 2 * (self.rounds or 1)) // 4)


class TournamentStarted(_TournamentEvent):
    """A tournament is set up: its boards, and the length of a match.

    rules  the name of the rule set for all matches
    bye    match points for a bye; three quarters of the most points if not given. None is
           from logs of version 1.2: all points of "first to" a number
    """

    type: Literal["tournament_started"] = "tournament_started"
    name: Name
    boards: Annotated[tuple[Name, ...], AfterValidator(name_boards)] = Field(
        min_length=1, max_length=MAX_BOARDS
    )
    plan: MatchPlan = MatchPlan()
    rules: Name = "nca"
    bye: Count | None = Field(default_factory=lambda given: given["plan"].bye_points)


class EntryAdded(_TournamentEvent):
    """A player, pair or team joins from the next stage or round."""

    type: Literal["entry_added"] = "entry_added"
    players: tuple[Name, ...] = Field(min_length=1, max_length=8)
    stage: Number | None = None


class EntryWithdrawn(_TournamentEvent):
    """An entry withdraws: it is no longer paired, and its open matches are lost by walkover.

    disqualified  all matches that it played also count as lost by walkover
    results       how its matches in an unfinished round robin count; None is from logs of version
                  1.2: its later opponents have byes
    """

    type: Literal["entry_withdrawn"] = "entry_withdrawn"
    entry: Number
    disqualified: bool = False
    results: LeaverResults | None = None


class EntryReturned(_TournamentEvent):
    """An entry that withdrew returns, with all its results."""

    type: Literal["entry_returned"] = "entry_returned"
    entry: Number


class EntryRenamed(_TournamentEvent):
    """The names of an entry's players are corrected, from the beginning."""

    type: Literal["entry_renamed"] = "entry_renamed"
    entry: Number
    players: tuple[Name, ...] = Field(min_length=1, max_length=8)


class RoundSatOut(_TournamentEvent):
    """An entry sits out the next round and gets no points."""

    type: Literal["round_sat_out"] = "round_sat_out"
    entry: Number


class StageStarted(_TournamentEvent):
    """A stage begins with these entries, strongest first.

    rounds    of a Swiss or a ladder; a round robin and a knock-out determine theirs
    groups    of a round robin: the entries by group, dealt in serpentine order
    criteria  the ranking criteria, the most important first; a knock-out needs none
    third_place  whether the losers of a knock-out's semifinals play each other besides the final
    """

    type: Literal["stage_started"] = "stage_started"
    kind: StageKind
    name: Name
    entries: tuple[Number, ...] = Field(min_length=2, max_length=MAX_ENTRIES)
    rounds: Annotated[int, Field(ge=1, le=60)] | None = None
    groups: Annotated[int, Field(ge=1, le=32)] = 1
    criteria: tuple[Criterion, ...] = Field(default=(), max_length=len(Criterion))
    third_place: bool = False


class Pairing(_TournamentEvent):
    """Two entries that play each other; ``second`` is None if ``first`` has a bye."""

    first: Number
    second: Number | None = None
    board: Number | None = None


class RoundPaired(_TournamentEvent):
    """The next round of a stage: its pairings and boards."""

    type: Literal["round_paired"] = "round_paired"
    stage: Number
    pairings: tuple[Pairing, ...] = Field(min_length=1, max_length=MAX_ENTRIES)


class EntriesSwapped(_TournamentEvent):
    """Two entries swap places in a stage's last round; one without a match gets the other's."""

    type: Literal["entries_swapped"] = "entries_swapped"
    stage: Number
    first: Number
    second: Number


class CriteriaChanged(_TournamentEvent):
    """From now on, a stage is ranked by these criteria, in this order."""

    type: Literal["criteria_changed"] = "criteria_changed"
    stage: Number
    criteria: tuple[Criterion, ...] = Field(min_length=1, max_length=len(Criterion))


class RoundBegun(_TournamentEvent):
    """The shared clock of the paired round starts when this event is recorded."""

    type: Literal["round_begun"] = "round_begun"
    minutes: Annotated[int, Field(ge=1, le=240)]


class BoardAssigned(_TournamentEvent):
    """A waiting match gets a board, or moves to another one."""

    type: Literal["board_assigned"] = "board_assigned"
    match: Number
    board: Number


class BoardsSwapped(_TournamentEvent):
    """Two unplayed matches swap boards; one of them may have been waiting."""

    type: Literal["boards_swapped"] = "boards_swapped"
    first: Number
    second: Number


class ResultReported(_TournamentEvent):
    """A reported result of a match: match points and 20s of both entries.

    It counts if both sides report the same, or if the organiser reports it.

    device  identifies the phone from which a side reports; "" if unknown
    """

    type: Literal["result_reported"] = "result_reported"
    match: Number
    points: Two
    twenties: Two = (0, 0)
    by: Reporter = Reporter.ORGANISER
    device: str = Field(default="", max_length=32)


class ReportRefused(_TournamentEvent):
    """A side says that the other side's report is wrong."""

    type: Literal["report_refused"] = "report_refused"
    match: Number
    by: Reporter


class WalkoverGiven(_TournamentEvent):
    """An entry wins a match because the other did not play."""

    type: Literal["walkover_given"] = "walkover_given"
    match: Number
    winner: Number


class TieBreakPlayed(_TournamentEvent):
    """A shoot-out between entries that are tied in all criteria: their numbers of 20s."""

    type: Literal["tie_break_played"] = "tie_break_played"
    stage: Number
    entries: tuple[Number, ...] = Field(min_length=2, max_length=16)
    twenties: tuple[Count, ...]


class TournamentUndone(_TournamentEvent):
    """The last event in force is undone."""

    type: Literal["undone"] = "undone"


TournamentEvent = (
    TournamentStarted
    | EntryAdded
    | EntryWithdrawn
    | EntryReturned
    | EntryRenamed
    | RoundSatOut
    | StageStarted
    | CriteriaChanged
    | RoundPaired
    | EntriesSwapped
    | RoundBegun
    | BoardAssigned
    | BoardsSwapped
    | ResultReported
    | ReportRefused
    | WalkoverGiven
    | TieBreakPlayed
    | TournamentUndone
)

EVENTS: TypeAdapter[TournamentEvent] = TypeAdapter(
    Annotated[TournamentEvent, Field(discriminator="type")]
)


def write_event(event: TournamentEvent) -> str:
    """An event as JSON for databases, ASCII only."""
    return EVENTS.dump_json(event, ensure_ascii=True).decode()


def read_event(body: str) -> TournamentEvent:
    """The event from JSON. Raises ``TournamentError``."""
    try:
        return EVENTS.validate_json(body)
    except ValidationError as error:
        raise TournamentError(describe_refusal(error)) from None


#: The fault of a number, by pydantic's name for it.
_REFUSALS = {
    "too_short": Phrase("Enter at least %(min_length)s %(place)s."),
    "too_long": Phrase("Enter at most %(max_length)s %(place)s."),
    "greater_than_equal": Phrase("%(place)S must be at least %(ge)s."),
    "less_than_equal": Phrase("%(place)S must be at most %(le)s."),
}


def describe_refusal(error: ValidationError) -> str:
    """The fault of an entry, in one sentence."""
    first: Any = error.errors(include_url=False, include_input=False)[0]
    context: dict[str, Any] = first.get("ctx", {})
    if isinstance(context.get("error"), ValueError):
        return bound_sentence(str(context["error"]))
    place = next(
        (part for part in reversed(first["loc"]) if isinstance(part, str)), Phrase("the event")
    )
    sentence = _REFUSALS.get(first["type"], Phrase("%(place)S: %(message)s."))
    place = term(place.replace("_", " "))
    return bound_sentence(sentence.put(place=place, message=first["msg"], **context))
