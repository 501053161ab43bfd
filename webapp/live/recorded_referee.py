"""Plays a film with the referee's recorded calls while this computer is not ready to referee.

On a new computer numba compiles the tracker and the physics, which takes up to a minute. The demo
meanwhile plays the events that ``crokinole watch CLIP --events FILE`` wrote, with a notice.
"""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

from calibration.phrase import Phrase
from scorer.referee.capture_thread import open_paced
from scorer.referee.events import BoardEvent, Event, from_json
from scorer.referee.live_picture import ShownPicture
from vision.io.timed_frame import CameraImage
from webapp.process_limits import step_back

_NICENESS = 10
#: The notice on the page, which also appears in the server's terminal.
IS_RECORDED = Phrase(
    "The referee is still getting ready, so these calls are from a "
    "recording. Play again to see live calls."
)


def is_ready() -> bool:
    """Whether a film can be refereed on this computer without compiling first."""
    from scorer.physics.compile import are_kernels_compiled

    return are_kernels_compiled()


def compile_kernels() -> None:
    """Compile the referee's code, at a lower priority than all work for people."""
    from scorer.physics import compile as physics
    from vision.track.kernels import compile as tracker

    step_back(_NICENESS)
    tracker.compile_kernels()
    physics.compile_kernels()


def play_recording(
    recording: Path,
    source: str,
    *,
    on_event: Callable[[Event], None],
    shown: ShownPicture,
    on_frame: Callable[[CameraImage, float], None],
    stop: threading.Event,
    say: Callable[[str], None],
    **_: object,
) -> None:
    """Emit recorded events when the film reaches their times. Raises ``SourceError``.

    The referee's code is compiled meanwhile, and on after the film's end, but not once the film is
    stopped or its listener is gone.
    """
    say(IS_RECORDED)
    events = [from_json(json.loads(line)) for line in recording.read_text("utf-8").splitlines()]
    first = next(event for event in events if isinstance(event, BoardEvent))
    events[events.index(first)] = replace(first, warnings=(IS_RECORDED,))
    with ExitStack() as undo:
        undo.callback(
            subprocess.Popen([sys.executable, "-m", __name__], stderr=subprocess.DEVNULL).terminate
        )
        for frame in open_paced(source, realtime=True).frames(stop, say):
            on_frame(frame.picture, frame.t_s)
            while events and events[0].t_s <= frame.t_s:
                shown.picture.set_event(events[0])
                on_event(events.pop(0))
            shown.show_if_due(frame, None)
        if not stop.is_set():
            undo.pop_all()
            for event in events:
                on_event(event)


if __name__ == "__main__":
    compile_kernels()
