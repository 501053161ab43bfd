"""The referee's process: its end, its crashes, its silence, and frames that arrive too fast."""

from __future__ import annotations

import errno
import gc
import os
import queue
import signal
import time
from collections.abc import Callable, Iterator
from itertools import count
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any

import pytest

from scorer.photo.rectified_image import RectifiedBoardImage
from scorer.rules.sets import rule_set
from webapp.live.end_reason import EndCode, EndReason
from webapp.live.match_recorder import MatchRecorder
from webapp.live.referee_process import (
    FRAME_WANTED,
    EndMessage,
    EventMessage,
    FrameMessage,
    PictureMessage,
    ProgressMessage,
    RefereeTask,
    RestMessage,
)
from webapp.live.ring_buffer import JpegFrame
from webapp.live.supervisor import RefereeSupervisor

PATIENCE_S = 60.0
PLAN = RectifiedBoardImage(jpeg=b"", half_mm=355.0, foot_mm=15.4, lines=(), hole=(0.0, 0.0, 17.5))
CAMERA, CLIP = (
    RefereeTask(source="0", rules=rule_set("nca")),
    RefereeTask(source="clip.mp4", rules=rule_set("nca")),
)


class Heard(MatchRecorder):
    """All messages of a runtime, in order."""

    def __init__(self) -> None:
        self.told: queue.Queue[tuple[str, Any]] = queue.Queue()

    def on_start(self, source: str) -> None:
        self.told.put(("start", source))

    def on_event(self, event: dict[str, object], film: tuple[JpegFrame, ...] = ()) -> None:
        self.told.put(("event", (event, film)))

    def on_rest(self, rest: RestMessage) -> None:
        self.told.put(("rest", rest))

    def on_end(self, reason: EndReason | None) -> None:
        self.told.put(("end", reason))

    def on_restart(self, reason: EndReason) -> None:
        self.told.put(("again", reason))

    def next(self, kind: str) -> Any:
        """The next message of a kind; other messages before it are skipped."""
        while True:
            told, value = self.told.get(timeout=PATIENCE_S)
            if told == kind:
                return value


@pytest.fixture
def heard() -> Heard:
    return Heard()


@pytest.fixture
def runtime_of(
    heard: Heard, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Callable[..., RefereeSupervisor]]:
    monkeypatch.setattr("webapp.live.supervisor._END_S", 0.3)  # many works never end by themselves
    made: list[RefereeSupervisor] = []

    def make(work: Callable[[RefereeTask, Connection], None], **more: Any) -> RefereeSupervisor:
        made.append(RefereeSupervisor(heard, work=work, waits_s=(0.01,), **more))
        return made[-1]

    yield make
    for supervisor in made:
        supervisor.stop()


def ends_well(_task: RefereeTask, pipe: Connection) -> None:
    pipe.send(ProgressMessage(frames=3))
    pipe.send(PictureMessage(look=JpegFrame(t_s=1.0, jpeg=b"a")))
    pipe.send(RestMessage(key="here", plan=PLAN))
    pipe.send(EventMessage(event={"type": "shot"}, film=(JpegFrame(t_s=0.9, jpeg=b"b"),)))
    pipe.send(EndMessage(reason=None))


def falls(_task: RefereeTask, _pipe: Connection) -> None:
    os._exit(3)


def hangs(_task: RefereeTask, _pipe: Connection) -> None:
    while True:
        time.sleep(60)


def falls_in_mid_clip(_task: RefereeTask, pipe: Connection) -> None:
    pipe.send(EventMessage(event={"type": "board"}))
    pipe.close()
    os._exit(3)


def tells_its_signals(_task: RefereeTask, pipe: Connection) -> None:
    """Sends the effect that Ctrl-C would have on it, as the system reports it."""
    blocked = signal.SIGINT in signal.pthread_sigmask(signal.SIG_BLOCK, set())
    os.kill(os.getpid(), signal.SIGINT)
    pipe.send(EventMessage(event={"type": "lives", "blocked": blocked}))


def cannot(_task: RefereeTask, pipe: Connection) -> None:
    pipe.send(EndMessage(reason="The file is no video."))


def shows(_task: RefereeTask, pipe: Connection) -> None:
    """Sends a frame whenever one is requested."""
    pipe.send(EventMessage(event={"type": "board"}))
    while pipe.recv() == FRAME_WANTED:
        pipe.send(FrameMessage(png=b"frame"))


def echoes(_task: RefereeTask, pipe: Connection) -> None:
    """Takes the first frame and no more, so that later frames pile up."""
    pipe.send(EventMessage(event={"type": "got", "bytes": len(pipe.recv().jpeg)}))
    hangs(_task, pipe)


def test_source_that_ends_is_told_after_what_it_showed(
    heard: Heard, runtime_of: Callable[..., RefereeSupervisor]
) -> None:
    runtime = runtime_of(ends_well)
    runtime.start(CLIP)
    assert heard.next("start") == "clip.mp4"
    assert heard.next("rest").key == "here"
    event, film = heard.next("event")
    assert (event["type"], [frame.jpeg for frame in film]) == ("shot", [b"b"])
    assert heard.next("end") is None
    look = runtime.picture()
    assert look is not None
    assert look.jpeg == b"a"


def draws(_task: RefereeTask, pipe: Connection) -> None:
    """Sends a picture for every request except the first."""
    pipe.send(EventMessage(event={"type": "lives"}))
    pipe.recv()
    for t_s in count():
        pipe.recv()
        pipe.send(PictureMessage(look=JpegFrame(t_s=float(t_s), jpeg=b"a")))


def test_pictures_are_drawn_while_somebody_looks_and_old_ones_are_not_shown(
    heard: Heard, runtime_of: Callable[..., RefereeSupervisor], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("webapp.live.supervisor._ASK_S", 0.02)
    runtime = runtime_of(draws)
    runtime.start(CAMERA)
    heard.next("event")
    assert runtime.picture() is None
    wait_until(lambda: runtime.picture() is not None)
    with monkeypatch.context() as patch:
        patch.setattr("webapp.live.supervisor._FRESH_S", -1.0)
        assert runtime.picture() is None
    wait_until(lambda: getattr(runtime.picture(), "t_s", 0.0) > 0)
    runtime.stop()
    assert runtime.picture() is not None  # the last observation


def wait_until(is_so: Callable[[], bool]) -> None:
    """Wait for an effect of another process."""
    until_s = time.monotonic() + PATIENCE_S
    while not is_so():
        assert time.monotonic() < until_s
        time.sleep(0.01)


def test_frame_comes_when_it_is_asked_for(
    heard: Heard, runtime_of: Callable[..., RefereeSupervisor]
) -> None:
    runtime = runtime_of(shows)
    assert runtime.still() is None
    runtime.start(CLIP)
    heard.next("event")
    assert runtime.still(PATIENCE_S) == b"frame"
    runtime.stop()
    assert runtime.still() is None


def test_frame_that_does_not_come_is_not_waited_for(
    heard: Heard, runtime_of: Callable[..., RefereeSupervisor]
) -> None:
    runtime = runtime_of(hangs)
    runtime.start(CLIP)
    heard.next("start")
    assert runtime.still(0.05) is None


def test_camera_that_falls_is_started_again(
    heard: Heard, runtime_of: Callable[..., RefereeSupervisor]
) -> None:
    runtime = runtime_of(falls)
    runtime.start(CAMERA)
    assert [heard.next("again") for _ in range(3)] == [EndReason(EndCode.DIED)] * 3
    runtime.stop()
    assert not runtime.is_running
    assert runtime.facts()["restarts"] >= 3


def test_clip_whose_referee_falls_is_not_begun_anew_once_something_was_seen_of_it(
    heard: Heard, runtime_of: Callable[..., RefereeSupervisor]
) -> None:
    """Its shots would otherwise be entered twice."""
    runtime_of(falls_in_mid_clip).start(CLIP)
    assert heard.next("end") == EndReason(EndCode.DIED_IN_CLIP)


@pytest.mark.skipif(not hasattr(signal, "pthread_sigmask"), reason="POSIX")
def test_a_terminals_interrupt_does_not_reach_the_process(
    heard: Heard, runtime_of: Callable[..., RefereeSupervisor]
) -> None:
    before = signal.pthread_sigmask(signal.SIG_BLOCK, set())
    runtime_of(tells_its_signals).start(CAMERA)
    assert heard.next("event")[0] == {"type": "lives", "blocked": True}
    assert signal.pthread_sigmask(signal.SIG_BLOCK, set()) == before


def test_silent_process_is_ended_and_started_again(
    heard: Heard, runtime_of: Callable[..., RefereeSupervisor]
) -> None:
    runtime = runtime_of(hangs, silence_s=0.3)
    runtime.start(CAMERA)
    assert heard.next("again") == EndReason(EndCode.SILENT)


def test_phone_that_stops_filming_ends_it_quietly_and_is_known_when_it_is_back(
    heard: Heard, runtime_of: Callable[..., RefereeSupervisor]
) -> None:
    runtime = runtime_of(hangs, phone_gone_s=0.3)
    runtime.start(RefereeTask(source=None, rules=rule_set("nca")))
    assert heard.next("end") == EndReason(EndCode.PHONE_GONE)
    assert runtime.has_phone_left
    runtime.stop()
    assert not runtime.has_phone_left  # a person's stop has priority


def test_file_that_cannot_be_read_is_not_tried_again(
    heard: Heard, runtime_of: Callable[..., RefereeSupervisor]
) -> None:
    runtime_of(cannot).start(CLIP)
    assert heard.next("end") == EndReason(EndCode.SOURCE_FAILED, "The file is no video.")


def film(seconds: range, byte_count: int = 6) -> list[JpegFrame]:
    """A phone's frames from the given times."""
    return [JpegFrame(t_s=float(t_s), jpeg=bytes(byte_count)) for t_s in seconds]


def test_frames_that_come_too_fast_are_thinned_and_counted(
    heard: Heard, runtime_of: Callable[..., RefereeSupervisor]
) -> None:
    runtime = runtime_of(echoes)
    assert not runtime.push(film(range(1)))
    runtime.start(RefereeTask(source=None, rules=rule_set("nca")))
    heard.next("start")
    large = 4_000_000  # more than a pipe holds
    for t_s in range(20):
        assert runtime.push(film(range(t_s, t_s + 1), large))
    assert heard.next("event")[0]["bytes"] == large
    facts = runtime.facts()
    assert facts["frames_sent"] == 20
    assert 4 <= facts["frames_dropped"] <= 10  # 80 MB, of which 64 MiB may wait


def takes_all(_task: RefereeTask, pipe: Connection) -> None:
    """Reports the time of every frame as it arrives."""
    while True:
        pipe.send(EventMessage(event={"type": "got", "t_s": pipe.recv().t_s}))


def test_a_phones_frames_come_once_and_in_their_order(
    heard: Heard, runtime_of: Callable[..., RefereeSupervisor]
) -> None:
    runtime = runtime_of(takes_all)
    runtime.start(RefereeTask(source=None, rules=rule_set("nca")))
    heard.next("start")
    runtime.push(film(range(3)))
    runtime.push(film(range(5)))  # the answer was lost, and the phone sends them again
    assert [heard.next("event")[0]["t_s"] for _ in range(5)] == [0, 1, 2, 3, 4]
    assert runtime.facts()["frames_dropped"] == 0


def test_nobody_takes_frames_while_a_clip_is_watched(
    runtime_of: Callable[..., RefereeSupervisor],
) -> None:
    runtime = runtime_of(hangs)
    runtime.start(CLIP)
    assert not runtime.push(film(range(1)))


def test_a_process_that_cannot_start_leaves_no_pipe_open(
    runtime_of, heard: Heard, monkeypatch: pytest.MonkeyPatch
) -> None:
    def start(_process: BaseProcess) -> None:
        raise OSError(errno.ENOMEM, "Cannot allocate memory")

    monkeypatch.setattr(BaseProcess, "start", start)
    gc.collect()
    before = len([*Path("/proc/self/fd").iterdir()])
    runtime = runtime_of(ends_well)
    runtime.start(CAMERA)
    for _ in range(3):
        assert "cannot be started (Cannot allocate memory)" in str(heard.next("again"))
    runtime.stop()
    assert len([*Path("/proc/self/fd").iterdir()]) <= before
