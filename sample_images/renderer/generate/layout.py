"""Free places for discs: at random, in clusters and rows, near lines, at posts and at the hole.

A place is drawn again until it is free, and given up after many tries. All random choices use the
generator that is passed in. Lengths in mm.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field, replace

import numpy as np

from sample_images.renderer.poses import pose_in_ditch, pose_leaner
from sample_images.renderer.scene import Board, Disc, DiscModel

#: Least gap between two discs that are not meant to touch.
_AIR_MM = 0.05
_TRIES = 60
VisibilityTest = Callable[[np.ndarray], bool]


@dataclass(slots=True, kw_only=True)
class Layout:
    """A board while discs are being placed. ``visible`` says whether a point (3,) is in the
    picture.
    """

    board: Board
    shape: DiscModel
    teams: tuple[str, ...]
    rng: np.random.Generator
    visible: VisibilityTest
    discs: list[Disc] = field(default_factory=list)

    def team(self) -> str:
        """A team at random."""
        return str(self.rng.choice(self.teams))

    def spin(self) -> float:
        """A random turn, in degrees."""
        return float(self.rng.uniform(0, 360))

    def is_free(self, x: float, y: float, z: float = 0.0) -> bool:
        """Whether a disc at (x, y) clears every disc and post and is in the picture."""
        if not self.visible(np.array([x, y, z])):
            return False
        least = 2 * self.shape.radius + _AIR_MM
        if any(math.hypot(x - d.position[0], y - d.position[1]) < least for d in self.discs):
            return False
        return z < 0 or self._clears_posts(x, y)

    def _clears_posts(self, x: float, y: float) -> bool:
        b = self.board
        for k in range(b.post_count):
            a = math.radians(22.5 + k * 360.0 / b.post_count)
            px, py = b.post_ring_radius * math.cos(a), b.post_ring_radius * math.sin(a)
            if math.hypot(x - px, y - py) < self.shape.radius + b.post_radius + _AIR_MM:
                return False
        return True

    def put_flat(self, x: float, y: float, team: str | None = None) -> bool:
        """Put a flat disc at (x, y) if the place is free and on the surface."""
        b, hole = self.board, self.board.hole_centre
        reach = math.hypot(x, y)
        # A disc whose middle is over the hole would fall in; over the edge, off the board.
        if math.hypot(x - hole[0], y - hole[1]) < b.hole_radius + 1.0:
            return False
        if reach > b.playing_radius - 3.0 or not self.is_free(x, y):
            return False
        over = reach + self.shape.bottom_radius > b.playing_radius
        state = "overhanging" if over else "flat"
        self.discs.append(
            Disc(
                colour=team or self.team(),
                position=(x, y, 0.0),
                state=state,
                spin_deg=self.spin(),
            )
        )
        return True


def _polar(radius: float, angle: float) -> tuple[float, float]:
    return radius * math.cos(angle), radius * math.sin(angle)


def scatter(layout: Layout, count: int) -> None:
    """Up to ``count`` discs anywhere on the surface."""
    most = layout.board.playing_radius - layout.shape.radius - 0.5
    for _ in range(count):
        for _ in range(_TRIES):
            r, a = most * math.sqrt(layout.rng.uniform(0, 1)), layout.rng.uniform(0, 2 * math.pi)
            if layout.put_flat(*_polar(r, a)):
                break


def place_near_line(layout: Layout, line: int, margin_mm: float) -> None:
    """A disc whose bottom edge is ``margin_mm`` inside a line's inner side (negative: over it)."""
    b = layout.board
    r = b.line_radii[line] - b.line_width / 2 - margin_mm - layout.shape.bottom_radius
    for _ in range(_TRIES):
        if layout.put_flat(*_polar(r, layout.rng.uniform(0, 2 * math.pi))):
            return


def place_cluster(layout: Layout, count: int) -> None:
    """Discs that touch one another, each put against another of the cluster."""
    first = len(layout.discs)
    scatter(layout, 1)
    for _ in range(count - 1):
        members = [d for d in layout.discs[first:] if d.state == "flat"]
        for _ in range(_TRIES if members else 0):
            beside = members[layout.rng.integers(len(members))].position
            gap = 2 * layout.shape.radius + _AIR_MM + 0.02 + abs(layout.rng.normal(0, 0.08))
            x, y = _polar(gap, layout.rng.uniform(0, 2 * math.pi))
            if layout.put_flat(beside[0] + x, beside[1] + y):
                break


def place_row(layout: Layout, count: int) -> None:
    """Discs of one team side by side in a straight line."""
    angle, team = layout.rng.uniform(0, 2 * math.pi), layout.team()
    step = np.array(_polar(2 * layout.shape.radius + _AIR_MM + 0.05, angle))
    start = np.array(_polar(layout.rng.uniform(60, 260), layout.rng.uniform(0, 2 * math.pi)))
    for i in range(count):
        x, y = start + i * step
        layout.put_flat(float(x), float(y), team)


def place_at_post(layout: Layout) -> None:
    """A disc touching a post, or nearly."""
    b = layout.board
    if b.post_count == 0:
        return
    gap = layout.shape.radius + b.post_radius + _AIR_MM + 0.05 + abs(layout.rng.normal(0, 1.5))
    for _ in range(_TRIES):
        k = layout.rng.integers(b.post_count)
        post = _polar(b.post_ring_radius, math.radians(22.5 + k * 360.0 / b.post_count))
        x, y = _polar(gap, layout.rng.uniform(0, 2 * math.pi))
        if layout.put_flat(post[0] + x, post[1] + y):
            return


def place_beside_hole(layout: Layout) -> None:
    """A flat disc that reaches over the hole."""
    hole, r = layout.board.hole_centre, layout.board.hole_radius
    for _ in range(_TRIES):
        x, y = _polar(r + layout.rng.uniform(1.5, 14.0), layout.rng.uniform(0, 2 * math.pi))
        if layout.put_flat(hole[0] + x, hole[1] + y):
            return


def place_overhanging(layout: Layout) -> None:
    """A disc that reaches over the edge of the playing surface."""
    for _ in range(_TRIES):
        r = layout.board.playing_radius - layout.rng.uniform(4.0, 13.0)
        if layout.put_flat(*_polar(r, layout.rng.uniform(0, 2 * math.pi))):
            return


def place_in_hole(layout: Layout, team: str | None = None) -> None:
    """A disc flat on the hole's floor, anywhere within its play."""
    b = layout.board
    play = max(0.0, b.hole_radius - layout.shape.radius - 0.05)
    x, y = _polar(play * layout.rng.uniform(0, 1), layout.rng.uniform(0, 2 * math.pi))
    at = (b.hole_centre[0] + x, b.hole_centre[1] + y, -b.hole_depth)
    if layout.is_free(*at):
        layout.discs.append(
            Disc(
                colour=team or layout.team(),
                position=at,
                state="in_hole",
                spin_deg=layout.spin(),
            )
        )


def place_leaner(layout: Layout) -> None:
    """A disc with one edge down in the hole."""
    lean = layout.rng.uniform(0, 360)
    for tilt in layout.rng.permutation(np.linspace(11.0, 35.0, 49)):
        disc = pose_leaner(layout.board, layout.shape, float(tilt), float(lean))
        if disc and layout.is_free(disc.position[0], disc.position[1], -1.0):
            layout.discs.append(replace(disc, colour=layout.team(), spin_deg=layout.spin()))
            return


def fill_ditch(layout: Layout, count: int, standing: int = 0) -> None:
    """Discs in the ditch: single, in rows along the rail, and ``standing`` against it."""
    for _ in range(standing):
        azimuth = 45.0 * layout.rng.integers(8) + layout.rng.uniform(-6, 6) * _is_round(layout)
        lean = layout.rng.uniform(6, 16)
        disc = pose_in_ditch(layout.board, layout.shape, float(azimuth), float(lean))
        if layout.is_free(disc.position[0], disc.position[1], disc.position[2]):
            layout.discs.append(replace(disc, colour=layout.team()))
    while count > 0:
        length = int(min(count, layout.rng.choice((1, 1, 1, 2, 4, 7))))
        _place_ditch_row(layout, length)
        count -= length


def _is_round(layout: Layout) -> bool:
    return layout.board.rail_shape == "round"


def _place_ditch_row(layout: Layout, length: int) -> None:
    """Discs side by side along the ditch, of one team if there are several."""
    b, shape = layout.board, layout.shape
    inner = b.playing_radius + shape.radius + 0.5
    outer = b.playing_radius + b.ditch_width - shape.radius - 0.8
    reach = float(layout.rng.uniform(inner, max(inner, outer)))
    step = 2 * math.asin((shape.radius + 0.1) / reach) * float(layout.rng.choice((1.0, 1.0, 1.15)))
    start, team = layout.rng.uniform(0, 2 * math.pi), layout.team()
    for i in range(length):
        x, y = _polar(reach, start + i * step)
        if layout.is_free(x, y, -b.ditch_depth):
            layout.discs.append(
                Disc(
                    colour=team if length > 2 else layout.team(),
                    position=(x, y, -b.ditch_depth),
                    state="ditch",
                    spin_deg=layout.spin(),
                )
            )
