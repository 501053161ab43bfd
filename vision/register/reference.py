"""The reference of a film: its clearest frame, the board in it, and the lens of all its frames.

The board is found in the sharpest frames of each part of the film. They were taken through one
lens, from places that a hand moved between: together they tell it (``calibration.lens``) better
than any one does. The reference is the frame whose lines fit best and which the others lie around.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import ClassVar

import numpy as np

from calibration.board import FloatArray
from calibration.fit import BoardFit
from calibration.lens import LensEstimate, combine_lenses
from calibration.lens_prior import LensPrior
from calibration.parameters import StageParameters, parameter
from calibration.profile import CalibrationProfile
from vision.board.compare_views import rotate_to_match
from vision.board.find_board import NoBoard, build_lens_prior, find_board, find_board_near
from vision.io.frame import Frame
from vision.io.sharpest_frame import measure_sharpness
from vision.io.sources import TimedFrame
from vision.register.film import Film


@dataclass(frozen=True, slots=True, kw_only=True)
class ReferenceParameters(StageParameters):
    """What ``reference`` takes for granted."""

    stage: ClassVar[str] = "register.reference"

    parts: int = parameter(
        6, unit="", source="chosen for time: a search costs most of a second of the processor"
    )
    #: Of frames whose lines fit nearly as well as the best one's, the most central is taken.
    good_residual: float = parameter(
        1.5, unit="", source="chosen: noise of a residual of 300 points"
    )


PARAMS = ReferenceParameters.active()


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Reference:
    """A film's reference frame (h, w, 3) uint8 BGR, and the board in it, by the film's lens."""

    image: np.ndarray
    t_s: float
    fit: BoardFit


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _SeenBoard:
    """The board as one frame shows it."""

    frame: TimedFrame
    fit: BoardFit


def find_reference(film: Film, profile: CalibrationProfile | None) -> Reference | NoBoard:
    """The reference of a film, or why no board is seen in it. Raises ``SourceError``.

    ``profile`` holds the board's sizes and the lens where they were measured.
    """
    seen: list[_SeenBoard] = []
    reason = NoBoard(reason="the film shows nothing")
    for frame in _pick_sharp_frames(film):
        near = seen[-1].fit.view if seen else None
        found = find_board(_as_picture(frame.image), profile, near)
        if isinstance(found, NoBoard):
            reason = found
            continue
        fit = rotate_to_match(found.fit, seen[0].fit) if seen else found.fit
        seen.append(_SeenBoard(frame=frame, fit=fit))
    if not seen:
        return reason
    chosen = _pick_central(seen)
    image = chosen.frame.image
    fit = chosen.fit
    prior = (profile and profile.lens_for(image.shape[1], image.shape[0])) or build_lens_prior(
        _as_picture(image)
    )
    same_size = [each.fit for each in seen if each.frame.image.shape == image.shape]
    lens = _make_prior(combine_lenses(same_size, prior), prior)
    again = find_board_near(_as_picture(image), fit.view, lens)
    if not isinstance(again, NoBoard):
        refined = rotate_to_match(again.fit, fit)
        is_known = profile is not None and fit.spec.line_radii_mm == profile.board.line_radii_mm
        fit = refined.rescale_to_spec(fit.spec) if is_known else refined
    return Reference(image=image, t_s=chosen.frame.t_s, fit=fit)


def _pick_sharp_frames(film: Film) -> list[TimedFrame]:
    """The sharpest frame of each part of the film, in order."""
    times: list[float] = []
    sharpness: list[float] = []
    for frame in film.frames():
        times.append(frame.t_s)
        sharpness.append(measure_sharpness(frame.image))
    bounds = np.linspace(0, len(times), PARAMS.parts + 1).astype(int)
    picked = {
        times[low + int(np.argmax(sharpness[low:high]))]
        for low, high in pairwise(bounds)
        if high > low
    }
    return [frame for frame in film.frames() if frame.t_s in picked]


def _pick_central(seen: list[_SeenBoard]) -> _SeenBoard:
    """Of the boards that fit well, the one which lies nearest to all the others in the picture."""
    residual = np.array([each.fit.residual_px for each in seen])
    middles = np.array([_outline_px(each.fit) for each in seen])
    away = np.array([np.linalg.norm(middles - each, axis=-1).mean() for each in middles])
    away[residual > PARAMS.good_residual * residual.min()] = np.inf
    return seen[int(np.argmin(away))]


def _outline_px(fit: BoardFit) -> FloatArray:
    """Points (8, 2) of the outer line in the picture."""
    return fit.view.project_plane(fit.spec.line_points_mm(2, np.arange(8) * (np.pi / 4)))


def _make_prior(lens: LensEstimate, prior: LensPrior) -> LensPrior:
    """What is believed of the lens after all frames, which each believed ``prior``."""
    return LensPrior(
        focal_px=lens.camera.fx_px,
        focal_log_sigma=min(lens.focal_log_sigma, prior.focal_log_sigma),
        centre_px=(lens.camera.cx_px, lens.camera.cy_px),
        centre_sigma_px=min(lens.centre_sigma_px, prior.centre_sigma_px),
        k1=lens.camera.k1,
        k1_sigma=min(lens.k1_sigma, prior.k1_sigma),
    )


def _as_picture(image: np.ndarray) -> Frame:
    height, width = image.shape[:2]
    return Frame(name="frame", image=image, scale=1.0, width_px=width, height_px=height)
