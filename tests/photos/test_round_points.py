"""A round from one picture: the owners of the discs, and cases that a person must check."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from clear_picture import write_clear_picture
from plain_wall import write_wall
from read_log import match_from_csv, match_from_json

from sample_images import __file__ as _samples
from scorer.match.events import MatchError, MatchStarted, TwentyCounted
from scorer.match.exchange import match_as_csv, match_as_json
from scorer.match.fold import fold
from scorer.rules.choices import Format
from scorer.store.match_store import Store
from webapp.cli.main import main

STILLS = Path(_samples).parent / "stills"
#: Brown discs worth 10, black ones worth 25 with a 20 in the hole, and nothing close.
CLEAR = str(write_clear_picture())
CLOSE = str(STILLS / "full_board_white_and_red.jpg")
NO_BOARD = "wall.png"


class Keeper:
    """`crokinole match` on its own database."""

    def __init__(self, database: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self._database, self._capsys = str(database), capsys

    def __call__(self, *arguments: str) -> str:
        assert main(["match", "--db", self._database, *arguments]) == 0, self._capsys.readouterr()
        return self._capsys.readouterr().out

    def refusal(self, *arguments: str, code: int = 1) -> str:
        """The sentence of a refusal, after the usage text for a usage error."""
        assert main(["match", "--db", self._database, *arguments]) == code
        out, err = self._capsys.readouterr()
        assert (out, len(err.strip().splitlines())) == ("", 4 if code == 2 else 1)
        return err

    def rounds(self) -> list[tuple[list[int], list[int], str]]:
        """Points, 20s and source of each round."""
        shown = json.loads(self("show", "--json"))
        return [(row["points"], row["twenties"], row["source"]) for row in shown["rounds"]]


@pytest.fixture
def match(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Keeper:
    return Keeper(tmp_path / "matches.db", capsys)


def test_a_picture_alone_scores_the_round(match: Keeper) -> None:
    match("new", "Ann", "Bob", "--colours", "brown", "black")
    assert "Ann 10 · Bob 25" in match("add", "--photo", CLEAR)
    assert match.rounds() == [([10, 25], [0, 1], "photo")]


def test_colours_tell_the_sides(match: Keeper) -> None:
    match("new", "Ann", "Bob", "--colours", "black", "brown")
    match("add", "--photo", CLEAR)
    assert match.rounds() == [([25, 10], [1, 0], "photo")]


def test_twenties_beside_the_board_are_added(match: Keeper) -> None:
    match("new", "Ann", "Bob", "--colours", "brown", "black")
    match("add", "--photo", CLEAR, "--twenties", "2", "1")
    assert match.rounds() == [([50, 45], [2, 2], "photo")]


@pytest.mark.parametrize(
    ("given", "row"),
    [
        ([], ([30, 45], [1, 2], "photo")),
        (["--twenties", "0", "0"], ([10, 25], [0, 1], "photo")),
    ],
    ids=["as counted", "as given"],
)
def test_twenties_counted_in_the_round_lie_beside_the_board_but_for_those_in_sight(
    match: Keeper, tmp_path: Path, given: list[str], row: tuple[list[int], list[int], str]
) -> None:
    match("new", "Ann", "Bob", "--colours", "brown", "black")
    with Store(str(tmp_path / "matches.db")) as store:
        for side in (0, 1, 1):
            store.append(1, TwentyCounted(side=side), now="2026-01-01T12:00:00Z")
    match("add", "--photo", CLEAR, *given)
    assert match.rounds() == [row]


def test_untold_colours_are_asked_for_and_told_for_one_picture(match: Keeper) -> None:
    match("new", "Ann", "Bob")
    assert "such as `--colours brown black`" in match.refusal("add", "--photo", CLEAR)
    assert match.rounds() == []
    match("add", "--photo", CLEAR, "--colours", "black", "brown")
    assert match.rounds() == [([25, 10], [1, 0], "photo")]


def test_a_picture_corrects_a_round_and_a_hand_corrects_a_picture(match: Keeper) -> None:
    match("new", "Ann", "Bob", "--colours", "brown", "black")
    match("add", "60", "45")
    match("add", "--correct", "1", "--photo", CLEAR)
    assert match.rounds() == [([10, 25], [0, 1], "photo")]
    match("add", "--correct", "1", "15", "25")  # the 20s are unchanged
    assert match.rounds() == [([15, 25], [0, 1], "hand")]


@pytest.mark.parametrize(
    ("picture", "words"),
    [
        (CLOSE, "someone must check it"),
        (NO_BOARD, "cannot be scored"),
        ("nowhere.jpg", "not found"),
        (CLEAR, "not red and blue"),
    ],
    ids=["close call", "no board", "no file", "other colours"],
)
def test_an_unsure_picture_writes_nothing_unless_points_are_given(
    picture: str, words: str, match: Keeper, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(write_wall(tmp_path, NO_BOARD).parent)
    match("new", "Ann", "Bob", "--colours", "red", "blue")
    assert words in match.refusal("add", "--photo", picture)
    assert match.rounds() == []
    assert words in match("add", "80", "60", "--photo", picture)
    assert match.rounds() == [([80, 60], [0, 0], "hand")]


def test_given_points_stand_beside_what_the_picture_tells(match: Keeper) -> None:
    match("new", "Ann", "Bob", "--colours", "brown", "black")
    assert "shows Ann 10 · Bob 25" in match("add", "15", "25", "--photo", CLEAR)
    assert match.rounds() == [([15, 25], [0, 0], "hand")]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--photo", CLEAR, "--time"], "only a round's points"),
        (["--photo", CLEAR, "--twenties", "1"], "for each side"),
        (["--photo", CLEAR, "--twenties", "-1", "0"], "for each side"),
        (["--photo", CLEAR, "--colours", "brown"], "its own colour"),
        (["--photo", CLEAR, "--profile", "nowhere.toml"], "nowhere.toml"),
        (["--photo", CLEAR, "--twenties", "12", "0"], "discs"),
    ],
    ids=["time", "one 20", "negative", "one colour", "profile", "too many 20s"],
)
def test_a_wrong_word_beside_a_picture_is_told(
    arguments: list[str], words: str, match: Keeper
) -> None:
    match("new", "Ann", "Bob", "--colours", "brown", "black")
    assert words in match.refusal("add", *arguments, code=2 if "--time" in arguments else 1)
    assert match.rounds() == []


@pytest.mark.parametrize("colours", [("red",), ("red", "red"), ("red", " ")], ids=str)
def test_a_match_needs_a_colour_for_each_side(colours: tuple[str, ...]) -> None:
    setup = MatchStarted(rules="nca", format=Format.TWO, players=("A", "B"), colours=colours)
    with pytest.raises(MatchError, match="its own colour"):
        fold([setup])


def test_colours_go_out_and_in() -> None:
    setup = MatchStarted(
        rules="nca", format=Format.TWO, players=("A", "B"), colours=("red", "blue")
    )
    assert match_from_json(match_as_json([setup])) == (setup,)
    assert match_from_csv(match_as_csv([setup])) == (setup,)


def test_a_match_from_before_colours_still_opens() -> None:
    setup = MatchStarted(rules="nca", format=Format.TWO, players=("A", "B"))
    told = json.loads(match_as_json([setup]))
    del told["events"][0]["colours"]
    assert match_from_json(json.dumps(told)) == (setup,)


def test_an_empty_board_scores_nothing_whatever_the_colours(match: Keeper) -> None:
    match("new", "Ann", "Bob")
    match("add", "--photo", str(STILLS / "empty_cherry_board.jpg"), "--twenties", "0", "2")
    assert match.rounds() == [([0, 40], [0, 2], "photo")]
