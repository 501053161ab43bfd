"""Events of the live referee as sightings of a match, with colours: ``scorer.match.sighting``."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence

from scorer.match.sighting import SightedDisc, SightedTotal, Sighting, SightingKind
from scorer.referee.events import Event, RoundEvent, SeenDisc, ShotEvent, TwentyEvent
from scorer.texts import MAX_REMARK_LETTERS
from webapp.live.match_shot import read_match_shot

_ON_BOARD = frozenset({15, 10, 5, 0})


def read_event(event: Event, colours: Mapping[int, str], clip: str | None) -> Sighting | None:
    """The sighting in an event of the referee; None if a match does not need the event.

    colours  of the teams that the referee knows after it
    clip     the name under which a shot is saved
    """
    teams, name = tuple(colours.values()), clip or ""
    match event:
        case ShotEvent():
            return _read_shot(event, colours, name)
        case TwentyEvent(team=team):
            return Sighting(what=SightingKind.TWENTY, teams=teams, colour=colours[team], clip=name)
        case RoundEvent():
            return _read_round(event, teams, name)
        case _:
            return None


def _read_shot(event: ShotEvent, colours: Mapping[int, str], clip: str) -> Sighting:
    removed = {disc.id for disc in event.remove}
    return Sighting(
        what=SightingKind.SHOT,
        teams=tuple(colours.values()),
        colour=colours[event.team],
        number=event.index + 1,
        before=_read_discs(event.before, colours, {event.disc}),
        after=_read_discs(event.after, colours, removed),
        verdict=str(event.verdict),
        faults=tuple(str(fault.code) for fault in event.faults),
        question=(event.question or "")[:MAX_REMARK_LETTERS],
        path=read_match_shot(event),
        clip=clip,
    )


def _read_round(event: RoundEvent, teams: tuple[str, ...], clip: str) -> Sighting:
    return Sighting(
        what=SightingKind.ROUND,
        teams=teams,
        totals=tuple(
            SightedTotal(colour=total.colour_name, points=total.points, twenties=total.twenties)
            for total in event.totals
        ),
        is_cleared=event.is_cleared,
        is_film_over=event.is_film_over,
        questions=tuple(question[:MAX_REMARK_LETTERS] for question in event.questions),
        clip=clip,
    )


def _read_discs(
    discs: Sequence[SeenDisc], colours: Mapping[int, str], gone: Container[str]
) -> tuple[SightedDisc, ...]:
    """The discs on the board, without those ``gone`` or in the hole."""
    return tuple(
        SightedDisc(
            id=disc.id,
            colour=colours[disc.team],
            zone=disc.zone,
            place_mm=(round(disc.x_mm, 1), round(disc.y_mm, 1)),
            sigma_mm=round(disc.sigma_mm, 2),
        )
        for disc in discs
        if disc.id not in gone and disc.zone in _ON_BOARD
    )
