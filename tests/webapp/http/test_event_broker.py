"""Messages to all listeners: in order, without gaps, and limited in number."""

from __future__ import annotations

import json
from typing import Any

from webapp.http.event_broker import EventBroker, Listener, Message


def nothing() -> None:
    """A callback that does nothing, for a listener that a test reads directly."""


def contents(messages: list[Message]) -> list[dict[str, Any]]:
    lines = [message.encoded.decode().splitlines() for message in messages]
    return [json.loads(line[2].removeprefix("data: ")) for line in lines]


def name(message: Message) -> str:
    return message.encoded.decode().splitlines()[0].removeprefix("id: ")


def told(broker: EventBroker, count: int, start: int = 0) -> None:
    for k in range(start, start + count):
        broker.publish({"k": k}, {"count": k})


def taken(broker: EventBroker, listener: Listener) -> list[dict[str, Any]]:
    return contents(broker.take(listener))


def test_newcomer_gets_the_state_and_then_every_event() -> None:
    broker = EventBroker()
    told(broker, 2)
    listener = broker.listen(nothing)
    told(broker, 2, start=2)
    first, *rest = taken(broker, listener)
    assert first == {"state": {"count": 1}}
    assert [message["event"]["k"] for message in rest] == [2, 3]
    assert rest[-1]["state"] == {"count": 3}


def test_who_comes_back_gets_exactly_what_was_missed() -> None:
    broker = EventBroker()
    listener = broker.listen(nothing)
    told(broker, 3)
    last = broker.take(listener)[1]
    again = broker.listen(nothing, name(last))
    assert [message["event"]["k"] for message in taken(broker, again)] == [1, 2]
    assert taken(broker, broker.listen(nothing, f"{name(last).split('-')[0]}-3")) == []


def test_name_of_another_run_or_out_of_the_ring_gets_the_state() -> None:
    broker = EventBroker(ring=2)
    listener = broker.listen(nothing)
    told(broker, 1)
    old = name(broker.take(listener)[-1])
    told(broker, 4, start=1)
    for last in (old, "00000000-1", "nonsense", f"{old.split('-')[0]}-99", f"{old}٣", ""):
        assert taken(broker, broker.listen(nothing, last)) == [{"state": {"count": 4}}], last


def test_slow_listener_is_given_the_state_instead_of_growing() -> None:
    broker = EventBroker(queue=3)
    slow, fast = broker.listen(nothing), broker.listen(nothing)
    for k in range(10):
        told(broker, 1, start=k)
        broker.take(fast)
    waiting = taken(broker, slow)
    assert len(waiting) <= 3
    assert waiting[-1]["state"] == {"count": 9}


def test_listener_is_woken_once_until_it_takes() -> None:
    broker, woken = EventBroker(), []
    listener = broker.listen(lambda: woken.append(1))
    broker.take(listener)
    told(broker, 3)
    assert len(woken) == 1
    broker.take(listener)
    told(broker, 1)
    assert len(woken) == 2


def test_closing_lets_everybody_go() -> None:
    broker, woken = EventBroker(), []
    listener = broker.listen(lambda: woken.append(1))
    broker.close()
    assert listener.is_closed
    assert woken
    assert broker.listen(nothing).is_closed
    broker.leave(listener)
    assert broker.listeners == 1
