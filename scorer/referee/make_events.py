"""Makes the referee's events from tracks and verdicts; nothing is decided here."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Literal

from calibration.board import BoardSpec
from calibration.disc import DiscSpec
from calibration.placed_disc import Team
from scorer.referee.disc_identities import NamedDisc
from scorer.referee.events import PARAMS as EVENTS
from scorer.referee.events import (
    NearPassEvidence,
    NotRefereeingEvent,
    PhysicsEvidence,
    RoundTotal,
    SeenDisc,
    SeenPoint,
    SeenTeam,
    VerdictEvidence,
    round_s,
)
from scorer.referee.shot.contact_hypotheses import ContactHypothesis
from scorer.referee.shot.flick import Flick
from scorer.referee.shot.near_passes import DiscPass
from scorer.referee.shot.physics_check import PhysicsFinding
from scorer.zones import TeamTotal, call_zone
from vision.track.events import TrackingLost


def _round_mm(length_mm: float) -> float:
    return round(float(length_mm), EVENTS.mm_places)


def make_lost_event(lost: TrackingLost) -> NotRefereeingEvent:
    """The event that the board has been lost or found again."""
    return NotRefereeingEvent(
        t_s=round_s(lost.t_s), reason=lost.reason, advice=lost.advice, over=lost.over
    )


def see_discs(discs: Iterable[NamedDisc], board: BoardSpec, disc: DiscSpec) -> tuple[SeenDisc, ...]:
    """Discs with their zones, by team and name."""
    ordered = sorted(discs, key=lambda named: (named.disc.team, named.name))
    return tuple(see_disc(named, board, disc) for named in ordered)


def see_disc(named: NamedDisc, board: BoardSpec, disc: DiscSpec) -> SeenDisc:
    """A disc with its zone and its margin in mm."""
    call = call_zone(named.disc, board, disc.contact_edge)
    return SeenDisc(
        id=named.name,
        team=named.disc.team,
        x_mm=_round_mm(named.place_mm[0]),
        y_mm=_round_mm(named.place_mm[1]),
        state=named.disc.state,
        zone=call.zone,
        margin_mm=round(call.margin_mm, EVENTS.mm_places),
        sigma_mm=round(call.sigma_mm, EVENTS.mm_places),
        call=call.call,
    )


def see_teams(teams: Sequence[Team]) -> tuple[SeenTeam, ...]:
    """The teams' numbers and colours."""
    return tuple(
        SeenTeam(team=team.number, colour=team.colour_hex, colour_name=team.colour_name)
        for team in teams
    )


def make_evidence(
    flick: Flick,
    moved_mm: Mapping[str, float],
    contacts: ContactHypothesis,
    gap_s: float,
    saw_hand: bool,
    finding: PhysicsFinding | None = None,
    near_passes: Sequence[DiscPass] = (),
) -> VerdictEvidence:
    """The evidence behind a verdict."""
    return VerdictEvidence(
        moved_mm={
            name: None if math.isinf(moved) else round(moved, EVENTS.mm_places)
            for name, moved in moved_mm.items()
        },
        track=tuple(
            SeenPoint(
                t_s=round_s(sample.t_s),
                x_mm=round(float(sample.place_mm[0]), 1),
                y_mm=round(float(sample.place_mm[1]), 1),
            )
            for sample in flick.track.samples[flick.start :]
        ),
        longest_gap_s=round_s(gap_s),
        hand_over_board=saw_hand,
        account=contacts.description or None,
        near_passes=tuple(_describe_pass(near) for near in near_passes),
        physics=None if finding is None else describe_physics(finding),
    )


def _describe_pass(passed: DiscPass) -> NearPassEvidence:
    near, moved_mm = passed.near_pass, passed.moved_mm
    is_known = moved_mm is not None
    decider: Literal["path", "physics", "person"] = "physics"
    if passed.has_contact is None:
        decider = "person"
    elif passed.is_apart and not passed.has_contact:
        decider = "path"
    return NearPassEvidence(
        mover=passed.mover,
        still=passed.still,
        t_s=round_s(near.t_s),
        gap_mm=round(near.gap_mm, EVENTS.mm_places),
        sigma_mm=round(near.sigma_mm, EVENTS.mm_places),
        moved_mm=None if moved_mm is None else round(moved_mm, EVENTS.mm_places),
        moved_sigma_mm=round(passed.moved_sigma_mm, EVENTS.mm_places) if is_known else None,
        p_contact=round(near.p_contact, 4),
        decided_by=decider,
    )


def describe_physics(finding: PhysicsFinding) -> PhysicsEvidence:
    """The physics engine's result for a partly seen shot; null if nothing explains it."""
    is_explained = finding.p_contact is not None
    return PhysicsEvidence(
        p_contact=None if finding.p_contact is None else round(finding.p_contact, 4),
        is_sure=finding.is_sure,
        misfit_mm=round(finding.misfit_mm, EVENTS.mm_places) if is_explained else None,
        contacts=finding.contacts.pairs if is_explained else None,
        reason=finding.reason or None,
    )


def list_totals(totals: Iterable[TeamTotal], teams: Sequence[Team]) -> tuple[RoundTotal, ...]:
    """Points of the teams, including 20s."""
    names = {team.number: team.colour_name for team in teams}
    return tuple(
        RoundTotal(
            team=total.team,
            colour_name=names[total.team],
            points=total.points,
            twenties=total.twenties,
        )
        for total in totals
    )
