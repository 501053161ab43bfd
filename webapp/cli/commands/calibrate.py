"""``crokinole calibrate``: pictures of a board to its profile, by the wizard's own steps.

Only the conversation in a terminal is here; what a step leads to is decided by
``calibration.wizard.state_machine``.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import cv2
import numpy as np

from calibration.profile import ProfileError, save_profile
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
    ClearDiscs,
    DragControlPoints,
    MeasuredDisc,
    PickDisc,
    PictureDetection,
    SetSpeed,
    ShowPictures,
    Step,
    WizardState,
)
from vision.draw.fit_overlay import draw_fit
from vision.io.frame import UnreadablePicture
from vision.io.sharpest_frame import grab_sharpest_frame, is_source
from vision.io.sources import SourceError
from vision.wizard_detector import PictureFileDetector
from webapp.cli.argument_values import check_outputs, expand_patterns, file_name
from webapp.terminal.console import warn

_JPEG_QUALITY = 90

Prompt = Callable[[str], str]


class _AbortedError(Exception):
    """The person, or the picture, went no further; the text is one sentence."""


def add_to(commands: Any, summary: str) -> None:
    """Add this command to argparse's subparsers."""
    parser = commands.add_parser(
        "calibrate",
        help=summary,
        description="Measure a board, its discs and a camera from pictures, and keep the sizes as "
        "a profile for `crokinole score --profile`. Several pictures of one board, taken with one "
        "camera at one zoom from several sides, measure the lens too.",
    )
    parser.add_argument(
        "images",
        nargs="+",
        type=file_name,
        metavar="IMAGE_OR_SOURCE",
        help="a picture of the board; or a camera's number, a stream's address or a clip",
    )
    parser.add_argument(
        "--out", type=Path, required=True, metavar="PROFILE", help="the file that is written"
    )
    parser.add_argument("--name", default="", help="what the board is called")
    parser.add_argument(
        "--flicks",
        metavar="CLIP",
        help="a clip of three flicks that touch nothing, for the board's speed",
    )
    parser.add_argument(
        "--confirm", action="store_true", help="ask about every step, and take other places"
    )
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> list[str]:
    """Measure and write the profile; returns what went wrong, one sentence each."""
    arguments.images = expand_patterns(arguments.images)
    lost = check_outputs([arguments.out], arguments.images)
    if lost:
        return lost
    with TemporaryDirectory() as folder:
        try:
            return _calibrate(arguments, Path(folder))
        except (_AbortedError, ProfileError, SourceError) as stopped:
            return [str(stopped)]


def _calibrate(arguments: argparse.Namespace, folder: Path) -> list[str]:
    """The same, with a folder for what sources show."""
    for name in arguments.images:
        if not is_source(name) and not Path(name).exists():
            raise _AbortedError(f"{name}: There is no such file; check the name.")
    stills = {
        name: _save_still(name, folder / f"{number}.png")
        for number, name in enumerate(arguments.images)
        if is_source(name)
    }
    detector = PictureFileDetector(lambda name: stills.get(name, Path(name)))
    state = apply_answer(WizardState(), ShowPictures(pictures=tuple(arguments.images)), detector)
    is_readable = state.step is not Step.PICTURE
    if not (state.can_advance or (arguments.confirm and is_readable)):
        raise _AbortedError(f"{arguments.images[0]}: {_explain_no_fit(state)}")
    picture = _place_picture(arguments.out, arguments.images)
    if arguments.confirm:
        state = _run_interactive(state, detector, picture, input)
    else:
        state = _run_unattended(state, detector, arguments.flicks)
    name = arguments.name or arguments.out.stem
    return _write_profile(state, detector, arguments.out, picture, name)


def _save_still(source: str, path: Path) -> Path:
    """The file of a source's sharpest frame. Raises ``SourceError``."""
    path.write_bytes(cv2.imencode(".png", grab_sharpest_frame(source))[1].tobytes())
    return path


def _run_unattended(
    state: WizardState, detector: PictureFileDetector, flicks: str | None
) -> WizardState:
    """Run the wizard without asking anybody: what is found is taken if it is good enough."""
    _print_advice(state)
    state = _pick_clear_discs(apply_answer(state, Accept(), detector), detector)
    state = apply_answer(state, Accept(), detector)
    if flicks:
        state = _measure_speed(state, detector, flicks)
        if state.speed is None:
            raise _AbortedError(state.advice[0].words)
    state = apply_answer(state, Accept(), detector)
    return apply_answer(state, Accept(), detector)


def _measure_speed(state: WizardState, detector: PictureFileDetector, clip: str) -> WizardState:
    """The state with the board's speed as measured from a clip. Raises ``SourceError``."""
    # The physics takes a while to load, and nothing else here needs it.
    from scorer.referee.speed_from_clip import MeasuredSpeed, measure_clip_speed

    measurement = measure_clip_speed(clip, build_profile(state, name="", made=""))
    if isinstance(measurement, MeasuredSpeed):
        return apply_answer(state, SetSpeed(speed=measurement.speed), detector)
    return apply_answer(state, SetSpeed(reason=measurement.reason), detector)


def _pick_clear_discs(state: WizardState, detector: PictureFileDetector) -> WizardState:
    """The state with one disc of each colour that lies clearly on the board."""
    board = state.main
    assert board is not None
    for disc in detector.measure_disc_per_colour(board):
        state = apply_answer(state, PickDisc(at_px=_project_centre(board, disc)), detector)
    return state


def _explain_no_fit(state: WizardState) -> str:
    """Why the first picture's board cannot be gone on from, in a sentence."""
    return next((each.words for each in state.advice if each.stops), "It was not measured.")


def _project_centre(sighting: PictureDetection, disc: MeasuredDisc) -> tuple[float, float]:
    """The centre of a disc's top in the picture, px."""
    x, y = sighting.fit.view.project_plane(disc.centre_mm[None], disc.size.height_mm)[0]
    return float(x), float(y)


def _print_advice(state: WizardState) -> None:
    for advice in state.advice:
        warn(advice.words)


def _run_interactive(
    state: WizardState, detector: PictureFileDetector, picture: Path, ask: Prompt
) -> WizardState:
    """The wizard's end with a person who answers. Raises ``_AbortedError`` when they give up."""
    try:
        while state.step is not Step.SAVE:
            state = _QUESTIONS[state.step](state, detector, picture, ask)
    except EOFError:
        raise _AbortedError(
            "The answers ended before the profile was ready; nothing is kept."
        ) from None
    return state


def _ask_about_fit(
    state: WizardState, detector: PictureFileDetector, picture: Path, ask: Prompt
) -> WizardState:
    _print_advice(state)
    if state.main is not None:
        _write_picture(state.main, detector, picture)
        print(f"{describe_fit(state.main)} See {picture}.")
    answer = ask("Do the drawn rings lie on the painted ones? yes, no, or four places x,y: ")
    points = _parse_points(answer)
    if len(points) == 4:
        return apply_answer(state, DragControlPoints(control_points_px=np.array(points)), detector)
    if _is_yes(answer) and state.can_advance:
        return apply_answer(state, Accept(), detector)
    if answer.strip().lower() in ("q", "quit"):
        raise _AbortedError("Nothing was kept, as you asked.")
    print(
        "Give the four places in the picture, in pixels, where a quadrant line meets the outer "
        "ring, such as `900,120 210,130 60,800 1010,790`; or `quit`."
    )
    return state


def _ask_about_discs(
    state: WizardState, detector: PictureFileDetector, picture: Path, ask: Prompt
) -> WizardState:
    del picture
    _print_advice(state)
    if not state.discs and not state.advice:
        state = _pick_clear_discs(state, detector)
    for disc in state.discs:
        print(describe_disc(disc))
    found = "Are these the discs?"
    if not state.discs:
        found = f"No disc is measured, so that {SIZES_FROM_PICTURES}. Go on without?"
    answer = ask(f"{found} yes, no, or the place x,y of one disc of each colour: ")
    if _is_yes(answer):
        return apply_answer(state, Accept(), detector)
    points = _parse_points(answer)
    state = apply_answer(state, ClearDiscs(), detector)
    for point in points:
        state = apply_answer(state, PickDisc(at_px=point), detector)
    return state if points else apply_answer(state, Accept(), detector)


def _ask_about_speed(
    state: WizardState, detector: PictureFileDetector, picture: Path, ask: Prompt
) -> WizardState:
    del picture
    _print_advice(state)
    answer = ask("A clip of three flicks that touch nothing, or nothing to go on: ").strip()
    if not answer:
        return apply_answer(state, Accept(), detector)
    try:
        state = _measure_speed(state, detector, answer)
    except SourceError as error:
        return apply_answer(state, SetSpeed(reason=str(error)), detector)
    return apply_answer(state, Accept(), detector) if state.speed else state


def _ask_about_lens(
    state: WizardState, detector: PictureFileDetector, picture: Path, ask: Prompt
) -> WizardState:
    del picture
    _print_advice(state)
    answer = ask("Further pictures from the same camera, or nothing to go on: ").strip()
    if answer:
        return apply_answer(state, ShowPictures(pictures=tuple(answer.split())), detector)
    return apply_answer(state, Accept(), detector)


_QUESTIONS = {
    Step.FIT: _ask_about_fit,
    Step.DISCS: _ask_about_discs,
    Step.SPEED: _ask_about_speed,
    Step.LENS: _ask_about_lens,
}


def _is_yes(answer: str) -> bool:
    return answer.strip().lower() in ("y", "yes")


def _parse_points(answer: str) -> list[tuple[float, float]]:
    """The places that an answer such as ``10,20 30,40`` names; none when it is something else."""
    try:
        pairs = [tuple(float(each) for each in word.split(",")) for word in answer.split()]
    except ValueError:
        return []
    return [(pair[0], pair[1]) for pair in pairs if len(pair) == 2]


def _place_picture(profile: Path, images: Sequence[str]) -> Path:
    """The file of the fit's picture beside the profile, never one of those that are measured."""
    picture = profile.with_suffix(".jpg")
    if picture.resolve() in {Path(each).resolve() for each in images}:
        return profile.with_name(f"{profile.stem}_fit.jpg")
    return picture


def _write_profile(
    state: WizardState, detector: PictureFileDetector, path: Path, picture: Path, name: str
) -> list[str]:
    """Write the profile with its picture and say what is in it."""
    assert state.main is not None
    made = datetime.now(UTC).isoformat(timespec="seconds")
    profile = build_profile(state, name=name, made=made)
    try:
        save_profile(profile, path)
        _write_picture(state.main, detector, picture)
    except OSError as error:
        return [f"{path} cannot be written ({error.strerror}); name another file."]
    print(describe_fit(state.main))
    print("\n".join(describe_profile(profile)))
    print(f"Kept in {path}, with its picture in {picture}.")
    return []


def _write_picture(sighting: PictureDetection, detector: PictureFileDetector, path: Path) -> None:
    frame = detector.read(sighting.picture)
    if isinstance(frame, UnreadablePicture):
        raise _AbortedError(f"{sighting.picture}: {frame.reason}")
    drawn = draw_fit(frame, sighting.fit.rescale(frame.scale))
    quality = [cv2.IMWRITE_JPEG_QUALITY, _JPEG_QUALITY]
    path.write_bytes(cv2.imencode(".jpg", drawn, quality)[1].tobytes())
