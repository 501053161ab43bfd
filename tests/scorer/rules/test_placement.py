"""Allowed places of a disc before its shot, and shots that may be repeated."""

from __future__ import annotations

import math

import pytest
from judged_shots import (
    DIRECT,
    EDGE,
    INNER_5,
    OPPONENT,
    OUTER_5,
    OWN,
    SETS,
    at,
    codes,
    judged,
    scenario,
    told,
)

# Placement

PLACEMENTS: list[tuple[str, tuple[float, float], str]] = [
    ("clear inside the line", at(INNER_5 - 0.01, 270), "foul foul foul foul foul"),
    ("touching from inside", at(INNER_5 + 0.01, 270), "legal legal legal legal legal"),
    ("touching from behind", at(OUTER_5 - 0.01, 270), "legal legal legal legal legal"),
    ("clear behind the line", at(OUTER_5 + 0.01, 270), "foul foul legal foul legal"),
]


def _beside(over_mm: float) -> tuple[float, float]:
    """On the outer line, with the centre a given distance over the quadrant's line at -45
    degrees.
    """
    return at(304.8, -45.0 + math.degrees(math.asin(over_mm / 304.8)))


PLACEMENTS += [
    ("not reaching over a quadrant line", _beside(-EDGE + 0.79), "legal legal legal legal legal"),
    ("reaching over a quadrant line", _beside(-EDGE + 0.81), "legal legal foul foul legal"),
    ("half over a quadrant line", _beside(0.0), "legal legal foul foul legal"),
    ("more than half over", _beside(0.01), "foul legal foul foul foul"),
    ("touching a quadrant line from outside", _beside(EDGE + 0.79), "foul legal foul foul foul"),
    ("beyond a quadrant line", _beside(EDGE + 0.81), "foul foul foul foul foul"),
]


@pytest.mark.parametrize(
    ("rules", "placed", "verdict"),
    [
        pytest.param(rules, placed, verdict, id=f"{rules}: {words} is {verdict}")
        for words, placed, verdicts in PLACEMENTS
        for rules, verdict in zip(SETS, verdicts.split(), strict=True)
    ],
)
def test_placement(rules: str, placed: tuple[float, float], verdict: str) -> None:
    content = scenario(
        rules,
        others={"x": OPPONENT},
        contacts=DIRECT,
        placed=placed,
        rest={"s": at(100.0, 80.0)},
        shooter_quadrant=3,
    )
    result = told(content)
    assert result["verdict"] == verdict
    assert result["codes"] == (["placement"] if verdict == "foul" else [])
    assert result["remove"] == ({"s"} if verdict == "foul" else set())


@pytest.mark.parametrize(("over_mm", "is_foul"), [(-0.01, False), (0.01, True)])
def test_the_advanced_placement_keeps_the_centre_off_the_field(over_mm, is_foul) -> None:
    content = scenario(
        "cogitate",
        others={"x": OPPONENT},
        contacts=DIRECT,
        placed=at(304.8 - over_mm, 270),
        rest={"s": at(100.0, 80.0)},
        options={"placement_centre": "not-inside"},
    )
    assert codes(content) == (["placement"] if is_foul else [])


def test_without_a_quadrant_the_discs_own_is_used() -> None:
    content = scenario(
        others={"x": OPPONENT}, contacts=DIRECT, placed=at(304.8, 45.0), rest={"s": at(100.0)}
    )
    assert codes(content) == []


# Re-shoots


@pytest.mark.parametrize(
    ("reshoot", "contacts", "others", "granted"),
    [
        ("none", [], {"x": OPPONENT}, False),
        ("agreed", [], {"x": OPPONENT}, True),
        ("agreed", [["s", "o"]], {"x": OPPONENT, "o": OWN}, True),
        ("agreed", DIRECT, {"x": OPPONENT}, False),
        ("met-no-disc", [["s", "post:1"]], {"x": OPPONENT}, True),
        ("met-no-disc", [["s", "o"]], {"x": OPPONENT, "o": OWN}, False),
        ("met-no-disc", DIRECT, {"x": OPPONENT}, False),
        ("met-no-disc", [], {}, False),
    ],
    ids=lambda case: str(case)[:40],
)
def test_a_beginner_may_shoot_again(reshoot, contacts, others, granted) -> None:
    options = {"reshoot": reshoot, "reshoot_limit": 0 if reshoot == "none" else 2}
    content = scenario(
        "cogitate", others=others, contacts=contacts, rest={"s": at(250.0)}, options=options
    )
    assert judged(content).outcome.reshoot is granted
