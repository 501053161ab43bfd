"""Verdicts, the output of ``crokinole judge``. Discs and teams have the names of the input."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import Field

from scorer.rules.judge_shot import ShotJudgement, ShotOutcome
from webapp.formats.form import BoardState, Form, WrittenName
from webapp.formats.scenario import Scenario

FaultName = Literal["no_contact", "open_board", "placement", "out_of_bounds"]
WrittenPair = Annotated[list[WrittenName], Field(min_length=2, max_length=2)]


class FaultForm(Form):
    """One fault."""

    code: FaultName = Field(description="out_of_bounds is a removal, not a foul.")
    rule: str = Field(description="Document and passage, or the house rule.")
    evidence: dict[str, object] = Field(description="Discs by id, and millimetres.")


class RestoredForm(Form):
    """A disc that is put back at its old place."""

    id: WrittenName
    x_mm: float
    y_mm: float


class TwentyForm(Form):
    """A disc that is a 20."""

    id: WrittenName
    team: WrittenName


class BoardDiscForm(RestoredForm):
    """A disc on the board after the verdict."""

    state: BoardState


class ConsequencesForm(Form):
    """The faults and their consequences."""

    verdict: Literal["legal", "foul", "needs_review"] = Field(
        description="For needs_review: only the consequences that all alternatives share."
    )
    faults: list[FaultForm]
    remove: list[WrittenName] = Field(
        description=(
            "Discs to remove from the surface or the hole without counting them. Discs already in "
            "the ditch are not listed."
        )
    )
    restore: list[RestoredForm]
    twenties: list[TwentyForm]
    board_after: list[BoardDiscForm]
    reshoot: bool = Field(description="A beginner may shoot again if any re-shoots are left.")


class ConditionForm(Form):
    """A consequence that depends on an unseen event."""

    when: str = Field(description="The condition under which this applies.")


class AlternativeForm(ConsequencesForm, ConditionForm):
    """The consequences of an unseen event."""

    verdict: Literal["legal", "foul"]


class VerdictEvidenceForm(Form):
    """The evidence behind a verdict."""

    contacts: Literal["seen", "unseen"]
    moved_mm: dict[str, float | None] = Field(
        description=(
            "Without seen contacts: how far every disc that certainly moved went; null for into "
            "the hole or the ditch."
        )
    )
    contact: WrittenPair | None = Field(
        description=(
            "The contact that satisfied the rule; null if none did, none was needed, or none was "
            "seen."
        )
    )


class VerdictForm(ConsequencesForm):
    """Whether a shot was legal, and the consequences."""

    evidence: VerdictEvidenceForm
    alternatives: list[AlternativeForm] = Field(description="Empty unless a person must choose.")


def judgement_json(scenario: Scenario, judgement: ShotJudgement) -> dict[str, object]:
    """The output of ``crokinole judge --json``."""
    # If the contact was unseen, displacement proves that a disc was touched, but not by which disc.
    contact = judgement.outcome.contact if judgement.contacts_seen else None
    return VerdictForm(
        **dict(_make_consequences(scenario, judgement.outcome)),
        evidence=VerdictEvidenceForm(
            contacts="seen" if judgement.contacts_seen else "unseen",
            moved_mm={
                disc: None if math.isinf(moved) else round(moved, 3)
                for disc, moved in judgement.moved_mm.items()
            },
            contact=contact and [_name_as_written(scenario, disc) for disc in contact],
        ),
        alternatives=[
            AlternativeForm(
                when=alternative.when, **dict(_make_consequences(scenario, alternative.outcome))
            )
            for alternative in judgement.alternatives
        ],
    ).model_dump()


def _make_consequences(scenario: Scenario, outcome: ShotOutcome) -> ConsequencesForm:
    return ConsequencesForm(
        verdict=outcome.verdict.value,
        faults=[
            FaultForm(
                code=fault.code.value,
                rule=fault.rule,
                evidence=_name_evidence(scenario, fault.evidence),
            )
            for fault in outcome.faults
        ],
        remove=[_name_as_written(scenario, disc) for disc in outcome.remove],
        restore=[
            RestoredForm(id=_name_as_written(scenario, disc.id), x_mm=disc.x_mm, y_mm=disc.y_mm)
            for disc in outcome.restore
        ],
        twenties=[
            TwentyForm(
                id=_name_as_written(scenario, twenty.id), team=scenario.written_teams[twenty.team]
            )
            for twenty in outcome.twenties
        ],
        board_after=[
            BoardDiscForm.model_validate(
                {
                    "id": _name_as_written(scenario, disc.id),
                    "x_mm": disc.x_mm,
                    "y_mm": disc.y_mm,
                    "state": disc.state.value,
                }
            )
            for disc in outcome.board_after
        ],
        reshoot=outcome.reshoot,
    )


#: Keys of the evidence whose values are names of discs.
_DISC_KEYS = ("disc", "opponents", "touched", "contacts", "touched_by_a_disc_out_of_play")


def _name_evidence(scenario: Scenario, evidence: Mapping[str, Any]) -> dict[str, object]:
    """Evidence with discs named as in the input."""
    named = {
        key: _name_nested(scenario, value) if key in _DISC_KEYS else value
        for key, value in evidence.items()
    }
    if "discs" in named:
        named["discs"] = [_name_evidence(scenario, disc) for disc in evidence["discs"]]
    return named


def _name_nested(scenario: Scenario, value: object) -> object:
    if isinstance(value, list):
        return [_name_nested(scenario, part) for part in value]
    return _name_as_written(scenario, value) if isinstance(value, str) else value


def _name_as_written(scenario: Scenario, disc: str) -> str | int:
    return scenario.written_ids.get(disc, disc)
