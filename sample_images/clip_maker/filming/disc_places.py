"""Places for discs beside the game: waiting places, and places for discs that were taken off.

Board frame, mm. A place that was assigned stays taken.
"""

from __future__ import annotations

import math

import numpy as np

from sample_images.clip_renderer.background import table_height_mm
from sample_images.renderer.scene import Board, DiscModel, Point


class DiscPlaces:
    """Free places in the ditch and on the table, for discs of one shape around one board.

    ``removed_to`` is "ditch" or "table".
    """

    def __init__(
        self, board: Board, shape: DiscModel, removed_to: str, rng: np.random.Generator
    ) -> None:
        self.board, self.shape, self.removed_to, self.rng = board, shape, removed_to, rng
        self.ditch: list[Point] = []
        self.away: dict[str, int] = {"A": 0, "B": 0}

    @property
    def outer_radius_mm(self) -> float:
        """Radius of the board, including its rail."""
        return outer_radius_mm(self.board)

    def waiting_place(self, side: str, place: int) -> Point:
        """The waiting place of an unshot disc: in a row at its player's right hand."""
        way = 1.0 if side == "A" else -1.0
        step = 2 * self.shape.radius + 4.0
        x = self.outer_radius_mm + 45 + 6 * math.sin(2.1 * place)
        y = -300 + step * place
        return way * x, way * y, table_height_mm(self.board)

    def find_ditch_place(self, azimuth: float) -> Point:
        """A free place in the ditch near an azimuth, which is taken from then on."""
        low = self.board.playing_radius + self.shape.radius + 0.5
        high = self.board.playing_radius + self.board.ditch_width - self.shape.radius - 0.5
        reach = float(self.rng.uniform(low + 0.5 * (high - low), max(high, low)))
        for step in range(200):
            turn = azimuth + (step + 1) // 2 * 0.02 * (1 if step % 2 else -1)
            x, y = reach * math.cos(turn), reach * math.sin(turn)
            clear = 2 * self.shape.radius + 0.5
            if all(math.hypot(x - p[0], y - p[1]) > clear for p in self.ditch):
                break
        place = (x, y, -self.board.ditch_depth)
        self.ditch.append(place)
        return place

    def storage_place(self, side: str) -> Point:
        """A free place at a player's side, in the ditch or on the table, which is taken from then
        on.
        """
        middle = -math.pi / 2 if side == "A" else math.pi / 2
        if self.removed_to == "ditch":
            return self.find_ditch_place(middle + float(self.rng.uniform(-0.9, 0.9)))
        way = 1.0 if side == "A" else -1.0
        place = self.away[side]
        self.away[side] += 1
        step = 2 * self.shape.radius + 3.0
        x, y = -(self.outer_radius_mm + 60), -330 + step * place
        return way * x, way * y, table_height_mm(self.board)


def outer_radius_mm(board: Board) -> float:
    """Radius of a board from its middle, including its rail."""
    return board.playing_radius + board.ditch_width + board.rail_width
