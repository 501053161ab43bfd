"""Events of the live referee as sightings of a match, in colours: ``scorer.match.sighting``."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from typing import Any

from scorer.match.sighting import SightedDisc, SightedTotal, Sighting, SightingKind
from scorer.texts import MAX_REMARK_LETTERS
from webapp.live.match_shot import read_match_shot

_ON_BOARD = frozenset({15, 10, 5, 0})
_Discs = Sequence[Mapping[str, Any]]


def read_event(
    event: Mapping[str, Any], teams: Sequence[Mapping[str, Any]], clip: str | None
) -> Sighting | None:
    """The sighting in an event of the referee; None if a match needs nothing from the event.

    teams  as the referee knows them after it
    clip   the name under which a shot is kept
    """
    colours = {int(each["team"]): str(each["colour_name"]) for each in teams}
    read = {"shot": _read_shot, "twenty": _read_twenty, "round": _read_round}
    kind = str(event.get("type"))
    return read[kind](event, colours, clip or "") if kind in read else None


def _read_shot(event: Mapping[str, Any], colours: Mapping[int, str], clip: str) -> Sighting:
    removed = {each["id"] for each in event["remove"]}
    return Sighting(
        what=SightingKind.SHOT,
        teams=tuple(colours.values()),
        colour=colours[int(event["team"])],
        number=int(event["index"]) + 1,
        before=_read_discs(event["before"], colours, {event["disc"]}),
        after=_read_discs(event["after"], colours, removed),
        verdict=str(event.get("verdict")),
        faults=tuple(str(fault.get("code")) for fault in event.get("faults", ())),
        question=str(event.get("question") or "")[:MAX_REMARK_LETTERS],
        path=read_match_shot(event),
        clip=clip,
    )


def _read_twenty(event: Mapping[str, Any], colours: Mapping[int, str], clip: str) -> Sighting:
    colour = colours[int(event["team"])]
    return Sighting(
        what=SightingKind.TWENTY, teams=tuple(colours.values()), colour=colour, clip=clip
    )


def _read_round(event: Mapping[str, Any], colours: Mapping[int, str], clip: str) -> Sighting:
    return Sighting(
        what=SightingKind.ROUND,
        teams=tuple(colours.values()),
        totals=tuple(
            SightedTotal(
                colour=str(total["colour_name"]),
                points=int(total["points"]),
                twenties=int(total["twenties"]),
            )
            for total in event.get("totals", ())
        ),
        is_cleared=bool(event.get("is_cleared")),
        is_film_over=bool(event.get("is_film_over")),
        questions=tuple(str(each)[:MAX_REMARK_LETTERS] for each in event.get("questions") or ()),
        clip=clip,
    )


def _read_discs(
    discs: _Discs, colours: Mapping[int, str], gone: Container[str]
) -> tuple[SightedDisc, ...]:
    """The discs on the board, but those ``gone`` or in the hole."""
    return tuple(
        SightedDisc(
            id=str(each["id"]),
            colour=colours[int(each["team"])],
            zone=int(each["zone"]),
            place_mm=(round(float(each["x_mm"]), 1), round(float(each["y_mm"]), 1)),
        )
        for each in discs
        if each["id"] not in gone and each["zone"] in _ON_BOARD
    )
