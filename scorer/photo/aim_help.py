"""The one camera move that would help a picture most, and its effect, in a sentence.

The certainty of a line call follows from the view alone. An outline known to a fraction of a pixel
gives a position on the board (``predict_base_covariance``), and this gives a margin's sigma
(``scorer.zones``). It is largest on the far side of a line, so the sigmas there are predicted for a
camera raised or moved nearer by 10 cm and more. The smallest move that makes the lines' far sides
certain is suggested. A board that is cut off, too dark, in glare or blurred is reported as such. A
reflection that can hide a disc is reported before any camera move, with its place.

It takes a few hundredths of a second and needs no disc, so a live preview can use it for every
frame with a board.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from itertools import product
from typing import ClassVar

import numpy as np

from calibration.board import BoardSpec, FloatArray
from calibration.circle import circle_mm
from calibration.disc import ContactEdge, DiscSpec
from calibration.fit import BoardFit
from calibration.parameters import StageParameters, parameter
from calibration.phrase import Phrase, join
from calibration.placed_disc import DiscState, PlacedDisc
from calibration.pose import Pose, View
from calibration.wizard.picture_quality import PictureFault, advise
from scorer.photo.place_labels import describe_place
from scorer.zones import Boundary, call_zone
from vision.board.find_board import PARAMS as FIND_BOARD
from vision.board.find_board import compute_visible_share
from vision.board.quality import explain_missing_board, measure_quality
from vision.discs.outline.bundle_fit import predict_base_covariance
from vision.discs.unseen_surface import find_reflections
from vision.io.frame import Frame


class AimHelpParameters(StageParameters):
    """Parameters of ``aim_help``."""

    stage: ClassVar[str] = "aim_help"

    #: A side of a line is certain if a margin's sigma there is at most this.
    sure_sigma_mm: float = parameter(
        1.0,
        unit="mm",
        source="chosen: three lines at ±3 σ: 8% of evenly scattered discs are then close calls",
    )
    #: One sigma of the contact edge's radius once several discs have been measured.
    edge_sigma_mm: float = parameter(
        0.27, unit="mm", source="measured on photographs and renders: 0.24 to 0.3"
    )
    #: Moves that are tried: 10 cm, 20 cm, an arm, ...
    moves_mm: tuple[float, ...] = parameter(
        (100.0, 200.0, 300.0, 400.0, 600.0, 800.0),
        unit="mm",
        source="chosen: lengths as people estimate them",
    )
    #: A move by this much is worth it only if it makes one more line certain.
    mm_for_a_line: float = parameter(
        1000.0, unit="mm", source="chosen: as far as a tripod can be moved"
    )
    #: If no move makes a line certain, the worst sigma must fall to this share.
    worth_share: float = parameter(
        0.9, unit="share", source="chosen: an improvement by a tenth is hardly noticed"
    )
    #: The camera is brought nearer by at most this share of its distance, ...
    most_nearer: float = parameter(0.6, unit="share", source="chosen: players need room")
    #: ... and moving back is suggested from this distance on.
    told_back_mm: float = parameter(
        50.0, unit="mm", source="chosen: nobody holds a camera more precisely"
    )
    #: A board fills the picture if its outline takes up this share of the width or height.
    full_share: float = parameter(
        0.94, unit="share", source="chosen: leaves the width of a finger at the edge"
    )


PARAMS = AimHelpParameters()
#: Points on the playing surface's edge, enough for its outline.
_RIM_POINTS = 72
_LINES = (Boundary.LINE_15, Boundary.LINE_10, Boundary.LINE_5)


class AimTrouble(StrEnum):
    """The obstacle that makes a picture's reading uncertain."""

    CUT_OFF = "cut_off"
    FLAT = "flat"
    SMALL = "small"
    DARK = "dark"
    GLARE = "glare"
    BLURRED = "blurred"


@dataclass(frozen=True, slots=True, kw_only=True)
class AimAdvice:
    """The most useful tip, as one sentence.

    raise_mm        how far to move the camera up, with the same picture centre; 0 if it should not
                    be raised
    nearer_mm       how far to move it towards the board's centre; negative: away from it
    sigma_mm        one standard deviation of a margin on the worst line's far side, now
    then_sigma_mm   the same after the move; None if no camera move is suggested
    """

    trouble: AimTrouble
    sentence: str
    raise_mm: float = 0.0
    nearer_mm: float = 0.0
    sigma_mm: float | None = None
    then_sigma_mm: float | None = None


_LIGHT_TROUBLES = {
    PictureFault.DARK: AimTrouble.DARK,
    PictureFault.GLARE: AimTrouble.GLARE,
    PictureFault.BLURRED: AimTrouble.BLURRED,
}


def advise_camera(frame: Frame, board: BoardFit, finer: float = 1.0) -> AimAdvice | None:
    """The most helpful change for a picture of a found board; None if none is needed.

    ``board`` is in pixels of ``frame.image``. If this is a preview, ``finer`` is the number of
    pixels of the final picture per pixel of the preview.
    """
    light, reflection = _advise_light(frame, board), _advise_reflection(frame, board)
    size_px = (round(frame.image.shape[1] * finer), round(frame.image.shape[0] * finer))
    board = board.rescale(finer)
    cut_off = _advise_whole_board(board, size_px)
    if cut_off is not None or (light is not None and light[1]):
        return cut_off or (light[0] if light else None)
    return reflection or _advise_move(board, size_px) or (light[0] if light else None)


def advise_without_board(frame: Frame) -> AimAdvice | None:
    """The tip if bad light or focus may hide the board; None otherwise."""
    found = explain_missing_board(frame)
    if found is None:
        return None
    return AimAdvice(trouble=_LIGHT_TROUBLES[found.fault], sentence=found.words)


def predict_line_sigmas_mm(view: View, spec: BoardSpec) -> FloatArray:
    """One standard deviation of a disc's margin on the far side of the 15-, 10- and 5-line: (3,).

    For a sharp picture; blur and bad light make it larger.
    """
    camera_mm = view.cam_from_board.camera_board_mm
    edge = ContactEdge(radius_mm=DiscSpec().contact_radius_mm, radius_sigma_mm=PARAMS.edge_sigma_mm)
    away = -camera_mm[:2] / max(float(np.hypot(camera_mm[0], camera_mm[1])), 1e-9)
    radii = np.array(spec.line_radii_mm) - edge.radius_mm - spec.line_width_mm / 2
    bases = radii[:, None] * away + np.array(spec.line_centres_mm)
    covariance = predict_base_covariance(view, bases, DiscSpec())
    return np.array(
        [
            call_zone(
                PlacedDisc(
                    centre_mm=base,
                    covariance_mm2=covariance[line],
                    team=0,
                    state=DiscState.FLAT,
                    confidence=1.0,
                ),
                spec,
                edge,
            ).sigma_mm
            for line, base in enumerate(bases)
        ]
    )


def _advise_light(frame: Frame, board: BoardFit) -> tuple[AimAdvice, bool] | None:
    """The worst of darkness, glare and blur, and whether it makes a good reading impossible."""
    for picture_advice in advise(measure_quality(frame, board)):
        if picture_advice.fault in _LIGHT_TROUBLES:
            advice = AimAdvice(
                trouble=_LIGHT_TROUBLES[picture_advice.fault], sentence=picture_advice.words
            )
            return advice, picture_advice.stops
    return None


def _advise_reflection(frame: Frame, board: BoardFit) -> AimAdvice | None:
    sentence = describe_reflection(frame.image, board)
    return None if sentence is None else AimAdvice(trouble=AimTrouble.GLARE, sentence=sentence)


def describe_reflection(image: np.ndarray, board: BoardFit) -> str | None:
    """The place of the largest reflection in an image (h, w, 3) uint8 BGR that can hide a disc,
    with the remedy; None if there is none.
    """
    places_mm = find_reflections(image, board)
    if not places_mm:
        return None
    place = describe_place(places_mm[0], board)
    return Phrase("A lamp is reflected %(place)s. Move the lamp or the camera.", place=place)


def _advise_whole_board(board: BoardFit, size_px: tuple[int, int]) -> AimAdvice | None:
    """Advice to get the whole board into the picture; None if it already is."""
    radius_mm = board.spec.surface_radius_mm
    share = compute_visible_share(board.view, radius_mm, size_px[::-1])
    if share > FIND_BOARD.whole_share:
        return None
    words = Phrase(
        "%(percent).0f%% of the playing surface is outside the picture", percent=100 * (1 - share)
    )
    too_large = _compute_fill(board.view, board.spec, size_px) / PARAMS.full_share
    if too_large > 1:
        distance_mm = float(np.linalg.norm(board.view.cam_from_board.translation_mm))
        back_mm = max(50.0, round(distance_mm * (too_large - 1) / 50.0) * 50.0)
        sentence = Phrase(
            "%(problem)s. Move the camera back by %(back_mm)s.",
            problem=words,
            back_mm=_format_length(back_mm),
        )
        return AimAdvice(trouble=AimTrouble.CUT_OFF, sentence=sentence, nearer_mm=-back_mm)
    side = _find_cut_side(board, size_px)
    return AimAdvice(
        trouble=AimTrouble.CUT_OFF,
        sentence=Phrase("%(problem)s. Turn the camera %(side)s.", problem=words, side=side),
    )


def _find_cut_side(board: BoardFit, size_px: tuple[int, int]) -> str:
    """The direction to turn a camera to see the whole board, such as "to the left"."""
    rim = project_rim(board.view, board.spec)
    low, high = rim.min(axis=0), rim.max(axis=0)
    beyond = {
        "to the left": -low[0],
        "up": -low[1],
        "to the right": high[0] - size_px[0],
        "down": high[1] - size_px[1],
    }
    return max(beyond, key=lambda side: beyond[side])


def _advise_move(board: BoardFit, size_px: tuple[int, int]) -> AimAdvice | None:
    """The move with the greatest benefit for its length; None if all lines are certain or no move
    helps.
    """
    sigmas = predict_line_sigmas_mm(board.view, board.spec)
    if sigmas.max() <= PARAMS.sure_sigma_mm:
        return None
    moves = list(_list_moves(board, size_px))
    if not moves:
        return None
    best = max(moves, key=lambda move: move.rate(sigmas))
    # If no move makes a line certain, take the most helpful one.
    if not (best.find_gained(sigmas)).any():
        best = min(moves, key=lambda move: float(move.sigmas_mm.max()))
        if best.sigmas_mm.max() > PARAMS.worth_share * sigmas.max():
            return None
    return _describe_move(best, sigmas)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Move:
    """A move of the camera up and towards the board, and the far sides' sigmas (3,) after it.

    back_mm  how far it must move back if it is only raised, to keep the whole board in the picture
    """

    raise_mm: float
    nearer_mm: float
    back_mm: float
    sigmas_mm: FloatArray

    def find_gained(self, sigmas_mm: FloatArray) -> np.ndarray:
        """The lines (3,) that become certain, but were uncertain with ``sigmas_mm`` (3,)."""
        before, after = (sigmas > PARAMS.sure_sigma_mm for sigmas in (sigmas_mm, self.sigmas_mm))
        return np.asarray(before & ~after)

    def rate(self, sigmas_mm: FloatArray) -> float:
        """Number of lines that it makes certain, minus a cost for its length."""
        length_mm = self.raise_mm + self.nearer_mm
        return float(self.find_gained(sigmas_mm).sum() - length_mm / PARAMS.mm_for_a_line)


def _list_moves(board: BoardFit, size_px: tuple[int, int]) -> Iterator[_Move]:
    """All tried moves that keep the whole board in the picture."""
    camera_mm = board.view.cam_from_board.camera_board_mm
    for raise_mm, nearer_mm in product((0.0, *PARAMS.moves_mm), repeat=2):
        raised = camera_mm + np.array([0.0, 0.0, raise_mm])
        distance_mm = float(np.linalg.norm(raised))
        if raise_mm + nearer_mm == 0 or nearer_mm > PARAMS.most_nearer * distance_mm:
            continue
        place = raised * (1 - nearer_mm / distance_mm)
        moved, back_mm = _move_camera(board.view, place), 0.0
        fill = _compute_fill(moved, board.spec, size_px) / PARAMS.full_share
        if fill > 1 and nearer_mm > 0:
            continue
        if fill > 1:
            back_mm = distance_mm * (fill - 1)
            moved = _move_camera(board.view, place * fill)
        yield _Move(
            raise_mm=raise_mm,
            nearer_mm=nearer_mm,
            back_mm=back_mm,
            sigmas_mm=predict_line_sigmas_mm(moved, board.spec),
        )


def _move_camera(view: View, camera_mm: FloatArray) -> View:
    """The view from ``camera_mm`` (3,), turned to keep the board's centre at its place in the
    picture.
    """
    pose = view.cam_from_board
    before, after = (arm / np.linalg.norm(arm) for arm in (pose.camera_board_mm, camera_mm))
    axis, cosine = np.cross(after, before), float(after @ before)
    # Rodrigues: the smallest rotation from ``after`` to ``before``.
    skew = np.cross(np.eye(3), axis)
    turn = np.eye(3) + skew + skew @ skew / (1 + cosine)
    rotation = pose.rotation @ turn
    return View(
        camera=view.camera,
        cam_from_board=Pose(rotation=rotation, translation_mm=-rotation @ camera_mm),
    )


def _compute_fill(view: View, spec: BoardSpec, size_px: tuple[int, int]) -> float:
    """Share of the picture's width or height that the playing surface fills, whichever is
    larger.
    """
    rim = project_rim(view, spec)
    return float(((rim.max(axis=0) - rim.min(axis=0)) / np.array(size_px)).max())


def project_rim(view: View, spec: BoardSpec) -> FloatArray:
    """Points (n, 2) around the playing surface, px."""
    return view.project_plane(circle_mm((0.0, 0.0), spec.surface_radius_mm, _RIM_POINTS))


def _describe_move(move: _Move, sigmas_mm: FloatArray) -> AimAdvice:
    before_mm, after_mm = float(sigmas_mm.max()), float(move.sigmas_mm.max())
    steps = join(Phrase(" and "), _list_steps(move))
    gained = move.find_gained(sigmas_mm)
    names = [
        line.value.removesuffix("-line")
        for line, is_gained in zip(_LINES, gained, strict=True)
        if is_gained
    ]
    if not names:
        sentence = Phrase(
            "%(steps)S to measure gaps on the far side to within "
            "%(after_mm).1f mm instead of %(before_mm).1f mm.",
            steps=steps,
            after_mm=after_mm,
            before_mm=before_mm,
        )
    elif len(names) == 1:
        sentence = Phrase(
            "%(steps)S to be certain of calls on the far side of the %(line)s line.",
            steps=steps,
            line=names[0],
        )
    else:
        sentence = Phrase(
            "%(steps)S to be certain of calls on the far side of the %(lines)s lines.",
            steps=steps,
            lines=_join(names),
        )
    return AimAdvice(
        trouble=AimTrouble.FLAT if move.raise_mm > 0 else AimTrouble.SMALL,
        sentence=sentence,
        raise_mm=move.raise_mm,
        nearer_mm=move.nearer_mm - move.back_mm,
        sigma_mm=before_mm,
        then_sigma_mm=after_mm,
    )


def _list_steps(move: _Move) -> list[Phrase]:
    steps = []
    if move.raise_mm > 0:
        steps.append(
            Phrase("raise the camera %(raise_mm)s", raise_mm=_format_length(move.raise_mm))
        )
    if move.nearer_mm > 0:
        nearer_mm = _format_length(move.nearer_mm)
        steps.append(
            Phrase("move it %(nearer_mm)s closer", nearer_mm=nearer_mm)
            if steps
            else Phrase("move the camera %(nearer_mm)s closer", nearer_mm=nearer_mm)
        )
    if move.back_mm > PARAMS.told_back_mm:
        steps.append(Phrase("move it back until the whole board is in view"))
    return steps


def _join(names: list[str]) -> str:
    """Names in a row, such as "15, 10 and 5"."""
    return Phrase("%(names)s and %(last_name)s", names=join(", ", names[:-1]), last_name=names[-1])


def _format_length(length_mm: float) -> str:
    """A length in the units that people use."""
    return Phrase("%(length_mm).0f cm", length_mm=length_mm / 10)
