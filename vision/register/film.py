"""A film file that is read several times; its frames are never all in memory.

Frames come in order, with a long side of at most ``max_side_px``. Raises ``SourceError``, with a
sentence that names the remedy, if the file cannot be decoded, is a single picture, or is too long
to be examined frame by frame.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

import cv2

from calibration.parameters import StageParameters, parameter
from calibration.phrase import Phrase
from vision.io.sources import FrameSource, SourceError, TimedFrame, open_source
from vision.io.timed_frame import BrokenOffError, CameraImage


class FilmParameters(StageParameters):
    """Parameters of ``film``."""

    longest_s: float = parameter(
        30.0,
        unit="s",
        source="chosen: a shot with its aiming takes 10 s; a review of it takes two minutes",
    )


PARAMS = FilmParameters()
#: Largest side of a film's frames: a disc is then 40 px across; 4K adds noise, not detail.
_MAX_SIDE_PX = 1920
#: The same in frames: a little more than 30 s at 60 frames a second.
_MOST_FRAMES = 2000


@dataclass(slots=True, kw_only=True)
class Film:
    """A film recorded by a person.

    trouble     the decoder's reports, one sentence each
    broken_off  the time at which the film breaks off, in a sentence; empty if it is complete
    """

    source: FrameSource
    trouble: list[str] = field(default_factory=list)
    broken_off: str = ""

    @property
    def name(self) -> str:
        """Its name in messages."""
        return self.source.name

    def frames(self) -> Iterator[TimedFrame]:
        """Yield all frames from the beginning. Raises ``SourceError``."""
        stop = threading.Event()
        count = 0
        try:
            for count, frame in enumerate(self.source.frames(stop, self._report), start=1):
                if frame.t_s > PARAMS.longest_s or count > _MOST_FRAMES:
                    raise SourceError(
                        Phrase(
                            "%(name)s is longer than %(longest_s).0f s. Cut it to the shot that "
                            "is in dispute, with a second before and after it.",
                            name=self.name,
                            longest_s=PARAMS.longest_s,
                        )
                    )
                yield _limit_size(frame)
        except BrokenOffError as error:
            self.broken_off = str(error)
        finally:
            stop.set()
        if count == 1:
            raise SourceError(
                Phrase(
                    "%(name)s is a single picture, which shows no shot. Score it as a photo.",
                    name=self.name,
                )
            )

    def _report(self, words: str) -> None:
        if words not in self.trouble:
            self.trouble.append(words)


def open_film(path: str) -> Film:
    """The film in a file. Raises ``SourceError`` if it is not a film."""
    source = open_source(path)
    if source.is_live:
        raise SourceError(f"{path} is a camera. Record a film of the shot first.")
    return Film(source=source)


def _limit_size(frame: TimedFrame) -> TimedFrame:
    factor = _MAX_SIDE_PX / max(frame.picture.shape[:2])
    if factor >= 1:
        return frame
    image = cv2.resize(frame.image, None, fx=factor, fy=factor, interpolation=cv2.INTER_AREA)
    return replace(frame, picture=CameraImage(image))
