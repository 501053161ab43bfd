"""Rulings in players' words: faults, removals, and fouls called by people.

The rule's passage and its evidence stay with the verdict; these are the texts that viewers read and
hear.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from calibration.disc_state import DiscState
from calibration.phrase import DiscName, Phrase, join, term
from scorer.clock_hour import find_clock_hour
from scorer.rules.choices import CalledFoul, WrongPlace
from scorer.rules.fault_codes import FaultCode, call_fault
from scorer.rules.options import RuleOptions

if TYPE_CHECKING:
    from scorer.referee.events import SeenDisc
    from scorer.rules.checks import Fault

#: Faults, worded as actions of the shot.
_FAULTS: Mapping[FaultCode, str] = {
    FaultCode.NO_CONTACT: Phrase("did not touch an opponent's disc"),
    FaultCode.OPEN_BOARD: Phrase("missed the centre of an open board"),
    FaultCode.PLACEMENT: Phrase("placed the disc wrongly"),
    FaultCode.OUT_OF_BOUNDS: Phrase("sent a disc out"),
}
#: Text for a fault written by a newer version of the program.
_NEWER_FAULT = Phrase("committed a foul that this version of the program does not recognise")
#: Wrong placements, as actions of the shooter.
_PLACES: Mapping[str, str] = {
    WrongPlace.CLEAR_INSIDE: Phrase("placed the disc completely inside the line"),
    WrongPlace.CLEAR_BEHIND: Phrase("placed the disc completely behind the line"),
    WrongPlace.CENTRE_INSIDE: Phrase("placed the disc with its centre inside the line"),
}
#: Wrong placements as evidence, which names the disc before.
_PLACE_NOTES: Mapping[str, str] = {
    WrongPlace.CLEAR_INSIDE: Phrase("completely inside the line"),
    WrongPlace.CLEAR_BEHIND: Phrase("completely behind the line"),
    WrongPlace.CENTRE_INSIDE: Phrase("centre inside the line"),
}
#: States of discs.
STATES: Mapping[str, str] = {
    DiscState.FLAT: Phrase("on the board"),
    DiscState.IN_HOLE: Phrase("in the hole"),
    DiscState.LEANING: Phrase("leaning"),
    DiscState.OVERHANGING: Phrase("overhanging"),
    DiscState.DITCH: Phrase("in the ditch"),
}
#: The evidence of faults, by its name there.
_EVIDENCE: Mapping[str, Phrase] = {
    "disc": Phrase("disc %(disc)s"),
    "by_mm": Phrase("by %(by_mm).1f mm"),
    "opponents": Phrase("opponents' discs: %(opponents)s"),
    "touched": Phrase("touched: %(touched)s"),
    "contacts": Phrase("contacts: %(contacts)s"),
    "asked": Phrase("required: %(asked)s"),
    "touched_by_a_disc_out_of_play": Phrase(
        "touched by a disc out of play: %(touched_by_a_disc_out_of_play)s"
    ),
    "by": Phrase("by: %(by)s"),
    "discs": Phrase("discs: %(discs)s"),
    "short_by_mm": Phrase("short by %(short_by_mm).1f mm"),
    "overhang_mm": Phrase("overhang %(overhang_mm).1f mm"),
    "margin_mm": Phrase("margin %(margin_mm).1f mm"),
}
#: Fouls called by a person, with the player's action.
CALLED_FOULS: Mapping[CalledFoul, str] = {
    CalledFoul.NO_CONTACT: Phrase("did not touch an opponent's disc"),
    CalledFoul.OPEN_BOARD: Phrase("missed the centre of an open board"),
    CalledFoul.PLACEMENT: Phrase("placed a disc wrongly"),
    CalledFoul.ONE_CHEEK: Phrase("left the chair"),
    CalledFoul.OTHER_HAND: Phrase("touched the board with more than the shooting hand"),
    CalledFoul.MOVED_BOARD: Phrase("moved the board"),
    CalledFoul.MOVED_CHAIR: Phrase("moved a chair"),
    CalledFoul.COACHING: Phrase("was coached"),
    CalledFoul.DISTRACTION: Phrase("was distracted"),
    CalledFoul.AID: Phrase("used something other than a finger"),
    CalledFoul.NOT_SEATED: Phrase("did not stay seated"),
    CalledFoul.TOO_SOON: Phrase("shot before all discs had stopped"),
    CalledFoul.HELD_DISCS: Phrase("held discs in their hand"),
    CalledFoul.EARLY_DISC: Phrase("placed a disc too early"),
    CalledFoul.MOVED_DISC: Phrase("moved a disc before the round was scored"),
    CalledFoul.CHAIR_LEGS: Phrase("lifted a leg of the chair off the floor"),
    CalledFoul.FLOOR: Phrase("used the floor for support"),
    CalledFoul.WAX: Phrase("waxed the board without being an official"),
}


def describe_fault(fault: Fault) -> str:
    """The faults of a shot, such as "did not touch an opponent's disc"."""
    code, evidence = fault.code, fault.evidence
    why = str(evidence.get("why") or "")
    if code is FaultCode.PLACEMENT and why:
        # for a quadrant line, only the evidence says where
        words = _PLACES.get(why, Phrase("placed the disc over a quadrant line"))
        return join("", (words, _format_by_mm(evidence.get("by_mm"))))
    if code is FaultCode.OPEN_BOARD:
        missed_mm = [
            disc["short_by_mm"] for disc in evidence.get("discs", ()) if "short_by_mm" in disc
        ]
        return join("", (_FAULTS[code], _format_by_mm(min(missed_mm, default=None))))
    words = _FAULTS.get(code, _NEWER_FAULT)
    return Phrase("%(fault)s: %(reason)s", fault=words, reason=term(why)) if why else words


def describe_evidence(evidence: Mapping[Any, Any]) -> Iterator[str]:
    """The facts that prove a fault, such as "short by 3.2 mm"; unknown ones are left out."""
    for name, value in evidence.items():
        if name == "why":
            yield _PLACE_NOTES.get(value) or term(value)
        elif name == "state":
            yield STATES.get(value, value)
        elif name in _EVIDENCE:
            yield _EVIDENCE[name].put(**{name: _describe_value(value)})


def _describe_value(value: Any) -> str | float:
    """A distance, a rule, a disc with its facts or without, or a list of discs or of pairs."""
    match value:
        case Phrase() | int():
            return value
        case float():
            return round(value, 1) + 0.0
        case []:
            return Phrase("none")
        case [[_, _], *_]:
            return join(", ", (join(Phrase(" and "), map(_describe_value, pair)) for pair in value))
        case list() | tuple():
            return join(", ", map(_describe_value, value))
        case {"disc": disc, **facts}:
            words = join(", ", describe_evidence(facts))
            return Phrase("%(disc)s (%(facts)s)", disc=DiscName(disc), facts=words)
        case _:
            return term(DiscName(value).words)


def call_faults(faults: Iterable[Fault]) -> str:
    """The fouls among faults as they are called out: "no contact, wrong placement"."""
    codes = dict.fromkeys(fault.code for fault in faults)
    fouls = [code for code in codes if code != FaultCode.OUT_OF_BOUNDS]
    return join(", ", map(call_fault, fouls or codes))


def describe_removal(
    gone: Sequence[SeenDisc],
    on_board: Sequence[SeenDisc],
    colours: Mapping[int, str],
) -> str:
    """The discs to remove: "Remove red.", "Remove 2 red and 1 black."; "" for none.

    If other discs of that colour stay, a clock hour is added: "Remove red at 3 o'clock."

    gone      the discs to remove
    on_board  all discs on the board, including those to remove
    colours   of the discs of each team
    """
    counts, all_on_board = (Counter(disc.team for disc in discs) for discs in (gone, on_board))
    placed: list[str] = []
    counted: list[str] = []
    for team, count in counts.items():
        colour = term(colours.get(team, "?"))
        if all_on_board[team] > count:
            placed += _place_discs(gone, on_board, team, colour)
        else:
            counted.append(
                colour
                if len(gone) == 1
                else Phrase("%(count)s %(colour)s", count=count, colour=colour)
            )
    discs = join(Phrase(" and "), (*placed, *counted))
    return Phrase("Remove %(discs)s.", discs=discs) if discs else ""


def _place_discs(
    gone: Sequence[SeenDisc], on_board: Sequence[SeenDisc], team: int, colour: str
) -> list[Phrase]:
    """A team's discs to remove, by clock hour, and their distance if two are at the same hour."""
    hours = Counter(find_clock_hour(disc.x_mm, disc.y_mm) for disc in on_board if disc.team == team)
    places = []
    for disc in gone:
        if disc.team != team:
            continue
        hour = find_clock_hour(disc.x_mm, disc.y_mm)
        away_cm = math.hypot(disc.x_mm, disc.y_mm) / 10
        places.append(
            Phrase("%(colour)s at %(hour)s o'clock", colour=colour, hour=hour)
            if hours[hour] <= 1
            else Phrase(
                "%(colour)s %(away_cm).0f cm out at %(hour)s o'clock",
                colour=colour,
                away_cm=away_cm,
                hour=hour,
            )
        )
    return places


def describe_penalty(foul: CalledFoul, options: RuleOptions) -> str | None:
    """The penalty for a foul that a person called; None if the rules in force have none."""
    scope = options.shot_penalties.get(foul)
    if scope is None:
        return None
    if options.penalty_takes_twenties:
        return Phrase("Remove %(discs)s. A 20 from this shot does not count.", discs=scope.words)
    return Phrase("Remove %(discs)s.", discs=scope.words)


def _format_by_mm(by_mm: float | None) -> str:
    """A distance, if known, without decimals for large ones."""
    if by_mm is None or by_mm <= 0:
        return ""
    return (
        Phrase(", by %(by_mm).1f mm", by_mm=by_mm)
        if by_mm < 10
        else Phrase(", by %(by_mm).0f mm", by_mm=by_mm)
    )
