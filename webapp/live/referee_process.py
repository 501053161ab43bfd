"""The referee in a separate process, so it and the pages never delay each other.

Its pipe brings the frames that a phone sends and returns the referee's observations. Requests ask
for a frame as the camera sent it, and for pictures with the referee's reading, which are drawn
while a viewer requests them. The process ends when its source ends or fails, or when the other end
of the pipe is closed. Frames of a live source wait while another is analysed (see
``scorer.referee.frame_queue``).
"""

from __future__ import annotations

import contextlib
import secrets
import sys
import threading
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from math import inf
from multiprocessing.connection import Connection
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING

from calibration.phrase import swap
from scorer.photo.rectified_image import RectifiedBoardImage, make_rectified_image
from scorer.rules.sets import RuleSet
from vision.io.encode_picture import encode_png
from vision.io.timed_frame import CameraImage
from webapp.live.ring_buffer import FrameRingBuffer, JpegFrame, encode_screen_jpeg
from webapp.process_limits import keep_freed_memory, step_back

if TYPE_CHECKING:
    import numpy as np

    from scorer.referee.events import Event
    from vision.io.sources import PushedFrames
    from vision.track.events import BoardAtRest

#: Requests for a frame, and for pictures.
FRAME_WANTED, PICTURES_WANTED = "frame", "pictures"
#: Pictures are drawn for this long after a request ...
_PICTURES_S = 3.0
#: ... at this interval, s of the source; progress is reported at the same interval.
_PICTURE_PERIOD_S, _PROGRESS_PERIOD_S = 0.1, 0.2
#: Random bytes in the name of a board at rest, so that it is unique and cannot be guessed.
_KEY_BYTES = 9
#: Pages and streams have priority if there are few cores, but only slightly: with other programs
#: running, verdicts come after 10 to 14 s with a niceness of 5, and after 4 to 9 s with 1.
_NICENESS = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class RefereeTask:
    """The source to watch, and how to watch it.

    source    a file, a camera's number or a URL; None for frames from the pipe
    beside    a second camera's source on the same board, or none
    recorded  the calls of this film, which are played until the computer is ready to referee
    realtime  whether a file is played at its original speed, and not as fast as possible
    """

    source: str | None
    rules: RuleSet
    profile: Path | None = None
    realtime: bool = True
    beside: str | None = None
    recorded: Path | None = None

    @property
    def is_live(self) -> bool:
        """Whether a camera is watched rather than a file, which restarts from its beginning."""
        return self.source is None or "://" in self.source or self.source.isdigit()

    @property
    def is_phone_alone(self) -> bool:
        """Whether nothing remains to watch if the phone sends no frames."""
        return self.source is None and self.beside is None


@dataclass(frozen=True, slots=True, kw_only=True)
class EventMessage:
    """An event of the referee; ``film`` is the camera's film of a shot."""

    event: dict[str, object]
    film: tuple[JpegFrame, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ProgressMessage:
    """A sign of progress: the number of frames analysed so far."""

    frames: int


@dataclass(frozen=True, slots=True, kw_only=True)
class PictureMessage:
    """The picture with the referee's reading, for people."""

    look: JpegFrame


@dataclass(frozen=True, slots=True, kw_only=True)
class RestMessage:
    """The board at rest, from straight above; the events that follow from it come after.

    key  its unique name
    """

    key: str
    plan: RectifiedBoardImage


@dataclass(frozen=True, slots=True, kw_only=True)
class FrameMessage:
    """A frame as the camera sent it, as PNG."""

    png: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class EndMessage:
    """The last message, with the reason for the end; None if the source was watched to its end.

    trace     the traceback of a failure that a sentence cannot explain
    has_died  whether the referee failed rather than its source
    """

    reason: str | None
    trace: str | None = None
    has_died: bool = False


SeenMessage = EventMessage | ProgressMessage | PictureMessage | RestMessage | FrameMessage


def run_referee(task: RefereeTask, pipe: Connection) -> None:
    """Watch until the pipe is closed; all events and pictures go into it."""
    step_back(_NICENESS)
    keep_freed_memory()
    sender = _MessageSender(pipe)
    # the process that reads has ended
    with contextlib.suppress(BrokenPipeError, ConnectionResetError):
        sender.send(_watch_to_end(task, pipe, sender))


def _watch_to_end(task: RefereeTask, pipe: Connection, sender: _MessageSender) -> EndMessage:
    """The reason why watching ended. Raises ``BrokenPipeError`` and similar errors if the listener
    is gone.
    """
    from calibration.profile import ProfileError, load_profile
    from scorer.referee.live_picture import ShownPicture
    from vision.io.sources import PushedFrames, SourceError, name_source

    stop, pushed = threading.Event(), PushedFrames() if task.source is None else None
    take = partial(_take_messages, pipe, stop, sender, pushed)
    threading.Thread(target=take, daemon=True).start()
    try:
        _choose_watch(task)(
            pushed if pushed is not None else str(task.source),
            rules=task.rules,
            profile=None if task.profile is None else load_profile(task.profile),
            on_event=sender.send_event,
            shown=ShownPicture(sender.send_picture, _PICTURE_PERIOD_S, sender.is_picture_wanted),
            on_frame=sender.take_frame,
            on_rest=sender.send_rest,
            stop=stop,
            say=_print_to_server,
        )
    except (BrokenPipeError, ConnectionResetError):
        raise
    except (SourceError, ProfileError) as error:
        trace = traceback.format_exc() if error.__cause__ is not None else None
        source = task.source or ""
        return EndMessage(reason=swap(str(error), source, name_source(source)), trace=trace)
    except Exception:  # noqa: BLE001  # whatever it is, the log must have it
        return EndMessage(reason=None, trace=traceback.format_exc(), has_died=True)
    return EndMessage(reason=None)


def _choose_watch(task: RefereeTask) -> Callable[..., object]:
    """The function that watches one camera, or two on one board, or plays a recording."""
    if task.recorded is not None:
        from webapp.live.recorded_referee import is_ready, play_recording

        if not is_ready():
            return partial(play_recording, task.recorded)
    if task.beside is None:
        from scorer.referee.watch import watch

        return partial(watch, realtime=task.realtime)
    from scorer.referee.cameras.watch_two_live import watch_two_live

    return partial(watch_two_live, beside=task.beside)


class _MessageSender:
    """Sends the referee's observations over the pipe, and keeps the frames for a replay."""

    def __init__(self, pipe: Connection) -> None:
        self._pipe, self._frame_wanted = pipe, threading.Event()
        self._pictures_until_s = -inf
        self._ring_buffer, self._looked_at, self._reported_s = FrameRingBuffer(), 0, -inf

    def take_request(self, request: str) -> None:
        """Take a request for a frame or for pictures."""
        if request == FRAME_WANTED:
            self._frame_wanted.set()
        else:
            self._pictures_until_s = monotonic() + _PICTURES_S

    def is_picture_wanted(self) -> bool:
        """Whether a viewer has requested pictures lately."""
        return monotonic() < self._pictures_until_s

    def send(self, message: SeenMessage | EndMessage) -> None:
        """Send from the watching thread; raises ``BrokenPipeError`` if the listener is gone."""
        self._pipe.send(message)

    def take_frame(self, frame: CameraImage, t_s: float) -> None:
        """Take a new frame; it is sent unchanged if a frame was requested."""
        self._looked_at += 1
        self._ring_buffer.take(frame, t_s)
        if t_s - self._reported_s >= _PROGRESS_PERIOD_S:
            self._reported_s = t_s
            self.send(ProgressMessage(frames=self._looked_at))
        if self._frame_wanted.is_set():
            self._frame_wanted.clear()
            self.send(FrameMessage(png=encode_png(frame.bgr)))

    def send_picture(self, picture: np.ndarray, t_s: float) -> None:
        """Send a live picture."""
        look = JpegFrame(t_s=t_s, jpeg=encode_screen_jpeg(CameraImage(picture)))
        self.send(PictureMessage(look=look))

    def send_event(self, event: Event) -> None:
        """Send an event; a shot with its replay, the end as a separate message."""
        from scorer.referee.events import EndedEvent, HandEvent, MotionEvent, ShotEvent, to_json

        if isinstance(event, EndedEvent):
            return
        self._ring_buffer.is_moving = isinstance(event, MotionEvent | HandEvent)
        film: tuple[JpegFrame, ...] = ()
        if isinstance(event, ShotEvent):
            film = self._ring_buffer.shot(event.t_start_s, event.t_rest_s)
        self.send(EventMessage(event=to_json(event), film=film))

    def send_rest(self, at_rest: BoardAtRest) -> None:
        """Send a board at rest."""
        plan = make_rectified_image(
            at_rest.image, at_rest.fit, at_rest.board.disc.contact_radius_mm
        )
        self.send(RestMessage(key=secrets.token_urlsafe(_KEY_BYTES), plan=plan))


def _print_to_server(sentence: str) -> None:
    """Print to the terminal of the server."""
    print(f"crokinole: {sentence}", file=sys.stderr, flush=True)


def _take_messages(
    pipe: Connection,
    stop: threading.Event,
    sender: _MessageSender,
    pushed: PushedFrames | None,
) -> None:
    """Pass on frames and requests; stop when the pipe closes, or its owner died."""
    with contextlib.suppress(EOFError, OSError):
        while True:
            message: JpegFrame | str = pipe.recv()
            if isinstance(message, str):
                sender.take_request(message)
            elif pushed is not None:
                pushed.push(message.jpeg, message.t_s)
    stop.set()
    if pushed is not None:
        pushed.close()
