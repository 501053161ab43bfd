"""Discs of a reading with their calls: side and zone."""

from __future__ import annotations

from dataclasses import dataclass

from calibration.placed_disc import PlacedDisc, Team
from scorer.zones import ZoneCall, call_zone
from vision.reading import Reading


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class CalledDisc:
    """A disc, its side and its zone."""

    disc: PlacedDisc
    team: Team
    call: ZoneCall


def call_discs(reading: Reading) -> tuple[CalledDisc, ...]:
    """The discs of a board that was found, by team, then from the highest zone down."""
    assert reading.board is not None
    edge = reading.disc.contact_edge
    teams = {team.number: team for team in reading.teams}
    called = [
        CalledDisc(disc=disc, team=teams[disc.team], call=call_zone(disc, reading.board.spec, edge))
        for disc in reading.discs
    ]
    called.sort(key=lambda one: (one.team.number, -one.call.zone, -one.call.margin_mm))
    return tuple(called)
