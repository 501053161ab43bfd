"""Input and output of the networks: the same numbers as in ``vision/detector/board_crops.py``.

Neither package imports the other; a test checks that they are equal.
"""

from __future__ import annotations

#: The whole board, and the plane of discs' tops.
DISC_SIDE_PX, DISC_MM_PER_PX, DISC_TOP_MM = 336, 2.0, 9.5
#: Pixels a cell of the answers.
CELL_PX = 4
#: A cell's answer falls with its distance from a base centre, as a normal distribution with this
#: sigma.
HEAT_MM = 5.0
#: The hole's surroundings, and the plane of its floor.
HOLE_SIDE_PX, HOLE_MM_PER_PX, HOLE_FLOOR_MM = 96, 0.75, -7.0
#: The shift channels: displacement of a point at this height, in units of this many mm.
SHIFT_HEIGHT_MM, SHIFT_SCALE_MM = 9.5, 20.0
