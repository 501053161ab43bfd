"""The wizard's looking, done beside the server.

Knows how a wizard's answer is worked out in the worker's process, and which pictures a page needs.
Refuses to know who asked (see ``calibrations``).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np

from calibration.quality import Advice, Trouble
from calibration.wizard import (
    Answer,
    PickDisc,
    Show,
    TellSpeed,
    Wizard,
    answered,
    profile_of,
)
from vision.calibrating import PictureEye
from vision.fit_picture import draw_fit, shown_picture
from vision.frame import Unreadable, read_frame
from vision.sharpest import take_still
from vision.sources import SourceError
from webapp.snapshot_job import MAX_PIXELS

_JPEG_QUALITY = 85

#: The picture that is looked at, at a screen's size.
PHOTO = "photo.jpg"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Measured:
    """Where the wizard stands after an answer.

    factor   shown pixels per stored pixel; None when there is nothing to show
    size_px  (width, height) of the shown picture
    """

    state: Wizard
    factor: float | None = None
    size_px: tuple[int, int] | None = None


def show(
    tell: Callable[[str], None], folder: Path, pictures: tuple[str, ...], source: str | None
) -> Measured:
    """The first pictures of a wizard; from a ``source``, which is asked for the one picture."""
    if source is not None:
        tell("taking a picture")
        try:
            (folder / pictures[0]).write_bytes(_png(take_still(source)))
        except SourceError as error:
            return Measured(state=_refused(str(error)))
    tell("looking for the board")
    state = answered(Wizard(), Show(pictures=pictures), _eye(folder))
    frame = read_frame(folder / pictures[0], max_pixels=MAX_PIXELS)
    if isinstance(frame, Unreadable):
        return Measured(state=state)
    shown, factor = shown_picture(frame)
    (folder / PHOTO).write_bytes(_jpeg(shown))
    size_px = (shown.shape[1], shown.shape[0])
    return Measured(state=state, factor=factor * frame.scale, size_px=size_px)


def _refused(words: str) -> Wizard:
    return Wizard(advice=(Advice(trouble=Trouble.OTHER, words=words, stops=True),))


def answer(tell: Callable[[str], None], folder: Path, state: Wizard, given: Answer) -> Wizard:
    """The wizard after an answer that needs a look at a picture."""
    tell("measuring")
    return answered(state, given, _eye(folder))


def measure_clear_discs(tell: Callable[[str], None], folder: Path, state: Wizard) -> Wizard:
    """The wizard with one disc of each colour that lies clearly on the board."""
    tell("measuring the discs")
    eye, board = _eye(folder), state.main
    assert board is not None
    for disc in eye.clear_discs(board):
        x, y = board.fit.view.project_plane(disc.centre_mm[None], disc.size.height_mm)[0]
        state = answered(state, PickDisc(at_px=(float(x), float(y))), eye)
    return state


def measure_speed(tell: Callable[[str], None], state: Wizard, source: str, called: str) -> Wizard:
    """The wizard with the board's speed, from a clip of flicks that people call so."""
    # The physics takes long to load, and nothing else here needs it.
    from webapp.seen_flicks import SeenSpeed, speed_of

    tell("watching the flicks; that takes about as long as the clip, and then some")
    try:
        told = speed_of(source, profile_of(state, name="", made=""))
    except SourceError as error:
        given = TellSpeed(reason=str(error).replace(source, called))
    else:
        if isinstance(told, SeenSpeed):
            given = TellSpeed(speed=told.speed)
        else:
            given = TellSpeed(reason=told.reason)
    return answered(state, given, PictureEye())


def fit_picture(tell: Callable[[str], None], folder: Path, state: Wizard) -> bytes:
    """The main picture with the fitted board drawn on it, as JPEG."""
    tell("drawing the picture")
    assert state.main is not None
    frame = read_frame(folder / state.main.picture)
    assert not isinstance(frame, Unreadable)
    return _jpeg(draw_fit(frame, state.main.fit.scaled(frame.scale)))


def _eye(folder: Path) -> PictureEye:
    return PictureEye(folder.joinpath, max_pixels=MAX_PIXELS)


def _png(picture: np.ndarray) -> bytes:
    return cv2.imencode(".png", picture)[1].tobytes()


def _jpeg(picture: np.ndarray) -> bytes:
    return cv2.imencode(".jpg", picture, [cv2.IMWRITE_JPEG_QUALITY, _JPEG_QUALITY])[1].tobytes()
