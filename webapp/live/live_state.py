"""The live board as a reducer: a state and an event of the referee give the next state.

A state holds the facts that are shown to viewers. The functions are pure.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields, replace
from enum import StrEnum
from typing import assert_never

from calibration.phrase import DiscName, Phrase, join, term
from scorer.match.events import ScoreSource
from scorer.referee.events import (
    BoardEvent,
    BumpedEvent,
    CameraEvent,
    EndedEvent,
    Event,
    HandEvent,
    MotionEvent,
    NotRefereeingEvent,
    RecalibratedEvent,
    RemovalEvent,
    RoundEvent,
    RoundTotal,
    SeenDisc,
    SeenTeam,
    ShotEvent,
    SlowedEvent,
    TwentyEvent,
)
from scorer.rules.judge_shot import Verdict
from scorer.zones import CallCertainty
from webapp.live.match_summary import Match
from webapp.live.ruling_messages import describe_evidence, describe_fault, describe_removal

#: Messages while one of two cameras is out.
_CAMERAS_OUT = (
    Phrase("The first camera has stopped. Refereeing continues with the second."),
    Phrase("The second camera has stopped. Refereeing continues with the first."),
)


class Status(StrEnum):
    """The referee's activity."""

    OFF = "off"
    STARTING = "starting"
    REFEREEING = "refereeing"
    NOT_REFEREEING = "not_refereeing"
    PAUSED = "paused"
    ENDED = "ended"
    FAILED = "failed"


@dataclass(frozen=True, slots=True, kw_only=True)
class LiveDisc(SeenDisc):
    """A disc that the referee sees, whether its call is close, and whether it must be removed."""

    is_close: bool
    is_to_go: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class LiveFault:
    """The faults of a shot, in words."""

    code: str
    rule: str
    evidence: str | None
    words: str


@dataclass(frozen=True, slots=True, kw_only=True)
class LiveVerdict:
    """The last shot's verdict.

    removal  the discs to remove, in a sentence; "" for none, or once they are gone
    account  the contacts of the shot
    track    seen places of the shot disc, mm
    shot     the name under which the shot is saved; "" if it is not
    """

    what: Verdict
    number: int
    team: int
    faults: tuple[LiveFault, ...]
    remove: int
    removal: str
    account: str
    question: str | None
    doubts: tuple[str, ...]
    track: tuple[tuple[float, float], ...]
    t_s: float
    shot: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class NotEntered:
    """Why an observation was not entered; ``match``: the match at that time, and its number of
    events.
    """

    notice: str
    match: tuple[int, int] | None


@dataclass(frozen=True, slots=True, kw_only=True)
class LiveState:
    """The referee's current state.

    judged_in  the match of the verdict, and the number of its round
    plan       the name of the saved board from above
    """

    status: Status = Status.OFF
    source: str | None = None
    reason: str | None = None
    advice: str | None = None
    is_moving: bool = False
    is_hand: bool = False
    discs: tuple[LiveDisc, ...] = ()
    teams: tuple[SeenTeam, ...] = ()
    verdict: LiveVerdict | None = None
    notice: str | None = None
    left_out: NotEntered | None = None
    judged_in: tuple[int | None, int | None] | None = None
    totals: tuple[RoundTotal, ...] = ()
    shots: int = 0
    plan: str | None = None

    def find_team(self, team: int) -> SeenTeam | None:
        """The team with this number; None if it was never seen."""
        return next((seen for seen in self.teams if seen.team == team), None)


def mark_stopped(
    live: LiveState, status: Status, reason: str | None = None, advice: str | None = None
) -> LiveState:
    """The state when the referee no longer watches, or pauses."""
    return replace(
        live,
        status=status,
        reason=as_sentence(reason),
        advice=advice,
        is_moving=False,
        is_hand=False,
    )


def room_state(live: LiveState, match: Match | None) -> LiveState:
    """The live board as shown to viewers.

    While a match is scored by hand, a camera without a view does not matter, and no referee is
    shown. An observation that was not entered is shown until the next entry or match.
    """
    is_alarm = live.status in (Status.NOT_REFEREEING, Status.FAILED)
    if is_alarm and match and _is_scored_by_hand(match):
        return LiveState()
    return _say(live, None) if match and _is_put_right(live, match) else live


def drop_past_verdict(live: LiveState, match: Match | None) -> LiveState:
    """The live board without a verdict of a finished round, or of a time before the match."""
    if match is None or live.judged_in == (match.id, len(match.rounds) + 1):
        return live
    return replace(live, verdict=None)


def drop_ended_board(live: LiveState, match: Match | None) -> LiveState:
    """The live board without the discs of a source that ended in an earlier round or match."""
    if live.status is not Status.ENDED or live.judged_in is None or match is None:
        return live
    if live.judged_in == (match.id, len(match.rounds) + 1):
        return live
    if live.judged_in[0] != match.id:
        return LiveState()
    return replace(live, discs=(), teams=(), totals=(), shots=0, plan=None)


def _is_put_right(live: LiveState, match: Match) -> bool:
    """Whether the notice is about an observation that was not entered, and the match has changed
    since.
    """
    if live.left_out is None or live.left_out.match is None:
        return False
    match_id, events = live.left_out.match
    return match.id != match_id or match.events > events


def _is_scored_by_hand(match: Match) -> bool:
    """Whether no round of a match was refereed, including the current one."""
    sources = {result.source for result in match.rounds}
    return bool(sources) and ScoreSource.SHOTS not in sources and not match.shots


def apply_event(live: LiveState, event: Event) -> LiveState:
    """The state after an event."""
    match event:
        case BoardEvent():
            return _apply_board(live, event)
        case ShotEvent():
            return _apply_shot(live, event)
        case MotionEvent():
            return replace(live, is_moving=True, is_hand=False)
        case HandEvent():
            return replace(live, is_hand=True)
        case NotRefereeingEvent(over=True):
            return _see_again(live)
        case NotRefereeingEvent():
            reason, advice = as_sentence(event.reason), as_sentence(event.advice)
            return replace(live, status=Status.NOT_REFEREEING, reason=reason, advice=advice)
        case SlowedEvent():
            return _say_all(live, (event.reason, event.advice))
        case CameraEvent(over=True):
            return replace(live, reason=None)
        case CameraEvent():
            out = _CAMERAS_OUT[event.camera - 1]
            return replace(live, reason=join(" ", (out, as_sentence(event.reason))))
        case BumpedEvent():
            return _say(live, Phrase("The camera or board moved. Measuring the board again."))
        case RecalibratedEvent():
            back = live if live.status is Status.REFEREEING else _see_again(live)
            return _say(back, Phrase("The board has been measured again."))
        case TwentyEvent():
            team = live.find_team(event.team)
            colour = team.colour_name if team else None
            return _say(
                live,
                Phrase("A 20 for %(colour)s!", colour=term(colour)) if colour else Phrase("A 20!"),
            )
        case RemovalEvent():
            return _apply_removal(live, event)
        case RoundEvent():
            return replace(live, totals=event.totals, shots=0)
        case EndedEvent():
            return live
        case _:
            assert_never(event)


def _see_again(live: LiveState) -> LiveState:
    return replace(live, status=Status.REFEREEING, reason=None, advice=None)


def _say(live: LiveState, notice: str | None) -> LiveState:
    """A notice that replaces the one about an observation that was not entered."""
    return replace(live, notice=notice, left_out=None)


def _say_all(live: LiveState, clauses: Iterable[str | None]) -> LiveState:
    return _say(live, join(" ", filter(None, map(as_sentence, clauses))) or None)


def _apply_board(live: LiveState, event: BoardEvent) -> LiveState:
    said = _say_all(live, event.warnings) if event.warnings else live
    return replace(
        said,
        status=_status_at_rest(live),
        is_moving=False,
        is_hand=False,
        discs=_mark_discs(event.discs),
        teams=event.teams or live.teams,
    )


def _status_at_rest(live: LiveState) -> Status:
    is_out = live.status is Status.NOT_REFEREEING
    return Status.NOT_REFEREEING if is_out else Status.REFEREEING


def _mark_discs(discs: Sequence[SeenDisc], go: Sequence[SeenDisc] = ()) -> tuple[LiveDisc, ...]:
    """Discs with the event's close calls, and whether they must be removed."""
    to_go = {disc.id for disc in go}
    return tuple(
        LiveDisc(
            **{field.name: getattr(disc, field.name) for field in fields(disc)},
            is_close=disc.call is CallCertainty.CLOSE,
            is_to_go=disc.id in to_go,
        )
        for disc in discs
    )


def _describe_contacts(contacts: Sequence[tuple[str, str]]) -> str:
    """The discs that touched, in order."""
    pairs = [
        Phrase("%(disc)s hit %(struck)s", disc=DiscName(one), struck=_name_partner(other))
        for one, other in contacts
    ]
    return join(Phrase(", then "), pairs) if pairs else Phrase("no discs hit each other")


def _name_partner(name: str) -> str:
    if name.startswith("post:"):
        return Phrase("a post")
    return Phrase("the rail") if name == "outside" else DiscName(name)


def _apply_shot(live: LiveState, event: ShotEvent) -> LiveState:
    teams = event.teams or live.teams
    verdict = LiveVerdict(
        what=event.verdict,
        number=event.index + 1,
        team=event.team,
        faults=tuple(
            LiveFault(
                code=str(fault.code),
                rule=fault.rule,
                evidence=join(" · ", describe_evidence(fault.evidence)) or None,
                words=describe_fault(fault),
            )
            for fault in event.faults
        ),
        remove=len(event.remove),
        removal=describe_removal(
            event.remove, event.after, {team.team: team.colour_name for team in teams}
        ),
        account=event.evidence.account or _describe_contacts(event.contacts),
        question=event.question,
        doubts=event.doubts,
        track=tuple((point.x_mm, point.y_mm) for point in event.evidence.track),
        t_s=event.t_s,
    )
    return replace(
        _say(live, None),
        status=_status_at_rest(live),
        is_moving=False,
        discs=_mark_discs(event.after, event.remove),
        teams=teams,
        verdict=verdict,
        shots=live.shots + 1,
    )


def _apply_removal(live: LiveState, event: RemovalEvent) -> LiveState:
    gone = {disc.id for disc in event.removed}
    left = tuple(disc for disc in live.discs if disc.id not in gone)
    verdict = live.verdict
    if verdict and not any(disc.is_to_go for disc in left):
        verdict = replace(verdict, removal="")
    return replace(_say_all(live, event.warnings), discs=left, verdict=verdict)


def as_sentence(words: str | None) -> str | None:
    """A clause as a sentence: with a capital, unless it begins with an address, and a full stop."""
    if not words:
        return None
    is_word = words.split()[0].rstrip(",").isalpha()
    gap = "%(words)S" if is_word else "%(words)s"
    return Phrase(gap if words.endswith((".", "!", "?")) else f"{gap}.", words=words)
