"""Cameras and their leases: one worker at a time, and the next one when it is gone."""

from __future__ import annotations

from collections.abc import Iterator
from threading import Event
from time import monotonic

import pytest

from scorer.store import Store
from scorer.store.camera_store import LEASE_S, CameraLeases, CameraStore
from scorer.store.message_store import KEPT, MessageStore


@pytest.fixture
def store(url: str) -> Iterator[Store]:
    with Store(url) as opened:
        yield opened


class Clock:
    """A clock that moves only when it is set."""

    now_s = 0.0

    def __call__(self) -> float:
        return self.now_s


def _lease(store: Store, worker: str, clock: Clock) -> CameraLeases:
    return CameraLeases(store.database, worker, clock)


def test_one_worker_has_a_camera_while_it_counts_on(store: Store) -> None:
    cameras, clock = CameraStore(store.database), Clock()
    cameras.watch(3, "rtsp://camera/3")
    first, second = _lease(store, "first", clock), _lease(store, "second", clock)
    assert first.take(cameras.list_cameras()[0])
    for _ in range(4):
        assert not second.take(cameras.list_cameras()[0])
        clock.now_s += LEASE_S / 2
        assert first.beat() == {3}
    assert second.beat() == frozenset()


def test_a_camera_whose_worker_is_gone_is_taken_over_and_not_given_back(store: Store) -> None:
    cameras, clock = CameraStore(store.database), Clock()
    cameras.watch(3, "rtsp://camera/3")
    first, second = _lease(store, "first", clock), _lease(store, "second", clock)
    assert first.take(cameras.list_cameras()[0])
    second.take(cameras.list_cameras()[0])
    clock.now_s += LEASE_S
    taken = cameras.list_cameras()[0]
    assert taken.worker == "first"
    assert second.take(taken)
    assert first.beat() == frozenset()
    assert not first.take(taken)
    assert second.beat() == {3}


def test_two_that_see_the_same_free_camera_do_not_both_get_it(store: Store) -> None:
    cameras, clock = CameraStore(store.database), Clock()
    cameras.watch(1, "0")
    seen = cameras.list_cameras()[0]
    workers = [_lease(store, name, clock) for name in ("first", "second")]
    assert [worker.take(seen) for worker in workers] == [True, False]
    workers[0].release(1)
    assert workers[1].take(cameras.list_cameras()[0])


def test_a_camera_chosen_anew_is_another_revision(store: Store) -> None:
    cameras = CameraStore(store.database)
    cameras.watch(2, "0")
    cameras.watch(2, "1", "club.json")
    chosen = cameras.get(2)
    assert chosen is not None
    assert (chosen.source, chosen.profile, chosen.revision) == ("1", "club.json", 2)
    cameras.stop(2, revision=1)
    assert cameras.get(2) == chosen
    cameras.stop(2)
    assert cameras.get(2) is None


def test_messages_come_in_order_and_only_the_newest_stay(store: Store) -> None:
    messages = MessageStore(store.database)
    assert messages.find_newest() == 0
    messages.send(1, {"kind": "live", "names": ["Zoë"]})
    messages.send(2, {"kind": "match"})
    first, second = messages.read_after(0)
    assert (first.board, first.content) == (1, {"kind": "live", "names": ["Zoë"]})
    assert messages.read_after(first.number) == (second,)
    assert messages.find_newest() == second.number


def test_old_messages_go(path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("scorer.store.message_store.KEPT", 5)
    with Store(path) as store:
        messages = MessageStore(store.database)
        for number in range(100):
            messages.send(1, {"number": number})
        assert [message.content["number"] for message in messages.read_after(0)] == list(
            range(95, 100)
        )
    assert KEPT > 100


def test_who_waits_is_woken_by_a_message(store: Store, url: str) -> None:
    messages, stop = MessageStore(store.database), Event()
    messages.wait(0.1, stop)  # from now on it listens
    with Store(url) as other:
        MessageStore(other.database).send(1, {})
    begun_s = monotonic()
    messages.wait(60.0, stop)
    assert monotonic() - begun_s < 50.0
    assert len(messages.read_after(0)) == 1
    messages.close()
