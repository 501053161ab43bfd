"""The calibration wizard's measurements and the pictures of its pages, as jobs of the worker.

The functions run in the worker's process, take a function to report progress, and return the new
state of the wizard. A picture or source that cannot be read gives a tip in that state, not an
error. ``webapp.jobs.calibration_sessions`` keeps the sessions.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from calibration.phrase import Phrase
from calibration.profile import CalibrationProfile
from calibration.wizard.measurements import build_profile
from calibration.wizard.picture_quality import PictureAdvice
from calibration.wizard.sentences import describe_fit
from calibration.wizard.state_machine import apply_answer
from calibration.wizard.steps import (
    Accept,
    Answer,
    PickEveryColour,
    SetSpeed,
    ShowPictures,
    Step,
    WizardState,
)
from vision.draw.fit_overlay import downscale_for_screen, draw_fit
from vision.io.encode_picture import encode_jpeg, encode_png
from vision.io.frame import Frame, UnreadablePicture
from vision.io.sharpest_frame import grab_sharpest_frame
from vision.io.sources import SourceError
from vision.wizard_detector import PictureFileDetector
from webapp.jobs.snapshot_job import MAX_PIXELS
from webapp.process_limits import limit_decoding

_JPEG_QUALITY = 85

#: Size of the displayed picture, to fit a screen.
PHOTO = "photo.jpg"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class WizardResult:
    """The state of the wizard after an answer.

    factor   shown pixels per stored pixel; None if there is nothing to show
    size_px  (width, height) of the shown picture
    """

    state: WizardState
    factor: float | None = None
    size_px: tuple[int, int] | None = None


def open_pictures(
    report_progress: Callable[[str], None],
    folder: Path,
    pictures: tuple[str, ...],
    source: str | None,
) -> WizardResult:
    """The first pictures of a wizard, or the one picture from a ``source``."""
    if source is not None:
        report_progress(Phrase("taking a photo"))
        try:
            picture = encode_png(grab_sharpest_frame(source))
            (folder / pictures[0]).write_bytes(picture)
        except SourceError as error:
            advice = PictureAdvice(words=str(error), stops=True)
            return WizardResult(state=WizardState(advice=(advice,)))
    report_progress(Phrase("looking for the board"))
    state = apply_answer(WizardState(), ShowPictures(pictures=pictures), _make_detector(folder))
    frame = _make_detector(folder).read(pictures[0])
    if isinstance(frame, UnreadablePicture):
        return WizardResult(state=state)
    shown, factor = downscale_for_screen(frame)
    (folder / PHOTO).write_bytes(encode_jpeg(shown, _JPEG_QUALITY))
    size_px = (shown.shape[1], shown.shape[0])
    return WizardResult(state=state, factor=factor * frame.scale, size_px=size_px)


def work_out_answer(
    report_progress: Callable[[str], None], folder: Path, state: WizardState, given: Answer
) -> WizardState:
    """The wizard after an answer that needs another look at a picture."""
    report_progress("measuring")
    return apply_answer(state, given, _make_detector(folder))


def measure_speed(
    report_progress: Callable[[str], None], state: WizardState, source: str, clip_name: str
) -> WizardState:
    """The wizard with the board's speed, from a clip of flicks."""
    report_progress(Phrase("measuring the flicks, which takes a little longer than the video"))
    try:
        given = find_speed(state, source)
    except SourceError as error:
        given = SetSpeed(reason=str(error).replace(source, clip_name))
    return apply_answer(state, given, PictureFileDetector())


def find_speed(state: WizardState, clip: str) -> SetSpeed:
    """The board's speed in a clip, or why it has none. Raises ``SourceError``."""
    # The physics is slow to import, and only this function needs it.
    from scorer.referee.speed_from_clip import MeasuredSpeed, measure_clip_speed

    found = measure_clip_speed(clip, build_profile(state, name="", made=""))
    if isinstance(found, MeasuredSpeed):
        return SetSpeed(speed=found.speed)
    return SetSpeed(reason=found.reason)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class MeasuredBoard:
    """A board measured without questions: its profile, or why there is none.

    words    sentences about the fit, and notes for a person
    picture  the photo with the fitted board drawn on it, JPEG
    """

    profile: CalibrationProfile | None = None
    reason: str = ""
    words: tuple[str, ...] = ()
    picture: bytes = b""


def measure_board(report_progress: Callable[[str], None], upload: Path) -> MeasuredBoard:
    """The board in a photo, measured in the wizard's own steps, which are accepted if good
    enough.
    """
    folder = upload.parent
    try:
        report_progress(Phrase("looking for the board"))
        detector = _make_detector(folder)
        state = apply_answer(WizardState(), ShowPictures(pictures=(upload.name,)), detector)
        if not state.can_advance or state.main is None:
            stops = (advice.words for advice in state.advice if advice.stops)
            return MeasuredBoard(reason=next(stops, Phrase("No board was found in the photo.")))
        words = (describe_fit(state.main), *(advice.words for advice in state.advice))
        state = apply_answer(state, Accept(), detector)
        state = apply_answer(state, PickEveryColour(), detector)
        while state.step is not Step.SAVE:
            state = apply_answer(state, Accept(), detector)
        return MeasuredBoard(
            profile=build_profile(state, name="", made=""),
            words=words,
            picture=fit_picture(report_progress, folder, state),
        )
    finally:
        upload.unlink()  # it has up to 80 MB, and is not read again


def fit_picture(report_progress: Callable[[str], None], folder: Path, state: WizardState) -> bytes:
    """The main picture with the fitted board drawn on it, as JPEG."""
    report_progress(Phrase("drawing the board"))
    assert state.main is not None
    frame = _make_detector(folder).read(state.main.picture)
    assert not isinstance(frame, UnreadablePicture)
    return encode_jpeg(draw_fit(frame, state.main.fit.rescale(frame.scale)), _JPEG_QUALITY)


def _make_detector(folder: Path) -> PictureFileDetector:
    return _BoundedDetector(folder.joinpath, max_pixels=MAX_PIXELS)


class _BoundedDetector(PictureFileDetector):
    """Decodes pictures within the worker's limit."""

    def read(self, picture: str) -> Frame | UnreadablePicture:
        """The picture of that name."""
        with limit_decoding():
            return super().read(picture)
