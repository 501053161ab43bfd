"""The live board as a reducer: a state and an event of the referee give the next state.

States and events are plain JSON values: events those of ``crokinole watch``, states what of them a
room wants to see. Functions are pure. An event of an unknown type changes nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from enum import StrEnum
from typing import Any

from scorer.match.events import ScoreSource
from scorer.zones import CallCertainty
from webapp.live.ruling_messages import describe_fault, describe_removal

#: Units as they end a name, and as they follow a number.
_UNITS = {"_mm_s": "mm/s", "_mm": "mm", "_deg": "°", "_s": "s"}

#: What is said while one of two cameras is out.
_CAMERAS_OUT = (
    "The first camera is out, and the second goes on without it.",
    "The second camera is out, and the first goes on without it.",
)

LiveState = dict[str, Any]
RefereeEvent = Mapping[str, Any]


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
    return live | {"notice": None} if match and _is_put_right(live, match) else live


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
    if not left_out or not left_out["match"] or left_out["notice"] != live["notice"]:
        return False
    match_id, events = left_out["match"]
    return bool(match["id"] != match_id or match["events"] > events)


def _is_scored_by_hand(match: Mapping[str, Any]) -> bool:
    """Whether no round of a match was refereed, nor the one in play."""
    sources = {each["source"] for each in match["rounds"]}
    return bool(sources) and ScoreSource.SHOTS not in sources and not match["shots"]


def apply_event(live: LiveState, event: RefereeEvent) -> LiveState:
    """The state after an event."""
    reduce = _REDUCERS.get(str(event.get("type")))
    return live if reduce is None else reduce(live, event)


def _apply_board(live: LiveState, event: RefereeEvent) -> LiveState:
    return live | {
        "status": _status_at_rest(live),
        "is_moving": False,
        "is_hand": False,
        "discs": _mark_discs(event.get("discs", ())),
        "notice": " ".join(event.get("warnings", ())) or live["notice"],
        "teams": [dict(each) for each in event.get("teams", ())] or live["teams"],
    }


def _status_at_rest(live: LiveState) -> str:
    is_out = live["status"] == Status.NOT_REFEREEING
    return str(Status.NOT_REFEREEING if is_out else Status.REFEREEING)


def _mark_discs(
    discs: Sequence[Mapping[str, Any]], go: Sequence[Mapping[str, Any]] = ()
) -> list[Any]:
    """Discs, each with whether its call is close, as the event has it, and whether it must go."""
    to_go = {each.get("id") for each in go}
    return [
        {
            **disc,
            "is_close": disc["call"] == CallCertainty.CLOSE,
            "is_to_go": disc.get("id") in to_go,
        }
        for disc in discs
    ]


def _describe_contacts(contacts: Sequence[Sequence[str]] | None) -> str | None:
    """Which discs met, in the order in which they did; None where nobody saw."""
    if contacts is None:
        return None
    pairs = [f"{one} met {_name_partner(other)}" for one, other in contacts]
    return ", then ".join(pairs) if pairs else "no disc met another"


def _name_partner(name: str) -> str:
    if name.startswith("post:"):
        return "a post"
    return "the rail" if name == "outside" else name


def _shot_track(evidence: Mapping[str, Any]) -> list[list[float]]:
    """Where the disc shot went."""
    return [[each["x_mm"], each["y_mm"]] for each in evidence.get("track") or ()]


def _apply_shot(live: LiveState, event: RefereeEvent) -> LiveState:
    evidence = event.get("evidence") or {}
    teams = [dict(each) for each in event.get("teams", ())] or live["teams"]
    names = {each["team"]: each["colour_name"] for each in teams}
    verdict = {
        "what": event.get("verdict"),
        "number": int(event["index"]) + 1,
        "team": event.get("team"),
        "faults": [
            {
                "code": fault.get("code"),
                "rule": fault.get("rule"),
                "evidence": format_value(fault.get("evidence")),
                "words": describe_fault(fault),
            }
            for fault in event.get("faults", ())
        ],
        "remove": len(event["remove"]),
        "removal": describe_removal(event["remove"], event["after"], names),
        "account": evidence.get("account") or _describe_contacts(event.get("contacts")),
        "question": event.get("question"),
        "doubts": list(event.get("doubts") or ()),
        "track": _shot_track(evidence),
        "t_s": event.get("t_s"),
    }
    return live | {
        "status": _status_at_rest(live),
        "is_moving": False,
        "discs": _mark_discs(event["after"], event["remove"]),
        "teams": teams,
        "verdict": verdict,
        "notice": None,
        "shots": live["shots"] + 1,
    }


def _apply_motion(live: LiveState, _event: RefereeEvent) -> LiveState:
    return live | {"is_moving": True, "is_hand": False}


def _apply_hand(live: LiveState, _event: RefereeEvent) -> LiveState:
    return live | {"is_hand": True}


def _apply_not_refereeing(live: LiveState, event: RefereeEvent) -> LiveState:
    if event.get("over"):
        return live | {"status": str(Status.REFEREEING), "reason": None, "advice": None}
    sentences = {name: as_sentence(format_value(event.get(name))) for name in ("reason", "advice")}
    return live | {"status": str(Status.NOT_REFEREEING), **sentences}


def _apply_camera(live: LiveState, event: RefereeEvent) -> LiveState:
    if event.get("over"):
        return live | {"reason": None}
    out = _CAMERAS_OUT[int(event["camera"]) - 1]
    return live | {"reason": f"{out} {as_sentence(format_value(event.get('reason')))}"}


def _apply_slowed(live: LiveState, event: RefereeEvent) -> LiveState:
    words = (as_sentence(format_value(event.get(name))) for name in ("reason", "advice"))
    return live | {"notice": " ".join(each for each in words if each) or None}


def _apply_bump(live: LiveState, _event: RefereeEvent) -> LiveState:
    return live | {"notice": "The camera or the board was moved; measuring again."}


def _apply_recalibration(live: LiveState, _event: RefereeEvent) -> LiveState:
    is_back = live["status"] != Status.REFEREEING
    back = {"status": str(Status.REFEREEING), "reason": None, "advice": None} if is_back else {}
    return live | back | {"notice": "The board is measured again."}


def _apply_twenty(live: LiveState, event: RefereeEvent) -> LiveState:
    colour = next(
        (each["colour_name"] for each in live["teams"] if each["team"] == event.get("team")), ""
    )
    return live | {"notice": f"A 20 for {colour}!" if colour else "A 20!"}


def _apply_removal(live: LiveState, event: RefereeEvent) -> LiveState:
    gone = {each.get("id") for each in event.get("removed", ())}
    left = [each for each in live["discs"] if each.get("id") not in gone]
    warnings = " ".join(event.get("warnings", ()))
    verdict = live["verdict"]
    if verdict and not any(each["is_to_go"] for each in left):
        verdict = verdict | {"removal": ""}
    return live | {"discs": left, "notice": warnings or None, "verdict": verdict}


def _apply_round(live: LiveState, event: RefereeEvent) -> LiveState:
    return live | {"totals": [dict(each) for each in event.get("totals", ())], "shots": 0}


_REDUCERS: dict[str, Callable[[LiveState, RefereeEvent], LiveState]] = {
    "board": _apply_board,
    "shot": _apply_shot,
    "motion": _apply_motion,
    "hand": _apply_hand,
    "not_refereeing": _apply_not_refereeing,
    "slowed": _apply_slowed,
    "camera": _apply_camera,
    "bumped": _apply_bump,
    "recalibrated": _apply_recalibration,
    "twenty": _apply_twenty,
    "removal": _apply_removal,
    "round": _apply_round,
}


def as_sentence(words: str | None) -> str | None:
    """A clause as a sentence: with a capital, unless it begins with an address, and a full stop."""
    if not words:
        return None
    is_word = words.split()[0].rstrip(",").isalpha()
    begun = words[0].upper() + words[1:] if is_word else words
    return begun if begun.endswith((".", "!", "?")) else f"{begun}."


def format_value(value: Any) -> str | None:
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
