"""The API's answers as pydantic models; the OpenAPI document is made from them."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ConfigDict

from scorer.match.state import DisputeState
from scorer.match.statistics import PlayerStatistics, RunningMean
from webapp.api.made_answers import make_answer
from webapp.api.match_events import BoardDisc, LoggedEvent
from webapp.live.live_state import Status


class Problem(BaseModel):
    """What went wrong, in one sentence; ``id`` is the log's name for a failure of the server."""

    error: str
    id: str | None = None


class Side(BaseModel):
    """A side of a match; ``needs``: the points to a win, where points end the game."""

    name: str
    colour_name: str | None
    colour: str
    total: int
    needs: int | None
    games_won: int
    round_points: int
    round_twenties: int
    twenties: int
    discs: int
    discs_left: int
    has_turn: bool
    has_hammer: bool
    is_winner: bool


class Round(BaseModel):
    """A finished round: amounts by side; ``is_seen``: a camera saw it."""

    points: list[int]
    twenties: list[int]
    value: list[int]
    source: str
    is_open: bool
    starter: str
    is_seen: bool


class Clock(BaseModel):
    """The round's clock."""

    began: str | None
    minutes: int | None
    is_out: bool


Dispute: Any = make_answer(
    "Dispute",
    DisputeState,
    """A dispute; without a decision while it is open. ``shot`` names the shot that is kept.

    ``round`` numbers the round that it is about, ``missed`` how many of its shots nobody saw, by
    side in ``missed_by``; ``is_first``: nothing was shot in its round before those; ``by_camera``:
    no person brought it up.
    """,
)


class QuestionAnswer(BaseModel):
    """An answer that one tap gives: what it says, and the form of the match's page to send."""

    words: str
    action: str
    fields: dict[str, str | int]


class QuestionCount(BaseModel):
    """A side of which some shots were not seen, and how many."""

    side: int
    name: str
    most: int


class MatchQuestion(BaseModel):
    """What a match asks a person; what is not open is said, and waits for nobody.

    ``kind`` is ``colour`` (who plays it), ``starter``, ``end`` (whether the round is over), ``cut``
    (a film ended before all discs were shot),
    ``missed`` (shots that nobody saw), or ``dispute``; ``hex`` the colour that it is about,
    ``dispute`` its number, ``shot`` the name under which its shot is kept.
    """

    kind: str
    words: str
    is_open: bool
    hex: str | None
    dispute: int | None
    shot: str | None
    answers: list[QuestionAnswer]
    counts: list[QuestionCount]


class StandingFoul(BaseModel):
    """A foul that a person called, until the next shot."""

    player: str
    words: str
    penalty: str | None


class Match(BaseModel):
    """How a match stands.

    ``waiting`` is how much a camera saw that waits for who plays a colour, ``left_out`` says which
    entries do not fit any more since colours or starters were put right.
    """

    id: int
    events: int
    at_board: int
    tournament: list[int] | None
    rules: str
    rules_title: str
    document: str
    format: str
    goal: str
    players: list[str]
    sides: list[Side]
    round: int
    game: int
    games: int
    turn: str | None
    hammer: str
    starter: str
    shots: int
    clock: Clock
    rounds: list[Round]
    foul: StandingFoul | None
    disputes: list[Dispute]
    board: list[BoardDisc]
    is_over: bool
    winners: list[str]
    shootout: list[str]
    next: str
    questions: list[MatchQuestion]
    waiting: int
    left_out: list[str]


class LiveDisc(BaseModel):
    """A disc that the referee sees."""

    model_config = ConfigDict(extra="allow")

    x_mm: float
    y_mm: float
    team: int
    state: str
    zone: int


class Live(BaseModel):
    """What the referee sees."""

    model_config = ConfigDict(extra="allow")

    status: Status
    source: str | None
    reason: str | None
    advice: str | None
    discs: list[LiveDisc]
    teams: list[dict[str, Any]]
    verdict: dict[str, Any] | None
    plan: str | None


class Call(BaseModel):
    """What was called out last: ``words`` to be shown, ``spoken`` to be said, once for each id."""

    id: str
    at: str
    kind: str
    title: str
    words: str
    spoken: str
    side: int | None
    colour: str | None


class BoardName(BaseModel):
    """A board: its number, as addresses have it, and its name."""

    number: int
    name: str


class BoardPairing(BaseModel):
    """A tournament's match that is to begin at a board; ``match`` counts from 0."""

    tournament: int
    title: str
    match: int
    sides: list[str]
    stage: str
    round: int
    is_disputed: bool


class BoardRow(BaseModel):
    """A board as the wall shows it; ``needs`` says what a person has to look at, "" for nothing.

    A side has name, colour, total, has_turn, is_winner, and round_points where shots are counted.
    """

    number: int
    name: str
    sides: list[dict[str, Any]]
    round: int | None
    clock: Clock | None
    is_over: bool
    next: str
    pairing: BoardPairing | None
    status: Status
    needs: str


class Boards(BaseModel):
    """All boards, in the order of their numbers."""

    boards: list[BoardRow]
    now: str


class State(BaseModel):
    """Everything that a scoreboard shows, and how the referee itself stands.

    Of a match that is scored by hand, ``live`` is off where the referee sees nothing. ``pairing``
    is a tournament's match that is to begin at this board.
    """

    board: BoardName
    match: Match | None
    pairing: BoardPairing | None
    live: Live
    referee: dict[str, str | None]
    call: Call | None
    now: str


class MatchRow(BaseModel):
    """One line of the list of matches; ``damage`` says why one cannot be read."""

    id: int
    created: str
    sides: list[str]
    totals: list[int]
    is_over: bool
    damage: str | None = None


class Matches(BaseModel):
    """Matches, with which page of how many they are, and how many were found.

    ``next`` is the address of those that follow; null after the last.
    """

    matches: list[MatchRow]
    page: int
    pages: int
    total: int
    next: str | None


class Log(BaseModel):
    """A match's log, or a part of it, and how many events the whole one has."""

    events: list[LoggedEvent]
    total: int


class TakenIn(BaseModel):
    """The numbers that matches have here now."""

    matches: list[int]


class Figure(BaseModel):
    """A sum over n occasions."""

    total: int
    n: int
    mean: float | None


PlayerRow: Any = make_answer(
    "PlayerRow", PlayerStatistics, "One player's figures.", {RunningMean: Figure}
)


class Players(BaseModel):
    """Every player's figures."""

    players: list[PlayerRow]


class RuleOption(BaseModel):
    """What a rule set chooses, and where that stands."""

    value: Any
    source: str


class Rules(BaseModel):
    """A rule set."""

    name: str
    document: str
    options: dict[str, RuleOption]


class AllRules(BaseModel):
    """The rule sets."""

    rules: list[Rules]


class Photo(BaseModel):
    """A photograph that was handed in: its score once it is read, or why there is none."""

    key: str
    is_done: bool
    progress: str
    score: dict[str, Any] | None
    problem: str | None


class ShotRow(BaseModel):
    """A shot that was seen; the match and its round where there was one."""

    key: str
    match: int | None
    round: int | None
    number: int
    at: str
    colour_name: str | None
    verdict: str
    words: str


class Shots(BaseModel):
    """Shots, the newest first, with which page of how many they are."""

    shots: list[ShotRow]
    page: int
    pages: int
    total: int


class Plan(BaseModel):
    """The board from straight above: y downwards, mm from its centre."""

    picture: str
    half_mm: float
    foot_mm: float
    lines: list[str]
    hole: list[float]


class Picture(BaseModel):
    """One picture of a shot."""

    t_s: float
    address: str


class Shot(ShotRow):
    """A shot with its evidence, the discs after it, and its replay.

    ``video`` is MP4 and begins at the first picture's time; each picture is a frame of it.
    """

    told: dict[str, Any]
    discs: list[LiveDisc]
    teams: list[dict[str, Any]]
    pictures: list[Picture]
    video: str | None
    plan: Plan | None


class Referee(BaseModel):
    """What the referee does, and how fast."""

    status: Status
    is_running: bool
    pictures_per_s: float
    silent_s: float | None
    frames_sent: int
    frames_dropped: int
    restarts: int


class KeptHook(BaseModel):
    """A hook that is kept; its key signs what is sent, and is told once."""

    id: str
    url: str
    types: list[str]
    key: str | None = None


class Hooks(BaseModel):
    """All hooks."""

    hooks: list[KeptHook]


class NewToken(BaseModel):
    """The scorer's new token."""

    token: str
