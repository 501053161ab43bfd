"""The referee in a process of its own, so that nothing it does holds up the pages, nor they it.

Knows what goes over the pipe: what it is to watch, frames that a phone sends, and back what it saw.
Refuses to know who started it. It ends when told, when its source ends, or when nobody holds the
other end of the pipe any more.
"""

from __future__ import annotations

import contextlib
import os
import threading
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

#: The picture that people see of what the referee sees: enough to judge it, light for a phone.
LOOK_WIDTH_PX, LOOK_QUALITY = 960, 72
#: Pictures are made this often, s of the source: enough for a replay, and little work.
_LOOK_EVERY_S = 0.1
#: Pages and streams come first where cores are few: a verdict may wait a moment, a room does not.
_NICENESS = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """What to watch, and how.

    source    a file, a camera's number or a URL; None for frames that come over the pipe
    realtime  whether a file is played as fast as it was filmed, and not as fast as can be
    """

    source: str | None
    rules: str
    profile: Path | None = None
    realtime: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """An event of the referee."""

    event: dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """A picture with the overlay, as JPEG."""

    t_s: float
    jpeg: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class Ended:
    """The last word: why it ended; None where the source was watched to its end."""

    reason: str | None


def main(task: Task, pipe: Connection, leash: Connection) -> None:
    """Watch until the leash is let go; everything seen goes into the pipe."""
    os.nice(_NICENESS)
    from vision.sources import PushedFrames, SourceError
    from webapp.watch.run import watch

    stop = threading.Event()
    pushed = PushedFrames() if task.source is None else None
    threading.Thread(target=_obey, args=(leash, stop, pushed), daemon=True).start()
    threading.Thread(target=_take_frames, args=(pipe, pushed), daemon=True).start()
    sending = threading.Lock()

    def say(message: Seen | Look | Ended) -> None:
        with sending:
            pipe.send(message)

    try:
        watch(
            pushed if pushed is not None else str(task.source),
            rules=task.rules,
            profile=_profile(task.profile),
            emit=lambda event: say(Seen(event=event)),
            look=lambda picture, t_s: say(Look(t_s=t_s, jpeg=_jpeg(picture))),
            look_every_s=_LOOK_EVERY_S,
            stop=stop,
            realtime=task.realtime,
        )
    except BrokenPipeError:
        return  # whoever listened is gone
    except (SourceError, OSError, ValueError) as error:
        say(Ended(reason=str(error)))
        return
    say(Ended(reason=None))


def _profile(path: Path | None) -> Any:
    from calibration.profile import load_profile

    return None if path is None else load_profile(path)


def _obey(leash: Connection, stop: threading.Event, pushed: Any) -> None:
    """Stop when the other end of the leash is let go, on purpose or because its holder died."""
    with contextlib.suppress(EOFError, OSError):
        leash.recv_bytes()
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


def _jpeg(picture: Any) -> bytes:
    """The picture as JPEG, small enough for a phone."""
    import cv2

    height, width = picture.shape[:2]
    if width > LOOK_WIDTH_PX:
        size = (LOOK_WIDTH_PX, round(height * LOOK_WIDTH_PX / width))
        picture = cv2.resize(picture, size, interpolation=cv2.INTER_AREA)
    is_made, made = cv2.imencode(".jpg", picture, [cv2.IMWRITE_JPEG_QUALITY, LOOK_QUALITY])
    if not is_made:
        raise ValueError("A picture cannot be written as JPEG; install OpenCV again.")
    return made.tobytes()
