"""The referee's events for discs in millimetres, made by the program's own code.

Each event is checked against the published schema, so no test can rely on an impossible event.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import jsonschema
import numpy as np
from paths import SCHEMAS

from calibration.board import BoardSpec
from calibration.disc import DiscSpec
from calibration.placed_disc import DiscState, PlacedDisc, Team
from scorer.referee.disc_identities import NamedDisc
from scorer.referee.events import (
    BoardEvent,
    Event,
    NotRefereeingEvent,
    RemovalEvent,
    RoundEvent,
    ShotEvent,
    TwentyEvent,
    to_json,
)
from scorer.referee.make_events import list_totals, make_evidence, see_discs, see_teams
from scorer.referee.shot.contact_hypotheses import ContactHypothesis
from scorer.referee.shot.flick import Flick
from scorer.rules.checks import Fault
from scorer.rules.judge_shot import Verdict
from scorer.zones import TeamTotal
from vision.track.tracks.disc_track import DiscTrack, Sample

RED = Team(number=0, colour_rgb=(192, 40, 45), colour_name="red")
BLACK = Team(number=1, colour_rgb=(38, 38, 43), colour_name="black")
TEAMS = (RED, BLACK)

#: A point well inside each zone, mm.
PLACES_MM = {15: (10.0, 55.0), 10: (10.0, 145.0), 5: (10.0, 245.0), 0: (10.0, 318.0)}

_BOARD, _DISC = BoardSpec(), DiscSpec()
_SCHEMA = SCHEMAS / "event.schema.json"
_CHECKER = jsonschema.Draft202012Validator(json.loads(_SCHEMA.read_text("utf-8")))


def disc(
    name: str,
    team: Team,
    at_mm: tuple[float, float],
    state: DiscState = DiscState.FLAT,
    *,
    confidence: float = 1.0,
    sigma_mm: float = 0.2,
) -> NamedDisc:
    """A disc as it was read."""
    placed = PlacedDisc(
        centre_mm=np.array(at_mm),
        covariance_mm2=np.eye(2) * sigma_mm**2,
        team=team.number,
        state=state,
        confidence=confidence,
    )
    return NamedDisc(name=name, disc=placed)


def in_zone(name: str, team: Team, zone: int) -> NamedDisc:
    """A disc that is certainly in a zone."""
    return disc(name, team, PLACES_MM[zone])


def board_event(
    *discs: NamedDisc, t_s: float = 1.0, teams: Sequence[Team] = TEAMS, warnings: Sequence[str] = ()
) -> dict[str, Any]:
    """An event: the board is at rest with these discs on it."""
    return _checked(
        BoardEvent(
            t_s=t_s,
            discs=see_discs(discs, _BOARD, _DISC),
            teams=see_teams(teams),
            warnings=tuple(warnings),
            next_team=None,
        )
    )


def shot_event(
    index: int,
    team: Team,
    *after: NamedDisc,
    verdict: Verdict = Verdict.LEGAL,
    faults: Sequence[Fault] = (),
    remove: Sequence[NamedDisc] = (),
    question: str | None = None,
    teams: Sequence[Team] = TEAMS,
    before: Sequence[NamedDisc] = (),
) -> dict[str, Any]:
    """A shot of that team, with the discs on the board after it, and those ``before``."""
    shooter = disc("shooter", team, (0.0, -304.8))
    track = DiscTrack(name=shooter.name, lab=np.zeros(3))
    track.samples.append(Sample(t_s=0.5, place_mm=shooter.place_mm, is_free=True))
    evidence = make_evidence(
        Flick(track=track, start=0),
        {},
        ContactHypothesis(pairs=(), description="it touched one"),
        0.1,
        False,
    )
    told = ShotEvent(
        t_s=1.0,
        index=index,
        team=team.number,
        disc=shooter.name,
        t_start_s=0.5,
        t_rest_s=0.9,
        verdict=verdict,
        faults=tuple(faults),
        doubts=(),
        question=question,
        remove=see_discs(remove, _BOARD, _DISC),
        before=see_discs([*before, shooter], _BOARD, _DISC),
        after=see_discs(after, _BOARD, _DISC),
        contacts=(),
        evidence=evidence,
        teams=see_teams(teams),
    )
    return _checked(told)


def removal_event(*removed: NamedDisc, warnings: Sequence[str] = ()) -> dict[str, Any]:
    """An event: a hand took discs off."""
    discs = see_discs(removed, _BOARD, _DISC)
    return _checked(RemovalEvent(t_s=2.0, removed=discs, warnings=tuple(warnings)))


def twenty_event(team: Team, count: int = 1) -> dict[str, Any]:
    """A 20 of that team."""
    return _checked(TwentyEvent(t_s=1.0, team=team.number, disc="shooter", count=count))


def round_event(
    *points_and_twenties: tuple[int, int],
    shots: int,
    questions: Sequence[str] = (),
    is_cleared: bool = True,
    is_film_over: bool = False,
) -> dict[str, Any]:
    """The round's end, with each team's points and 20s."""
    totals = [
        TeamTotal(team=team.number, points=points, twenties=twenties)
        for team, (points, twenties) in zip(TEAMS, points_and_twenties, strict=True)
    ]
    return _checked(
        RoundEvent(
            t_s=2.0,
            totals=list_totals(totals, TEAMS),
            shots=shots,
            needs_review=bool(questions),
            doubts=tuple(questions),
            questions=tuple(questions),
            is_cleared=is_cleared,
            is_film_over=is_film_over,
        )
    )


def blind_event(reason: str, advice: str, *, over: bool = False) -> dict[str, Any]:
    """An event: the referee cannot see, or can see again."""
    return _checked(NotRefereeingEvent(t_s=1.0, reason=reason, advice=advice, over=over))


def _checked(told: Event) -> dict[str, Any]:
    """The event as its readers get it, if it fits the published schema."""
    sent: dict[str, Any] = to_json(told)
    _CHECKER.validate(json.loads(json.dumps(sent)))
    return sent
