"""Discs, objects and the hole's state on a found board, by two small networks (``cv2.dnn``).

They were trained only on drawn boards (``sample_images/train_detector``, with a model card). Their
positions are 1 to 2 mm off, so they only decide whether a disc or object is there, never its zone.
Discs that touch in the line of sight may look like one disc to them, and the area beyond the 5-line
is not searched.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from functools import cache
from pathlib import Path
from threading import Lock

import cv2
import numpy as np

from calibration.board import BoardSpec
from calibration.camera import FloatArray
from calibration.parameters import StageParameters, parameter
from calibration.pose import View
from vision.detector.board_crops import (
    CELL_PX,
    DISC_MM_PER_PX,
    DISC_SIDE_PX,
    DISC_TOP_MM,
    HEAT_MM,
    HOLE_FLOOR_MM,
    HOLE_MM_PER_PX,
    HOLE_SIDE_PX,
    FacingFrame,
    crop_planes,
)
from vision.discs.detector_input import find_best_near
from vision.discs.find_discs import PARAMS as FIND_DISCS

_FOLDER, _LOCK = Path(__file__).parent, Lock()


class DetectBoardParameters(StageParameters):
    """Parameters of ``detect_board``."""

    #: Lower peaks are ignored.
    min_score: float = parameter(
        0.1, unit="probability", source="chosen: low, so that weak peaks are kept"
    )
    #: Peaks closer to each other are one disc.
    same_disc_mm: float = parameter(
        24.0,
        unit="mm",
        source="chosen: clearly less than 31 mm, the smallest distance between the centres of "
        "two discs",
    )
    #: A cell counts as covered by an object if more than this share of it is.
    covered: float = parameter(
        0.5, unit="share", source="chosen: at least half of the cell is covered"
    )


PARAMS = DetectBoardParameters()
#: Fainter responses of single cells say no more than none.
_LEAST_RESPONSE = 0.01


class HoleState(IntEnum):
    """The state of the hole, in the order of the network's answers."""

    EMPTY = 0
    DISC = 1
    OTHER = 2
    HIDDEN = 3


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class BoardDetections:
    """The networks' detections on a board, in the board frame.

    base_mm          base centres of discs (n, 2), most certain first
    score            their certainty (n,), 0 to 1
    response_mm      base centres (r, 2) that single cells see, without suppression, also faint ones
    response         their certainty (r,), 0 to 1
    object_share     share of the surface around them (n,) that a hand or another object hides
    hole             probability (4,) of every ``HoleState``
    covered_mm2      area of the surface within the 5-line that a hand or another object hides
    covered_mm       middle (2,) of that area; the board's centre without one
    """

    base_mm: FloatArray
    score: FloatArray
    response_mm: FloatArray
    response: FloatArray
    object_share: FloatArray
    hole: FloatArray
    covered_mm2: float
    covered_mm: FloatArray

    def score_near(self, place_mm: FloatArray, reach_mm: float) -> FloatArray:
        """The best score (k,) within ``reach_mm`` of places (k, 2); 0 if there is none."""
        return find_best_near(place_mm, self.base_mm, self.score, reach_mm)

    def respond_near(self, place_mm: FloatArray, reach_mm: float) -> FloatArray:
        """The best response (k,) within ``reach_mm`` of places (k, 2); 0 if there is none."""
        return find_best_near(place_mm, self.response_mm, self.response, reach_mm)

    def nearest_mm(self, place_mm: FloatArray, reach_mm: float) -> FloatArray:
        """The disc (k, 2) nearest to places (k, 2); NaN if none is within ``reach_mm``."""
        found = np.full((len(place_mm), 2), np.nan)
        if len(self.base_mm):
            gap = np.linalg.norm(place_mm[:, None] - self.base_mm[None], axis=-1)
            is_near = gap.min(axis=1) <= reach_mm
            found[is_near] = self.base_mm[gap.argmin(axis=1)[is_near]]
        return found


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class DetectorCrops:
    """A board as the networks see it: inputs (1, 8, s, s) of the whole board and of its hole."""

    board: np.ndarray
    hole: np.ndarray
    spec: BoardSpec
    facing: FacingFrame


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class BoardLooks:
    """Two looks at a board, with mostly independent errors: at the picture's even rows, and at its
    odd rows in mirror image. The odd rows' crops are kept unmirrored for a third look.
    """

    even: BoardDetections
    mirrored: BoardDetections
    odd_crops: DetectorCrops


def crop_board(image: np.ndarray, view: View, spec: BoardSpec, field: int) -> DetectorCrops:
    """``image`` (h, w, 3) BGR uint8 of a board found as ``view``, as the networks see it: its even
    rows (``field`` 0) or its odd rows (1).
    """
    hole_mm = np.asarray(spec.hole_centre_mm)
    return DetectorCrops(
        board=crop_planes(
            image,
            view,
            np.zeros(2),
            heights_mm=(0.0, DISC_TOP_MM),
            side_px=DISC_SIDE_PX,
            mm_per_px=DISC_MM_PER_PX,
            field=field,
        ),
        hole=crop_planes(
            image,
            view,
            hole_mm,
            heights_mm=(0.0, HOLE_FLOOR_MM),
            side_px=HOLE_SIDE_PX,
            mm_per_px=HOLE_MM_PER_PX,
            field=field,
        ),
        spec=spec,
        facing=FacingFrame.of_view(view),
    )


def detect_board(crops: DetectorCrops, *, mirrored: bool = False) -> BoardDetections:
    """The networks' output; with ``mirrored`` they get the mirror image, for a second look whose
    errors mostly differ.
    """
    answer = _run("board", _mirror(crops.board) if mirrored else crops.board)[0]
    if mirrored:
        answer = np.ascontiguousarray(answer[..., ::-1])
        answer[1] = -answer[1]
    covered = answer[3] > PARAMS.covered
    place, response = _place_responses(answer[0], answer[1:3], crops.facing)
    base_mm, score, cell = _find_peaks(answer[0], place, response, crops.spec)
    is_seen = response > _LEAST_RESPONSE
    hand_cells = round(FIND_DISCS.same_occluder_mm / (CELL_PX * DISC_MM_PER_PX))
    about = cv2.blur(covered.astype(np.float32), (hand_cells, hand_cells))
    cells_mm = _place_cells(len(answer[3]))
    covered &= np.linalg.norm(cells_mm, axis=-1) < crops.spec.line_radii_mm[2]
    hidden_mm = cells_mm[covered] @ crops.facing.board_from_facing.T
    return BoardDetections(
        base_mm=base_mm,
        score=score,
        response_mm=place[is_seen],
        response=response[is_seen],
        object_share=np.asarray(about[cell[:, 0], cell[:, 1]], np.float64),
        hole=detect_hole(crops, mirrored=mirrored),
        covered_mm2=len(hidden_mm) * (CELL_PX * DISC_MM_PER_PX) ** 2,
        covered_mm=np.median(hidden_mm, axis=0) if len(hidden_mm) else np.zeros(2),
    )


def detect_hole(crops: DetectorCrops, *, mirrored: bool = False) -> FloatArray:
    """The hole network's probability (4,) of every ``HoleState``."""
    answer = _run("hole", _mirror(crops.hole) if mirrored else crops.hole)[0]
    return np.asarray(answer, np.float64)


def _mirror(planes: np.ndarray) -> np.ndarray:
    """Mirrored inputs: left becomes right, and the sideways shift changes its sign."""
    flipped = np.ascontiguousarray(planes[..., ::-1])
    flipped[:, 6] = -flipped[:, 6]
    return flipped


def look_at_board(image: np.ndarray, view: View, spec: BoardSpec) -> BoardLooks:
    """The looks at the board of ``image`` (h, w, 3) BGR uint8."""
    even, odd = (crop_board(image, view, spec, field) for field in (0, 1))
    return BoardLooks(
        even=detect_board(even), mirrored=detect_board(odd, mirrored=True), odd_crops=odd
    )


def look_at_hole(image: np.ndarray, view: View, spec: BoardSpec) -> FloatArray:
    """The mean of two looks at the hole of ``image``: a probability (4,) of every ``HoleState``."""
    even, odd = (crop_board(image, view, spec, field) for field in (0, 1))
    return np.mean([detect_hole(even), detect_hole(odd, mirrored=True)], axis=0)


@cache
def _load(name: str) -> cv2.dnn.Net:
    return cv2.dnn.readNetFromONNX(str(_FOLDER / f"{name}.onnx"))


def _run(name: str, values: np.ndarray) -> np.ndarray:
    """A network's output. One thread runs a network at a time, because it reuses its memory."""
    with _LOCK:
        net = _load(name)
        net.setInput(values)
        return np.array(net.forward())


def _place_cells(cells: int) -> FloatArray:
    """Middles (c, c, 2) of the output cells in the facing frame, mm."""
    step = (np.arange(cells) - (cells - 1) / 2) * CELL_PX * DISC_MM_PER_PX
    x, y = np.meshgrid(step, -step)
    return np.stack([x, y], axis=-1)


def _place_responses(
    heat: np.ndarray, offset: np.ndarray, facing: FacingFrame
) -> tuple[FloatArray, FloatArray]:
    """The base centre (c, c, 2) on the board, mm, that every cell sees, and its certainty (c, c).

    Cells answer by their distance from a centre, because none is certain of a centre between two
    cells.
    """
    away = np.moveaxis(offset, 0, -1) * (CELL_PX * DISC_MM_PER_PX)
    place = (_place_cells(len(heat)) + away) @ facing.board_from_facing.T
    expected = np.exp(-(away**2).sum(axis=-1) / (2 * HEAT_MM**2))
    return place, np.minimum(heat / np.maximum(expected, 0.5), 1.0).astype(np.float64)


def _find_peaks(
    heat: np.ndarray, places_mm: FloatArray, response: FloatArray, spec: BoardSpec
) -> tuple[FloatArray, FloatArray, np.ndarray]:
    """Base centres (n, 2) on the board, mm, scores (n,) and cells (n, 2), without duplicates."""
    largest = cv2.dilate(heat, np.ones((3, 3), np.uint8))
    row, column = np.nonzero((heat >= largest) & (heat >= PARAMS.min_score))
    place, score = places_mm[row, column], response[row, column]
    kept: list[int] = []
    for k in np.argsort(-score, kind="stable"):
        gaps_mm = np.linalg.norm(place[kept] - place[k], axis=-1)
        off_hole_mm = np.linalg.norm(place[k] - spec.hole_centre_mm)
        if off_hole_mm > spec.hole_radius_mm and (gaps_mm > PARAMS.same_disc_mm).all():
            kept.append(int(k))
    return place[kept], score[kept], np.stack([row, column], axis=-1)[kept]
