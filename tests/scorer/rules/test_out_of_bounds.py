"""Discs that are out: at rest on a line or the edge, bounced back, or spun back."""

from __future__ import annotations

from typing import Any

import pytest
from judged_shots import (
    DIRECT,
    HANG,
    INNER_5,
    OPPONENT,
    OWN,
    OWN_2,
    SETS,
    at,
    judged,
    scenario,
    told,
)

from scorer.rules.judge_shot import Verdict

# Out at rest

LINE_SETS = ("mayday", "cogitate", "family", "nca")


@pytest.mark.parametrize("rules", SETS)
@pytest.mark.parametrize(
    ("end", "by_line", "by_edge"),
    [
        pytest.param(at(INNER_5 - 0.01), False, False, id="just clear inside the outer line"),
        pytest.param(at(INNER_5 + 0.01), True, False, id="just touching the outer line"),
        pytest.param(at(HANG - 0.01), True, False, id="beyond the line, just not overhanging"),
        pytest.param(at(HANG + 0.01), True, True, id="just overhanging the surface's edge"),
        pytest.param(("overhanging", at(310.0)), True, True, id="seen to overhang"),
        pytest.param("ditch", False, False, id="in the ditch, so nothing is left to remove"),
        pytest.param("in_hole", False, False, id="in the hole"),
    ],
)
def test_out_at_rest(rules: str, end: Any, by_line: bool, by_edge: bool) -> None:
    is_out = by_line if rules in LINE_SETS else by_edge
    others = {"x": OPPONENT}
    result = told(scenario(rules, others=others, contacts=DIRECT, rest={"s": end}))
    assert result["verdict"] == "legal"
    assert result["codes"] == (["out_of_bounds"] if is_out else [])
    assert result["remove"] == ({"s"} if is_out else set())


def test_the_traditional_variation_removes_discs_on_the_line() -> None:
    options = {"out_at_rest": "touching-line"}
    content = scenario(
        "traditional",
        others={"x": OPPONENT},
        contacts=DIRECT,
        rest={"s": at(INNER_5 + 0.01)},
        options=options,
    )
    assert told(content)["remove"] == {"s"}


@pytest.mark.parametrize("rules", SETS)
def test_an_opponents_disc_at_rest_on_the_edge_is_removed_too(rules: str) -> None:
    content = scenario(
        rules, others={"x": OPPONENT}, contacts=DIRECT, rest={"x": at(HANG + 1), "s": at(100.0)}
    )
    assert told(content)["remove"] == {"x"}


# Bounce-back and the spinning disc

RETURN = [["s", "x"], ["s", "outside"], ["s", "x2"], ["x2", "x3"]]


@pytest.mark.parametrize("rules", SETS)
def test_a_disc_that_bounces_back_is_removed_and_its_damage_undone_or_kept(rules: str) -> None:
    others = {"x": OPPONENT, "x2": OWN, "x3": OWN_2, "o": at(200.0, 30.0)}
    ends = {"s": at(200.0, 100.0), "x2": at(120.0, 200.0), "x3": "in_hole"}
    result = told(scenario(rules, others=others, contacts=RETURN, rest=ends))
    assert result["verdict"] == "legal"
    assert result["remove"] == {"s"}
    if rules == "mayday":
        assert result["restore"] == {"x2", "x3"}
        assert result["twenties"] == {}
        assert result["board"] == {"x", "x2", "x3", "o"}
    else:
        assert result["restore"] == set()
        assert result["twenties"] == {"x3": "black"}
        assert result["board"] == {"x", "x2", "o"}


def test_a_disc_driven_into_the_ditch_by_a_dead_disc_is_put_back() -> None:
    outcome = judged(
        scenario(
            "mayday",
            others={"x": OPPONENT, "x2": OWN},
            contacts=[["s", "x"], ["s", "outside"], ["s", "x2"]],
            rest={"s": "ditch", "x2": "ditch"},
        )
    ).outcome
    (spot,) = outcome.restore
    assert (spot.id, spot.x_mm, spot.y_mm) == ("x2", *OWN)
    assert {disc.id for disc in outcome.board_after} == {"x", "x2"}


def test_a_disc_moved_before_it_was_disturbed_needs_review() -> None:
    contacts = [["s", "x"], ["s", "outside"], ["s", "x"]]
    result = judged(
        scenario(
            "mayday",
            others={"x": OPPONENT},
            contacts=contacts,
            rest={"s": at(200.0, 80.0), "x": at(180.0, 90.0)},
        )
    )
    assert result.verdict is Verdict.NEEDS_REVIEW
    assert len(result.alternatives) == 2
    assert [bool(alternative.outcome.restore) for alternative in result.alternatives] == [
        False,
        True,
    ]
    assert result.outcome.remove == ("s",)


@pytest.mark.parametrize(
    ("rules", "is_out"),
    list(zip(SETS, (False, True, False, True, False), strict=True)),
)
def test_a_spinning_disc_that_crossed_the_line_and_came_back_by_itself(rules, is_out) -> None:
    content = scenario(
        rules, others={"x": OPPONENT}, contacts=DIRECT, rest={"s": at(250.0)}, crossed=["s"]
    )
    assert told(content)["remove"] == ({"s"} if is_out else set())
