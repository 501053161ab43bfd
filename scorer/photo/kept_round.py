"""A photographed round in a match: the owners of the colours, and the events that enter it.

A saved round can be corrected while it is in the match. A correction is a separate event
(``RoundCorrected``), which can be undone like any other. Raises ``MatchError`` for an impossible
round.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from calibration.phrase import Phrase
from calibration.placed_disc import Team
from scorer.match.colours import name_as_match
from scorer.match.events import (
    DiscInZone,
    Event,
    MatchError,
    RoundCorrected,
    RoundScored,
    ScoreSource,
)
from scorer.match.fold import replay_log
from scorer.match.state import MatchSetup, RoundResult
from scorer.photo.corrections import CorrectedDisc, count_totals, describe_corrections, list_teams
from scorer.photo.score import Score
from scorer.zone_values import TWENTY, ZONES
from scorer.zones import TeamTotal

#: Teams of the sides' discs, by number; None for a side without discs on the board, or unknown.
Owners = tuple[int | None, ...]
_NOTHING = TeamTotal(team=-1, points=0, twenties=0)


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptRound:
    """The match and place of a saved photographed round, and the choices made for it.

    match   its number
    place   index of the round's event in the match's log
    owners  the teams of the sides' discs
    aside   20s beside the board, by side
    """

    match: int
    place: int
    owners: Owners
    aside: tuple[int, ...]


def guess_owners(setup: MatchSetup, teams: Sequence[Team]) -> Owners:
    """The teams of the sides' discs, as far as the match's colours determine them; None otherwise.

    If one side and one team are left, they belong together.
    """
    colours = setup.colours or ("",) * len(setup.sides)
    named = name_as_match(colours, [team.colour_name for team in teams])
    names = {named[team.colour_name]: team.number for team in teams}
    owners = [names.get(colour) for colour in colours]
    left = [team.number for team in teams if team.number not in owners]
    if owners.count(None) == 1 and len(left) == 1:
        owners[owners.index(None)] = left[0]
    return tuple(owners)


def are_owners_known(owners: Owners, discs: Sequence[CorrectedDisc]) -> bool:
    """Whether every colour on the board has its side; a side without a colour then has no disc on
    it.
    """
    return {disc.team.number for disc in discs if not disc.is_removed} <= set(owners)


def count_set_aside(
    score: Score, discs: Sequence[CorrectedDisc], owners: Owners, counted: Sequence[int]
) -> tuple[int, ...]:
    """20s beside the board, by side: those counted during the round that no picture shows."""
    totals = {total.team: total.twenties for total in count_totals(score, discs)}
    shown = [0 if owner is None else totals.get(owner, 0) for owner in owners]
    return tuple(max(all_ - seen, 0) for all_, seen in zip(counted, shown, strict=True))


def make_round(
    score: Score,
    discs: Sequence[CorrectedDisc],
    setup: MatchSetup,
    owners: Owners,
    aside: Sequence[int],
) -> RoundScored:
    """The round after corrections, and the colours that the match learns from it."""
    totals = {total.team: total for total in count_totals(score, discs)}
    known = [owner for owner in owners if owner is not None]
    if len(set(known)) != len(known):
        raise MatchError(Phrase("Each side needs its own colour. Choose another for one of them."))
    if any(total.points for team, total in totals.items() if team not in known):
        raise MatchError(
            Phrase(
                "Some scoring discs have a colour that no side plays. Correct these discs first."
            )
        )
    own = [_NOTHING if owner is None else totals[owner] for owner in owners]
    return RoundScored(
        points=tuple(total.points + TWENTY * more for total, more in zip(own, aside, strict=True)),
        twenties=tuple(total.twenties + more for total, more in zip(own, aside, strict=True)),
        source=ScoreSource.PHOTO,
        corrections=describe_corrections(discs),
        colours=_learn_colours(score, setup, owners),
        board=_list_board(discs, owners),
    )


def find_same_round(rounds: Sequence[RoundResult], discs: Sequence[CorrectedDisc]) -> int | None:
    """The number, from 1, of the round that has a disc at exactly the place of one of these; None
    if there is none.

    Only two readings of one photo agree to a tenth of a millimetre.
    """
    places = {tuple(disc.at_mm.round(1).tolist()) for disc in discs if disc.at_mm is not None}
    boards = ({disc.place_mm for disc in result.board} for result in rounds)
    return next((number for number, at in enumerate(boards, start=1) if at & places), None)


def _list_board(discs: Sequence[CorrectedDisc], owners: Owners) -> tuple[DiscInZone, ...]:
    """The discs outside the hole in the match's form, with their places if known.

    A place has one sigma, that of its worst direction.
    """
    return tuple(
        DiscInZone(
            id=str(disc.number),
            side=owners.index(disc.team.number),
            zone=disc.zone,
            place_mm=None if disc.at_mm is None else tuple(disc.at_mm.round(1).tolist()),
            sigma_mm=_find_sigma_mm(disc),
        )
        for disc in discs
        if not disc.is_removed and disc.zone in ZONES and disc.team.number in owners
    )


def _learn_colours(score: Score, setup: MatchSetup, owners: Owners) -> tuple[str, ...]:
    """Names of the sides' colours; empty if the match knows them, or the picture shows none."""
    teams = list_teams(score)
    seen = len(score.reading.teams) if score.reading else 0
    if owners == guess_owners(setup, teams) or len(set(owners)) != len(owners):
        return ()
    colours = tuple(
        teams[owner].colour_name for owner in owners if owner is not None and owner < seen
    )
    is_known = len(set(colours)) == len(owners)
    return colours if is_known else ()


def _find_sigma_mm(disc: CorrectedDisc) -> float | None:
    """One sigma of a disc's place in its worst direction; None if a person marked it."""
    if disc.read is None:
        return None
    return round(math.sqrt(float(np.linalg.norm(disc.read.disc.covariance_mm2, 2))), 2)


def find_round(log: Sequence[Event], place: int) -> int | None:
    """The number, from 1, of the round entered at that place in the log; None if it was undone."""
    rounds = [at for at, event, _ in replay_log(log) if isinstance(event, RoundScored)]
    return rounds.index(place) + 1 if place in rounds else None


def get_round(log: Sequence[Event], number: int) -> RoundScored:
    """The round of that number, from 1, with its corrections."""
    rounds = [event for _, event, _ in replay_log(log) if isinstance(event, RoundScored)]
    return rounds[number - 1]


def make_correction(
    log: Sequence[Event], number: int, wanted: RoundScored
) -> RoundCorrected | None:
    """The event that corrects that round; None if it is already right."""
    now = get_round(log, number)
    same = (now.points, now.twenties) == (wanted.points, wanted.twenties)
    if same and not wanted.colours:
        return None
    assert wanted.points is not None
    assert wanted.twenties is not None
    return RoundCorrected(
        round=number,
        points=wanted.points,
        twenties=wanted.twenties,
        source=wanted.source,
        corrections=wanted.corrections,
        colours=wanted.colours,
        board=wanted.board,
    )
