"""The calibration wizard as a pure state machine, shared by browser and terminal.

``apply_answer`` returns the next state from a state and an answer (see ``steps``). The machine
holds no state, and reads pictures through the ``BoardDetector`` that is passed in. If a picture or
an answer is not good enough, the next state carries advice.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import reduce

import numpy as np

from calibration.board import BoardSpec, FloatArray
from calibration.lens import combine_lenses
from calibration.lens_prior import LensPrior
from calibration.parameters import StageParameters, parameter
from calibration.phrase import Phrase
from calibration.profile import find_ring_mismatch
from calibration.wizard.control_points import (
    InvalidControlPoints,
    control_points_mm,
    default_control_points_px,
    fit_view_to_control_points,
)
from calibration.wizard.measurements import make_lens_prior
from calibration.wizard.picture_quality import PictureAdvice, PictureFault, advise
from calibration.wizard.steps import (
    Accept,
    Answer,
    Back,
    BoardDetector,
    ClearDiscs,
    DragControlPoints,
    MeasuredDisc,
    NoDetection,
    PickDisc,
    PickEveryColour,
    PictureDetection,
    SetSpeed,
    ShowPictures,
    Step,
    WizardState,
)


class StateMachineParameters(StageParameters):
    """Parameters of ``state_machine``."""

    #: Two clicks closer than this to a disc of one colour mean that colour.
    same_colour_rgb: float = parameter(
        45.0, unit="RGB distance", source="chosen: light changes a disc's colour by less"
    )
    #: A click selects the disc whose middle is within this many radii.
    click_radii: float = parameter(
        1.3, unit="radii", source="chosen: a click just outside a disc still means it"
    )
    max_colours: int = parameter(4, unit="", source="chosen: one colour for each of four players")


PARAMS = StateMachineParameters()


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
            return _pick_disc(state, answer.at_px)
        case PickEveryColour(), Step.DISCS:
            return reduce(_add_disc, state.seen, state)
        case ClearDiscs(), Step.DISCS:
            return replace(state, discs=(), advice=())
        case SetSpeed(), Step.SPEED:
            advice = () if answer.speed else (PictureAdvice(words=answer.reason),)
            return replace(state, speed=answer.speed or state.speed, advice=advice)
        case Accept(), Step.FIT | Step.DISCS | Step.SPEED | Step.LENS:
            return _advance(state)
        case Back(), Step.FIT | Step.DISCS | Step.SPEED | Step.LENS | Step.SAVE:
            return _step_back(state)
    raise ValueError(
        Phrase(
            "%(answer)s is not a valid answer for the step %(step)s",
            answer=type(answer).__name__,
            step=repr(state.step.value),
        )
    )


_STEP_ORDER = tuple(Step)


def _advance(state: WizardState) -> WizardState:
    if not state.can_advance:
        raise ValueError(
            Phrase("the result of this step is not accurate enough to continue. Correct it first")
        )
    return replace(state, step=_STEP_ORDER[_STEP_ORDER.index(state.step) + 1], advice=())


def _step_back(state: WizardState) -> WizardState:
    step = _STEP_ORDER[_STEP_ORDER.index(state.step) - 1]
    if step is Step.PICTURE:
        return WizardState()
    advice = _advise_on(state.main) if step is Step.FIT and state.main else ()
    return replace(state, step=step, advice=advice)


# The picture and its board


def _detect_boards(pictures: Sequence[str], detector: BoardDetector) -> WizardState:
    """The board in the first picture, and the boards in the others as further views of it."""
    if not pictures:
        return WizardState(
            advice=(
                PictureAdvice(
                    words=Phrase("No photo yet. Choose one of the whole board."), stops=True
                ),
            )
        )
    detection = detector.find(pictures[0])
    if isinstance(detection, NoDetection):
        return _start_without_board(detection)
    state = _start_fit_step(detection, detector)
    if len(pictures) == 1:
        return state
    joined = _add_views(replace(state, advice=()), pictures[1:], detector)
    return replace(joined, step=Step.FIT, advice=(*state.advice, *joined.advice))


def _start_without_board(unseen: NoDetection) -> WizardState:
    """The state if no board was found; a readable picture may still be fitted by hand."""
    advice = (PictureAdvice(fault=PictureFault.NO_BOARD, words=unseen.reason, stops=True),)
    if unseen.width_px is None or unseen.height_px is None:
        return WizardState(advice=advice)
    return WizardState(
        step=Step.FIT,
        unseen=unseen,
        control_points_px=default_control_points_px(unseen.width_px, unseen.height_px),
        advice=advice,
    )


def _start_fit_step(detection: PictureDetection, detector: BoardDetector) -> WizardState:
    seen, empty_hole = detector.read_discs(detection)
    return WizardState(
        step=Step.FIT,
        views=(detection,),
        control_points_px=_project_control_points(detection),
        seen=seen,
        empty_hole=empty_hole,
        lens=combine_lenses([detection.single_picture_fit], detection.lens),
        advice=_advise_on(detection),
    )


def _advise_on(detection: PictureDetection) -> tuple[PictureAdvice, ...]:
    notes = (PictureAdvice(words=note) for note in detection.notes)
    return (*advise(detection.quality), *notes)


def _fit_to_control_points(
    state: WizardState, control_points_px: FloatArray, detector: BoardDetector
) -> WizardState:
    """The board fitted to the control points; if the fit fails, the points keep their places."""
    detection = state.main or state.unseen
    assert detection is not None
    assert detection.lens is not None
    view = fit_view_to_control_points(control_points_px, BoardSpec(), detection.lens.camera())
    found = (
        view
        if isinstance(view, InvalidControlPoints)
        else detector.find_near(detection.picture, view)
    )
    if isinstance(found, InvalidControlPoints | NoDetection):
        return replace(
            state,
            control_points_px=np.array(control_points_px),
            advice=(PictureAdvice(words=found.reason, stops=True),),
        )
    return _start_fit_step(found, detector)


# Discs


def _pick_disc(state: WizardState, at_px: tuple[float, float]) -> WizardState:
    """The state with the disc at that point."""
    assert state.main is not None
    view, at = state.main.fit.view, np.array([at_px])
    away_radii = [
        float(
            np.linalg.norm(view.unproject_plane(at, z_mm=disc.size.height_mm)[0] - disc.centre_mm)
        )
        / disc.size.radius_mm
        for disc in state.seen
    ]
    if min(away_radii, default=np.inf) > PARAMS.click_radii:
        words = Phrase(
            "No disc was found there. Tap the centre of a disc that lies flat "
            "on the board and touches nothing."
        )
        return replace(state, advice=(PictureAdvice(words=words),))
    return _add_disc(state, state.seen[int(np.argmin(away_radii))])


def _add_disc(state: WizardState, disc: MeasuredDisc) -> WizardState:
    """The state with a picked disc, which replaces an earlier disc of its colour."""
    others = tuple(
        measured_disc for measured_disc in state.discs if not _is_same_colour(measured_disc, disc)
    )
    if len(others) >= PARAMS.max_colours:
        return replace(
            state,
            advice=(
                PictureAdvice(
                    words=Phrase(
                        "Four colours have already been measured. Start over to change them."
                    )
                ),
            ),
        )
    return replace(state, discs=(*others, disc), advice=())


def _is_same_colour(one: MeasuredDisc, other: MeasuredDisc) -> bool:
    away = np.subtract(one.colour_rgb, other.colour_rgb)
    return float(np.linalg.norm(away)) < PARAMS.same_colour_rgb


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
            advice.append(
                PictureAdvice(
                    words=Phrase(
                        "%(picture)s was skipped: %(rejection)s",
                        picture=picture,
                        rejection=rejection,
                    )
                )
            )
        else:
            views.append(detection)
    return _refit_with_common_lens(state, views, advice, detector)


def _explain_rejection(main: PictureDetection, other: PictureDetection) -> str | None:
    """The reason why another picture cannot be used for this camera and board; None if it can."""
    if (other.width_px, other.height_px) != (main.width_px, main.height_px):
        return Phrase(
            "it is %(width_px)s × %(height_px)s pixels, but the first photo is "
            "%(first_width_px)s × %(first_height_px)s. Take all photos with the same "
            "camera and settings.",
            width_px=other.width_px,
            height_px=other.height_px,
            first_width_px=main.width_px,
            first_height_px=main.height_px,
        )
    if find_ring_mismatch(main.fit.spec, other.fit.spec):
        return Phrase("its rings have different proportions. Take all photos of the same board.")
    useless = next((advice for advice in advise(other.quality) if advice.stops), None)
    return useless.words if useless else None


def _refit_with_common_lens(
    state: WizardState,
    views: list[PictureDetection],
    advice: list[PictureAdvice],
    detector: BoardDetector,
) -> WizardState:
    """The views' common lens, and every view fitted again with it."""
    lens = combine_lenses([view.single_picture_fit for view in views], views[0].lens)
    if 0 not in lens.used:
        words = Phrase(
            "The first photo was taken at a different zoom level from the "
            "others. Start over with another photo."
        )
        return replace(state, advice=(*advice, PictureAdvice(words=words)))
    for k in range(len(views)):
        if k not in lens.used:
            advice.append(
                PictureAdvice(
                    words=Phrase(
                        "%(picture)s was skipped: it was taken at a different zoom level.",
                        picture=views[k].picture,
                    )
                )
            )
    known = make_lens_prior(lens)
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
