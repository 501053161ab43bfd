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
from webapp.film import Film, Look, screen_jpeg
from webapp.plan import Plan, plan_of

#: People are shown what the referee makes of a picture this often, s of the source.
_LOOK_EVERY_S = 0.1
#: Events after which something moves on the board until the next one.
_STIRRING = frozenset({"motion", "hand"})
#: A board at rest has a name of so many random bytes: others cannot guess it, nor meet it twice.
_KEY_BYTES = 9
#: Pages and streams come first where cores are few: a verdict may wait a moment, a room does not.
_NICENESS = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
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
class Seen:
    """An event of the referee; ``film`` is what the camera saw of a shot."""

    event: dict[str, Any]
    film: tuple[Look, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """What people see of what the referee sees; ``frames`` were looked at until then."""

    look: Look
    frames: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Rest:
    """The board at rest, from straight above; the events that follow from it come after.

    key  its name, of which there is no other
    """

    key: str
    plan: Plan


@dataclass(frozen=True, slots=True, kw_only=True)
class Still:
    """A frame as the camera sent it, as PNG."""

    png: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class Ended:
    """The last word: why it ended; None where the source was watched to its end."""

    reason: str | None


def main(task: Task, pipe: Connection, leash: Connection) -> None:
    """Watch until the leash is let go; everything seen goes into the pipe."""
    os.nice(_NICENESS)
    from vision.sources import PushedFrames, SourceError
    from webapp.watch.run import watch

    stop, wish = threading.Event(), threading.Event()
    pushed = PushedFrames() if task.source is None else None
    threading.Thread(target=_obey, args=(leash, stop, wish, pushed), daemon=True).start()
    threading.Thread(target=_take_frames, args=(pipe, pushed), daemon=True).start()
    sending, film, looked_at = threading.Lock(), Film(), 0

    def say(message: Seen | Shown | Rest | Still | Ended) -> None:
        with sending:
            pipe.send(message)

    def take(frame: Any, t_s: float) -> None:
        nonlocal looked_at
        looked_at += 1
        film.take(frame, t_s)
        if wish.is_set():
            wish.clear()
            say(Still(png=_png(frame)))

    def show(picture: Any, t_s: float) -> None:
        say(Shown(look=Look(t_s=t_s, jpeg=screen_jpeg(picture)), frames=looked_at))

    def tell(event: dict[str, Any]) -> None:
        film.is_moving = event["type"] in _STIRRING
        is_shot = event["type"] == "shot"
        seen = film.shot(event["t_start_s"], event["t_rest_s"]) if is_shot else ()
        say(Seen(event=event, film=seen))

    try:
        watch(
            pushed if pushed is not None else str(task.source),
            rules=task.rules,
            profile=_profile(task.profile),
            emit=tell,
            look=show,
            look_every_s=_LOOK_EVERY_S,
            on_frame=take,
            on_rest=lambda rested: say(_rest(rested)),
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


def _obey(leash: Connection, stop: threading.Event, wish: threading.Event, pushed: Any) -> None:
    """Stop when the other end of the leash is let go, on purpose or because its holder died."""
    with contextlib.suppress(EOFError, OSError):
        while leash.recv_bytes():
            wish.set()
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


def _rest(rested: Any) -> Rest:
    """A board at rest, as pages look at it."""
    plan = plan_of(rested.image, rested.fit, rested.board.disc.contact_radius_mm)
    return Rest(key=secrets.token_urlsafe(_KEY_BYTES), plan=plan)


def _png(picture: Any) -> bytes:
    import cv2

    return cv2.imencode(".png", picture)[1].tobytes()
