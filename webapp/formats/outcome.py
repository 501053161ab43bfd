"""A shot's outcome as the JSON that programs read and the lines that people read.

Knows the published format (``schemas/simulate.schema.json``).
"""

from __future__ import annotations

from typing import Any

from scorer.physics.engine import SimulationResult

_DECIMALS = 4


def outcome_json(outcome: SimulationResult) -> dict[str, Any]:
    """What ``crokinole simulate --json`` prints."""
    return {
        "discs": [
            {
                "id": disc.id,
                "x_mm": round(disc.x_mm, _DECIMALS),
                "y_mm": round(disc.y_mm, _DECIMALS),
                "state": disc.state.value,
                "t_rest_s": round(disc.t_rest_s, 6),
            }
            for disc in outcome.discs
        ],
        "contacts": [
            {"t_s": round(contact.t_s, 6), "a": contact.a, "b": contact.b}
            for contact in outcome.contacts
        ],
        "path": [
            {
                "id": leg.id,
                "t0_s": round(leg.t0_s, 6),
                "t1_s": round(leg.t1_s, 6),
                "from_mm": [round(value, _DECIMALS) for value in leg.from_mm],
                "to_mm": [round(value, _DECIMALS) for value in leg.to_mm],
            }
            for leg in outcome.path
        ],
        "hole_doubtful": outcome.is_hole_doubtful,
    }


def outcome_lines(outcome: SimulationResult) -> list[str]:
    """What a person reads."""
    lines = [f"{contact.t_s:7.3f} s  {contact.a} meets {contact.b}" for contact in outcome.contacts]
    lines += [
        f"disc {disc.id}: {disc.state.value} at ({disc.x_mm:.1f}, {disc.y_mm:.1f}) mm, "
        f"still after {disc.t_rest_s:.2f} s"
        for disc in outcome.discs
    ]
    if outcome.is_hole_doubtful:
        lines.append("A disc met the hole near its capture speed: it may also have gone otherwise.")
    return lines
