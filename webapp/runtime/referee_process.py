"""The referee in a process of its own, so that nothing it does holds up the pages, nor they it.

Knows what goes over the pipe: what it is to watch, frames that a phone sends, and back what it saw.
Refuses to know who started it. A word over the leash asks for a frame as the camera sent it; the
process ends when the leash is let go, when its source ends, or when nobody holds the other end of
the pipe any more.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import threading
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from scorer.rules.sets import RuleSet
from webapp.photo.rectified_image import RectifiedBoardImage, make_rectified_image
from webapp.runtime.ring_buffer import FrameRingBuffer, JpegFrame, encode_screen_jpeg

#: People are shown what the referee makes of a picture this often, s of the source.
_PICTURE_PERIOD_S = 0.1
#: Events after which something moves on the board until the next one.
_MOTION_EVENTS = frozenset({"motion", "hand"})
#: A board at rest has a name of so many random bytes: others cannot guess it, nor meet it twice.
_KEY_BYTES = 9
#: Pages and streams come first where cores are few: a verdict may wait a moment, a room does not.
_NICENESS = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class RefereeTask:
    """What to watch, and how.

    source    a file, a camera's number or a URL; None for frames that come over the pipe
    realtime  whether a file is played as fast as it was filmed, and not as fast as can be
    """

    source: str | None
    rules: RuleSet
    profile: Path | None = None
    realtime: bool = True

    @property
    def is_live(self) -> bool:
        """Whether a camera is watched, and not a file that begins anew each time."""
        return self.source is None or "://" in self.source or self.source.isdigit()


@dataclass(frozen=True, slots=True, kw_only=True)
class EventMessage:
    """An event of the referee; ``film`` is what the camera saw of a shot."""

    event: dict[str, Any]
    film: tuple[JpegFrame, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class PictureMessage:
    """What people see of what the referee sees; ``frames`` were looked at until then."""

    look: JpegFrame
    frames: int


@dataclass(frozen=True, slots=True, kw_only=True)
class RestMessage:
    """The board at rest, from straight above; the events that follow from it come after.

    key  its name, of which there is no other
    """

    key: str
    plan: RectifiedBoardImage


@dataclass(frozen=True, slots=True, kw_only=True)
class FrameMessage:
    """A frame as the camera sent it, as PNG."""

    png: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class EndMessage:
    """The last message: why it ended; None where the source was watched to its end."""

    reason: str | None


def run_referee(task: RefereeTask, pipe: Connection, control: Connection) -> None:
    """Watch until the control pipe is closed; every event and picture goes into the other pipe."""
    os.nice(_NICENESS)
    from vision.io.sources import PushedFrames, SourceError
    from webapp.referee.watch import watch

    stop, frame_wanted = threading.Event(), threading.Event()
    pushed = PushedFrames() if task.source is None else None
    threading.Thread(
        target=_handle_control, args=(control, stop, frame_wanted, pushed), daemon=True
    ).start()
    threading.Thread(target=_take_frames, args=(pipe, pushed), daemon=True).start()
    sending, film, looked_at = threading.Lock(), FrameRingBuffer(), 0

    def say(
        message: EventMessage | PictureMessage | RestMessage | FrameMessage | EndMessage,
    ) -> None:
        with sending:
            pipe.send(message)

    def take(frame: Any, t_s: float) -> None:
        nonlocal looked_at
        looked_at += 1
        film.take(frame, t_s)
        if frame_wanted.is_set():
            frame_wanted.clear()
            say(FrameMessage(png=_encode_png(frame)))

    def show(picture: Any, t_s: float) -> None:
        say(
            PictureMessage(
                look=JpegFrame(t_s=t_s, jpeg=encode_screen_jpeg(picture)), frames=looked_at
            )
        )

    def tell(event: dict[str, Any]) -> None:
        film.is_moving = event["type"] in _MOTION_EVENTS
        is_shot = event["type"] == "shot"
        seen = film.shot(event["t_start_s"], event["t_rest_s"]) if is_shot else ()
        say(EventMessage(event=event, film=seen))

    try:
        watch(
            pushed if pushed is not None else str(task.source),
            rules=task.rules,
            profile=_load_profile(task.profile),
            on_event=tell,
            on_picture=show,
            picture_every_s=_PICTURE_PERIOD_S,
            on_frame=take,
            on_rest=lambda rested: say(_make_rest_message(rested)),
            stop=stop,
            realtime=task.realtime,
        )
    except BrokenPipeError:
        return  # whoever listened is gone
    except (SourceError, OSError, ValueError) as error:
        say(EndMessage(reason=str(error)))
        return
    say(EndMessage(reason=None))


def _load_profile(path: Path | None) -> Any:
    from calibration.profile import load_profile

    return None if path is None else load_profile(path)


def _handle_control(
    control: Connection, stop: threading.Event, frame_wanted: threading.Event, pushed: Any
) -> None:
    """Stop when the control pipe closes, or its owner died; a message asks for a frame."""
    with contextlib.suppress(EOFError, OSError):
        while control.recv_bytes():
            frame_wanted.set()
    stop.set()
    if pushed is not None:
        pushed.close()


def _take_frames(pipe: Connection, pushed: Any) -> None:
    """Hand frames on."""
    with contextlib.suppress(EOFError, OSError):
        while True:
            jpeg = pipe.recv_bytes()
            if pushed is not None:
                pushed.push(jpeg)


def _make_rest_message(rested: Any) -> RestMessage:
    """A tracker's board at rest as the message that goes over the pipe."""
    plan = make_rectified_image(rested.image, rested.fit, rested.board.disc.contact_radius_mm)
    return RestMessage(key=secrets.token_urlsafe(_KEY_BYTES), plan=plan)


def _encode_png(picture: Any) -> bytes:
    import cv2

    return cv2.imencode(".png", picture)[1].tobytes()
