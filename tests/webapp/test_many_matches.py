"""A server with years of matches: lists come page by page, from summaries stored with the logs.

`make many` measures their times; this test counts what is read and folded.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from flask.testing import FlaskClient
from many_matches import fill_with_matches, fill_with_practices
from match_database import NOW, ROUND, SETUP, run_statement, take_back_to_1_2

from scorer.match.events import Undone
from scorer.store import Store, match_store
from scorer.store.event_log import EventLog
from scorer.store.player_store import PlayerStore
from scorer.store.practice_store import PracticeStore
from webapp.config import Config
from webapp.factory import close_app, create_app

MATCHES = 260


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = str(tmp_path_factory.mktemp("many") / "m.db")
    with Store(path) as store:
        names = fill_with_matches(store, MATCHES)
        fill_with_practices(store, 60, names)
    return path


@pytest.fixture(scope="module")
def client(database: str) -> Iterator[FlaskClient]:
    app = create_app(Config(database=database))
    yield app.test_client()
    close_app(app)


def follow(client: FlaskClient, address: str | None, rows: str) -> Iterator[list[Any]]:
    while address is not None:
        answer = client.get(address).json
        yield answer[rows]
        address = answer["next"]


def test_all_matches_come_in_pages_that_lead_on_the_oldest_first(client: FlaskClient) -> None:
    pages = list(follow(client, "/api/v1/matches", "matches"))
    assert [len(page) for page in pages] == [100, 100, 60]
    assert [row["id"] for page in pages for row in page] == list(range(1, MATCHES + 1))
    first = client.get("/api/v1/matches").json
    assert (first["page"], first["pages"], first["total"]) == (1, 3, MATCHES)
    assert client.get(f"/api/v1/matches?after={MATCHES}").json["matches"] == []


def test_a_search_comes_in_pages_that_lead_on_the_newest_first(client: FlaskClient) -> None:
    pages = list(follow(client, "/api/v1/matches?q=player", "matches"))
    assert [len(page) for page in pages] == [25] * 10 + [10]
    assert [row["id"] for page in pages for row in page] == list(range(MATCHES, 0, -1))
    found = client.get("/api/v1/matches?q=2020-01-02").json
    assert found["total"] == 72
    assert client.get("/api/v1/matches?q=25_").json["total"] == 0


def test_practices_come_in_pages_where_none_is_named(client: FlaskClient) -> None:
    pages = list(follow(client, "/api/v1/practices", "practices"))
    assert [len(page) for page in pages] == [25, 25, 10]
    assert [row["id"] for page in pages for row in page] == list(range(60, 0, -1))


@pytest.mark.parametrize(
    "address",
    [
        "/matches",
        "/matches?page=5",
        "/matches?q=player+01",
        "/practice",
        "/players",
        "/player?name=Player+0007",
        "/api/v1/matches",
        "/api/v1/matches?page=3",
        "/healthz",
    ],
)
def test_no_list_folds_a_match(
    client: FlaskClient, address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    folded = []

    def count(log: Any) -> Any:
        folded.append(len(log))
        return match_store_fold(log)

    def count_parsed(events: EventLog[Any, Any], number: int, bodies: dict[int, str]) -> Any:
        folded.append(len(bodies) if events.kind == "Match" else 0)
        return parse(events, number, bodies)

    match_store_fold, parse = match_store.fold, EventLog.parse
    monkeypatch.setattr(match_store, "fold", count)
    monkeypatch.setattr(EventLog, "parse", count_parsed)
    assert client.get(address).status_code == 200
    # `recent_setups` checks that a setup alone can be played.
    assert [events for events in folded if events > 1] == []


def test_what_is_kept_beside_a_log_is_shown_for_that_log_alone(tmp_path: Path) -> None:
    path = str(tmp_path / "m.db")
    with Store(path) as store:
        number = store.create(SETUP, now=NOW)
        store.append(number, ROUND, now=NOW)
        assert [row.summary.totals for row in store.list_after(0, 9) if row.summary] == [(15, 0)]
        store.append(number, Undone(), now=NOW)
        assert [row.summary.totals for row in store.list_after(0, 9) if row.summary] == [(0, 0)]
        run_statement(path, "DELETE FROM events WHERE number = 2")  # as none of our programs does
        assert [row.summary.totals for row in store.list_after(0, 9) if row.summary] == [(15, 0)]
        run_statement(path, "UPDATE events SET body = '{}' WHERE number = 1")
        (listed,) = store.list_after(0, 9)
        assert listed.summary is None
        assert "Match 1 cannot be read" in (listed.damage or "")
        run_statement(path, "UPDATE match_summaries SET body = '[]'")
        assert "Match 1 cannot be read" in (store.list_after(0, 9)[0].damage or "")


def test_an_older_database_is_brought_over_row_for_row(tmp_path: Path) -> None:
    path = str(tmp_path / "old.db")
    with Store(path) as store:
        names = fill_with_matches(store, 120, players=20)
        fill_with_practices(store, 30, names)
        before = describe(store)
    take_back_to_1_2(path)
    run_statement(path, "UPDATE matches SET came = NULL")
    run_statement(path, "UPDATE events SET body = 'x' WHERE match_id = 9 AND number = 0")
    with Store(path) as store:
        after = describe(store)
        assert after["listed"][8].damage
        damaged = before["listed"][8].summary
        assert damaged is not None
        assert [row for row in after["listed"] if row.id != 9] == [
            row for row in before["listed"] if row.id != 9
        ]
        lost = dict.fromkeys(damaged.players, 1)
        assert after["players"] == [
            (name, count - lost.get(name, 0)) for name, count in before["players"]
        ]
        assert after["practices"] == before["practices"]
        assert store.newest_sound(1) == 120


def describe(store: Store) -> dict[str, Any]:
    practices = PracticeStore(store.database)
    return {
        "listed": store.list_after(0, 1000),
        "players": PlayerStore(store.database).list_by_name(),
        "practices": practices.list_newest(1000, player="Player 0003"),
    }
