"""The reference of a film: its clearest frame, the board in that frame, and the lens of all frames.

The board is found in the sharpest frame of each part of the film. Of the frames whose lines fit
best, the one whose board position is most central becomes the reference. A single picture hardly
determines its lens's distortion; a board at different places in the picture does. So the chosen
distortion is the one with which the other frames are registered to the reference with the smallest
residual (maximum likelihood, with the prior).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from calibration.board import FloatArray
from calibration.fit import BoardFit
from calibration.lens_prior import LensPrior
from calibration.parameters import StageParameters, parameter
from calibration.pose import View
from calibration.profile import CalibrationProfile
from vision.board.compare_views import rotate_to_match
from vision.board.find_board import NoBoard, build_lens_prior, find_board, find_board_near
from vision.io.frame import Frame
from vision.io.sharpest_frame import measure_sharpness
from vision.io.sources import TimedFrame
from vision.register.film import Film
from vision.register.frame_registrar import FrameRegistrar


class ReferenceParameters(StageParameters):
    """Parameters of ``reference``."""

    #: Among frames whose lines fit almost as well as the best one's, the most central is chosen.
    good_residual: float = parameter(
        1.5, unit="", source="chosen: a larger ratio means a clearly worse fit"
    )
    errors_per_frame: float = parameter(
        100.0,
        unit="",
        source="chosen: some 700 residuals, of which about six neighbours at a time share "
        "their error",
    )
    #: One sigma of the distortion once the frames agree on it.
    agreed_k1_sigma: float = parameter(
        0.005, unit="", source="chosen: this moves a board's edge by a tenth of a pixel in 1000"
    )


PARAMS = ReferenceParameters()
#: Parts of a film, in each of which the board is searched once: a search takes most of a second.
_PARTS = 6
#: Distortions that are tried, in sigmas from the assumed one: enough for fitting a parabola.
_TRIED_SIGMAS = (-2.0, -1.0, 0.0, 1.0, 2.0)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Reference:
    """A film's reference frame (h, w, 3) uint8 BGR, and its board, fitted with the film's lens."""

    image: np.ndarray
    t_s: float
    fit: BoardFit


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _SeenBoard:
    """The board in one frame."""

    frame: TimedFrame
    fit: BoardFit


def find_reference(film: Film, profile: CalibrationProfile | None) -> Reference | NoBoard:
    """The reference of a film, or the reason why it shows no board. Raises ``SourceError``.

    ``profile`` contains the board's sizes and the lens, if measured.
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
    image, fit = chosen.frame.image, chosen.fit
    height, width = image.shape[:2]
    if profile is None or profile.lens_for(width, height) is None:
        fit = _fit_distortion(chosen, [board for board in seen if board is not chosen])
    return Reference(image=image, t_s=chosen.frame.t_s, fit=_keep_sizes(fit, chosen.fit, profile))


def _fit_distortion(chosen: _SeenBoard, others: list[_SeenBoard]) -> BoardFit:
    """The chosen frame's fit, with the distortion on which the other frames agree best."""
    prior = build_lens_prior(_as_picture(chosen.frame.image))
    tried = np.array(_TRIED_SIGMAS)
    fits = [_refit(chosen, prior, prior.k1 + sigmas * prior.k1_sigma) for sigmas in tried]
    cost = np.array([_measure_misfit(chosen, fit, others) for fit in fits]) + tried**2 / 2
    if not np.isfinite(cost).any():
        return chosen.fit
    k = int(np.argmin(cost))
    if 0 < k < len(tried) - 1 and np.isfinite(cost[k - 1 : k + 2]).all():
        low, here, high = cost[k - 1 : k + 2]
        step = (low - high) / (2 * (low - 2 * here + high))  # the parabola's vertex
        best = tried[k] + step * (tried[k + 1] - tried[k])
        return _refit(chosen, prior, prior.k1 + best * prior.k1_sigma)
    return fits[k]


def _refit(chosen: _SeenBoard, prior: LensPrior, k1: float) -> BoardFit:
    """The chosen frame's board, fitted with the distortion ``k1``."""
    lens = replace(prior, k1=k1, k1_sigma=PARAMS.agreed_k1_sigma)
    found = find_board_near(_as_picture(chosen.frame.image), chosen.fit.view, lens)
    return chosen.fit if isinstance(found, NoBoard) else rotate_to_match(found.fit, chosen.fit)


def _measure_misfit(chosen: _SeenBoard, fit: BoardFit, others: list[_SeenBoard]) -> float:
    """Minus the log-likelihood of the other frames' registration with this fit's lens."""
    registrar = FrameRegistrar(chosen.frame.image, fit, np.zeros((0, 2)))
    total = 0.0
    for other in others:
        if other.frame.image.shape != chosen.frame.image.shape:
            continue
        pose = other.fit.view.cam_from_board
        registrar.start_from(View(camera=fit.view.camera, cam_from_board=pose))
        registered = registrar.register(other.frame.image, other.frame.t_s)
        if registered is None:
            return np.inf
        total += PARAMS.errors_per_frame * float(np.log(registered.residual_px))
    return total


def _keep_sizes(fit: BoardFit, found: BoardFit, profile: CalibrationProfile | None) -> BoardFit:
    """The fit with the profile's sizes, if the board in the film has them."""
    if profile is None or found.spec.line_radii_mm != profile.board.line_radii_mm:
        return fit
    return fit.rescale_to_spec(found.spec)


def _pick_sharp_frames(film: Film) -> list[TimedFrame]:
    """The sharpest frame of each part of the film, in order."""
    times: list[float] = []
    sharpness: list[float] = []
    for frame in film.frames():
        times.append(frame.t_s)
        sharpness.append(measure_sharpness(frame.image))
    bounds = np.linspace(0, len(times), _PARTS + 1).astype(int)
    picked = {
        times[low + int(np.argmax(sharpness[low:high]))]
        for low, high in pairwise(bounds)
        if high > low
    }
    return [frame for frame in film.frames() if frame.t_s in picked]


def _pick_central(seen: list[_SeenBoard]) -> _SeenBoard:
    """Of the boards that fit well, the one nearest to all others in the picture."""
    residual = np.array([board.fit.residual_px for board in seen])
    middles = np.array([_outline_px(board.fit) for board in seen])
    away = np.array([np.linalg.norm(middles - middle, axis=-1).mean() for middle in middles])
    away[residual > PARAMS.good_residual * residual.min()] = np.inf
    return seen[int(np.argmin(away))]


def _outline_px(fit: BoardFit) -> FloatArray:
    """Points (8, 2) of the outer line in the picture."""
    return fit.view.project_plane(fit.spec.line_points_mm(2, np.arange(8) * (np.pi / 4)))


def _as_picture(image: np.ndarray) -> Frame:
    height, width = image.shape[:2]
    return Frame(name="frame", image=image, scale=1.0, width_px=width, height_px=height)
