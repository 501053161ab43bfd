"""A person's corrections of a reading, applied in order: discs, totals, and log entries.

The reading itself is unchanged; corrections apply to a copy. An impossible correction raises
``CorrectionError``.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from calibration.board import FloatArray
from calibration.phrase import Phrase, join, term
from calibration.placed_disc import DiscState, Team
from scorer.photo.called_disc import CalledDisc
from scorer.photo.score import Score
from scorer.zone_values import TWENTY
from scorer.zones import CallCertainty, TeamTotal

#: Possible values of a disc; ``None`` for an object that does not count because it is no disc.
ZONES = (20, 15, 10, 5, 0)
#: A colour that does not occur in the picture, because none of its discs is on the board.
_OTHER_RGB = (128, 128, 128)
#: No picture needs more corrections than this.
MAX_CORRECTIONS = 60


class CorrectionError(ValueError):
    """An impossible correction; the text is one sentence."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ZoneCorrection:
    """A disc has this zone."""

    disc: int
    zone: int


@dataclass(frozen=True, slots=True, kw_only=True)
class TeamCorrection:
    """A disc belongs to this team."""

    disc: int
    team: int


@dataclass(frozen=True, slots=True, kw_only=True)
class DiscRemoval:
    """There is no such disc, or it does not count."""

    disc: int


@dataclass(frozen=True, slots=True, kw_only=True)
class DiscRestoration:
    """The removed disc exists after all."""

    disc: int


@dataclass(frozen=True, slots=True, kw_only=True)
class DiscAddition:
    """A disc that was not seen, at a point in the board frame that a person marked."""

    team: int
    zone: int
    at_mm: tuple[float, float] | None = None


Correction = ZoneCorrection | TeamCorrection | DiscRemoval | DiscRestoration | DiscAddition


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class CorrectedDisc:
    """A disc after corrections.

    number    as in the picture and the table, from 1
    read      the disc as it was read; None for one added by hand
    at_mm     (2,), None if nobody marked the point
    is_open   whether the call is close and nobody has checked it yet
    """

    number: int
    team: Team
    zone: int
    read: CalledDisc | None
    at_mm: FloatArray | None
    is_open: bool = False
    is_removed: bool = False
    is_corrected: bool = False


def list_teams(score: Score) -> tuple[Team, ...]:
    """The teams of a picture: those that were seen, and one more if there is at most one."""
    seen = score.reading.teams if score.reading else ()
    missing = [
        Team(number=number, colour_rgb=_OTHER_RGB, colour_name=name)
        for number, name in ((len(seen), "other"), (len(seen) + 1, Phrase("other (second)")))
    ]
    return (*seen, *missing[: max(0, 2 - len(seen))])


def apply_corrections(
    score: Score, corrections: Sequence[Correction] = ()
) -> tuple[CorrectedDisc, ...]:
    """All discs after these corrections, by number. Raises ``CorrectionError``."""
    discs = {
        number: CorrectedDisc(
            number=number,
            team=disc.team,
            zone=disc.call.zone,
            read=disc,
            at_mm=disc.disc.centre_mm,
            is_open=disc.call.call is CallCertainty.CLOSE,
        )
        for number, disc in enumerate(score.discs, start=1)
    }
    if len(corrections) > MAX_CORRECTIONS:
        raise CorrectionError(
            Phrase("There are too many corrections for this photo. Take another photo.")
        )
    for correction in corrections:
        _apply_correction(discs, correction, list_teams(score))
    return tuple(discs.values())


def _apply_correction(
    discs: dict[int, CorrectedDisc], correction: Correction, teams: Sequence[Team]
) -> None:
    match correction:
        case DiscAddition(team=team, zone=zone, at_mm=at_mm):
            number = max(discs, default=0) + 1
            discs[number] = CorrectedDisc(
                number=number,
                team=_find_team(teams, team),
                zone=_check_zone(zone),
                read=None,
                at_mm=None if at_mm is None else np.array(at_mm),
                is_corrected=True,
            )
        case ZoneCorrection(disc=disc, zone=zone):
            discs[disc] = _change_disc(_find_disc(discs, disc), zone=_check_zone(zone))
        case TeamCorrection(disc=disc, team=team):
            discs[disc] = _change_disc(_find_disc(discs, disc), team=_find_team(teams, team))
        case DiscRemoval(disc=disc):
            discs[disc] = _change_disc(_find_disc(discs, disc), is_removed=True)
        case DiscRestoration(disc=disc):
            discs[disc] = _change_disc(_find_disc(discs, disc), is_removed=False)


def _change_disc(disc: CorrectedDisc, **changes: object) -> CorrectedDisc:
    """The disc with changes; a value equal to the reading is confirmed, not corrected."""
    after = replace(disc, is_open=False, **changes)  # type: ignore[arg-type]
    read = disc.read
    same = (
        read is not None
        and (after.zone, after.team.number) == (read.call.zone, read.team.number)
        and not after.is_removed
    )
    return replace(after, is_corrected=not same)


def _find_disc(discs: dict[int, CorrectedDisc], number: int) -> CorrectedDisc:
    if number not in discs:
        raise CorrectionError(Phrase("This photo has no disc %(number)s.", number=number))
    return discs[number]


def _find_team(teams: Sequence[Team], number: int) -> Team:
    if number not in range(len(teams)):
        raise CorrectionError(Phrase("No discs have that colour. Choose one of the colours shown."))
    return teams[number]


def _check_zone(zone: int) -> int:
    if zone not in ZONES:
        raise CorrectionError(Phrase("A disc is worth 20, 15, 10, 5 or 0."))
    return zone


def count_totals(score: Score, discs: Iterable[CorrectedDisc]) -> tuple[TeamTotal, ...]:
    """The teams' points and 20s on the board."""
    counted = [disc for disc in discs if not disc.is_removed]
    return tuple(
        TeamTotal(
            team=team.number,
            points=sum(disc.zone for disc in counted if disc.team.number == team.number),
            twenties=sum(
                disc.zone == TWENTY for disc in counted if disc.team.number == team.number
            ),
        )
        for team in list_teams(score)
    )


def describe_corrections(discs: Iterable[CorrectedDisc]) -> tuple[str, ...]:
    """The corrections for the log, a short sentence each."""
    return tuple(words for disc in discs if (words := _describe_disc(disc)))


def _describe_disc(disc: CorrectedDisc) -> str | None:
    name = Phrase(
        "%(colour)s disc %(number)s",
        colour=term(disc.team.colour_name),
        number=disc.number,
    )
    if disc.read is None:
        return (
            None
            if disc.is_removed
            else Phrase("%(name)s added, %(zone)s", name=name, zone=disc.zone)
        )
    if not disc.is_corrected:
        return None
    read = disc.read
    if disc.is_removed:
        return Phrase(
            "%(colour)s disc %(number)s, read as %(zone)s, does not count",
            colour=term(read.team.colour_name),
            number=disc.number,
            zone=read.call.zone,
        )
    parts = []
    if disc.zone != read.call.zone:
        parts.append(
            Phrase("%(old_zone)s to %(new_zone)s", old_zone=read.call.zone, new_zone=disc.zone)
        )
    if disc.team.number != read.team.number:
        parts.append(
            Phrase(
                "%(old_colour)s to %(new_colour)s",
                old_colour=term(read.team.colour_name),
                new_colour=term(disc.team.colour_name),
            )
        )
    return Phrase(
        "%(colour)s disc %(number)s: %(changes)s",
        colour=term(read.team.colour_name),
        number=disc.number,
        changes=join(", ", parts),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class ZoneProbability:
    """A possible zone of a disc and its probability by the margin; None if it cannot be given."""

    zone: int
    probability: float | None


def rank_zones(disc: CorrectedDisc) -> tuple[ZoneProbability, ...]:
    """All zones, the likeliest first.

    The call's probability decides between the two zones at the deciding line. Uncertainty about a
    disc's state or visibility has no figure.
    """
    if disc.read is None:
        return tuple(ZoneProbability(zone=zone, probability=None) for zone in ZONES)
    call, second = disc.read.call, disc.read.call.alternative
    figures: dict[int, float | None] = {
        call.zone: 1.0 if call.call is CallCertainty.CERTAIN else None
    }
    if second is not None:
        side = call.probability if _is_left_by_margin(disc.read) else None
        figures = {call.zone: side, second: None if side is None else 1.0 - side}
    rest = sorted((z for z in ZONES if z not in figures), key=lambda z: abs(z - call.zone))
    return tuple(
        ZoneProbability(zone=zone, probability=figures.get(zone)) for zone in (*figures, *rest)
    )


def _is_left_by_margin(read: CalledDisc) -> bool:
    """Whether its two possible zones are those on the two sides of its margin's line.

    This holds for a flat disc beside a line. The zone of a disc in or over the hole, on a post or
    over the rim depends on its state, not on the margin.
    """
    return read.disc.state is DiscState.FLAT and read.call.alternative != TWENTY
