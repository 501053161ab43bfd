"""The live board as a reducer: a state and an event of the referee give the next state.

States are plain JSON values, and hold what of the events a room wants to see. Functions are pure.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import Any, assert_never

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
    SeenDisc,
    ShotEvent,
    SlowedEvent,
    TwentyEvent,
    to_plain,
)
from scorer.zones import CallCertainty
from webapp.live.ruling_messages import describe_fault, describe_removal

#: Units as they end a name, and as they follow a number.
_UNITS = {"_mm_s": "mm/s", "_mm": "mm", "_deg": "°", "_s": "s"}

#: What is said while one of two cameras is out.
_CAMERAS_OUT = (
    "The first camera has stopped. Refereeing continues with the second.",
    "The second camera has stopped. Refereeing continues with the first.",
)

LiveState = dict[str, Any]
_SEES_AGAIN = {"status": "refereeing", "reason": None, "advice": None}


class Status(StrEnum):
    """What the referee is doing."""

    OFF = "off"
    STARTING = "starting"
    REFEREEING = "refereeing"
    NOT_REFEREEING = "not_refereeing"
    PAUSED = "paused"
    ENDED = "ended"
    FAILED = "failed"


def make_off_state() -> LiveState:
    """Nobody watches the board."""
    return {
        "status": str(Status.OFF),
        "source": None,
        "reason": None,
        "advice": None,
        "is_moving": False,
        "is_hand": False,
        "discs": [],
        "teams": [],
        "verdict": None,
        "notice": None,
        "left_out": None,
        "judged_in": None,
        "totals": [],
        "shots": 0,
        "plan": None,
    }


def make_starting_state(source: str) -> LiveState:
    """The referee looks for the board."""
    return make_off_state() | {"status": str(Status.STARTING), "source": source}


def mark_stopped(
    live: LiveState, status: Status, reason: str | None = None, advice: str | None = None
) -> LiveState:
    """The referee does not watch any more, or not now."""
    return live | {
        "status": str(status),
        "reason": as_sentence(reason),
        "advice": advice,
        "is_moving": False,
        "is_hand": False,
    }


def tell_room(live: LiveState, match: Mapping[str, Any] | None) -> LiveState:
    """The live board as a room is told of it.

    While a match (``webapp.live.match_summary``) is scored by hand, a camera that sees nothing
    is nobody's trouble: then nobody watches. What was not entered is told until somebody entered
    something since, or began another match.
    """
    is_alarm = live["status"] in (Status.NOT_REFEREEING, Status.FAILED)
    if is_alarm and match and _is_scored_by_hand(match):
        return make_off_state()
    return live | _say(None) if match and _is_put_right(live, match) else live


def drop_past_verdict(live: LiveState, match: Mapping[str, Any] | None) -> LiveState:
    """The live board without a verdict of a round that is over, or of a time before the match."""
    if match is None or live["judged_in"] == [match["id"], len(match["rounds"]) + 1]:
        return live
    return live | {"verdict": None}


def drop_ended_board(live: LiveState, match: Mapping[str, Any] | None) -> LiveState:
    """The live board without the discs of a source that ended in an earlier round or match."""
    if live["status"] != Status.ENDED or live["judged_in"] is None or match is None:
        return live
    if live["judged_in"] == [match["id"], len(match["rounds"]) + 1]:
        return live
    empty = make_off_state()
    if live["judged_in"][0] != match["id"]:
        return empty
    return live | {name: empty[name] for name in ("discs", "teams", "totals", "shots", "plan")}


def _is_put_right(live: LiveState, match: Mapping[str, Any]) -> bool:
    """Whether the notice is of what was not entered, and the match has changed since."""
    left_out = live["left_out"]
    if not left_out or not left_out["match"]:
        return False
    match_id, events = left_out["match"]
    return bool(match["id"] != match_id or match["events"] > events)


def _is_scored_by_hand(match: Mapping[str, Any]) -> bool:
    """Whether no round of a match was refereed, nor the one in play."""
    sources = {each["source"] for each in match["rounds"]}
    return bool(sources) and ScoreSource.SHOTS not in sources and not match["shots"]


def apply_event(live: LiveState, event: Event) -> LiveState:
    """The state after an event."""
    match event:
        case BoardEvent():
            return _apply_board(live, event)
        case ShotEvent():
            return _apply_shot(live, event)
        case MotionEvent():
            return live | {"is_moving": True, "is_hand": False}
        case HandEvent():
            return live | {"is_hand": True}
        case NotRefereeingEvent(over=True):
            return live | _SEES_AGAIN
        case NotRefereeingEvent():
            why = {"reason": as_sentence(event.reason), "advice": as_sentence(event.advice)}
            return live | {"status": str(Status.NOT_REFEREEING), **why}
        case SlowedEvent():
            sentences = filter(None, map(as_sentence, (event.reason, event.advice)))
            return live | _say(" ".join(sentences) or None)
        case CameraEvent(over=True):
            return live | {"reason": None}
        case CameraEvent():
            out = _CAMERAS_OUT[event.camera - 1]
            return live | {"reason": f"{out} {as_sentence(event.reason)}"}
        case BumpedEvent():
            return live | _say("The camera or board moved. Measuring again.")
        case RecalibratedEvent():
            back = {} if live["status"] == Status.REFEREEING else _SEES_AGAIN
            return live | back | _say("The board has been measured again.")
        case TwentyEvent():
            teams = {team["team"]: team["colour_name"] for team in live["teams"]}
            colour = teams.get(event.team)
            return live | _say(f"A 20 for {colour}!" if colour else "A 20!")
        case RemovalEvent():
            return _apply_removal(live, event)
        case RoundEvent():
            return live | {"totals": to_plain(event.totals), "shots": 0}
        case EndedEvent():
            return live
        case _:
            assert_never(event)


def _say(notice: str | None) -> LiveState:
    """A notice, in place of one that something was not entered."""
    return {"notice": notice, "left_out": None}


def _apply_board(live: LiveState, event: BoardEvent) -> LiveState:
    said = _say(" ".join(event.warnings)) if event.warnings else {}
    return (
        live
        | said
        | {
            "status": _status_at_rest(live),
            "is_moving": False,
            "is_hand": False,
            "discs": _mark_discs(event.discs),
            "teams": to_plain(event.teams) or live["teams"],
        }
    )


def _status_at_rest(live: LiveState) -> str:
    is_out = live["status"] == Status.NOT_REFEREEING
    return str(Status.NOT_REFEREEING if is_out else Status.REFEREEING)


def _mark_discs(discs: Sequence[SeenDisc], go: Sequence[SeenDisc] = ()) -> list[LiveState]:
    """Discs, each with whether its call is close, as the event has it, and whether it must go."""
    to_go = {disc.id for disc in go}
    return [
        {
            **to_plain(disc),
            "is_close": disc.call is CallCertainty.CLOSE,
            "is_to_go": disc.id in to_go,
        }
        for disc in discs
    ]


def _describe_contacts(contacts: Sequence[tuple[str, str]]) -> str:
    """Which discs met, in the order in which they did."""
    pairs = [f"{one} hit {_name_partner(other)}" for one, other in contacts]
    return ", then ".join(pairs) if pairs else "no discs hit each other"


def _name_partner(name: str) -> str:
    if name.startswith("post:"):
        return "a post"
    return "the rail" if name == "outside" else name


def _apply_shot(live: LiveState, event: ShotEvent) -> LiveState:
    teams = to_plain(event.teams) or live["teams"]
    names = {team["team"]: team["colour_name"] for team in teams}
    verdict = {
        "what": str(event.verdict),
        "number": event.index + 1,
        "team": event.team,
        "faults": [
            {
                "code": str(fault.code),
                "rule": fault.rule,
                "evidence": format_value(fault.evidence),
                "words": describe_fault(fault),
            }
            for fault in event.faults
        ],
        "remove": len(event.remove),
        "removal": describe_removal(event.remove, event.after, names),
        "account": event.evidence.account or _describe_contacts(event.contacts),
        "question": event.question,
        "doubts": list(event.doubts),
        "track": [[point.x_mm, point.y_mm] for point in event.evidence.track],
        "t_s": event.t_s,
    }
    return live | {
        "status": _status_at_rest(live),
        "is_moving": False,
        "discs": _mark_discs(event.after, event.remove),
        "teams": teams,
        "verdict": verdict,
        "shots": live["shots"] + 1,
        **_say(None),
    }


def _apply_removal(live: LiveState, event: RemovalEvent) -> LiveState:
    gone = {disc.id for disc in event.removed}
    left = [disc for disc in live["discs"] if disc["id"] not in gone]
    verdict = live["verdict"]
    if verdict and not any(disc["is_to_go"] for disc in left):
        verdict = verdict | {"removal": ""}
    return live | _say(" ".join(event.warnings) or None) | {"discs": left, "verdict": verdict}


def as_sentence(words: str | None) -> str | None:
    """A clause as a sentence: with a capital, unless it begins with an address, and a full stop."""
    if not words:
        return None
    is_word = words.split()[0].rstrip(",").isalpha()
    begun = words[0].upper() + words[1:] if is_word else words
    return begun if begun.endswith((".", "!", "?")) else f"{begun}."


def format_value(value: object) -> str | None:
    """A value of evidence as a person reads it; None where there is none."""
    if value is None or value == "" or value == {} or value == []:
        return None
    if isinstance(value, Mapping):
        parts = (
            _name_value(name, words)
            for name, each in value.items()
            if (words := format_value(each)) is not None
        )
        return ", ".join(parts) or None
    if isinstance(value, list | tuple):
        return (
            ", ".join(words for each in value if (words := format_value(each)) is not None) or None
        )
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:.3g}" if isinstance(value, float) else str(value)


def _name_value(name: str, words: str) -> str:
    """A value with what it is: a reason needs no name, and a unit stands behind its number."""
    if name == "why":
        return words
    for ending, unit in _UNITS.items():
        if name.endswith(ending):
            return f"{name.removesuffix(ending).replace('_', ' ')} {words} {unit}"
    return f"{name.replace('_', ' ')} {words}"
