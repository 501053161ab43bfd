"""Several servers with one database: an entry at one of them is shown by all others."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from match_database import make_schema, needs_server, run_statement
from played_tournaments import started

from calibration.json_text import to_plain
from scorer.match.events import MatchStarted, RoundScored, Undone
from scorer.practice.events import Drill, PracticeStarted
from scorer.rules.choices import Format
from scorer.store import Store
from scorer.store.message_store import MessageStore
from scorer.store.practice_store import PracticeStore
from scorer.store.tournament_store import TournamentStore
from scorer.tournament.events import BoardAssigned, Pairing, RoundPaired, StageKind, StageStarted
from webapp.http.event_broker import Listener
from webapp.live.clip_store import ClipStore
from webapp.live.live_boards import LiveBoards
from webapp.live.live_state import LiveState, Status
from webapp.live.scoreboard import now
from webapp.live.workers.message_feed import MessageFeed

SETUP = MatchStarted(
    rules="cogitate", format=Format.TWO, players=("Ann", "Bob"), colours=("black", "natural")
)


class HallServer:
    """A server's state of a hall, updated by hand."""

    def __init__(self, url: str) -> None:
        self.store = Store(url, announces=True)
        database = self.store.database
        self.tournaments = TournamentStore(database)
        self.practices, self.files = PracticeStore(database), 0
        self.boards = LiveBoards(self.store, self.tournaments, self.practices, ClipStore(None))
        self.feed = MessageFeed(self.store, self.boards, on_files=[self._count_files])
        self.feed.step(0.01)

    def state(self, board: int = 1) -> dict[str, Any]:
        return to_plain(self.boards.get(board).scoreboard.state)

    def listen(self, board: int = 1) -> Listener:
        broker = self.boards.get(board).broker
        listener = broker.listen(lambda: None)
        broker.take(listener)
        return listener

    def take(self, listener: Listener, board: int = 1) -> str:
        taken = self.boards.get(board).broker.take(listener)
        return b"".join(message.encoded for message in taken).decode()

    def close(self) -> None:
        self.feed.close()
        self.boards.close()
        self.store.close()

    def _count_files(self) -> None:
        self.files += 1


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=needs_server)])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    with ExitStack() as stack:
        is_file = request.param == "sqlite"
        yield str(tmp_path / "hall.db") if is_file else stack.enter_context(make_schema())


@pytest.fixture
def servers(url: str) -> Iterator[tuple[HallServer, HallServer]]:
    pair = HallServer(url), HallServer(url)
    yield pair
    for server in pair:
        server.close()


def test_an_entry_at_one_server_reaches_the_pages_of_another_once(
    servers: tuple[HallServer, HallServer],
) -> None:
    one, two = servers
    own, other = one.listen(), two.listen()
    match = one.boards.get(1).scoreboard.begin(SETUP)
    one.boards.get(1).scoreboard.append(match, RoundScored(points=(60, 45)))
    for server in servers:
        server.feed.step()
    for broker, listener in ((one, own), (two, other)):
        told = broker.take(listener)
        assert told.count("event: event") == 2
        assert told.index("match_started") < told.index("round_scored")
    assert two.state()["match"] == one.state()["match"]


def test_a_match_that_is_moved_at_one_server_is_at_its_new_board_on_all(
    servers: tuple[HallServer, HallServer],
) -> None:
    one, two = servers
    one.boards.add_board("")
    two.feed.step()
    match = one.boards.get(1).scoreboard.begin(SETUP)
    one.boards.move_match(match, 2)
    two.feed.step()
    two.boards.close()  # everything due has been published
    for server in servers:
        assert server.state(1)["match"] is None
        assert server.state(2)["match"]["id"] == match


def test_what_was_entered_at_one_server_can_be_undone_at_another(
    servers: tuple[HallServer, HallServer],
) -> None:
    one, two = servers
    match = one.boards.get(1).scoreboard.begin(SETUP)
    one.boards.get(1).scoreboard.append(match, RoundScored(points=(60, 45)))
    two.feed.step()
    two.boards.get(1).scoreboard.append(match, Undone())
    one.feed.step()
    assert [side["total"] for side in one.state()["match"]["sides"]] == [0, 0]
    assert one.state()["match"] == two.state()["match"]


def test_boards_and_a_tournament_of_one_server_are_on_the_wall_of_another(
    servers: tuple[HallServer, HallServer],
) -> None:
    one, two = servers
    one.boards.add_board("By the window")
    number = one.tournaments.create(started(2)[0], started(2)[1:], now=now())
    stage = StageStarted(kind=StageKind.ROUND_ROBIN, name="All", entries=(0, 1))
    paired = RoundPaired(stage=0, pairings=(Pairing(first=0, second=1),))
    one.tournaments.append(
        number, lambda _state: (stage, paired, BoardAssigned(match=0, board=1)), now=now()
    )
    one.boards.publish_tournament(number)
    two.feed.step()
    rows = to_plain(two.boards.state)["boards"]
    assert [row["name"] for row in rows] == ["Board 1", "By the window"]
    assert rows[1]["pairing"]["sides"] == ["P1", "P2"]
    assert rows == to_plain(one.boards.state)["boards"]


def test_a_practice_at_one_server_has_the_pages_of_another_look_again(
    servers: tuple[HallServer, HallServer],
) -> None:
    one, two = servers
    listener = two.listen()
    number = one.boards.get(1).practice.begin(
        PracticeStarted(player="Ann", drill=Drill.OPEN_TWENTIES)
    )
    two.feed.step()
    assert f'"practice":{number}' in two.take(listener)


def test_what_a_servers_own_referee_sees_is_shown_by_another(
    servers: tuple[HallServer, HallServer],
) -> None:
    one, two = servers
    one.boards.get(1).scoreboard.publish_live(
        {"type": "referee", "status": "starting"}, LiveState(status=Status.STARTING, source="phone")
    )
    one.boards.close()  # everything waiting has been sent
    two.feed.step()
    assert two.state()["live"]["status"] == "starting"


def test_a_server_that_was_held_up_for_too_long_reads_everything_anew(
    servers: tuple[HallServer, HallServer], monkeypatch: pytest.MonkeyPatch
) -> None:
    one, two = servers
    monkeypatch.setattr("scorer.store.message_store._PRUNE_EVERY", 1)
    monkeypatch.setattr("scorer.store.message_store.KEPT", 2)
    match = one.boards.get(1).scoreboard.begin(SETUP)
    for _ in range(4):
        one.boards.get(1).scoreboard.append(match, RoundScored(points=(5, 0)))
    two.feed.step()
    assert two.state()["match"] == one.state()["match"]


def test_files_that_servers_share_are_read_again_by_the_others(
    servers: tuple[HallServer, HallServer],
) -> None:
    one, two = servers
    MessageStore(one.store.database).send(0, {"kind": "files"})
    for server in servers:
        server.feed.step()
    assert (one.files, two.files) == (0, 1)


@needs_server
def test_a_connection_that_broke_misses_nothing_and_one_server_speaks_for_both() -> None:
    with make_schema() as url:
        one, two = HallServer(url), HallServer(url)
        assert (one.feed.is_speaker, two.feed.is_speaker) == (True, False)
        listener = two.listen()
        ask = "SELECT pg_terminate_backend(pid, 1000) FROM pg_stat_activity WHERE query LIKE "
        run_statement(url, f"{ask} '%speaker%' AND pid <> pg_backend_pid()")
        match = one.boards.get(1).scoreboard.begin(SETUP)
        for feed in (two, one, two, one):
            _step_whatever_breaks(feed)
        assert two.take(listener).count("match_started") == 1
        assert two.state()["match"]["id"] == match
        assert one.feed.is_speaker != two.feed.is_speaker
        for feed in (one, two):
            feed.close()


def _step_whatever_breaks(server: HallServer) -> None:
    from scorer.store import StoreError

    try:
        server.feed.step(0.01)
    except StoreError:
        server.feed.step(0.01)
