"""Certain results with unseen contacts, or with uncertain places."""

from __future__ import annotations

import pytest
from judged_shots import (
    DIRECT,
    INNER_5,
    OPPONENT,
    OUTER_5,
    OUTER_15,
    OWN,
    SETS,
    at,
    judged,
    scenario,
    told,
    with_sigma,
)

from scorer.rules import contacts
from scorer.rules.judge_shot import Verdict

# Unseen contacts


@pytest.mark.parametrize("rules", SETS)
def test_an_opponents_disc_that_moved_proves_contact(rules: str) -> None:
    others = {"x": OPPONENT}
    moved = scenario(rules, others=others, rest={"s": at(120.0), "x": "ditch"})
    result = judged(moved)
    assert (result.verdict, result.contacts_seen) == (Verdict.LEGAL, False)
    assert result.outcome.contact == ("s", "x")


@pytest.mark.parametrize(
    ("moved_mm", "verdict"),
    [(contacts.PARAMS.moved_mm - 0.01, "needs_review"), (contacts.PARAMS.moved_mm + 0.01, "legal")],
)
def test_displacement_proves_contact_only_past_its_tolerance(moved_mm, verdict) -> None:
    ends = {"s": at(250.0, 10.0), "x": (OPPONENT[0], OPPONENT[1] + moved_mm)}
    assert told(scenario(others={"x": OPPONENT}, rest=ends))["verdict"] == verdict


def test_no_displacement_leaves_brushing_and_missing_open() -> None:
    result = judged(scenario(others={"x": OPPONENT}, rest={"s": at(250.0, 10.0)}))
    assert result.verdict is Verdict.NEEDS_REVIEW
    verdicts = {
        alternative.when: str(alternative.outcome.verdict) for alternative in result.alternatives
    }
    assert verdicts == {
        "the shooter's disc touched nothing": "foul",
        "the shooter's disc brushed x without moving it": "legal",
    }
    assert result.outcome.remove == ()
    assert {disc.id for disc in result.outcome.board_after} == {"s", "x"}


def test_a_disc_that_was_not_moved_at_all_touched_nothing() -> None:
    result = judged(scenario(others={"x": OPPONENT}))
    assert result.verdict is Verdict.FOUL


def test_who_struck_first_is_open_only_where_the_set_asks() -> None:
    others = {"x": OPPONENT, "o": OWN}
    ends = {"s": at(100.0, 30.0), "x": at(250.0), "o": at(200.0, 180.0)}
    for rules in SETS:
        verdict = told(scenario(rules, others=others, rest=ends))["verdict"]
        assert verdict == ("needs_review" if rules == "traditional" else "legal")


def test_an_open_board_needs_no_contacts_when_the_target_is_met() -> None:
    assert told(scenario(others={"o": OWN}, rest={"s": at(50.0)}))["verdict"] == "legal"


def test_an_open_board_foul_is_certain_when_no_disc_can_meet_the_target() -> None:
    result = told(scenario(others={"o": OWN}, rest={"s": at(250.0)}))
    assert (result["verdict"], result["remove"]) == ("foul", {"s"})


def test_an_open_board_is_open_when_a_still_disc_may_have_been_struck() -> None:
    result = judged(scenario(others={"o": at(60.0)}, rest={"s": at(250.0)}))
    assert result.verdict is Verdict.NEEDS_REVIEW
    assert {str(alternative.outcome.verdict) for alternative in result.alternatives} == {
        "legal",
        "foul",
    }


def test_consequences_shared_by_all_alternatives_are_decided() -> None:
    others = {"x": OPPONENT, "o": OWN}
    ends = {"s": at(250.0, 10.0), "o": at(OUTER_5, 200.0)}
    result = judged(scenario("mayday", others=others, rest=ends))
    assert result.verdict is Verdict.NEEDS_REVIEW
    assert result.outcome.remove == ("o",)
    assert [str(fault.code) for fault in result.outcome.faults] == ["out_of_bounds"]


# Uncertain places


@pytest.mark.parametrize(
    ("margin_mm", "verdict"),
    [(0.34, "legal"), (0.32, "needs_review"), (-0.32, "needs_review"), (-0.34, "legal")],
)
def test_a_disc_nearer_to_the_line_than_its_sigma_needs_review(margin_mm, verdict) -> None:
    content = scenario(others={"x": OPPONENT}, contacts=DIRECT, rest={"s": at(INNER_5 - margin_mm)})
    result = told(with_sigma(content, "s", 0.1))
    assert result["verdict"] == verdict
    if verdict == "needs_review":
        assert (result["remove"], result["board"]) == (set(), {"s", "x"})
    else:
        assert result["remove"] == (set() if margin_mm > 0 else {"s"})


def test_an_uncertain_target_of_an_open_board_needs_review() -> None:
    content = with_sigma(scenario(contacts=[], rest={"s": at(OUTER_15 + 0.2)}), "s", 0.1)
    result = judged(content)
    assert result.verdict is Verdict.NEEDS_REVIEW
    assert [str(alternative.outcome.verdict) for alternative in result.alternatives] == [
        "foul",
        "legal",
    ]
    assert result.alternatives[0].when == "all discs are where they were seen"
    assert "further inward" in result.alternatives[1].when
    for alternative in result.alternatives[1:]:
        assert alternative.outcome.board_after[0].y_mm == pytest.approx(OUTER_15 + 0.2)


def test_uncertainty_about_an_irrelevant_line_needs_no_review() -> None:
    content = scenario(others={"x": OPPONENT}, contacts=DIRECT, rest={"s": at(OUTER_15)})
    assert told(with_sigma(content, "s", 0.5))["verdict"] == "legal"
