"""Unfinished uploads: a sender that sends too much loses its own, never another's or the
scorer's.
"""

from __future__ import annotations

import asyncio
import contextlib
import http.client
import json
import socket
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from served_thread import serve_in_thread

from webapp.config import Config
from webapp.http import held_bodies
from webapp.http.held_bodies import BodyRefusedError, HeldBodies, HeldBody


def run(play: Callable[[HeldBodies], Awaitable[Any]]) -> Any:
    bodies = HeldBodies(100)
    return asyncio.run(play(bodies))  # type: ignore[arg-type]


async def send(bodies: HeldBodies, sender: str, size: int, *, is_whole: bool = True) -> HeldBody:
    pieces = iter([{"type": "http.request", "body": b"x" * size, "more_body": not is_whole}])

    async def receive() -> Any:
        for piece in pieces:
            return piece
        return await asyncio.Event().wait()

    return await bodies.read(receive, sender, 0)


async def begin(bodies: HeldBodies, sender: str, size: int) -> asyncio.Future[HeldBody]:
    """An upload that does not end."""
    begun = asyncio.ensure_future(send(bodies, sender, size, is_whole=False))
    await asyncio.sleep(0.01)
    return begun


def refused(error: BaseException | None) -> int | None:
    return error.status if isinstance(error, BodyRefusedError) else None


def test_a_sender_s_share_is_its_own() -> None:
    async def play(bodies: HeldBodies) -> None:
        begun = [await begin(bodies, "flood", 70) for _ in range(3)]
        assert [refused(task.exception()) for task in begun if task.done()] == [503]
        assert len((await send(bodies, "ann", 100)).content) == 100
        for task in begun:
            task.cancel()
        await asyncio.gather(*begun, return_exceptions=True)
        assert len((await send(bodies, "flood", 100)).content) == 100  # its share is free again

    run(play)


def test_who_holds_most_makes_room_for_who_sends_little() -> None:
    async def play(bodies: HeldBodies) -> None:
        first, second = await begin(bodies, "flood", 100), await begin(bodies, "flood", 100)
        slow = [await begin(bodies, f"phone {k}", 99) for k in range(6)]
        assert len((await send(bodies, "ann", 30)).content) == 30
        await asyncio.sleep(0.01)
        assert [task.done() for task in (first, second, *slow)] == [True, *[False] * 7]
        assert refused(first.exception()) == 503
        for task in (second, *slow):
            task.cancel()

    run(play)


def test_a_whole_body_that_is_being_answered_is_never_dropped() -> None:
    async def play(bodies: HeldBodies) -> None:
        held = [await send(bodies, f"phone {k}", 100) for k in range(8)]
        with pytest.raises(BodyRefusedError):
            await send(bodies, "ann", 10)
        bodies.release(held[0])
        bodies.release(held[0])  # twice counts as once
        assert len((await send(bodies, "ann", 100)).content) == 100

    run(play)


def test_large_bodies_hold_no_more_together_than_before_they_were_allowed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(held_bodies, "MOST_BYTES", 250)

    async def play(bodies: HeldBodies) -> None:
        held = [await send(bodies, f"phone {k}", 100) for k in range(2)]
        with pytest.raises(BodyRefusedError) as refusal:
            await send(bodies, "phone 0", 10)  # its share is one body
        assert refusal.value.status == 503
        with pytest.raises(BodyRefusedError):
            await send(bodies, "ann", 60)
        assert len((await send(bodies, "ann", 50)).content) == 50
        bodies.release(held[0])
        assert len((await send(bodies, "phone 0", 100)).content) == 100

    run(play)


def test_a_body_that_is_too_large_too_slow_or_broken_off_is_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(held_bodies, "BODY_S", 0.05)

    async def break_off() -> Any:
        return {"type": "http.disconnect"}

    async def play(bodies: HeldBodies) -> list[int]:
        statuses = []
        for attempt in (
            send(bodies, "ann", 101),
            bodies.read(break_off, "ann", 101),
            bodies.read(break_off, "ann", 0),
            send(bodies, "ann", 10, is_whole=False),
        ):
            with pytest.raises(BodyRefusedError) as refusal:
                await attempt
            statuses.append(refusal.value.status)
        return statuses

    assert run(play) == [413, 413, 400, 408]


def test_a_scorer_enters_while_spectators_hold_all_that_they_may(tmp_path: Path) -> None:
    config = Config(database=str(tmp_path / "m.db"), port=0, upload_bytes=256 * 1024)
    with serve_in_thread(config) as running, contextlib.ExitStack() as held:
        port = int(running.address.rpartition(":")[2])
        head = b"POST /score HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 262144\r\n\r\n"
        for k in range(16):
            opened = socket.socket()
            held.callback(opened.close)
            opened.bind((f"127.0.0.{10 + k}", 0))
            opened.connect(("127.0.0.1", port))
            opened.sendall(head + b"x" * 262143)
        asked = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
        held.callback(asked.close)
        setup = json.dumps({"rules": "nca", "players": ["Ann", "Bob"], "colours": ["red", "black"]})
        headers = {"Authorization": f"Bearer {running.token}", "Content-Type": "application/json"}
        asked.request("POST", "/api/v1/matches", setup, headers)
        assert asked.getresponse().status == 201
