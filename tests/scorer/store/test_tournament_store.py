"""Tournaments in a database: stored events are read back, completely or not at all."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from played_tournaments import play_round, started, with_stage
from sqlalchemy import update

from scorer.store import Store, StoreError
from scorer.store.schema import TOURNAMENT_EVENTS
from scorer.store.tournament_store import TournamentStore
from scorer.tournament.events import EntryAdded, StageKind, TournamentError, TournamentUndone
from scorer.tournament.fold import fold

NOW = "2026-11-20T19:00:00+00:00"


def test_a_tournament_comes_back_as_it_was_stored(tmp_path: Path) -> None:
    log = play_round(
        with_stage(started(6), StageKind.SWISS, range(6), rounds=2), 0, random.Random(4)
    )
    with Store(str(tmp_path / "club.db")) as store:
        number = TournamentStore(store.database).create(log[0], now=NOW)
        TournamentStore(store.database).append(number, lambda _: log[1:], now=NOW)
    with Store(str(tmp_path / "club.db")) as store:
        stored = TournamentStore(store.database).read(number)
    assert stored.log == log
    assert stored.state == fold(log)
    assert stored.recorded == (NOW,) * len(log)


def test_what_cannot_be_is_not_stored_and_a_stale_page_is_refused(tmp_path: Path) -> None:
    with Store(str(tmp_path / "club.db")) as store:
        tournaments = TournamentStore(store.database)
        number = tournaments.create(started(0)[0], now=NOW)
        twice = [EntryAdded(players=("Ann",)), EntryAdded(players=("ann",))]
        with pytest.raises(TournamentError, match="has already entered"):
            tournaments.append(number, lambda _: twice, now=NOW)
        assert tournaments.read(number).events == 1
        tournaments.append(number, lambda _: twice[:1], now=NOW, expected=1)
        with pytest.raises(TournamentError, match="Someone else"):
            tournaments.append(number, lambda _: [TournamentUndone()], now=NOW, expected=1)
        with pytest.raises(StoreError, match="no tournament 7"):
            tournaments.read(7)


def test_a_damaged_tournament_harms_no_other(tmp_path: Path) -> None:
    with Store(str(tmp_path / "club.db")) as store:
        tournaments = TournamentStore(store.database)
        for _ in range(2):
            tournaments.create(started(0)[0], now=NOW)
        with store.database.write_transaction() as connection:
            damage = update(TOURNAMENT_EVENTS).values(body="{}")
            connection.execute(damage.where(TOURNAMENT_EVENTS.c.tournament_id == 1))
        first, second = tournaments.list_tournaments()
    assert first.damage is not None
    assert "cannot be read" in first.damage
    assert second.state is not None
