"""``crokinole watch``: a clip or a camera to events, one JSON object a line."""

from __future__ import annotations

import argparse
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

import cv2
import numpy as np

from calibration.json_text import format_json
from calibration.profile import CalibrationProfile, ProfileError, load_profile
from scorer.referee.event_sentences import describe_event
from scorer.referee.events import Event
from scorer.referee.live_picture import ShownPicture
from scorer.referee.watch import RunStatistics, watch
from scorer.rules.options import RulesError
from vision.io.sources import SourceError, open_source
from webapp.cli.archive_arguments import add_jobs, wants_lines
from webapp.cli.argument_values import UsageError, check_outputs, expand_patterns, file_name
from webapp.cli.commands.serve import (
    add_address,
    build_config,
    print_addresses,
    serve_until_stopped,
)
from webapp.cli.data_arguments import add_data_folder
from webapp.cli.rules_argument import add_rules
from webapp.process_limits import keep_freed_memory

#: The video that is written has this many frames a second of the source.
_OVERLAY_FPS = 30.0


def add_to(commands: Any, summary: str) -> None:
    """Add this command to argparse's subparsers."""
    parser = commands.add_parser(
        "watch",
        help=summary,
        description="Follow a game through one fixed camera and call every shot.",
    )
    parser.add_argument(
        "sources",
        nargs="+",
        type=file_name,
        metavar="SOURCE",
        help="a video, a folder of pictures, a camera's number, or a URL; several with --jobs",
    )
    add_rules(parser)
    parser.add_argument("--profile", type=Path, metavar="FILE", help="a board's and discs' sizes")
    parser.add_argument(
        "--events", type=Path, metavar="FILE", help="write events here, one JSON object a line"
    )
    parser.add_argument(
        "--json", action="store_true", help="print events as JSON lines and nothing else"
    )
    parser.add_argument(
        "--overlay-video",
        type=Path,
        metavar="FILE",
        help="write the video with what is seen drawn on it",
    )
    parser.add_argument(
        "--beside",
        type=file_name,
        metavar="SOURCE",
        help="a second camera on the same board, or its recording of the same game: one verdict",
    )
    parser.add_argument(
        "--beside-offset",
        type=float,
        metavar="S",
        help="what to add to the second recording's times; else motion in both tells it",
    )
    parser.add_argument("--real-time", action="store_true", help="play a clip at its own speed")
    parser.add_argument(
        "--serve", action="store_true", help="show it in browsers too, as `crokinole serve` does"
    )
    add_address(parser)
    add_data_folder(parser)
    add_jobs(parser)
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> list[str]:
    """Watch and print events; returns what went wrong, one sentence each.

    Raises ``UsageError`` for arguments that cannot go together.
    """
    keep_freed_memory()
    arguments.sources = expand_patterns(arguments.sources)
    written = [arguments.events, arguments.overlay_video, arguments.lines]
    _check_together(arguments)
    lost = check_outputs(written, [*arguments.sources, arguments.beside or ""])
    if lost:
        return lost
    if wants_lines(arguments):
        return _watch_many(arguments)
    arguments.source = arguments.sources[0]
    if arguments.serve:
        return _serve_and_watch(arguments)
    try:
        profile = None if arguments.profile is None else load_profile(arguments.profile)
        with _open_outputs(arguments) as (emit, shown), _stop_on_signal() as stop:
            if arguments.beside is not None:
                _watch_two(arguments, profile, emit, stop)
                return []
            pace = _watch(arguments, profile, emit, shown, stop)
    except (SourceError, ProfileError, RulesError) as error:
        return [str(error)]
    except BrokenPipeError:
        raise  # nobody reads what is printed
    except OSError as error:
        if error.filename is None:
            raise
        return [f"{error.filename} cannot be written ({error.strerror}); choose another place."]
    for sentence in pace.trouble:
        _tell(sentence)
    return []


def _check_together(arguments: argparse.Namespace) -> None:
    """Raise ``UsageError`` where one argument asks for what another rules out."""
    if arguments.beside_offset is not None and arguments.beside is None:
        raise UsageError("--beside-offset is for a second recording; name it with --beside.")
    if wants_lines(arguments):
        if arguments.serve or arguments.events or arguments.overlay_video or arguments.beside:
            raise UsageError(
                "With --jobs each source's events go into a line; leave out --serve, --events, "
                "--overlay-video and --beside."
            )
    elif len(arguments.sources) > 1:
        raise UsageError("One source is watched at a time; name --jobs N for several.")
    elif arguments.overlay_video and arguments.beside is not None:
        raise UsageError("--overlay-video shows one camera; leave it out, or --beside.")
    elif arguments.overlay_video and arguments.serve:
        raise UsageError("No video is written while serving; leave out --overlay-video or --serve.")


def _watch_many(arguments: argparse.Namespace) -> list[str]:
    """Watch several clips; a line for each with its events."""
    try:
        if arguments.profile is not None:
            load_profile(arguments.profile)
    except ProfileError as error:
        return [str(error)]
    from webapp.cli.archive import run_jobs

    return run_jobs(arguments.sources, arguments, make_watch_line)


def make_watch_line(source: str, arguments: argparse.Namespace) -> dict[str, Any]:
    """The events of one source, or why it cannot be watched to its end."""
    events: list[Event] = []
    line: dict[str, Any] = {"source": source, "status": "watched", "reason": None}
    try:
        profile = None if arguments.profile is None else load_profile(arguments.profile)
        watch(source, rules=arguments.rules, profile=profile, on_event=events.append)
    except (SourceError, RulesError) as error:
        line |= {"status": "failed", "reason": str(error)}
    return line | {"events": events}


def _serve_and_watch(arguments: argparse.Namespace) -> list[str]:
    """Watch in a server, whose events go where they would go without one."""
    # Pages and their server take long to load, and watching alone needs none.
    from scorer.store import StoreError
    from webapp.data_folder import DataFolderError
    from webapp.server import RunningServer
    from webapp.services import services_of

    try:
        config = build_config(arguments)
    except (DataFolderError, ProfileError, StoreError) as error:
        return [str(error)]
    with _open_outputs(arguments) as (emit, _):
        outcome = _ServedOutcome(emit)

        def begin(running: RunningServer) -> None:
            services_of(running.app).scoreboard.add_listener(outcome.take)
            print_addresses(running, sys.stderr)

        return serve_until_stopped(config, begin) + outcome.faults


class _ServedOutcome:
    """What went wrong while a server watched: its pages stay, and the command fails in the end."""

    def __init__(self, emit: Callable[[Event], None]) -> None:
        self.faults: list[str] = []
        self._emit = emit

    def take(self, event: dict[str, Any]) -> None:
        """Hand on what the referee saw; say at once why it stopped, until it begins again."""
        try:
            if "t_s" in event:
                self._emit(event)
            elif event["type"] == "referee" and event["status"] == "starting":
                self.faults = []
            elif event["type"] == "referee" and event["status"] == "failed":
                self.faults = [event["reason"]]
                words = f"{event['reason']} The pages stay until you stop them with Ctrl-C."
                print(f"crokinole: {words}", file=sys.stderr, flush=True)
        except OSError as error:
            where = error.filename or "the output"
            self.faults = [f"{where} cannot be written ({error.strerror}); choose another place."]


def _watch(
    arguments: argparse.Namespace,
    profile: CalibrationProfile | None,
    emit: Callable[[Event], None],
    shown: ShownPicture | None,
    stop: threading.Event,
) -> RunStatistics:
    return watch(
        arguments.source,
        rules=arguments.rules,
        profile=profile,
        on_event=emit,
        shown=shown,
        stop=stop,
        realtime=arguments.real_time,
        say=_tell,
    )


def _watch_two(
    arguments: argparse.Namespace,
    profile: CalibrationProfile | None,
    emit: Callable[[Event], None],
    stop: threading.Event,
) -> None:
    # Most watch one camera, and need not wait until this is loaded.
    from scorer.referee.cameras.watch_two import TwoFilms, watch_two
    from scorer.referee.cameras.watch_two_live import watch_two_live

    both = arguments.source, arguments.beside
    if arguments.real_time or any(open_source(each).is_live for each in both):
        if arguments.beside_offset is not None:
            raise SourceError("Live clocks are matched by motion; leave out --beside-offset.")
        more = {"rules": arguments.rules, "profile": profile, "say": _tell, "stop": stop}
        watch_two_live(*both, on_event=emit, **more)
        return
    watch_two(
        TwoFilms(first=arguments.source, second=arguments.beside, offset_s=arguments.beside_offset),
        rules=arguments.rules,
        profile=profile,
        on_event=emit,
        say=_tell,
        stop=stop,
    )


def _tell(sentence: str) -> None:
    print(f"crokinole: {sentence}", file=sys.stderr, flush=True)


@contextmanager
def _open_outputs(
    arguments: argparse.Namespace,
) -> Iterator[tuple[Callable[[Event], None], ShownPicture | None]]:
    """What takes events and pictures; every event is on the disk before the next frame."""
    video = _OverlayVideo(arguments.overlay_video) if arguments.overlay_video else None
    file: IO[bytes] | None = arguments.events.open("wb", buffering=0) if arguments.events else None

    def emit(event: Event) -> None:
        line = format_json(event, allow_nan=False)
        if file is not None:
            _write_line(file, line, arguments.events)
        if arguments.json:
            print(line, flush=True)
        else:
            for words in describe_event(event):
                print(words, flush=True)

    try:
        yield emit, None if video is None else ShownPicture(video.write, every_s=0.0)
    finally:
        if file is not None:
            file.close()
        if video is not None:
            video.close()


def _write_line(file: IO[bytes], line: str, path: Path) -> None:
    """Write a line at once. Raises ``OSError`` that names the file."""
    try:
        file.write(f"{line}\n".encode())
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(path)) from None


class _OverlayVideo:
    """A video file of its first picture's size; it holds a picture until the next one's time."""

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
                raise SourceError(f"{self._path} cannot be written; name a file that ends in .mp4.")
        while self._written <= t_s * _OVERLAY_FPS:
            self._writer.write(picture)
            self._written += 1

    def close(self) -> None:
        """Finish the file."""
        if self._writer is not None:
            self._writer.release()


@contextmanager
def _stop_on_signal() -> Iterator[threading.Event]:
    """An event that Ctrl-C and termination set, so that the round's score is still printed."""
    stop = threading.Event()
    if threading.current_thread() is not threading.main_thread():
        yield stop
        return
    before = {
        each: signal.signal(each, lambda *_: stop.set()) for each in (signal.SIGINT, signal.SIGTERM)
    }
    try:
        yield stop
    finally:
        for each, handler in before.items():
            signal.signal(each, handler)
