"""The database of matches: what it was told is saved is saved, whatever happens."""

from __future__ import annotations

import json
import os
import random
import signal
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from paths import ROOT
from sqlalchemy import create_engine, inspect, make_url, text

from scorer.match.events import (
    Disputed,
    MatchError,
    MatchStarted,
    RoundScored,
    RoundStarted,
    Ruled,
    Undone,
)
from scorer.match.exchange import (
    match_as_cmn,
    match_as_csv,
    match_as_json,
    match_from_csv,
    match_from_json,
)
from scorer.match.fold import fold
from scorer.rules.options import Format
from scorer.store import MIGRATIONS, Store, StoreError
from webapp.cli.main import main

NOW = "2026-01-02T03:04:05+00:00"
SETUP = MatchStarted(
    rules="cogitate",
    format=Format.TWO,
    players=("Ann", "Bob"),
    options=(("game_points", 10_000), ("formats", ("two", "teams"))),
)
ROUND = RoundScored(points=(60, 45), twenties=(1, 0))


#: Names a PostgreSQL database to test with; every test makes a schema of its own and drops it.
SERVER = os.environ.get("CROKINOLE_TEST_POSTGRES", "")
needs_server = pytest.mark.skipif(not SERVER, reason="CROKINOLE_TEST_POSTGRES names no server")


@pytest.fixture
def path(tmp_path: Path) -> str:
    return str(tmp_path / "matches.db")


@pytest.fixture
def server() -> Iterator[str]:
    """A URL of an empty schema on the PostgreSQL server."""
    schema = f"test_{uuid4().hex}"
    _do(SERVER, f"CREATE SCHEMA {schema}")
    named = make_url(SERVER).update_query_dict({"options": f"-csearch_path={schema}"})
    yield named.render_as_string(hide_password=False)
    _do(SERVER, f"DROP SCHEMA {schema} CASCADE")


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=needs_server)])
def url(request: pytest.FixtureRequest) -> str:
    """An empty database: a file, or a schema on the server."""
    told: str = request.getfixturevalue("path" if request.param == "sqlite" else "server")
    return told


def _do(url: str, statement: str) -> list[str]:
    """Run a statement behind the store's back; the names of the tables there afterwards."""
    told = make_url(url if "://" in url else f"sqlite:///{url}")
    if told.drivername == "postgresql":
        told = told.set(drivername="postgresql+psycopg")
    engine = create_engine(told)
    with engine.begin() as connection:
        connection.execute(text(statement))
        tables = inspect(connection).get_table_names()
    engine.dispose()
    return tables


def test_what_was_appended_is_read_back(url: str) -> None:
    with Store(url) as store:
        match = store.create(SETUP, now=NOW)
        state = store.append(match, ROUND, now=NOW)
        assert state == fold([SETUP, ROUND])
    with Store(url) as store:
        assert store.log(match) == (SETUP, ROUND)
        (listed,) = store.matches()
        assert (listed.id, listed.created, listed.events) == (match, NOW, 2)


def test_an_event_that_cannot_be_leaves_nothing_behind(url: str) -> None:
    with Store(url) as store:
        match = store.create(SETUP, now=NOW)
        with pytest.raises(MatchError, match="multiple of 5"):
            store.append(match, RoundScored(points=(1, 2)), now=NOW)
        assert store.log(match) == (SETUP,)
        with pytest.raises(MatchError):
            store.import_log([SETUP, RoundScored(points=(1, 2))], now=NOW)
        assert len(store.matches()) == 1


def test_the_disk_is_waited_for(path: str) -> None:
    with Store(path) as store, store._engine.connect() as connection:
        assert connection.execute(text("PRAGMA journal_mode")).scalar() == "wal"
        assert connection.execute(text("PRAGMA synchronous")).scalar() == 2  # FULL


def test_an_unknown_match_is_told(url: str) -> None:
    with Store(url) as store, pytest.raises(StoreError, match="no match 7"):
        store.log(7)


def test_a_file_that_is_no_database_is_left_as_it_was(path: str) -> None:
    Path(path).write_text("twenty!" * 200, "utf-8")
    with pytest.raises(StoreError, match="no crokinole database"):
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
    with pytest.raises(StoreError, match="newer crokinole"):
        Store(url)
    with Store(url, migrations=(*MIGRATIONS, lambda _: None)) as store:
        assert len(store.matches()) == 1


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


def test_a_migration_that_fails_changes_nothing(url: str) -> None:
    with Store(url) as store:
        store.create(SETUP, now=NOW)

    def fail(connection: Any) -> None:
        connection.execute(text("CREATE TABLE venues (name TEXT)"))
        connection.execute(text("SELECT nonsense FROM nowhere"))

    with pytest.raises(StoreError):
        Store(url, migrations=(*MIGRATIONS, fail))
    with Store(url) as store:
        assert len(store.matches()) == 1
    assert "venues" not in _do(url, "SELECT 1")


def _fill(store: Store, match: int) -> None:
    for _ in range(500):
        store.append(match, Disputed(about="x" * 500), now=NOW)


def test_a_full_disk_saves_nothing_and_loses_nothing(path: str) -> None:
    with Store(path) as store:
        match = store.create(SETUP, now=NOW)
        with store._engine.connect() as connection:
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


def test_a_second_writer_waits_and_is_told(url: str) -> None:
    with Store(url) as store:
        match = store.create(SETUP, now=NOW)
        with store._write_transaction():
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
        ("DELETE FROM events WHERE number = 1", "lost events"),
        ("UPDATE events SET body = 'x' WHERE number = 1", "cannot be read"),
        ('UPDATE events SET body = \'{"type": "x"}\' WHERE number = 1', "cannot be read"),
    ],
)
def test_damage_is_told_in_one_sentence(url: str, statement: str, words: str) -> None:
    with Store(url) as store:
        match = store.create(SETUP, now=NOW)
        store.append(match, ROUND, now=NOW)
        store.append(match, ROUND, now=NOW)
    _do(url, statement)
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


# Killed at any moment

_WRITES = 200
_KILLS = 6

_WRITER = """
import sys
from scorer.match.events import RoundScored
from scorer.store import Store
with Store(sys.argv[1]) as store:
    for _ in range(int(sys.argv[2])):
        store.append(1, RoundScored(points=(60, 45), twenties=(1, 0)), now="now")
        print(len(store.log(1)), flush=True)
"""


def _write_until_killed(path: str, writes: int, kill_after: int, delay_s: float) -> int:
    """The number of events that a writer acknowledged before it was killed, or was done.

    The delay, of up to a few writes, lets the kill fall anywhere inside a write.
    """
    with subprocess.Popen(
        [sys.executable, "-c", _WRITER, path, str(writes)],
        stdout=subprocess.PIPE,
        text=True,
        cwd=ROOT,
    ) as writer:
        assert writer.stdout is not None
        acknowledged = 0
        for line in writer.stdout:
            acknowledged = int(line) if line.endswith("\n") else acknowledged
            kill_after -= 1
            if kill_after == 0:
                threading.Event().wait(delay_s)
                os.kill(writer.pid, signal.SIGKILL)
    return acknowledged


def test_everything_acknowledged_survives_being_killed(url: str) -> None:
    """200 writes in all, by processes killed at random points; each finds all that was told."""
    chance = random.Random(20)
    with Store(url) as store:
        store.create(SETUP, now=NOW)
    events = 1
    for kill in range(_KILLS + 1):
        left = _WRITES + 1 - events
        is_last = kill == _KILLS
        after = 0 if is_last else chance.randint(1, max(1, left // 3))
        acknowledged = _write_until_killed(url, left, after, chance.uniform(0.0, 0.02))
        with Store(url) as store:
            log = store.log(1)
            assert len(log) >= acknowledged
            assert len(fold(log).rounds) == len(log) - 1
            events = len(log)
    assert events == _WRITES + 1
    if "://" not in url:
        with sqlite3.connect(url) as plain:
            assert plain.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        plain.close()


def test_processes_that_write_at_once_lose_nothing(url: str) -> None:
    with Store(url) as store:
        store.create(SETUP, now=NOW)
    command = [sys.executable, "-c", _WRITER, url, "25"]
    writers = [subprocess.Popen(command, stdout=subprocess.DEVNULL, cwd=ROOT) for _ in range(2)]
    assert [each.wait() for each in writers] == [0, 0]
    with Store(url) as store:
        assert len(fold(store.log(1)).rounds) == 50


_OPENER = """
import sys
from scorer.store import Store
with Store(sys.argv[1]) as store:
    print(len(store.matches()))
"""


def test_processes_that_open_an_empty_database_at_once_agree(url: str) -> None:
    command = [sys.executable, "-c", _OPENER, url]
    openers = [subprocess.Popen(command, stdout=subprocess.PIPE, cwd=ROOT) for _ in range(2)]
    assert [each.communicate()[0] for each in openers] == [b"0\n", b"0\n"]


# PostgreSQL


def test_a_missing_driver_is_told() -> None:
    program = (
        "import sys\nsys.modules['psycopg'] = None\n"  # Python's way to forbid an import
        "from webapp.cli.main import main\n"
        "raise SystemExit(main(['match', '--db', 'postgresql://localhost/x', 'list']))"
    )
    told = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        cwd=ROOT,
        check=False,
    )
    assert (told.returncode, told.stdout) == (1, "")
    assert "crokinole-referee[postgres]" in told.stderr
    assert len(told.stderr.strip().splitlines()) == 1


def test_a_server_that_is_not_there_is_told_without_the_password() -> None:
    pytest.importorskip("psycopg")
    with pytest.raises(StoreError, match=r"refused\); start its server, or check") as error:
        Store("postgresql://ann:sesame@127.0.0.1:1/matches")
    assert "sesame" not in str(error.value)
    assert "\n" not in str(error.value)


@needs_server
def test_a_database_that_the_server_does_not_have_is_told() -> None:
    named = make_url(SERVER).set(database="no_such_database")
    with pytest.raises(StoreError, match="no_such_database") as error:
        Store(named.render_as_string(hide_password=False))
    assert "\n" not in str(error.value)


@needs_server
def test_another_programs_tables_on_the_server_are_left_alone(server: str) -> None:
    _do(server, "CREATE TABLE recipes (name TEXT)")
    with pytest.raises(StoreError, match="another program"):
        Store(server)
    assert _do(server, "SELECT 1") == ["recipes"]


@needs_server
def test_the_servers_disk_is_waited_for_even_where_it_need_not_be(server: str) -> None:
    told = make_url(server)
    hasty = told.update_query_dict({"options": f"{told.query['options']} -csynchronous_commit=off"})
    with (
        Store(hasty.render_as_string(hide_password=False)) as store,
        store._write_transaction() as connection,
    ):
        assert connection.execute(text("SHOW synchronous_commit")).scalar() == "on"


@needs_server
def test_a_store_outlives_its_connections(server: str) -> None:
    with Store(server) as store:
        match = store.create(SETUP, now=NOW)
        with store._read_transaction() as connection:
            process = connection.execute(text("SELECT pg_backend_pid()")).scalar()
        _do(server, f"SELECT pg_terminate_backend({process}, 1000)")
        assert store.append(match, ROUND, now=NOW) == fold([SETUP, ROUND])


def _write_and_be_cut_off(store: Store, server: str) -> None:
    with store._write_transaction() as connection:
        process = connection.execute(text("SELECT pg_backend_pid()")).scalar()
        connection.execute(text("UPDATE matches SET created = 'x'"))
        _do(server, f"SELECT pg_terminate_backend({process}, 1000)")
        connection.execute(text("UPDATE matches SET created = 'y'"))


@needs_server
def test_a_connection_lost_within_a_write_is_told_and_saves_nothing(server: str) -> None:
    with Store(server) as store:
        match = store.create(SETUP, now=NOW)
        with pytest.raises(StoreError, match="was lost"):
            _write_and_be_cut_off(store, server)
        assert store.log(match) == (SETUP,)
        assert store.matches()[0].created == NOW


# Export and import

LOG = (
    SETUP,
    ROUND,
    Undone(),
    RoundScored(points=(30, 45), twenties=(0, 1)),
    Disputed(about="a line, “close”"),
    Ruled(dispute=1, decision="no"),
)


def test_json_holds_the_whole_log() -> None:
    assert match_from_json(match_as_json(LOG)) == LOG


def test_csv_holds_the_rounds() -> None:
    log = match_from_csv(match_as_csv(LOG))
    assert fold(log).rounds == fold(LOG).rounds
    assert fold(log).setup == fold(LOG).setup
    assert match_as_csv(log) == match_as_csv(LOG)


def test_csv_of_a_match_without_rounds_holds_its_setup() -> None:
    assert match_from_csv(match_as_csv(LOG[:1])) == LOG[:1]


@pytest.mark.parametrize(
    "content",
    [
        "",
        "{",
        "[]",
        '{"format": "chess"}',
        '{"format": "crokinole-match", "version": 9, "events": []}',
        '{"format": "crokinole-match", "version": 1, "events": 3}',
        '{"format": "crokinole-match", "version": 1, "events": []}',
        '{"format": "crokinole-match", "version": 1, "events": [{"type": "undone"}]}',
    ],
)
def test_json_that_holds_no_match_is_refused(content: str) -> None:
    with pytest.raises(MatchError):
        match_from_json(content)


@pytest.mark.parametrize("wrong", ["", "a,b\n1,2\n", "x", "cut", "text", "format"])
def test_csv_that_holds_no_match_is_refused(wrong: str) -> None:
    content = match_as_csv(LOG)
    if wrong == "cut":
        content = "\n".join(content.splitlines()[:2])
    elif wrong == "text":
        content = content.replace(",30,", ",thirty,")
    elif wrong == "format":
        content = content.replace(",two,", ",solo,")
    else:
        content = wrong
    with pytest.raises(MatchError):
        match_from_csv(content)


def finished(**options: Any) -> list[Any]:
    setup = MatchStarted(
        rules="nca",
        format=Format.TWO,
        players=("Ann", "Bob"),
        options=tuple({"round_score": "match-play", "match_points": 4, **options}.items()),
    )
    level = RoundScored(points=(20, 20), twenties=(0, 1))
    return [setup, ROUND, level, RoundScored(points=(15, 5), twenties=(0, 0))]


def test_match_notation_tells_scores_twenties_and_who_shot_first() -> None:
    told = json.loads(match_as_cmn(finished(), created=NOW, version="1"))
    match = told["match"]
    assert (told["cmn"], match["date"], match["format"]) == ("1.0", NOW[:-6] + "Z", "singles")
    assert match["teams"][1] == {"players": [{"name": "Bob"}]}
    assert match["gameFormat"] == {"type": "first_to", "target": 4}
    assert match["winner"] == 0
    assert match["games"] == [
        {"winner": 0, "hammer": 0, "scores": [60, 45], "twenties": [1, 0]},
        {"winner": None, "hammer": 1, "scores": [20, 20], "twenties": [0, 1]},
        {"winner": 0, "hammer": 0, "scores": [15, 5], "twenties": [0, 0]},
    ]


def test_match_notation_tells_how_long_a_match_was_to_be() -> None:
    log = finished(game_end="rounds", game_rounds=3)
    told = json.loads(match_as_cmn(log, created=NOW, version="1"))
    assert told["match"]["gameFormat"] == {"type": "fixed", "count": 3}


def test_match_notation_of_a_match_has_one_name_for_good() -> None:
    one, again = (match_as_cmn(finished(), created=NOW, version="1") for _ in range(2))
    assert one == again


@pytest.mark.parametrize(
    ("log", "words"),
    [
        (finished()[:2], "finished matches only"),
        (
            [MatchStarted(rules="nca", format=Format.THREE_SETS, players=("A", "B", "C"))],
            "singles and doubles only",
        ),
    ],
    ids=["not over", "three alone"],
)
def test_match_notation_refuses_what_it_has_no_words_for(log, words) -> None:
    with pytest.raises(MatchError, match=words):
        match_as_cmn(log, created=NOW, version="1")


# The command


def test_a_scorekeeper_keeps_a_match_without_a_camera(path: str, tmp_path, capsys) -> None:
    def match(*arguments: str) -> str:
        assert main(["match", "--db", path, *arguments]) == 0, capsys.readouterr().err
        return capsys.readouterr().out

    assert "No match yet" in match("list")
    assert "Match 1" in match("new", "Ann", "Bob", "--rules", "nca", "--option", "game_end=rounds")
    assert "Ann 15 · Bob 0" in match("add", "60", "45", "--twenties", "1", "0")
    match("add", "20", "20")
    assert "Ann 25" in match("add", "--correct", "1", "70", "45", "--twenties", "1", "0")
    assert "Ann 15" in match("undo")
    match("add", "--foul", "Ann", "one-cheek")
    shown = json.loads(match("show", "--json"))
    assert (shown["totals"], shown["twenties"], shown["is_over"]) == ([15, 0], [1, 0], False)
    assert "15 : 0" in match("list")
    assert json.loads(match("list", "--json"))[0]["sides"] == ["Ann", "Bob"]
    for name, flags in (("m.json", []), ("m.csv", ["--csv"])):
        (tmp_path / name).write_text(match("export", *flags), "utf-8")
        assert "taken in" in match("import", str(tmp_path / name))
        assert json.loads(match("show", "--json"))["totals"] == [15, 0]
    match("add", "20", "50", "--match", "1")
    match("add", "--match", "1", "--dispute", "touches the line")
    ruled = match("add", "--match", "1", "--ruling", "1", "it does")
    assert "dispute 1: touches the line: it does" in ruled
    shown = json.loads(match("show", "--match", "1", "--json"))
    assert [each["source"] for each in shown["rounds"]] == ["hand"] * 3
    assert shown["disputes"] == [{"about": "touches the line", "decision": "it does"}]
    assert shown["fouls"] == [{"player": "Ann", "foul": "one-cheek"}]
    assert "Bob won." in match("add", "5", "20", "--match", "1")
    notation = json.loads(match("export", "--cmn", "--match", "1"))
    assert notation["match"]["winner"] == 1
    assert notation["match"]["date"].endswith("Z")


def test_a_tie_is_decided_by_a_shootout(path: str, capsys) -> None:
    run = ["match", "--db", path]
    options = ["--option", "game_end=rounds", "--option", "game_rounds=1"]
    assert main([*run, "new", "Ann", "Bob", *options, "--starter", "Bob"]) == 0
    assert main([*run, "add", "20", "20"]) == 0
    assert "shoot-out" in capsys.readouterr().out
    assert main([*run, "add", "--shootout", "3", "5"]) == 0
    assert "Bob won." in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["show"], "No match yet"),
        (["show", "--match", "3"], "no match 3"),
        (["new", "Ann"], "2 players"),
        (["new", "Ann", "Bob", "--option", "contact"], "NAME=VALUE"),
        (["new", "Ann", "Bob", "--option", "contakt=x"], "did you mean contact"),
        (["new", "Ann", "Bob", "--starter", "Cid"], "does not play"),
        (["import", "nowhere.json"], "cannot be read"),
    ],
    ids=str,
)
def test_what_cannot_be_is_told_in_one_sentence(arguments, words, path, capsys) -> None:
    assert main(["match", "--db", path, *arguments]) == 1
    out, err = capsys.readouterr()
    assert (out, len(err.strip().splitlines())) == ("", 1)
    assert words in err


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["add"], "points"),
        (["add", "60"], "for each side"),
        (["add", "-5", "0"], "negative"),
        (["add", "61", "0"], "multiple of 5"),
        (["add", "300", "0"], "add up"),
        (["add", "--foul", "Ann", "sneezing"], "no foul sneezing"),
        (["add", "--starter", "Cid"], "does not play"),
        (["add", "--ruling", "one", "so"], "no dispute's number"),
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


def test_times_say_when_each_event_was_stored(tmp_path: Path) -> None:
    with Store(str(tmp_path / "m.db")) as store:
        number = store.create(
            MatchStarted(rules="nca", format=Format.TWO, players=("A", "B")), now="1"
        )
        store.append(number, RoundStarted(minutes=5), now="2")
        assert store.times(number) == ("1", "2")
        assert store.log(number)[1] == RoundStarted(minutes=5)
