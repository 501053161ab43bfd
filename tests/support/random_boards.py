"""Boards with random discs, and a flick into them, from a seed."""

from __future__ import annotations

import math

import numpy as np

from scorer.physics.scene import TableSpec

R_MM = 15.875


def random_board(rng: np.random.Generator, count: int) -> tuple[TableSpec, np.ndarray, np.ndarray]:
    """A table, positions (count, 2) with the shooter's first, and a flick (5,) towards the
    others.
    """
    table = TableSpec()
    places: list[np.ndarray] = []
    while len(places) < count:
        radius = 300.0 if not places else 290 * math.sqrt(rng.uniform(0.03, 1))
        angle = rng.uniform(0, 2 * math.pi)
        place = radius * np.array([math.cos(angle), math.sin(angle)])
        far = all(np.hypot(*(place - other)) > 2 * R_MM + 0.5 for other in places)
        if far and np.hypot(*(table.posts_mm - place).T).min() > table.post_reach_mm + 0.5:
            places.append(place)
    aim = places[1] - places[0]
    direction = math.atan2(aim[1], aim[0]) + rng.normal(0, 0.05)
    shot = np.array([*places[0], rng.uniform(800, 3000), direction, rng.normal(0, 10)])
    return table, np.array(places), shot
