"""The calibration wizard as a pure step machine: the same for a browser and a terminal.

    PICTURE  show a picture of the board
    FIT      see the rings that were found: accept them, or drag four control points into place
    DISCS    point at one disc of each colour; its size is measured
    SPEED    give the board's speed, if somebody measured it in a clip of a few flicks
    LENS     show further pictures from the same camera, which measure its lens
    SAVE     the profile is ready

Knows the steps, what every answer leads to, and when something is not good enough to go on. Refuses
to know pixels, files and screens: an ``BoardDetector`` that is passed in looks at pictures, which
are names here. States are values; the machine keeps nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import ClassVar, Protocol

import numpy as np

from calibration.board import BoardSpec, DiscSpec, FloatArray
from calibration.board_speed import BoardSpeed
from calibration.fit import BoardFit, LensPrior
from calibration.lens import LensEstimate, combine_lenses
from calibration.parameters import StageParameters, parameter
from calibration.picture_quality import PictureAdvice, PictureFault, PictureQuality, advise
from calibration.pose import View
from calibration.profile import CalibrationProfile, Origin, ProfileCamera, find_ring_mismatch
from calibration.wizard.control_points import (
    InvalidControlPoints,
    control_points_mm,
    default_control_points_px,
    fit_view_to_control_points,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class StateMachineParameters(StageParameters):
    """What ``state_machine`` takes for granted."""

    stage: ClassVar[str] = "wizard.state_machine"

    #: A lens that is not known twice as well as any phone's was not measured: it is not saved.
    measured_lens_share: float = parameter(0.5, unit="share", source="")
    #: Two clicks nearer than this to one colour's disc are of that colour, as RGB distance.
    same_colour_rgb: float = parameter(45.0, unit="", source="")
    #: Colours that one board's discs can have.
    max_colours: int = parameter(4, unit="", source="")


PARAMS = StateMachineParameters.active()


class Step(StrEnum):
    """Where the wizard stands."""

    PICTURE = "picture"
    FIT = "fit"
    DISCS = "discs"
    SPEED = "speed"
    LENS = "lens"
    SAVE = "save"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PictureDetection:
    """A board found in a picture, all in pixels of the stored upright picture.

    fit        the best that is known of it
    single_picture_fit  the fit of this picture by itself
    lens       what was believed of the lens before it was looked at
    notes      sentences a person should see
    """

    picture: str
    width_px: int
    height_px: int
    fit: BoardFit
    single_picture_fit: BoardFit
    lens: LensPrior
    quality: PictureQuality
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class NoDetection:
    """A picture without a board that can be used; the reason says what to do.

    Size and lens are None where the picture itself cannot be read.
    """

    picture: str
    reason: str
    width_px: int | None = None
    height_px: int | None = None
    lens: LensPrior | None = None


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class MeasuredDisc:
    """One colour's disc, where it lies and what it measures."""

    centre_mm: FloatArray
    colour_rgb: tuple[int, int, int]
    colour_name: str
    size: DiscSpec


@dataclass(frozen=True, slots=True, kw_only=True)
class NoDisc:
    """There is no disc where somebody pointed; the reason says what to do."""

    reason: str


class BoardDetector(Protocol):
    """Finds boards and discs in pictures for the wizard."""

    def find(self, picture: str) -> PictureDetection | NoDetection:
        """The board in a picture, found without help."""

    def find_near(
        self, picture: str, start: View, lens: LensPrior | None = None
    ) -> PictureDetection | NoDetection:
        """The board whose rings lie near a rough view, with what is believed of the lens."""

    def measure_disc(
        self, detection: PictureDetection, at_px: tuple[float, float]
    ) -> MeasuredDisc | NoDisc:
        """The disc at a place in the picture."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ShowPictures:
    """Here is a picture; with several, the first is the one that is looked at."""

    pictures: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class DragControlPoints:
    """The four control points belong here: (4, 2) stored pixels."""

    control_points_px: FloatArray


@dataclass(frozen=True, slots=True, kw_only=True)
class PickDisc:
    """Here lies a disc, in stored pixels."""

    at_px: tuple[float, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class ClearDiscs:
    """The discs that were picked were wrong."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SetSpeed:
    """The board is this fast; or it could not be measured, for a reason that says what to do."""

    speed: BoardSpeed | None = None
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Accept:
    """Good as it is: on to the next step."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Back:
    """One step back, keeping what was measured."""


Answer = ShowPictures | DragControlPoints | PickDisc | ClearDiscs | SetSpeed | Accept | Back


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class WizardState:
    """Where the wizard stands, and what it knows.

    views       pictures with their boards; the first is the one that is looked at
    unseen      the first picture, while no board is found in it
    control_points_px  where the four control points are: (4, 2); None before there is a picture
    speed       of the board, where it was measured
    lens        what the views agree on
    advice      what is wrong now and how to make it better, the worst first
    """

    step: Step = Step.PICTURE
    views: tuple[PictureDetection, ...] = ()
    unseen: NoDetection | None = None
    control_points_px: FloatArray | None = None
    discs: tuple[MeasuredDisc, ...] = ()
    speed: BoardSpeed | None = None
    lens: LensEstimate | None = None
    advice: tuple[PictureAdvice, ...] = ()

    @property
    def main(self) -> PictureDetection | None:
        """The board that is looked at."""
        return self.views[0] if self.views else None

    @property
    def can_advance(self) -> bool:
        """Whether ``Accept`` leads on from here."""
        if self.step in (Step.PICTURE, Step.SAVE):
            return False
        return self.main is not None and not any(advice.stops for advice in self.advice)


def apply_answer(state: WizardState, answer: Answer, detector: BoardDetector) -> WizardState:
    """The state after an answer. Raises ``ValueError`` for one that does not belong to its step."""
    match answer, state.step:
        case ShowPictures(), Step.PICTURE:
            return _detect_boards(answer.pictures, detector)
        case ShowPictures(), Step.LENS:
            return _add_views(state, answer.pictures, detector)
        case DragControlPoints(), Step.FIT:
            return _fit_to_control_points(state, answer.control_points_px, detector)
        case PickDisc(), Step.DISCS:
            return _pick_disc(state, answer.at_px, detector)
        case ClearDiscs(), Step.DISCS:
            return replace(state, discs=(), advice=())
        case SetSpeed(), Step.SPEED:
            advice = () if answer.speed else (_make_advice(answer.reason),)
            return replace(state, speed=answer.speed or state.speed, advice=advice)
        case Accept(), Step.FIT | Step.DISCS | Step.SPEED | Step.LENS:
            return _advance(state)
        case Back(), Step.FIT | Step.DISCS | Step.SPEED | Step.LENS | Step.SAVE:
            return _step_back(state)
    raise ValueError(f"{type(answer).__name__} is no answer to the step {state.step.value!r}")


_STEP_ORDER = tuple(Step)


def _advance(state: WizardState) -> WizardState:
    if not state.can_advance:
        raise ValueError("this step is not good enough to go on from")
    return replace(state, step=_STEP_ORDER[_STEP_ORDER.index(state.step) + 1], advice=())


def _step_back(state: WizardState) -> WizardState:
    step = _STEP_ORDER[_STEP_ORDER.index(state.step) - 1]
    if step is Step.PICTURE:
        return WizardState()
    advice = _advise_on(state.main) if step is Step.FIT and state.main else ()
    return replace(state, step=step, advice=advice)


# The picture and its board


def _detect_boards(pictures: Sequence[str], detector: BoardDetector) -> WizardState:
    """The first picture's board, and the others as further views of it."""
    if not pictures:
        return WizardState(
            advice=(
                _make_blocking_advice("There is no picture yet; choose one of the whole board."),
            )
        )
    detection = detector.find(pictures[0])
    if isinstance(detection, NoDetection):
        return _start_without_board(detection)
    state = _start_fit_step(detection)
    if len(pictures) == 1:
        return state
    joined = _add_views(replace(state, advice=()), pictures[1:], detector)
    return replace(joined, step=Step.FIT, advice=(*state.advice, *joined.advice))


def _start_without_board(unseen: NoDetection) -> WizardState:
    """No board: a readable picture may still be fitted by hand."""
    advice = (PictureAdvice(trouble=PictureFault.NO_BOARD, words=unseen.reason, stops=True),)
    if unseen.width_px is None or unseen.height_px is None:
        return WizardState(advice=advice)
    return WizardState(
        step=Step.FIT,
        unseen=unseen,
        control_points_px=default_control_points_px(unseen.width_px, unseen.height_px),
        advice=advice,
    )


def _start_fit_step(detection: PictureDetection) -> WizardState:
    return WizardState(
        step=Step.FIT,
        views=(detection,),
        control_points_px=_project_control_points(detection),
        lens=combine_lenses([detection.single_picture_fit], detection.lens),
        advice=_advise_on(detection),
    )


def _advise_on(detection: PictureDetection) -> tuple[PictureAdvice, ...]:
    notes = (PictureAdvice(trouble=PictureFault.OTHER, words=note) for note in detection.notes)
    return (*advise(detection.quality), *notes)


def _fit_to_control_points(
    state: WizardState, control_points_px: FloatArray, detector: BoardDetector
) -> WizardState:
    """The board fitted to the control points; they stay where they were put when there is none."""
    detection = state.main or state.unseen
    assert detection is not None
    assert detection.lens is not None
    view = fit_view_to_control_points(control_points_px, BoardSpec(), detection.lens.camera())
    if isinstance(view, InvalidControlPoints):
        return replace(
            state,
            control_points_px=np.array(control_points_px),
            advice=(_make_blocking_advice(view.reason),),
        )
    found = detector.find_near(detection.picture, view)
    if isinstance(found, NoDetection):
        return replace(
            state,
            control_points_px=np.array(control_points_px),
            advice=(_make_blocking_advice(found.reason),),
        )
    return _start_fit_step(found)


def _make_blocking_advice(words: str) -> PictureAdvice:
    return PictureAdvice(trouble=PictureFault.OTHER, words=words, stops=True)


def _make_advice(words: str) -> PictureAdvice:
    return PictureAdvice(trouble=PictureFault.OTHER, words=words)


# Discs


def _pick_disc(
    state: WizardState, at_px: tuple[float, float], detector: BoardDetector
) -> WizardState:
    """The disc at that place, in the place of an earlier one of its colour."""
    assert state.main is not None
    disc = detector.measure_disc(state.main, at_px)
    if isinstance(disc, NoDisc):
        return replace(state, advice=(_make_advice(disc.reason),))
    others = tuple(each for each in state.discs if not _is_same_colour(each, disc))
    if len(others) >= PARAMS.max_colours:
        return replace(
            state,
            advice=(_make_advice("There are four colours already; start again to change them."),),
        )
    return replace(state, discs=(*others, disc), advice=())


def _is_same_colour(one: MeasuredDisc, other: MeasuredDisc) -> bool:
    away = np.subtract(one.colour_rgb, other.colour_rgb)
    return float(np.linalg.norm(away)) < PARAMS.same_colour_rgb


def combine_discs(discs: Sequence[MeasuredDisc]) -> DiscSpec | None:
    """One size for all discs: their mean, as unsure as the worst of them and as all differ.

    None where no disc was measured.
    """
    if not discs:
        return None
    sizes = [disc.size for disc in discs]

    def mean(values_mm: list[float], sigmas_mm: list[float]) -> tuple[float, float]:
        return float(np.mean(values_mm)), float(np.hypot(max(sigmas_mm), np.std(values_mm)))

    radius_mm, radius_sigma_mm = mean(
        [size.radius_mm for size in sizes], [size.radius_sigma_mm for size in sizes]
    )
    height_mm, height_sigma_mm = mean(
        [size.height_mm for size in sizes], [size.height_sigma_mm for size in sizes]
    )
    return replace(
        sizes[0],
        radius_mm=radius_mm,
        radius_sigma_mm=radius_sigma_mm,
        height_mm=height_mm,
        height_sigma_mm=height_sigma_mm,
    )


# The lens


def _add_views(state: WizardState, pictures: Sequence[str], detector: BoardDetector) -> WizardState:
    """The state with further pictures of the same board through the same lens."""
    assert state.main is not None
    views, advice = list(state.views), []
    for picture in pictures:
        detection = detector.find(picture)
        rejection = (
            detection.reason
            if isinstance(detection, NoDetection)
            else _explain_rejection(state.main, detection)
        )
        if isinstance(detection, NoDetection) or rejection:
            advice.append(_make_advice(f"{picture} is left out: {rejection}"))
        else:
            views.append(detection)
    return _refit_with_common_lens(state, views, advice, detector)


def _explain_rejection(main: PictureDetection, other: PictureDetection) -> str | None:
    """Why another picture says nothing of this camera and board; None when it does."""
    if (other.width_px, other.height_px) != (main.width_px, main.height_px):
        return (
            f"it has {other.width_px} × {other.height_px} pixels and the first picture "
            f"{main.width_px} × {main.height_px}; take all with one camera at one setting."
        )
    if find_ring_mismatch(main.fit.spec, other.fit.spec):
        return "its rings have other proportions; take all pictures of one board."
    useless = next((advice for advice in advise(other.quality) if advice.stops), None)
    return useless.words if useless else None


def _refit_with_common_lens(
    state: WizardState,
    views: list[PictureDetection],
    advice: list[PictureAdvice],
    detector: BoardDetector,
) -> WizardState:
    """The lens that views agree on, and every view fitted again with it."""
    lens = combine_lenses([view.single_picture_fit for view in views], views[0].lens)
    if 0 not in lens.used:
        words = "The first picture was taken at another zoom than the others; begin with another."
        return replace(state, advice=(*advice, _make_advice(words)))
    for k in range(len(views)):
        if k not in lens.used:
            advice.append(
                _make_advice(f"{views[k].picture} is left out: it was taken at another zoom.")
            )
    known = _make_lens_prior(lens)
    refined = tuple(_refit(views[k], known, detector) for k in lens.used)
    control_points_px = _project_control_points(refined[0])
    return replace(
        state, views=refined, lens=lens, advice=tuple(advice), control_points_px=control_points_px
    )


def _refit(view: PictureDetection, lens: LensPrior, detector: BoardDetector) -> PictureDetection:
    """The view with its board fitted again, now that the lens is known better."""
    detection = detector.find_near(view.picture, view.fit.view, lens)
    if isinstance(detection, NoDetection):
        return view
    return replace(view, fit=detection.fit, quality=detection.quality)


def _project_control_points(detection: PictureDetection) -> FloatArray:
    return detection.fit.view.project_plane(control_points_mm(detection.fit.spec))


def _make_lens_prior(lens: LensEstimate) -> LensPrior:
    return LensPrior(
        focal_px=lens.camera.fx_px,
        focal_log_sigma=lens.focal_log_sigma,
        centre_px=(lens.camera.cx_px, lens.camera.cy_px),
        centre_sigma_px=lens.centre_sigma_px,
        k1=lens.camera.k1,
        k1_sigma=lens.k1_sigma,
    )


# The profile


def build_profile(state: WizardState, *, name: str, made: str) -> CalibrationProfile:
    """The profile of what was measured, ``made`` at that ISO date. Raises ``ValueError`` before.

    The rings' centres and ovality stay with each picture: they turn with the board.
    """
    main = state.main
    if main is None or state.lens is None:
        raise ValueError("no board has been measured yet")
    qualities = [view.quality for view in state.views]
    return CalibrationProfile(
        board=_combine_boards([view.fit.spec for view in state.views], main.fit.spec),
        disc=combine_discs(state.discs),
        camera=_make_profile_camera(state.lens, main),
        speed=state.speed,
        origin=Origin(
            name=name,
            made=made,
            pictures=len(state.views),
            residual_mm=round(float(np.mean([each.residual_mm for each in qualities])), 3),
            colours=tuple(disc.colour_name for disc in state.discs),
        ),
    )


def _combine_boards(specs: Sequence[BoardSpec], main: BoardSpec) -> BoardSpec:
    """The sizes that the views agree on; line widths need the nearest view, which is the first."""

    def median_of(*names: str) -> list[float]:
        return [float(np.median([getattr(spec, name) for spec in specs])) for name in names]

    def each_line(name: str) -> tuple[float, float, float]:
        r15, r10, r5 = np.median([getattr(spec, name) for spec in specs], axis=0)
        return float(r15), float(r10), float(r5)

    hole, surface, posts = median_of("hole_radius_mm", "surface_radius_mm", "post_ring_radius_mm")
    return BoardSpec(
        line_radii_mm=each_line("line_radii_mm"),
        line_sigmas_mm=each_line("line_sigmas_mm"),
        line_width_mm=main.line_width_mm,
        line_width_sigma_mm=main.line_width_sigma_mm,
        hole_radius_mm=hole,
        surface_radius_mm=surface,
        post_ring_radius_mm=posts,
    )


def _make_profile_camera(lens: LensEstimate, main: PictureDetection) -> ProfileCamera | None:
    """The lens, or None where the pictures say little more of it than everybody knows."""
    if lens.focal_log_sigma > PARAMS.measured_lens_share * main.lens.focal_log_sigma:
        return None
    return ProfileCamera(
        width_px=main.width_px,
        height_px=main.height_px,
        fx_px=lens.camera.fx_px,
        fy_px=lens.camera.fy_px,
        cx_px=lens.camera.cx_px,
        cy_px=lens.camera.cy_px,
        k1=lens.camera.k1,
        focal_log_sigma=lens.focal_log_sigma,
        k1_sigma=lens.k1_sigma,
        centre_sigma_px=lens.centre_sigma_px,
    )
