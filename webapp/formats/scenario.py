"""Scenarios and verdicts as JSON: what ``crokinole judge`` reads and prints.

Knows the two formats and says in one sentence what is wrong with a scenario. Refuses to know any
rule. Names of discs and teams may be texts or whole numbers; they are printed as they were read.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from calibration.state import DiscState
from scorer.rules.referee import ShotJudgement, ShotOutcome
from scorer.rules.sets import RuleSet, rule_set
from scorer.rules.shot import FinalPosition, ShotFacts, StartPosition

_REQUIRED = ("rules", "shooter_team", "shooter_id", "teams", "before", "contacts", "after")
_OPTIONAL = ("options", "shooter_quadrant", "first_shot", "crossed")
#: A side has at most 12 discs in every way to play.
_MAX_DISCS = 12
#: No disc of a scenario lies further out than this: the rail of the widest board and some more.
_MAX_DISTANCE_MM = 1_000.0
#: A disc whose place is known no better than to half its width was not seen.
_MAX_SIGMA_MM = 15.0


class ScenarioError(ValueError):
    """A scenario that cannot be judged; the text is one sentence for the user."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scenario:
    """A shot, its rules, and the names of discs and teams as they were written."""

    shot: ShotFacts
    rules: RuleSet
    written_ids: Mapping[str, str | int]
    written_teams: Mapping[str, str | int]


def read_scenario(path: Path) -> Scenario:
    """The scenario in a file. Raises ``ScenarioError`` or ``RulesError``."""
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise ScenarioError(f"{path} cannot be read ({error.strerror}).") from error
    except UnicodeDecodeError:
        raise ScenarioError(f"{path} is no text; give a scenario as JSON in UTF-8.") from None
    try:
        content = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ScenarioError(f"{path} is no JSON ({error}); mend it.") from None
    return parse_scenario(content)


def parse_scenario(content: object) -> Scenario:
    """The scenario in decoded JSON. Raises ``ScenarioError`` or ``RulesError``."""
    fields = _parse_object(content, "A scenario")
    for key in _REQUIRED:
        if key not in fields:
            raise ScenarioError(f"The scenario has no {key!r}; add it.")
    stray = next((key for key in fields if key not in (*_REQUIRED, *_OPTIONAL)), None)
    if stray is not None:
        raise ScenarioError(f"The scenario has {stray!r}, which means nothing here; take it away.")
    rules = rule_set(
        _parse_text(fields["rules"], "rules"), _parse_object(fields.get("options") or {}, "options")
    )
    teams = _parse_object(fields["teams"], "teams")
    try:
        shot = _parse_shot(
            fields, {key: _parse_name(value, "a team") for key, value in teams.items()}
        )
    except ScenarioError:
        raise
    except ValueError as error:
        raise ScenarioError(str(error)) from None
    _check_counts(shot)
    return Scenario(
        shot=shot,
        rules=rules,
        written_ids={str(each["id"]): each["id"] for each in fields["before"]},
        written_teams={str(team): team for team in (*teams.values(), fields["shooter_team"])},
    )


def _parse_shot(fields: Mapping[str, Any], teams: Mapping[str, str]) -> ShotFacts:
    quadrant, first = fields.get("shooter_quadrant"), fields.get("first_shot")
    if quadrant is not None and (isinstance(quadrant, bool) or not isinstance(quadrant, int)):
        raise ScenarioError(f"shooter_quadrant is {quadrant!r}; give 0, 1, 2, 3 or null.")
    if first is not None and not isinstance(first, bool):
        raise ScenarioError(f"first_shot is {first!r}; give true, false or null.")
    return ShotFacts(
        shooter=_parse_name(fields["shooter_id"], "shooter_id"),
        team=_parse_name(fields["shooter_team"], "shooter_team"),
        teams=teams,
        before=tuple(_parse_spot(each) for each in _parse_list(fields["before"], "before")),
        after=tuple(_parse_resting(each) for each in _parse_list(fields["after"], "after")),
        contacts=_parse_contacts(fields["contacts"]),
        quadrant=quadrant,
        is_first=first,
        crossed=frozenset(
            _parse_name(each, "crossed")
            for each in _parse_list(fields.get("crossed") or [], "crossed")
        ),
    )


def _check_counts(shot: ShotFacts) -> None:
    owners = [shot.teams[each.id] for each in shot.before]
    for team in dict.fromkeys(owners):
        if owners.count(team) > _MAX_DISCS:
            raise ScenarioError(
                f"Team {team} has {owners.count(team)} discs on the board; a side has at most "
                f"{_MAX_DISCS}, so correct before or teams."
            )


def _parse_spot(content: object) -> StartPosition:
    fields = _parse_object(content, "A disc in before")
    name = _parse_disc_name(fields, "before")
    return StartPosition(
        id=name, x_mm=_parse_place(fields, "x_mm", name), y_mm=_parse_place(fields, "y_mm", name)
    )


def _parse_resting(content: object) -> FinalPosition:
    fields = _parse_object(content, "A disc in after")
    name = _parse_disc_name(fields, "after")
    try:
        state = DiscState(str(fields.get("state")))
    except ValueError:
        choices = ", ".join(DiscState)
        raise ScenarioError(
            f"Disc {name} has the state {fields.get('state')!r}; choose from {choices}."
        ) from None
    if state is DiscState.DITCH:
        return FinalPosition(id=name, state=state)
    x_mm, y_mm = _parse_place(fields, "x_mm", name), _parse_place(fields, "y_mm", name)
    sigma_mm = _parse_sigma(fields, name)
    return FinalPosition(id=name, state=state, x_mm=x_mm, y_mm=y_mm, sigma_mm=sigma_mm)


def _parse_contacts(content: object) -> tuple[tuple[str, str], ...] | None:
    if content is None:
        return None
    pairs = []
    for each in _parse_list(content, "contacts"):
        pair = _parse_list(each, "A contact")
        if len(pair) != 2:
            raise ScenarioError(f"A contact is {pair!r}; give two names.")
        pairs.append((_parse_name(pair[0], "a contact"), _parse_name(pair[1], "a contact")))
    return tuple(pairs)


def _parse_disc_name(fields: Mapping[str, Any], where: str) -> str:
    if "id" not in fields:
        raise ScenarioError(f"A disc in {where} has no id; name it.")
    return _parse_name(fields["id"], "id")


def _parse_place(fields: Mapping[str, Any], key: str, disc: str) -> float:
    value: Any = fields.get(key)
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if is_number and -_MAX_DISTANCE_MM <= value <= _MAX_DISTANCE_MM:  # no NaN is
        return float(value)
    raise ScenarioError(f"Disc {disc} has {key} {value!r}; give millimetres from the centre.")


def _parse_sigma(fields: Mapping[str, Any], disc: str) -> float:
    """How uncertain a place is, mm; 0 unless given."""
    value: Any = fields.get("sigma_mm", 0.0)
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if is_number and 0 <= value <= _MAX_SIGMA_MM:
        return float(value)
    raise ScenarioError(
        f"Disc {disc} has sigma_mm {value!r}; give millimetres from 0 to {_MAX_SIGMA_MM:.0f}."
    )


def _parse_name(value: object, what: str) -> str:
    if isinstance(value, str | int) and not isinstance(value, bool) and value != "":
        return str(value)
    raise ScenarioError(f"{what} is {value!r}; give a text or a whole number.")


def _parse_text(value: object, what: str) -> str:
    if isinstance(value, str):
        return value
    raise ScenarioError(f"{what} is {value!r}; give a text.")


def _parse_list(value: object, what: str) -> list[Any]:
    if isinstance(value, list):
        return value
    raise ScenarioError(f"{what} is {value!r}; give a list.")


def _parse_object(value: object, what: str) -> Mapping[str, Any]:
    if isinstance(value, dict):
        return value
    raise ScenarioError(f"{what} is {value!r}; give a JSON object.")


def judgement_json(scenario: Scenario, judgement: ShotJudgement) -> dict[str, Any]:
    """A verdict as JSON holds it."""
    outcome = _outcome_json(scenario, judgement.outcome)
    # Unseen, displacement proves that a disc was touched, but not by which.
    contact = judgement.outcome.contact if judgement.contacts_seen else None
    return {
        **outcome,
        "evidence": {
            "contacts": "seen" if judgement.contacts_seen else "unseen",
            "moved_mm": {
                disc: None if math.isinf(moved) else round(moved, 3)
                for disc, moved in judgement.moved_mm.items()
            },
            "contact": None
            if contact is None
            else [_name_as_written(scenario, each) for each in contact],
        },
        "alternatives": [
            {"when": each.when, **_outcome_json(scenario, each.outcome)}
            for each in judgement.alternatives
        ],
    }


def _outcome_json(scenario: Scenario, outcome: ShotOutcome) -> dict[str, Any]:
    return {
        "verdict": str(outcome.verdict),
        "faults": [
            {
                "code": str(each.code),
                "rule": each.rule,
                "evidence": _name_evidence(scenario, each.evidence),
            }
            for each in outcome.faults
        ],
        "remove": [_name_as_written(scenario, each) for each in outcome.remove],
        "restore": [
            {"id": _name_as_written(scenario, each.id), "x_mm": each.x_mm, "y_mm": each.y_mm}
            for each in outcome.restore
        ],
        "twenties": [
            {"id": _name_as_written(scenario, each.id), "team": scenario.written_teams[each.team]}
            for each in outcome.twenties
        ],
        "board_after": [
            {
                "id": _name_as_written(scenario, each.id),
                "x_mm": each.x_mm,
                "y_mm": each.y_mm,
                "state": str(each.state),
            }
            for each in outcome.board_after
        ],
        "reshoot": outcome.reshoot,
    }


#: Keys of evidence that hold names of discs.
_DISC_KEYS = ("disc", "opponents", "touched", "contacts", "touched_by_a_disc_out_of_play")


def _name_evidence(scenario: Scenario, evidence: Mapping[str, Any]) -> dict[str, Any]:
    """Evidence with discs named as they were written."""
    named = {
        key: _name_nested(scenario, value) if key in _DISC_KEYS else value
        for key, value in evidence.items()
    }
    if "discs" in named:
        named["discs"] = [_name_evidence(scenario, each) for each in named["discs"]]
    return named


def _name_nested(scenario: Scenario, value: Any) -> Any:
    if isinstance(value, list):
        return [_name_nested(scenario, each) for each in value]
    return _name_as_written(scenario, value)


def _name_as_written(scenario: Scenario, disc: str) -> str | int:
    return scenario.written_ids.get(disc, disc)
