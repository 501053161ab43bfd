"""The board in a picture: found, fitted, turned upright and measured, or the reason why there is
none.

Coarse to fine: ring hypotheses are searched in a small version of each channel, traced and fitted
on the full picture, compared with the profile, turned upright by the quadrant lines, and measured.
``NoBoard`` gives the user a remedy. Three rings, a hole, quadrant lines or posts, and at least half
of the board must be visible.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum

import cv2
import numpy as np

from calibration.board import BoardSpec, FloatArray
from calibration.circle import circle_mm
from calibration.fit import BoardFit
from calibration.lens_prior import LensPrior, guess_lens
from calibration.parameters import StageParameters, parameter
from calibration.phrase import Phrase
from calibration.pose import View
from calibration.profile import CalibrationProfile, find_ring_mismatch
from vision.board.azimuth import find_rotation, find_upright_rotation
from vision.board.board_hypotheses import (
    CIRCLE_POINTS,
    BoardHypothesis,
    RoughBoard,
    find_hypothesis,
    find_hypothesis_from_above,
    find_hypothesis_near,
    fit_hypothesis_near,
    trace_and_fit,
)
from vision.board.board_hypotheses import PARAMS as HYPOTHESES
from vision.board.centre_search import QUICK, THOROUGH, RingSearchEffort
from vision.board.channels import ImageChannel, make_channel, make_channels, resample_edges
from vision.board.grazing.grazing_hypothesis import find_grazing_hypothesis
from vision.board.hole_and_edge import has_hole, has_plain_hole, measure_features
from vision.board.rings import TraceSettings
from vision.io.frame import Frame


class FindBoardParameters(StageParameters):
    """Parameters of ``find_board``."""

    #: A lens is a different one if its focal length differs by more than both of these.
    lens_mismatch_sigmas: float = parameter(
        4.0, unit="σ", source="chosen: normal errors exceed this in one of 16,000 pictures"
    )
    lens_mismatch_log: float = parameter(
        0.04, unit="log", source="chosen: focusing and stabilising change the focal length by less"
    )
    #: A picture with a side below this in which no board was found is searched again at twice its
    #: size.
    small_px: int = parameter(
        400,
        unit="px",
        source="measured: of 57 pictures reduced to 180 and 240 px, 55 boards were found at "
        "twice the size, 52 without",
    )
    #: A line of pixels that vary by no more than this belongs to a plain bar, ...
    plain_grey: float = parameter(
        2.0,
        unit="grey value",
        source="measured: JPEG leaves 0.5 in a plain bar, even beside a line of text",
    )
    #: ... and bars are cut off if they take up more than this share of the picture.
    bars_share: float = parameter(
        0.05, unit="share", source="chosen: narrower bars hardly change a board's size"
    )
    #: Search distance from a line's predicted place on the full picture: at first, and while lines
    #: are further than ``converged_mm`` from it.
    refine_reaches_mm: tuple[float, ...] = parameter(
        (4.0, 2.5, 2.5, 2.5),
        unit="mm",
        source="chosen: a rough fit is accurate to a pixel of the small picture",
    )
    converged_mm: float = parameter(
        0.3,
        unit="mm",
        source="measured on oblique stills: with 0.5, residuals are up to three times as large",
    )
    #: A board is completely in the picture if at least this share of the area inside its 5-line is.
    whole_share: float = parameter(
        0.98,
        unit="share",
        source="chosen: the board is then whole, except for the rounding of a grid of 31 "
        "points a side",
    )
    #: A second board is searched for next to the first: beyond this much of its 5-line, ...
    beside_radii: float = parameter(
        1.1,
        unit="5-lines",
        source="chosen: the surface's edge is nominally at 1.08; the rest is the amount by "
        "which boards may overlap",
    )
    #: ... in parts whose sides are at least this share of the first one's width.
    beside_share: float = parameter(
        0.4,
        unit="share",
        source="chosen: a board half as large that is partly cut off is still examined",
    )
    #: A board found near the user's handles is the marked one if its outer ring is this close to
    #: theirs, on average.
    shown_share: float = parameter(
        0.1,
        unit="radii",
        source="chosen: a slip of a finger is far smaller than the distance to the next board",
    )


PARAMS = FindBoardParameters()
#: Places of a line that are traced on the full picture: every 2.5°.
_REFINE_AZIMUTHS = 144
#: The note on a board that was found by its posts and edge rather than its lines.
_FAINT = Phrase(
    "the board's lines are hard to see, so discs may be missed. Take "
    "the photo from higher up or closer, or with more light"
)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class NoBoard:
    """No board, with a reason that the user can act on."""

    reason: str


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class DetectedBoard:
    """A board in a picture.

    fit       in pixels of ``Frame.image``
    notes     messages for the user
    is_known  whether its sizes are the profile's
    """

    fit: BoardFit
    notes: tuple[str, ...] = ()
    is_known: bool = False


def find_board(
    frame: Frame,
    profile: CalibrationProfile | None = None,
    near: View | None = None,
    efforts: tuple[RingSearchEffort, ...] = (QUICK, THOROUGH),
) -> DetectedBoard | NoBoard:
    """The most central whole board of the picture, or the reason why there is none.

    ``profile`` holds the board's sizes and the camera's lens if they were measured before. Sizes or
    a lens that do not fit this picture are not used, with a note. ``near`` is a rough view of the
    board, in pixels of ``Frame.image``, if known. A board found there saves the search. ``efforts``
    limits the search. A preview's frame gets no thorough search, which takes seconds without a
    board.
    """
    usual, known = build_lens_prior(frame), _profile_lens_prior(frame, profile)
    first_found = _search_near(frame, near, known or usual) if near else None
    first_found = first_found or (_search_board(frame, known, efforts) if known else None)
    first_found = first_found or _search_board(frame, usual, efforts)
    if first_found is None and frame.scale <= 1 and min(frame.image.shape[:2]) < PARAMS.small_px:
        return _find_in_doubled(frame, profile, near, efforts)
    content = find_content(frame.image) if first_found is None else None
    if content is not None:
        return _find_between_bars(frame, content, profile, efforts)
    if first_found is None:
        return NoBoard(
            reason=(
                Phrase(
                    "no crokinole board was found. Fill the picture with the board "
                    "from above, with all three scoring rings lit and in focus"
                )
            )
        )
    channel, first = first_found
    chosen, notes = _pick_most_central(channel, first)
    if chosen.is_faint:
        notes = (*notes, _FAINT)
    visible_share = compute_visible_share(
        chosen.fit.view, chosen.fit.spec.line_radii_mm[2], channel.small.shape
    )
    if visible_share < HYPOTHESES.min_board_share:
        return NoBoard(
            reason=(
                Phrase(
                    "only %(visible_share).0f%% of the board is in the picture. Take "
                    "the photo again with the whole board in view",
                    visible_share=100 * visible_share,
                )
            )
        )
    whole_fit = replace(chosen, fit=chosen.fit.rescale(1.0 / channel.scale))
    usual = usual.adapt_to(whole_fit.fit.view.camera.fx_px)
    refined = replace(chosen, fit=_refine_fit(channel, whole_fit, usual))
    lens, board, profile_notes = _check_profile(frame, refined.fit, known, profile)
    if lens or board:
        refined = replace(refined, fit=_refine_fit(channel, refined, lens or usual, board))
    return _orient_and_measure(channel, refined, board, (*notes, *profile_notes))


def _find_in_doubled(
    frame: Frame,
    profile: CalibrationProfile | None,
    near: View | None,
    efforts: tuple[RingSearchEffort, ...],
) -> DetectedBoard | NoBoard:
    """The board of a small picture, found at twice its size, because its lines are finer than a
    pixel of the original.
    """
    image = cv2.resize(frame.image, None, fx=2.0, fy=2.0, interpolation=cv2.INTER_CUBIC)
    doubled = replace(frame, image=image, scale=2.0 * frame.scale)
    found = find_board(doubled, profile, near.rescale(2.0) if near else None, efforts)
    if isinstance(found, NoBoard):
        return found
    return replace(found, fit=found.fit.rescale(0.5))


def _find_between_bars(
    frame: Frame,
    content: tuple[slice, slice],
    profile: CalibrationProfile | None,
    efforts: tuple[RingSearchEffort, ...],
) -> DetectedBoard | NoBoard:
    """The board of a picture with plain bars at its edges, as in a screenshot. It is searched for
    in the picture without the bars, whose middle is taken as the lens's axis.
    """
    image = np.ascontiguousarray(frame.image[content])
    height_px, width_px = (round(side / frame.scale) for side in image.shape[:2])
    alone = replace(frame, image=image, width_px=width_px, height_px=height_px, missing_px=None)
    found = find_board(alone, profile, efforts=efforts)
    if isinstance(found, NoBoard):
        return found
    rows, columns = content
    camera = found.fit.view.camera
    moved = replace(camera, cx_px=camera.cx_px + columns.start, cy_px=camera.cy_px + rows.start)
    return replace(found, fit=replace(found.fit, view=replace(found.fit.view, camera=moved)))


def find_content(image: np.ndarray) -> tuple[slice, slice] | None:
    """Rows and columns of the picture between plain bars of ``image``; None if it has no bars.

    The content is the longest run of lines of more than one colour; the text of a status bar, or
    buttons, have fewer lines.
    """
    rows = _find_longest_run(image.std(axis=1).max(axis=-1) > PARAMS.plain_grey)
    if rows.start == rows.stop:
        return None
    columns = _find_longest_run(image[rows].std(axis=0).max(axis=-1) > PARAMS.plain_grey)
    share = image[rows, columns].size / image.size
    return (rows, columns) if 0 < share < 1 - PARAMS.bars_share else None


def _find_longest_run(is_in: np.ndarray) -> slice:
    """The longest run of true values in (n,) bool."""
    edges = np.flatnonzero(np.diff(np.concatenate([[0], is_in.astype(int), [0]])))
    if len(edges) == 0:
        return slice(0, 0)
    begin, end = edges[::2], edges[1::2]
    longest = int(np.argmax(end - begin))
    return slice(int(begin[longest]), int(end[longest]))


def find_board_near(
    frame: Frame, start: View, lens: LensPrior | None = None
) -> DetectedBoard | NoBoard:
    """The board whose rings are near a rough view, in pixels of ``Frame.image``.

    ``lens`` is the lens in the same pixels, if more is known about it than usual.
    """
    prior = lens or build_lens_prior(frame)
    refusal = NoBoard(
        reason=(
            Phrase(
                "no rings were found at these handles. Move each handle to where a "
                "quadrant line meets the outer ring"
            )
        )
    )
    for channel in make_channels(frame.image):
        rough = fit_hypothesis_near(
            channel.small, start.rescale(channel.scale), prior.rescale(channel.scale)
        )
        if rough is None:
            continue
        rough = replace(rough, fit=rough.fit.rescale(1.0 / channel.scale))
        adapted = prior.adapt_to(rough.fit.view.camera.fx_px)
        refined = replace(rough, fit=_refine_fit(channel, rough, adapted))
        found = _orient_and_measure(channel, refined, None, ())
        if isinstance(found, DetectedBoard):
            return found
        refusal = found
    # One misplaced handle distorts the whole view: a board found without the handles is accepted
    # too.
    found = find_board(frame, efforts=(QUICK,))
    return found if isinstance(found, DetectedBoard) and _is_shown(found, start) else refusal


def _is_shown(found: DetectedBoard, start: View) -> bool:
    """Whether a board is the one in a rough view."""
    radius_mm = found.fit.spec.line_radii_mm[2]
    ring_mm = circle_mm((0.0, 0.0), radius_mm, CIRCLE_POINTS)
    ring_px, shown_px = found.fit.view.project_plane(ring_mm), start.project_plane(ring_mm)
    radius_px = np.linalg.norm(ring_px - ring_px.mean(axis=0), axis=1).mean()
    apart_px = [np.linalg.norm(shown_px - ring_point, axis=1).min() for ring_point in ring_px]
    return float(np.mean(apart_px)) < PARAMS.shown_share * radius_px


def _orient_and_measure(
    channel: ImageChannel, refined: BoardHypothesis, known: BoardSpec | None, notes: tuple[str, ...]
) -> DetectedBoard | NoBoard:
    """The board turned upright with its features measured, or the reason why the rings are not a
    board's.
    """
    fit = refined.fit
    turn = find_rotation(channel.full, fit, dark=refined.dark)
    if turn is None and not has_hole(channel.full, fit):
        if not has_plain_hole(channel.full, fit):
            return NoBoard(
                reason=(
                    Phrase(
                        "there are rings in the picture, but no hole, quadrant lines or "
                        "posts. If this is a crokinole board, move closer and turn on more "
                        "light"
                    )
                )
            )
        notes = tuple(dict.fromkeys((*notes, _FAINT)))
    fit = fit.rotate(turn or 0.0)
    fit = fit.rotate(find_upright_rotation(fit))
    fit = (
        fit.rescale_to_spec(known)
        if known
        else measure_features(channel.full, fit, dark=refined.dark)
    )
    return DetectedBoard(fit=fit, notes=notes, is_known=known is not None)


def _check_profile(
    frame: Frame, fit: BoardFit, lens: LensPrior | None, profile: CalibrationProfile | None
) -> tuple[LensPrior | None, BoardSpec | None, tuple[str, ...]]:
    """The parts of a profile that fit this picture, its lens and its board, and notes on the
    others.

    ``fit`` was made without the profile.
    """
    if profile is None:
        return None, None, ()
    size = profile.explain_size_mismatch(frame.width_px, frame.height_px)
    notes = (size,) if size else ()
    board: BoardSpec | None = profile.board
    other = find_ring_mismatch(profile.board, fit.spec)
    if other is not None:
        board = None
        notes = (
            *notes,
            (
                Phrase(
                    "this board does not match the profile (%(difference)s), so the "
                    "profile's sizes are not used. Calibrate this board",
                    difference=other,
                )
            ),
        )
    if lens is not None and _is_lens_mismatch(fit, lens):
        lens = None
        notes = (
            *notes,
            (
                Phrase(
                    "the camera or zoom does not match the profile, so the profile's "
                    "lens data is not used. Calibrate this camera"
                )
            ),
        )
    return lens, board, notes


def _is_lens_mismatch(fit: BoardFit, lens: LensPrior) -> bool:
    """Whether a fit made without the profile's lens rules that lens out."""
    difference_log = abs(float(np.log(fit.view.camera.fx_px / lens.focal_px)))
    sigma = float(np.hypot(fit.focal_log_sigma, lens.focal_log_sigma))
    return difference_log > max(PARAMS.lens_mismatch_sigmas * sigma, PARAMS.lens_mismatch_log)


def _search_board(
    frame: Frame, prior: LensPrior, efforts: tuple[RingSearchEffort, ...]
) -> tuple[ImageChannel, BoardHypothesis] | None:
    """The first board found, and its channel: by a quick search, then by a thorough one with
    resampled edges; a board without lines if there is no other.
    """
    channels: list[ImageChannel] = []
    without_lines: tuple[ImageChannel, BoardHypothesis] | None = None
    for effort in efforts:
        again = (resample_edges(image_channel) for image_channel in channels)
        for channel in again if effort is THOROUGH else make_channels(frame.image):
            if effort is QUICK:
                channels.append(channel)
            scaled = prior.rescale(channel.scale)
            found = find_hypothesis(channel.small, channel.edges, scaled, effort)
            # at a distance red lines look dark, so the first channel shows them too
            if found is None and effort is QUICK and len(channels) == 1:
                found = find_grazing_hypothesis(channel.small, channel.edges, scaled)
            if found is not None and not found.is_without_lines:
                return channel, found
            if found is not None:
                without_lines = channel, found
    return without_lines


def _search_near(
    frame: Frame, near: View, prior: LensPrior
) -> tuple[ImageChannel, BoardHypothesis] | None:
    """The board near a rough view, and the channel it shows in."""
    for channel in make_channels(frame.image):
        found = find_hypothesis_near(
            channel.small, near.rescale(channel.scale), prior.rescale(channel.scale)
        )
        if found is not None:
            return channel, found
    return None


def _profile_lens_prior(frame: Frame, profile: CalibrationProfile | None) -> LensPrior | None:
    """The profile's lens in pixels of ``Frame.image``, None if it has none for this size."""
    lens = profile.lens_for(frame.width_px, frame.height_px) if profile else None
    return lens.rescale(frame.scale) if lens else None


def build_lens_prior(frame: Frame) -> LensPrior:
    """The prior of a picture's lens, in pixels of ``Frame.image``."""
    height, width = frame.image.shape[:2]
    return guess_lens(width, height, frame.focal_px * frame.scale if frame.focal_px else None)


def _refine_fit(
    channel: ImageChannel, rough: BoardHypothesis, prior: LensPrior, known: BoardSpec | None = None
) -> BoardFit:
    """The fit refined on the full picture, in its pixels; unchanged if that is not possible."""
    fit = rough.fit
    if rough.is_without_lines:
        return fit
    for reach_mm in PARAMS.refine_reaches_mm:
        trace = TraceSettings(dark=rough.dark, reach_mm=reach_mm, azimuths=_REFINE_AZIMUTHS)
        start = RoughBoard(view=fit.view, line_radii_mm=fit.spec.line_radii_mm)
        refined = trace_and_fit(channel.full, start, prior, trace, known)
        if refined is None or _max_difference_mm(fit, refined) < PARAMS.converged_mm:
            return refined or fit
        fit = refined
    return fit


def _max_difference_mm(one: BoardFit, other: BoardFit) -> float:
    """Largest distance between two fits' 5-lines, mm."""
    azimuths = np.arange(CIRCLE_POINTS) * (2 * np.pi / CIRCLE_POINTS)
    line = one.view.unproject_plane(
        other.view.project_plane(other.spec.line_points_mm(2, azimuths))
    )
    expected = np.linalg.norm(one.spec.line_points_mm(2, azimuths), axis=-1)
    return float(np.abs(np.linalg.norm(line, axis=-1) - expected).max())


def compute_visible_share(view: View, radius_mm: float, shape: tuple[int, ...]) -> float:
    """Share of the disc of that radius about the board's centre that is in the picture."""
    grid = np.linspace(-radius_mm, radius_mm, 31)
    x, y = np.meshgrid(grid, grid)
    points = np.stack([x.ravel(), y.ravel()], axis=-1)
    px = view.project_plane(points[np.linalg.norm(points, axis=-1) <= radius_mm])
    inside = (px >= 0).all(axis=-1) & (px[:, 0] < shape[1]) & (px[:, 1] < shape[0])
    return float(inside.mean())


def _pick_most_central(
    channel: ImageChannel, first: BoardHypothesis
) -> tuple[BoardHypothesis, tuple[str, ...]]:
    """The more central whole board of two, with a note that there are two; or the only one."""
    other = _find_beside(channel, first)
    if other is None:
        return first, ()

    def rank(hypothesis: BoardHypothesis) -> tuple[bool, float]:
        view, radii = hypothesis.fit.view, hypothesis.fit.spec.line_radii_mm
        middle = np.array([channel.small.shape[1] - 1, channel.small.shape[0] - 1]) / 2
        whole = compute_visible_share(view, radii[2], channel.small.shape) > PARAMS.whole_share
        return whole, -float(np.linalg.norm(view.project_plane([[0.0, 0.0]])[0] - middle))

    chosen, passed = sorted((first, other), key=rank, reverse=True)
    x, y = (
        board_hypothesis.fit.view.project_plane([[0.0, 0.0]])[0]
        for board_hypothesis in (chosen, passed)
    )
    return chosen, (_NOTE_OF_SIDE[_find_side(x - y)],)


class _Side(StrEnum):
    """Side of one of two boards, seen from the other."""

    LEFT = "left"
    RIGHT = "right"
    UPPER = "upper"
    LOWER = "lower"


#: The note that says which board is scored.
_NOTE_OF_SIDE = {
    _Side.LEFT: Phrase(
        "there is more than one board in the picture, and only the left one is scored"
    ),
    _Side.RIGHT: Phrase(
        "there is more than one board in the picture, and only the right one is scored"
    ),
    _Side.UPPER: Phrase(
        "there is more than one board in the picture, and only the upper one is scored"
    ),
    _Side.LOWER: Phrase(
        "there is more than one board in the picture, and only the lower one is scored"
    ),
}


def _find_side(away_px: FloatArray) -> _Side:
    """The side of a board at ``away_px`` (2,) from another."""
    x, y = away_px
    if abs(x) > abs(y):
        return _Side.RIGHT if x > 0 else _Side.LEFT
    return _Side.LOWER if y > 0 else _Side.UPPER


def _find_beside(channel: ImageChannel, first: BoardHypothesis) -> BoardHypothesis | None:
    """Another board left or right of the first, above or below it, in the channel's small picture.

    Every region is searched as a separate picture, because the first board's edges would outnumber
    those of a smaller or fainter board.
    """
    for left, top, right, bottom in _list_parts_beside(channel, first):
        part = make_channel(channel.full[top:bottom, left:right])
        lens = guess_lens(right - left, bottom - top).rescale(part.scale)
        other = find_hypothesis_from_above(part.small, part.edges, lens)
        if other is not None:
            view = other.fit.rescale(1.0 / part.scale).view
            camera = replace(
                view.camera, cx_px=view.camera.cx_px + left, cy_px=view.camera.cy_px + top
            )
            fit = replace(other.fit, view=replace(view, camera=camera).rescale(channel.scale))
            return replace(other, fit=fit)
    return None


def _list_parts_beside(
    channel: ImageChannel, first: BoardHypothesis
) -> list[tuple[int, int, int, int]]:
    """Regions (left, top, right, bottom) of the full picture beside a board that may hold
    another."""
    height, width = channel.full.shape
    reach_mm = PARAMS.beside_radii * first.fit.spec.line_radii_mm[2]
    rim_mm = circle_mm((0.0, 0.0), reach_mm, CIRCLE_POINTS)
    rim_px = first.fit.rescale(1.0 / channel.scale).view.project_plane(rim_mm)
    limit_px = np.array([width, height])
    left, top = (int(x) for x in np.clip(np.floor(rim_px.min(axis=0)), 0, limit_px))
    right, bottom = (int(x) for x in np.clip(np.ceil(rim_px.max(axis=0)), 0, limit_px))
    least_px = PARAMS.beside_share * float(np.ptp(rim_px, axis=0).max())
    parts = [
        (0, 0, left, height),
        (right, 0, width, height),
        (0, 0, width, top),
        (0, bottom, width, height),
    ]
    return [part for part in parts if min(part[2] - part[0], part[3] - part[1]) >= least_px]
