"""The five rule sets as data: every cell of the table, changes and impossible mixes."""

from __future__ import annotations

import json
import sys
from dataclasses import fields
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scorer.rules.choices import Choice
from scorer.rules.names import RuleSetName
from scorer.rules.option_labels import OPTION_WORDS, list_values
from scorer.rules.options import (
    RuleOptions,
    RulesError,
    option_names,
    override_options,
    to_json_value,
)
from scorer.rules.sets import RULE_SETS, rule_set
from scorer.rules.sources import PASSAGES, TOPIC_OF, TOPICS
from webapp.cli.commands.rules import format_value
from webapp.cli.main import main

SETS = ("mayday", "cogitate", "traditional", "family", "nca")

#: The table, one row per line: option, then mayday, cogitate, traditional, family, nca.
TABLE: list[tuple[str, Any, Any, Any, Any, Any]] = [
    ("discs_singles", 12, 12, 12, 12, 8),
    ("discs_partner", 6, 6, 6, 6, 6),
    ("discs_alone", 12, 8, 12, 6, 12),
    ("two_v_one_order", "lone-every-other", "lone-after-each", *["sides-alternate"] * 3),
    ("first_starter", "agreed", "draw", "agreed", "agreed", "draw"),
    ("next_starter", "clockwise", "clockwise", "alternates", "alternates", "clockwise"),
    ("placement_line", *["touching"] * 2, "touching-or-behind", "touching", "touching-or-behind"),
    ("placement_centre", *["anywhere"] * 5),
    ("placement_quadrant", "half-over", "touching", "within", "within", "half-over"),
    ("contact", "friendly-driven", "any-own", "shooter-only", "chain", "chain"),
    ("miss_penalty", "own-touched", "own-involved", "shooter", "involved", "touched"),
    ("penalty_takes_twenties", *[True] * 5),
    ("open_target", *["touching-15"] * 2, *["anywhere"] * 2, "touching-15"),
    ("open_when", *["every"] * 5),
    ("open_disc", "shooter-or-struck", "own", *["shooter-only"] * 2, "shooter-or-struck"),
    ("open_penalty", "involved", "own-involved", "shooter", "involved", "touched"),
    ("out_at_rest", *["touching-line"] * 2, "overhanging", *["touching-line"] * 2),
    ("bounce_back", "damage-undone", *["damage-stays"] * 4),
    ("crossing", "stays", "out", "stays", "out", "stays"),
    ("twenty_owner", *["owner"] * 5),
    ("leaner", *["not-twenty"] * 5),
    ("line_zone", *["lower"] * 5),
    ("round_score", *["difference"] * 5),
    ("alone_score", "places", "simple", "simple", "over-lowest", "places"),
    ("twenties_apart", False, True, False, False, False),
    ("game_end", *["points"] * 5),
    ("game_points", *[100] * 5),
    ("match_points", *[8] * 5),
    ("game_rounds", *[4] * 5),
    ("best_of", *[3] * 5),
    ("end_checked", *["after-round"] * 5),
    ("end_tie", "another-round", "both-win", "another-round", "another-round", "shootout"),
    ("shootout_shots", *[8] * 5),
    ("shootout_shots_partner", *[4] * 5),
    ("time_out", *["no-rule"] * 4, "equal-turns"),
    ("reshoot", *["none"] * 5),
]

FORMATS = {
    "mayday": {"two", "two-v-one", "three-sets", "teams"},
    "cogitate": {"two", "two-v-one", "three-sets", "teams"},
    "traditional": {"two", "two-v-one", "teams"},
    "family": {"two", "teams", "four-alone"},
    "nca": {"two", "two-v-one", "three-sets", "teams"},
}

CALLED_FOULS = {
    "mayday": {
        "one-cheek",
        "other-hand",
        "moved-chair",
        "held-discs",
        "early-disc",
        "moved-disc",
        "aid",
    },
    "cogitate": {"one-cheek", "moved-board", "moved-chair", "chair-legs", "aid"},
    "traditional": {"moved-board", "aid"},
    "family": {"aid"},
    "nca": {
        "chair-legs",
        "floor",
        "wax",
        "one-cheek",
        "other-hand",
        "moved-board",
        "moved-chair",
        "coaching",
        "distraction",
        "aid",
        "too-soon",
    },
}

#: The brackets of the table: "variation", "option", "advanced" or "agreed before".
VARIATIONS: list[tuple[str, dict[str, Any]]] = [
    ("cogitate", {"discs_alone": 12}),
    ("cogitate", {"next_starter": "loser-decides"}),
    ("cogitate", {"placement_centre": "not-inside", "placement_quadrant": "within"}),
    ("cogitate", {"open_target": "within-15"}),
    ("cogitate", {"open_disc": "shooter-only"}),
    ("cogitate", {"round_score": "simple"}),
    ("cogitate", {"round_score": "match-play"}),
    ("cogitate", {"game_points": 50}),
    ("cogitate", {"game_points": 150}),
    ("cogitate", {"game_points": 200}),
    ("cogitate", {"game_end": "best-of"}),
    ("cogitate", {"reshoot": "met-no-disc", "reshoot_limit": 2}),
    ("mayday", {"round_score": "match-play"}),
    ("mayday", {"reshoot": "agreed", "reshoot_limit": 3}),
    ("traditional", {"contact": "friendly-driven", "miss_penalty": "involved"}),
    ("traditional", {"open_target": "within-15", "open_when": "first-shot"}),
    ("traditional", {"open_target": "within-15"}),
    ("traditional", {"out_at_rest": "touching-line"}),
    ("traditional", {"round_score": "one-to-winner"}),
    ("traditional", {"called_fouls": ["moved-board", "moved-chair", "not-seated"]}),
    ("traditional", {"game_end": "rounds", "game_rounds": 4}),
    ("family", {"open_target": "partly-inside-15"}),
    ("nca", {"discs_singles": 12}),
    ("nca", {"game_end": "rounds"}),
    ("nca", {"round_score": "match-play"}),
]


def _cells() -> list[Any]:
    return [
        pytest.param(name, row[0], value, id=f"{name}: {row[0]} is {value}")
        for row in TABLE
        for name, value in zip(SETS, row[1:], strict=True)
    ]


@pytest.mark.parametrize(("name", "option", "value"), _cells())
def test_a_cell_of_the_table_is_an_option(name: str, option: str, value: Any) -> None:
    assert to_json_value(getattr(rule_set(name).options, option)) == value


@pytest.mark.parametrize("name", SETS)
def test_who_may_play_is_as_the_table_says(name: str) -> None:
    assert {str(seating) for seating in rule_set(name).options.formats} == FORMATS[name]


@pytest.mark.parametrize("name", SETS)
def test_a_person_may_call_what_the_document_forbids(name: str) -> None:
    assert {str(foul) for foul in rule_set(name).options.called_fouls} == CALLED_FOULS[name]


@pytest.mark.parametrize(
    ("name", "changes", "fouls"),
    [
        ("mayday", {}, ["no-contact", "open-board", "placement"]),
        ("cogitate", {}, ["no-contact", "open-board", "placement"]),
        ("nca", {}, ["no-contact", "open-board", "placement"]),
        ("traditional", {}, ["no-contact", "placement"]),
        ("traditional", {"open_target": "within-15"}, ["no-contact", "open-board", "placement"]),
        ("family", {}, ["no-contact", "placement"]),
        ("family", {"open_target": "partly-inside-15"}, ["no-contact", "open-board", "placement"]),
        ("nca", {"called_fouls": ["moved-board"]}, ["no-contact", "open-board", "placement"]),
    ],
)
def test_the_fouls_of_a_shot_are_called_before_conduct(
    name: str, changes: dict[str, Any], fouls: list[str]
) -> None:
    options = rule_set(name, changes).options
    assert list(options.fouls_to_call) == [*fouls, *sorted(options.called_fouls)]


@pytest.mark.parametrize(
    ("name", "changes"),
    [pytest.param(*variation, id=f"{variation[0]} {variation[1]}") for variation in VARIATIONS],
)
def test_a_variation_of_the_table_can_be_chosen(name: str, changes: dict[str, Any]) -> None:
    chosen = rule_set(name, changes)
    assert {change: to_json_value(getattr(chosen.options, change)) for change in changes} == changes


def test_the_table_misses_no_option() -> None:
    told = {row[0] for row in TABLE} | {"formats", "called_fouls", "placement_penalty"}
    assert told | {"reshoot_limit"} == set(option_names())


@pytest.mark.parametrize("name", SETS)
def test_every_option_has_a_source_in_its_own_document(name: str) -> None:
    for option in option_names():
        assert len(RULE_SETS[RuleSetName(name)].source(option)) > 40


def test_every_option_belongs_to_one_topic_and_every_topic_has_a_passage() -> None:
    assert sorted(TOPIC_OF) == sorted(option_names())
    assert sum(len(topic) for topic in TOPICS.values()) == len(option_names())
    for passages in PASSAGES.values():
        assert set(passages) == set(TOPICS)


def test_no_two_sets_share_a_row() -> None:
    rows = [rules.options for rules in RULE_SETS.values()]
    assert all(a != b for i, a in enumerate(rows) for b in rows[i + 1 :])


def test_a_changed_option_says_that_it_is_a_house_rule() -> None:
    chosen = rule_set("nca", {"contact": "shooter-only", "leaner": "not-twenty"})
    assert chosen.source("contact").startswith("house rule: contact=shooter-only")
    assert chosen.source("leaner").startswith("NCA")  # the option has the chosen value
    assert chosen.options.miss_penalty == rule_set("nca").options.miss_penalty


@pytest.mark.parametrize(
    ("changes", "named"),
    [
        ({"open_target": "anywhere", "open_when": "first-shot"}, ("open_target", "open_when")),
        ({"reshoot": "agreed"}, ("reshoot=", "reshoot_limit")),
        ({"reshoot_limit": 2}, ("reshoot=", "reshoot_limit")),
        ({"shootout_shots": 6}, ("shootout_shots=", "shootout_shots_partner")),
    ],
    ids=lambda names: " and ".join(names),
)
def test_an_impossible_mix_is_refused_naming_both_options(changes, named) -> None:
    with pytest.raises(RulesError) as error:
        rule_set("nca", changes)
    assert all(name in str(error.value) for name in named)
    assert str(error.value).endswith(".")


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"contakt": "chain"}, "did you mean contact?"),
        ({"zzz": 1}, "no option 'zzz'"),
        ({"contact": "telepathy"}, "Choose from shooter-only, friendly-driven, any-own, chain"),
        ({"contact": ["chain"]}, "Choose from"),
        ({"game_points": "many"}, "whole number"),
        ({"game_points": 0}, "from 1 to 10000"),
        ({"game_points": True}, "whole number"),
        ({"discs_singles": 13}, "from 1 to 12"),
        ({"best_of": 4}, "odd"),
        ({"twenties_apart": "maybe"}, "yes or no"),
        ({"formats": []}, "empty"),
        ({"formats": 7}, "list"),
        ({"contact": {"a": 1}}, "contact cannot be an object. Choose from"),
        ({"contact": RuleSetName.COGITATE}, "contact cannot be 'cogitate'. Choose from"),
        ({"twenties_apart": None}, "twenties_apart must be yes or no, not null"),
        ({"formats": "two,solo"}, "Choose from"),
    ],
    ids=str,
)
def test_an_unknown_option_or_value_is_named_in_one_sentence(changes, words) -> None:
    with pytest.raises(RulesError) as error:
        rule_set("mayday", changes)
    assert words in str(error.value)


def test_an_unknown_rule_set_is_named() -> None:
    with pytest.raises(RulesError, match="did you mean mayday"):
        rule_set("maydey")
    with pytest.raises(RulesError, match="choose from mayday, cogitate"):
        rule_set("xx")


@pytest.mark.parametrize("name", ["NCA", "Nca", " nca "])
def test_a_rule_set_is_found_in_any_case(name: str, capsys) -> None:
    assert rule_set(name) is RULE_SETS[RuleSetName.NCA]
    assert main(["rules", name]) == 0
    assert "NCA reference manual" in capsys.readouterr().out


@given(st.sampled_from(SETS), st.sampled_from(option_names()))
def test_typing_an_option_as_printed_changes_nothing(name: str, option: str) -> None:
    options = rule_set(name).options
    assert override_options(options, {option: to_json_value(getattr(options, option))}) == options


def test_every_choice_explains_itself() -> None:
    for field in fields(RuleOptions):
        value = getattr(rule_set("mayday").options, field.name)
        assert format_value(value)
        if isinstance(value, Choice):
            assert all(len(choice.words) > 3 for choice in type(value))


def test_rules_lists_the_five_sets(capsys) -> None:
    assert main(["rules"]) == 0
    out = capsys.readouterr().out
    assert all(name in out for name in SETS)


@pytest.mark.parametrize("name", SETS)
def test_rules_explains_a_set_in_plain_words(name: str, capsys, monkeypatch) -> None:
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    assert main(["rules", name]) == 0
    out = capsys.readouterr().out
    told = " ".join(out.split())
    assert RULE_SETS[RuleSetName(name)].options.contact.words in told
    assert PASSAGES[RuleSetName(name)]["contact"] in told
    prose = [line for line in out.splitlines() if " " in line.strip() and "crokinole" not in line]
    assert max(len(text) for text in prose) <= 80
    assert f"crokinole match new Ann Bob --rules {name} --option round_score=match-play" in out


def test_rules_lists_every_option_with_its_effect_and_values(capsys) -> None:
    assert main(["rules", "nca"]) == 0
    out = capsys.readouterr().out
    told = " ".join(out.split())
    for option in option_names():
        assert f"  {option}=" in out
        assert OPTION_WORDS[option] in told
        for value in list_values(rule_set("nca").options, option):
            assert f" {value} {value.words}" in told
    assert "      * chain " in out
    assert "best_of=3\n      rounds in a best-of game" in out
    assert "an odd number) (game_end=best-of; from 1 to 999)" in told
    assert "(yes or no)" in told


@pytest.mark.parametrize("option", option_names())
def test_every_listed_value_is_accepted(option: str) -> None:
    options = rule_set("nca").options
    for value in list_values(options, option):
        if (option, value) not in {("open_when", "first-shot"), ("reshoot", "agreed")}:
            assert override_options(
                options, {option: value.value, "reshoot_limit": 3 * (value == "met-no-disc")}
            )


def test_rules_of_two_sets_shows_only_where_they_differ(capsys) -> None:
    assert main(["rules", "mayday", "nca"]) == 0
    out = capsys.readouterr().out
    assert "contact" in out
    assert "line_zone" not in out
    assert main(["rules", "nca", "nca"]) == 0
    assert "do not differ" in capsys.readouterr().out


def test_rules_as_json_holds_value_and_source(capsys) -> None:
    assert main(["rules", "cogitate", "--json"]) == 0
    (told,) = json.loads(capsys.readouterr().out)
    assert told["options"]["leaner"]["value"] == "not-twenty"
    assert "Chapter 8" in told["options"]["leaner"]["source"]


@pytest.mark.parametrize("names", [["calvinball"], ["nca", "mayday", "family"]], ids=str)
def test_rules_refuses_in_one_sentence(names: list[str], capsys) -> None:
    assert main(["rules", *names]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert len(err.strip().splitlines()) == 4
    assert err.splitlines()[-1].startswith("Error: ")
