"""Event streams once all places are taken: addresses share them, and the scorer always watches."""

from __future__ import annotations

import asyncio
import contextlib
import http.client
from collections import Counter
from pathlib import Path

import pytest
from served_thread import serve_in_thread

from webapp import server
from webapp.config import Config
from webapp.http.stream_places import StreamPlaces


def counts(places: StreamPlaces) -> dict[str, int]:
    return Counter(place.sender for place in places._places)


def test_one_address_may_have_all_while_nobody_else_watches() -> None:
    places = StreamPlaces(5)
    taken = [places.take("router", asyncio.Event()) for _ in range(6)]
    assert [place is not None for place in taken] == [True] * 5 + [False]


def test_who_has_most_makes_room_and_those_who_were_there_first_stay() -> None:
    places = StreamPlaces(6)
    first = places.take("ann", asyncio.Event())
    flood = [places.take("flood", asyncio.Event()) for _ in range(5)]
    late = [places.take("bob", asyncio.Event()) for _ in range(3)]
    assert [place is not None for place in late] == [True, True, False]
    assert counts(places) == {"ann": 1, "flood": 3, "bob": 2}
    assert first is not None
    assert not first.is_lost
    assert [place is not None and place.is_lost for place in flood] == [False] * 3 + [True] * 2
    assert places.take("flood", asyncio.Event()) is None
    places.leave(first)
    places.leave(first)  # twice counts as once
    assert places.take("flood", asyncio.Event()) is not None
    assert counts(places) == {"flood": 4, "bob": 2}


def test_a_flood_of_streams_keeps_neither_another_spectator_nor_the_scorer_from_watching(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server, "MAX_STREAMS", 20)

    def watch(address: str, token: str = "") -> int:
        asked = http.client.HTTPConnection(
            "127.0.0.1", port, timeout=30, source_address=(address, 0)
        )
        held.callback(asked.close)
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        asked.request("GET", "/events", headers=headers)
        answer = asked.getresponse()
        held.callback(answer.close)
        assert answer.status != 200 or answer.readline() == b"retry: 1000\n"
        return answer.status

    config = Config(database=str(tmp_path / "m.db"), port=0)
    with serve_in_thread(config) as running, contextlib.ExitStack() as held:
        port = int(running.address.rpartition(":")[2])
        assert [watch("127.0.0.9") for _ in range(21)] == [200] * 20 + [503]
        assert watch("127.0.0.10") == 200
        assert watch("127.0.0.9", running.token) == 200
        assert watch("127.0.0.9") == 503
