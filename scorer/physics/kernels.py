"""One shot, from the flick until all discs are at rest: next event, move there, resolve.

Event-driven simulation of rigid discs on straight paths. Between events no steps are needed,
because a path's length and its clock are closed forms of ``friction``'s table. Against anything at
rest the next contact is a quadratic in path length; two moving discs close in by steps that
provably never pass a contact (conservative advancement). Contacts are impulses with restitution
along the line of centres and Coulomb friction across it.

Millimetres, seconds, radians; "spin" is the disc's radius times its angular speed, mm/s,
counter-clockwise. Masses are alike and cancel.

This file is long, its kernels take plain arrays and many arguments, and ``run_events`` is one loop,
because of numba. Numba's cache checks only the file of the called kernel, so a kernel in another
file would be used stale after an edit, and numba does not compile dataclasses. Its constants are
compiled in; numbers that a board or a fit may vary come in the vector of parameters.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from calibration.numerics.jit import compile_kernel

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

# Columns of a disc's row. The motion began at place X, Y at time T0.
X, Y, DX, DY, T0, TEND, CURVE, SCALE, LENGTH, SIGN = 0, 1, 2, 3, 4, 5, 6, 7, 8, 9
STATE, HOLE_PASSED, EVENT_TIME, EVENT_KIND, PARTNER, ROW_SIZE = 10, 11, 12, 13, 14, 15

# Values of STATE.
FLAT, IN_HOLE, DITCH = 0, 1, 2

# Values of EVENT_KIND.
NOTHING, DISC, POST, HOLE, SUNK, EDGE = -1, 0, 1, 2, 3, 4

# Places in the vector of parameters.
MU_G, RESTITUTION, RESTITUTION_LOSS, POST_RESTITUTION, CONTACT_FRICTION, POST_FRICTION = range(6)
DISC_RADIUS, POST_REACH, TIP_RADIUS, CAPTURE_SPEED, HOLE_X, HOLE_Y, SUNK_RISES = range(6, 13)
EDGE_RADIUS, RAIL_RESTITUTION, RETURN_SPEED, RAIL_GAP, PARAMETER_COUNT = range(13, 18)

# Partners of a contact other than discs 0 to 99.
POST_0, HOLE_CODE, SUNK_CODE, OUTSIDE_CODE, MISSED_HOLE_CODE = 100, 120, 121, 122, 123

#: Gap that counts as touching, mm: a hundred thousand times finer than any disc is measured.
TOUCH_MM = 1e-9
#: Below this closing speed a contact is elastic, mm/s: rows of discs at rest separate in few
#: events, and a disc this slow slides only half a micrometre.
ELASTIC_MM_S = 1.0
#: More events than any shot has (24 discs all moving: about 100), unless discs in a heap keep
#: pushing each other. The rest of such a shot is cut off, which the result reports.
MOST_EVENTS = 3000
#: Changes of motion stored for a shot with tracked discs.
MOST_TRACKED = 200
#: Largest w: at 1 both speeds have their final ratio, and a motion's scale of time is infinite.
_MOST_W = 1.0 - 1e-12
#: Precision of a ratio of speeds, and the largest number of steps (40 halvings of a bracket give
#: 1e-12).
_EXACT_RATIO, _MOST_STEPS = 1e-14, 100
#: Distance before the hole's centre for which the capture speeds are stated, mm.
_STATED_AT_MM = 30.0
#: Values by the offset of a path from the hole's centre, from a 3-D rigid-body model: capture speed
#: relative to that at no offset, and the share of speed kept by a disc that is just too fast and by
#: a much faster one.
_OFFSETS_MM = np.array([0.0, 1.5, 3.0, 5.0, 7.0, 9.0])
_CAPTURE_RATIO = np.array([1.0, 0.76, 0.56, 0.46, 0.38, 0.18])
_SPEED_KEPT_SLOW = np.array([0.25, 0.3, 0.8, 0.92, 0.96, 1.0])
_SPEED_KEPT_FAST = np.array([0.75, 0.8, 0.92, 0.96, 0.98, 1.0])


@compile_kernel
def lookup(table: FloatArray, curve: int, quantity: int, w: float) -> float:
    """One quantity of ``friction_table`` at w."""
    count = table.shape[1]
    position = w * count
    interval = min(int(position), count - 1)
    inside = position - interval
    a = table[curve, interval, quantity]
    return float(((a[0] * inside + a[1]) * inside + a[2]) * inside + a[3])


@compile_kernel
def curve_parameter(curve: int, scale: float, left_s: float) -> float:
    """w of a motion that ends after the given time."""
    if scale == 0.0:
        return 0.0
    root = math.sqrt(left_s)
    if curve == 1:
        root = math.sqrt(root)
    return scale / (scale + root)


@compile_kernel
def find_curve_parameter(table: FloatArray, curve: int, guess: float, ratio: float) -> float:
    """w at which the smaller speed is ``ratio`` times the larger, by Newton's steps in a bracket.

    The ratio rises with w, but flattens where both speeds reach their final ratio, so steps of
    Newton or of secants alone overshoot there. A step that leaves the bracket is replaced by
    halving it.
    """
    count = table.shape[1]
    low, high, w = 0.0, _MOST_W, guess
    for _ in range(_MOST_STEPS):
        interval = min(int(w * count), count - 1)
        inside = w * count - interval
        a, b = table[curve, interval, 1 - curve], table[curve, interval, curve]
        a0, a1, a2 = a[0] - ratio * b[0], a[1] - ratio * b[1], a[2] - ratio * b[2]
        off = ((a0 * inside + a1) * inside + a2) * inside + (a[3] - ratio * b[3])
        if abs(off) < _EXACT_RATIO:
            break
        if off > 0.0:
            high = w
        else:
            low = w
        slope = ((3.0 * a0 * inside + 2.0 * a1) * inside + a2) * count
        following = w - off / slope if slope > 0.0 else low
        if not low < following < high:
            following = 0.5 * (low + high)
        if following in (low, high):
            break  # two neighbouring doubles
        w = following
    return w


@compile_kernel
def start_motion(
    discs: FloatArray,
    i: int,
    t: float,
    x: float,
    y: float,
    vx: float,
    vy: float,
    spin: float,
    p: FloatArray,
    table: FloatArray,
) -> None:
    """Give disc i a new motion from its present place and time, written into its row."""
    row = discs[i]
    row[X], row[Y], row[T0] = x, y, t
    speed = math.sqrt(vx * vx + vy * vy)
    turning = abs(spin)
    row[SIGN] = 1.0 if spin >= 0 else -1.0
    if speed > 0:
        row[DX], row[DY] = vx / speed, vy / speed
    else:
        row[DX], row[DY] = 1.0, 0.0
    if speed == 0.0 and turning == 0.0:
        row[TEND], row[LENGTH], row[CURVE], row[SCALE] = t, 0.0, 0.0, 0.0
        return
    final = lookup(table, 0, 0, 1.0) / lookup(table, 0, 1, 1.0)
    curve = 0 if turning * final <= speed else 1
    ratio = turning * final / speed if curve == 0 else speed / (turning * final)
    w = 0.0
    if ratio > 0.0:
        guess = min(max(lookup(table, curve, 3, ratio), 0.0), _MOST_W)
        smaller_to_larger = ratio / final if curve == 0 else ratio * final
        w = find_curve_parameter(table, curve, guess, smaller_to_larger)
    if curve == 0:
        left = speed / (p[MU_G] * lookup(table, 0, 0, w))
    else:
        left = turning / (p[MU_G] * lookup(table, 1, 1, w))
    root = math.sqrt(left)
    if curve == 1:
        root = math.sqrt(root)
    row[CURVE], row[SCALE] = curve, root * w / (1.0 - w)
    row[TEND] = t + left
    row[LENGTH] = 0.5 * p[MU_G] * left * left * lookup(table, curve, 2, w)


@compile_kernel
def path_and_speed_at(
    row: FloatArray, t: float, mu_g: float, table: FloatArray
) -> tuple[float, float]:
    """Path length since the motion began, and speed, at time t."""
    left = row[TEND] - t
    if left <= 0.0:
        return row[LENGTH], 0.0
    if t <= row[T0]:
        left = row[TEND] - row[T0]
    curve = int(row[CURVE])
    w = curve_parameter(curve, row[SCALE], left)
    ahead = 0.5 * mu_g * left * left * lookup(table, curve, 2, w)
    return max(row[LENGTH] - ahead, 0.0), mu_g * left * lookup(table, curve, 0, w)


@compile_kernel
def spin_at(row: FloatArray, t: float, mu_g: float, table: FloatArray) -> float:
    """Signed spin at time t."""
    left = row[TEND] - t
    if left <= 0.0:
        return 0.0
    curve = int(row[CURVE])
    w = curve_parameter(curve, row[SCALE], left)
    return float(row[SIGN] * mu_g * left * lookup(table, curve, 1, w))


@compile_kernel
def time_at(row: FloatArray, length: float, mu_g: float, table: FloatArray) -> float:
    """Time at the given path length, by Newton's method on the root of the remaining distance."""
    ahead = row[LENGTH] - length
    whole = row[TEND] - row[T0]
    if ahead <= 0.0:
        return float(row[TEND])
    left = whole * math.sqrt(ahead / row[LENGTH])
    target = math.sqrt(ahead)
    curve = int(row[CURVE])
    for _ in range(8):
        w = curve_parameter(curve, row[SCALE], left)
        here = math.sqrt(0.5 * mu_g * lookup(table, curve, 2, w)) * left
        slope = mu_g * left * lookup(table, curve, 0, w) / (2.0 * here)
        change = (target - here) / slope
        left = min(max(left + change, 0.1 * left), whole)
        if abs(change) <= 1e-13 * whole:
            break
    return float(row[TEND] - left)


@compile_kernel
def length_to_circle(mx: float, my: float, dx: float, dy: float, radius: float) -> float:
    """The disc's path length to a circle of the given radius about (mx, my); inf if it misses."""
    along = mx * dx + my * dy
    if along <= TOUCH_MM * radius:
        return math.inf
    outside = mx * mx + my * my - radius * radius
    if outside <= 0.0:
        return 0.0 if along > 1e-9 * radius else math.inf
    under = along * along - outside
    if under <= 0.0:
        return math.inf
    return outside / (along + math.sqrt(under))


@compile_kernel
def find_meeting_time(
    a: FloatArray, b: FloatArray, t: float, latest: float, p: FloatArray, table: FloatArray
) -> float:
    """Time of first contact of two moving discs, after t and before ``latest``; inf without one.

    With gap g, its rate g' and friction's greatest relative deceleration A, the gap after h is at
    least g + g' h - A h^2 / 2, because a straight line's distance from a point is convex. The root
    of that bound is a step that cannot pass a contact, and near one it converges like Newton's.
    """
    apart = 2.0 * p[DISC_RADIUS]
    mu_g = p[MU_G]
    limit = 2.0 * mu_g
    last = min(latest, max(a[TEND], b[TEND]))
    for _ in range(200):
        sa, va = path_and_speed_at(a, t, mu_g, table)
        sb, vb = path_and_speed_at(b, t, mu_g, table)
        x = b[X] + sb * b[DX] - a[X] - sa * a[DX]
        y = b[Y] + sb * b[DY] - a[Y] - sa * a[DY]
        distance = math.sqrt(x * x + y * y)
        gap = distance - apart
        rate = (x * (vb * b[DX] - va * a[DX]) + y * (vb * b[DY] - va * a[DY])) / distance
        if gap < TOUCH_MM:
            if rate < -1e-9:
                return t
            gap = 0.0
        if gap > (a[LENGTH] - sa) + (b[LENGTH] - sb):
            return math.inf
        step = (rate + math.sqrt(rate * rate + 2.0 * limit * gap)) / limit
        if rate < 0.0:
            step = 2.0 * gap / (math.sqrt(rate * rate + 2.0 * limit * gap) - rate)
        elif step < 1e-6:
            step = 1e-6
        t += step
        if t >= last:
            return math.inf
    return math.inf


@compile_kernel
def are_paths_apart(a: FloatArray, b: FloatArray, apart: float) -> bool:
    """Whether the boxes around two whole paths are too far apart to matter."""
    for axis in range(2):
        a0, b0 = a[X + axis], b[X + axis]
        a1, b1 = a0 + a[LENGTH] * a[DX + axis], b0 + b[LENGTH] * b[DX + axis]
        if min(a0, a1) - max(b0, b1) > apart or min(b0, b1) - max(a0, a1) > apart:
            return True
    return False


@compile_kernel
def find_next_event(
    discs: FloatArray,
    i: int,
    t: float,
    hole_taken: bool,
    posts: FloatArray,
    p: FloatArray,
    table: FloatArray,
) -> None:
    """Write disc i's next event into its row."""
    row = discs[i]
    row[EVENT_TIME], row[EVENT_KIND], row[PARTNER] = math.inf, NOTHING, -1
    if row[STATE] != FLAT or row[TEND] <= t:
        return
    done, _ = path_and_speed_at(row, t, p[MU_G], table)
    dx, dy = row[DX], row[DY]
    x, y = row[X] + done * dx, row[Y] + done * dy
    best = row[LENGTH] - done
    kind, partner = NOTHING, -1
    apart = 2.0 * p[DISC_RADIUS]
    for j in range(discs.shape[0]):
        other = discs[j]
        if j == i or other[STATE] != FLAT or other[TEND] > t:
            continue
        ox, oy = other[X] + other[LENGTH] * other[DX], other[Y] + other[LENGTH] * other[DY]
        length = length_to_circle(ox - x, oy - y, dx, dy, apart)
        if length < best:
            best, kind, partner = length, DISC, j
    for k in range(posts.shape[0]):
        length = length_to_circle(posts[k, 0] - x, posts[k, 1] - y, dx, dy, p[POST_REACH])
        if length < best:
            best, kind, partner = length, POST, k
    hx, hy = p[HOLE_X] - x, p[HOLE_Y] - y
    if hole_taken:
        if p[SUNK_RISES] > 0:
            length = length_to_circle(hx, hy, dx, dy, apart)
            if length < best:
                best, kind = length, SUNK
    elif row[HOLE_PASSED] == 0.0:
        is_inside = hx * hx + hy * hy <= p[TIP_RADIUS] ** 2
        length = 0.0 if is_inside else length_to_circle(hx, hy, dx, dy, p[TIP_RADIUS])
        if length < best:
            best, kind = length, HOLE
    along = x * dx + y * dy
    inside = p[EDGE_RADIUS] ** 2 - x * x - y * y
    length = 0.0
    if inside > 0.0:
        length = math.sqrt(along * along + inside) - along
    if length < best and (inside > 0.0 or along > 0.0):
        best, kind = length, EDGE
    when = math.inf
    if kind != NOTHING:
        when = max(time_at(row, done + best, p[MU_G], table), t)
    for j in range(discs.shape[0]):
        other = discs[j]
        if j == i or other[STATE] != FLAT or other[TEND] <= t or are_paths_apart(row, other, apart):
            continue
        met = find_meeting_time(row, other, t, when, p, table)
        if met < when:
            when, kind, partner = met, DISC, j
    row[EVENT_TIME], row[EVENT_KIND], row[PARTNER] = when, kind, partner


@compile_kernel
def restitution_at_speed(closing: float, restitution: float, loss_s_m: float) -> float:
    """Restitution at the given closing speed, mm/s."""
    if closing < ELASTIC_MM_S:
        return 1.0
    return max(restitution - loss_s_m * closing * 1e-3, 0.0)


@compile_kernel
def state_at(
    discs: FloatArray, i: int, t: float, p: FloatArray, table: FloatArray
) -> tuple[float, float, float, float, float]:
    """Place, velocity and spin of disc i at time t."""
    row = discs[i]
    done, speed = path_and_speed_at(row, t, p[MU_G], table)
    return (
        row[X] + done * row[DX],
        row[Y] + done * row[DY],
        speed * row[DX],
        speed * row[DY],
        spin_at(row, t, p[MU_G], table),
    )


@compile_kernel
def resolve_disc_contact(
    discs: FloatArray, i: int, j: int, t: float, p: FloatArray, table: FloatArray
) -> None:
    """Disc against disc: restitution along the centres, Coulomb friction across them."""
    xi, yi, vxi, vyi, si = state_at(discs, i, t, p, table)
    xj, yj, vxj, vyj, sj = state_at(discs, j, t, p, table)
    nx, ny = xj - xi, yj - yi
    length = math.sqrt(nx * nx + ny * ny)
    nx, ny = nx / length, ny / length
    closing = (vxi - vxj) * nx + (vyi - vyj) * ny
    if closing > 0.0:
        e = restitution_at_speed(closing, p[RESTITUTION], p[RESTITUTION_LOSS])
        push = 0.5 * (1.0 + e) * closing
        slip = -(vxi - vxj) * ny + (vyi - vyj) * nx + si + sj
        most = p[CONTACT_FRICTION] * push
        rub = min(max(slip / 6.0, -most), most)  # 1/6 stops the slip of two uniform discs
        ix, iy = push * nx - rub * ny, push * ny + rub * nx
        vxi, vyi, vxj, vyj = vxi - ix, vyi - iy, vxj + ix, vyj + iy
        si, sj = si - 2.0 * rub, sj - 2.0 * rub
    start_motion(discs, i, t, xi, yi, vxi, vyi, si, p, table)
    start_motion(discs, j, t, xj, yj, vxj, vyj, sj, p, table)


@compile_kernel
def resolve_fixed_contact(
    discs: FloatArray,
    i: int,
    cx: float,
    cy: float,
    restitution: float,
    friction: float,
    t: float,
    p: FloatArray,
    table: FloatArray,
) -> None:
    """Disc against a fixed circle centred at (cx, cy)."""
    x, y, vx, vy, spin = state_at(discs, i, t, p, table)
    nx, ny = cx - x, cy - y
    length = math.sqrt(nx * nx + ny * ny)
    nx, ny = nx / length, ny / length
    closing = vx * nx + vy * ny
    if closing > 0.0:
        push = (1.0 + restitution_at_speed(closing, restitution, p[RESTITUTION_LOSS])) * closing
        slip = -vx * ny + vy * nx + spin
        most = friction * push
        rub = min(max(slip / 3.0, -most), most)  # 1/3 stops the slip of a uniform disc
        vx, vy = vx - push * nx + rub * ny, vy - push * ny - rub * nx
        spin -= 2.0 * rub
    start_motion(discs, i, t, x, y, vx, vy, spin, p, table)


@compile_kernel
def enter_hole(
    discs: FloatArray, i: int, t: float, p: FloatArray, table: FloatArray
) -> tuple[bool, float]:
    """Whether the hole captures disc i, and its speed over the capture speed.

    A disc that is not captured continues straight, but slower.
    """
    x, y, vx, vy, spin = state_at(discs, i, t, p, table)
    row = discs[i]
    hx, hy = p[HOLE_X] - x, p[HOLE_Y] - y
    along = hx * row[DX] + hy * row[DY]
    offset = abs(hx * row[DY] - hy * row[DX])
    # Speeds are stated 30 mm before the centre. Friction from there to here is added back.
    stated = math.sqrt(max(_STATED_AT_MM**2 - offset * offset, 0.0))
    speed2 = vx * vx + vy * vy + 2.0 * p[MU_G] * max(stated - along, 0.0)
    capture_speed = p[CAPTURE_SPEED] * np.interp(offset, _OFFSETS_MM, _CAPTURE_RATIO)
    ratio = math.sqrt(speed2) / capture_speed
    if ratio < 1.0:
        row[STATE] = IN_HOLE
        start_motion(discs, i, t, p[HOLE_X], p[HOLE_Y], 0.0, 0.0, 0.0, p, table)
        return True, ratio
    slow = np.interp(offset, _OFFSETS_MM, _SPEED_KEPT_SLOW)
    fast = np.interp(offset, _OFFSETS_MM, _SPEED_KEPT_FAST)
    kept_ratio = fast - (fast - slow) / (ratio * ratio)
    row[HOLE_PASSED] = 1.0
    start_motion(discs, i, t, x, y, kept_ratio * vx, kept_ratio * vy, kept_ratio * spin, p, table)
    return False, ratio


@compile_kernel
def exit_surface(discs: FloatArray, i: int, t: float, p: FloatArray, table: FloatArray) -> None:
    """Move disc i over the surface's edge: into the ditch, or back from the rail if it is very
    fast.
    """
    x, y, vx, vy, spin = state_at(discs, i, t, p, table)
    radius = math.sqrt(x * x + y * y)
    nx, ny = x / radius, y / radius
    outward = vx * nx + vy * ny
    if outward < p[RETURN_SPEED]:
        discs[i, STATE] = DITCH
        start_motion(discs, i, t, x, y, 0.0, 0.0, 0.0, p, table)
        return
    back = -p[RAIL_RESTITUTION] * outward - outward
    inside = p[EDGE_RADIUS] / radius * (1.0 - 1e-12)
    away_s = p[RAIL_GAP] / outward * (1.0 + 1.0 / p[RAIL_RESTITUTION])
    start_motion(
        discs, i, t + away_s, x * inside, y * inside, vx + back * nx, vy + back * ny, spin, p, table
    )


@compile_kernel
def drop_into_hole(discs: FloatArray, i: int, p: FloatArray, hole_taken: bool) -> bool:
    """Drop a disc that came to rest with its centre over the hole; returns whether it did so."""
    row = discs[i]
    if row[STATE] != FLAT or hole_taken:
        return False
    x, y = row[X] + row[LENGTH] * row[DX], row[Y] + row[LENGTH] * row[DY]
    if (x - p[HOLE_X]) ** 2 + (y - p[HOLE_Y]) ** 2 > p[TIP_RADIUS] ** 2:
        return False
    row[STATE], row[X], row[Y], row[LENGTH] = IN_HOLE, p[HOLE_X], p[HOLE_Y], 0.0
    return True


@compile_kernel
def run_events(
    discs: FloatArray,
    posts: FloatArray,
    p: FloatArray,
    table: FloatArray,
    contacts: IntArray,
    times: FloatArray,
    track: FloatArray,
) -> tuple[int, int, float]:
    """Run the event loop until every disc is at rest.

    discs     rows with their motions started; changed in place
    contacts  (n, 2) filled with disc and partner, in time order, as far as they fit
    times     (n,) times of the contacts
    track     (m, 7) filled with disc, time, place, velocity and spin after every change of motion
    Returns the counts of contacts and track rows, and the hole's margin: the least |ln(speed /
    capture speed)| of all passages, inf without one.
    """
    hole_taken = bool((discs[:, STATE] == IN_HOLE).any())
    t, contact_count, track_count, hole_margin = 0.0, 0, 0, math.inf
    for i in range(discs.shape[0]):
        find_next_event(discs, i, t, hole_taken, posts, p, table)
    for _ in range(MOST_EVENTS):
        i = int(discs[:, EVENT_TIME].argmin())
        t = discs[i, EVENT_TIME]
        if t == math.inf:
            break
        kind, partner = int(discs[i, EVENT_KIND]), int(discs[i, PARTNER])
        j, was_taken, code = -1, hole_taken, partner
        if kind == DISC:
            j = partner
            resolve_disc_contact(discs, i, j, t, p, table)
        elif kind == POST:
            code = POST_0 + partner
            restitution, rub = p[POST_RESTITUTION], p[POST_FRICTION]
            resolve_fixed_contact(
                discs, i, posts[partner, 0], posts[partner, 1], restitution, rub, t, p, table
            )
        elif kind == SUNK:
            code = SUNK_CODE
            restitution, rub = p[RESTITUTION], p[CONTACT_FRICTION]
            resolve_fixed_contact(discs, i, p[HOLE_X], p[HOLE_Y], restitution, rub, t, p, table)
        elif kind == HOLE:
            hole_taken, ratio = enter_hole(discs, i, t, p, table)
            code = HOLE_CODE if hole_taken else MISSED_HOLE_CODE
            hole_margin = min(hole_margin, abs(math.log(max(ratio, 1e-9))))
        else:
            code = OUTSIDE_CODE
            exit_surface(discs, i, t, p, table)
        if contact_count < contacts.shape[0]:
            contacts[contact_count, 0], contacts[contact_count, 1] = i, code
            times[contact_count] = t
        contact_count += 1
        for k in (i, j):
            if k >= 0:
                reset_hole(discs, k, kind, p)
                if track_count < track.shape[0]:
                    x, y, vx, vy, spin = state_at(discs, k, max(t, discs[k, T0]), p, table)
                    here = track[track_count]
                    here[0], here[1], here[2], here[3] = k, t, x, y
                    here[4], here[5], here[6] = vx, vy, spin
                    track_count += 1
        for k in range(discs.shape[0]):
            with_changed = discs[k, EVENT_KIND] == DISC and (
                discs[k, PARTNER] == i or (j >= 0 and discs[k, PARTNER] == j)
            )
            if k in (i, j) or with_changed or hole_taken != was_taken:
                find_next_event(discs, k, t, hole_taken, posts, p, table)
    for i in range(discs.shape[0]):
        hole_taken = drop_into_hole(discs, i, p, hole_taken) or hole_taken
    return contact_count, track_count, hole_margin


@compile_kernel
def reset_hole(discs: FloatArray, i: int, kind: int, p: FloatArray) -> None:
    """Allow disc i to be captured again, after a contact turned it away from the hole's edge."""
    row = discs[i]
    if kind != HOLE and (row[X] - p[HOLE_X]) ** 2 + (row[Y] - p[HOLE_Y]) ** 2 > p[TIP_RADIUS] ** 2:
        row[HOLE_PASSED] = 0.0


@compile_kernel
def set_up_discs(
    discs: FloatArray,
    places: FloatArray,
    shot: FloatArray,
    p: FloatArray,
    table: FloatArray,
) -> None:
    """Set up the discs, those at the hole's centre in the hole, and flick disc 0."""
    for i in range(places.shape[0]):
        x, y = places[i, 0], places[i, 1]
        discs[i, :] = 0.0
        start_motion(discs, i, 0.0, x, y, 0.0, 0.0, 0.0, p, table)
        if i > 0 and (x - p[HOLE_X]) ** 2 + (y - p[HOLE_Y]) ** 2 < p[TIP_RADIUS] ** 2:
            discs[i, STATE] = IN_HOLE
    x, y, speed, direction, spin = shot[0], shot[1], shot[2], shot[3], shot[4]
    vx, vy = speed * math.cos(direction), speed * math.sin(direction)
    start_motion(discs, 0, 0.0, x, y, vx, vy, spin * p[DISC_RADIUS], p, table)


@compile_kernel
def position_at(
    disc: int,
    t: float,
    start_mm: FloatArray,
    first: FloatArray,
    track: FloatArray,
    count: int,
    p: FloatArray,
    table: FloatArray,
) -> tuple[float, float]:
    """Place of a disc at time t, from the changes of motion recorded by ``run_events``.

    start_mm  (2,) its start; first (ROW_SIZE,) is overwritten
    """
    latest = -1
    for k in range(count):
        if track[k, 1] > t:
            break
        if int(track[k, 0]) == disc:
            latest = k
    if latest < 0:
        return start_mm[0], start_mm[1]
    here = track[latest]
    row = first.reshape((1, ROW_SIZE))
    # Not a constant, for which numba would compile the called kernels again.
    only = row.shape[0] - 1
    start_motion(row, only, here[1], here[2], here[3], here[4], here[5], here[6], p, table)
    x, y, _, _, _ = state_at(row, only, t, p, table)
    return x, y


@compile_kernel
def find_nearest_pass(
    disc: int,
    x: float,
    y: float,
    start_mm: FloatArray,
    end_mm: FloatArray,
    track: FloatArray,
    count: int,
    p: FloatArray,
    table: FloatArray,
) -> tuple[float, float]:
    """Least distance of a disc to (x, y), mm, and its time; ``end_mm`` (2,) is its final place."""
    ax, ay, leg = start_mm[0], start_mm[1], -1
    best, when = (x - ax) ** 2 + (y - ay) ** 2, 0.0
    row = np.empty((1, ROW_SIZE))
    only = row.shape[0] - 1  # as in ``position_at``
    for k in range(count + 1):
        if k < count and int(track[k, 0]) != disc:
            continue
        bx, by = end_mm[0], end_mm[1]
        if k < count:
            bx, by = track[k, 2], track[k, 3]
        dx, dy = bx - ax, by - ay
        length = math.sqrt(dx * dx + dy * dy)
        if leg >= 0 and length > 0.0:
            along = min(max(((x - ax) * dx + (y - ay) * dy) / length, 0.0), length)
            off = (x - ax - along / length * dx) ** 2 + (y - ay - along / length * dy) ** 2
            if off < best:
                here = track[leg]
                start_motion(
                    row, only, here[1], here[2], here[3], here[4], here[5], here[6], p, table
                )
                best = off
                when = time_at(row[0], min(along, row[0, LENGTH]), p[MU_G], table)
        ax, ay, leg = bx, by, k
    return math.sqrt(best), when


@compile_kernel
def run_shots(
    places: FloatArray,
    shots: FloatArray,
    parameters: FloatArray,
    posts: FloatArray,
    table: FloatArray,
    tracked_discs: IntArray,
    queries: FloatArray,
    by_time: bool,
    out_places: FloatArray,
    out_states: Any,
    out_contacts: Any,
    out_counts: IntArray,
    out_tracked: FloatArray,
) -> None:
    """Many shots of disc 0, one after the other.

    places      (1 or n, d, 2) boards
    shots       (n, 5) place, speed, direction and angular speed
    parameters  (1 or n, PARAMETER_COUNT)
    tracked_discs (m,), perhaps none; queries: with ``by_time`` times (n, m), and out_tracked (n, m,
                2) gets the discs' places at these times; otherwise places (m, 2), and it gets
                distance and time of the closest pass
    out_*       (n, d, 2) final places of discs, (n, d) their states, (n, c, 2) contacts, and (n,)
                their counts; written
    """
    discs = np.empty((places.shape[1], ROW_SIZE))
    most = out_contacts.shape[1]
    contacts, times = np.empty((most, 2), dtype=np.int64), np.empty(most)
    # The flick is the shooter's first change of motion; others count where a disc is tracked.
    track = np.empty((MOST_TRACKED if tracked_discs.shape[0] > 0 else 1, 7))
    spare, last = np.empty(ROW_SIZE), np.empty(2)
    for k in range(shots.shape[0]):
        p = parameters[k if parameters.shape[0] > 1 else 0]
        board = places[k if places.shape[0] > 1 else 0]
        set_up_discs(discs, board, shots[k], p, table)
        x, y, vx, vy, spin = state_at(discs, 0, 0.0, p, table)
        first = track[0]
        first[0], first[1], first[2], first[3] = 0, 0.0, x, y
        first[4], first[5], first[6] = vx, vy, spin
        count, tracked, _ = run_events(discs, posts, p, table, contacts, times, track[1:])
        tracked += 1
        out_counts[k] = count
        out_contacts[k, : min(count, most)] = contacts[: min(count, most)]
        for i in range(discs.shape[0]):
            row = discs[i]
            out_places[k, i, 0] = row[X] + row[LENGTH] * row[DX]
            out_places[k, i, 1] = row[Y] + row[LENGTH] * row[DY]
            out_states[k, i] = int(row[STATE])
        for m in range(tracked_discs.shape[0]):
            i = tracked_discs[m]
            if by_time:
                a, b = position_at(i, queries[k, m], board[i], spare, track, tracked, p, table)
            else:
                last[0], last[1] = out_places[k, i, 0], out_places[k, i, 1]
                a, b = find_nearest_pass(
                    i, queries[m, 0], queries[m, 1], board[i], last, track, tracked, p, table
                )
            out_tracked[k, m, 0], out_tracked[k, m, 1] = a, b
