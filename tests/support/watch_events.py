"""The referee's events, made from discs in millimetres by the code that makes them.

Each is checked against the published schema, so no test can rest on an event that none would send.
"""

from __future__ import annotations

import json
from collections.abc import Sequence

import jsonschema
import numpy as np
from paths import SCHEMAS

from calibration.board import BoardSpec
from calibration.disc import DiscSpec
from calibration.placed_disc import DiscState, PlacedDisc, Team
from scorer.referee.disc_identities import NamedDisc
from scorer.referee.events import (
    Event,
    discs_json,
    evidence_json,
    make_event,
    ruling_json,
    teams_json,
    totals_json,
)
from scorer.referee.shot.contact_hypotheses import ContactHypothesis
from scorer.referee.shot.flick import Flick
from scorer.referee.shot.judge_hypotheses import Ruling
from scorer.rules.checks import Fault
from scorer.rules.judge_shot import ShotOutcome, Verdict
from scorer.zones import TeamTotal
from vision.track.tracks.disc_track import DiscTrack, Sample

RED = Team(number=0, colour_rgb=(192, 40, 45), colour_name="red")
BLACK = Team(number=1, colour_rgb=(38, 38, 43), colour_name="black")
TEAMS = (RED, BLACK)

#: A place well inside each zone, mm.
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
    """A disc that lies there beyond doubt."""
    return disc(name, team, PLACES_MM[zone])


def board_event(
    *discs: NamedDisc, t_s: float = 1.0, teams: Sequence[Team] = TEAMS, warnings: Sequence[str] = ()
) -> Event:
    """The board lies still with these discs on it."""
    told = {"teams": teams_json(teams), "warnings": list(warnings), "next_team": None}
    return _checked(make_event("board", t_s, discs=discs_json(discs, _BOARD, _DISC), **told))


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
) -> Event:
    """A shot of that team, with the discs that lie there after it, and those ``before``."""
    shooter = disc("shooter", team, (0.0, -304.8))
    outcome = ShotOutcome(
        verdict=verdict,
        faults=tuple(faults),
        remove=tuple(each.name for each in remove),
        restore=(),
        twenties=(),
        board_after=(),
    )
    track = DiscTrack(name=shooter.name, lab=np.zeros(3))
    track.samples.append(Sample(t_s=0.5, place_mm=shooter.place_mm, is_free=True))
    evidence = evidence_json(
        Flick(track=track, start=0),
        {},
        ContactHypothesis(pairs=(), description="it touched one"),
        0.1,
        False,
    )
    told = make_event(
        "shot",
        1.0,
        index=index,
        team=team.number,
        disc=shooter.name,
        t_start_s=0.5,
        t_rest_s=0.9,
        **ruling_json(Ruling(verdict=verdict, outcome=outcome, question=question)),
        remove=discs_json(remove, _BOARD, _DISC),
        before=discs_json([*before, shooter], _BOARD, _DISC),
        after=discs_json(after, _BOARD, _DISC),
        contacts=[],
        evidence=evidence,
        teams=teams_json(teams),
    )
    return _checked(told)


def removal_event(*removed: NamedDisc, warnings: Sequence[str] = ()) -> Event:
    """A hand took these discs off."""
    discs = discs_json(removed, _BOARD, _DISC)
    return _checked(make_event("removal", 2.0, removed=discs, warnings=list(warnings)))


def twenty_event(team: Team, count: int = 1) -> Event:
    """A 20 of that team."""
    return _checked(make_event("twenty", 1.0, team=team.number, disc="shooter", count=count))


def round_event(
    *points_and_twenties: tuple[int, int],
    shots: int,
    questions: Sequence[str] = (),
    is_cleared: bool = True,
    is_film_over: bool = False,
) -> Event:
    """The round's end, with each team's points and 20s."""
    totals = [
        TeamTotal(team=team.number, points=points, twenties=twenties)
        for team, (points, twenties) in zip(TEAMS, points_and_twenties, strict=True)
    ]
    asked = list(questions)
    told = {"shots": shots, "needs_review": bool(asked), "doubts": asked, "questions": asked}
    told |= {"totals": totals_json(totals, TEAMS), "is_cleared": is_cleared}
    told |= {"is_film_over": is_film_over}
    return _checked(make_event("round", 2.0, **told))


def blind_event(reason: str, advice: str, *, over: bool = False) -> Event:
    """The referee does not see, or sees again."""
    return _checked(make_event("not_refereeing", 1.0, reason=reason, advice=advice, over=over))


def _checked(told: Event) -> Event:
    """The event as its readers get it, if it is as the published schema has it."""
    sent: Event = json.loads(json.dumps(told))
    _CHECKER.validate(sent)
    return sent
