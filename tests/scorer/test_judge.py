"""Judging one shot: each rule in each set, both sides of each boundary, and what is left open."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from paths import SCHEMAS

from calibration.board import BoardSpec, DiscSpec
from calibration.profile import CalibrationProfile, save_profile
from scorer.rules.contacts import MOVED_MM
from scorer.rules.options import RulesError
from scorer.rules.referee import ShotJudgement, Verdict, judge
from webapp.cli.main import main
from webapp.formats.scenario import ScenarioError, judgement_json, parse_scenario

SETS = ("mayday", "cogitate", "traditional", "family", "nca")


def _validator(name: str) -> jsonschema.Draft202012Validator:
    schema = json.loads((SCHEMAS / name).read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(schema)


IN_SCHEMA = _validator("scenario.schema.json")
OUT_SCHEMA = _validator("verdict.schema.json")

EDGE = DiscSpec().contact_radius_mm
#: Distances at which a disc just touches a line from inside, and just lets go of it outside.
INNER_15, OUTER_15 = 101.6 - 0.8 - EDGE, 101.6 + 0.8 + EDGE
INNER_5, OUTER_5 = 304.8 - 0.8 - EDGE, 304.8 + 0.8 + EDGE
HANG = 330.2 - DiscSpec().radius_mm


def at(distance_mm: float, degrees: float = 90.0) -> tuple[float, float]:
    angle = math.radians(degrees)
    return distance_mm * math.cos(angle), distance_mm * math.sin(angle)


START = at(304.8, 270.0)
OPPONENT, OWN, OWN_2 = at(150.0, 90.0), at(150.0, 200.0), at(160.0, 320.0)


def scenario(
    rules: str = "nca",
    *,
    others: dict[str, tuple[float, float]] | None = None,
    rest: dict[str, Any] | None = None,
    contacts: list[list[str]] | None = None,
    placed: tuple[float, float] = START,
    **more: Any,
) -> dict[str, Any]:
    """A shot of s. A disc's side is its name's first letter: s and o are own, x and y are not.

    ``rest`` says where discs end: a place, a state, or (state, place); the others stay.
    """
    before = {"s": placed, **(others or {})}
    sides = {"s": "white", "o": "white", "x": "black", "y": "red"}
    after = []
    for disc, place in before.items():
        end = (rest or {}).get(disc, place)
        state = end if isinstance(end, str) else end[0] if isinstance(end[0], str) else "flat"
        if state == "ditch":
            after.append({"id": disc, "state": state})
            continue
        if isinstance(end, str):
            end = (0.0, 0.0)
        elif isinstance(end[0], str):
            end = end[1]
        after.append({"id": disc, "x_mm": end[0], "y_mm": end[1], "state": state})
    return {
        "rules": rules,
        "shooter_team": "white",
        "shooter_id": "s",
        "teams": {disc: sides[disc[0]] for disc in before},
        "before": [{"id": disc, "x_mm": x, "y_mm": y} for disc, (x, y) in before.items()],
        "contacts": contacts,
        "after": after,
        **more,
    }


def judged(content: dict[str, Any]) -> ShotJudgement:
    IN_SCHEMA.validate(content)
    parsed = parse_scenario(content)
    result = judge(parsed.shot, parsed.rules)
    OUT_SCHEMA.validate(judgement_json(parsed, result))
    return result


def told(content: dict[str, Any]) -> dict[str, Any]:
    """The verdict in short."""
    outcome = judged(content).outcome
    return {
        "verdict": str(outcome.verdict),
        "codes": [str(each.code) for each in outcome.faults],
        "remove": set(outcome.remove),
        "restore": {each.id for each in outcome.restore},
        "twenties": {each.id: each.team for each in outcome.twenties},
        "board": {each.id for each in outcome.board_after},
    }


def codes(content: dict[str, Any]) -> list[str]:
    return told(content)["codes"]


# Contact needed

DIRECT = [["s", "x"]]
BY_OWN = [["s", "o"], ["o", "x"]]
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
def test_with_three_colours_nobody_else_is_a_friend(rules: str) -> None:
    """Two other sides: touching either is enough, and driving the one is no own disc's work."""
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

MISS = [["s", "o"], ["o", "o2"]]
MISS_COSTS = {
    "mayday": {"s", "o"},
    "cogitate": {"s", "o", "o2"},
    "traditional": {"s"},
    "family": {"s", "o", "o2"},
    "nca": {"s", "o"},
}


@pytest.mark.parametrize(
    ("rules", "cost"),
    [pytest.param(*each, id=f"{each[0]}: {sorted(each[1])}") for each in MISS_COSTS.items()],
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


# Open board

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
    [pytest.param(*each, id=f"{each[0]}: {sorted(each[1])}") for each in OPEN_COSTS.items()],
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


def test_a_disc_that_a_dead_disc_drove_into_the_ditch_is_put_back_where_it_lay() -> None:
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
    assert {each.id for each in outcome.board_after} == {"x", "x2"}


def test_damage_to_a_disc_that_the_shot_had_moved_before_is_for_a_person_to_undo() -> None:
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
    assert [bool(each.outcome.restore) for each in result.alternatives] == [False, True]
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


# 20s and leaners


@pytest.mark.parametrize("rules", SETS)
def test_a_20_is_its_owners_whoever_knocked_it_in(rules: str) -> None:
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
def test_a_leaner_is_no_20_and_stays(rules: str) -> None:
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


# Placement

PLACEMENTS: list[tuple[str, tuple[float, float], str]] = [
    ("clear inside the line", at(INNER_5 - 0.01, 270), "foul foul foul foul foul"),
    ("touching from inside", at(INNER_5 + 0.01, 270), "legal legal legal legal legal"),
    ("touching from behind", at(OUTER_5 - 0.01, 270), "legal legal legal legal legal"),
    ("clear behind the line", at(OUTER_5 + 0.01, 270), "foul foul legal foul legal"),
]


def _beside(over_mm: float) -> tuple[float, float]:
    """On the outer line, the centre so far over the quadrant's line at -45 degrees."""
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


def test_without_a_quadrant_the_disc_lies_in_the_shooters_own() -> None:
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
    ids=lambda each: str(each)[:40],
)
def test_a_beginner_may_shoot_again(reshoot, contacts, others, granted) -> None:
    options = {"reshoot": reshoot, "reshoot_limit": 0 if reshoot == "none" else 2}
    content = scenario(
        "cogitate", others=others, contacts=contacts, rest={"s": at(250.0)}, options=options
    )
    assert judged(content).outcome.reshoot is granted


# Contacts that nobody saw


@pytest.mark.parametrize("rules", SETS)
def test_an_opponents_disc_that_moved_proves_contact(rules: str) -> None:
    others = {"x": OPPONENT}
    moved = scenario(rules, others=others, rest={"s": at(120.0), "x": "ditch"})
    result = judged(moved)
    assert (result.verdict, result.contacts_seen) == (Verdict.LEGAL, False)
    assert result.outcome.contact == ("s", "x")


@pytest.mark.parametrize(
    ("moved_mm", "verdict"), [(MOVED_MM - 0.01, "needs_review"), (MOVED_MM + 0.01, "legal")]
)
def test_displacement_proves_contact_only_past_its_tolerance(moved_mm, verdict) -> None:
    ends = {"s": at(250.0, 10.0), "x": (OPPONENT[0], OPPONENT[1] + moved_mm)}
    assert told(scenario(others={"x": OPPONENT}, rest=ends))["verdict"] == verdict


def test_no_displacement_leaves_brushing_and_missing_open() -> None:
    result = judged(scenario(others={"x": OPPONENT}, rest={"s": at(250.0, 10.0)}))
    assert result.verdict is Verdict.NEEDS_REVIEW
    verdicts = {each.when: str(each.outcome.verdict) for each in result.alternatives}
    assert verdicts == {
        "the shooter's disc touched nothing": "foul",
        "the shooter's disc brushed x without moving it": "legal",
    }
    assert result.outcome.remove == ()
    assert {each.id for each in result.outcome.board_after} == {"s", "x"}


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
    assert {str(each.outcome.verdict) for each in result.alternatives} == {"legal", "foul"}


def test_what_all_alternatives_share_is_decided() -> None:
    others = {"x": OPPONENT, "o": OWN}
    ends = {"s": at(250.0, 10.0), "o": at(OUTER_5, 200.0)}
    result = judged(scenario("mayday", others=others, rest=ends))
    assert result.verdict is Verdict.NEEDS_REVIEW
    assert result.outcome.remove == ("o",)
    assert [str(each.code) for each in result.outcome.faults] == ["out_of_bounds"]


# Places that are known only so well


def with_sigma(content: dict[str, Any], disc: str, sigma_mm: float) -> dict[str, Any]:
    for each in content["after"]:
        if each["id"] == disc:
            each["sigma_mm"] = sigma_mm
    return content


@pytest.mark.parametrize(
    ("margin_mm", "verdict"),
    [(0.31, "legal"), (0.29, "needs_review"), (-0.29, "needs_review"), (-0.31, "legal")],
)
def test_a_disc_nearer_to_the_line_than_it_is_known_is_for_a_person(margin_mm, verdict) -> None:
    content = scenario(others={"x": OPPONENT}, contacts=DIRECT, rest={"s": at(INNER_5 - margin_mm)})
    result = told(with_sigma(content, "s", 0.1))
    assert result["verdict"] == verdict
    if verdict == "needs_review":
        assert (result["remove"], result["board"]) == (set(), {"s", "x"})
    else:
        assert result["remove"] == (set() if margin_mm > 0 else {"s"})


def test_a_doubtful_target_of_an_open_board_is_for_a_person() -> None:
    content = with_sigma(scenario(contacts=[], rest={"s": at(OUTER_15 + 0.2)}), "s", 0.1)
    result = judged(content)
    assert result.verdict is Verdict.NEEDS_REVIEW
    assert [str(each.outcome.verdict) for each in result.alternatives] == ["foul", "legal"]
    assert result.alternatives[0].when == "every disc lies as it was seen"
    assert "further inward" in result.alternatives[1].when
    for each in result.alternatives[1:]:
        assert each.outcome.board_after[0].y_mm == pytest.approx(OUTER_15 + 0.2)


def test_doubt_about_a_line_that_decides_nothing_is_no_doubt() -> None:
    content = scenario(others={"x": OPPONENT}, contacts=DIRECT, rest={"s": at(OUTER_15)})
    assert told(with_sigma(content, "s", 0.5))["verdict"] == "legal"


# Faults together, their rules and evidence


def test_all_faults_are_told_not_only_the_first() -> None:
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

places = st.tuples(st.floats(20.0, 300.0), st.floats(0.0, 360.0)).map(lambda each: at(*each))
ends = st.one_of(places, st.just("ditch"), st.just("in_hole"))
names = ("o", "o2", "x", "x2", "y")


@st.composite
def shots(draw: Any) -> dict[str, Any]:
    """Any shot, with contacts in any order, or unseen."""
    others = {name: draw(places) for name in draw(st.sets(st.sampled_from(names)))}
    discs = ["s", *others]
    partner = st.sampled_from([*discs, "post:1", "outside"])
    pairs = st.tuples(st.sampled_from(discs), partner).filter(lambda each: each[0] != each[1])
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
    for outcome in (result.outcome, *(each.outcome for each in result.alternatives)):
        board = [each.id for each in outcome.board_after]
        twenties = [each.id for each in outcome.twenties]
        restored = {each.id for each in outcome.restore}
        ditch = {each["id"] for each in content["after"] if each["state"] == "ditch"} - restored
        everything = [*board, *outcome.remove, *twenties, *ditch]
        assert sorted(everything) == sorted(each["id"] for each in content["before"])
        assert restored <= set(board)


@settings(max_examples=60)
@given(shots())
def test_judging_twice_says_the_same(content: dict[str, Any]) -> None:
    assert judged(content) == judged(content)


@settings(max_examples=60)
@given(shots())
def test_a_foul_is_a_fault_and_a_legal_shot_has_none(content: dict[str, Any]) -> None:
    result = judged(content)
    fouls = [each for each in result.outcome.faults if each.is_foul]
    if result.verdict is not Verdict.NEEDS_REVIEW:
        assert bool(fouls) == (result.verdict is Verdict.FOUL)
        assert result.alternatives == ()
    else:
        assert len(result.alternatives) >= 2


# The command


@pytest.fixture
def saved(tmp_path: Path) -> Any:
    def save(content: Any) -> str:
        path = tmp_path / "shot.json"
        path.write_text(content if isinstance(content, str) else json.dumps(content), "utf-8")
        return str(path)

    return save


def test_judge_prints_json_by_its_schema_and_nothing_else(saved, capsys) -> None:
    content = scenario(others={"x": OPPONENT}, contacts=[], rest={"s": at(250.0)})
    assert main(["judge", saved(content), "--json"]) == 0
    out, err = capsys.readouterr()
    verdict = json.loads(out)
    OUT_SCHEMA.validate(verdict)
    assert (verdict["verdict"], verdict["remove"], err) == ("foul", ["s"], "")


def test_judge_tells_a_person_the_alternatives(saved, capsys) -> None:
    content = scenario(others={"x": OPPONENT}, rest={"s": at(250.0)})
    assert main(["judge", saved(content)]) == 0
    out = capsys.readouterr().out
    assert out.startswith("Needs review")
    assert "brushed x" in out


def test_the_json_names_a_contact_only_where_one_was_seen() -> None:
    for contacts, pair in ((DIRECT, ["s", "x"]), (None, None)):
        content = scenario(others={"x": OPPONENT}, contacts=contacts, rest={"x": "ditch"})
        parsed = parse_scenario(content)
        evidence = judgement_json(parsed, judge(parsed.shot, parsed.rules))["evidence"]
        assert evidence["contact"] == pair
        assert evidence["moved_mm"] == ({} if contacts else {"x": None})


def test_names_come_back_as_they_were_written() -> None:
    content = {
        "rules": "nca",
        "shooter_team": 0,
        "shooter_id": 1,
        "teams": {"1": 0, "2": 1},
        "before": [{"id": 1, "x_mm": 0, "y_mm": -304.8}, {"id": 2, "x_mm": 0, "y_mm": 150}],
        "contacts": [[1, 2]],
        "after": [
            {"id": 1, "x_mm": 0, "y_mm": 100, "state": "flat"},
            {"id": 2, "x_mm": 0, "y_mm": 0, "state": "in_hole"},
        ],
    }
    parsed = parse_scenario(content)
    result = judgement_json(parsed, judge(parsed.shot, parsed.rules))
    assert result["twenties"] == [{"id": 2, "team": 1}]
    assert result["board_after"][0]["id"] == 1


def test_a_profile_gives_the_boards_sizes(saved, tmp_path, capsys) -> None:
    profile = tmp_path / "board.json"
    board = BoardSpec(line_radii_mm=(110.0, 203.2, 304.8))
    shot = saved(scenario(contacts=[], rest={"s": at(OUTER_15 + 3.0)}))
    for disc, words in ((DiscSpec(), ""), (None, "discs are taken to be usual ones")):
        save_profile(CalibrationProfile(board=board, disc=disc), profile)
        assert main(["judge", shot, "--profile", str(profile), "--json"]) == 0
        told = capsys.readouterr()
        assert json.loads(told.out)["verdict"] == "legal"
        assert words in told.err


def without(key: str) -> dict[str, Any]:
    content = scenario(contacts=[])
    del content[key]
    return content


def changed(**more: Any) -> dict[str, Any]:
    return {**scenario(others={"x": OPPONENT}, contacts=[]), **more}


SPOT = {"id": "s", "x_mm": 0, "y_mm": -304.8}
REST = {**SPOT, "state": "flat"}

BAD: dict[str, tuple[Any, str]] = {
    "no JSON": ("{", "no JSON"),
    "not an object": ([], "JSON object"),
    "no rules": (without("rules"), "no 'rules'"),
    "no contacts": (without("contacts"), "no 'contacts'"),
    "a stray key": (changed(hammer=1), "'hammer'"),
    "an unknown rule set": (changed(rules="ncaa"), "did you mean nca?"),
    "rules that are no text": (changed(rules=3), "rules is 3"),
    "an unknown option": (changed(options={"contakt": 1}), "did you mean contact?"),
    "an impossible mix": (changed(options={"reshoot": "agreed"}), "cannot go together"),
    "the wrong team": (changed(shooter_team="black"), "team white, but team black shot"),
    "an unknown shooter": (changed(shooter_id="q"), "is not in before"),
    "a disc without a team": (changed(teams={"s": "white"}), "no team"),
    "a disc twice": (changed(before=[SPOT, SPOT]), "twice in before"),
    "a disc lost": (changed(after=[REST]), "is not in after"),
    "a disc from nowhere": (changed(before=[SPOT]), "not in before"),
    "an unknown contact": (changed(contacts=[["s", "q"]]), "disc q"),
    "a contact of one": (changed(contacts=[["s"]]), "two names"),
    "a contact with itself": (changed(contacts=[["s", "s"]]), "is none"),
    "contacts that are no list": (changed(contacts="s-x"), "give a list"),
    "an unknown state": (changed(after=[{**REST, "state": "lost"}]), "choose from flat"),
    "no place": (changed(after=[{"id": "s", "state": "flat"}]), "x_mm None"),
    "a place that is no number": (changed(before=[{**SPOT, "x_mm": "3"}]), "x_mm '3'"),
    "a place off the table": (changed(before=[{**SPOT, "x_mm": 1e9}]), "millimetres"),
    "a place without bounds": (changed(after=[{**REST, "sigma_mm": 99}]), "from 0 to 15"),
    "a quadrant too many": (changed(shooter_quadrant=4), "0, 1, 2 or 3"),
    "a quadrant that is no number": (changed(shooter_quadrant="up"), "shooter_quadrant"),
    "a first shot of no sense": (changed(first_shot="yes"), "true, false or null"),
    "a disc without an id": (changed(before=[{"x_mm": 1, "y_mm": 2}]), "no id"),
    "an unknown crossing": (changed(crossed=["q"]), "crossed names disc q"),
}


@pytest.mark.parametrize(("content", "words"), list(BAD.values()), ids=list(BAD))
def test_a_bad_scenario_is_refused_in_one_sentence(content, words, saved, capsys) -> None:
    assert main(["judge", saved(content), "--json"]) == 1
    out, err = capsys.readouterr()
    assert out == ""
    assert words in err
    assert len(err.strip().splitlines()) == 1
    assert err.strip()[-1] in ".?"


def test_a_13th_disc_is_refused() -> None:
    others = {f"o{k}": at(200.0, 25.0 * k) for k in range(12)}
    with pytest.raises(ScenarioError, match="13 discs"):
        parse_scenario(scenario(others=others, contacts=[]))


@pytest.mark.parametrize("kind", ["missing", "folder", "binary", "deep", "nan"])
def test_a_file_that_holds_no_scenario_is_refused(kind: str, tmp_path, capsys) -> None:
    path = tmp_path / "shot.json"
    if kind == "folder":
        path.mkdir()
    elif kind == "binary":
        path.write_bytes(b"\xff\xfe\x00")
    elif kind == "deep":
        path.write_text("[" * 100_000, "utf-8")
    elif kind == "nan":
        path.write_text(json.dumps(changed(before=[{**SPOT, "x_mm": math.nan}])), "utf-8")
    assert main(["judge", str(path)]) == 1
    assert len(capsys.readouterr().err.strip().splitlines()) == 1


@settings(max_examples=60)
@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
        lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    ),
    st.sampled_from(sorted(scenario(contacts=[]))),
)
def test_any_value_in_any_place_is_judged_or_refused(value: Any, key: str) -> None:
    content = {**scenario(others={"x": OPPONENT}, contacts=[]), key: value}
    try:
        parsed = parse_scenario(content)
    except (ScenarioError, RulesError):
        return
    judge(parsed.shot, parsed.rules)
