"""Boards in a database: permanent numbers, names, and matches that stay at their board."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from match_database import (
    NOW,
    SETUP,
    run_statement,
    take_back_before_boards,
    take_back_to_1_2,
)

from scorer.match.events import MatchError, MatchMoved, RoundScored, Undone
from scorer.store import Store
from scorer.store.board_store import BoardStore
from scorer.store.camera_store import CameraStore

#: A match that is over after one round.
ONE_ROUND = (("game_end", "rounds"), ("game_rounds", 1))


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store(str(tmp_path / "matches.db")) as opened:
        yield opened


def test_the_first_board_is_there_without_anybody_adding_it(store: Store) -> None:
    assert [board.name for board in BoardStore(store.database).list_boards()] == ["Board 1"]


def test_a_new_board_gets_the_lowest_free_number_and_others_keep_theirs(store: Store) -> None:
    boards = BoardStore(store.database)
    for name in ("", "By the window", ""):
        boards.add(name)
    boards.remove(2)
    boards.rename(1, "  Stage ")
    assert [(board.number, board.name) for board in boards.list_boards()] == [
        (1, "Stage"),
        (3, "By the window"),
        (4, "Board 4"),
    ]
    assert boards.add().number == 2


def test_the_first_board_and_names_that_are_none_are_refused(store: Store) -> None:
    boards = BoardStore(store.database)
    with pytest.raises(MatchError, match="first board cannot be removed"):
        boards.remove(1)
    with pytest.raises(MatchError, match="name of a board"):
        boards.add("x" * 100)
    with pytest.raises(MatchError, match="no board 7"):
        boards.rename(7, "Window")


def test_a_tournament_s_boards_are_provided_and_names_that_people_gave_stay(store: Store) -> None:
    boards = BoardStore(store.database)
    boards.rename(1, "Stage")
    boards.provide(("Board 1", "Board 2", "Board 3"))
    assert [board.name for board in boards.list_boards()] == ["Stage", "Board 2", "Board 3"]


def test_the_newest_match_of_a_board_is_not_another_board_s(store: Store) -> None:
    first = store.create(SETUP, now=NOW)
    third = store.create(replace(SETUP, at_board=3), now=NOW)
    assert (store.newest_sound(1), store.newest_sound(3), store.newest_sound(2)) == (
        first,
        third,
        None,
    )
    assert (store.board_of(third), store.board_of(99)) == (3, None)


def test_matches_of_a_database_without_boards_are_played_at_the_first(tmp_path: Path) -> None:
    url = str(tmp_path / "old.db")
    with Store(url) as old:
        old.create(SETUP, now=NOW)
    take_back_before_boards(url)
    for _ in range(2):  # opened again, nothing changes
        with Store(url) as store:
            assert store.newest_sound(1) == 1
    with Store(url) as store:
        assert store.create(replace(SETUP, at_board=2), now=NOW) == 2
        assert store.newest_sound(2) == 2
        cameras = CameraStore(store.database)
        cameras.watch(2, "0", beside="1")
        assert [camera.beside for camera in cameras.list_cameras()] == ["1"]


def test_cameras_of_a_database_without_second_ones_have_none(tmp_path: Path) -> None:
    url = str(tmp_path / "old.db")
    with Store(url) as old:
        CameraStore(old.database).watch(1, "0")
    take_back_to_1_2(url)
    run_statement(url, "ALTER TABLE cameras DROP COLUMN beside")
    run_statement(url, "UPDATE crokinole_schema SET version = 9")
    with Store(url) as store:
        assert [camera.beside for camera in CameraStore(store.database).list_cameras()] == [""]


def test_a_match_cannot_begin_at_a_board_that_has_no_number(store: Store) -> None:
    for number in (0, -1, 129):
        with pytest.raises(MatchError, match="no board"):
            store.create(replace(SETUP, at_board=number), now=NOW)


def test_a_match_that_is_moved_is_the_newest_of_its_new_board_and_undoing_brings_it_back(
    store: Store,
) -> None:
    moved = store.create(replace(SETUP, at_board=2), now=NOW)
    over = store.create(replace(SETUP, at_board=3, options=ONE_ROUND), now=NOW)
    store.append(over, RoundScored(points=(20, 0)), now=NOW)
    store.append(moved, MatchMoved(at_board=3), now=NOW)
    assert (store.newest_sound(2), store.newest_sound(3)) == (None, moved)
    assert (store.board_of(moved), store.log(moved)[0]) == (3, replace(SETUP, at_board=2))
    store.append(moved, Undone(), now=NOW)
    assert (store.newest_sound(2), store.newest_sound(3)) == (moved, over)


def test_a_match_that_begins_after_a_move_is_the_newest(store: Store) -> None:
    first = store.create(replace(SETUP, options=ONE_ROUND), now=NOW)
    store.append(first, MatchMoved(at_board=2), now=NOW)
    store.append(first, RoundScored(points=(20, 0)), now=NOW)
    second = store.create(replace(SETUP, at_board=2), now=NOW)
    assert store.newest_sound(2) == second


def test_a_board_where_a_match_is_on_takes_no_other(store: Store) -> None:
    store.create(replace(SETUP, at_board=2), now=NOW)
    match = store.create(SETUP, now=NOW)
    with pytest.raises(MatchError, match="already in progress at board 2"):
        store.append(match, MatchMoved(at_board=2), now=NOW)
    store.append(match, MatchMoved(at_board=3), now=NOW)
    store.create(SETUP, now=NOW)
    with pytest.raises(MatchError, match="already in progress at board 1"):
        store.append(match, Undone(), now=NOW)
    assert (len(store.log(match)), store.board_of(match)) == (2, 3)


def test_a_database_from_before_matches_were_moved_keeps_their_order(tmp_path: Path) -> None:
    url = str(tmp_path / "old.db")
    with Store(url) as old:
        numbers = [old.create(replace(SETUP, options=ONE_ROUND), now=NOW) for _ in range(2)]
    take_back_to_1_2(url)
    run_statement(url, "UPDATE matches SET came = NULL")
    with Store(url) as store:
        assert store.newest_sound(1) == numbers[1]
        store.append(numbers[0], MatchMoved(at_board=2), now=NOW)
        assert (store.newest_sound(1), store.newest_sound(2)) == (numbers[1], numbers[0])
