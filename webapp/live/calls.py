"""Calls for a room: a 20, a foul, a round's score, a win; each as one JSON value.

This is the one place where such sentences are made: ``words`` are shown, ``spoken`` is said. What
the referee saw and the match then records is called once: by the match where it knows whose discs
have which colour, and so knows the name, else by the referee.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from scorer.match.events import (
    BoardCorrected,
    CameraSaw,
    Disputed,
    Event,
    FoulCalled,
    RoundCorrected,
    RoundScored,
    Ruled,
    ShootoutPlayed,
    StarterSeen,
    TimeRanOut,
    TwentyCounted,
    Undone,
)
from scorer.referee.events import (
    NotRefereeingEvent,
    RoundEvent,
    ShotEvent,
    TwentyEvent,
    from_json,
)
from scorer.rules.judge_shot import Verdict
from webapp.live.live_state import Status, as_sentence
from webapp.live.ruling_messages import (
    call_faults,
    describe_called_foul,
    describe_fault,
)

Call = dict[str, Any]
Live = Mapping[str, Any]
Match = Mapping[str, Any]


def call_live_event(event: Mapping[str, Any], live: Live, match: Match | None) -> Call | None:
    """What is called of an event of the referee, with what it knows after it; None for nothing."""
    if event["type"] == "referee":
        return None
    match from_json(event):
        case ShotEvent() as shot:
            return _call_shot(shot, live, match)
        case TwentyEvent() as twenty:
            return _call_twenty(twenty, live, match)
        case RoundEvent() as ended:
            return _call_live_round(ended, live, match)
        case NotRefereeingEvent(over=False) if live["status"] == Status.NOT_REFEREEING:
            reason = str(live["reason"] or "")
            return make_call("alarm", "Not refereeing", reason, f"Not refereeing. {reason}".strip())
        case _:  # or the match is scored by hand, and the trouble is nobody's
            return None


def call_match_event(event: Event, match: Match, asked_shot: str | None) -> Call | None:
    """What is called of an event of the match as it stands after it; None for nothing.

    asked_shot  the shot about which the last call asked: its question becomes a dispute, which is
                not called again
    """
    if isinstance(event, Disputed) and asked_shot is not None and event.shot == asked_shot:
        return None
    make = _MATCH_CALLS.get(type(event))
    return None if make is None else make(event, match)


def make_call(
    kind: str,
    title: str,
    words: str,
    spoken: str,
    *,
    side: int | None = None,
    colour: str | None = None,
) -> Call:
    """A call.

    kind    "twenty", "legal", "foul", "question", "dispute", "ruling", "round", "win", "time",
            "alarm" or "correction"
    spoken  what is said; "" where nothing is
    side    whose it is, where that is known; ``colour`` of whose discs, ``#rrggbb``
    """
    return {
        "kind": kind,
        "title": title,
        "words": words,
        "spoken": spoken.replace(" & ", " and "),
        "side": side,
        "colour": colour,
    }


def find_side(colour_name: str | None, match: Match | None) -> int | None:
    """The side that plays with discs of a colour, in a match that is not over; else None."""
    if match is None or match["is_over"]:
        return None
    names = [side["colour_name"] for side in match["sides"]]
    return names.index(colour_name) if colour_name is not None and colour_name in names else None


def _find_team(live: Live, team: int) -> Mapping[str, Any]:
    return next((each for each in live["teams"] if each["team"] == team), {})


def _call_shot(event: ShotEvent, live: Live, match: Match | None) -> Call:
    team = _find_team(live, event.team)
    side = find_side(team.get("colour_name"), match)
    if event.verdict is Verdict.NEEDS_REVIEW:
        words = event.question or "Was the shot legal?"
        return make_call("question", "Needs a decision", words, "Needs a decision.", side=side)
    name = match["sides"][side]["name"] if match and side is not None else team.get("colour_name")
    if event.verdict is Verdict.LEGAL:
        return make_call(
            "legal", "Legal", str(name or ""), "", side=side, colour=team.get("colour")
        )
    what = "; ".join(describe_fault(fault) for fault in event.faults)
    words = as_sentence(f"{name or 'the shot'} {what}") or ""
    spoken = f"Foul: {call_faults(event.faults)}. {live['verdict']['removal']}".strip()
    return make_call("foul", "Foul", words, spoken, side=side, colour=team.get("colour"))


def _call_twenty(event: TwentyEvent, live: Live, match: Match | None) -> Call | None:
    team = _find_team(live, event.team)
    name = team.get("colour_name")
    if find_side(name, match) is not None:
        return None
    return make_call("twenty", "20", str(name or ""), f"Twenty, {name}.", colour=team.get("colour"))


def _call_live_round(event: RoundEvent, live: Live, match: Match | None) -> Call | None:
    totals = event.totals
    if not totals or any(find_side(total.colour_name, match) is not None for total in totals):
        return None
    names, points = [total.colour_name for total in totals], [total.points for total in totals]
    colours = [_find_team(live, total.team).get("colour") for total in totals]
    return _call_result(names, points, colours)


def _call_counted_twenty(event: TwentyCounted, match: Match) -> Call | None:
    side = match["sides"][event.side]
    if event.change < 0:
        return make_call(
            "correction", "Undone", f"{side['name']}: a 20 removed", "", side=event.side
        )
    name, colour = side["name"], side["colour"]
    return make_call("twenty", "20", name, f"Twenty, {name}.", side=event.side, colour=colour)


def _call_foul(event: FoulCalled, match: Match) -> Call:
    name, what = match["players"][event.player], describe_called_foul(event.foul)
    penalty = match["foul"]["penalty"] if match["foul"] else None
    spoken = f"Foul: {name} {what}." + (f" {penalty}" if penalty else "")
    return make_call("foul", "Foul", f"{name} {what}.", spoken)


def _call_round(_event: RoundScored, match: Match) -> Call:
    names = [side["name"] for side in match["sides"]]
    colours = [side["colour"] for side in match["sides"]]
    played = _call_result(names, match["rounds"][-1]["points"], colours)
    if not match["is_over"]:
        leader = max(match["sides"], key=lambda side: side["total"])
        said = [played["spoken"], f"Hammer: {match['hammer']}."]
        if leader["needs"] is not None:
            said.insert(1, f"{leader['name']} needs {leader['needs']}.")
        return played | {"spoken": " ".join(said)}
    won = _call_win(match)
    return won | {"spoken": f"{played['spoken']} {won['spoken']}"}


def _call_result(
    names: Sequence[str], points: Sequence[int], colours: Sequence[str | None]
) -> Call:
    """A round's score and its winner."""
    told = list_scores(names, points)
    best = [side for side, point in enumerate(points) if point == max(points)]
    if len(best) > 1:
        return make_call("round", "The round is a draw", told, f"{told}.")
    who = names[best[0]]
    title = f"{who} win the round" if _are_several(who) else f"{who} wins the round"
    return make_call("round", title, told, f"{told}.", side=best[0], colour=colours[best[0]])


def _call_win(match: Match) -> Call:
    """Who won the match, or that nobody did."""
    sides = match["sides"]
    told = list_scores([side["name"] for side in sides], [side["total"] for side in sides])
    place = next((k for k, side in enumerate(sides) if side["is_winner"]), None)
    if place is None:
        return make_call("win", "The match is tied", told, "The match is tied.")
    who = sides[place]["name"]
    title = f"{who} win the match" if _are_several(who) else f"{who} wins the match"
    return make_call("win", title, told, f"{title}.", side=place, colour=sides[place]["colour"])


def _call_shootout(_event: ShootoutPlayed, match: Match) -> Call | None:
    return _call_win(match) if match["is_over"] else None


def _call_correction(_event: Undone | RoundCorrected, match: Match) -> Call:
    told = list_scores(
        [side["name"] for side in match["sides"]], [side["total"] for side in match["sides"]]
    )
    return make_call("correction", "Corrected", told, f"Corrected. {told}.")


def _call_colour(_event: CameraSaw, match: Match) -> Call | None:
    """The question who plays a colour, asked once: with the first sighting that waits for it."""
    asked = _find_question(match, "colour")
    if asked is None or match["waiting"] != 1:
        return None
    return make_call("question", "Needs a decision", asked["words"], asked["words"])


def _call_starter(_event: StarterSeen, match: Match) -> Call | None:
    asked = _find_question(match, "starter")
    if asked is None or not asked["is_open"]:
        return None
    return make_call("question", "Needs a decision", asked["words"], "Needs a decision.")


def _find_question(match: Match, kind: str) -> Mapping[str, Any] | None:
    return next((each for each in match["questions"] if each["kind"] == kind), None)


_MATCH_CALLS: Mapping[type[Any], Callable[[Any, Match], Call | None]] = {
    TwentyCounted: _call_counted_twenty,
    FoulCalled: _call_foul,
    RoundScored: _call_round,
    ShootoutPlayed: _call_shootout,
    RoundCorrected: _call_correction,
    Undone: _call_correction,
    Disputed: lambda event, _match: make_call("dispute", "Dispute", event.about, "Dispute."),
    BoardCorrected: lambda event, _match: make_call(
        "question", "Needs a decision", event.about, "Needs a decision."
    ),
    Ruled: lambda event, _match: make_call(
        "ruling", "Ruling", event.decision, f"Ruling: {event.decision}"
    ),
    TimeRanOut: lambda _event, match: make_call("time", "Time!", "", match["next"]),
    CameraSaw: _call_colour,
    StarterSeen: _call_starter,
}


def list_scores(names: Sequence[str], points: Sequence[int]) -> str:
    """Names with their points: "Ann 45, Bob 30"."""
    return ", ".join(f"{name} {point}" for name, point in zip(names, points, strict=True))


def _are_several(name: str) -> bool:
    """Whether a side's name is that of partners, or of several sides."""
    return " & " in name or " and " in name
