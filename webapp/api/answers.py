"""The models of the API's answers, from which the OpenAPI document is made."""

from __future__ import annotations

from pydantic import BaseModel

from scorer.match.events import DiscInZone
from scorer.match.state import DisputeState
from scorer.match.statistics import PlayerStatistics, RunningMean
from scorer.practice.events import Drill, Outcome
from scorer.practice.figures import RestSpread, SuccessRate
from scorer.referee.events import RoundTotal, SeenTeam
from scorer.rules.sets import RuleSet
from scorer.store.board_store import NamedBoard
from scorer.store.practice_store import StoredPractice
from webapp.api.match_events import BoardDisc, LoggedEvent
from webapp.formats.event import FORMS, TYPE_FORMS
from webapp.formats.form_from_dataclass import FormMaker
from webapp.jobs.worker import Task
from webapp.live.live_boards import RoomState
from webapp.live.live_state import LiveState, Status
from webapp.live.match_summary import MatchRow
from webapp.pages.match.shot_json import ShotRow
from webapp.pages.practice.practice_page import PracticeView
from webapp.profile_store import StoredProfile


class Problem(BaseModel):
    """The error, in one sentence; for a failure of the server, ``id`` identifies it in the log."""

    error: str
    id: str | None = None


class Log(BaseModel):
    """A match's log, or a part of it, and the number of events in the whole log."""

    events: list[LoggedEvent]
    total: int


class KeptHook(BaseModel):
    """A saved webhook; its key signs all requests, and is shown once."""

    id: str
    url: str
    types: list[str]
    key: str | None = None


ANSWERS = FormMaker(
    BaseModel,
    {
        **TYPE_FORMS,
        DiscInZone: BoardDisc,
        SeenTeam: FORMS.find(SeenTeam),
        RoundTotal: FORMS.find(RoundTotal),
    },
    names={
        DisputeState: "Dispute",
        LiveState: "Live",
        NamedBoard: "BoardName",
        PlayerStatistics: "PlayerRow",
        RestSpread: "Spread",
        RoomState: "Boards",
    },
    are_all_required=True,
)
ANSWERS.select(
    "Figure",
    RunningMean,
    "total n mean",
    "A total over n rounds, shots or matches.",
    mean=float | None,
)
_RuleOption = ANSWERS.declare(
    "RuleOption", "An option's value in a rule set, and its source.", value=object, source=str
)
Rules = ANSWERS.select(
    "Rules",
    RuleSet,
    "name document options",
    "A rule set.",
    name=str,
    document=str,
    options=dict[str, _RuleOption],  # type: ignore[valid-type]
)
ANSWERS.select(
    "Share",
    SuccessRate,
    "successes shots share interval",
    "Successes and shots; ``interval`` contains the true share 95 times in 100.",
    share=float,
    interval=tuple[float, ...],
)
ANSWERS.make(
    DisputeState,
    doc="""A dispute; without a decision while it is open. ``shot`` names the saved shot.

    ``round`` numbers the round that it is about, ``missed`` how many of its shots nobody saw, by
    side in ``missed_by``; ``is_first``: nothing was shot in its round before those; ``by_camera``:
    no person brought it up.
    """,
)
ANSWERS.make(PlayerStatistics, doc="One player's figures.")
ANSWERS.make(
    RestSpread,
    doc="Where misses stopped, mm, seen from the player's seat: mean and standard deviation.",
)
_PRACTICE_TYPES = {
    "player": str,
    "drill": Drill,
    "shots": int,
    "outcomes": tuple[Outcome, ...],
    "successes": int,
    "is_over": bool,
}
PracticeRow = ANSWERS.select(
    "PracticeRow",
    StoredPractice,
    "id created player drill shots outcomes successes is_over",
    "One practice session; ``outcomes`` lists it shot by shot.",
    **_PRACTICE_TYPES,
)
Practice = ANSWERS.select(
    "Practice",
    PracticeView,
    "id created player drill shots outcomes successes is_over "
    "rate whole practices spread best to_beat is_record",
    """A practice session with its figures, the player's figures for this drill in all sessions,
    and the best result.
    """,
    id=int,
    created=str,
    practices=int,
    **_PRACTICE_TYPES,
)
ProfileRow = ANSWERS.select(
    "ProfileRow", StoredProfile, "key name made", "A calibrated board.", name=str, made=str
)
Profile = ANSWERS.select(
    "Profile",
    StoredProfile,
    "key profile",
    "A profile as written by the wizard.",
    profile=dict[str, object],
)
Photo = ANSWERS.select(
    "Photo",
    Task,
    "key is_done progress score problem",
    "A photo that was sent: its score once it is read, or the reason for a missing score.",
    key=str,
    score=dict[str, object] | None,
)
Calibration = ANSWERS.select(
    "Calibration",
    Task,
    "key is_done progress problem words profile",
    """A board measured in a photo: its profile once it is ready, or the reason for a missing one.

    ``words`` describe the fit, and contain any warnings.
    """,
    key=str,
    words=tuple[str, ...],
    profile=dict[str, object] | None,
)
#: The number of an answer's page, the number of pages, and the number of rows found.
_IN_PAGES = {"page": int, "pages": int, "total": int}
Matches = ANSWERS.declare(
    "Matches",
    """Matches, with the page's number, the number of pages, and the number of matches found.

    ``next`` is the address of the next page; null on the last.
    """,
    **_IN_PAGES,
    matches=tuple[MatchRow, ...],
    next=str | None,
)
Practices = ANSWERS.declare(
    "Practices",
    """Practices, the newest first, with the page's number and the number of pages.

    ``next`` is the address of the next page; null on the last.
    """,
    **_IN_PAGES,
    practices=tuple[PracticeRow, ...],  # type: ignore[valid-type]
    next=str | None,
)
Shots = ANSWERS.declare(
    "Shots",
    "Shots, the newest first, with the page's number and the number of pages.",
    **_IN_PAGES,
    shots=tuple[ShotRow, ...],
)
TakenIn = ANSWERS.declare(
    "TakenIn", "Numbers of the imported matches on this server.", matches=tuple[int, ...]
)
Players = ANSWERS.declare(
    "Players", "Figures of all players.", players=tuple[PlayerStatistics, ...]
)
AllRules = ANSWERS.declare(
    "AllRules",
    "The rule sets.",
    rules=tuple[Rules, ...],  # type: ignore[valid-type]
)
Profiles = ANSWERS.declare(
    "Profiles",
    "The calibrated boards, the newest first.",
    profiles=tuple[ProfileRow, ...],  # type: ignore[valid-type]
)
Hooks = ANSWERS.declare("Hooks", "All webhooks.", hooks=list[KeptHook])
NewToken = ANSWERS.declare("NewToken", "The scorer's new token.", token=str)
Referee = ANSWERS.declare(
    "Referee",
    "The referee's activity and speed.",
    status=Status,
    is_running=bool,
    pictures_per_s=float,
    silent_s=float | None,
    frames_sent=int,
    frames_dropped=int,
    restarts=int,
)
