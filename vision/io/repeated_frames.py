"""Detection of frames that repeat the frame before, from telecine and raised frame rates.

A repeat shows no change, but the frames before and after it do: in the cells of a coarse grid, its
change is far smaller than theirs. The comparison needs the next frame, so a few frames are held
back. A frame and its repeats count once, so a moving disc never seems to stop during a repeat.
Frames of a still scene are alike too, but all count, because they show that time passes. In slow
motion no cell changes clearly, so repeats are kept; nothing moves far in them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

import cv2
import numpy as np

from calibration.parameters import StageParameters, parameter
from vision.io.cuts import PARAMS as CUTS

Item = TypeVar("Item")


class RepeatedFramesParameters(StageParameters):
    """Parameters of ``repeated_frames``."""

    #: The cell at this rank, counted from the most changed one, is not an encoding artefact.
    cells_changed: int = parameter(
        5,
        unit="cells",
        source="measured: a disc at 1 m/s changes 16 or more; keyframes change one or two by 25",
    )
    #: A repeat changes by no more than this share of the changes before and after it.
    repeat_share: float = parameter(
        0.25,
        unit="share",
        source="chosen: repeats change by 2 to 8, motion by 30 and more",
    )


PARAMS = RepeatedFramesParameters()
#: A longer run of equal frames is a scene at rest: enough for 8 frames a second shown at 30 a
#: second.
_MOST_REPEATS = 3


def merge_repeats(
    items: Iterable[Item], cells: Callable[[Item], np.ndarray]
) -> Iterator[tuple[Item, Item]]:
    """Every new frame's item, in order, and the item of its last repeat (itself without repeats).

    ``cells`` gives a frame's luma averaged over the cells of a coarse grid, (rows, columns) uint8.
    Up to ``most_repeats`` items beside the newest are held back.
    """
    held: list[Item] = []  # the last new frame and its repeats
    grid = np.zeros((1, 1), np.uint8)  # the cells of the new frame
    came = 0  # its difference from the frame before
    most = 0  # its largest difference from its repeats
    for item in items:
        now_grid = cells(item)
        change = _measure_change(now_grid, grid, came) if held else 0
        is_alike = came >= CUTS.cell_grey and change <= PARAMS.repeat_share * came
        if is_alike and len(held) <= _MOST_REPEATS:
            held.append(item)
            most = max(most, change)
            continue
        if not is_alike and most <= PARAMS.repeat_share * change:
            yield from ((held[0], held[-1]),) if held else ()
        else:  # at rest, or hardly moving
            yield from ((held_item, held_item) for held_item in held)
        held, grid, came, most = [item], now_grid, 0 if is_alike else change, 0
    yield from ((held_item, held_item) for held_item in held)


def _measure_change(grid: np.ndarray, before: np.ndarray, came: int) -> int:
    """Largest change of a cell, without outliers; 0 in a still scene, where neither this change nor
    ``came``, the change that led to ``before``, is large enough.
    """
    change = cv2.absdiff(grid, before).ravel()
    if max(came, int(change.max())) < CUTS.cell_grey:
        return 0
    at = change.size - min(PARAMS.cells_changed, change.size)
    return int(np.partition(change, at)[at])
