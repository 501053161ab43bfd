"""Where a disc must end in each set when no opponent's disc is on the board."""

from __future__ import annotations

from typing import Any

import pytest
from judged_shots import INNER_15, MISS, OUTER_15, OWN, OWN_2, SETS, at, codes, scenario, told

NEEDS_15 = ("mayday", "cogitate", "nca")


@pytest.mark.parametrize("rules", SETS)
@pytest.mark.parametrize(
    ("end", "in_target"),
    [
        pytest.param("in_hole", True, id="in the hole"),
        pytest.param(("leaning", at(20.0)), True, id="leaning on the hole"),
        pytest.param(at(INNER_15 - 0.01), True, id="clear inside the 15-line"),
        pytest.param(at(OUTER_15 - 0.01), True, id="touching the 15-line from outside"),
        pytest.param(at(OUTER_15 + 0.01), False, id="clear outside the 15-line"),
        pytest.param(at(200.0), False, id="in the 10-zone"),
        pytest.param("ditch", False, id="in the ditch"),
    ],
)
def test_open_board_shot_must_end_at_the_15_circle(rules: str, end: Any, in_target: bool) -> None:
    result = told(scenario(rules, contacts=[], rest={"s": end}))
    is_foul = rules in NEEDS_15 and not in_target
    assert result["codes"] == (["open_board"] if is_foul else [])
    assert result["verdict"] == ("foul" if is_foul else "legal")


@pytest.mark.parametrize(
    ("target", "distance_mm", "is_foul"),
    [
        pytest.param("within-15", INNER_15 - 0.01, False, id="wholly inside: clear of the line"),
        pytest.param("within-15", INNER_15 + 0.01, True, id="wholly inside: touching the line"),
        pytest.param("partly-inside-15", OUTER_15 - 1.61, False, id="partly inside: just past"),
        pytest.param("partly-inside-15", OUTER_15 - 1.59, True, id="partly inside: on the line"),
        pytest.param("touching-15", OUTER_15 - 0.01, False, id="touching: just"),
        pytest.param("touching-15", OUTER_15 + 0.01, True, id="touching: just not"),
        pytest.param("anywhere", 280.0, False, id="anywhere"),
    ],
)
@pytest.mark.parametrize("rules", SETS)
def test_every_target_of_an_open_board_has_two_sides(rules, target, distance_mm, is_foul) -> None:
    options = {"open_target": target}
    content = scenario(rules, contacts=[], rest={"s": at(distance_mm)}, options=options)
    assert codes(content) == (["open_board"] if is_foul else [])


@pytest.mark.parametrize(
    ("open_disc", "verdict"),
    [("shooter-or-struck", "legal"), ("own", "legal"), ("shooter-only", "foul")],
)
def test_on_an_open_board_a_struck_disc_may_fulfil_the_rule(open_disc: str, verdict: str) -> None:
    content = scenario(
        "cogitate",
        others={"o": OWN},
        contacts=[["s", "o"]],
        rest={"s": at(250.0), "o": at(60.0)},
        options={"open_disc": open_disc},
    )
    assert told(content)["verdict"] == verdict


def test_on_an_open_board_a_disc_that_took_no_part_fulfils_nothing() -> None:
    content = scenario("cogitate", others={"o": at(60.0)}, contacts=[], rest={"s": at(250.0)})
    assert codes(content) == ["open_board"]


OPEN_COSTS = {
    "mayday": {"s", "o", "o2"},
    "cogitate": {"s", "o", "o2"},
    "traditional": {"s"},
    "family": {"s", "o", "o2"},
    "nca": {"s", "o"},
}


@pytest.mark.parametrize(
    ("rules", "cost"),
    [pytest.param(*case, id=f"{case[0]}: {sorted(case[1])}") for case in OPEN_COSTS.items()],
)
def test_a_wasted_open_board_costs_the_discs_of_the_sets_scope(rules: str, cost: set[str]) -> None:
    """Only some sets ask for a target; where an option adds it, the set's scope applies."""
    content = scenario(
        rules,
        others={"o": OWN, "o2": OWN_2, "o3": at(200.0, 30.0)},
        contacts=MISS,
        rest={"s": at(250.0)},
        options={"open_target": "touching-15"},
    )
    result = told(content)
    assert (result["codes"], result["remove"]) == (["open_board"], cost)


@pytest.mark.parametrize(
    ("others", "is_first", "is_foul"),
    [
        pytest.param({}, None, True, id="an empty board is the first shot unless told"),
        pytest.param({}, False, False, id="told to be a later shot at an emptied board"),
        pytest.param({"o": OWN}, None, False, id="a board with own discs is a later shot"),
        pytest.param({"o": OWN}, True, True, id="told to be the first"),
    ],
)
def test_a_rule_for_the_first_shot_holds_for_it_alone(others, is_first, is_foul) -> None:
    content = scenario(
        "traditional",
        others=others,
        contacts=[],
        rest={"s": at(INNER_15 + 0.01)},
        options={"open_target": "within-15", "open_when": "first-shot"},
        first_shot=is_first,
    )
    assert codes(content) == (["open_board"] if is_foul else [])
