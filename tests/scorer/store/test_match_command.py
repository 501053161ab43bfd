"""The command ``match``, which keeps the score of a match without a camera."""

from __future__ import annotations

import json
import re

import pytest

from scorer.match.events import CameraSaw
from scorer.match.sighting import SightedDisc, Sighting, SightingKind
from scorer.store import Store
from webapp.cli.main import main


def test_a_scorekeeper_keeps_a_match_without_a_camera(path: str, tmp_path, capsys) -> None:
    def match(*arguments: str) -> str:
        assert main(["match", "--db", path, *arguments]) == 0, capsys.readouterr().err
        return capsys.readouterr().out

    assert "No match yet" in match("list")
    assert "Match 1" in match("new", "Ann", "Bob", "--rules", "nca", "--option", "game_end=rounds")
    assert "Ann 15 · Bob 0" in match("add", "60", "45", "--twenties", "1", "0")
    match("add", "20", "20")
    assert "Ann 25" in match("add", "--correct", "1", "70", "45", "--twenties", "1", "0")
    assert "20s: Ann 1" in match("add", "--correct", "1", "70", "45")
    match("undo")
    assert re.search(r"^Started: 20\d\d-\d\d-\d\d \d\d:\d\d$", match("show"), re.MULTILINE)
    assert "Ann 15" in match("undo")
    match("add", "--foul", "Ann", "one-cheek")
    shown = json.loads(match("show", "--json"))
    assert (shown["totals"], shown["twenties"], shown["is_over"]) == ([15, 0], [1, 0], False)
    assert "15 : 0" in match("list")
    assert json.loads(match("list", "--json"))[0]["sides"] == ["Ann", "Bob"]
    for name, flags in (("m.json", []), ("m.csv", ["--csv"])):
        (tmp_path / name).write_text(match("export", *flags), "utf-8")
        assert "imported" in match("import", str(tmp_path / name))
        assert json.loads(match("show", "--json"))["totals"] == [15, 0]
    match("add", "20", "50", "--match", "1")
    match("add", "--match", "1", "--dispute", "touches the line")
    ruled = match("add", "--match", "1", "--ruling", "1", "it does")
    assert "touches the line (it does)" in ruled
    shown = json.loads(match("show", "--match", "1", "--json"))
    assert [result["source"] for result in shown["rounds"]] == ["hand"] * 3
    assert [(dispute["about"], dispute["decision"]) for dispute in shown["disputes"]] == [
        ("touches the line", "it does")
    ]
    assert shown["fouls"] == [{"player": "Ann", "foul": "one-cheek"}]
    match("add", "5", "20", "--match", "1")
    ended = json.loads(match("show", "--match", "1", "--json"))
    assert (ended["winners"], ended["is_over"]) == ([1], True)
    notation = json.loads(match("export", "--cmn", "--match", "1"))
    assert notation["match"]["winner"] == 1
    assert notation["match"]["date"].endswith("Z")


def test_who_plays_a_colour_and_who_started_are_answered_in_a_terminal(path: str, capsys) -> None:
    def match(*arguments: str) -> str:
        assert main(["match", "--db", path, *arguments]) == 0, capsys.readouterr().err
        return capsys.readouterr().out

    match("new", "Ann", "Bob")
    seen = Sighting(
        what=SightingKind.SHOT,
        teams=("red", "black"),
        colour="red",
        number=1,
        after=(SightedDisc(id="a", colour="red", zone=15, place_mm=(10.0, 55.0)),),
        verdict="legal",
    )
    with Store(path) as store:
        store.append(1, CameraSaw(sighting=seen), now="2026-01-01T10:00:00+00:00")
    assert re.search(r"\bred\?$", match("show"), re.MULTILINE)
    answered = match("add", "--plays", "red", "Bob")
    assert "disc a: Bob 15" in answered
    assert json.loads(match("show", "--json"))["starter"] == 1
    corrected = match("add", "--started", "1", "Ann")
    shown = json.loads(match("show", "--json"))
    (dispute,) = shown["disputes"]
    assert (dispute["missed"], dispute["is_first"], shown["starter"]) == (1, True, 0)
    assert dispute["about"] in corrected
    assert shown["colours"] == ["black", "red"]
    for wrong in (["--plays", "red", "Cy"], ["--started", "one", "Ann"], ["--started", "3", "Ann"]):
        assert main(["match", "--db", path, "add", *wrong]) > 0
        assert "Traceback" not in capsys.readouterr().err


def test_a_tie_is_decided_by_a_shootout(path: str, capsys) -> None:
    run = ["match", "--db", path]
    options = ["--option", "game_end=rounds", "--option", "game_rounds=1"]
    assert main([*run, "new", "Ann", "Bob", *options, "--starter", "Bob"]) == 0
    assert main([*run, "add", "20", "20"]) == 0
    assert "shoot-out" in capsys.readouterr().out
    assert main([*run, "add", "--shootout", "3", "5"]) == 0
    told = capsys.readouterr().out
    assert "Ann 3 · Bob 5\n" in told
    assert main([*run, "list"]) == 0
    assert "Ann - Bob  0 : 0, Bob won" in capsys.readouterr().out
    assert main([*run, "show", "--json"]) == 0
    shown = json.loads(capsys.readouterr().out)
    assert shown["shootouts"] == [{"after_round": 1, "twenties": [3, 5]}]
    assert shown["winners"] == [1]


def read_starter(
    path: str, capsys: pytest.CaptureFixture[str], *, is_drawn: bool = False
) -> tuple[int, int]:
    """The players who start and who have the hammer; the terminal must have named both, and first
    of all who starts if it was drawn.
    """
    said = capsys.readouterr().out.splitlines()
    assert main(["match", "--db", path, "show", "--json"]) == 0
    shown = json.loads(capsys.readouterr().out)
    starter, hammer = shown["starter"], shown["hammer"]
    names = [shown["players"][number] for number in (starter, hammer)]
    assert re.findall("Ann|Bob|Cid", said[-1]) == names
    assert (names[0] in said[0]) is is_drawn
    return starter, hammer


def test_a_draw_says_who_starts_where_the_rules_ask_for_one(path, monkeypatch, capsys) -> None:
    run = ["match", "--db", path, "new", "Ann", "Bob"]
    assert main([*run, "--rules", "NCA"]) == 0
    told = capsys.readouterr().out
    assert "`crokinole match add --starter PLAYER`" in told
    assert "Rules: NCA rules" in told
    assert main(["match", "--db", path, "add", "--starter", "Bob"]) == 0
    assert re.findall("Ann|Bob", capsys.readouterr().out.splitlines()[-1]) == ["Bob", "Ann"]
    assert main([*run, "--rules", "mayday"]) == 0
    assert "draw" not in capsys.readouterr().out
    monkeypatch.setattr("secrets.choice", lambda players: players[-1])
    assert main([*run, "--starter", "draw"]) == 0
    assert read_starter(path, capsys, is_drawn=True) == (1, 0)


def test_the_lone_player_of_cogitate_does_not_start(path, monkeypatch, capsys) -> None:
    run = ["match", "--db", path, "new", "Ann", "Bob", "Cid"]
    run += ["--rules", "cogitate", "--format", "two-v-one"]
    assert main(run) == 0
    assert read_starter(path, capsys) == (1, 0)
    assert main([*run, "--starter", "Ann"]) == 2
    assert "Bob or Cid" in capsys.readouterr().err
    monkeypatch.setattr("secrets.choice", lambda players: players[0])
    assert main([*run, "--starter", "draw"]) == 0
    assert read_starter(path, capsys, is_drawn=True)[0] == 1


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["show"], "No match yet"),
        (["show", "--match", "3"], "no match 3"),
        (["new", "Ann"], "2 players"),
        (["new", "Ann", "Bob", "--option", "contact"], "NAME=VALUE"),
        (["new", "Ann", "Bob", "--option", "contakt=x"], "did you mean contact"),
        (["new", "Ann", "Bob", "--starter", "Cid"], "is not a player"),
        (["import", "nowhere.json"], "nowhere.json: File not found. Check the name."),
    ],
    ids=str,
)
def test_what_cannot_be_is_told_in_one_sentence(arguments, words, path, capsys) -> None:
    code = 2 if arguments[0] == "new" else 1  # only the arguments decide whether it can begin
    assert main(["match", "--db", path, *arguments]) == code
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("crokinole: " if code == 1 else "Usage: crokinole match new ")
    assert words in err.splitlines()[-1]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["add"], "points"),
        (["add", "60"], "for each side"),
        (["add", "-5", "0"], "negative"),
        (["add", "61", "0"], "multiple of 5"),
        (["add", "300", "0"], "add up"),
        (["add", "--foul", "Ann", "held-discs"], "not a foul in these rules"),
        (["add", "--starter", "Cid"], "is not a player"),
        (["add", "--ruling", "1", "so"], "no dispute 1"),
        (["undo"], "nothing to undo"),
    ],
    ids=str,
)
def test_a_wrong_entry_is_refused_and_changes_nothing(arguments, words, path, capsys) -> None:
    assert main(["match", "--db", path, "new", "Ann", "Bob"]) == 0
    before = capsys.readouterr()
    assert main(["match", "--db", path, *arguments]) == 1
    assert words in capsys.readouterr().err
    assert main(["match", "--db", path, "show"]) == 0
    shown = capsys.readouterr().out
    assert shown.splitlines()[1:] == before.out.splitlines()[1:]
