"""Matches on a PostgreSQL server: its settings, and messages for people."""

from __future__ import annotations

import subprocess
import sys

import pytest
from match_database import NOW, ROUND, SERVER, SETUP, needs_server, run_statement
from paths import ROOT
from sqlalchemy import make_url, text

from scorer.match.fold import fold
from scorer.store import Store, StoreError


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
    with pytest.raises(StoreError, match=r"refused\). Start its server, or check") as error:
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
    run_statement(server, "CREATE TABLE recipes (name TEXT)")
    with pytest.raises(StoreError, match="another program"):
        Store(server)
    assert run_statement(server, "SELECT 1") == ["recipes"]


@needs_server
def test_the_servers_disk_is_waited_for_even_where_it_need_not_be(server: str) -> None:
    told = make_url(server)
    hasty = told.update_query_dict({"options": f"{told.query['options']} -csynchronous_commit=off"})
    with (
        Store(hasty.render_as_string(hide_password=False)) as store,
        store.database.write_transaction() as connection,
    ):
        assert connection.execute(text("SHOW synchronous_commit")).scalar() == "on"


@needs_server
def test_a_store_outlives_its_connections(server: str) -> None:
    with Store(server) as store:
        match = store.create(SETUP, now=NOW)
        with store.database.read_transaction() as connection:
            process = connection.execute(text("SELECT pg_backend_pid()")).scalar()
        run_statement(server, f"SELECT pg_terminate_backend({process}, 1000)")
        assert store.append(match, ROUND, now=NOW) == fold([SETUP, ROUND])


def _write_and_be_cut_off(store: Store, server: str) -> None:
    with store.database.write_transaction() as connection:
        process = connection.execute(text("SELECT pg_backend_pid()")).scalar()
        connection.execute(text("UPDATE matches SET created = 'x'"))
        run_statement(server, f"SELECT pg_terminate_backend({process}, 1000)")
        connection.execute(text("UPDATE matches SET created = 'y'"))


@needs_server
def test_a_connection_lost_within_a_write_is_told_and_saves_nothing(server: str) -> None:
    with Store(server) as store:
        match = store.create(SETUP, now=NOW)
        with pytest.raises(StoreError, match="was lost"):
            _write_and_be_cut_off(store, server)
        assert store.log(match) == (SETUP,)
        assert store.created(match) == NOW
