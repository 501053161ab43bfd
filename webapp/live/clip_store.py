"""The clip store: a folder with a zip file per shot, with its event and its replay (``replay``).

A separate thread encodes replays and writes files, so the referee is not delayed. Files are written
atomically. A request for a file that is not written yet waits for it. The oldest are deleted when
all together exceed the store's limit. A shot that cannot be written is logged and removed from the
list. Workers and other servers may share the folder; their files are found on request.
"""

from __future__ import annotations

import contextlib
import json
import os
import zipfile
from collections import OrderedDict
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from threading import RLock
from time import time
from typing import IO

from calibration.json_text import from_plain, load_json, store_json, to_plain
from calibration.whole_file import PARTIAL_SUFFIX, write_whole_file
from scorer.photo.rectified_image import RectifiedBoardImage
from scorer.referee.events import ShotEvent, to_json
from webapp.config import CLIP_STORE_BYTES
from webapp.data_folder import TemporaryFolder
from webapp.http.logs import LOG
from webapp.live.replay import encode_replay, extract_picture
from webapp.live.ring_buffer import JpegFrame

#: Number of rectified boards kept in memory: the newest, for a page that still shows an older one.
_MAX_PLANS = 6
_SUFFIX = ".shot"
_FACTS, _PLAN, _REPLAY = "shot.json", "plan.jpg", "replay.mp4"
_VERSION = 2
#: An unfinished file older than this, s, has been abandoned.
_UNFINISHED_S = 60.0
#: Longest wait for a replay that is being encoded, s.
_PATIENCE_S = 30.0


@dataclass(frozen=True, slots=True, kw_only=True)
class ShotRecord:
    """A stored shot that the referee saw.

    key       its name, and its board's picture's name
    match     the match in which it was played; None without one
    round     of that match, from 1, counting all games
    number    in its round, from 1, by the match's count if there is a match
    at        the time of day
    event     the referee's event
    times_s   of its replay's pictures, seconds of the source
    """

    key: str
    match: int | None
    round: int | None
    number: int
    at: str
    event: ShotEvent
    times_s: tuple[float, ...] = ()


class ClipStore:
    """A folder of shots. All threads may use it."""

    def __init__(self, folder: Path | None, most_bytes: int = CLIP_STORE_BYTES) -> None:
        """Keep shots there; without a folder, until this ends."""
        self._folder, self._temp_folder = folder, TemporaryFolder("shots")
        self._most_bytes, self._lock = most_bytes, RLock()
        self._writer = ThreadPoolExecutor(max_workers=1, thread_name_prefix="shots")
        self._plans: OrderedDict[str, RectifiedBoardImage] = OrderedDict()
        self._unwritten: dict[str, tuple[ShotRecord, Future[None]]] = {}
        self._records: dict[Path, ShotRecord | None] = {}
        self._stored: dict[str, tuple[ShotRecord, Path]] = {}
        self._looked_at: int | None = None
        self._delete_unfinished()
        self._list_stored()

    def keep_plan(self, key: str, plan: RectifiedBoardImage) -> None:
        """Keep the rectified image of the current board at rest."""
        with self._lock:
            self._plans[key] = plan
            while len(self._plans) > _MAX_PLANS:
                self._plans.popitem(last=False)

    def keep(self, shot: ShotRecord, film: Sequence[JpegFrame]) -> None:
        """Store a shot with its frames, and the board at rest with the same key."""
        with self._lock:
            plan = self._plans.get(shot.key)
            writing = self._writer.submit(self._write, shot, tuple(film), plan)
            self._unwritten[shot.key] = shot, writing

    def get(self, key: str) -> ShotRecord | None:
        """The shot of that name; None if it is not stored."""
        with self._lock:
            found = self._unwritten.get(key) or self._list_stored().get(key)
            return None if found is None else found[0]

    def of_match(self, match: int) -> list[ShotRecord]:
        """The shots of a match, the newest first."""
        with self._lock:
            shots = [shot for shot, _ in (self._list_stored() | self._unwritten).values()]
        own = [shot for shot in shots if shot.match == match]
        return sorted(own, key=lambda shot: shot.at, reverse=True)

    def picture(self, key: str, number: int) -> bytes | None:
        """One picture of a shot, from 0, as JPEG; None if there is none."""
        shot = self.get(key)
        if shot is None or not 0 <= number < len(shot.times_s):
            return None
        replay = self._read(key, _REPLAY)
        return None if replay is None else extract_picture(replay, number)

    def replay(self, key: str) -> bytes | None:
        """The shot as MP4, from 0 s, with a frame for every stored time; None if there is none."""
        return _read_whole(self.open_replay(key))

    def open_replay(self, key: str) -> IO[bytes] | None:
        """The replay as an open file, which is read from disk in parts; the caller closes it."""
        return self._open(key, _REPLAY)

    def plan(self, key: str) -> RectifiedBoardImage | None:
        """The rectified board at rest of that name; None if it is not stored."""
        with self._lock:
            held = self._plans.get(key)
        if held is not None or self.get(key) is None:
            return held
        stored = json.loads(self._read(key, _FACTS) or b"{}").get("plan")
        jpeg = self._read(key, _PLAN)
        if stored is None or jpeg is None:
            return None
        stored |= {"lines": tuple(stored["lines"]), "hole": tuple(stored["hole"])}
        return RectifiedBoardImage(**stored, jpeg=jpeg)

    def close(self) -> None:
        """Write the waiting clips, and delete a folder made only for this run."""
        self._writer.shutdown()
        self._temp_folder.close()

    def _delete_unfinished(self) -> None:
        """Delete unfinished files that have been abandoned."""
        if self._folder is not None:
            for path in self._folder.glob(f"*{PARTIAL_SUFFIX}"):
                found = _look_at(path)
                if found is None or time() - found.st_mtime > _UNFINISHED_S:
                    _remove(path)

    def _list_stored(self) -> dict[str, tuple[ShotRecord, Path]]:
        """The shots in the folder by their keys, the oldest first, with their files.

        The folder is read again if it has changed: others may have written or deleted files.
        """
        folder = self._folder
        found = None if folder is None else _look_at(folder)
        changed_at = None if found is None else found.st_mtime_ns
        if folder is not None and changed_at != self._looked_at:
            self._looked_at = changed_at
            known, paths = self._records, sorted(folder.glob(f"*{_SUFFIX}"))
            self._records = {
                path: known[path] if path in known else _read_shot(path) for path in paths
            }
            shots = [(shot, path) for path, shot in self._records.items() if shot is not None]
            self._stored = {shot.key: (shot, path) for shot, path in shots}
        return self._stored

    def _write(
        self, shot: ShotRecord, film: Sequence[JpegFrame], plan: RectifiedBoardImage | None
    ) -> None:
        digits = "".join(character for character in shot.at if character.isdigit())
        with self._lock:
            folder = self._folder = self._folder or self._temp_folder.folder()
        path = folder / f"{digits}-{shot.key}{_SUFFIX}"
        try:
            folder.mkdir(parents=True, exist_ok=True)
            write_whole_file(path, _encode_shot(shot, film, plan))
        except (OSError, ValueError) as error:
            LOG.warning("shot not saved", extra={"what": str(error)})
        with self._lock:
            self._unwritten.pop(shot.key, None)
            self._records[path], self._looked_at = shot, None
            self._evict_oldest()

    def _evict_oldest(self) -> None:
        """Delete the oldest shots until the limit is met."""
        files = [
            (path, found) for _, path in self._list_stored().values() if (found := _look_at(path))
        ]
        total = sum(found.st_size for _, found in files)
        for path, found in files:
            if total <= self._most_bytes:
                return
            total -= found.st_size
            _remove(path)

    def _read(self, key: str, name: str) -> bytes | None:
        return _read_whole(self._open(key, name))

    def _open(self, key: str, name: str) -> IO[bytes] | None:
        """A part of a shot's file, which stays open until the part is closed."""
        with self._lock:
            unwritten = self._unwritten.get(key)
        if unwritten is not None:
            wait([unwritten[1]], timeout=_PATIENCE_S)
        with self._lock:
            stored = self._list_stored().get(key)
        if stored is None:
            return None
        try:
            with zipfile.ZipFile(stored[1]) as archive:
                return archive.open(name)
        except (OSError, KeyError, zipfile.BadZipFile):
            return None  # it was deleted or changed in the meantime


def _read_whole(file: IO[bytes] | None) -> bytes | None:
    """A file's content; None without a file, or if somebody has damaged it."""
    if file is None:
        return None
    with file, contextlib.suppress(OSError, zipfile.BadZipFile):
        return file.read()
    return None


def _encode_shot(
    shot: ShotRecord, film: Sequence[JpegFrame], plan: RectifiedBoardImage | None
) -> bytes:
    """A shot as the bytes of its zip file. Raises ``ValueError`` for a video that cannot be
    made.
    """
    facts = to_plain(shot) | {"event": to_json(shot.event), "version": _VERSION, "plan": None}
    if plan is not None:
        facts["plan"] = to_plain(plan)
        del facts["plan"]["jpeg"]
    content, replay = BytesIO(), encode_replay(film)
    with zipfile.ZipFile(content, "w") as file:
        file.writestr(_FACTS, store_json(facts))
        if plan is not None:
            file.writestr(_PLAN, plan.jpeg)
        if replay is not None:
            file.writestr(_REPLAY, replay)
    return content.getvalue()


def _read_shot(path: Path) -> ShotRecord | None:
    """The shot in a file; None, and a line in the log, for a file that is not a shot."""
    try:
        with zipfile.ZipFile(path) as file:
            content = load_json(file.read(_FACTS))
        if content.pop("version") != _VERSION:
            raise ValueError("it was saved by another version")
        record: ShotRecord = from_plain(ShotRecord, content)
    except (OSError, ValueError, KeyError, TypeError, zipfile.BadZipFile) as error:
        LOG.warning("shot file not readable", extra={"what": f"{path.name}: {error}"})
        return None
    return record


def _look_at(path: Path) -> os.stat_result | None:
    """Size and modification time of a file or a folder; None if it no longer exists."""
    try:
        return path.stat()
    except OSError:
        return None


def _remove(path: Path) -> None:
    """Delete a file, if allowed."""
    try:
        path.unlink(missing_ok=True)
    except OSError as error:
        LOG.warning("shot not deleted", extra={"what": str(error)})
