"""Compile all kernels before they are needed: ``python -m scorer.physics.compile``.

One shot is simulated in each way that the engine has, so that numba compiles what it runs and keeps
it beside the source. Where it was compiled before, this takes a second.
"""

from __future__ import annotations

import numpy as np

from scorer.physics.engine import parameter_vector, simulate, simulate_many, simulate_tracked
from scorer.physics.scene import FlickSpec, PhysicsScene, SceneDisc, TableSpec


def compile_kernels() -> None:
    """Compile every kernel that a simulation or an inverse search calls."""
    table = TableSpec()
    shooter, other = (300.0, 0.0), (100.0, 0.0)
    flick = FlickSpec(
        id="s", x_mm=shooter[0], y_mm=shooter[1], speed_mm_s=900.0, direction_deg=180.0
    )
    disc = SceneDisc(id="o", x_mm=other[0], y_mm=other[1])
    simulate(PhysicsScene(table=table, discs=(disc,), shot=flick))
    places, shots = np.array([shooter, other]), np.array([[*shooter, 900.0, np.pi, 0.0]])
    simulate_many(table, places, shots)
    discs = np.array([0])
    rows = parameter_vector(table)[None]
    for queries in ({"times_s": np.array([[0.1]])}, {"passing_mm": np.array([[200.0, 0.0]])}):
        simulate_tracked(table, places[None], shots, parameters=rows, discs=discs, **queries)


if __name__ == "__main__":
    compile_kernels()
