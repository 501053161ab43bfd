"""The calibration wizard as a pure step machine: the same for a browser and a terminal.

    PICTURE  show a picture of the board
    FIT      see the rings that were found: accept them, or drag four handles to where they belong
    DISCS    point at one disc of each colour; its size is measured
    SPEED    tell the board's speed, if somebody measured it in a clip of a few flicks
    LENS     show further pictures from the same camera, which tell its lens
    SAVE     the profile is ready

Knows the steps, what every answer leads to, and when something is not good enough to go on. Refuses
to know pixels, files and screens: an ``Eye`` that is passed in looks at pictures, which are names
here. States are values; the machine keeps nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Protocol

import numpy as np

from calibration.board import BoardSpec, DiscSpec, FloatArray
from calibration.fit import BoardFit, LensPrior
from calibration.handles import (
    BadHandles,
    handle_points_mm,
    resting_handles_px,
    view_from_handles,
)
from calibration.lens import Lens, common_lens
from calibration.pose import View
from calibration.profile import Origin, Profile, ProfileCamera, differing_sizes
from calibration.quality import Advice, Quality, Trouble, advise
from calibration.speed import BoardSpeed

#: A lens that is not known twice as well as any phone's was not measured: it is not saved.
_LEARNT_SHARE = 0.5
#: Two clicks nearer than this to one colour's disc are of that colour, as RGB distance.
_SAME_COLOUR_RGB = 45.0
#: Colours that one board's discs can have.
_MOST_COLOURS = 4


class Step(StrEnum):
    """Where the wizard stands."""

    PICTURE = "picture"
    FIT = "fit"
    DISCS = "discs"
    SPEED = "speed"
    LENS = "lens"
    SAVE = "save"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Sighting:
    """A board found in a picture, all in pixels of the stored upright picture.

    fit        the best that is known of it
    alone_fit  what this picture tells by itself
    lens       what was believed of the lens before it was looked at
    notes      sentences a person should see
    """

    picture: str
    width_px: int
    height_px: int
    fit: BoardFit
    alone_fit: BoardFit
    lens: LensPrior
    quality: Quality
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Unseen:
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


class Eye(Protocol):
    """What looks at pictures for the wizard."""

    def find(self, picture: str) -> Sighting | Unseen:
        """The board in a picture, found without help."""

    def find_near(
        self, picture: str, start: View, lens: LensPrior | None = None
    ) -> Sighting | Unseen:
        """The board whose rings lie near a rough view, with what is believed of the lens."""

    def measure_disc(self, sighting: Sighting, at_px: tuple[float, float]) -> MeasuredDisc | NoDisc:
        """The disc at a place in the picture."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Show:
    """Here is a picture; with several, the first is the one that is looked at."""

    pictures: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Drag:
    """The four handles belong here: (4, 2) stored pixels."""

    handles_px: FloatArray


@dataclass(frozen=True, slots=True, kw_only=True)
class PickDisc:
    """Here lies a disc, in stored pixels."""

    at_px: tuple[float, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class ForgetDiscs:
    """The discs that were picked were wrong."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TellSpeed:
    """The board is this fast; or nobody could tell, for a reason that says what to do."""

    speed: BoardSpeed | None = None
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Accept:
    """Good as it is: on to the next step."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Back:
    """One step back, keeping what was measured."""


Answer = Show | Drag | PickDisc | ForgetDiscs | TellSpeed | Accept | Back


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Wizard:
    """Where the wizard stands, and what it knows.

    views       pictures with their boards; the first is the one that is looked at
    unseen      the first picture, while no board is found in it
    handles_px  where the four handles are: (4, 2); None before there is a picture
    speed       of the board, where it was measured
    lens        what the views agree on
    advice      what is wrong now and how to make it better, the worst first
    """

    step: Step = Step.PICTURE
    views: tuple[Sighting, ...] = ()
    unseen: Unseen | None = None
    handles_px: FloatArray | None = None
    discs: tuple[MeasuredDisc, ...] = ()
    speed: BoardSpeed | None = None
    lens: Lens | None = None
    advice: tuple[Advice, ...] = ()

    @property
    def main(self) -> Sighting | None:
        """The board that is looked at."""
        return self.views[0] if self.views else None

    @property
    def may_go_on(self) -> bool:
        """Whether ``Accept`` leads on from here."""
        if self.step in (Step.PICTURE, Step.SAVE):
            return False
        return self.main is not None and not any(advice.stops for advice in self.advice)


def answered(state: Wizard, answer: Answer, eye: Eye) -> Wizard:
    """The state after an answer. Raises ``ValueError`` for one that does not belong to its step."""
    match answer, state.step:
        case Show(), Step.PICTURE:
            return _shown(answer.pictures, eye)
        case Show(), Step.LENS:
            return _with_views(state, answer.pictures, eye)
        case Drag(), Step.FIT:
            return _dragged(state, answer.handles_px, eye)
        case PickDisc(), Step.DISCS:
            return _picked(state, answer.at_px, eye)
        case ForgetDiscs(), Step.DISCS:
            return replace(state, discs=(), advice=())
        case TellSpeed(), Step.SPEED:
            advice = () if answer.speed else (_note(answer.reason),)
            return replace(state, speed=answer.speed or state.speed, advice=advice)
        case Accept(), Step.FIT | Step.DISCS | Step.SPEED | Step.LENS:
            return _gone_on(state)
        case Back(), Step.FIT | Step.DISCS | Step.SPEED | Step.LENS | Step.SAVE:
            return _gone_back(state)
    raise ValueError(f"{type(answer).__name__} is no answer to the step {state.step.value!r}")


_ORDER = tuple(Step)


def _gone_on(state: Wizard) -> Wizard:
    if not state.may_go_on:
        raise ValueError("this step is not good enough to go on from")
    return replace(state, step=_ORDER[_ORDER.index(state.step) + 1], advice=())


def _gone_back(state: Wizard) -> Wizard:
    step = _ORDER[_ORDER.index(state.step) - 1]
    if step is Step.PICTURE:
        return Wizard()
    advice = _advice_on(state.main) if step is Step.FIT and state.main else ()
    return replace(state, step=step, advice=advice)


# The picture and its board


def _shown(pictures: Sequence[str], eye: Eye) -> Wizard:
    """The first picture's board, and the others as further views of it."""
    if not pictures:
        return Wizard(advice=(_stop("There is no picture yet; choose one of the whole board."),))
    seen = eye.find(pictures[0])
    if isinstance(seen, Unseen):
        return _not_found(seen)
    state = _found(seen)
    if len(pictures) == 1:
        return state
    joined = _with_views(replace(state, advice=()), pictures[1:], eye)
    return replace(joined, step=Step.FIT, advice=(*state.advice, *joined.advice))


def _not_found(unseen: Unseen) -> Wizard:
    """No board: a readable picture may still be fitted by hand."""
    advice = (Advice(trouble=Trouble.NO_BOARD, words=unseen.reason, stops=True),)
    if unseen.width_px is None or unseen.height_px is None:
        return Wizard(advice=advice)
    return Wizard(
        step=Step.FIT,
        unseen=unseen,
        handles_px=resting_handles_px(unseen.width_px, unseen.height_px),
        advice=advice,
    )


def _found(sighting: Sighting) -> Wizard:
    return Wizard(
        step=Step.FIT,
        views=(sighting,),
        handles_px=_handles_of(sighting),
        lens=common_lens([sighting.alone_fit], sighting.lens),
        advice=_advice_on(sighting),
    )


def _advice_on(sighting: Sighting) -> tuple[Advice, ...]:
    notes = (Advice(trouble=Trouble.OTHER, words=note) for note in sighting.notes)
    return (*advise(sighting.quality), *notes)


def _dragged(state: Wizard, handles_px: FloatArray, eye: Eye) -> Wizard:
    """The board about the handles; they stay where they were put when there is none."""
    seen = state.main or state.unseen
    assert seen is not None
    assert seen.lens is not None
    view = view_from_handles(handles_px, BoardSpec(), seen.lens.camera())
    if isinstance(view, BadHandles):
        return replace(state, handles_px=np.array(handles_px), advice=(_stop(view.reason),))
    found = eye.find_near(seen.picture, view)
    if isinstance(found, Unseen):
        return replace(state, handles_px=np.array(handles_px), advice=(_stop(found.reason),))
    return _found(found)


def _stop(words: str) -> Advice:
    return Advice(trouble=Trouble.OTHER, words=words, stops=True)


def _note(words: str) -> Advice:
    return Advice(trouble=Trouble.OTHER, words=words)


# Discs


def _picked(state: Wizard, at_px: tuple[float, float], eye: Eye) -> Wizard:
    """The disc at that place, in the place of an earlier one of its colour."""
    assert state.main is not None
    disc = eye.measure_disc(state.main, at_px)
    if isinstance(disc, NoDisc):
        return replace(state, advice=(_note(disc.reason),))
    others = tuple(each for each in state.discs if not _same_colour(each, disc))
    if len(others) >= _MOST_COLOURS:
        return replace(
            state, advice=(_note("There are four colours already; start again to change them."),)
        )
    return replace(state, discs=(*others, disc), advice=())


def _same_colour(one: MeasuredDisc, other: MeasuredDisc) -> bool:
    away = np.subtract(one.colour_rgb, other.colour_rgb)
    return float(np.linalg.norm(away)) < _SAME_COLOUR_RGB


def disc_of(discs: Sequence[MeasuredDisc]) -> DiscSpec:
    """One size for all discs: their mean, as unsure as each of them and as all together differ."""
    if not discs:
        return DiscSpec()
    sizes = [disc.size for disc in discs]
    radii = np.array([size.radius_mm for size in sizes])
    unsure = np.array([size.radius_sigma_mm for size in sizes])
    return replace(
        sizes[0],
        radius_mm=float(radii.mean()),
        radius_sigma_mm=float(np.hypot(unsure.max(), radii.std())),
        height_mm=float(np.mean([size.height_mm for size in sizes])),
        height_sigma_mm=max(size.height_sigma_mm for size in sizes),
    )


# The lens


def _with_views(state: Wizard, pictures: Sequence[str], eye: Eye) -> Wizard:
    """The state with further pictures of the same board through the same lens."""
    assert state.main is not None
    views, advice = list(state.views), []
    for picture in pictures:
        seen = eye.find(picture)
        trouble = seen.reason if isinstance(seen, Unseen) else _stranger(state.main, seen)
        if isinstance(seen, Unseen) or trouble:
            advice.append(_note(f"{picture} is left out: {trouble}"))
        else:
            views.append(seen)
    return _with_common_lens(state, views, advice, eye)


def _stranger(main: Sighting, other: Sighting) -> str | None:
    """Why another picture tells nothing of this camera and board; None when it does."""
    if (other.width_px, other.height_px) != (main.width_px, main.height_px):
        return (
            f"it has {other.width_px} × {other.height_px} pixels and the first picture "
            f"{main.width_px} × {main.height_px}; take all with one camera at one setting."
        )
    if differing_sizes(main.fit.spec, other.fit.spec):
        return "its rings have other proportions; take all pictures of one board."
    useless = next((advice for advice in advise(other.quality) if advice.stops), None)
    return useless.words if useless else None


def _with_common_lens(
    state: Wizard, views: list[Sighting], advice: list[Advice], eye: Eye
) -> Wizard:
    """The lens that views agree on, and every view fitted again with it."""
    lens = common_lens([view.alone_fit for view in views], views[0].lens)
    if 0 not in lens.used:
        words = "The first picture was taken at another zoom than the others; begin with another."
        return replace(state, advice=(*advice, _note(words)))
    for k in range(len(views)):
        if k not in lens.used:
            advice.append(_note(f"{views[k].picture} is left out: it was taken at another zoom."))
    known = _as_prior(lens)
    refined = tuple(_refitted(views[k], known, eye) for k in lens.used)
    handles = _handles_of(refined[0])
    return replace(state, views=refined, lens=lens, advice=tuple(advice), handles_px=handles)


def _refitted(view: Sighting, lens: LensPrior, eye: Eye) -> Sighting:
    """The view with its board fitted again, now that the lens is known better."""
    seen = eye.find_near(view.picture, view.fit.view, lens)
    if isinstance(seen, Unseen):
        return view
    return replace(view, fit=seen.fit, quality=seen.quality)


def _handles_of(sighting: Sighting) -> FloatArray:
    return sighting.fit.view.project_plane(handle_points_mm(sighting.fit.spec))


def _as_prior(lens: Lens) -> LensPrior:
    return LensPrior(
        focal_px=lens.camera.fx_px,
        focal_log_sigma=lens.focal_log_sigma,
        centre_px=(lens.camera.cx_px, lens.camera.cy_px),
        centre_sigma_px=lens.centre_sigma_px,
        k1=lens.camera.k1,
        k1_sigma=lens.k1_sigma,
    )


# The profile


def profile_of(state: Wizard, *, name: str, made: str) -> Profile:
    """The profile of what was measured, ``made`` at that ISO date. Raises ``ValueError`` before.

    The rings' centres and ovality stay with each picture: they turn with the board.
    """
    main = state.main
    if main is None or state.lens is None:
        raise ValueError("no board has been measured yet")
    qualities = [view.quality for view in state.views]
    return Profile(
        board=_board_of([view.fit.spec for view in state.views], main.fit.spec),
        disc=disc_of(state.discs),
        camera=_camera_of(state.lens, main),
        speed=state.speed,
        origin=Origin(
            name=name,
            made=made,
            pictures=len(state.views),
            residual_mm=round(float(np.mean([each.residual_mm for each in qualities])), 3),
            colours=tuple(disc.colour_name for disc in state.discs),
        ),
    )


def _board_of(specs: Sequence[BoardSpec], main: BoardSpec) -> BoardSpec:
    """The sizes that the views agree on; line widths need the nearest view, which is the first."""

    def middle(*names: str) -> list[float]:
        return [float(np.median([getattr(spec, name) for spec in specs])) for name in names]

    def each_line(name: str) -> tuple[float, float, float]:
        r15, r10, r5 = np.median([getattr(spec, name) for spec in specs], axis=0)
        return float(r15), float(r10), float(r5)

    hole, surface, posts = middle("hole_radius_mm", "surface_radius_mm", "post_ring_radius_mm")
    return BoardSpec(
        line_radii_mm=each_line("line_radii_mm"),
        line_sigmas_mm=each_line("line_sigmas_mm"),
        line_width_mm=main.line_width_mm,
        line_width_sigma_mm=main.line_width_sigma_mm,
        hole_radius_mm=hole,
        surface_radius_mm=surface,
        post_ring_radius_mm=posts,
    )


def _camera_of(lens: Lens, main: Sighting) -> ProfileCamera | None:
    """The lens, or None where the pictures say little more of it than everybody knows."""
    if lens.focal_log_sigma > _LEARNT_SHARE * main.lens.focal_log_sigma:
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
