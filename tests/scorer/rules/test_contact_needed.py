"""Contacts that make a shot valid in each set, and the discs that a miss costs."""

from __future__ import annotations

import pytest
from judged_shots import BY_OWN, DIRECT, MISS, OPPONENT, OWN, OWN_2, SETS, at, codes, scenario, told

# Contact needed

BY_TWO_OWN = [["s", "o"], ["o", "o2"], ["o2", "x"]]
OUT_OF_ORDER = [["o", "x"], ["s", "o"]]
UNLINKED = [["o", "x"]]
OFF_A_POST = [["s", "post:3"], ["s", "x"]]
NONE_BUT_OWN = [["s", "o"]]

CONTACTS = {
    "direct": (DIRECT, "legal legal legal legal legal"),
    "off a post": (OFF_A_POST, "legal legal legal legal legal"),
    "by an own disc": (BY_OWN, "legal legal foul legal legal"),
    "by two own discs": (BY_TWO_OWN, "legal legal foul legal legal"),
    "by an own disc in the other order": (OUT_OF_ORDER, "legal legal foul legal legal"),
    "by an own disc that the shot did not drive": (UNLINKED, "foul legal foul foul foul"),
    "of own discs alone": (NONE_BUT_OWN, "foul foul foul foul foul"),
    "of nothing": ([], "foul foul foul foul foul"),
    "after leaving the board": ([["s", "outside"], ["s", "x"]], "foul foul foul foul foul"),
}


@pytest.mark.parametrize(
    ("rules", "contacts", "verdict"),
    [
        pytest.param(rules, contacts, verdict, id=f"{rules}: contact {words} is {verdict}")
        for words, (contacts, verdicts) in CONTACTS.items()
        for rules, verdict in zip(SETS, verdicts.split(), strict=True)
    ],
)
def test_contact_with_an_opponent(rules: str, contacts: list[list[str]], verdict: str) -> None:
    content = scenario(
        rules,
        others={"x": OPPONENT, "o": OWN, "o2": OWN_2},
        rest={"s": at(250.0)},
        contacts=contacts,
    )
    result = told(content)
    assert result["verdict"] == verdict
    assert ("no_contact" in result["codes"]) == (verdict == "foul")


def test_own_discs_between_suffice_where_the_variation_is_chosen() -> None:
    options = {"contact": "friendly-driven", "miss_penalty": "involved"}
    content = scenario(
        "traditional", others={"x": OPPONENT, "o": OWN}, contacts=BY_OWN, options=options
    )
    assert told(content)["verdict"] == "legal"


@pytest.mark.parametrize("rules", SETS)
def test_with_three_colours_all_others_are_opponents(rules: str) -> None:
    """Two other sides: touching either is enough, and a disc of one side that hits the other's is
    no own disc.
    """
    others = {"x": OPPONENT, "y": OWN}
    assert told(scenario(rules, others=others, contacts=[["s", "y"]]))["verdict"] == "legal"
    missed = scenario(rules, others=others, contacts=[], rest={"s": at(200.0)})
    assert told(missed)["verdict"] == "foul"


@pytest.mark.parametrize("rules", SETS)
def test_a_partners_disc_is_an_own_disc(rules: str) -> None:
    """Partners share a team, so a partner's disc is friendly and no target."""
    content = scenario(rules, others={"x": OPPONENT, "o": OWN}, contacts=[["s", "o"]])
    assert "no_contact" in codes(content)


# What a miss costs

MISS_COSTS = {
    "mayday": {"s", "o"},
    "cogitate": {"s", "o", "o2"},
    "traditional": {"s"},
    "family": {"s", "o", "o2"},
    "nca": {"s", "o"},
}


@pytest.mark.parametrize(
    ("rules", "cost"),
    [pytest.param(*case, id=f"{case[0]}: {sorted(case[1])}") for case in MISS_COSTS.items()],
)
@pytest.mark.parametrize("state", ["flat", "in_hole"])
def test_a_miss_costs_the_discs_of_the_sets_scope_20s_too(
    rules: str, cost: set[str], state: str
) -> None:
    others = {"x": OPPONENT, "o": OWN, "o2": OWN_2, "o3": at(200.0, 30.0)}
    ends = {"s": (state, at(0.0 if state == "in_hole" else 80.0)), "o2": at(170.0, 300.0)}
    result = told(scenario(rules, others=others, contacts=MISS, rest=ends))
    assert result["remove"] == cost
    assert result["twenties"] == {}
    assert result["board"] == {"s", "o", "o2", "o3", "x"} - cost


def test_a_20_is_kept_where_penalties_spare_20s() -> None:
    content = scenario(
        "nca",
        others={"x": OPPONENT},
        contacts=[],
        rest={"s": "in_hole"},
        options={"penalty_takes_twenties": "no"},
    )
    assert told(content)["twenties"] == {"s": "white"}


def test_the_traditional_variation_costs_all_discs_involved() -> None:
    options = {"contact": "friendly-driven", "miss_penalty": "involved"}
    others = {"x": OPPONENT, "o": OWN, "o2": OWN_2}
    content = scenario("traditional", others=others, contacts=MISS, options=options)
    assert told(content)["remove"] == {"s", "o", "o2"}


def test_a_disc_in_the_ditch_is_gone_and_not_removed_again() -> None:
    result = told(scenario(others={"x": OPPONENT}, contacts=[], rest={"s": "ditch"}))
    assert (result["verdict"], result["remove"], result["board"]) == ("foul", set(), {"x"})
