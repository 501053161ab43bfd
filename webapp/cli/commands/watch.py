"""``crokinole watch``: a clip or a camera becomes events, one JSON object per line."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from calibration.json_text import format_json
from calibration.profile import CalibrationProfile, load_profile
from calibration.user_error import Trouble
from scorer.referee.event_sentences import describe_event
from scorer.referee.events import Event, from_json, to_json
from scorer.referee.live_picture import ShownPicture
from scorer.referee.watch import watch
from scorer.rules.options import RulesError
from vision.io.sources import SourceError, open_source
from webapp.cli.argument_values import check_outputs, expand_patterns, refuse_if
from webapp.cli.console import warn
from webapp.cli.many_sources import ManySources
from webapp.end_signals import at_end_signal
from webapp.process_limits import keep_freed_memory

#: Frame rate of the written video, in frames per second of the source.
_OVERLAY_FPS = 30.0

_Emit = Callable[[Event], None]


def watch_sources(
    sources: Sequence[str],
    rules: str,
    profile: Path | None,
    events: Path | None,
    as_json: bool,
    overlay_video: Path | None,
    beside: str | None,
    beside_offset: float | None,
    real_time: bool,
    is_served: bool,
    host: str,
    port: int,
    data: Path | None,
    **jobs: Any,
) -> list[str]:
    """Watch and print events; returns the errors, one sentence each.

    Raises ``UsageError`` for arguments that cannot be combined.
    """
    keep_freed_memory()
    many, names = ManySources(**jobs), expand_patterns(sources)
    refuse_if(
        (
            beside_offset is not None and beside is None,
            "--beside-offset needs a second recording. Give it with --second-camera.",
        ),
        (
            many.is_wanted and (is_served or events or overlay_video or beside),
            "--jobs cannot be used with --serve, --events, --overlay-video or --second-camera.",
        ),
        (
            not many.is_wanted and len(names) > 1,
            "Give one source, or use --jobs N for several.",
        ),
        (
            overlay_video and beside is not None,
            "--overlay-video and --second-camera cannot be used together. Leave one out.",
        ),
        (
            overlay_video and is_served,
            "--overlay-video and --serve cannot be used together. Leave one out.",
        ),
    )
    check_outputs([events, overlay_video, many.lines], [*names, beside or ""])
    sizes = None if profile is None else load_profile(profile)
    if many.is_wanted:
        return many.run(names, partial(make_watch_line, rules=rules, profile=sizes))
    with ExitStack() as stack:
        emit = stack.enter_context(_open_output(events, as_json=as_json))
        if is_served:
            places = {"host": host, "port": port, "data": data, "profile": profile}
            return _serve_and_watch(emit, source=names[0], beside=beside, rules=rules, **places)
        more: dict[str, Any] = {"rules": rules, "profile": sizes, "on_event": emit, "say": warn}
        more["stop"] = stop = threading.Event()  # so that the score of the round is still printed
        stack.enter_context(at_end_signal(lambda *_: stop.set()))
        if beside is not None:
            _watch_two(names[0], beside, beside_offset, is_live=real_time, **more)
            return []
        if overlay_video is not None:
            video = _OverlayVideo(overlay_video)
            stack.callback(video.close)
            more["shown"] = ShownPicture(video.write, every_s=0.0)
        for sentence in watch(names[0], realtime=real_time, **more).trouble:
            warn(sentence)
    return []


def make_watch_line(
    source: str, rules: str, profile: CalibrationProfile | None
) -> dict[str, object]:
    """The events of one source, or why it cannot be watched to its end."""
    events: list[Event] = []
    line: dict[str, object] = {"source": source, "status": "watched", "reason": None}
    try:
        watch(source, rules=rules, profile=profile, on_event=events.append)
    except (SourceError, RulesError) as error:
        line |= {"status": "failed", "reason": str(error)}
    return line | {"events": [to_json(event) for event in events]}


def _serve_and_watch(emit: _Emit, **settings: Any) -> list[str]:
    """Watch in a server; the events go to the same output as without one."""
    # Pages and their server are slow to import, and watching alone does not need them.
    from webapp.cli.commands.serve import build_config, print_addresses
    from webapp.http.logs import log_to_stderr
    from webapp.server import RunningServer, serve
    from webapp.services import services_of

    outcome = _ServedOutcome(emit)

    def begin(running: RunningServer) -> None:
        services_of(running.app).scoreboard.add_listener(outcome.take)
        print_addresses(running, sys.stderr)

    log_to_stderr()
    serve(build_config(**settings), on_ready=begin)
    return outcome.faults


class _ServedOutcome:
    """The failure of a watch in a server: the pages stay open, and the command fails at the end."""

    def __init__(self, emit: _Emit) -> None:
        self.faults: list[str] = []
        self._emit = emit

    def take(self, event: dict[str, object]) -> None:
        """Pass on the referee's observation; if it stopped, print the reason at once, and then
        nothing until it starts again.
        """
        try:
            if "t_s" in event:
                self._emit(from_json(event))
            elif event["type"] == "referee" and event["status"] == "starting":
                self.faults = []
            elif event["type"] == "referee" and event["status"] == "failed":
                self.faults = [str(event["reason"])]
                warn(f"{event['reason']} The pages stay open until you press Ctrl+C.")
        except Trouble as trouble:
            self.faults = [str(trouble)]
        except OSError as error:
            self.faults = [
                f"The output cannot be written ({error.strerror}). Choose another place."
            ]


def _watch_two(
    source: str, beside: str, offset_s: float | None, *, is_live: bool, **more: Any
) -> None:
    # Only used with several sources, and slow to import.
    from scorer.referee.cameras.watch_two import watch_two
    from scorer.referee.cameras.watch_two_live import watch_two_live

    if not (is_live or open_source(source).is_live or open_source(beside).is_live):
        watch_two(source, beside, offset_s=offset_s, **more)
    elif offset_s is not None:
        raise SourceError("Live cameras are synchronised by motion. Leave out --beside-offset.")
    else:
        watch_two_live(source, beside, **more)


@contextmanager
def _open_output(events: Path | None, *, as_json: bool) -> Iterator[_Emit]:
    """A receiver of events; every event is on the disk before the next frame."""
    file = events.open("wb", buffering=0) if events else None

    def emit(event: Event) -> None:
        line = format_json(to_json(event), allow_nan=False)
        if file is not None:
            try:
                file.write(f"{line}\n".encode())
            except OSError as error:
                reason = f"{events} cannot be written ({error.strerror}). Choose another place."
                raise Trouble(reason) from None
        for words in [line] if as_json else describe_event(event):
            print(words, flush=True)

    try:
        yield emit
    finally:
        if file is not None:
            file.close()


class _OverlayVideo:
    """A video file of its first picture's size, which repeats a picture until the next one's
    time.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._writer: cv2.VideoWriter | None = None
        self._written = 0

    def write(self, picture: np.ndarray, t_s: float) -> None:
        """Add a picture that is shown from ``t_s`` on."""
        if self._writer is None:
            size = picture.shape[1], picture.shape[0]
            kind = "VP80" if self._path.suffix.lower() == ".webm" else "mp4v"
            code = cv2.VideoWriter.fourcc(*kind)
            self._writer = cv2.VideoWriter(str(self._path), code, _OVERLAY_FPS, size)
            if not self._writer.isOpened():
                raise SourceError(
                    f"{self._path} cannot be written. Choose a name that ends in .mp4."
                )
        while self._written <= t_s * _OVERLAY_FPS:
            self._writer.write(picture)
            self._written += 1

    def close(self) -> None:
        """Finish the file."""
        if self._writer is not None:
            self._writer.release()
