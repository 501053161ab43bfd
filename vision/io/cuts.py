"""Cut detection: finds the frames at which the picture jumps, even if the camera stays the same.

Highlight films are cut from shot to shot, and back to the replay of a shot, often with a single
camera. In the cells of a coarse grid, a frame after a cut differs from the one before it many times
more than the frames around it differ (shot boundary detection by twin comparison: Zhang,
Kankanhalli and Smoliar 1993). Motion spans several frames; a change of overall brightness does not
count. A cut is reported two frames later. Dissolves are not cuts.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple, TypeVar

import cv2
import numpy as np

from calibration.numerics.medians import quantile
from calibration.parameters import StageParameters, parameter

Item = TypeVar("Item")


class CutsParameters(StageParameters):
    """Parameters of ``cuts``."""

    #: A cell has changed if its grey value differs by more than this.
    cell_grey: int = parameter(
        12,
        unit="grey value",
        source="measured: still scenes that were encoded again at CRF 23 to 32 change by up to 8",
    )
    #: At a cut, some cells change by more than this many times the 90th percentile of all changes,
    #: or by the fixed amount below. At a keyframe of a strongly compressed film, all cells change.
    usual_times: float = parameter(
        4.0,
        unit="",
        source="measured at CRF 42: at a keyframe, nine in ten cells change by up to 6, the "
        "rest by up to 27",
    )
    surely_grey: int = parameter(
        40, unit="grey value", source="chosen: the difference between a disc and the board"
    )
    #: At a cut, at least this share of the cells changes ...
    least_share: float = parameter(
        0.005,
        unit="share",
        source="chosen: two discs on a board that fills the picture have a share of 0.006",
    )
    #: ... and the share is this many times that in the frames around the cut: the first factor
    #: holds on one side of it, the second on the other. The second is smaller, because a hand may
    #: move just before or after a cut.
    times: float = parameter(
        6.0,
        unit="",
        source="measured in films at 10 to 30 frames a second: cuts have 21 and more on the "
        "quieter side",
    )
    times_other_side: float = parameter(
        4.0,
        unit="",
        source="measured in films at 10 to 30 frames a second: hands and discs have at most 2.9",
    )
    #: A fade continues over several frames; half of its change may follow a repeated frame. At a
    #: cut, the changed cells change by at least this many times as much as on the quieter side.
    fade_times: float = parameter(
        3.0,
        unit="",
        source="chosen: twice as much because of the repeated frame, and half as much again "
        "for noise; at cuts, cells change tens of times as much",
    )
    #: Floor of the share in the frames around a cut, because still frames may not differ at all.
    floor_share: float = parameter(
        0.0005, unit="share", source="chosen: the share of cells that a disc's edge covers"
    )


PARAMS = CutsParameters()
#: Number of frames before and after a cut that it is compared with.
_AROUND = 2
#: Share of cells that change by no more than usual.
_USUAL_SHARE = 0.9


class _Change(NamedTuple):
    """The change from one frame to the next: the share of cells that changed, the share that
    changed far more than the 90th percentile, and the change of every cell, (rows, columns) uint8.
    """

    share: float
    unusual_share: float
    cells: np.ndarray | None


_NO_CHANGE = _Change(share=0.0, unusual_share=0.0, cells=None)


def mark_cuts(
    items: Iterable[Item], cells: Callable[[Item], np.ndarray]
) -> Iterator[tuple[Item, bool]]:
    """Yield every item in order, with a flag that says whether the picture was cut before it.

    ``cells`` returns a frame's luma averaged over the cells of a coarse grid, (rows, columns)
    uint8. The newest two items are held back.
    """
    held: deque[Item] = deque()
    changes: deque[_Change] = deque(maxlen=2 * _AROUND + 1)  # before each frame
    last: np.ndarray | None = None
    for item in items:
        grid = cells(item)
        changes.append(_NO_CHANGE if last is None else _measure_change(grid, last))
        last = grid
        held.append(item)
        if len(held) > _AROUND:
            yield held.popleft(), _is_cut(changes, len(changes) - 1 - _AROUND)
    while held:
        yield held.popleft(), len(held) > 0 and _is_cut(changes, len(changes) - 1 - len(held))


def _measure_change(grid: np.ndarray, before: np.ndarray) -> _Change:
    """The change of every cell, after the mean brightness of the two frames is equalised."""
    if grid.shape != before.shape:
        return _Change(share=1.0, unusual_share=1.0, cells=None)
    light = cv2.mean(before)[0] / max(cv2.mean(grid)[0], 1.0)
    change = cv2.absdiff(cv2.convertScaleAbs(grid, alpha=light), before)
    if change.max() <= PARAMS.cell_grey:  # true for most frames
        return _NO_CHANGE._replace(cells=change)
    usual = PARAMS.usual_times * quantile(change.ravel(), _USUAL_SHARE)
    least = min(max(PARAMS.cell_grey, usual), PARAMS.surely_grey)
    return _Change(
        share=float(np.count_nonzero(change > PARAMS.cell_grey) / change.size),
        unusual_share=float(np.count_nonzero(change > least) / change.size),
        cells=change,
    )


def _is_cut(changes: deque[_Change], at: int) -> bool:
    """Whether the change before frame ``at`` is much larger than the changes around it."""
    if at < 0 or changes[at].unusual_share < PARAMS.least_share:
        return False
    shares = [change.share for change in changes]
    least, most = sorted(
        max([PARAMS.floor_share, *around]) for around in (shares[:at], shares[at + 1 :])
    )
    is_quiet = shares[at] >= PARAMS.times * least
    if not (is_quiet and shares[at] >= PARAMS.times_other_side * most):
        return False
    return not _is_fade(changes, at)


def _is_fade(changes: deque[_Change], at: int) -> bool:
    """Whether the cells that changed before frame ``at`` already changed earlier and continue to
    change.
    """
    now = changes[at].cells
    if now is None:
        return False
    changed = now > PARAMS.cell_grey

    def measure_most(others: list[_Change]) -> float:
        """Largest change of these cells in any of the other frames."""
        return max((_mean_change(other, changed) for other in others), default=0.0)

    every = list(changes)
    around = min(measure_most(every[:at]), measure_most(every[at + 1 :]))
    return PARAMS.fade_times * around > float(now[changed].mean())


def _mean_change(change: _Change, among: np.ndarray) -> float:
    cells = change.cells
    return 0.0 if cells is None or cells.shape != among.shape else float(cells[among].mean())
