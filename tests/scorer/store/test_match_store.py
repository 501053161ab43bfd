"""The database of matches: acknowledged events are saved, whatever happens."""

from __future__ import annotations

import gc
import resource
import sqlite3
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from match_database import NOW, ROUND, SETUP, run_statement, take_back_to_1_2
from sqlalchemy import text

from scorer.match.events import (
    Disputed,
    MatchError,
    MatchStarted,
    RoundScored,
    RoundStarted,
    Undone,
)
from scorer.match.fold import fold
from scorer.match.summary import summarise_match
from scorer.practice.events import Drill, PracticeStarted
from scorer.rules.choices import Format
from scorer.store import MIGRATIONS, DamagedMatchError, Store, StoreError
from scorer.store.player_store import PlayerStore
from scorer.store.practice_store import PracticeStore


def test_what_was_appended_is_read_back(url: str) -> None:
    with Store(url) as store:
        match = store.create(SETUP, now=NOW)
        state = store.append(match, ROUND, now=NOW)
        assert state == fold([SETUP, ROUND])
    with Store(url) as store:
        assert store.log(match) == (SETUP, ROUND)
        (listed,) = store.list_states()
        assert (listed.id, listed.created) == (match, NOW)


def test_an_event_that_cannot_be_leaves_nothing_behind(url: str) -> None:
    with Store(url) as store:
        match = store.create(SETUP, now=NOW)
        with pytest.raises(MatchError, match="multiple of 5"):
            store.append(match, RoundScored(points=(1, 2)), now=NOW)
        assert store.log(match) == (SETUP,)
        with pytest.raises(MatchError):
            store.import_log([SETUP, RoundScored(points=(1, 2))], now=NOW)
        assert store.count() == 1


def test_the_disk_is_waited_for(path: str) -> None:
    with Store(path) as store, store.database.read_transaction() as connection:
        assert connection.execute(text("PRAGMA journal_mode")).scalar() == "wal"
        assert connection.execute(text("PRAGMA synchronous")).scalar() == 2  # FULL


def test_a_store_that_nobody_holds_closes_its_connections(path: str) -> None:
    store = Store(path)
    with store.database.read_transaction() as connection:
        plain = connection.connection.dbapi_connection
    assert plain is not None
    plain.execute("SELECT 1")
    del store, connection
    gc.collect()
    with pytest.raises(sqlite3.ProgrammingError, match="closed database"):
        plain.execute("SELECT 1")


def test_an_unknown_match_is_told(url: str) -> None:
    with Store(url) as store, pytest.raises(StoreError, match="no match 7"):
        store.log(7)


@pytest.mark.parametrize("number", [0, -1, 2**31, 2**63, 10**24, 10**6000], ids=lambda _: "")
def test_a_number_that_no_match_has_is_told(url: str, number: int) -> None:
    with Store(url) as store, pytest.raises(StoreError, match="no match") as refusal:
        store.append(number, ROUND, now=NOW)
    assert len(str(refusal.value)) < 200


def test_a_file_that_is_no_database_is_left_as_it_was(path: str) -> None:
    Path(path).write_text("twenty!" * 200, "utf-8")
    with pytest.raises(StoreError, match="not a crokinole database"):
        Store(path)
    assert Path(path).read_text("utf-8") == "twenty!" * 200


def test_another_programs_database_is_left_as_it_was(path: str) -> None:
    with sqlite3.connect(path) as foreign:
        foreign.execute("CREATE TABLE recipes (name TEXT)")
    foreign.close()
    before = Path(path).read_bytes()
    with pytest.raises(StoreError, match="another program"):
        Store(path)
    assert Path(path).read_bytes() == before


def test_a_newer_database_is_refused_and_left_alone(url: str) -> None:
    with Store(url, migrations=(*MIGRATIONS, lambda _: None)) as store:
        store.create(SETUP, now=NOW)
    with pytest.raises(StoreError, match="newer version of crokinole"):
        Store(url)
    with Store(url, migrations=(*MIGRATIONS, lambda _: None)) as store:
        assert store.count() == 1


def test_an_older_database_is_brought_up_to_date_once(url: str) -> None:
    with Store(url) as store:
        match = store.create(SETUP, now=NOW)
    steps: list[str] = []

    def add_table(connection: Any) -> None:
        steps.append("ran")
        connection.execute(text("CREATE TABLE venues (name TEXT)"))

    for _ in range(2):
        with Store(url, migrations=(*MIGRATIONS, add_table)) as store:
            assert store.log(match) == (SETUP,)
    assert steps == ["ran"]


def test_an_older_match_is_found_without_its_accents(url: str) -> None:
    with Store(url) as store:
        match = store.create(replace(SETUP, players=("Zoë", "Bob")), now=NOW)
    take_back_to_1_2(url)
    with Store(url) as store:
        found = store.search(["zoe"], page=1, size=9).matches
    assert [each.id for each in found] == [match]


def test_an_imported_match_takes_no_board_where_another_is_played(url: str) -> None:
    short = replace(SETUP, options=(("game_end", "rounds"), ("game_rounds", 1)))
    with Store(url) as store:
        first = store.import_log([short, ROUND], now=NOW)
        assert store.newest_sound() == first  # there is no other
        played = store.create(short, now=NOW)
        store.import_log([short, ROUND], now=NOW)
        store.import_log([SETUP, ROUND], now=NOW)
        assert store.newest_sound() == played
        store.append(played, ROUND, now=NOW)
        store.import_log([short, ROUND], now=NOW)
        assert store.newest_sound() == played
        to_go_on = store.import_log([SETUP, ROUND], now=NOW)
        assert store.newest_sound() == to_go_on


def test_a_migration_that_fails_changes_nothing(url: str) -> None:
    with Store(url) as store:
        store.create(SETUP, now=NOW)

    def fail(connection: Any) -> None:
        connection.execute(text("CREATE TABLE venues (name TEXT)"))
        connection.execute(text("SELECT nonsense FROM nowhere"))

    with pytest.raises(StoreError):
        Store(url, migrations=(*MIGRATIONS, fail))
    with Store(url) as store:
        assert store.count() == 1
    assert "venues" not in run_statement(url, "SELECT 1")


def _fill(store: Store, match: int) -> None:
    for _ in range(500):
        store.append(match, Disputed(about="x" * 500), now=NOW)


def test_a_full_disk_saves_nothing_and_loses_nothing(path: str) -> None:
    with Store(path) as store:
        match = store.create(SETUP, now=NOW)
        with store.database.read_transaction() as connection:
            pages = connection.execute(text("PRAGMA page_count")).scalar()
            connection.execute(text(f"PRAGMA max_page_count={pages}"))
        with pytest.raises(StoreError, match="disk is full"):
            _fill(store, match)
        log = store.log(match)
        assert log[0] == SETUP
        fold(log)
    with Store(path) as store:
        assert store.log(match) == log
        store.append(match, ROUND if len(log) == 1 else Undone(), now=NOW)


def test_a_disk_that_refuses_every_byte_is_told(path: str) -> None:
    """A disk that is full to the last block, so that no log can be started."""
    with Store(path) as store:
        match = store.create(SETUP, now=NOW)
    most = resource.getrlimit(resource.RLIMIT_FSIZE)[1]
    resource.setrlimit(resource.RLIMIT_FSIZE, (8000, most))
    try:
        with pytest.raises(StoreError, match="full, disconnected or broken"), Store(path) as store:
            store.append(match, ROUND, now=NOW)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))
    with Store(path) as store:
        assert store.log(match) == (SETUP,)


def test_a_second_writer_waits_and_is_told(url: str) -> None:
    with Store(url) as store:
        match = store.create(SETUP, now=NOW)
        with store.database.write_transaction():
            with (
                Store(url, lock_timeout_s=0.05) as second,
                pytest.raises(StoreError, match="Another program is writing"),
            ):
                second.append(match, ROUND, now=NOW)
            assert store.log(match) == (SETUP,)  # readers need not wait
        store.append(match, ROUND, now=NOW)


def test_two_writers_take_turns_and_lose_nothing(url: str) -> None:
    with Store(url) as one, Store(url) as two:
        match = one.create(SETUP, now=NOW)
        for _ in range(10):
            one.append(match, ROUND, now=NOW)
            two.append(match, ROUND, now=NOW)
        assert len(one.log(match)) == len(two.log(match)) == 21


@pytest.mark.parametrize(
    ("statement", "words"),
    [
        ("DELETE FROM events WHERE number = 1", "missing some events"),
        ("UPDATE events SET body = 'x' WHERE number = 1", "cannot be read"),
        ('UPDATE events SET body = \'{"type": "x"}\' WHERE number = 1', "cannot be read"),
    ],
)
def test_damage_is_told_in_one_sentence(url: str, statement: str, words: str) -> None:
    with Store(url) as store:
        match = store.create(SETUP, now=NOW)
        store.append(match, ROUND, now=NOW)
        store.append(match, ROUND, now=NOW)
    run_statement(url, statement)
    with Store(url) as store, pytest.raises(StoreError, match=words):
        store.append(match, ROUND, now=NOW)


@pytest.mark.parametrize(
    "url",
    [
        "",
        "sqlite://",
        "nonsense://x",
        "://",
        "postgresql+nothing://x/y",
        "postgresql://x:port/y",
        "mysql://x/y",
        "/no/such/folder/a.db",
    ],
)
def test_a_database_that_cannot_be_named_is_told(url: str) -> None:
    with pytest.raises(StoreError) as error:
        Store(url)
    assert str(error.value).endswith(".")
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("kind", ["cut", "overwritten"])
def test_a_damaged_file_is_told(path: str, kind: str) -> None:
    with Store(path) as store:
        store.create(SETUP, now=NOW)
    whole = Path(path).read_bytes()
    bad = whole[:5000] if kind == "cut" else whole[:4100] + b"A" * (len(whole) - 4100)
    Path(path).write_bytes(bad)
    with pytest.raises(StoreError, match="is damaged"):
        Store(path)


def test_a_url_names_a_database_too(tmp_path: Path) -> None:
    with Store(f"sqlite:///{tmp_path / 'a.db'}") as store:
        assert store.create(SETUP, now=NOW) == 1


def test_times_say_when_each_event_was_stored(tmp_path: Path) -> None:
    with Store(str(tmp_path / "m.db")) as store:
        number = store.create(
            MatchStarted(rules="nca", format=Format.TWO, players=("A", "B")), now="1"
        )
        store.append(number, RoundStarted(minutes=5), now="2")
        assert store.times(number) == ("1", "2")
        assert store.log(number)[1] == RoundStarted(minutes=5)


#: Bodies of an event that another program wrote without the store.
_DAMAGED_BODIES = {
    "surrogate": r"""'{"type": "disputed", "about": "\ud800"}'""",
    "wrong type": """'{"type": "disputed", "about": 7}'""",
    "cannot be": """'{"type": "round_scored", "points": [1, 2]}'""",
    "nested": f"'{'[' * 100_000}'",
    "no text": "'5'",
}


@pytest.mark.parametrize("body", _DAMAGED_BODIES.values(), ids=_DAMAGED_BODIES.keys())
def test_a_damaged_match_is_listed_as_such_and_harms_no_other(url: str, body: str) -> None:
    with Store(url) as store:
        first, second = store.create(SETUP, now=NOW), store.create(SETUP, now=NOW)
        store.append(second, ROUND, now=NOW)
        assert store.newest_sound() == second
    run_statement(url, f"UPDATE events SET body = {body} WHERE match_id = {second} AND number = 1")
    with Store(url) as store:
        sound, damaged = store.list_states()
        assert (sound.id, sound.summary, sound.damage) == (
            first,
            summarise_match([SETUP], fold([SETUP])),
            None,
        )
        assert damaged.summary is None
        assert f"Match {second}" in (damaged.damage or "")
        assert len(damaged.damage or "") < 400
        assert store.newest_sound() is None
        with pytest.raises(DamagedMatchError):
            store.append(second, ROUND, now=NOW)
        store.append(first, ROUND, now=NOW)


def test_bytes_that_are_no_text_harm_one_match_alone(path: str) -> None:
    with Store(path) as store:
        first, second = store.create(SETUP, now=NOW), store.create(SETUP, now=NOW)
    run_statement(path, f"UPDATE events SET body = CAST(x'ff' AS TEXT) WHERE match_id = {first}")
    run_statement(path, f"UPDATE matches SET created = CAST(x'ff' AS TEXT) WHERE id = {first}")
    with Store(path) as store:
        assert [state.damage is None for state in store.list_states()] == [False, True]
        assert [match.created for match in store.list_states()] == ["", NOW]
        assert store.log(second) == (SETUP,)


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE crokinole_schema SET version = 0",
        "UPDATE crokinole_schema SET version = -1",
        "DELETE FROM crokinole_schema",
        "INSERT INTO crokinole_schema VALUES (1)",
    ],
)
def test_a_version_that_was_never_written_is_told(url: str, statement: str) -> None:
    with Store(url) as store:
        store.create(SETUP, now=NOW)
    run_statement(url, statement)
    with pytest.raises(StoreError, match="is damaged"):
        Store(url)


def test_a_key_enters_once_and_a_refused_entry_leaves_its_key_unused(url: str) -> None:
    with Store(url) as store:
        match = store.create(SETUP, now=NOW)
        for _ in range(2):
            store.enter(match, lambda _log, _keys: ROUND, key="a", now=NOW)
        assert store.log(match) == (SETUP, ROUND)
        with pytest.raises(MatchError):
            store.enter(match, lambda _log, _keys: RoundScored(points=(1, 2)), key="b", now=NOW)
        assert (
            store.enter(
                match, lambda _log, keys: ROUND if keys == {"a": 1} else None, key="b", now=NOW
            )
            == ROUND
        )
        assert len(store.log(match)) == 3


def test_a_name_typed_in_other_capitals_or_accents_is_the_players_who_is_known(url: str) -> None:
    composed, decomposed = "Zo\u00eb", "Zoe\u0308"
    with Store(url) as store:
        for players in (("Zed", composed), ("zed", decomposed), ("ZED", "Ann")):
            store.create(replace(SETUP, players=players), now=NOW)
        assert PlayerStore(store.database).list_by_name() == [
            ("Ann", 1),
            ("Zed", 3),
            (composed, 2),
        ]
        assert [match.id for match in store.list_of("Zed")] == [1, 2, 3]


@pytest.mark.parametrize(
    ("words", "found"),
    [
        pytest.param("", ["Ann Lee", "Leo", "Zoë"], id="everybody"),
        pytest.param("LE", ["Ann Lee", "Leo"], id="a part, in other capitals"),
        pytest.param("zoe", ["Zoë"], id="without its accent"),
        pytest.param("lee an", ["Ann Lee"], id="every word, in any order"),
        pytest.param("bob", [], id="nobody"),
    ],
)
def test_players_are_found_by_parts_of_their_names(url: str, words: str, found: list[str]) -> None:
    with Store(url) as store:
        store.create(replace(SETUP, players=("Ann Lee", "Leo")), now=NOW)
        store.create(replace(SETUP, players=("Zoë", "Leo")), now=NOW)
        listed = PlayerStore(store.database).list_by_name(words)
    assert [name for name, _matches in listed] == found


def test_a_renamed_player_is_so_in_all_matches_and_practices(url: str) -> None:
    with Store(url) as store:
        number = store.create(replace(SETUP, players=("Anne", "Bob")), now=NOW)
        store.append(number, RoundScored(points=(60, 20), twenties=(1, 0)), now=NOW)
        other = store.create(replace(SETUP, players=("Ann", "Cid")), now=NOW)
        practices = PracticeStore(store.database)
        practices.create(PracticeStarted(player="Anne", drill=Drill.OPEN_TWENTIES), now=NOW)
        store.rename_player("Anne", "Ann")
        assert fold(store.log(number)).setup.players == ("Ann", "Bob")
        assert [match.id for match in store.list_of("Ann")] == [number, other]
        assert store.list_of("Ann")[0].summary.totals == fold(store.log(number)).totals
        assert store.search(["anne"], page=1, size=9).total == 0
        assert PlayerStore(store.database).list_by_name()[0] == ("Ann", 2)
        (practice,) = practices.list_of("Ann")
        assert practice.state.setup.player == "Ann"


def test_a_players_picture_is_replaced_removed_and_follows_the_name(url: str) -> None:
    with Store(url) as store:
        players = PlayerStore(store.database)
        store.create(replace(SETUP, players=("Anne", "Bob")), now=NOW)
        store.create(replace(SETUP, players=("Ann", "Cid")), now=NOW)
        for name, jpeg in (("Anne", b"old"), ("Anne", b"anne"), ("Bob", b"bob")):
            players.set_picture(name, jpeg)
        keys = players.find_pictures(("Anne", "Bob", "Cid"))
        assert [players.read_picture(keys[name]) for name in ("Anne", "Bob")] == [b"anne", b"bob"]
        store.rename_player("Anne", "Ann")
        assert players.find_pictures(("Anne", "Ann")) == {"Ann": keys["Anne"]}
        store.rename_player("Bob", "Cid")
        players.set_picture("Cid", b"cid")
        store.create(replace(SETUP, players=("Cyd", "Dee")), now=NOW)
        players.set_picture("Cyd", b"cyd")
        store.rename_player("Cyd", "Cid")  # who keeps the picture that was there
        cid = players.find_pictures(("Cyd", "Cid"))
        assert [players.read_picture(key) for key in cid.values()] == [b"cid"]
        assert players.read_picture(keys["Bob"]) is None
        players.set_picture("Cid", b"")
        assert players.find_pictures(("Cid",)) == {}


def test_players_who_met_are_two_people(url: str) -> None:
    with Store(url) as store:
        number = store.create(replace(SETUP, players=("Ann", "Bob")), now=NOW)
        with pytest.raises(MatchError):
            store.rename_player("Ann", "Bob")
        assert fold(store.log(number)).setup.players == ("Ann", "Bob")
        assert PlayerStore(store.database).has("Ann")
