"""A recording is played while the referee's code is compiled, which ends with its listener."""

from __future__ import annotations

import signal
import subprocess
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from paths import CLIPS
from written_clip import write_clip

from scorer.referee.live_picture import ShownPicture
from vision.io.timed_frame import CameraImage
from webapp.live import recorded_referee
from webapp.live.recorded_referee import play_recording

RECORDING = CLIPS / "round_events.jsonl"
#: A process that was told to end has ended after this time, s, on a busy computer.
_PATIENCE_S = 60


class _Played:
    """A recording that is played over ten grey frames, and the process that compiles meanwhile."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.stop, self.started = threading.Event(), list[subprocess.Popen[bytes]]()
        self._film = write_clip(folder / "a.mp4", [np.full((96, 128, 3), 90, np.uint8)] * 10)
        started = self.started

        class KeptPopen(subprocess.Popen[bytes]):
            def __init__(self, *args: Any, **settings: Any) -> None:
                super().__init__(*args, **settings)
                started.append(self)

        monkeypatch.setenv("NUMBA_CACHE_DIR", str(folder / "nothing-compiled"))
        monkeypatch.setattr(recorded_referee.subprocess, "Popen", KeptPopen)

    def play(self, on_frame: Any) -> int:
        """The number of events told."""
        told: list[object] = []
        play_recording(
            RECORDING,
            str(self._film),
            on_event=told.append,
            shown=ShownPicture(lambda *_: None, 1.0, lambda: False),
            on_frame=on_frame,
            stop=self.stop,
            say=lambda _: None,
        )
        return len(told)


@pytest.fixture
def played(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> _Played:
    return _Played(tmp_path, monkeypatch)


def test_whoever_stops_a_recording_stops_what_is_compiled_and_hears_no_more(
    played: _Played,
) -> None:
    assert played.play(lambda *_: played.stop.set()) <= 1
    assert played.started[0].wait(_PATIENCE_S) == -signal.SIGTERM


def test_nothing_is_compiled_for_a_listener_that_is_gone(played: _Played) -> None:
    def hear_no_more(_frame: CameraImage, _t_s: float) -> None:
        raise BrokenPipeError

    with pytest.raises(BrokenPipeError):
        played.play(hear_no_more)
    assert played.started[0].wait(_PATIENCE_S) == -signal.SIGTERM


def test_a_recording_that_ends_by_itself_tells_everything_and_leaves_the_compiling_alone(
    played: _Played,
) -> None:
    assert played.play(lambda *_: None) == len(RECORDING.read_text("utf-8").splitlines())
    (compiling,) = played.started
    assert compiling.poll() is None
    compiling.terminate()
    compiling.wait(_PATIENCE_S)
