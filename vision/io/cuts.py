"""Cut detection: frames at which the picture jumped, though the camera may be the same.

Highlight films are cut from shot to shot, and back to a repeated shot, often with a single camera.
In the cells of a coarse grid, a frame after a cut differs from the one before it by many times the
difference between the frames around it (shot boundary detection by twin comparison: Zhang,
Kankanhalli and Smoliar 1993). Motion spans several frames; a change of overall brightness does not
count. A cut is reported two frames later. Dissolves do not count as cuts.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from typing import ClassVar, NamedTuple, TypeVar

import cv2
import numpy as np

from calibration.numerics.medians import quantile
from calibration.parameters import StageParameters, parameter

Item = TypeVar("Item")


class CutsParameters(StageParameters):
    """Parameters of ``cuts``."""

    stage: ClassVar[str] = "io.cuts"

    #: A cell has changed by more than this; ...
    cell_grey: int = parameter(
        12,
        unit="grey value",
        source="encoded again at CRF 23 to 32, still scenes change by up to 8",
    )
    #: ... at a cut some by more than so many times the 90th percentile of changes, or by a certain
    #: change: in a strongly compressed film all cells change at a keyframe.
    usual_times: float = parameter(
        4.0,
        unit="",
        source="at CRF 42 a new whole picture changes nine in ten by 6, the rest by 27",
    )
    surely_grey: int = parameter(40, unit="grey value", source="chosen: a disc against the board")
    #: ... so large a share of them does, ...
    least_share: float = parameter(
        0.005, unit="share", source="two discs on a board that fills the picture: 0.006"
    )
    #: ... and so many times as many as in the frames around it on one side, and on the other: a
    #: hand may have moved just before a cut, or move just after one.
    times: float = parameter(
        6.0, unit="", source="films at 10 to 30 frames a second: cuts 21 and more on the quiet side"
    )
    times_other_side: float = parameter(
        4.0, unit="", source="films at 10 to 30 frames a second: hands and discs at most 2.9"
    )
    #: A fade continues over frames, at half the change of that after a repeated frame. At a cut the
    #: same cells change by so many times as much as on its quieter side.
    fade_times: float = parameter(
        3.0, unit="", source="two, and half as much again for noise; cuts change cells by tens"
    )
    #: Floor of the share around a frame, as still frames may not differ at all.
    floor_share: float = parameter(0.0005, unit="share", source="chosen: a disc's edge")


PARAMS = CutsParameters()
#: Number of frames before and after one that count as around it.
_AROUND = 2
#: Share of cells that change by no more than usual.
_USUAL_SHARE = 0.9


class _Change(NamedTuple):
    """The change from one frame to the next: the shares of changed cells, of all and of those far
    above the 90th percentile; and the change of every cell, (rows, columns) uint8.
    """

    share: float
    unusual_share: float
    cells: np.ndarray | None


_NO_CHANGE = _Change(share=0.0, unusual_share=0.0, cells=None)


def mark_cuts(
    items: Iterable[Item], cells: Callable[[Item], np.ndarray]
) -> Iterator[tuple[Item, bool]]:
    """Every item, in order, and whether the picture was cut before it.

    ``cells`` returns a frame's luma averaged over the cells of a coarse grid, (rows, columns)
    uint8. The newest two items are held back.
    """
    held: deque[Item] = deque()
    changes: deque[_Change] = deque(maxlen=2 * _AROUND + 1)  # before each
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
    """The change of cells after both frames are made equally bright on average."""
    if grid.shape != before.shape:
        return _Change(share=1.0, unusual_share=1.0, cells=None)
    light = cv2.mean(before)[0] / max(cv2.mean(grid)[0], 1.0)
    change = cv2.absdiff(cv2.convertScaleAbs(grid, alpha=light), before)
    if change.max() <= PARAMS.cell_grey:  # as in most frames
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
        """Largest change of the same cells in any of the other frames."""
        return max((_mean_change(other, changed) for other in others), default=0.0)

    every = list(changes)
    around = min(measure_most(every[:at]), measure_most(every[at + 1 :]))
    return PARAMS.fade_times * around > float(now[changed].mean())


def _mean_change(change: _Change, among: np.ndarray) -> float:
    cells = change.cells
    return 0.0 if cells is None or cells.shape != among.shape else float(cells[among].mean())
