"""Simulate a shot with its contacts and paths, or many shots at once.

Turns scenes into the kernels' arrays and their results back into values. All places are board mm.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from calibration.numerics.arrays import FloatArray
from calibration.parameters import StageParameters, parameter
from calibration.placed_disc import DiscState
from scorer.physics import kernels
from scorer.physics.array_rows import ArrayRows
from scorer.physics.friction import friction_table
from scorer.physics.scene import PhysicsScene, TableSpec, separate_overlaps

#: Contacts stored per shot of a batch; later ones are only counted.
MOST_CONTACTS = 32
#: Contacts and changes of motion stored for a single shot.
_MOST_RECORDED = 2000


class EngineParameters(StageParameters):
    """Parameters of the engine; parameters that differ between boards are in ``PhysicsSpec``."""

    #: A disc in the hole obstructs others if it protrudes by more than this.
    flush_mm: float = parameter(
        0.5, unit="mm", source="chosen: a disc's rounded edge slides over that of another"
    )


PARAMS = EngineParameters()


@dataclass(frozen=True, slots=True, kw_only=True)
class RestingDisc:
    """A disc after the shot; in the ditch, its position is where it left the surface."""

    id: str
    x_mm: float
    y_mm: float
    state: DiscState
    t_rest_s: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Contact:
    """Disc ``a`` met ``b``: a disc's id, "post:k", "hole", "hole_missed", "sunk" or "outside"."""

    t_s: float
    a: str
    b: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PathSegment:
    """A disc's straight path between two events."""

    id: str
    t0_s: float
    t1_s: float
    from_mm: tuple[float, float]
    to_mm: tuple[float, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class SimulationResult:
    """The outcome of a shot.

    discs             final discs, in the order of ``PhysicsScene.ids``
    contacts, path    in order of time
    is_hole_uncertain  whether a disc crossed the hole at almost its capture speed, so that the
                       outcome is uncertain
    is_cut_off        whether there were so many contacts that later ones were left out
    """

    discs: tuple[RestingDisc, ...]
    contacts: tuple[Contact, ...]
    path: tuple[PathSegment, ...]
    is_hole_uncertain: bool
    is_cut_off: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class BatchResult(ArrayRows):
    """The outcomes of n shots on one board of d discs; disc 0 is the shooter's.

    places_mm    (n, d, 2)
    states       (n, d) of ``kernels.FLAT`` and so on
    contacts     (n, c, 2) of a disc and a partner's code, in time order, padded with -1
    counts       (n,) of contacts, including those not stored
    """

    places_mm: FloatArray
    states: NDArray[np.int8]
    contacts: NDArray[np.int16]
    counts: NDArray[np.int64]


def simulate(scene: PhysicsScene) -> SimulationResult:
    """The outcome of the scene's flick; overlaps from noise are separated first."""
    table = scene.table
    p = parameter_vector(table)
    places = separate_overlaps(table, scene.places_mm)
    shot = scene.shot
    flick = np.array(
        [*places[0], shot.speed_mm_s, math.radians(shot.direction_deg), shot.spin_rad_s]
    )
    discs = np.empty((len(places), kernels.ROW_SIZE))
    contacts = np.empty((_MOST_RECORDED, 2), dtype=np.int64)
    times, track = np.empty(_MOST_RECORDED), np.empty((2 * _MOST_RECORDED, 7))
    kernels.set_up_discs(discs, places, flick, p, friction_table())
    began = discs.copy()
    count, track_count, hole_margin = kernels.run_events(
        discs, table.posts_mm, p, friction_table(), contacts, times, track
    )
    kept = min(count, _MOST_RECORDED)
    return SimulationResult(
        discs=tuple(
            _read_final_disc(table, name, row) for name, row in zip(scene.ids, discs, strict=True)
        ),
        contacts=tuple(
            Contact(t_s=float(t), a=scene.ids[a], b=partner_name(scene.ids, b))
            for t, (a, b) in zip(times[:kept].tolist(), contacts[:kept].tolist(), strict=True)
        ),
        path=_build_path(scene.ids, began, discs, track[:track_count]),
        is_hole_uncertain=hole_margin < table.physics.hole_capture_doubt,
        is_cut_off=count >= kernels.MOST_EVENTS,
    )


def simulate_many(
    table: TableSpec,
    places_mm: FloatArray,
    shots: FloatArray,
    *,
    parameters: FloatArray | None = None,
) -> BatchResult:
    """The outcomes of many separate shots.

    places_mm   (d, 2), disc 0 the shooter's, or one board a shot (n, d, 2)
    shots       (n, 5): place in mm, speed in mm/s, direction in rad, spin in rad/s
    parameters  (n, kernels.PARAMETER_COUNT) where they differ from shot to shot
    """
    boards = places_mm if places_mm.ndim == 3 else places_mm[None]
    known = parameter_vector(table)[None] if parameters is None else parameters
    nobody, nothing = np.empty(0, dtype=np.int64), np.empty((0, 0))
    return _run_shots(table, boards, shots, known, nobody, nothing, by_time=False)[0]


def simulate_tracked(
    table: TableSpec,
    places_mm: FloatArray,
    shots: FloatArray,
    *,
    parameters: FloatArray,
    discs: NDArray[np.int64],
    times_s: FloatArray | None = None,
    passing_mm: FloatArray | None = None,
) -> tuple[BatchResult, FloatArray]:
    """``simulate_many``, with places of discs (m,) during the motion.

    With times_s (n, m) from the flick: their places at these times (n, m, 2). With passing_mm (m,
    2) instead: distance, mm, and time of their closest pass (n, m, 2). One board (n, d, 2) and one
    row of parameters per shot. Raises ``ValueError`` without either.
    """
    queries = times_s if times_s is not None else passing_mm
    if queries is None:
        raise ValueError("simulate_tracked needs times_s or passing_mm")
    by_time = times_s is not None
    return _run_shots(table, places_mm, shots, parameters, discs, queries, by_time=by_time)


def _run_shots(
    table: TableSpec,
    boards_mm: FloatArray,
    shots: FloatArray,
    parameters: FloatArray,
    tracked: NDArray[np.int64],
    queries: FloatArray,
    *,
    by_time: bool,
) -> tuple[BatchResult, FloatArray]:
    """The outcomes of shots (n, 5), and the answers about tracked discs (n, m, 2)."""
    count, size = len(shots), boards_mm.shape[1]
    out = BatchResult(
        places_mm=np.empty((count, size, 2)),
        states=np.empty((count, size), dtype=np.int8),
        contacts=np.full((count, MOST_CONTACTS, 2), -1, dtype=np.int16),
        counts=np.empty(count, dtype=np.int64),
    )
    answers = np.empty((count, len(tracked), 2))
    kernels.run_shots(
        np.ascontiguousarray(boards_mm),
        np.ascontiguousarray(shots, dtype=np.float64),
        parameters,
        table.posts_mm,
        friction_table(),
        tracked,
        np.ascontiguousarray(queries),
        by_time,
        out.places_mm,
        out.states,
        out.contacts,
        out.counts,
        answers,
    )
    return out, answers


def parameter_vector(table: TableSpec) -> FloatArray:
    """The kernels' parameters of a board (kernels.PARAMETER_COUNT,), in their units."""
    physics, board = table.physics, table.board
    values = {
        kernels.MU_G: physics.friction * physics.gravity_mm_s2,
        kernels.RESTITUTION: physics.restitution,
        kernels.RESTITUTION_LOSS: physics.restitution_loss_s_m,
        kernels.POST_RESTITUTION: physics.post_restitution,
        kernels.CONTACT_FRICTION: physics.contact_friction,
        kernels.POST_FRICTION: physics.post_friction,
        kernels.DISC_RADIUS: table.disc.radius_mm,
        kernels.POST_REACH: table.post_reach_mm,
        kernels.TIP_RADIUS: table.tip_radius_mm,
        kernels.CAPTURE_SPEED: physics.hole_capture_speed_mm_s,
        kernels.HOLE_X: board.hole_centre_mm[0],
        kernels.HOLE_Y: board.hole_centre_mm[1],
        kernels.SUNK_RISES: table.disc.height_mm - board.hole_depth_mm > PARAMS.flush_mm,
        kernels.EDGE_RADIUS: board.surface_radius_mm,
        kernels.RAIL_RESTITUTION: physics.rail_restitution,
        kernels.RAIL_GAP: _rail_gap_mm(table),
        kernels.RETURN_SPEED: _return_speed_mm_s(table),
    }
    return np.array([values[place] for place in range(kernels.PARAMETER_COUNT)], dtype=np.float64)


def _rail_gap_mm(table: TableSpec) -> float:
    """Distance that a disc can travel from the surface's edge to the rail."""
    return max(table.physics.ditch_width_mm - table.disc.radius_mm, 0.0)


def _return_speed_mm_s(table: TableSpec) -> float:
    """Outward speed at the edge above which a disc comes back from the rail before it has
    dropped.
    """
    physics = table.physics
    if physics.rail_restitution <= 0 or physics.return_drop_mm <= 0:
        return math.inf
    fall_s = math.sqrt(2 * physics.return_drop_mm / physics.gravity_mm_s2)
    return _rail_gap_mm(table) * (1 + 1 / physics.rail_restitution) / fall_s


def _read_final_disc(table: TableSpec, name: str, row: FloatArray) -> RestingDisc:
    x = float(row[kernels.X] + row[kernels.LENGTH] * row[kernels.DX])
    y = float(row[kernels.Y] + row[kernels.LENGTH] * row[kernels.DY])
    return RestingDisc(
        id=name,
        x_mm=x,
        y_mm=y,
        state=_classify_state(table, row, x, y),
        t_rest_s=float(row[kernels.TEND]),
    )


def _classify_state(table: TableSpec, row: FloatArray, x: float, y: float) -> DiscState:
    if row[kernels.STATE] == kernels.IN_HOLE:
        return DiscState.IN_HOLE
    if row[kernels.STATE] == kernels.DITCH:
        return DiscState.DITCH
    reaches = math.hypot(x, y) + table.disc.contact_radius_mm
    return DiscState.OVERHANGING if reaches > table.board.surface_radius_mm else DiscState.FLAT


def partner_name(ids: tuple[str, ...], code: int) -> str:
    """The name of a contact's partner: the id of a disc, otherwise its kind."""
    if code < kernels.POST_0:
        return ids[code]
    return _PARTNER_NAMES.get(code) or f"post:{code - kernels.POST_0}"


_PARTNER_NAMES = {
    kernels.HOLE_CODE: "hole",
    kernels.SUNK_CODE: "sunk",
    kernels.OUTSIDE_CODE: "outside",
    kernels.MISSED_HOLE_CODE: "hole_missed",
}


def _build_path(
    ids: tuple[str, ...], began: FloatArray, ended: FloatArray, track: FloatArray
) -> tuple[PathSegment, ...]:
    """Every disc's path, segment by segment, in order of time."""
    segments = []
    for i, name in enumerate(ids):
        t, here = 0.0, (float(began[i, kernels.X]), float(began[i, kernels.Y]))
        last = ended[i]
        changes = [(row[1], row[2], row[3]) for row in track.tolist() if row[0] == i]
        x = float(last[kernels.X] + last[kernels.LENGTH] * last[kernels.DX])
        y = float(last[kernels.Y] + last[kernels.LENGTH] * last[kernels.DY])
        for t1, x1, y1 in [*changes, (float(last[kernels.TEND]), x, y)]:
            if (x1, y1) != here:
                segments.append(PathSegment(id=name, t0_s=t, t1_s=t1, from_mm=here, to_mm=(x1, y1)))
            t, here = t1, (x1, y1)
    return tuple(sorted(segments, key=lambda leg: leg.t0_s))
