"""A shot's outcome: the JSON printed by ``crokinole simulate``, and the lines for people."""

from __future__ import annotations

from typing import Literal, cast

from pydantic import Field

from calibration.placed_disc import DiscState
from scorer.physics.engine import Contact, SimulationResult
from webapp.formats.form import Form, Point

_DECIMALS = 4

_RestState = Literal["flat", "in_hole", "overhanging", "ditch"]


class OutcomeDisc(Form):
    """A disc after the shot."""

    id: str
    x_mm: float = Field(description="For a disc in the ditch, where it left the surface.")
    y_mm: float
    state: _RestState
    t_rest_s: float = Field(ge=0)


class OutcomeContact(Form):
    """A contact of a disc."""

    t_s: float = Field(ge=0)
    a: str = Field(description="A disc.")
    b: str = Field(
        description="Another disc's id, post:k, hole, hole_missed, sunk (the disc in the hole) "
        "or outside."
    )


class OutcomePath(Form):
    """A straight path of a disc between two events."""

    id: str
    t0_s: float
    t1_s: float
    from_mm: Point
    to_mm: Point


class OutcomeForm(Form):
    """The discs' final places, and the contacts before."""

    discs: list[OutcomeDisc]
    contacts: list[OutcomeContact] = Field(description="In order of time.")
    path: list[OutcomePath] = Field(description="In the order in which they start.")
    hole_doubtful: bool = Field(
        description=(
            "A disc crossed the hole at close to its capture speed, so it could have gone either "
            "way."
        )
    )
    cut_off: bool = Field(
        default=False,
        description=(
            "Discs in a cluster collided so often that later contacts were left out; discs may "
            "overlap."
        ),
    )


def outcome_json(outcome: SimulationResult) -> dict[str, object]:
    """The output of ``crokinole simulate --json``."""
    return OutcomeForm(
        discs=[
            OutcomeDisc(
                id=disc.id,
                x_mm=round(disc.x_mm, _DECIMALS),
                y_mm=round(disc.y_mm, _DECIMALS),
                state=cast(_RestState, disc.state.value),
                t_rest_s=round(disc.t_rest_s, 6),
            )
            for disc in outcome.discs
        ],
        contacts=[
            OutcomeContact(t_s=round(contact.t_s, 6), a=contact.a, b=contact.b)
            for contact in outcome.contacts
        ],
        path=[
            OutcomePath(
                id=leg.id,
                t0_s=round(leg.t0_s, 6),
                t1_s=round(leg.t1_s, 6),
                from_mm=[round(value, _DECIMALS) for value in leg.from_mm],
                to_mm=[round(value, _DECIMALS) for value in leg.to_mm],
            )
            for leg in outcome.path
        ],
        hole_doubtful=outcome.is_hole_uncertain,
        cut_off=outcome.is_cut_off,
    ).model_dump()


def outcome_lines(outcome: SimulationResult) -> list[str]:
    """The report for people."""
    lines = [f"{contact.t_s:7.3f} s  {_describe_contact(contact)}" for contact in outcome.contacts]
    lines += [
        f"disc {disc.id}: {_STATE_WORDS[disc.state]} ({disc.x_mm:.1f}, {disc.y_mm:.1f}) mm, "
        f"stopped after {disc.t_rest_s:.2f} s"
        for disc in outcome.discs
    ]
    if outcome.is_hole_uncertain:
        lines.append(
            "A disc crossed the hole at close to its capture speed, so it could have gone either "
            "way."
        )
    if outcome.is_cut_off:
        lines.append(
            "Discs in a cluster collided too often to follow every contact. Their final positions "
            "are rough and may overlap."
        )
    return lines


_STATE_WORDS = {
    DiscState.FLAT: "flat at",
    DiscState.IN_HOLE: "in the hole at",
    DiscState.OVERHANGING: "over the edge at",
    DiscState.DITCH: "in the ditch, left the surface at",
}
_CONTACT_WORDS = {
    "hole": "falls into the hole",
    "hole_missed": "passes over the hole",
    "sunk": "hits the disc in the hole",
    "outside": "leaves the surface",
}


def _describe_contact(contact: Contact) -> str:
    """A disc's contact, in words."""
    words = _CONTACT_WORDS.get(contact.b, f"hits {contact.b.replace(':', ' ')}")
    return f"{contact.a} {words}"
