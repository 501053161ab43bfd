"""A flood delays only requests of its own kind, and senders take turns."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from flask import Flask, request

from webapp.http.asgi import AsgiApp
from webapp.http.event_broker import EventBroker
from webapp.http.lanes import Lane, LaneFullError, LaneName, answer_in

SCORER = (b"authorization", b"Bearer scorer")


class Channels:
    """One board's stream."""

    def __init__(self) -> None:
        self.broker = EventBroker()

    def find_broker(self, wanted: str) -> EventBroker | None:
        return None if wanted else self.broker


class Site:
    """Pages of every lane; the long and the usual ones take as long as the test requests."""

    def __init__(self) -> None:
        self.free, self.answered = threading.Event(), []
        app = Flask("site")

        @app.get("/healthz")
        @answer_in(LaneName.HEALTH)
        def health() -> str:
            return "well"

        @app.get("/long/<number>")
        @answer_in(LaneName.LONG)
        def take_long(number: str) -> str:
            return self._wait(number)

        @app.get("/page/<number>")
        def show(number: str) -> str:
            return self._wait(number)

        @app.post("/entry")
        def enter() -> str:
            return f"{len(request.get_data())} bytes"

        self.asgi = AsgiApp(
            app,
            Channels(),
            upload_bytes=1000,
            comes_from_scorer=lambda scope: SCORER in scope["headers"],
        )

    def _wait(self, number: str) -> str:
        assert self.free.wait(30)
        self.answered.append(number)
        return "shown"

    async def ask(
        self,
        path: str,
        *,
        sender: str = "10.0.0.1",
        is_scorer: bool = False,
        body: bytes | None = None,
        gone: asyncio.Event | None = None,
    ) -> int | None:
        """The status of the answer; None if there is none."""
        scope = {
            "type": "http",
            "http_version": "1.1",
            "method": "GET" if body is None else "POST",
            "path": path,
            "query_string": b"",
            "headers": [(b"host", b"localhost"), *([SCORER] if is_scorer else [])],
            "client": (sender, 1),
            "server": ("localhost", 80),
        }
        sent = iter([{"type": "http.request", "body": body or b"", "more_body": False}])
        statuses = []

        async def receive() -> Any:
            for message in sent:
                return message
            await (gone or asyncio.Event()).wait()
            return {"type": "http.disconnect"}

        async def send(message: Any) -> None:
            if message["type"] == "http.response.start":
                statuses.append(message["status"])

        await self.asgi(scope, receive, send)
        return statuses[0] if statuses else None


@contextmanager
def opened(site: Site) -> Iterator[None]:
    try:
        yield
    finally:
        site.free.set()


@pytest.mark.parametrize("page", ["/long", "/page"])
def test_health_and_the_scorer_are_answered_while_others_fill_every_other_lane(page: str) -> None:
    async def play(site: Site) -> list[int | None]:
        flood = [asyncio.ensure_future(site.ask(f"{page}/{k}")) for k in range(50)]
        await asyncio.sleep(0.05)
        answers = [
            await asyncio.wait_for(site.ask("/healthz"), 20),
            await asyncio.wait_for(site.ask("/entry", body=b"60", is_scorer=True), 20),
        ]
        site.free.set()
        return answers + await asyncio.gather(*flood)

    site = Site()
    with opened(site):
        assert asyncio.run(play(site)) == [200] * 52


def test_long_pages_keep_no_usual_page_waiting() -> None:
    async def play(site: Site) -> int | None:
        flood = [asyncio.ensure_future(site.ask(f"/long/{k}")) for k in range(50)]
        await asyncio.sleep(0.05)
        answer = await asyncio.wait_for(site.ask("/entry", body=b"x"), 20)
        site.free.set()
        await asyncio.gather(*flood)
        return answer

    site = Site()
    with opened(site):
        assert asyncio.run(play(site)) == 200


def test_a_request_whose_sender_has_gone_before_its_turn_is_given_up() -> None:
    async def play(site: Site) -> list[int | None]:
        gone = asyncio.Event()
        first = [asyncio.ensure_future(site.ask(f"/long/{k}")) for k in range(2)]
        await asyncio.sleep(0.05)
        given_up = [asyncio.ensure_future(site.ask(f"/long/x{k}", gone=gone)) for k in range(20)]
        stays = asyncio.ensure_future(site.ask("/long/stays"))
        await asyncio.sleep(0.05)
        gone.set()
        left = await asyncio.gather(*given_up)
        site.free.set()
        assert await asyncio.gather(*first, stays) == [200] * 3
        return left

    site = Site()
    with opened(site):
        assert asyncio.run(play(site)) == [None] * 20
        assert sorted(site.answered) == ["0", "1", "stays"]


def in_turn(play: Callable[[Lane], Awaitable[None]], **bounds: int) -> None:
    asyncio.run(play(Lane(1, **bounds)))  # type: ignore[arg-type]


def test_senders_take_turns_and_the_scorer_is_first() -> None:
    async def play(lane: Lane) -> None:
        order: list[str] = []

        async def ask(sender: str, *, is_first: bool = False) -> None:
            await lane.enter(sender, is_first=is_first)
            order.append(sender)
            await asyncio.sleep(0)
            lane.leave()

        await lane.enter("busy")
        asked = [ask("flood") for _ in range(4)] + [ask("ann"), ask("bob"), ask("bob")]
        waiting = [asyncio.ensure_future(request) for request in asked]
        await asyncio.sleep(0)
        waiting.append(asyncio.ensure_future(ask("scorer", is_first=True)))
        await asyncio.sleep(0)
        lane.leave()
        await asyncio.gather(*waiting)
        assert order == ["scorer", "flood", "ann", "bob", "flood", "bob", "flood", "flood"]

    in_turn(play)


def test_a_turn_that_is_given_up_goes_to_the_next_and_the_place_is_not_lost() -> None:
    async def play(lane: Lane) -> None:
        await lane.enter("busy")
        waiting = [asyncio.ensure_future(lane.enter(who)) for who in ("ann", "bob", "cid")]
        await asyncio.sleep(0)
        waiting[0].cancel()
        lane.leave()  # while ann's request is about to end
        waiting[1].cancel()  # at the moment at which bob's turn came
        await asyncio.wait_for(waiting[2], 20)
        lane.leave()
        await asyncio.wait_for(lane.enter("dee"), 20)

    in_turn(play)


def test_one_sender_s_waiting_requests_are_bounded_and_another_s_wait() -> None:
    async def play(lane: Lane) -> None:
        await lane.enter("busy")
        waiting = [asyncio.ensure_future(lane.enter("flood")) for _ in range(2)]
        await asyncio.sleep(0)
        with pytest.raises(LaneFullError):
            await lane.enter("flood")
        waiting.append(asyncio.ensure_future(lane.enter("ann")))
        await asyncio.sleep(0)
        with pytest.raises(LaneFullError):
            await lane.enter("bob")
        for _ in range(3):
            lane.leave()
        await asyncio.wait_for(asyncio.gather(*waiting), 20)

    in_turn(play, most_waiting=3, most_of_one=2)
