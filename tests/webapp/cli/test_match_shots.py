"""A round entered shot by shot on the command line, with corrections and a ruling."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path
from typing import Any

import pytest
from paths import ROOT

from webapp.cli.main import main


@pytest.fixture
def match(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Any:
    """`crokinole match` on its own database: its output, or its refusal."""

    def run(*arguments: str) -> str:
        failed = main(["match", "--db", str(tmp_path / "matches.db"), *arguments])
        out, err = capsys.readouterr()
        assert (bool(out), bool(err)) == ((False, True) if failed else (True, False))
        return out or err

    options = ["--option", "discs_singles=8", "--colours", "white", "black"]
    run("new", "Ann", "Bob", *options)
    return run


def shown(match: Any) -> Any:
    return json.loads(match("show", "--json"))


def is_next(told: str, player: str) -> bool:
    """Whether the last line of the score names this player first, who shoots next."""
    return told.splitlines()[-1].startswith(player)


def test_a_wrong_zone_and_a_wrong_colour_are_corrected(match: Any) -> None:
    assert is_next(match("shot", "legal", "--board", "a1:Ann:15"), "Bob")
    assert shown(match)["turn"] == 1
    match("shot", "legal", "--board", "a1:Ann:15", "b1:black:5")
    match("shot", "legal", "--board", "a1:Ann:15", "b1:Bob:5", "a2:white:10")
    match("disc", "a1", "--zone", "10")
    assert [disc["zone"] for disc in shown(match)["board"]] == [10, 5, 10]
    match("shot", "legal", "--board", "a1:Ann:10", "b1:Bob:5", "b2:Bob:10")
    match("disc", "b2", "--side", "white")
    assert [disc["side"] for disc in shown(match)["board"]] == ["Ann", "Bob", "Ann"]
    match("undo")
    assert [disc["side"] for disc in shown(match)["board"]] == ["Ann", "Bob", "Bob"]


def test_a_ruling_changes_the_disc_it_is_about(match: Any) -> None:
    match("shot", "legal", "--board", "a1:Ann:15")
    match("add", "--dispute", "a1 touches the line")
    assert "it does" in match("rule", "1", "it does", "--disc", "a1", "--zone", "10")
    assert shown(match)["board"] == [{"id": "a1", "side": "Ann", "zone": 10}]


def test_a_ruling_adds_a_20_or_says_that_it_changes_no_score(match: Any) -> None:
    match("add", "--dispute", "Was it a 20?")
    assert "20s this round: Ann 0 · Bob 1" in match("rule", "1", "it was", "--twenty", "black")
    match("add", "--dispute", "And that?")
    before = shown(match)
    said = match("rule", "2", "it was not").splitlines()[0]
    assert said not in match("show")
    after = shown(match)
    assert after["disputes"][1].pop("decision") == "it was not"
    assert before["disputes"][1].pop("decision") is None
    assert after == before


def test_a_called_foul_says_what_it_costs(match: Any) -> None:
    told = match("add", "--foul", "Ann", "no_contact")
    assert told.startswith("Remove the shooting disc and every disc it touched. A 20")
    assert shown(match)["fouls"] == [{"player": "Ann", "foul": "no-contact"}]
    assert "  Ann: " in told
    assert match("add", "--foul", "Bob", "wax").startswith("These rules have no penalty for this.")


def test_a_free_shot_is_not_shot_again_by_cogitates_rules(match: Any) -> None:
    rules = [
        "--rules",
        "cogitate",
        "--option",
        "reshoot=met-no-disc",
        "--option",
        "reshoot_limit=2",
    ]
    match("new", "Ann", "Bob", *rules)
    again = ("shot", "foul", "--fault", "open_board", "--reshoot", "--board")
    before = shown(match)
    refusal = match(*again)
    assert "These rules do not allow a free shot to be repeated" in refusal
    assert shown(match) == before
    match("shot", "legal", "--board", "a1:Ann:15")
    before = shown(match)
    assert match(*again) == refusal
    assert shown(match) == before
    told = match("shot", "foul", "--fault", "no_contact", "--reshoot", "--board", "a1:Ann:15")
    assert is_next(told, "Bob")
    assert shown(match)["turn"] == before["turn"] == 1


def test_a_round_of_shots_counts_itself(match: Any) -> None:
    assert "20s this round: Ann 1 · Bob 0" in match("shot", "legal", "--twenties", "1", "0")
    match("shot", "foul", "--fault", "no contact")
    for _ in range(6):
        match("shot", "legal", "--twenties", "1", "0")
        match("shot", "foul", "--fault", "no contact")
    before = shown(match)
    assert sum(before["discs_left"]) == 2
    assert re.search(r"\b2\b", match("add"))
    assert shown(match) == before
    match("shot", "legal", "--board", "a8:Ann:15")
    assert "All discs have been shot" in match("shot", "legal", "--board", "a8:Ann:15")
    before = shown(match)
    assert before["discs_left"] == [0, 0]
    assert "No shots are left" in match("shot", "legal")
    assert shown(match) == before
    match("add")
    (told,) = shown(match)["rounds"]
    assert (told["points"], told["twenties"], told["source"]) == ([155, 0], [7, 0], "shots")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["shot", "legal", "--board", "a1"], "DISC:SIDE:ZONE"),
        (["shot", "legal", "--board", "a1:Cid:15"], "Cid is not a side"),
        (["shot", "legal", "--board", "a1:Ann:7"], "zone 7"),
        (["shot", "legal", "--board", "b1:Bob:15"], "only 0 shot"),
        (["shot", "legal", "--twenties", "1"], "each side"),
        (
            ["shot", "foul", "--fault", "made-up"],
            "no fault 'made-up'. Choose from no_contact, open_board, placement, out_of_bounds",
        ),
        (
            ["shot", "legal", "--fault", "no_contact"],
            "A legal shot can only have the fault out_of_bounds",
        ),
        (["shot", "legal", "--reshoot"], "re-shoot"),
        (["disc", "a1", "--zone", "10"], "not on the board"),
        (["disc", "a1"], "its zone or its side"),
        (["rule", "1", "so"], "no dispute 1"),
    ],
    ids=str,
)
def test_a_wrong_entry_is_told_and_changes_nothing(
    arguments: list[str], words: str, match: Any
) -> None:
    before = shown(match)
    assert words in match(*arguments)
    assert shown(match) == before


def test_time_says_that_it_is_out_and_who_still_shoots(match: Any) -> None:
    match("shot", "legal")
    told = match("add", "--time")
    assert shown(match)["discs_left"] == [0, 1]
    assert "Bob" in told.splitlines()[-1]
    match("shot", "legal")
    assert shown(match)["discs_left"] == [0, 0]
    assert "`crokinole match add`" in match("show")


def test_time_that_is_out_before_any_shot_says_so(match: Any) -> None:
    assert "`crokinole match add`" in match("add", "--time")
    assert shown(match)["discs_left"] == [0, 0]
    match("add", "60", "45")
    assert "`crokinole match add`" not in match("show")
    assert shown(match)["discs_left"] == [8, 8]


def test_a_round_told_shot_by_shot_works_as_the_guide_writes_it(tmp_path, capsys) -> None:
    guide = (ROOT / "docs" / "guide" / "match.md").read_text(encoding="utf-8")
    block = guide.partition("## Shot by shot")[2].split("```")[1]
    lines = [shlex.split(line, comments=True) for line in block.strip().splitlines()]
    assert len(lines) == 8
    for _, command, *arguments in lines:
        assert main([command, "--db", str(tmp_path / "m.db"), *arguments]) == 0, capsys.readouterr()
    told = capsys.readouterr().out
    assert re.search(r"1: a1 touches the line \(it does\)$", told, re.MULTILINE)
    assert re.search(r"a1: Ann 5$", told, re.MULTILINE)
    assert is_next(told, "Ann")
