"""Discs in a laid-out frame, moving or not, as circles that differ from the bare board.

Knows how round and how free a difference is. Refuses to know colours and identities. Places are
good to a millimetre: enough to follow a disc, not to call a line.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np

from calibration.camera import FloatArray
from calibration.medians import median
from vision.plate import Laid, Plate
from vision.sheet import SHEET_MM_PER_PX, Sheet

#: Circles are looked for on every second pixel, and then centred on all of them.
_COARSE = 2
#: A disc differs from the board all over; this share of it must.
_LEAST_COVER = 0.8
#: The face is judged inside its rim, and its surroundings in a ring outside it, mm.
_INSIDE_RIM_MM, _RING_MM = 2.0, (2.0, 7.0)
#: Below this difference of the two shares there is no circle: part of a hand, or of a shadow.
LEAST_ROUND = 0.15
#: A hand's share round a disc that it holds is larger than that of shadow and neighbours.
FREE_ROUND = 0.4
#: A pixel is of the disc when its colour is nearer to the face's than this share of the face's own
#: distance from the board: shadow and fingers are not.
_ALIKE_SHARE = 0.6
#: Grooves of a face are narrower than this many pixels. On wood of nearly its colour, no farther
#: from it than so many grey levels over all channels, they stand out as much as the disc does.
_GROOVE, _FAINT = np.ones((3, 3), np.uint8), 70.0
#: Discs never lie nearer than two radii; circles nearer than this many are one.
_APART_RADII = 1.6
_MOST_CIRCLES = 30


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Circles:
    """n circles.

    centre_mm  (n, 2)
    round      (n,) share that differs inside less that around: 1 for a disc alone
    colour_bgr (n, 3) median of the face, in the plate's light
    """

    centre_mm: FloatArray
    round: FloatArray
    colour_bgr: FloatArray

    @property
    def free(self) -> np.ndarray:
        """Which of them nothing holds: (n,) bool."""
        return self.round > FREE_ROUND


def find_circles(sheet: Sheet, plate: Plate, laid: Laid, radius_mm: float) -> Circles:
    """The circles of ``radius_mm`` on the surface that differ from the plate."""
    mask = cv2.threshold(laid.differs, plate.threshold, 1.0, cv2.THRESH_BINARY)[1]
    coarse = cv2.resize(
        mask.astype(np.float32), None, fx=1 / _COARSE, fy=1 / _COARSE, interpolation=cv2.INTER_AREA
    )
    score = _scores(coarse, radius_mm)
    beyond = sheet.radius_mm[::_COARSE, ::_COARSE] > sheet.surface_radius_mm + radius_mm
    score[beyond] = 0.0
    places = (_peaks(score, radius_mm) + 0.5) * _COARSE - 0.5
    looks = [_look(plate, laid, place, radius_mm) for place in places]
    looks.sort(key=lambda each: -each.round)
    kept: list[_Look] = []
    apart_px = _APART_RADII * radius_mm / SHEET_MM_PER_PX
    for each in looks:
        if all(np.hypot(*(each.centre_px - other.centre_px)) > apart_px for other in kept):
            kept.append(each)
    return Circles(
        centre_mm=sheet.to_mm(np.array([each.centre_px for each in kept]).reshape(-1, 2)),
        round=np.array([each.round for each in kept]),
        colour_bgr=np.array([each.colour_bgr for each in kept]).reshape(-1, 3),
    )


def _scores(mask: np.ndarray, radius_mm: float) -> np.ndarray:
    """How round a disc each pixel of the coarse ``mask`` is the middle of, 0 to 1."""
    face, ring = _kernels(radius_mm)
    cover = cv2.filter2D(mask, cv2.CV_32F, face, borderType=cv2.BORDER_CONSTANT)
    around = cv2.filter2D(mask, cv2.CV_32F, ring, borderType=cv2.BORDER_CONSTANT)
    return np.where(cover > _LEAST_COVER, cover - around, 0.0).astype(np.float32)


def _kernels(radius_mm: float) -> tuple[np.ndarray, np.ndarray]:
    """Weights that average a face, and the ring around it."""
    mm_per_px = _COARSE * SHEET_MM_PER_PX
    reach = int(np.ceil((radius_mm + _RING_MM[1]) / mm_per_px))
    step = np.arange(-reach, reach + 1) * mm_per_px
    away = np.hypot(step[:, None], step[None, :])
    face = (away < radius_mm - _INSIDE_RIM_MM).astype(np.float32)
    ring = ((away > radius_mm + _RING_MM[0]) & (away < radius_mm + _RING_MM[1])).astype(np.float32)
    return face / face.sum(), ring / ring.sum()


def _peaks(score: np.ndarray, radius_mm: float) -> np.ndarray:
    """Coarse pixels (n, 2) that score highest near themselves, best first: discs never overlap."""
    reach = 2 * round(1.5 * radius_mm / (_COARSE * SHEET_MM_PER_PX) / 2) + 1
    highest = cv2.dilate(score, np.ones((reach, reach), np.uint8))
    row, column = np.nonzero((score >= highest) & (score > LEAST_ROUND))
    order = np.argsort(-score[row, column], kind="stable")[: 4 * _MOST_CIRCLES]
    kept: list[tuple[int, int]] = []
    for x, y in zip(column[order], row[order], strict=True):
        if all((x - a) ** 2 + (y - b) ** 2 > (reach / 2) ** 2 for a, b in kept):
            kept.append((int(x), int(y)))
    return np.array(kept[:_MOST_CIRCLES], dtype=np.intp).reshape(-1, 2)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Look:
    centre_px: FloatArray
    round: float
    colour_bgr: FloatArray


#: A circle is centred on its own colour so many times, and moves no farther than this, mm.
_CENTRINGS, _CENTRED_MM = 2, 8.0


def _look(plate: Plate, laid: Laid, place_px: FloatArray, radius_mm: float) -> _Look:
    """Middle, roundness and colour of the face about a sheet pixel (2,)."""
    reach = int(np.ceil((radius_mm + _RING_MM[1] + _CENTRED_MM) / SHEET_MM_PER_PX))
    x, y = np.rint(place_px).astype(int)
    top, left = max(0, y - reach), max(0, x - reach)
    window = slice(top, y + reach + 1), slice(left, x + reach + 1)
    image, board = laid.image[window].astype(np.float32), plate.image[window]
    differs = laid.differs[window] > plate.threshold
    rows, columns = np.ogrid[top : top + differs.shape[0], left : left + differs.shape[1]]

    def within(centre: FloatArray, distance_mm: float) -> np.ndarray:
        away2 = (columns - centre[0]) ** 2 + (rows - centre[1]) ** 2
        return away2 < (distance_mm / SHEET_MM_PER_PX) ** 2

    colour: FloatArray = np.zeros(3)
    centre, alike, stands_out2 = place_px, differs, 0.0
    for _ in range(_CENTRINGS):
        core = within(centre, radius_mm / 2)
        colour = median(image[core])
        stands_out2 = float(((colour - median(board[core])) ** 2).sum())
        apart = image - colour
        apart2 = np.einsum("ijk,ijk->ij", apart, apart)
        alike = differs & (apart2 < _ALIKE_SHARE**2 * stands_out2)
        row, column = np.nonzero(alike & within(centre, radius_mm + _INSIDE_RIM_MM))
        if len(row) == 0:
            return _Look(centre_px=place_px, round=0.0, colour_bgr=colour)
        centre = np.array([column.sum() / len(row) + left, row.sum() / len(row) + top])
    face = within(centre, radius_mm - _INSIDE_RIM_MM)
    inner, outer = (within(centre, radius_mm + edge_mm) for edge_mm in _RING_MM)
    is_round = _roundness(alike, face, outer & ~inner)
    if stands_out2 < _FAINT**2:
        is_round = max(is_round, _roundness(differs & _whole(alike), face, outer & ~inner))
    return _Look(centre_px=centre, round=is_round, colour_bgr=colour)


def _roundness(alike: np.ndarray, face: np.ndarray, ring: np.ndarray) -> float:
    """The share of a face that is alike, less that of the ring around it."""
    if not face.any() or not ring.any():
        return 0.0
    return _share(alike[face]) - _share(alike[ring])


def _whole(alike: np.ndarray) -> np.ndarray:
    """The pixels alike, with the grooves and rings of a disc's face between them."""
    return cv2.morphologyEx(alike.view(np.uint8), cv2.MORPH_CLOSE, _GROOVE) > 0


def _share(mask: np.ndarray) -> float:
    return float(np.count_nonzero(mask) / mask.size)
