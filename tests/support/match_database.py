"""Shared by tests of the store: a match, a time, a server, and SQL that bypasses the store."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from uuid import uuid4

import pytest
from sqlalchemy import create_engine, inspect, make_url, text

from scorer.match.events import MatchStarted, RoundScored
from scorer.rules.choices import Format

NOW = "2026-01-02T03:04:05+00:00"
SETUP = MatchStarted(
    rules="cogitate",
    format=Format.TWO,
    players=("Ann", "Bob"),
    options=(("game_points", 10_000), ("formats", ("two", "teams"))),
)
ROUND = RoundScored(points=(60, 45), twenties=(1, 0))


#: The PostgreSQL database for tests; every test creates its own schema and drops it afterwards.
SERVER = os.environ.get("CROKINOLE_TEST_POSTGRES", "")
needs_server = pytest.mark.skipif(not SERVER, reason="CROKINOLE_TEST_POSTGRES names no server")


def run_statement(url: str, statement: str) -> list[str]:
    """Run a statement without the store; returns the names of the tables afterwards."""
    told = make_url(url if "://" in url else f"sqlite:///{url}")
    if told.drivername == "postgresql":
        told = told.set(drivername="postgresql+psycopg")
    engine = create_engine(told)
    with engine.begin() as connection:
        connection.execute(text(statement))
        tables = inspect(connection).get_table_names()
    engine.dispose()
    return tables


@contextmanager
def make_schema() -> Iterator[str]:
    """The URL of an empty schema on the server, which is dropped afterwards."""
    schema = f"test_{uuid4().hex}"
    run_statement(SERVER, f"CREATE SCHEMA {schema}")
    named = make_url(SERVER).update_query_dict({"options": f"-csearch_path={schema}"})
    yield named.render_as_string(hide_password=False)
    run_statement(SERVER, f"DROP SCHEMA {schema} CASCADE")


#: The additions since 1.2.0, with the SQL that removes them.
_ADDED = (
    "DROP TABLE player_pictures",
    "DROP INDEX ix_practice_events_key",
    "ALTER TABLE practice_events DROP COLUMN key",
    "DROP INDEX ix_event_keys_key",
    "DROP TABLE match_summaries",
    "DROP TABLE match_players",
    "DROP TABLE players",
    "DROP INDEX ix_matches_came",
    "DROP INDEX ix_matches_board_came",
    "DROP INDEX ix_practices_player",
    "ALTER TABLE matches DROP COLUMN words",
    "ALTER TABLE practices DROP COLUMN player",
    "UPDATE crokinole_schema SET version = 10",
)


#: The additions from the first version to 1.2.0, with the SQL that removes them.
_ADDED_EARLIER = (
    "ALTER TABLE cameras DROP COLUMN beside",
    "DROP TABLE camera_pictures",
    "ALTER TABLE matches DROP COLUMN came",
    "DROP TABLE counted_practices",
    "DROP TABLE cameras",
    "DROP TABLE board_messages",
    "DROP TABLE boards",
    "DROP INDEX ix_matches_board",
    "ALTER TABLE matches DROP COLUMN board",
    "DROP TABLE practice_events",
    "DROP TABLE practices",
    "UPDATE crokinole_schema SET version = 3",
)


def take_back_to_1_2(url: str) -> None:
    """Turn a database into one that version 1.2.0 of the program wrote."""
    for statement in _ADDED:
        run_statement(url, statement)


def take_back_before_boards(url: str) -> None:
    """Turn a database into one from before boards, cameras and practices."""
    take_back_to_1_2(url)
    for statement in _ADDED_EARLIER:
        run_statement(url, statement)
