"""Workers referee cameras that the database gives them; their server publishes what they see."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from pathlib import Path
from threading import Event
from typing import Any

import pytest
from seen_events import see_end, see_picture, see_shot_into_hole, see_twenty

from calibration.json_text import to_plain
from scorer.match.events import MatchStarted, RoundScored
from scorer.practice.events import Drill, PracticeStarted
from scorer.rules.choices import Format
from scorer.rules.sets import RuleSet, rule_set
from scorer.store import Store, StoreError
from scorer.store.board_store import BoardStore
from scorer.store.camera_pictures import CameraPictures
from scorer.store.camera_store import LEASE_S, CameraStore
from scorer.store.message_store import MessageStore
from scorer.store.practice_store import PracticeStore
from scorer.store.tournament_store import TournamentStore
from webapp.live.clip_store import ClipStore
from webapp.live.end_reason import EndCode, EndReason
from webapp.live.live_boards import LiveBoards
from webapp.live.match_recorder import MatchRecorder
from webapp.live.message_sender import MessageSender
from webapp.live.referee_process import RefereeTask
from webapp.live.workers.camera_worker import CameraWorker
from webapp.live.workers.message_feed import MessageFeed
from webapp.live.workers.worker_scoreboard import WorkerScoreboard
from webapp.live.workers.worker_supervisor import WorkerSupervisor

PATIENCE_S = 60.0
SETUP = MatchStarted(
    rules="cogitate", format=Format.TWO, players=("Ann", "Bob"), colours=("black", "natural")
)


class Clock:
    """A clock that moves only when it is set."""

    now_s = 0.0

    def __call__(self) -> float:
        return self.now_s


class Hall:
    """A database with two boards, a server's parts, and workers."""

    def __init__(self, url: str) -> None:
        self.url, self.clock = url, Clock()
        self.store, self.shots = Store(url), ClipStore(None)
        BoardStore(self.store.database).provide(("Board 1", "Board 2"))
        self.cameras = CameraStore(self.store.database)
        database = self.store.database
        self.boards = LiveBoards(
            self.store, TournamentStore(database), PracticeStore(database), self.shots
        )
        self.feed = MessageFeed(self.store, self.boards)
        self.feed.step()
        self.workers: list[CameraWorker] = []

    def worker(self, name: str, work: Any = see_twenty, most: int = 6) -> CameraWorker:
        own = Store(self.url, announces=True)
        made = CameraWorker(
            own, self.shots, name, rules="cogitate", most=most, work=work, clock=self.clock
        )
        self.workers.append(made)
        return made

    def state(self, board: int) -> dict[str, Any]:
        return to_plain(self.boards.get(board).scoreboard.state)

    def follow_until(self, is_reached: Callable[[], bool]) -> None:
        until_s = time.monotonic() + PATIENCE_S
        while not is_reached():
            assert time.monotonic() < until_s
            self.feed.step(0.1)

    def close(self) -> None:
        for worker in self.workers:
            worker.close()
        self.feed.close()
        self.boards.close()
        self.shots.close()
        self.store.close()


@pytest.fixture
def hall(tmp_path: Path) -> Iterator[Hall]:
    made = Hall(str(tmp_path / "matches.db"))
    yield made
    made.close()


def test_what_a_worker_sees_is_entered_and_published_at_its_board(hall: Hall) -> None:
    hall.boards.get(1).scoreboard.begin(SETUP)
    number = hall.boards.get(2).scoreboard.begin(SETUP)
    hall.cameras.watch(2, "rtsp://camera/2")
    hall.worker("one").step()
    hall.follow_until(lambda: bool(hall.state(2)["match"]["sides"][1]["round_twenties"]))
    assert hall.state(2)["live"]["status"] == "refereeing"
    assert hall.state(2)["call"]["spoken"] == "Twenty, Bob."
    assert hall.state(1)["match"]["sides"][1]["round_twenties"] == 0
    assert hall.state(1)["live"]["status"] == "off"
    assert len(hall.store.log(number)) == 2


def test_what_a_worker_sees_of_a_practice_is_counted_there_and_in_no_match(hall: Hall) -> None:
    number = hall.boards.get(2).scoreboard.begin(SETUP)
    setup = PracticeStarted(player="Ann", drill=Drill.OPEN_TWENTIES)
    practice = hall.boards.get(2).practice.begin(setup)
    hall.cameras.watch(2, "rtsp://camera/2")
    hall.worker("one", work=see_shot_into_hole).step()
    hall.follow_until(lambda: hall.state(2)["live"]["shots"] == 1)
    shots = PracticeStore(hall.store.database)
    hall.follow_until(lambda: _list_outcomes(shots, practice) == ["twenty"])
    assert len(hall.store.log(number)) == 1


def test_cameras_are_shared_between_workers_by_what_each_can_take(hall: Hall) -> None:
    for board in (1, 2):
        hall.cameras.watch(board, f"rtsp://camera/{board}")
    one, two = hall.worker("one", most=1), hall.worker("two", most=1)
    one.step()
    two.step()
    one.step()
    assert (one.boards, two.boards) == ((1,), (2,))


def test_a_worker_that_is_gone_is_followed_by_another_which_says_so(hall: Hall) -> None:
    hall.cameras.watch(2, "rtsp://camera/2")
    one, two = hall.worker("one"), hall.worker("two")
    one.step()
    two.step()
    assert (one.boards, two.boards) == ((2,), ())
    hall.clock.now_s += LEASE_S  # and the first does not continue counting
    two.step()
    assert two.boards == (2,)
    heard = hall.boards.get(2).broker.listen(lambda: None)
    hall.follow_until(lambda: hall.state(2)["live"]["status"] == "refereeing")
    told = b"".join(message.encoded for message in hall.boards.get(2).broker.take(heard)).decode()
    assert "The program one has stopped, so two is refereeing now." in told
    one.step()  # it was only delayed, and learns that it no longer has the camera
    assert one.boards == ()


def test_a_clip_whose_worker_is_gone_is_not_begun_anew(hall: Hall) -> None:
    hall.cameras.watch(1, "clip.mp4")
    one, two = hall.worker("one"), hall.worker("two")
    one.step()
    hall.follow_until(lambda: hall.state(1)["live"]["status"] == "refereeing")
    two.step()
    hall.clock.now_s += LEASE_S
    two.step()
    hall.follow_until(lambda: hall.state(1)["live"]["status"] == "failed")
    assert hall.state(1)["live"]["reason"] == str(EndReason(EndCode.DIED_IN_CLIP))
    two.step()
    assert hall.cameras.list_cameras() == ()


def test_a_source_that_ended_is_refereed_no_more(hall: Hall) -> None:
    hall.cameras.watch(1, "clip.mp4")
    worker = hall.worker("one", work=see_end)
    worker.step()
    hall.follow_until(lambda: hall.state(1)["live"]["status"] == "ended")
    until_s = time.monotonic() + PATIENCE_S
    while worker.boards and time.monotonic() < until_s:
        worker.step()
    assert hall.cameras.list_cameras() == ()


def test_a_board_that_no_worker_referees_says_so_once(
    hall: Hall, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("webapp.live.workers.message_feed.monotonic", hall.clock)
    hall.feed = MessageFeed(hall.store, hall.boards)
    hall.cameras.watch(1, "rtsp://camera/1")
    hall.feed.step()
    assert hall.state(1)["live"]["status"] == "off"
    hall.clock.now_s += 60.0
    hall.feed.step()
    assert hall.state(1)["live"]["reason"] == "No program is refereeing this board."
    hall.worker("one").step()
    hall.follow_until(lambda: hall.state(1)["live"]["status"] == "refereeing")


def test_a_server_leaves_cameras_to_workers_and_learns_how_they_stand_when_it_starts(
    hall: Hall,
) -> None:
    control = _make_supervisor(hall)
    assert not control.is_running
    task = RefereeTask(source="rtsp://camera/2", rules=_rules(), beside="rtsp://camera/9")
    control.start(task)
    assert control.is_running
    assert control.task == task
    hall.worker("one").step()
    hall.follow_until(lambda: hall.state(2)["live"]["status"] == "refereeing")
    database = hall.store.database
    again = LiveBoards(hall.store, TournamentStore(database), PracticeStore(database), hall.shots)
    MessageFeed(hall.store, again).step()
    assert to_plain(again.get(2).scoreboard.state)["live"]["status"] == "refereeing"
    again.close()
    control.close()
    assert control.is_running  # the server ends, its workers go on
    control.stop()
    assert hall.cameras.list_cameras() == ()


def test_an_entry_is_tried_again_while_the_database_is_away_and_entered_once(
    hall: Hall, monkeypatch: pytest.MonkeyPatch
) -> None:
    number = hall.boards.get(1).scoreboard.begin(SETUP)
    sender = MessageSender(MessageStore(hall.store.database))
    board, record, calls = WorkerScoreboard(hall.store, sender, 1, Event()), hall.store.record, []

    def record_and_lose_the_answer(*args: Any, **more: Any) -> Any:
        calls.append(more["key"])
        done = record(*args, **more)
        if len(calls) == 1:
            raise StoreError("The connection was lost.")
        return done

    monkeypatch.setattr("webapp.live.workers.worker_scoreboard._PAUSE_S", 0.0)
    monkeypatch.setattr(hall.store, "record", record_and_lose_the_answer)
    _, state = board.record(number, lambda _log: [RoundScored(points=(60, 45))])
    assert (len(calls), len(set(calls)), len(state.rounds)) == (2, 1, 1)


def _list_outcomes(practices: PracticeStore, number: int) -> list[str]:
    held = practices.get(number)
    assert held is not None
    return [str(shot.outcome) for shot in held.state.shots]


class _Deaf(MatchRecorder):
    """A recorder that ignores everything."""

    def __init__(self) -> None:
        pass

    def on_start(self, source: str) -> None:
        pass


def _rules() -> RuleSet:
    return rule_set("cogitate")


def _make_supervisor(hall: Hall) -> WorkerSupervisor:
    pictures = CameraPictures(hall.store.database)
    return WorkerSupervisor(_Deaf(), hall.cameras, 2, _rules(), pictures=pictures, clock=hall.clock)


def test_the_picture_of_a_worker_s_camera_is_shown_while_somebody_looks(hall: Hall) -> None:
    control = _make_supervisor(hall)
    control.start(RefereeTask(source="rtsp://camera/2", rules=_rules()))
    worker = hall.worker("one", work=see_picture)
    worker.step()
    pictures = CameraPictures(hall.store.database)
    assert pictures.list_asked() == ()
    until_s = time.monotonic() + PATIENCE_S
    while (seen := control.picture()) is None:
        assert time.monotonic() < until_s
        hall.clock.now_s += 1.0
        worker.step()
    assert (seen.t_s, seen.jpeg) == (1.5, b"jpeg")
    assert control.facts()["is_running"]
    worker.step()
    answered = getattr(pictures.read(2), "answered", 0)
    worker.step()  # no viewer requests it any more
    assert getattr(pictures.read(2), "answered", 0) == answered


def test_a_worker_s_picture_is_not_shown_when_it_answers_no_more_or_of_another_source(
    hall: Hall,
) -> None:
    control, pictures = _make_supervisor(hall), CameraPictures(hall.store.database)
    hall.cameras.watch(2, "rtsp://camera/2")
    control.picture()
    pictures.answer(2, 1.5, b"jpeg", {"is_running": True})
    shown = []
    for _ in range(4):
        hall.clock.now_s += 4.0
        shown.append(control.picture() is not None)
    assert shown == [True, True, True, False]
    pictures.answer(2, 9.0, b"next", {"is_running": True})
    hall.clock.now_s += 1.0
    assert control.picture() is not None
    control.start(RefereeTask(source="rtsp://camera/3", rules=_rules()))
    hall.clock.now_s += 1.0
    assert control.picture() is None


def test_every_camera_of_a_worker_that_is_gone_is_taken_before_any_is_started(
    hall: Hall, monkeypatch: pytest.MonkeyPatch
) -> None:
    for board in (1, 2):
        hall.cameras.watch(board, f"rtsp://camera/{board}")
    one, two = hall.worker("one"), hall.worker("two")
    one.step()
    two.step()
    hall.clock.now_s += LEASE_S
    had: list[list[str | None]] = []

    def start(_worker: CameraWorker, _camera: Any, gone: str | None = None) -> None:
        had.append([camera.worker for camera in hall.cameras.list_cameras()])
        assert gone == "one"
        if len(had) == 1:
            raise StoreError("The connection was lost.")

    monkeypatch.setattr(CameraWorker, "_start", start)
    two.step()
    two.step()  # a taken camera is still started, and its previous worker is not forgotten
    assert had == [["two", "two"]] * 3
