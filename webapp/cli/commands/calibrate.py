"""``crokinole calibrate``: pictures of a board become its profile, in the wizard's own steps.

This module has only the conversation in a terminal; ``calibration.wizard.state_machine`` decides
the result of a step.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from calibration.profile import save_profile
from calibration.user_error import Trouble
from calibration.wizard.measurements import build_profile
from calibration.wizard.sentences import (
    SIZES_FROM_PICTURES,
    describe_disc,
    describe_fit,
    describe_profile,
)
from calibration.wizard.state_machine import apply_answer
from calibration.wizard.steps import (
    Accept,
    Answer,
    ClearDiscs,
    DragControlPoints,
    PickDisc,
    PickEveryColour,
    SetSpeed,
    ShowPictures,
    Step,
    WizardState,
)
from vision.draw.fit_overlay import draw_fit
from vision.io.encode_picture import encode_jpeg, encode_png
from vision.io.frame import UnreadablePicture
from vision.io.sharpest_frame import grab_sharpest_frame, is_source
from vision.io.sources import SourceError
from vision.wizard_detector import PictureFileDetector
from webapp.cli.argument_values import check_outputs, expand_patterns
from webapp.cli.console import warn
from webapp.jobs.calibration_job import find_speed

_JPEG_QUALITY = 90


def calibrate(
    images: Sequence[str], out: Path, name: str, flicks: str | None, confirm: bool
) -> None:
    """Measure and write the profile."""
    names = expand_patterns(images)
    check_outputs([out], names)
    for image in names:
        if not is_source(image) and not Path(image).exists():
            raise Trouble(f"{image}: File not found. Check the name.")
    with TemporaryDirectory() as folder:
        stills = {
            image: _save_still(image, Path(folder) / f"{number}.png")
            for number, image in enumerate(names)
            if is_source(image)
        }
        detector = PictureFileDetector(lambda image: stills.get(image, Path(image)))
        calibration = _Calibration(detector, _place_picture(out, names))
        calibration.begin(names, must_fit=not confirm)
        if confirm:
            calibration.ask_all()
        else:
            calibration.accept_all(flicks)
        calibration.write_profile(out, name or out.stem)


class _Calibration:
    """The wizard's state, and the functions from step to step, which raise ``Trouble``."""

    def __init__(self, detector: PictureFileDetector, picture: Path) -> None:
        self._detector, self._picture = detector, picture
        self._state = WizardState()

    def _apply(self, answer: Answer) -> None:
        self._state = apply_answer(self._state, answer, self._detector)

    def begin(self, images: Sequence[str], *, must_fit: bool) -> None:
        """Find the board in the pictures."""
        self._apply(ShowPictures(pictures=tuple(images)))
        if self._state.step is Step.PICTURE or (must_fit and not self._state.can_advance):
            reasons = (advice.words for advice in self._state.advice if advice.stops)
            raise Trouble(f"{images[0]}: {next(reasons, 'It was not measured.')}")

    def accept_all(self, flicks: str | None) -> None:
        """Accept the measurements if they are good enough, without a question."""
        self._warn()
        self._apply(Accept())
        self._apply(PickEveryColour())
        self._apply(Accept())
        if flicks:
            self._apply(find_speed(self._state, flicks))
            if self._state.speed is None:
                raise Trouble(self._state.advice[0].words)
        self._apply(Accept())
        self._apply(Accept())

    def ask_all(self) -> None:
        """Ask the user at every step."""
        questions = {
            Step.FIT: self._ask_about_fit,
            Step.DISCS: self._ask_about_discs,
            Step.SPEED: self._ask_about_speed,
            Step.LENS: self._ask_about_lens,
        }
        try:
            while self._state.step is not Step.SAVE:
                self._warn()
                questions[self._state.step]()
        except EOFError:
            reason = "The answers ended before the profile was ready, so nothing was saved."
            raise Trouble(reason) from None

    def write_profile(self, path: Path, name: str) -> None:
        """Write the profile with its picture and print its contents."""
        assert self._state.main is not None
        profile = build_profile(
            self._state, name=name, made=datetime.now(UTC).isoformat(timespec="seconds")
        )
        try:
            save_profile(profile, path)
            self._write_picture()
        except OSError as error:
            reason = f"{path} cannot be written ({error.strerror}). Choose another file."
            raise Trouble(reason) from None
        print(describe_fit(self._state.main), *describe_profile(profile), sep="\n")
        print(f"Saved as {path}; {self._picture} shows the fit.")

    def _warn(self) -> None:
        for advice in self._state.advice:
            warn(advice.words)

    def _ask_about_fit(self) -> None:
        if self._state.main is not None:
            self._write_picture()
            print(f"{describe_fit(self._state.main)} See {self._picture}.")
        answer = input("Do the drawn rings match the painted lines? yes, no, or four points x,y: ")
        points = _parse_points(answer)
        if len(points) == 4:
            self._apply(DragControlPoints(control_points_px=np.array(points)))
        elif _is_yes(answer) and self._state.can_advance:
            self._apply(Accept())
        elif answer.strip().lower() in ("q", "quit"):
            raise Trouble("Cancelled. Nothing was saved.")
        else:
            print(
                "Enter the four points, in pixels, where a quadrant line meets the outer ring, "
                "such as `900,120 210,130 60,800 1010,790`, or `quit`."
            )

    def _ask_about_discs(self) -> None:
        if not self._state.discs and not self._state.advice:
            self._apply(PickEveryColour())
        for disc in self._state.discs:
            print(describe_disc(disc))
        none = f"No disc was measured, so {SIZES_FROM_PICTURES}. Continue without?"
        question = "Are these the discs?" if self._state.discs else none
        answer = input(f"{question} yes, no, or the point x,y of one disc of each colour: ")
        points = _parse_points(answer)
        if not _is_yes(answer):
            self._apply(ClearDiscs())
            for point in points:
                self._apply(PickDisc(at_px=point))
        if not points:
            self._apply(Accept())

    def _ask_about_speed(self) -> None:
        answer = input(
            "A video of three flicks that touch nothing, or press Enter to skip: "
        ).strip()
        try:
            if answer:
                self._apply(find_speed(self._state, answer))
        except SourceError as error:
            self._apply(SetSpeed(reason=str(error)))
            return
        if self._state.speed or not answer:
            self._apply(Accept())

    def _ask_about_lens(self) -> None:
        answer = input("More photos from the same camera, or press Enter to skip: ").split()
        self._apply(ShowPictures(pictures=tuple(answer)) if answer else Accept())

    def _write_picture(self) -> None:
        sighting = self._state.main
        assert sighting is not None
        frame = self._detector.read(sighting.picture)
        if isinstance(frame, UnreadablePicture):
            raise Trouble(f"{sighting.picture}: {frame.reason}")
        drawn = draw_fit(frame, sighting.fit.rescale(frame.scale))
        self._picture.write_bytes(encode_jpeg(drawn, _JPEG_QUALITY))


def _save_still(source: str, path: Path) -> Path:
    """The file of a source's sharpest frame. Raises ``SourceError``."""
    path.write_bytes(encode_png(grab_sharpest_frame(source)))
    return path


def _is_yes(answer: str) -> bool:
    return answer.strip().lower() in ("y", "yes")


def _parse_points(answer: str) -> list[tuple[float, float]]:
    """The points in an answer such as ``10,20 30,40``; empty for any other text."""
    try:
        pairs = [tuple(float(number) for number in word.split(",")) for word in answer.split()]
    except ValueError:
        return []
    return [(pair[0], pair[1]) for pair in pairs if len(pair) == 2]


def _place_picture(profile: Path, images: Sequence[str]) -> Path:
    """The file of the fit's picture next to the profile, never one of the measured pictures."""
    picture = profile.with_suffix(".jpg")
    if picture.resolve() in {Path(image).resolve() for image in images}:
        return profile.with_name(f"{profile.stem}_fit.jpg")
    return picture
