"""A judgement as a whole: all faults with their sources and evidence, and its properties."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from judged_shots import (
    BY_OWN,
    INNER_5,
    OPPONENT,
    OUTER_5,
    OUTER_15,
    OWN,
    SETS,
    at,
    codes,
    judged,
    scenario,
    with_sigma,
)

from scorer.rules.judge_shot import Verdict
from webapp.live.ruling_messages import describe_evidence

# Faults together, their rules and evidence


def test_all_faults_are_reported_not_only_the_first() -> None:
    content = scenario(
        "mayday",
        others={"x": OPPONENT, "o": at(INNER_5 + 1, 30.0)},
        contacts=[],
        placed=at(250.0, 270.0),
        rest={"s": at(OUTER_5, 90.0)},
    )
    assert codes(content) == ["placement", "no_contact", "out_of_bounds", "out_of_bounds"]


@pytest.mark.parametrize("rules", SETS)
def test_a_fault_cites_its_sets_own_document(rules: str) -> None:
    content = scenario(rules, others={"x": OPPONENT}, contacts=[], rest={"s": at(200.0)})
    (fault,) = judged(content).outcome.faults
    documents = ("Mayday", "Cogitate", "Rules of Crokinole", "family", "NCA")
    assert fault.rule.startswith(dict(zip(SETS, documents, strict=True))[rules])
    assert fault.evidence["opponents"] == ["x"]


def test_a_fault_by_a_house_rule_says_so() -> None:
    content = scenario(
        others={"x": OPPONENT, "o": OWN}, contacts=BY_OWN, options={"contact": "shooter-only"}
    )
    assert judged(content).outcome.faults[0].rule.startswith("house rule: contact=shooter-only")


def test_evidence_has_millimetres() -> None:
    (fault,) = judged(scenario(contacts=[], rest={"s": at(OUTER_15 + 3.0)})).outcome.faults
    assert fault.evidence["discs"] == [
        {"disc": "s", "state": "flat", "short_by_mm": pytest.approx(3.0)}
    ]


# Properties

places = st.tuples(st.floats(20.0, 300.0), st.floats(0.0, 360.0)).map(lambda polar: at(*polar))
ends = st.one_of(places, st.just("ditch"), st.just("in_hole"))
names = ("o", "o2", "x", "x2", "y")


@st.composite
def shots(draw: Any) -> dict[str, Any]:
    """Any shot, with contacts in any order, or unseen."""
    others = {name: draw(places) for name in draw(st.sets(st.sampled_from(names)))}
    discs = ["s", *others]
    partner = st.sampled_from([*discs, "post:1", "outside"])
    pairs = st.tuples(st.sampled_from(discs), partner).filter(lambda pair: pair[0] != pair[1])
    contacts = draw(st.none() | st.lists(pairs.map(list), max_size=6))
    rest = {disc: draw(ends) for disc in discs if draw(st.booleans())}
    rules = draw(st.sampled_from(SETS))
    content = scenario(rules, others=others, contacts=contacts, rest=rest)
    return with_sigma(content, draw(st.sampled_from(discs)), draw(st.sampled_from([0.0, 5.0])))


@settings(max_examples=60)
@given(shots())
def test_removing_and_restoring_conserves_discs(content: dict[str, Any]) -> None:
    """Every disc is on the board, removed, counted or in the ditch, and in one of them only."""
    result = judged(content)
    for outcome in (result.outcome, *(alternative.outcome for alternative in result.alternatives)):
        board = [disc.id for disc in outcome.board_after]
        twenties = [twenty.id for twenty in outcome.twenties]
        restored = {disc.id for disc in outcome.restore}
        ditch = {row["id"] for row in content["after"] if row["state"] == "ditch"} - restored
        everything = [*board, *outcome.remove, *twenties, *ditch]
        assert sorted(everything) == sorted(row["id"] for row in content["before"])
        assert restored <= set(board)


@settings(max_examples=60)
@given(shots())
def test_judging_twice_gives_the_same_verdict(content: dict[str, Any]) -> None:
    assert judged(content) == judged(content)


@settings(max_examples=60)
@given(shots())
def test_every_fact_that_proves_a_fault_has_words(content: dict[str, Any]) -> None:
    for fault in judged(content).outcome.faults:
        assert len([*describe_evidence(fault.evidence)]) == len(fault.evidence)


@settings(max_examples=60)
@given(shots())
def test_a_foul_is_a_fault_and_a_legal_shot_has_none(content: dict[str, Any]) -> None:
    result = judged(content)
    fouls = [fault for fault in result.outcome.faults if fault.is_foul]
    if result.verdict is not Verdict.NEEDS_REVIEW:
        assert bool(fouls) == (result.verdict is Verdict.FOUL)
        assert result.alternatives == ()
    else:
        assert len(result.alternatives) >= 2
