"""Calls for viewers: a 20, a foul, a round's score, a win.

All such sentences are made here: ``words`` are shown, ``spoken`` is spoken aloud. An event that the
referee saw and the match records is called once: by the match if it knows the colour's side, and so
its name, and otherwise by the referee.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from calibration.phrase import Phrase, finish, join, term
from scorer.match.descriptions import join_amounts
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
from scorer.rules.choices import Format
from scorer.rules.judge_shot import Verdict
from webapp.live.live_state import LiveState, Status
from webapp.live.match_summary import Match
from webapp.live.questions import MatchQuestion
from webapp.live.ruling_messages import (
    CALLED_FOULS,
    call_faults,
    describe_fault,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """The last call: ``words`` to be shown, ``spoken`` to be spoken, once per id.

    kind    "twenty", "legal", "foul", "question", "dispute", "ruling", "round", "win", "time",
            "alarm" or "correction"
    side    its side, if known; ``colour`` of the discs, ``#rrggbb``
    """

    id: str = ""
    at: str = ""
    kind: str
    title: str
    words: str
    spoken: str
    side: int | None = None
    colour: str | None = None


def call_live_event(
    event: Mapping[str, object], live: LiveState, match: Match | None
) -> Call | None:
    """The call for an event of the referee, with its state after it; None for no call."""
    if event["type"] == "referee":
        return None
    match from_json(event):
        case ShotEvent() as shot:
            return _call_shot(shot, live, match)
        case TwentyEvent() as twenty:
            return _call_twenty(twenty, live, match)
        case RoundEvent() as ended:
            return _call_live_round(ended, live, match)
        case NotRefereeingEvent(over=False) if live.status is Status.NOT_REFEREEING:
            reason = live.reason or ""
            said = join(" ", filter(None, (Phrase("Not refereeing."), reason)))
            return Call(kind="alarm", title=Phrase("Not refereeing"), words=reason, spoken=said)
        case _:  # or the match is scored by hand, so the problem does not matter
            return None


def call_match_event(event: Event, match: Match, asked_shot: str | None) -> Call | None:
    """The call for an event of the match, with its state after it; None for no call.

    asked_shot  the shot that the last call asked about: its question becomes a dispute, which is
                not called again
    """
    match event:
        case Disputed(shot=shot) if asked_shot is not None and shot == asked_shot:
            return None
        case Disputed():
            return Call(
                kind="dispute",
                title=Phrase("Dispute"),
                words=event.about,
                spoken=Phrase("Dispute."),
            )
        case BoardCorrected():
            return _ask(event.about)
        case Ruled():
            said = Phrase("Ruling: %(decision)s", decision=event.decision)
            return Call(kind="ruling", title=Phrase("Ruling"), words=event.decision, spoken=said)
        case TwentyCounted():
            return _call_counted_twenty(event, match)
        case FoulCalled():
            return _call_foul(event, match)
        case RoundScored():
            return _call_round(match)
        case ShootoutPlayed() if match.is_over:
            return _call_win(match)
        case RoundCorrected() | Undone():
            score = _list_totals(match)
            said = Phrase("Corrected. %(score)s.", score=score)
            return Call(kind="correction", title=Phrase("Corrected"), words=score, spoken=said)
        case TimeRanOut():
            return Call(kind="time", title=Phrase("Time!"), words="", spoken=match.next)
        case CameraSaw() if match.waiting == 1 and (asked := _find_question(match, "colour")):
            return _ask(asked.words, asked.words)  # once: with the first sighting that waits for it
        case StarterSeen() if (asked := _find_question(match, "starter")) and asked.is_open:
            return _ask(asked.words)
        case _:
            return None


def find_side(colour_name: str | None, match: Match | None) -> int | None:
    """The side that plays with discs of a colour, in an unfinished match; otherwise None."""
    if match is None or match.is_over:
        return None
    names = [side.colour_name for side in match.sides]
    return names.index(colour_name) if colour_name is not None and colour_name in names else None


def _ask(words: str, spoken: str = Phrase("Needs a decision."), side: int | None = None) -> Call:
    return Call(
        kind="question", title=Phrase("Needs a decision"), words=words, spoken=spoken, side=side
    )


def _call_shot(event: ShotEvent, live: LiveState, match: Match | None) -> Call:
    team = live.find_team(event.team)
    colour_name, colour = (team.colour_name, team.colour) if team else (None, None)
    side = find_side(colour_name, match)
    if event.verdict is Verdict.NEEDS_REVIEW:
        return _ask(event.question or Phrase("Was the shot legal?"), side=side)
    name = match.sides[side].name if match and side is not None else term(colour_name or "")
    if event.verdict is Verdict.LEGAL:
        return Call(
            kind="legal",
            title=Phrase("Legal"),
            words=name or "",
            spoken="",
            side=side,
            colour=colour,
        )
    what = join("; ", map(describe_fault, event.faults))
    words = finish(Phrase("%(name)s %(action)s", name=name or Phrase("the shot"), action=what))
    removal = live.verdict.removal if live.verdict else ""
    spoken = join(
        " ",
        filter(None, (Phrase("Foul: %(faults)s.", faults=call_faults(event.faults)), removal)),
    )
    return Call(
        kind="foul", title=Phrase("Foul"), words=words, spoken=spoken, side=side, colour=colour
    )


def _call_twenty(event: TwentyEvent, live: LiveState, match: Match | None) -> Call | None:
    team = live.find_team(event.team)
    name = term(team.colour_name) if team else None
    if find_side(name, match) is not None:
        return None
    return Call(
        kind="twenty",
        title="20",
        words=name or "",
        spoken=Phrase("Twenty, %(name)s.", name=name),
        colour=team.colour if team else None,
    )


def _call_live_round(event: RoundEvent, live: LiveState, match: Match | None) -> Call | None:
    totals = event.totals
    if not totals or any(find_side(total.colour_name, match) is not None for total in totals):
        return None
    names, points = (
        [term(total.colour_name) for total in totals],
        [total.points for total in totals],
    )
    teams = [live.find_team(total.team) for total in totals]
    return _call_result(names, points, [team.colour if team else None for team in teams])


def _call_counted_twenty(event: TwentyCounted, match: Match) -> Call:
    side = match.sides[event.side]
    if event.change < 0:
        words = Phrase("%(name)s: a 20 removed", name=side.name)
        return Call(
            kind="correction", title=Phrase("Undone"), words=words, spoken="", side=event.side
        )
    return Call(
        kind="twenty",
        title="20",
        words=side.name,
        spoken=Phrase("Twenty, %(name)s.", name=side.name),
        side=event.side,
        colour=side.colour,
    )


def say_partners(words: str) -> str:
    """The text with "and" instead of the "&" between partners' names."""
    if isinstance(words, Phrase):
        said = {
            name: say_partners(value) if isinstance(value, str) else value
            for name, value in words.arguments.items()
        }
        return Phrase(words.template, **said)
    return join(Phrase(" and "), words.split(" & ")) if " & " in words else words


def _call_foul(event: FoulCalled, match: Match) -> Call:
    name, what = match.players[event.player], CALLED_FOULS[event.foul]
    penalty = match.foul.penalty if match.foul else None
    spoken = join(
        " ", filter(None, (Phrase("Foul: %(name)s %(action)s.", name=name, action=what), penalty))
    )
    return Call(
        kind="foul",
        title=Phrase("Foul"),
        words=Phrase("%(name)s %(action)s.", name=name, action=what),
        spoken=spoken,
    )


def _call_round(match: Match) -> Call:
    names = [side.name for side in match.sides]
    colours = [side.colour for side in match.sides]
    played = _call_result(names, match.rounds[-1].points, colours, match)
    if not match.is_over:
        leader = max(match.sides, key=lambda side: side.total)
        said = [played.spoken, Phrase("Hammer: %(hammer)s.", hammer=match.hammer)]
        if leader.needs is not None:
            name, needs = leader.name, leader.needs
            said.insert(
                1,
                Phrase("%(name)s need %(needs)s.", name=name, needs=needs)
                if _are_several(name, match)
                else Phrase("%(name)s needs %(needs)s.", name=name, needs=needs),
            )
        return replace(played, spoken=join(" ", said))
    won = _call_win(match)
    return replace(won, spoken=join(" ", (played.spoken, won.spoken)))


def _call_result(
    names: Sequence[str],
    points: Sequence[int],
    colours: Sequence[str | None],
    match: Match | None = None,
) -> Call:
    """A round's score and its winner."""
    score = join_amounts(names, points)
    best = [side for side, point in enumerate(points) if point == max(points)]
    spoken = Phrase("%(score)s.", score=score)
    if len(best) > 1:
        return Call(kind="round", title=Phrase("The round is tied"), words=score, spoken=spoken)
    who, colour = names[best[0]], colours[best[0]]
    title = (
        Phrase("%(who)s win the round", who=who)
        if _are_several(who, match)
        else Phrase("%(who)s wins the round", who=who)
    )
    return Call(kind="round", title=title, words=score, spoken=spoken, side=best[0], colour=colour)


def _call_win(match: Match) -> Call:
    """The match's winner, or the statement that there is none."""
    score = _list_totals(match)
    place = next((k for k, side in enumerate(match.sides) if side.is_winner), None)
    if place is None:
        spoken = Phrase("The match is tied.")
        return Call(kind="win", title=Phrase("The match is tied"), words=score, spoken=spoken)
    who, colour = match.sides[place].name, match.sides[place].colour
    title = (
        Phrase("%(who)s win the match", who=who)
        if _are_several(who, match)
        else Phrase("%(who)s wins the match", who=who)
    )
    return Call(
        kind="win",
        title=title,
        words=score,
        spoken=Phrase("%(title)s.", title=title),
        side=place,
        colour=colour,
    )


def _find_question(match: Match, kind: str) -> MatchQuestion | None:
    return next((question for question in match.questions if question.kind == kind), None)


def _list_totals(match: Match) -> str:
    return join_amounts([side.name for side in match.sides], [side.total for side in match.sides])


def _are_several(name: str, match: Match | None) -> bool:
    """Whether a side's name is that of partners, of a team, or of several sides."""
    is_team = match is not None and match.format == Format.TEAMS
    return is_team or " & " in name or " and " in name
