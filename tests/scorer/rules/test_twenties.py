"""Discs that count as 20s, and their owners."""

from __future__ import annotations

import pytest
from judged_shots import DIRECT, OPPONENT, OWN, SETS, at, scenario, told


@pytest.mark.parametrize("rules", SETS)
def test_a_20_counts_for_its_owner(rules: str) -> None:
    others = {"x": OPPONENT, "o": OWN}
    contacts = [["s", "x"], ["s", "o"]]
    for disc, team in (("x", "black"), ("o", "white"), ("s", "white")):
        result = told(
            scenario(
                rules,
                others=others,
                contacts=contacts,
                rest={"s": at(200.0, 45.0), disc: "in_hole"},
            )
        )
        assert result["twenties"] == {disc: team}
        assert disc not in result["board"] | result["remove"]


def test_a_house_may_give_20s_to_the_side_that_shot() -> None:
    content = scenario(
        others={"x": OPPONENT},
        contacts=DIRECT,
        rest={"x": "in_hole"},
        options={"twenty_owner": "shooter"},
    )
    assert told(content)["twenties"] == {"x": "white"}


@pytest.mark.parametrize("rules", SETS)
def test_a_leaner_is_no_20_and_remains(rules: str) -> None:
    ends = {"s": ("leaning", at(20.0))}
    result = told(scenario(rules, others={"x": OPPONENT}, contacts=DIRECT, rest=ends))
    assert (result["twenties"], result["board"]) == ({}, {"s", "x"})


@pytest.mark.parametrize(("distance_mm", "counts"), [(20.0, True), (101.0, False)])
def test_a_house_may_count_leaners_but_none_on_a_post(distance_mm: float, counts: bool) -> None:
    content = scenario(
        others={"x": OPPONENT},
        contacts=DIRECT,
        rest={"s": ("leaning", at(distance_mm))},
        options={"leaner": "twenty"},
    )
    assert told(content)["twenties"] == ({"s": "white"} if counts else {})
