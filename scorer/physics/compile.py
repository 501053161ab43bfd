"""Compile all kernels before they are needed: ``python -m scorer.physics.compile``.

One shot is simulated by every function of the engine, so that numba compiles and caches the kernels
beside the source. If they were compiled before, this takes a second.
"""

from __future__ import annotations

import subprocess
import sys

import numpy as np
from numba.core.registry import CPUDispatcher

from calibration.numerics.jit import is_compiled
from scorer.physics import kernels
from scorer.physics.engine import simulate, simulate_many
from scorer.physics.scene import FlickSpec, PhysicsScene, SceneDisc, TableSpec


def compile_kernels() -> None:
    """Compile all kernels of simulation and inverse search."""
    table = TableSpec()
    shooter, other = (300.0, 0.0), (100.0, 0.0)
    flick = FlickSpec(
        id="s", x_mm=shooter[0], y_mm=shooter[1], speed_mm_s=900.0, direction_deg=180.0
    )
    disc = SceneDisc(id="o", x_mm=other[0], y_mm=other[1])
    simulate(PhysicsScene(table=table, discs=(disc,), shot=flick))
    places, shots = np.array([shooter, other]), np.array([[*shooter, 900.0, np.pi, 0.0]])
    simulate_many(table, places, shots)


def are_kernels_compiled() -> bool:
    """Whether all kernels of the current source are compiled and cached."""
    return all(is_compiled(var) for var in vars(kernels).values() if isinstance(var, CPUDispatcher))


def compile_kernels_apart() -> None:
    """Compile all kernels in another process: numba holds Python's lock for seconds at a time.

    If that fails, they are compiled on first use.
    """
    subprocess.run([sys.executable, "-m", __name__], capture_output=True, check=False)


if __name__ == "__main__":
    compile_kernels()
