"""Sharp patches of light that come onto the board or leave it: sun through a window, a lamp.

Where light falls the wood's own grain and lines still show, all brighter by one factor; what covers
the board hides them. Knows the bare board and how a patch of it is lit. Refuses to know soft
shadows, which wander (see ``plate``), and what lies on the board.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import cv2
import numpy as np

from calibration.camera import FloatArray
from calibration.medians import median
from vision.plate import Laid, Plate, largest_difference
from vision.sheet import SHEET_MM_PER_PX, Sheet

#: A patch of light matters when it is at least this large on the surface, mm².
_LEAST_PATCH_MM2 = 1500.0
#: Where light has almost gone the mean of so many pixels tells, from this share of a difference.
_SMOOTH_PX, _FAINT = (5, 5), 0.6
#: So much of a patch differed when the board was last looked at: hands move on.
_STAYS = 0.85
#: Differences thinner than this many pixels are edges, not patches.
_WORN = np.ones((3, 3), np.uint8)
#: Grain and lines are what differs from the mean of so many pixels around.
_GRAIN_PX = (5, 5)
#: Edges of a patch are no grain: so many pixels inside its outline are left out.
_RIM = np.ones((5, 5), np.uint8)
#: It is the board's own grain when it correlates this well with that of the plate: behind a hand or
#: a cup there is none of it. Fainter grain than this, grey levels, is noise.
_SAME_GRAIN, _LEAST_GRAIN = 0.5, 1.0
#: The light so far inside its outline, mm, differs by this share of what it does in its middle: in
#: the shadow of somebody who walks by it is 0.4.
_NEAR_OUTLINE_MM, _SHARP = (12.0, 20.0), 0.65
#: Pieces of so many pixels belong to it whose light is within this factor, log, of the whole's.
#: Most of it is lit so.
_PIECE_PX, _ONE_LIGHT, _MOSTLY = 8, 0.2, 0.7
#: Levels added to both sides of a ratio, so that black is not all noise.
_FLOOR = 6.0
#: A level this high or higher has lost what was brighter.
_BURNT = 245
#: What then still differs by less than this, grey levels, is the board: light burns grain out.
_BOARD_LEVELS = 45
#: Half-light at a patch's edges reaches this many pixels beyond it.
_EDGE = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (9, 9))
#: A disc, its shadow and its blur reach this far beyond its rim, mm.
_AROUND_DISC_MM = 9.0


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Patch:
    """Where (side, side bool) the light has changed, and by what factors (3,), blue first."""

    where: np.ndarray
    factor: FloatArray


class Sunlight:
    """Remembers where the board differed when it last looked: a patch stays where it is."""

    def __init__(self) -> None:
        self._before: np.ndarray | None = None

    def look(
        self, plate: Plate, sheet: Sheet, laid: Laid, discs_mm: FloatArray, radius_mm: float
    ) -> Plate | None:
        """The plate in the light of a frame ``laid`` flat, with discs at ``discs_mm`` (n, 2).

        None where no patch of light came or went.
        """
        before, self._before = self._before, None
        if not _differs_much(plate, sheet, laid):
            return None
        free = sheet.discs(discs_mm, radius_mm + _AROUND_DISC_MM) == 0
        seen = largest_difference(laid.as_seen, plate.image)
        differs = (cv2.blur(seen, _SMOOTH_PX) > _FAINT * plate.threshold) & free
        self._before = differs
        if before is None:
            return None
        worn = cv2.morphologyEx(differs.view(np.uint8), cv2.MORPH_OPEN, _WORN)
        count, label, stats, _ = cv2.connectedComponentsWithStats(worn, connectivity=4)
        lit = plate
        for index in range(1, count):
            if stats[index, cv2.CC_STAT_AREA] * SHEET_MM_PER_PX**2 < _LEAST_PATCH_MM2:
                continue
            where = label == index
            if np.mean(before[where]) < _STAYS:
                continue
            patch = _patch(lit.image, laid.as_seen, where, sheet)
            if patch is not None:
                lit = _in_light(lit, laid.as_seen, patch, free)
        return None if lit is plate else lit


def _differs_much(plate: Plate, sheet: Sheet, laid: Laid) -> bool:
    """Whether so much of the surface differs that there can be a patch."""
    count = np.count_nonzero((laid.differs > plate.threshold) & sheet.surface)
    return bool(count * SHEET_MM_PER_PX**2 > _LEAST_PATCH_MM2)


def _patch(bare: np.ndarray, now: np.ndarray, where: np.ndarray, sheet: Sheet) -> _Patch | None:
    """The patch of light that this part of the sheet is, if it is one."""
    over = where & sheet.surface
    if np.count_nonzero(over) * SHEET_MM_PER_PX**2 < _LEAST_PATCH_MM2:
        return None
    if not _has_same_grain(bare, now, over) or not _is_sharp(bare, now, over):
        return None
    factor = _factor(bare, now, over)
    lit = where & _lit_alike(bare, now, factor)
    if np.count_nonzero(lit & over) < _MOSTLY * np.count_nonzero(over):
        return None
    return _Patch(where=lit, factor=factor)


def _has_same_grain(bare: np.ndarray, now: np.ndarray, where: np.ndarray) -> bool:
    """Whether the board's grain shows there, in the channel that shows it best."""
    row, column = np.nonzero(where)
    box = slice(row.min(), row.max() + 1), slice(column.min(), column.max() + 1)
    inner = cv2.erode(where[box].view(np.uint8), _RIM) > 0
    if np.count_nonzero(inner) * SHEET_MM_PER_PX**2 < _LEAST_PATCH_MM2 / 2:
        return False
    one, other = (_grain(each[box])[inner] for each in (bare, now))
    spread = np.sqrt((one**2).mean(axis=0)), np.sqrt((other**2).mean(axis=0))
    alike = (one * other).mean(axis=0) / np.maximum(spread[0] * spread[1], 1e-6)
    shows = (spread[0] > _LEAST_GRAIN) & (spread[1] > _LEAST_GRAIN)
    return bool((shows & (alike > _SAME_GRAIN)).any())


def _grain(image: np.ndarray) -> np.ndarray:
    """What differs from its surroundings: (h, w, 3)."""
    level = image.astype(np.float32)
    return np.asarray(level - cv2.blur(level, _GRAIN_PX))


def _is_sharp(bare: np.ndarray, now: np.ndarray, where: np.ndarray) -> bool:
    """Whether the light changes at the outline, not slowly across the patch as in soft shadows."""
    deep = cv2.distanceTransform(where.view(np.uint8), cv2.DIST_L2, 3) * SHEET_MM_PER_PX
    near = (deep > _NEAR_OUTLINE_MM[0]) & (deep < _NEAR_OUTLINE_MM[1])
    inner = deep >= _NEAR_OUTLINE_MM[1]
    if not inner.any():
        inner = near
    if not near.any():
        return False
    outside, inside = (np.abs(np.log(_factor(bare, now, each))).max() for each in (near, inner))
    return bool(outside > _SHARP * inside)


def _factor(bare: np.ndarray, now: np.ndarray, where: np.ndarray) -> FloatArray:
    """By what the light has changed (3,), from pixels that neither shows burnt out."""
    seen, board = now[where], bare[where]
    whole = (np.maximum(seen, board) < _BURNT).all(axis=1)
    if whole.mean() < 0.1:
        whole[:] = True
    return median((seen[whole] + np.float32(_FLOOR)) / (board[whole] + np.float32(_FLOOR)))


def _lit_alike(bare: np.ndarray, now: np.ndarray, factor: FloatArray) -> np.ndarray:
    """Where (side, side) pieces of the sheet differ by that factor, as far as levels reach."""
    pieces = bare.shape[0] // _PIECE_PX
    small = [
        cv2.resize(each, (pieces, pieces), interpolation=cv2.INTER_AREA)
        for each in (_lit(bare, factor), now)
    ]
    ratio = np.log((small[0] + np.float32(_FLOOR)) / (small[1] + np.float32(_FLOOR)))
    alike = np.asarray((np.abs(ratio) < _ONE_LIGHT).all(axis=-1), dtype=np.uint8)
    size = bare.shape[1::-1]
    return cv2.resize(alike, size, interpolation=cv2.INTER_NEAREST) > 0


def _lit(image: np.ndarray, factor: FloatArray) -> np.ndarray:
    levels = (image + np.float32(_FLOOR)) * factor.astype(np.float32) - np.float32(_FLOOR)
    return np.clip(np.rint(levels), 0, 255).astype(np.uint8)


def _in_light(plate: Plate, now: np.ndarray, patch: _Patch, free: np.ndarray) -> Plate:
    """The plate with the patch's light; what is burnt out, and half-light, as it is seen.

    Under discs (where it is not ``free``) it is guessed, as lit as what is around them.
    """
    image, out = plate.image, plate.image.copy()
    around = cv2.dilate(patch.where.view(np.uint8), _EDGE) > 0
    filled = cv2.morphologyEx(patch.where.view(np.uint8), cv2.MORPH_CLOSE, _disc_kernel()) > 0
    out[filled] = _lit(image[filled], patch.factor)
    still = np.abs(out.astype(np.int16) - now).max(axis=-1) < _BOARD_LEVELS
    edge = around & ~cv2.erode(patch.where.view(np.uint8), _EDGE).astype(bool)
    between = _is_between(now, image, _lit(image, patch.factor))
    take = free & ((filled & still) | (edge & between))
    out[take] = now[take]
    return replace(plate, image=out, bare=plate.bare & ~_touched(~free, around | filled))


def _touched(discs: np.ndarray, by: np.ndarray) -> np.ndarray:
    """The whole surroundings (side, side) of discs that a patch reaches."""
    _, label = cv2.connectedComponents(discs.view(np.uint8))
    return np.asarray(discs & np.isin(label, np.unique(label[discs & by])))


def _is_between(now: np.ndarray, one: np.ndarray, other: np.ndarray) -> np.ndarray:
    """Where (side, side) every channel lies between two pictures, give or take noise."""
    low, high = np.minimum(one, other), np.maximum(one, other)
    slack = np.int16(_BOARD_LEVELS // 3)
    seen = now.astype(np.int16)
    return ((seen > low - slack) & (seen < high + slack)).all(axis=-1)


def _disc_kernel() -> np.ndarray:
    """As large as a disc with its shadow."""
    reach = round((16.0 + _AROUND_DISC_MM) / SHEET_MM_PER_PX)
    return cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (2 * reach + 1, 2 * reach + 1))
