"""Faces of discs around given pixels: their middles, colours and roundness, blob by blob.

``blob_appearance`` describes the method. Colours are compared in single precision, because pixels
are whole numbers. Medians are found by counting, because there are 256 levels.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from calibration.numerics.jit import compile_kernel

FloatArray = NDArray[np.float64]
ByteArray = NDArray[np.uint8]

# Columns of a face's row: middle x and y in pixels, roundness (below 0: there is no face), and the
# median colour, BGR.
X, Y, ROUNDNESS, BLUE, ROW_SIZE = 0, 1, 2, 3, 6

# Mean shift has converged if a step is shorter than this.
CONVERGED_PX = 0.02

# Places in the vector of parameters, pixels and grey levels.
REACH, CORE, BODY, FACE, INNER, OUTER, ALIKE, FAINT, WINDOW = 0, 1, 2, 3, 4, 5, 6, 7, 8
ROUND, PARAMETER_COUNT = 9, 10


@compile_kernel
def _find_medians(
    image: ByteArray, x: float, y: float, radius_px: float, count: NDArray[np.int64]
) -> tuple[np.float32, np.float32, np.float32]:
    """The median colour of ``image`` (h, w, 3) within ``radius_px`` of (x, y).

    ``count`` (3, 256) is overwritten.
    """
    height, width = image.shape[0], image.shape[1]
    count.fill(0)
    total = 0
    for row in range(max(int(y - radius_px), 0), min(int(y + radius_px) + 2, height)):
        for column in range(max(int(x - radius_px), 0), min(int(x + radius_px) + 2, width)):
            if (row - y) ** 2 + (column - x) ** 2 < radius_px**2:
                total += 1
                for channel in range(3):
                    count[channel, image[row, column, channel]] += 1
    middle = np.zeros(3, np.float32)
    for channel in range(3):
        below, low = 0, -1
        for level in range(256):
            below += count[channel, level]
            if low < 0 and below > (total - 1) // 2:
                low = level
            if below > total // 2:
                middle[channel] = np.float32(0.5) * np.float32(low + level)
                break
    return middle[0], middle[1], middle[2]


@compile_kernel
def _share_like_disc(marks: ByteArray, x: float, y: float, parameters: FloatArray) -> float:
    """The share of marks (side, side) on the face around (x, y) minus that on the ring around
    it.
    """
    on_face, face, on_ring, ring = 0, 0, 0, 0
    face2, inner2, outer2 = parameters[FACE] ** 2, parameters[INNER] ** 2, parameters[OUTER] ** 2
    for row in range(marks.shape[0]):
        down2 = (row - y) * (row - y)
        for column in range(marks.shape[1]):
            away2 = down2 + (column - x) * (column - x)
            is_face, is_ring = away2 < face2, (away2 >= inner2) & (away2 < outer2)
            face, ring = face + is_face, ring + is_ring
            on_face += is_face & marks[row, column]
            on_ring += is_ring & marks[row, column]
    return on_face / max(face, 1) - on_ring / max(ring, 1)


@compile_kernel
def _close(marks: ByteArray) -> ByteArray:
    """Marks (side, side) dilated, then eroded, by a square of three pixels; pixels outside count as
    empty.
    """
    side = marks.shape[0]
    wide, grown = np.empty_like(marks), np.empty_like(marks)
    worn, closed = np.empty_like(marks), np.empty_like(marks)
    last = side - 1
    for i in range(side):  # each axis separately
        for j in range(side):
            wide[i, j] = marks[i, max(j - 1, 0)] | marks[i, j] | marks[i, min(j + 1, last)]
    for i in range(side):
        for j in range(side):
            grown[i, j] = wide[max(i - 1, 0), j] | wide[i, j] | wide[min(i + 1, last), j]
    for i in range(side):
        for j in range(side):
            worn[i, j] = grown[i, max(j - 1, 0)] & grown[i, j] & grown[i, min(j + 1, last)]
    for i in range(side):
        for j in range(side):
            closed[i, j] = worn[max(i - 1, 0), j] & worn[i, j] & worn[min(i + 1, last), j]
    return closed


@compile_kernel
def _mark_alike(
    seen: ByteArray,
    differs: NDArray[np.bool_],
    colour: tuple[np.float32, np.float32, np.float32],
    most: np.float32,
    alike: ByteArray,
) -> None:
    """Mark in ``alike`` (side, side) the pixels of ``differs`` nearer than root ``most`` to a
    colour.

    ``seen`` is (side, side, 3).
    """
    for row in range(alike.shape[0]):
        for column in range(alike.shape[1]):
            alike[row, column] = 0
            if differs[row, column]:
                off2 = (
                    (np.float32(seen[row, column, 0]) - colour[0]) ** 2
                    + (np.float32(seen[row, column, 1]) - colour[1]) ** 2
                    + (np.float32(seen[row, column, 2]) - colour[2]) ** 2
                )
                if off2 < most:
                    alike[row, column] = 1


@compile_kernel
def _sum_places(marks: ByteArray, x: float, y: float, radius_px: float) -> tuple[int, int, int]:
    """The number of marks (side, side) within ``radius_px`` of (x, y), and the sums of their x and
    y.
    """
    count, sum_x, sum_y = 0, 0, 0
    radius2 = radius_px**2
    for row in range(marks.shape[0]):
        down2 = (row - y) * (row - y)
        for column in range(marks.shape[1]):
            is_near = down2 + (column - x) * (column - x) < radius2
            mark = int(is_near & marks[row, column])
            count, sum_x, sum_y = count + mark, sum_x + mark * column, sum_y + mark * row
    return count, sum_x, sum_y


@compile_kernel
def _shift_to_mean(
    marks: ByteArray, x: float, y: float, window_px: float, steps: int
) -> tuple[float, float]:
    """The place of (x, y) after at most ``steps`` steps of mean shift (Comaniciu and Meer 2002)
    over the marks (side, side) within ``window_px``.

    A mark's weight falls with its distance (the biweight profile's kernel), so marks longer than a
    disc have one middle. With equal weights, any place along them would be a middle.
    """
    rows, columns = np.nonzero(marks)
    window2 = window_px**2
    for _ in range(steps):
        weight, sum_x, sum_y = 0.0, 0.0, 0.0
        for i in range(len(rows)):
            down, across = rows[i] - y, columns[i] - x
            near = window2 - (down * down + across * across)
            if near > 0.0:
                weight += near
                sum_x, sum_y = sum_x + near * columns[i], sum_y + near * rows[i]
        if weight == 0.0:
            break
        moved_px = abs(sum_x / weight - x) + abs(sum_y / weight - y)
        x, y = sum_x / weight, sum_y / weight
        if moved_px < CONVERGED_PX:
            break
    return x, y


@compile_kernel
def measure_faces(
    image: ByteArray,
    board: ByteArray,
    difference: ByteArray,
    threshold: int,
    places_px: FloatArray,
    centrings: int,
    steps: int,
    parameters: FloatArray,
) -> FloatArray:
    """Rows of faces (n, 6) around pixels (n, 2) of ``image`` (side, side, 3), compared with the
    empty ``board``; pixels with a ``difference`` (side, side) above ``threshold`` may belong to a
    face.
    """
    side = image.shape[0]
    reach = int(parameters[REACH])
    window = 2 * reach + 1
    faces = np.zeros((len(places_px), ROW_SIZE))
    count = np.zeros((3, 256), np.int64)
    alike, whole = np.zeros((window, window), np.uint8), np.zeros((window, window), np.uint8)
    for number in range(len(places_px)):
        x, y = places_px[number, 0], places_px[number, 1]
        left = min(max(round(x) - reach, 0), side - window)
        top = min(max(round(y) - reach, 0), side - window)
        blue = green = red = apart2 = np.float32(0.0)
        differs = difference[top : top + window, left : left + window] > threshold
        is_face = True
        for _ in range(centrings):
            blue, green, red = _find_medians(image, x, y, parameters[CORE], count)
            empty = _find_medians(board, x, y, parameters[CORE], count)
            apart2 = (blue - empty[0]) ** 2 + (green - empty[1]) ** 2 + (red - empty[2]) ** 2
            most = np.float32(parameters[ALIKE] ** 2) * apart2
            seen = image[top : top + window, left : left + window]
            _mark_alike(seen, differs, (blue, green, red), most, alike)
            pixels, sum_x, sum_y = _sum_places(alike, x - left, y - top, parameters[BODY])
            is_face &= pixels > 0
            if is_face:
                x, y = left + sum_x / pixels, top + sum_y / pixels
        roundness = _share_like_disc(alike, x - left, y - top, parameters)
        if apart2 < parameters[FAINT] ** 2:
            closed = _close(alike)
            for i in range(window):
                for j in range(window):
                    whole[i, j] = closed[i, j] if differs[i, j] else np.uint8(0)
            roundness = max(roundness, _share_like_disc(whole, x - left, y - top, parameters))
        if roundness > parameters[ROUND]:
            x, y = _shift_to_mean(alike, x - left, y - top, parameters[WINDOW], steps)
            x, y = left + x, top + y
        faces[number, X], faces[number, Y] = x, y
        faces[number, ROUNDNESS] = roundness if is_face else 0.0
        faces[number, BLUE], faces[number, BLUE + 1], faces[number, BLUE + 2] = blue, green, red
    return faces
