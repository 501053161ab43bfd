"""``crokinole calibrate``: pictures of a board to its profile, by the wizard's own steps.

Knows the command's arguments and the conversation in a terminal. Refuses to know what a step leads
to (see ``calibration.wizard``).
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import cv2
import numpy as np

from calibration.profile import ProfileError, save_profile
from calibration.wizard import (
    Accept,
    Drag,
    ForgetDiscs,
    MeasuredDisc,
    PickDisc,
    Show,
    Sighting,
    Step,
    TellSpeed,
    Wizard,
    answered,
    profile_of,
)
from vision.calibrating import PictureEye
from vision.fit_picture import draw_fit
from vision.frame import Unreadable
from vision.sharpest import is_source, take_still
from vision.sources import SourceError
from webapp.calibration_words import about_disc, about_fit, about_profile

_JPEG_QUALITY = 90

Ask = Callable[[str], str]


class _StoppedError(Exception):
    """The person, or the picture, went no further; the text is one sentence."""


def add_to(commands: Any) -> None:
    """Add this command to argparse's subparsers."""
    parser = commands.add_parser(
        "calibrate",
        help="measure a board, its discs and a camera once, into a profile",
        description="Measure a board, its discs and a camera from pictures, and keep the sizes as "
        "a profile for `crokinole score --profile`. Several pictures of one board, taken with one "
        "camera at one zoom from several sides, measure the lens too.",
    )
    parser.add_argument(
        "images",
        nargs="+",
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
    with TemporaryDirectory() as folder:
        try:
            return _run(arguments, Path(folder))
        except (_StoppedError, ProfileError, SourceError) as stopped:
            return [str(stopped)]


def _run(arguments: argparse.Namespace, folder: Path) -> list[str]:
    """The same, with a folder for what sources show."""
    stills = {
        name: _kept_still(name, folder / f"{number}.png")
        for number, name in enumerate(arguments.images)
        if is_source(name)
    }
    eye = PictureEye(lambda name: stills.get(name, Path(name)))
    state = answered(Wizard(), Show(pictures=tuple(arguments.images)), eye)
    picture = arguments.out.with_suffix(".jpg")
    if arguments.confirm:
        state = _asked_through(state, eye, picture, input)
    else:
        state = _gone_through(state, eye, arguments.flicks)
    name = arguments.name or arguments.out.stem
    return _kept(state, eye, arguments.out, name)


def _kept_still(source: str, path: Path) -> Path:
    """The file of a source's sharpest frame. Raises ``SourceError``."""
    path.write_bytes(cv2.imencode(".png", take_still(source))[1].tobytes())
    return path


def _gone_through(state: Wizard, eye: PictureEye, flicks: str | None) -> Wizard:
    """The wizard's end where nobody is asked: what is found is taken if it is good enough."""
    state = _fitted(state)
    _tell_advice(state)
    state = _with_clear_discs(answered(state, Accept(), eye), eye)
    state = answered(state, Accept(), eye)
    if flicks:
        state = _with_speed(state, eye, flicks)
        if state.speed is None:
            raise _StoppedError(state.advice[0].words)
    state = answered(state, Accept(), eye)
    return answered(state, Accept(), eye)


def _with_speed(state: Wizard, eye: PictureEye, clip: str) -> Wizard:
    """The state with what a clip tells of the board's speed. Raises ``SourceError``."""
    # The physics takes a while to load, and nothing else here needs it.
    from webapp.seen_flicks import SeenSpeed, speed_of

    told = speed_of(clip, profile_of(state, name="", made=""))
    if isinstance(told, SeenSpeed):
        return answered(state, TellSpeed(speed=told.speed), eye)
    return answered(state, TellSpeed(reason=told.reason), eye)


def _with_clear_discs(state: Wizard, eye: PictureEye) -> Wizard:
    """The state with one disc of each colour that lies clearly on the board."""
    board = state.main
    assert board is not None
    for disc in eye.clear_discs(board):
        state = answered(state, PickDisc(at_px=_middle_px(board, disc)), eye)
    return state


def _fitted(state: Wizard) -> Wizard:
    """The state with a board that can be gone on from. Raises ``_StoppedError``."""
    if state.may_go_on:
        return state
    reason = next((each.words for each in state.advice if each.stops), "No picture was measured.")
    raise _StoppedError(reason)


def _middle_px(sighting: Sighting, disc: MeasuredDisc) -> tuple[float, float]:
    """Where the middle of a disc's top is in the picture."""
    x, y = sighting.fit.view.project_plane(disc.centre_mm[None], disc.size.height_mm)[0]
    return float(x), float(y)


def _tell_advice(state: Wizard) -> None:
    for advice in state.advice:
        print(f"crokinole: {advice.words}", file=sys.stderr)


def _asked_through(state: Wizard, eye: PictureEye, picture: Path, ask: Ask) -> Wizard:
    """The wizard's end with a person who answers. Raises ``_StoppedError`` when they give up."""
    if state.step is Step.PICTURE:
        return _fitted(state)
    try:
        while state.step is not Step.SAVE:
            state = _ASKED[state.step](state, eye, picture, ask)
    except EOFError:
        raise _StoppedError(
            "The answers ended before the profile was ready; nothing is kept."
        ) from None
    return state


def _ask_about_fit(state: Wizard, eye: PictureEye, picture: Path, ask: Ask) -> Wizard:
    _tell_advice(state)
    if state.main is not None:
        _write_picture(state.main, eye, picture)
        print(f"{about_fit(state.main)} See {picture}.")
    answer = ask("Do the drawn rings lie on the painted ones? yes, no, or four places x,y: ")
    places = _places(answer)
    if len(places) == 4:
        return answered(state, Drag(handles_px=np.array(places)), eye)
    if _is_yes(answer) and state.may_go_on:
        return answered(state, Accept(), eye)
    if answer.strip().lower() in ("q", "quit"):
        raise _StoppedError("Nothing was kept, as you asked.")
    print(
        "Give the four places in the picture, in pixels, where a quadrant line meets the outer "
        "ring, such as `900,120 210,130 60,800 1010,790`; or `quit`."
    )
    return state


def _ask_about_discs(state: Wizard, eye: PictureEye, picture: Path, ask: Ask) -> Wizard:
    del picture
    _tell_advice(state)
    if not state.discs and not state.advice:
        state = _with_clear_discs(state, eye)
    for disc in state.discs:
        print(about_disc(disc))
    found = "Are these the discs?" if state.discs else "No disc is measured. Go on without?"
    answer = ask(f"{found} yes, no, or the place x,y of one disc of each colour: ")
    if _is_yes(answer):
        return answered(state, Accept(), eye)
    places = _places(answer)
    state = answered(state, ForgetDiscs(), eye)
    for place in places:
        state = answered(state, PickDisc(at_px=place), eye)
    return state if places else answered(state, Accept(), eye)


def _ask_about_speed(state: Wizard, eye: PictureEye, picture: Path, ask: Ask) -> Wizard:
    del picture
    _tell_advice(state)
    answer = ask("A clip of three flicks that touch nothing, or nothing to go on: ").strip()
    if not answer:
        return answered(state, Accept(), eye)
    try:
        state = _with_speed(state, eye, answer)
    except SourceError as error:
        return answered(state, TellSpeed(reason=str(error)), eye)
    return answered(state, Accept(), eye) if state.speed else state


def _ask_about_lens(state: Wizard, eye: PictureEye, picture: Path, ask: Ask) -> Wizard:
    del picture
    _tell_advice(state)
    answer = ask("Further pictures from the same camera, or nothing to go on: ").strip()
    if answer:
        return answered(state, Show(pictures=tuple(answer.split())), eye)
    return answered(state, Accept(), eye)


_ASKED = {
    Step.FIT: _ask_about_fit,
    Step.DISCS: _ask_about_discs,
    Step.SPEED: _ask_about_speed,
    Step.LENS: _ask_about_lens,
}


def _is_yes(answer: str) -> bool:
    return answer.strip().lower() in ("y", "yes")


def _places(answer: str) -> list[tuple[float, float]]:
    """The places that an answer such as ``10,20 30,40`` names; none when it is something else."""
    try:
        pairs = [tuple(float(each) for each in word.split(",")) for word in answer.split()]
    except ValueError:
        return []
    return [(pair[0], pair[1]) for pair in pairs if len(pair) == 2]


def _kept(state: Wizard, eye: PictureEye, path: Path, name: str) -> list[str]:
    """Write the profile with its picture and say what is in it."""
    assert state.main is not None
    picture = path.with_suffix(".jpg")
    made = datetime.now(UTC).isoformat(timespec="seconds")
    profile = profile_of(state, name=name, made=made)
    try:
        save_profile(profile, path)
        _write_picture(state.main, eye, picture)
    except OSError as error:
        return [f"{path} cannot be written ({error.strerror}); name another file."]
    print(about_fit(state.main))
    print("\n".join(about_profile(profile)))
    print(f"Kept in {path}, with its picture in {picture}.")
    return []


def _write_picture(sighting: Sighting, eye: PictureEye, path: Path) -> None:
    frame = eye.read(sighting.picture)
    if isinstance(frame, Unreadable):
        raise _StoppedError(f"{sighting.picture}: {frame.reason}")
    drawn = draw_fit(frame, sighting.fit.scaled(frame.scale))
    quality = [cv2.IMWRITE_JPEG_QUALITY, _JPEG_QUALITY]
    path.write_bytes(cv2.imencode(".jpg", drawn, quality)[1].tobytes())
