"""The path of a frame through the code: the modules entered, in order, and the returns to earlier
ones.

``python tests/size/trace_modules.py`` reads a sample picture, and watches the first shot of a
sample clip, with ``sys.setprofile``. A module is entered when one of its functions is called while
the function called last was another module's. It is returned to when it had been entered before.
Reading a stage's parameter enters nothing. The fewer returns, the straighter the way.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType
from typing import Any

from calibration.parameters import StageParameter

ROOT = Path(__file__).parents[2]
FLOORS = ("calibration", "vision", "scorer", "webapp")
_PICTURE = ROOT / "sample_images/stills/overhead_maple_black_and_natural.jpg"
_CLIP = ROOT / "sample_images/clips/round.mp4"
_READ_PARAMETER = StageParameter.__get__.__code__


@dataclass(slots=True, kw_only=True)
class Way:
    """The modules that were entered, in sequence, without immediate repeats."""

    entered: list[str] = field(default_factory=list)
    _names: dict[str, str] = field(default_factory=dict)

    def follow(self, frame: FrameType, event: str, _: Any) -> None:
        """Note the module of a called function, as a callback of ``sys.setprofile``."""
        if event != "call" or frame.f_code is _READ_PARAMETER:
            return
        path = frame.f_code.co_filename
        name = self._names.get(path)
        if name is None:
            name = self._names[path] = _name_module(path)
        if name and (not self.entered or self.entered[-1] != name):
            self.entered.append(name)

    def count_returns(self) -> int:
        """Number of entries into a module that was entered before."""
        return len(self.entered) - len(set(self.entered))


def _name_module(path: str) -> str:
    """A module's path below the root; nothing for code outside this project."""
    try:
        parts = Path(path).relative_to(ROOT).parts
    except ValueError:
        return ""
    return "/".join(parts) if parts[0] in FLOORS else ""


def trace(work: Callable[[], object]) -> Way:
    """The path of ``work`` through the modules."""
    way = Way()
    sys.setprofile(way.follow)
    try:
        work()
    finally:
        sys.setprofile(None)
    return way


def _join_rooms(entered: Iterable[str]) -> list[str]:
    """The rooms entered, in order; a room is a module's folder."""
    rooms: list[str] = []
    for module in entered:
        room = module.rpartition("/")[0]
        if not rooms or rooms[-1] != room:
            rooms.append(room)
    return rooms


def read_sample_picture() -> None:
    """Read one sample picture."""
    from vision.io.frame import read_frame
    from vision.read_photo import read_photo

    read_photo(read_frame(_PICTURE))


def watch_first_shot() -> None:
    """Watch a sample clip until its first shot is judged."""
    import av

    from webapp.library import follow_frames

    with av.open(str(_CLIP)) as clip:
        frames = (
            (float(frame.time or 0.0), frame.to_ndarray(format="bgr24"))
            for frame in clip.decode(video=0)
        )
        for event in follow_frames(frames):
            if event.type == "shot":
                return


def main() -> None:
    """Print both paths: the modules in the order of their first entry, with the returns to each."""
    for title, work in (("read_photo", read_sample_picture), ("one shot", watch_first_shot)):
        way = trace(work)
        rooms = _join_rooms(way.entered)
        counts = Counter(way.entered)
        print(
            f"{title}: {len(counts)} modules, {len(way.entered):,} entries, "
            f"{way.count_returns():,} returns; {len(set(rooms))} rooms, "
            f"{len(rooms) - len(set(rooms)):,} returns between rooms"
        )
        for module in dict.fromkeys(way.entered):
            print(f"  {module}  {counts[module] - 1:,}")


if __name__ == "__main__":
    main()
