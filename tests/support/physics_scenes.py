"""Boards, flicks and moving rows of discs for tests of the physics."""

from __future__ import annotations

import numpy as np

from calibration.board import BoardSpec
from scorer.physics import kernels
from scorer.physics.engine import SimulationResult
from scorer.physics.friction import friction_table
from scorer.physics.parameters import PhysicsSpec
from scorer.physics.scene import FlickSpec, PhysicsScene, SceneDisc, TableSpec

MU_G = 0.1 * 9810
#: Rounding error of doubles after a few events on a board of 330 mm.
EXACT_MM = 1e-6
NO_POSTS = BoardSpec(post_count=0)
SMOOTH = PhysicsSpec(contact_friction=0.0, restitution=1.0)


def scene(
    shot: FlickSpec, *discs: tuple[float, float], table: TableSpec | None = None
) -> PhysicsScene:
    """A flick on a board of discs d0, d1 and so on, without posts unless a table is given."""
    laid = tuple(SceneDisc(id=f"d{k}", x_mm=x, y_mm=y) for k, (x, y) in enumerate(discs))
    return PhysicsScene(table=table or TableSpec(board=NO_POSTS), discs=laid, shot=shot)


def flick(x: float, y: float, speed: float, direction: float, spin: float = 0.0) -> FlickSpec:
    """A flick of disc s: mm, mm/s, degrees and rad/s."""
    return FlickSpec(
        id="s", x_mm=x, y_mm=y, speed_mm_s=speed, direction_deg=direction, spin_rad_s=spin
    )


def ends(outcome: SimulationResult) -> dict[str, tuple[float, float]]:
    """Final positions of discs, mm, by id."""
    return {disc.id: (disc.x_mm, disc.y_mm) for disc in outcome.discs}


def rows_of(
    places: np.ndarray, velocities: np.ndarray, spins: np.ndarray, p: np.ndarray
) -> np.ndarray:
    """The kernels' rows (n, ROW_SIZE): places, velocities (n, 2) and spins (n,) in mm, s."""
    rows = np.zeros((len(places), kernels.ROW_SIZE))
    for i, ((x, y), (vx, vy), spin) in enumerate(zip(places, velocities, spins, strict=True)):
        kernels.start_motion(rows, i, 0.0, x, y, vx, vy, spin, p, friction_table())
    return rows


def motion(rows: np.ndarray, t: float, p: np.ndarray) -> np.ndarray:
    """Place, velocity and spin of all discs at time t: (n, 5)."""
    return np.array([kernels.state_at(rows, i, t, p, friction_table()) for i in range(len(rows))])


def run(rows: np.ndarray, p: np.ndarray, posts: np.ndarray) -> tuple[int, np.ndarray]:
    """The number of contacts until all discs are at rest, and their times; changes the rows."""
    contacts, times = np.empty((500, 2), dtype=np.int64), np.empty(500)
    count, tracked, _ = kernels.run_events(
        rows, posts, p, friction_table(), contacts, times, np.empty((1000, 7))
    )
    assert tracked <= 1000
    return count, times[:count]
