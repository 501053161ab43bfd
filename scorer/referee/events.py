"""The live referee's events as JSON objects, as their models in ``formats.event`` have them.

Places are in the board frame and rounded; nothing is decided here. Tests check events against the
models: to load these takes longer than to look at a second of a film.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, ClassVar

from calibration.board import BoardSpec
from calibration.disc import DiscSpec
from calibration.parameters import StageParameters, parameter
from calibration.placed_disc import Team
from scorer.referee.disc_identities import NamedDisc
from scorer.referee.shot.contact_hypotheses import ContactHypothesis
from scorer.referee.shot.flick import Flick
from scorer.referee.shot.judge_hypotheses import Ruling
from scorer.referee.shot.near_passes import DiscPass
from scorer.referee.shot.physics_check import PhysicsFinding
from scorer.rules.checks import Fault
from scorer.zones import TeamTotal, call_zone
from vision.track.events import TrackingLost

Event = dict[str, Any]


class EventsParameters(StageParameters):
    """What ``events`` takes for granted."""

    stage: ClassVar[str] = "referee.events"

    #: Decimals of lengths in mm and of times in s.
    mm_places: int = parameter(2, unit="", source="a tenth of a place's best sigma")
    s_places: int = parameter(3, unit="", source="a thirtieth of a frame's time")


PARAMS = EventsParameters.active()


def make_event(kind: str, t_s: float, **rest: Any) -> Event:
    """An event of that type at a time of the source, s."""
    return {"t_s": round(t_s, PARAMS.s_places), "type": kind, **rest}


def make_lost_event(lost: TrackingLost) -> Event:
    """The event that the board is not followed, or is again."""
    return make_event(
        "not_refereeing", lost.t_s, reason=lost.reason, advice=lost.advice, over=lost.over
    )


def disc_json(named: NamedDisc, board: BoardSpec, disc: DiscSpec) -> Event:
    """A disc with its zone, and by how many mm it lies there."""
    call = call_zone(named.disc, board, disc.contact_edge)
    return {
        "id": named.name,
        "team": named.disc.team,
        "x_mm": round(float(named.place_mm[0]), PARAMS.mm_places),
        "y_mm": round(float(named.place_mm[1]), PARAMS.mm_places),
        "state": named.disc.state.value,
        "zone": call.zone,
        "margin_mm": round(call.margin_mm, PARAMS.mm_places),
        "sigma_mm": round(call.sigma_mm, PARAMS.mm_places),
        "call": call.call.value,
    }


def discs_json(discs: Iterable[NamedDisc], board: BoardSpec, disc: DiscSpec) -> list[Event]:
    """Discs, by team and name."""
    ordered = sorted(discs, key=lambda each: (each.disc.team, each.name))
    return [disc_json(each, board, disc) for each in ordered]


def teams_json(teams: Sequence[Team]) -> list[Event]:
    """The teams' numbers and colours."""
    return [
        {"team": team.number, "colour": team.colour_hex, "colour_name": team.colour_name}
        for team in teams
    ]


def faults_json(faults: Iterable[Fault]) -> list[Event]:
    """Every fault with its rule and its evidence."""
    return [
        {"code": str(each.code), "rule": each.rule, "evidence": each.evidence} for each in faults
    ]


def evidence_json(
    flick: Flick,
    moved_mm: Mapping[str, float],
    contacts: ContactHypothesis,
    gap_s: float,
    saw_hand: bool,
    finding: PhysicsFinding | None = None,
    near_passes: Sequence[DiscPass] = (),
) -> Event:
    """What a verdict rests on."""
    track = flick.track.samples[flick.start :]
    return {
        "moved_mm": {
            name: None if math.isinf(each) else round(each, PARAMS.mm_places)
            for name, each in moved_mm.items()
        },
        "contacts_from": "tracks and displacements",
        "track": [
            {
                "t_s": round(each.t_s, PARAMS.s_places),
                "x_mm": round(float(each.place_mm[0]), 1),
                "y_mm": round(float(each.place_mm[1]), 1),
            }
            for each in track
        ],
        "longest_gap_s": round(gap_s, PARAMS.s_places),
        "hand_over_board": saw_hand,
        "account": contacts.description or None,
        "near_passes": [near_pass_json(each) for each in near_passes],
        "physics": None if finding is None else physics_json(finding),
    }


def near_pass_json(each: DiscPass) -> Event:
    """A disc that passed one at rest closely: when, at what gap, and whether they touched."""
    near, is_known = each.near_pass, each.moved_mm is not None
    return {
        "mover": each.mover,
        "still": each.still,
        "t_s": round(near.t_s, PARAMS.s_places),
        "gap_mm": round(near.gap_mm, PARAMS.mm_places),
        "sigma_mm": round(near.sigma_mm, PARAMS.mm_places),
        "moved_mm": round(each.moved_mm, PARAMS.mm_places) if each.moved_mm is not None else None,
        "moved_sigma_mm": round(each.moved_sigma_mm, PARAMS.mm_places) if is_known else None,
        "p_contact": round(near.p_contact, 4),
        "decided_by": _name_decider(each),
    }


def _name_decider(each: DiscPass) -> str:
    if each.has_contact is None:
        return "person"
    return "path" if each.is_apart and not each.has_contact else "physics"


def physics_json(finding: PhysicsFinding) -> Event:
    """What physics say of a shot that was not seen whole; null where nothing explains it."""
    is_explained = finding.p_contact is not None
    return {
        "p_contact": round(finding.p_contact, 4) if finding.p_contact is not None else None,
        "is_sure": finding.is_sure,
        "misfit_mm": round(finding.misfit_mm, PARAMS.mm_places) if is_explained else None,
        "contacts": [list(pair) for pair in finding.contacts.pairs] if is_explained else None,
        "reason": finding.reason or None,
    }


def ruling_json(ruling: Ruling) -> Event:
    """Verdict, faults, doubts and question."""
    return {
        "verdict": str(ruling.verdict),
        "faults": faults_json(ruling.outcome.faults),
        "doubts": list(ruling.review_reasons),
        "question": ruling.question,
    }


def totals_json(totals: Iterable[TeamTotal], teams: Sequence[Team]) -> list[Event]:
    """Points, 20s included, of each team."""
    names = {team.number: team.colour_name for team in teams}
    return [
        {
            "team": each.team,
            "colour_name": names[each.team],
            "points": each.points,
            "twenties": each.twenties,
        }
        for each in totals
    ]
