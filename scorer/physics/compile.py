"""Compile all kernels before they are needed: ``python -m scorer.physics.compile``.

One shot is simulated in each way that the engine has, so that numba compiles what it runs and keeps
it beside the source. Where it was compiled before, this takes a second.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
from numba.core.registry import CPUDispatcher

from scorer.physics import kernels
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


def are_kernels_compiled() -> bool:
    """Whether all kernels, as they stand in the source now, were compiled and kept before."""
    source = Path(kernels.__file__)
    changed_s = source.stat().st_mtime
    return all(
        any(
            kept.stat().st_mtime >= changed_s
            for kept in Path(var.stats.cache_path or "").glob(f"{source.stem}.{name}-*.nbi")
        )
        for name, var in vars(kernels).items()
        if isinstance(var, CPUDispatcher)
    )


def compile_kernels_apart() -> None:
    """Compile all kernels in a process of its own: numba holds Python's lock for seconds at a time.

    Where that fails, they are compiled when they are needed.
    """
    subprocess.run([sys.executable, "-m", __name__], capture_output=True, check=False)


if __name__ == "__main__":
    compile_kernels()
