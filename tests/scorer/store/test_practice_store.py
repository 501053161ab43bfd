"""Practices in a database: stored events are read back, completely or not at all."""

from __future__ import annotations

from pathlib import Path

import pytest
from sqlalchemy import update

from scorer.practice.events import Drill, Outcome, PracticeError, PracticeShot, PracticeStarted
from scorer.store import DamagedMatchError, Store, StoreError
from scorer.store.practice_store import PracticeStore
from scorer.store.schema import PRACTICE_EVENTS

NOW = "2026-11-20T19:00:00+00:00"
SETUP = PracticeStarted(player="Ann", drill=Drill.OPEN_TWENTIES)
MADE = PracticeShot(outcome=Outcome.TWENTY)


def test_a_practice_comes_back_as_it_was_stored(tmp_path: Path) -> None:
    with Store(str(tmp_path / "club.db")) as store:
        practices = PracticeStore(store.database)
        number = practices.create(SETUP, now=NOW)
        practices.append(number, MADE, now=NOW)
        practices.create(SETUP.model_copy(update={"player": "Bob"}), now=NOW)
    with Store(str(tmp_path / "club.db")) as store:
        (held,) = PracticeStore(store.database).list_of("Ann")
        assert held == PracticeStore(store.database).get(number)
    assert (held.created, held.events, held.state.successes) == (NOW, 2, 1)


def test_what_cannot_be_is_not_stored_and_a_stale_page_is_refused(tmp_path: Path) -> None:
    with Store(str(tmp_path / "club.db")) as store:
        practices = PracticeStore(store.database)
        number = practices.create(SETUP, now=NOW)
        with pytest.raises(PracticeError, match="not a possible result in this drill"):
            practices.append(number, PracticeShot(outcome=Outcome.OUT), now=NOW)
        practices.append(number, MADE, now=NOW, expected=1)
        with pytest.raises(PracticeError, match="in the meantime"):
            practices.append(number, MADE, now=NOW, expected=1)
        held = practices.get(number)
        assert held is not None
        assert held.events == 2
        assert practices.get(7) is None
        with pytest.raises(StoreError, match="no practice session 7"):
            practices.append(7, MADE, now=NOW)


def test_a_damaged_practice_harms_no_other(tmp_path: Path) -> None:
    with Store(str(tmp_path / "club.db")) as store:
        practices = PracticeStore(store.database)
        numbers = [practices.create(SETUP, now=NOW) for _ in range(2)]
        with store.database.write_transaction() as connection:
            damage = update(PRACTICE_EVENTS).values(body="{}")
            connection.execute(damage.where(PRACTICE_EVENTS.c.practice_id == numbers[0]))
        assert [row.id for row in practices.list_newest(9)] == numbers[1:]
        with pytest.raises(DamagedMatchError, match="Practice 1 cannot be read"):
            practices.get(numbers[0])
