"""What a person put right on a reading: discs, totals, and what to log about it.

Knows what may be corrected, and what follows for points. Refuses to know pages and matches. The
reading stays as it was read; corrections are laid over it, in the order in which they were made.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from math import erf, sqrt

import numpy as np

from calibration.board import FloatArray
from calibration.state import DiscState, Team
from scorer.zones import Call, TeamTotal, ZoneCall
from webapp.score import CalledDisc, Score

#: What a disc can be worth; ``None`` stands for a disc that does not count, being none.
ZONES = (20, 15, 10, 5, 0)
_TWENTY = 20
#: A colour that the picture did not teach, because none of its discs lies on the board.
_OTHER_RGB = (128, 128, 128)
#: More corrections than this are no corrections any more.
MOST = 60


class CorrectionError(ValueError):
    """A correction that cannot be; the text is one sentence."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Zoned:
    """A disc has this zone."""

    disc: int
    zone: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Owned:
    """A disc is of this team."""

    disc: int
    team: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Removed:
    """There is no such disc, or it does not count."""

    disc: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Restored:
    """There is such a disc after all."""

    disc: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Added:
    """There is a disc that was not seen, at a place in the board frame where somebody showed it."""

    team: int
    zone: int
    at_mm: tuple[float, float] | None = None


Correction = Zoned | Owned | Removed | Restored | Added


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ShownDisc:
    """A disc as it stands after corrections.

    number    as in the picture and the table, from 1
    read      what was read; None for one that was added by hand
    at_mm     (2,), None where nobody showed the place
    is_open   whether the call is close and nobody has looked at it yet
    """

    number: int
    team: Team
    zone: int
    read: CalledDisc | None
    at_mm: FloatArray | None
    is_open: bool = False
    is_removed: bool = False
    is_corrected: bool = False


def teams_of(score: Score) -> tuple[Team, ...]:
    """The teams of a picture: those that were seen, and another while there is only one or none."""
    seen = score.reading.teams if score.reading else ()
    missing = [
        Team(number=number, colour_rgb=_OTHER_RGB, colour_name=name)
        for number, name in ((len(seen), "other"), (len(seen) + 1, "second other"))
    ]
    return (*seen, *missing[: max(0, 2 - len(seen))])


def shown_discs(score: Score, corrections: Sequence[Correction] = ()) -> tuple[ShownDisc, ...]:
    """Every disc as it stands. Raises ``CorrectionError``."""
    discs = {
        number: ShownDisc(
            number=number,
            team=each.team,
            zone=each.call.zone,
            read=each,
            at_mm=each.disc.centre_mm,
            is_open=each.call.call is Call.CLOSE,
        )
        for number, each in enumerate(score.discs, start=1)
    }
    if len(corrections) > MOST:
        raise CorrectionError("That is more than can be corrected; take another photograph.")
    for correction in corrections:
        _lay_over(discs, correction, teams_of(score))
    return tuple(discs.values())


def _lay_over(discs: dict[int, ShownDisc], correction: Correction, teams: Sequence[Team]) -> None:
    match correction:
        case Added(team=team, zone=zone, at_mm=at_mm):
            number = max(discs, default=0) + 1
            discs[number] = ShownDisc(
                number=number,
                team=_team(teams, team),
                zone=_zone(zone),
                read=None,
                at_mm=None if at_mm is None else np.array(at_mm),
                is_corrected=True,
            )
        case Zoned(disc=disc, zone=zone):
            discs[disc] = _looked_at(_disc(discs, disc), zone=_zone(zone))
        case Owned(disc=disc, team=team):
            discs[disc] = _looked_at(_disc(discs, disc), team=_team(teams, team))
        case Removed(disc=disc):
            discs[disc] = _looked_at(_disc(discs, disc), is_removed=True)
        case Restored(disc=disc):
            discs[disc] = _looked_at(_disc(discs, disc), is_removed=False)


def _looked_at(disc: ShownDisc, **changes: object) -> ShownDisc:
    """The disc with changes; what is as it was read is confirmed rather than corrected."""
    after = replace(disc, is_open=False, **changes)  # type: ignore[arg-type]
    read = disc.read
    same = (
        read is not None
        and (after.zone, after.team.number) == (read.call.zone, read.team.number)
        and not after.is_removed
    )
    return replace(after, is_corrected=not same)


def _disc(discs: dict[int, ShownDisc], number: int) -> ShownDisc:
    if number not in discs:
        raise CorrectionError(f"There is no disc {number} in this picture.")
    return discs[number]


def _team(teams: Sequence[Team], number: int) -> Team:
    if number not in range(len(teams)):
        raise CorrectionError("There are no discs of that colour; choose one of the shown.")
    return teams[number]


def _zone(zone: int) -> int:
    if zone not in ZONES:
        raise CorrectionError("A disc is worth 20, 15, 10, 5 or nothing.")
    return zone


def totals_of(score: Score, discs: Iterable[ShownDisc]) -> tuple[TeamTotal, ...]:
    """Each team's points and 20s on the board."""
    counted = [disc for disc in discs if not disc.is_removed]
    return tuple(
        TeamTotal(
            team=team.number,
            points=sum(disc.zone for disc in counted if disc.team.number == team.number),
            twenties=sum(
                disc.zone == _TWENTY for disc in counted if disc.team.number == team.number
            ),
        )
        for team in teams_of(score)
    )


def in_words(discs: Iterable[ShownDisc]) -> tuple[str, ...]:
    """What was put right, a short sentence each, for the log."""
    return tuple(words for disc in discs if (words := _words(disc)))


def _words(disc: ShownDisc) -> str | None:
    name = f"{disc.team.colour_name} disc {disc.number}"
    if disc.read is None:
        return None if disc.is_removed else f"{name} added, {disc.zone}"
    if not disc.is_corrected:
        return None
    read = disc.read
    if disc.is_removed:
        return f"{read.team.colour_name} disc {disc.number}, read {read.call.zone}, does not count"
    parts = []
    if disc.zone != read.call.zone:
        parts.append(f"{read.call.zone} to {disc.zone}")
    if disc.team.number != read.team.number:
        parts.append(f"{read.team.colour_name} to {disc.team.colour_name}")
    return f"{read.team.colour_name} disc {disc.number}: {', '.join(parts)}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Alternative:
    """A zone that a disc may have, and how likely that is by its margin; None for no figure."""

    zone: int
    chance: float | None


def ranked_zones(disc: ShownDisc) -> tuple[Alternative, ...]:
    """Every zone, the likeliest first.

    A normal error of the margin's sigma decides between the two zones at the deciding line; what
    its state or its seeing leaves in doubt has no figure.
    """
    if disc.read is None:
        return tuple(Alternative(zone=zone, chance=None) for zone in ZONES)
    call, second = disc.read.call, disc.read.call.alternative
    figures: dict[int, float | None] = {call.zone: 1.0 if call.call is Call.CERTAIN else None}
    if second is not None:
        side = _chance_of_side(call) if _is_left_by_margin(disc.read) else None
        figures = {call.zone: side, second: None if side is None else 1.0 - side}
    rest = sorted((z for z in ZONES if z not in figures), key=lambda z: abs(z - call.zone))
    return tuple(Alternative(zone=zone, chance=figures.get(zone)) for zone in (*figures, *rest))


def _is_left_by_margin(read: CalledDisc) -> bool:
    """Whether its two zones are those on either side of the line that its margin is to.

    So it is for a disc that lies flat beside a line. One in or over the hole, on a post or over the
    rim has its zone by how it lies, of which the margin says nothing.
    """
    return read.disc.state is DiscState.FLAT and read.call.alternative != _TWENTY


def _chance_of_side(call: ZoneCall) -> float:
    """The chance that the disc lies on the side of its line where it was read, 0.5 to 1."""
    ratio = abs(call.margin_mm) / max(call.sigma_mm, 1e-9)
    return 0.5 * (1.0 + erf(ratio / sqrt(2.0)))
