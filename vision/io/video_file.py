"""A recorded clip as timed frames, which FFmpeg (PyAV) decodes in advance in a separate thread.

Times are the frames' own presentation times, counted from the first frame. Pictures look as in
video players: with square pixels for any sample aspect ratio, and turned upright by the display
matrix that phones write. A frame that repeats the previous one is merged with it
(``repeated_frames``), the first frame after a cut is marked (``cuts``), and damaged frames are
skipped and reported at the end. A film that ends before its stated time raises ``BrokenOffError``
there.
"""

from __future__ import annotations

import queue
import re
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from contextvars import copy_context
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, cast

import cv2
import numpy as np

from calibration.parameters import StageParameters, parameter
from calibration.phrase import Phrase
from vision.io.cuts import mark_cuts
from vision.io.frame_converter import FrameConverter
from vision.io.open_container import open_container
from vision.io.repeated_frames import merge_repeats
from vision.io.timed_frame import BrokenOffError, CameraImage, SourceError, TimedFrame

if TYPE_CHECKING:
    import av
    from av.container import InputContainer


#: FFmpeg's formats of files that contain a film themselves; a playlist names other files. Single
#: pictures are opened too, so that their error can give the remedy.
_DEMUXERS = (
    "mov,matroska,avi,mpegts,mpeg,mpegvideo,m4v,flv,asf,ogg,h264,hevc,mjpeg,gif,"
    "image2,jpeg_pipe,png_pipe"
)


class VideoFileParameters(StageParameters):
    """Parameters of ``video_file``."""

    #: A clip is incomplete if it has fewer frames than it states, by more than this number and this
    #: share.
    least_missing: int = parameter(
        5, unit="frames", source="chosen: editing programs miscount a few frames"
    )
    missing_share: float = parameter(
        0.02, unit="share", source="chosen: editing programs miscount some frames of long clips"
    )


PARAMS = VideoFileParameters()
#: Frame rate of clips whose frames have no times and that state no rate: that of most phones.
_DEFAULT_FPS = 30.0
#: A frame rate outside these bounds means a broken header: slower films are time-lapses; slow
#: motion ends at 960.
_FPS_BOUNDS = (1.0, 1000.0)
#: Larger frames are refused before any is decoded: 8K video has 33 megapixels.
_MAX_PIXELS = 40_000_000
#: Larger frames are decoded in FFmpeg's own threads: in films of 720p, threads take a tenth longer;
#: a frame of 4K has nine times as many pixels.
_MOST_PIXELS_ALONE = 1920 * 1080
#: Number of frames decoded in advance: enough for one slow frame, and only 100 MB for a 4K clip.
_FRAMES_AHEAD = 4
#: FFmpeg decodes frames of this kind without smoothing the edges of their blocks (measured on 4
#: clips: saves a tenth to a fifth of the decoding time, at an error of 0.04 grey levels).
_UNFILTERED = "bidir"
#: Frames are compared on a grid with this many cells across: 8 px of a 720p frame, a third of a
#: disc.
_CELLS_ACROSS = 160
#: Interval at which a waiting thread checks ``stop``, so that stopping feels immediate.
POLL_S = 0.1
#: Containers that state their own duration, by FFmpeg's names; for others FFmpeg computes it from
#: the content.
_STATING = frozenset({"matroska", "mov", "avi", "flv", "asf"})


#: ASF's file properties object, the offset of the file size in it, and the length of the header.
_ASF_PROPERTIES = bytes.fromhex("a1dcab8c47a9cf118ee400c00c205365")
_ASF_SIZE_AT, _ASF_HEAD_BYTES = 40, 65536


class VideoFile:
    """A recorded video, read as fast as its frames are consumed."""

    is_live = False

    def __init__(self, path: Path) -> None:
        self.name = str(path)
        self._path = path
        if path.stat().st_size == 0:
            raise SourceError(
                Phrase("%(path)s is empty. Copy it again from the camera.", path=path)
            )
        self._open().close()

    def _open(self) -> InputContainer:
        """The clip, if its frames can be decoded. Raises ``SourceError``."""
        # Loaded only for clips: photos do not need it.
        import av

        # Errors are reported here, in one sentence. With logging on, decoding threads take Python's
        # lock to log, and deadlock with the thread that closes a clip.
        av.logging.set_level(None)
        try:
            # A playlist that pretends to be a video must not fetch anything.
            local = {"protocol_whitelist": "file", "format_whitelist": _DEMUXERS}
            container = open_container(str(self._path), options=local)
        except (av.FFmpegError, OSError) as error:
            raise SourceError(
                Phrase(
                    "%(path)s cannot be opened as a video. Copy it again from the "
                    "camera, or convert it to MP4.",
                    path=self._path,
                )
            ) from error
        reason = _find_obstacle(container)
        if reason is not None:
            container.close()
            raise SourceError(Phrase("%(path)s %(reason)s", path=self._path, reason=reason))
        return container

    def frames(self, stop: threading.Event, report: Callable[[str], None]) -> Iterator[TimedFrame]:
        """Every frame that can be decoded.

        Raises ``SourceError`` if there is none, and ``BrokenOffError`` after the last frame of a
        film that is shorter than stated.
        """
        with self._open() as container:
            decoder = _Decoder(container)
            yield from _read_ahead(decoder.frames, stop)
            if not stop.is_set():
                self._report_missing(decoder, report)

    def _report_missing(self, decoder: _Decoder, report: Callable[[str], None]) -> None:
        """Report the frames that could not be decoded. Raises ``SourceError``."""
        if decoder.decoded == 0:
            raise SourceError(
                Phrase("%(path)s contains no readable frames. Record it again.", path=self._path)
            )
        if self._breaks_off(decoder):
            raise BrokenOffError(_describe_end(str(self._path), decoder.seen_s, decoder.stated_s))
        if damaged := decoder.count_damaged():
            report(
                Phrase(
                    "%(name)s is damaged, and %(damaged)s of its frames were skipped. "
                    "Copy it again from the camera.",
                    name=self._path.name,
                    damaged=damaged,
                )
            )
        elif decoder.decoded == 1:
            report(
                Phrase(
                    "%(name)s has only one frame, so it cannot show a shot. Use "
                    "`crokinole score` for photos.",
                    name=self._path.name,
                )
            )

    def _breaks_off(self, decoder: _Decoder) -> bool:
        """Whether the file ends before its stated time.

        In a complete file the last frame may be displayed for a long time, and the sound may run
        longer than the picture.
        """
        if decoder.stated_s and decoder.reaches(decoder.end_s):
            return False
        if decoder.lacks_frames() or _lacks_bytes(self._path):
            return True
        with self._open() as container:
            return not decoder.reaches(_find_end_s(container))


def _describe_end(name: str, seen_s: float, stated_s: float) -> str:
    """The time at which a film breaks off, and its stated duration, if known."""
    if stated_s <= seen_s:
        return Phrase(
            "%(name)s ends early at %(seen_s).1f s. Everything before that was read.",
            name=name,
            seen_s=seen_s,
        )
    return Phrase(
        "%(name)s ends early at %(seen_s).1f of %(stated_s).1f s. Everything before that was read.",
        name=name,
        seen_s=seen_s,
        stated_s=stated_s,
    )


def _lacks_bytes(path: Path) -> bool:
    """Whether a WMV file is shorter than its header states: FFmpeg reads no duration from an
    incomplete one.
    """
    with path.open("rb") as file:
        head = file.read(_ASF_HEAD_BYTES)
    found = head.find(_ASF_PROPERTIES)
    stated = head[found + _ASF_SIZE_AT :][:8] if found >= 0 else b""
    return path.stat().st_size < int.from_bytes(stated, "little")


def _find_end_s(container: InputContainer) -> float:
    """End of a file's last picture or sound, s of its own clock."""
    import av

    end_s = 0.0
    with suppress(av.FFmpegError):  # an incomplete file cannot be read further
        for packet in container.demux():
            if packet.pts is not None:
                end_s = max(end_s, float((packet.pts + (packet.duration or 0)) * packet.time_base))
    return end_s


def _find_obstacle(container: InputContainer) -> str | None:
    """The reason why an opened clip cannot be shown, and the remedy, as the rest of a sentence that
    begins with the clip's name.
    """
    if not container.streams.video:
        return Phrase("has sound but no picture. Choose a video.")
    stream = container.streams.video[0]
    if cast("object | None", stream.codec_context) is None:
        return Phrase("uses an unsupported format. Convert it to MP4.")
    if stream.width * stream.height > _MAX_PIXELS:
        return Phrase(
            "has frames of %(width)s × %(height)s pixels. Convert it to a smaller size.",
            width=stream.width,
            height=stream.height,
        )
    return None


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Converted:
    """A decoded picture, its time, and its luma over the cells of a coarse grid."""

    picture: CameraImage
    t_s: float
    cells: np.ndarray


class _Decoder:
    """Decodes a clip's first video stream, once.

    decoded   number of frames so far
    damaged   number of frames so far that could not be decoded
    promised  number of frames stated by the file; 0 if there is none
    stated_s  stated duration of the film, s; 0 if there is none
    seen_s    decoded duration, s
    end_s     end of the last decoded frame, s of the file's clock
    """

    def __init__(self, container: InputContainer) -> None:
        self._container, self._stream = container, container.streams.video[0]
        self._converter = FrameConverter(self._stream)
        is_large = self._stream.width * self._stream.height > _MOST_PIXELS_ALONE
        self._stream.thread_type = "AUTO" if is_large else "NONE"
        self._stream.codec_context.options = {"skip_loop_filter": _UNFILTERED}
        self.promised: int = self._stream.frames
        self.decoded = self.damaged = self._packets = 0
        fps = float(self._stream.guessed_rate or 0)
        low, high = _FPS_BOUNDS
        self._step_s = 1.0 / (fps if low <= fps <= high else _DEFAULT_FPS)
        self.stated_s = self._read_stated_s()
        self.seen_s = self.end_s = 0.0

    def _read_stated_s(self) -> float:
        names = set(self._container.format.name.split(","))
        if not names & _STATING:
            return 0.0
        if "avi" in names:  # FFmpeg shortens the duration of an incomplete file
            return self.promised * self._step_s
        if self._stream.duration and self._stream.time_base:
            return float(self._stream.duration * self._stream.time_base)
        whole_s = (self._container.duration or 0) / 1e6  # of the longest stream
        return _parse_duration_s(self._stream.metadata.get("DURATION", "")) or whole_s

    def lacks_frames(self) -> bool:
        """Whether the file states more frames than were decoded."""
        return self._are_many(self.promised - self.decoded - self.damaged)

    def count_damaged(self) -> int:
        """Number of damaged frames, including those that FFmpeg drops without an error."""
        vanished = self._packets - self.decoded if self.promised else 0
        return vanished if self._are_many(vanished - self.damaged) else self.damaged

    def _are_many(self, frames: int) -> bool:
        return frames > max(PARAMS.least_missing, PARAMS.missing_share * self.promised)

    def reaches(self, end_s: float) -> bool:
        """Whether a film that ends at this time, s of its clock, has its full stated duration."""
        return self.stated_s - end_s <= PARAMS.least_missing * self._step_s

    def frames(self) -> Iterator[TimedFrame]:
        """Every new frame, at the middle of its display time."""
        merged = merge_repeats(self._convert(), lambda converted: converted.cells)
        for (new, again), is_cut in mark_cuts(merged, lambda pair: pair[0].cells):
            t_s = (new.t_s + again.t_s) / 2
            yield TimedFrame(picture=new.picture, t_s=t_s, is_cut=is_cut)

    def _convert(self) -> Iterator[_Converted]:
        for frame, t_s in self._time():
            picture = self._converter.convert(frame)
            yield _Converted(picture=picture, t_s=t_s, cells=_average_cells(picture.grey))

    def _time(self) -> Iterator[tuple[av.VideoFrame, float]]:
        """Every frame with its time, s after the first frame; evenly spaced if frames have no
        times.
        """
        first_s, last_s = None, -self._step_s
        for frame in self._decode():
            self.decoded += 1
            stated_s = frame.time
            if first_s is None:
                first_s = stated_s
            t_s = last_s + self._step_s
            if stated_s is not None and first_s is not None and stated_s - first_s > last_s:
                t_s = stated_s - first_s
            last_s = t_s
            self.seen_s = t_s + self._step_s
            self.end_s = max(self.end_s, self.seen_s + max(0.0, first_s or 0.0))
            yield frame, t_s

    def _decode(self) -> Iterator[av.VideoFrame]:
        """The stream's frames in the order of their times, without damaged ones."""
        import av

        packets = self._container.demux(self._stream)
        while True:
            try:
                packet = next(packets)
            except (StopIteration, av.FFmpegError):  # an incomplete file cannot be read further
                return
            self._packets += packet.size > 0 and not packet.is_discard
            try:
                yield from packet.decode()
            except av.FFmpegError:
                self.damaged += 1


def _parse_duration_s(text: str) -> float:
    """Seconds of "01:02:03.4", as Matroska's tags write them; 0 for other text."""
    found = re.fullmatch(r"(\d+):(\d\d):(\d\d(?:\.\d+)?)", text)
    return 3600 * int(found[1]) + 60 * int(found[2]) + float(found[3]) if found else 0.0


def _average_cells(luma: np.ndarray) -> np.ndarray:
    """A frame's ``luma`` (h, w) uint8 averaged over the cells of a coarse grid.

    Every other row is enough for a cell's mean. The samples are halved by averaging two by two as
    often as possible; any other average takes several times as long.
    """
    width = min(luma.shape[1], _CELLS_ACROSS)
    height = max(1, round(luma.shape[0] * width / luma.shape[1]))
    rows = luma[::2] if luma.shape[0] > 2 * height else luma
    while rows.shape[0] >= 2 * height and rows.shape[1] >= 2 * width:
        half = rows.shape[1] // 2, rows.shape[0] // 2
        rows = cv2.resize(rows, half, interpolation=cv2.INTER_AREA)
    is_near = rows.shape[0] <= 2 * height and rows.shape[1] <= 2 * width
    way = cv2.INTER_LINEAR if is_near else cv2.INTER_AREA
    return cv2.resize(rows, (width, height), interpolation=way)


def _read_ahead(
    frames: Callable[[], Iterator[TimedFrame]], stop: threading.Event
) -> Iterator[TimedFrame]:
    """The items of ``frames``, computed in advance in a thread; its exceptions are raised here."""
    ahead: queue.Queue[TimedFrame | None] = queue.Queue(maxsize=_FRAMES_AHEAD)
    done = threading.Event()
    failures: list[BaseException] = []

    def offer(frame: TimedFrame | None) -> None:
        while not (stop.is_set() or done.is_set()):
            with suppress(queue.Full):
                ahead.put(frame, timeout=POLL_S)
                return

    def decode() -> None:
        try:
            for frame in frames():
                offer(frame)
                if stop.is_set() or done.is_set():
                    return
        except BaseException as failure:  # noqa: BLE001  (raised again where it is waited for)
            failures.append(failure)
        finally:
            offer(None)

    thread = threading.Thread(
        target=copy_context().run, args=(decode,), name="decoder", daemon=True
    )
    thread.start()
    try:
        while not stop.is_set():
            with suppress(queue.Empty):
                frame = ahead.get(timeout=POLL_S)
                if frame is None:
                    break
                yield frame
    finally:
        done.set()
        thread.join()
    if failures:
        raise failures[0]
