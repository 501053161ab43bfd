"""Shots on one board as scenarios, and the rules' verdicts in short form."""

from __future__ import annotations

import json
import math
from typing import Any

import jsonschema
from paths import SCHEMAS

from calibration.disc import DiscSpec
from scorer.rules.judge_shot import ShotJudgement, judge
from webapp.formats.scenario import parse_scenario
from webapp.formats.verdict import judgement_json

SETS = ("mayday", "cogitate", "traditional", "family", "nca")


def _validator(name: str) -> jsonschema.Draft202012Validator:
    schema = json.loads((SCHEMAS / name).read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(schema)


IN_SCHEMA = _validator("scenario.schema.json")
OUT_SCHEMA = _validator("verdict.schema.json")

EDGE = DiscSpec().contact_radius_mm
#: Distances at which a disc just touches a line from inside, and just clears it outside.
INNER_15, OUTER_15 = 101.6 - 0.8 - EDGE, 101.6 + 0.8 + EDGE
INNER_5, OUTER_5 = 304.8 - 0.8 - EDGE, 304.8 + 0.8 + EDGE
HANG = 330.2 - DiscSpec().radius_mm


def at(distance_mm: float, degrees: float = 90.0) -> tuple[float, float]:
    """The point (mm) at a distance from the board's centre and an angle from +x."""
    angle = math.radians(degrees)
    return distance_mm * math.cos(angle), distance_mm * math.sin(angle)


START = at(304.8, 270.0)
OPPONENT, OWN, OWN_2 = at(150.0, 90.0), at(150.0, 200.0), at(160.0, 320.0)


def scenario(
    rules: str = "nca",
    *,
    others: dict[str, tuple[float, float]] | None = None,
    rest: dict[str, Any] | None = None,
    contacts: list[list[str]] | None = None,
    placed: tuple[float, float] = START,
    **more: Any,
) -> dict[str, Any]:
    """A shot by disc s. A disc's side is its name's first letter: s and o are own, x and y are not.

    ``rest`` gives the discs' final states: a place, a state, or (state, place); the other discs
    stay.
    """
    before = {"s": placed, **(others or {})}
    sides = {"s": "white", "o": "white", "x": "black", "y": "red"}
    after = []
    for disc, place in before.items():
        end = (rest or {}).get(disc, place)
        state = end if isinstance(end, str) else end[0] if isinstance(end[0], str) else "flat"
        if state == "ditch":
            after.append({"id": disc, "state": state})
            continue
        if isinstance(end, str):
            end = (0.0, 0.0)
        elif isinstance(end[0], str):
            end = end[1]
        after.append({"id": disc, "x_mm": end[0], "y_mm": end[1], "state": state})
    return {
        "rules": rules,
        "shooter_team": "white",
        "shooter_id": "s",
        "teams": {disc: sides[disc[0]] for disc in before},
        "before": [{"id": disc, "x_mm": x, "y_mm": y} for disc, (x, y) in before.items()],
        "contacts": contacts,
        "after": after,
        **more,
    }


def judged(content: dict[str, Any]) -> ShotJudgement:
    """The judgement of a scenario; both are checked against their schemas."""
    IN_SCHEMA.validate(content)
    parsed = parse_scenario(content)
    result = judge(parsed.shot, parsed.rules)
    OUT_SCHEMA.validate(judgement_json(parsed, result))
    return result


def told(content: dict[str, Any]) -> dict[str, Any]:
    """The verdict in short."""
    outcome = judged(content).outcome
    return {
        "verdict": str(outcome.verdict),
        "codes": [str(fault.code) for fault in outcome.faults],
        "remove": set(outcome.remove),
        "restore": {disc.id for disc in outcome.restore},
        "twenties": {twenty.id: twenty.team for twenty in outcome.twenties},
        "board": {disc.id for disc in outcome.board_after},
    }


def codes(content: dict[str, Any]) -> list[str]:
    """The codes of all faults, in order."""
    return told(content)["codes"]


#: Contacts in time order: of the shooter's disc, and of an own disc with it.
DIRECT = [["s", "x"]]
BY_OWN = [["s", "o"], ["o", "x"]]
#: The same for own discs only.
MISS = [["s", "o"], ["o", "o2"]]


def with_sigma(content: dict[str, Any], disc: str, sigma_mm: float) -> dict[str, Any]:
    """The scenario with the given uncertainty of a disc's final position."""
    for row in content["after"]:
        if row["id"] == disc:
            row["sigma_mm"] = sigma_mm
    return content
