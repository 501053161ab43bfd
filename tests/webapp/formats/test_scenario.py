"""The command ``judge``: its JSON, its sentences, and scenarios that it refuses."""

from __future__ import annotations

import json
import math
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from judged_shots import DIRECT, OPPONENT, OUT_SCHEMA, OUTER_15, OWN, at, scenario

from calibration.board import BoardSpec
from calibration.disc import DiscSpec
from calibration.profile import CalibrationProfile, save_profile
from scorer.rules.judge_shot import judge
from webapp.cli.main import main
from webapp.formats.form import FormError
from webapp.formats.scenario import parse_scenario
from webapp.formats.verdict import judgement_json
from webapp.library import judge_shot


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


def test_a_rule_set_may_be_named_in_capitals(saved, capsys) -> None:
    content = scenario(others={"x": OPPONENT}, contacts=[], rest={"s": at(250.0)})
    for name in ("NCA", "Nca", "nca"):
        assert main(["judge", saved(content | {"rules": name})]) == 0
        assert "NCA reference manual" in capsys.readouterr().out


def test_evidence_is_told_in_words(saved, capsys) -> None:
    missed = scenario(others={"x": OPPONENT}, contacts=[], rest={"s": at(250.0)})
    hidden = scenario(others={"o": OWN}, contacts=[["s", "o"]], rest={"s": at(250.0)})
    for content, words in (
        (missed, "opponents' discs: x; touched: none; contacts: none; required: "),
        (hidden, "discs: s (on the board, short by 132.1 mm), o (on the board, short by 32.1 mm)"),
    ):
        assert main(["judge", saved(content)]) == 0
        told = capsys.readouterr().out
        assert words in told
        assert not re.search(r"[\[\]{}]|None", told)


def test_judge_tells_a_person_the_alternatives(saved, capsys) -> None:
    content = scenario(others={"x": OPPONENT}, rest={"s": at(250.0)})
    assert main(["judge", saved(content)]) == 0
    out = capsys.readouterr().out
    assert out.startswith("Needs a decision")
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
    for disc, words in ((DiscSpec(), ""), (None, "Typical sizes are used")):
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
    "no JSON": ('{"rules":\n}', "not valid JSON from line 2, column 1 on"),
    "nothing": ("", "empty"),
    "not an object": ([], "JSON object"),
    "no rules": (without("rules"), "rules: is missing"),
    "no contacts": (without("contacts"), "contacts: is missing"),
    "a stray key": (changed(hammer=1), "hammer: is unknown"),
    "an unknown rule set": (changed(rules="ncaa"), "did you mean nca?"),
    "rules that are no text": (
        changed(rules=3),
        "rules: must be mayday, cogitate, traditional, family or nca, not 3",
    ),
    "an unknown option": (changed(options={"contakt": 1}), "did you mean contact?"),
    "an impossible mix": (changed(options={"reshoot": "agreed"}), "cannot be combined"),
    "the wrong team": (changed(shooter_team="black"), "team white, but team black shot"),
    "an unknown shooter": (changed(shooter_id="q"), 'is missing from "before"'),
    "a disc without a team": (changed(teams={"s": "white"}), "no team"),
    "a disc twice": (changed(before=[SPOT, SPOT]), 'twice in "before"'),
    "a disc lost": (changed(after=[REST]), 'is missing from "after"'),
    "a disc from nowhere": (changed(before=[SPOT]), 'not in "before"'),
    "an unknown contact": (changed(contacts=[["s", "q"]]), "disc q"),
    "a contact of one": (
        changed(contacts=[["s"]]),
        "contacts[0]: must have at least 2 entries, not 1",
    ),
    "a contact with itself": (changed(contacts=[["s", "s"]]), "cannot touch"),
    "contacts that are no list": (changed(contacts="s-x"), "contacts: must be a list, not 's-x'"),
    "an unknown state": (
        changed(after=[{**REST, "state": "lost"}]),
        "after[0].state: must be ditch, flat, in_hole, leaning, overhanging, not 'lost'",
    ),
    "no place": (changed(after=[{"id": "s", "state": "flat"}]), "after[0].x_mm: is missing"),
    "a place that is no number": (
        changed(before=[{**SPOT, "x_mm": "3"}]),
        "before[0].x_mm: must be a number, not '3'",
    ),
    "a place off the table": (
        changed(before=[{**SPOT, "x_mm": 1e9}]),
        "before[0].x_mm: must be at most 1000, not 1e+09",
    ),
    "a place without bounds": (
        changed(after=[{**REST, "sigma_mm": 99}]),
        "after[0].sigma_mm: must be at most 15, not 99",
    ),
    "a quadrant too many": (changed(shooter_quadrant=4), "0, 1, 2 or 3"),
    "a quadrant that is no number": (
        changed(shooter_quadrant="up"),
        "shooter_quadrant: must be 0, 1, 2 or 3, not 'up'",
    ),
    "a first shot of no sense": (
        changed(first_shot="yes"),
        "first_shot: must be true or false, not 'yes'",
    ),
    "a disc without an id": (changed(before=[{"x_mm": 1, "y_mm": 2}]), "before[0].id: is missing"),
    "an unknown crossing": (changed(crossed=["q"]), '"crossed" mentions disc q'),
}


@pytest.mark.parametrize(("content", "words"), list(BAD.values()), ids=list(BAD))
def test_a_bad_scenario_is_refused_in_one_sentence(content, words, saved, capsys) -> None:
    assert main(["judge", saved(content), "--json"]) == 1
    out, err = capsys.readouterr()
    assert out == ""
    assert words in err
    assert len(err.strip().splitlines()) == 1
    assert err.strip()[-1] in ".?"


TOUCHING = 2 * DiscSpec().radius_mm


@pytest.mark.parametrize(
    ("places", "rest", "words"),
    [
        pytest.param(
            {"x": (0, 150), "y": (0, 150)},
            {},
            'Discs x and y overlap in "before"',
            id="two in one place",
        ),
        pytest.param({"x": (0, 150), "y": (0, 150 + TOUCHING)}, {}, None, id="touching"),
        pytest.param(
            {"x": (0, 150), "y": (0, 150 + TOUCHING - 1.9)}, {}, None, id="as near as noise"
        ),
        pytest.param(
            {"x": (0, 150), "y": (0, 150 + TOUCHING - 2.1)},
            {},
            "by 0.1 mm more",
            id="nearer than noise",
        ),
        pytest.param(
            {"x": (0, -290)},
            {},
            'Discs s and x overlap in "before"',
            id="the disc placed on another",
        ),
        pytest.param(
            {"x": (0, 0), "y": (0, TOUCHING - 9)},
            {"x": ("leaning", (0, 0))},
            None,
            id="one that may lean over the hole",
        ),
        pytest.param({"x": (0, 0), "y": (0, 1)}, {}, 'overlap in "before"', id="two over the hole"),
        pytest.param(
            {"x": (0, 150)},
            {"s": (0, 140)},
            'Discs s and x overlap in "after"',
            id="at rest on another",
        ),
        pytest.param({"x": (0, 150)}, {"s": ("leaning", (0, 140))}, None, id="leaning on another"),
        pytest.param({"x": (0, 16)}, {"s": "in_hole"}, None, id="in the hole beside one over it"),
        pytest.param(
            {"x": (0, 150)},
            {"s": "in_hole", "x": "in_hole"},
            'both in the hole in "after"; only one fits',
            id="two in the hole",
        ),
        pytest.param({"x": (0, 150)}, {"s": "ditch", "x": "ditch"}, None, id="both in the ditch"),
    ],
)
def test_discs_that_cannot_lie_so_are_refused(
    places: dict[str, Any], rest: dict[str, Any], words: str | None, saved, capsys
) -> None:
    content = scenario(others=places, contacts=[["s", "x"]], rest=rest)
    assert main(["judge", saved(content), "--json"]) == (0 if words is None else 1)
    out, err = capsys.readouterr()
    if words is None:
        assert json.loads(out)["verdict"]
    else:
        assert words in err
        assert len(err.strip().splitlines()) == 1
        with pytest.raises(ValueError, match=words):
            judge_shot(content)


def test_discs_known_badly_may_seem_to_overlap(saved) -> None:
    content = scenario(others={"x": (0, 150)}, contacts=[["s", "x"]], rest={"s": (0, 140)})
    for disc in content["after"]:
        disc["sigma_mm"] = 6.0
    assert main(["judge", saved(content), "--json"]) == 0


def test_a_13th_disc_is_refused() -> None:
    others = {f"o{k}": at(200.0, 25.0 * k) for k in range(12)}
    with pytest.raises(FormError, match="13 discs"):
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
    except ValueError:
        return
    judge(parsed.shot, parsed.rules)
