"""What the referee's events make of the live board that everybody sees.

Knows the events of ``crokinole watch`` and what of them a room wants to see. Pure: a state and an
event give the next state. Refuses to know where events come from.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from enum import StrEnum
from typing import Any

from scorer.zones import Call

#: Units as they end a name, and as they follow a number.
_UNITS = {"_mm_s": "mm/s", "_mm": "mm", "_deg": "°", "_s": "s"}

Live = dict[str, Any]
SeenEvent = Mapping[str, Any]


class Status(StrEnum):
    """What the referee is doing."""

    OFF = "off"
    STARTING = "starting"
    REFEREEING = "refereeing"
    NOT_REFEREEING = "not_refereeing"
    PAUSED = "paused"
    ENDED = "ended"
    FAILED = "failed"


def off() -> Live:
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
        "totals": [],
        "shots": 0,
        "plan": None,
    }


def starting(source: str) -> Live:
    """The referee looks for the board."""
    return off() | {"status": str(Status.STARTING), "source": source}


def stopped(
    live: Live, status: Status, reason: str | None = None, advice: str | None = None
) -> Live:
    """The referee does not watch any more, or not now."""
    return live | {
        "status": str(status),
        "reason": as_sentence(reason),
        "advice": advice,
        "is_moving": False,
        "is_hand": False,
    }


def seen(live: Live, event: SeenEvent) -> Live:
    """The state after an event."""
    step = _STEPS.get(str(event.get("type")))
    return live if step is None else step(live, event)


def _board(live: Live, event: SeenEvent) -> Live:
    return live | {
        "status": _still_out_or_refereeing(live),
        "is_moving": False,
        "is_hand": False,
        "discs": _discs(event.get("discs", ())),
        "notice": " ".join(event.get("warnings", ())) or live["notice"],
        "teams": [dict(each) for each in event.get("teams", ())] or live["teams"],
    }


def _still_out_or_refereeing(live: Live) -> str:
    is_out = live["status"] == Status.NOT_REFEREEING
    return str(Status.NOT_REFEREEING if is_out else Status.REFEREEING)


def _discs(discs: Sequence[Mapping[str, Any]], go: Sequence[Mapping[str, Any]] = ()) -> list[Any]:
    """Discs, each with whether its call is close, as the event has it, and whether it must go."""
    to_go = {each.get("id") for each in go}
    return [
        {
            **disc,
            "is_close": disc["call"] == Call.CLOSE,
            "is_to_go": disc.get("id") in to_go,
        }
        for disc in discs
    ]


def _met(contacts: Sequence[Sequence[str]] | None) -> str | None:
    """Which discs met, in the order in which they did; None where nobody saw."""
    if contacts is None:
        return None
    pairs = [f"{one} met {_partner(other)}" for one, other in contacts]
    return ", then ".join(pairs) if pairs else "no disc met another"


def _partner(name: str) -> str:
    if name.startswith("post:"):
        return "a post"
    return "the rail" if name == "outside" else name


def _track(evidence: Mapping[str, Any]) -> list[list[float]]:
    """Where the disc shot went."""
    return [[each["x_mm"], each["y_mm"]] for each in evidence.get("track") or ()]


def _shot(live: Live, event: SeenEvent) -> Live:
    evidence = event.get("evidence") or {}
    verdict = {
        "what": event.get("verdict"),
        "number": int(event["index"]) + 1,
        "team": event.get("team"),
        "faults": [
            {
                "code": fault.get("code"),
                "rule": fault.get("rule"),
                "evidence": in_words(fault.get("evidence")),
            }
            for fault in event.get("faults", ())
        ],
        "remove": len(event["remove"]),
        "account": evidence.get("account") or _met(event.get("contacts")),
        "question": event.get("question"),
        "doubts": list(event.get("doubts") or ()),
        "track": _track(evidence),
        "t_s": event.get("t_s"),
    }
    return live | {
        "status": _still_out_or_refereeing(live),
        "is_moving": False,
        "discs": _discs(event["after"], event["remove"]),
        "teams": [dict(each) for each in event.get("teams", ())] or live["teams"],
        "verdict": verdict,
        "notice": None,
        "shots": live["shots"] + 1,
    }


def _motion(live: Live, _event: SeenEvent) -> Live:
    return live | {"is_moving": True, "is_hand": False}


def _hand(live: Live, _event: SeenEvent) -> Live:
    return live | {"is_hand": True}


def _out(live: Live, event: SeenEvent) -> Live:
    if event.get("over"):
        return live | {"status": str(Status.REFEREEING), "reason": None, "advice": None}
    told = {name: as_sentence(in_words(event.get(name))) for name in ("reason", "advice")}
    return live | {"status": str(Status.NOT_REFEREEING), **told}


def _bumped(live: Live, _event: SeenEvent) -> Live:
    return live | {"notice": "The camera or the board was moved; measuring again."}


def _recalibrated(live: Live, _event: SeenEvent) -> Live:
    back = {"status": str(Status.REFEREEING), "reason": None, "advice": None}
    return live | back | {"notice": "The board is measured again."}


def _twenty(live: Live, event: SeenEvent) -> Live:
    colour = next(
        (each["colour_name"] for each in live["teams"] if each["team"] == event.get("team")), ""
    )
    return live | {"notice": f"A 20 for {colour}!" if colour else "A 20!"}


def _removal(live: Live, event: SeenEvent) -> Live:
    gone = {each.get("id") for each in event.get("removed", ())}
    left = [each for each in live["discs"] if each.get("id") not in gone]
    warnings = " ".join(event.get("warnings", ()))
    return live | {"discs": left, "notice": warnings or None}


def _round(live: Live, event: SeenEvent) -> Live:
    return live | {"totals": [dict(each) for each in event.get("totals", ())], "shots": 0}


_STEPS: dict[str, Callable[[Live, SeenEvent], Live]] = {
    "board": _board,
    "shot": _shot,
    "motion": _motion,
    "hand": _hand,
    "not_refereeing": _out,
    "bumped": _bumped,
    "recalibrated": _recalibrated,
    "twenty": _twenty,
    "removal": _removal,
    "round": _round,
}


def as_sentence(words: str | None) -> str | None:
    """A clause as a sentence: with a capital, unless it begins with an address, and a full stop."""
    if not words:
        return None
    is_word = words.split()[0].rstrip(",").isalpha()
    begun = words[0].upper() + words[1:] if is_word else words
    return begun if begun.endswith((".", "!", "?")) else f"{begun}."


def in_words(value: Any) -> str | None:
    """Evidence as a person reads it; None where there is none."""
    if value is None or value == "" or value == {} or value == []:
        return None
    if isinstance(value, Mapping):
        parts = (
            _named(name, words)
            for name, each in value.items()
            if (words := in_words(each)) is not None
        )
        return ", ".join(parts) or None
    if isinstance(value, list | tuple):
        return ", ".join(words for each in value if (words := in_words(each)) is not None) or None
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:.3g}" if isinstance(value, float) else str(value)


def _named(name: str, words: str) -> str:
    """A value with what it is: a reason needs no name, and a unit stands behind its number."""
    if name == "why":
        return words
    for ending, unit in _UNITS.items():
        if name.endswith(ending):
            return f"{name.removesuffix(ending).replace('_', ' ')} {words} {unit}"
    return f"{name.replace('_', ' ')} {words}"
