"""Crops of drawn 20-holes, as the hole network sees them: numpy and OpenCV only, 10 to 20 ms each.

Every crop has its own board, floor, edge, light, discs, hand and camera. Rays meet the surface, the
hole's rounded edge, its wall and floor, cylinders in any attitude (a disc in the hole, leaning on
its edge, or flat beside it) and a hand's fingers. Lamps cast the hole's own shadow and those of
discs. The picture is blurred, shrunk, made noisy and compressed; only every other of its rows is
used, and it is rectified by a pose with a realistic error. Frame: facing (the camera is at -y), its
origin at the hole's middle, mm; colours are linear RGB.
"""

from __future__ import annotations

import argparse
import math
from dataclasses import dataclass, field

import cv2
import numpy as np

from sample_images.train_detector.crops import (
    HOLE_FLOOR_MM,
    HOLE_MM_PER_PX,
    HOLE_SIDE_PX,
    SHIFT_HEIGHT_MM,
    SHIFT_SCALE_MM,
)
from sample_images.train_detector.scenes import (
    HOLE_DISC,
    HOLE_EMPTY,
    HOLE_HIDDEN,
    HOLE_OTHER,
    SKIN_RGB,
    SURFACE_RGB,
    SURFACE_SHARE,
    TEAM_RGB,
    Rng,
)
from sample_images.train_detector.textures import draw_textures

#: Shares of empty holes, discs in them, and leaners or other discs over them.
_STATE_SHARES = (0.45, 0.33, 0.22)
#: A hole with a smaller visible share counts as hidden; between the two shares it is not used for
#: training (as in ``draw_boards``).
_HIDDEN_SHARE, _SEEN_SHARE = 0.3, 0.5
#: A flat disc nearer to the hole than this share of its radius reaches over it.
_REACH = 0.55
#: Half of the crop's side, and how much more is drawn.
_HALF_MM, _BEYOND_MM = HOLE_SIDE_PX * HOLE_MM_PER_PX / 2, 4.0
#: Least resolution of the drawing, px per mm.
_FINEST = 1.2
#: Side of marks' and floors' textures, px, and the length that they span.
_TILE_PX, _MARK_MM, _FLOOR_MM = 128, 100.0, 44.0
_GROUND, _HAND = -1, -2
_WORDS = ("20", "20", "20", "15", "XX", "25", "CROK", "*", "10")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class HoleSample:
    """A crop: planes (6, s, s) uint8 RGB, the camera (3,) in the facing frame, the state of the
    hole, and whether it counts.
    """

    planes: np.ndarray
    camera_mm: np.ndarray
    state: int
    weight: float

    def network_input(self) -> np.ndarray:
        """The network's input (1, 8, s, s) float32, as ``board_crops.crop_planes`` makes it."""
        across = (np.arange(HOLE_SIDE_PX) - (HOLE_SIDE_PX - 1) / 2) * HOLE_MM_PER_PX
        out = np.empty((1, 8, HOLE_SIDE_PX, HOLE_SIDE_PX), np.float32)
        out[0, :6] = self.planes / np.float32(255)
        factor = SHIFT_HEIGHT_MM / SHIFT_SCALE_MM / self.camera_mm[2]
        out[0, 6] = (across[None] - self.camera_mm[0]) * factor
        out[0, 7] = (-across[:, None] - self.camera_mm[1]) * factor
        return out


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class HoleCamera:
    """A pinhole: centre (3,), columns of ``axes`` right, down and ahead, focal and middle, px."""

    centre: np.ndarray
    axes: np.ndarray
    focal: np.ndarray
    middle: np.ndarray

    def project(self, points: np.ndarray) -> np.ndarray:
        """Pixels (..., 2) of points (..., 3)."""
        local = (points - self.centre) @ self.axes
        return local[..., :2] / local[..., 2:] * self.focal + self.middle

    def rays(self, height: int, width: int) -> np.ndarray:
        """Directions (h, w, 3)."""
        x = (np.arange(width) - self.middle[0]) / self.focal[0]
        y = (np.arange(height) - self.middle[1]) / self.focal[1]
        local = np.empty((height, width, 3), np.float32)
        local[..., 0], local[..., 1], local[..., 2] = x[None], y[:, None], 1.0
        return local @ self.axes.T.astype(np.float32)


@dataclass(slots=True, kw_only=True, eq=False)
class DrawnDisc:
    """A cylinder: its base's middle (3,), its turned frame (3, 3), and its looks."""

    base: np.ndarray
    spin: np.ndarray
    radius: float
    height: float
    rgb: np.ndarray
    looks: dict[str, float] = field(default_factory=dict)

    @property
    def top(self) -> np.ndarray:
        """The middle of its upper face."""
        return self.base + self.spin[:, 2] * self.height


@dataclass(slots=True, kw_only=True, eq=False)
class Surface:
    """The first object that every ray meets: place, normal, colour (h, w, 3); ambient light, gloss,
    owner (h, w).
    """

    place: np.ndarray
    normal: np.ndarray
    albedo: np.ndarray
    ambient: np.ndarray
    gloss: np.ndarray
    owner: np.ndarray
    depth: np.ndarray


def _vary(rng: Rng, rgb: np.ndarray, spread: float) -> np.ndarray:
    scale = np.exp(rng.normal(0, spread) + rng.normal(0, spread / 3, 3))
    return np.asarray(np.clip(rgb * scale, 0.004, 0.92))


def _any_rgb(rng: Rng) -> np.ndarray:
    """A team's colour, or now and then any colour."""
    if rng.uniform() < 0.2:
        return rng.uniform(0.008, 0.85, 3)
    return _vary(rng, TEAM_RGB[rng.integers(len(TEAM_RGB))], 0.35)


def _tilt(lean: float, tip: float) -> np.ndarray:
    """The rotation (3, 3) that lifts the side towards azimuth ``lean`` by ``tip``, radians."""
    return np.asarray(cv2.Rodrigues(np.array([math.sin(lean), -math.cos(lean), 0.0]) * tip)[0])


def _polar(away: float, angle: float) -> np.ndarray:
    return np.array([away * math.cos(angle), away * math.sin(angle)])


def _soft_step(value: np.ndarray, width: float) -> np.ndarray:
    return np.clip(value / width + 0.5, 0, 1)


class HoleDrawer:
    """Draws holes with the textures of a seed."""

    def __init__(self, seed: int, textures: int = 32) -> None:
        drawn = draw_textures(seed, textures)
        self.woods = drawn.woods.transpose(0, 2, 3, 1).astype(np.float32) / 128
        self.clutters = drawn.clutters.transpose(0, 2, 3, 1).astype(np.float32) / 255
        rng = np.random.default_rng((seed, 1))
        self.marks = [_draw_marks(rng) for _ in range(6 * textures)]
        self.floors = [_draw_floor(rng) for _ in range(2 * textures)]

    def draw(self, rng: Rng) -> HoleSample:
        """One crop."""
        camera, shrink = choose_camera(rng)
        scene = _Scene(rng, self, camera)
        corners = np.array([[x, y] for x in (-1, 1) for y in (-1, 1)]) * (_HALF_MM + _BEYOND_MM)
        ends = np.concatenate(
            [camera.project(np.insert(corners, 2, z, axis=1)) for z in (0.0, HOLE_FLOOR_MM)]
        )
        low, size = ends.min(0), np.ceil(np.ptp(ends, axis=0)).astype(int) + 1
        size = (size // (2 * shrink) + 1) * (2 * shrink)
        camera = HoleCamera(
            centre=camera.centre,
            axes=camera.axes,
            focal=camera.focal,
            middle=camera.middle - low,
        )
        light, seen = scene.cast(camera, int(size[1]), int(size[0]))
        photo = _develop(rng, light, shrink)
        found = _misplace(rng, camera)
        step = (np.arange(2 * HOLE_SIDE_PX) + 0.5) * HOLE_MM_PER_PX / 2 - _HALF_MM
        x, y = np.meshgrid(step, -step)
        # every other row, as in ``board_crops``
        parity = int(rng.integers(2))
        rows = np.ascontiguousarray(photo[parity::2])
        planes = []
        for z in (0.0, HOLE_FLOOR_MM):
            px = found.project(np.stack([x, y, np.full_like(x, z)], -1)).astype(np.float32)
            px = (px + 0.5) / shrink - 0.5
            fine = cv2.remap(
                rows, px[..., 0], (px[..., 1] - parity) / 2, cv2.INTER_LINEAR,
                borderMode=cv2.BORDER_REPLICATE,
            )  # fmt: skip
            small = cv2.resize(fine, (HOLE_SIDE_PX, HOLE_SIDE_PX), interpolation=cv2.INTER_AREA)
            planes.append(small.transpose(2, 0, 1))
        state = HOLE_HIDDEN if seen < _HIDDEN_SHARE else scene.state
        return HoleSample(
            planes=np.concatenate(planes),
            camera_mm=found.centre.astype(np.float32),
            state=state,
            weight=float(seen < _HIDDEN_SHARE or seen > _SEEN_SHARE),
        )


def choose_camera(rng: Rng) -> tuple[HoleCamera, int]:
    """A camera, and the number of drawn pixels per pixel of its picture."""
    kind = rng.choice(3, p=(0.3, 0.5, 0.2))
    tilt = math.radians((rng.uniform(55, 79), 60 * rng.uniform() ** 1.1, rng.uniform(0, 12))[kind])
    away = math.exp(rng.uniform(math.log(450), math.log(3000)))
    if tilt > 1.0:
        away = max(away, 1000 * rng.uniform(0.9, 1.6))
    per_mm = math.exp(rng.uniform(math.log(0.4), math.log(1.9)))
    if tilt > 1.0:
        per_mm = max(per_mm, 0.7)
    shrink = max(1, math.ceil(_FINEST / per_mm))
    sin, cos = math.sin(tilt), math.cos(tilt)
    ahead = np.array([0.0, sin, -cos])
    right = np.array([1.0, 0.0, 0.0])
    axes = np.stack([right, np.cross(ahead, right), ahead], -1)
    roll = rng.uniform(0, 2 * math.pi) if tilt < 0.4 else rng.normal(0, 0.06)
    c, s = math.cos(roll), math.sin(roll)
    axes = axes @ np.array([[c, -s, 0], [s, c, 0], [0, 0, 1.0]])
    across = per_mm * shrink * away
    focal = np.array([across, across * (rng.uniform(0.85, 1.2) if rng.uniform() < 0.1 else 1)])
    centre = np.array([0.0, -away * sin, away * cos])
    return HoleCamera(centre=centre, axes=axes, focal=focal, middle=np.zeros(2)), shrink


def _misplace(rng: Rng, camera: HoleCamera) -> HoleCamera:
    """The camera with a fit's error, about the hole's middle."""
    error = rng.normal(0, 1, 5) * (3 if rng.uniform() < 0.1 else 1)
    turn = cv2.Rodrigues(np.array([error[4] * 0.006, 0.0, 0.0]))[0]
    found = HoleCamera(
        centre=turn @ camera.centre,
        axes=turn @ camera.axes,
        focal=camera.focal * np.exp(error[:2] * 0.003),
        middle=camera.middle,
    )
    away = float(np.linalg.norm(camera.centre))
    off = camera.project(np.zeros(3)) - found.project(np.zeros(3))
    off = off + error[2:4] * 0.35 * camera.focal / away
    return HoleCamera(
        centre=found.centre, axes=found.axes, focal=found.focal, middle=found.middle + off
    )


class _Scene:
    """A board's middle with its discs, hand and lamps."""

    def __init__(self, rng: Rng, drawer: HoleDrawer, camera: HoleCamera) -> None:
        self.rng, self.drawer = rng, drawer
        self.tilt = math.acos(camera.centre[2] / float(np.linalg.norm(camera.centre)))
        kind = rng.choice(len(SURFACE_RGB), p=SURFACE_SHARE / SURFACE_SHARE.sum())
        self.surface_rgb = _vary(rng, SURFACE_RGB[kind], 0.25)
        if rng.uniform() < 0.08:
            self.surface_rgb = _any_rgb(rng)
        self.disc_radius = rng.uniform(13.5, 19) if rng.uniform() < 0.2 else rng.uniform(15, 16.8)
        self.disc_height = rng.uniform(6, 13) if rng.uniform() < 0.2 else rng.uniform(8.2, 10.8)
        self.teams = [_any_rgb(rng), _any_rgb(rng)]
        if rng.uniform() < 0.28:
            self.teams[0] = _vary(rng, self.surface_rgb, 0.35)
        gap = rng.uniform(0.5, 3.5) if rng.uniform() < 0.2 else rng.normal(1.7, 0.35)
        self.hole_radius = self.disc_radius + max(gap, 0.5)
        self.depth = rng.uniform(2.5, 5) if rng.uniform() < 0.15 else rng.uniform(4.5, 11)
        self.state = int(rng.choice((HOLE_EMPTY, HOLE_DISC, HOLE_OTHER), p=_STATE_SHARES))
        if self.state == HOLE_EMPTY and rng.uniform() < 0.05:
            self.depth = rng.uniform(0, 3)  # a printed or shallow one
        self.is_through = rng.uniform() < 0.06
        if self.is_through:
            self.depth = rng.uniform(9, 20)
            self.state = HOLE_EMPTY if self.state == HOLE_DISC else self.state
        self._choose_light()
        self.discs: list[DrawnDisc] = []
        self._place_discs()
        self.fingers = self._place_hand() if rng.uniform() < 0.14 else []

    def _choose_light(self) -> None:
        rng = self.rng
        self.lamps = []
        for share in (1.0, 0.5, 0.25):
            azimuth, height = rng.uniform(0, 2 * math.pi), math.radians(rng.uniform(15, 88))
            way = np.append(_polar(math.cos(height), azimuth), math.sin(height))
            strength = rng.uniform(0.1, 1.8) * (rng.uniform() < share)
            tint = np.exp(rng.normal(0, 0.1, 3))
            soft_mm = math.exp(rng.uniform(math.log(0.4), math.log(10)))
            if strength > 0:
                self.lamps.append((way, strength * tint, soft_mm))
        self.ambient = rng.uniform(0.15, 1.0) * np.exp(rng.normal(0, 0.12, 3))
        self.bias = rng.normal(0, 0.25, 2)  # one side of the room is lighter
        self.shine = math.exp(rng.uniform(math.log(6), math.log(150)))

    def _make_disc(self, base: np.ndarray, spin: np.ndarray | None = None) -> DrawnDisc:
        rng = self.rng
        looks = {
            "round": rng.uniform(0.2, 2.5),
            "dish": rng.normal(0, 0.12) * (rng.uniform() < 0.7),
            "gloss": rng.uniform(0, 0.5) * (rng.uniform() < 0.5),
            "grain": rng.uniform(0, 1.2) * (rng.uniform() < 0.6),
            "wall": math.exp(rng.normal(0, 0.2)),
            "inlay": rng.uniform(0.2, 1) * (rng.uniform() < 0.25),
            "inlay_from": rng.uniform(0, 0.8),
            "inlay_wide": rng.uniform(0.05, 0.5),
            "pip": rng.uniform(0.06, 0.3) * (rng.uniform() < 0.15),
            "edge": rng.uniform(0.4, 1.8) if rng.uniform() < 0.3 else 1.0,
        }
        team = self.teams[rng.integers(2)]
        return DrawnDisc(
            base=base,
            spin=np.eye(3) if spin is None else spin,
            radius=self.disc_radius * (1 + rng.normal(0, 0.006)),
            height=self.disc_height,
            rgb=np.clip(team * np.exp(rng.normal(0, 0.08)), 0.004, 0.92),
            looks=looks,
        )

    def _place_discs(self) -> None:
        rng = self.rng
        radius, hole = self.disc_radius, self.hole_radius
        angle = rng.uniform(0, 2 * math.pi)
        places: list[np.ndarray] = []
        if self.state == HOLE_DISC:
            off = _polar((hole - radius) * rng.uniform(), angle)
            spin = _tilt(angle, rng.uniform(0, 0.05)) if rng.uniform() < 0.4 else None
            self.discs.append(self._make_disc(np.append(off, -self.depth), spin))
        elif self.state == HOLE_OTHER and rng.uniform() < 0.72:
            self.discs.append(self._make_disc(*self._pose_leaner(angle)))
        elif self.state == HOLE_OTHER:
            at = _polar(hole + rng.uniform(-0.1, _REACH - 0.05) * radius, angle)
            self.discs.append(self._make_disc(np.append(at, 0.0)))
            places.append(at)
        least = hole + radius * (_REACH + 0.05)
        if self.state == HOLE_DISC:
            least = hole + 1 + max(0.0, self.disc_height - self.depth > 0) * (radius - hole)
        for _ in range(rng.choice((0, 1, 2, 4), p=(0.4, 0.3, 0.2, 0.1))):
            at = _polar(rng.uniform(least, 75), rng.uniform(0, 2 * math.pi))
            if rng.uniform() < 0.25:  # in front of the hole, in the line of sight
                at = np.array([rng.normal(0, 14), -rng.uniform(least, 65)])
            over = [*places, *(disc.base[:2] for disc in self.discs)]
            if all(np.linalg.norm(at - other) > 2 * radius for other in over):
                self.discs.append(self._make_disc(np.append(at, 0.0)))
                places.append(at)

    def _pose_leaner(self, angle: float) -> tuple[np.ndarray, np.ndarray]:
        """A disc with its low edge in the hole and its underside on the hole's edge: usually the
        low edge rests on the floor, and the disc's middle is not beyond the hole's edge.
        """
        rng, radius, hole = self.rng, self.disc_radius, self.hole_radius
        tip = math.radians(rng.uniform(9, 38))
        low, sunk = -(hole - 1 - rng.uniform(0, 6)), rng.uniform(1, 8)
        if rng.uniform() < 0.75:
            for _ in range(20):
                tip, sunk = math.radians(rng.uniform(9, 38)), self.depth
                low = max(hole - sunk / math.tan(tip), -hole + 0.5)
                middle = low + radius * math.cos(tip) - self.disc_height / 2 * math.sin(tip)
                if middle < hole - 1:
                    break
        base = _polar(low + radius * math.cos(tip), angle)
        sunk = min(sunk, self.depth, 2 * radius * math.sin(tip))
        return np.append(base, radius * math.sin(tip) - sunk), _tilt(angle, tip)

    def _place_hand(self) -> list[tuple[np.ndarray, np.ndarray, float, np.ndarray]]:
        """Fingers and an arm: capsules."""
        rng = self.rng
        skin = _vary(rng, SKIN_RGB[rng.integers(len(SKIN_RGB))], 0.3)
        if rng.uniform() < 0.25:
            skin = rng.uniform(0.01, 0.8, 3)
        angle = rng.uniform(0, 2 * math.pi)
        tip = np.append(rng.normal(0, 22, 2), rng.uniform(6, 40))
        parts = []
        for k in range(rng.integers(1, 5)):
            end = tip + np.append(_polar(19.0 * k, angle + math.pi / 2), rng.uniform(-4, 10))
            start = end + np.append(_polar(rng.uniform(50, 90), angle + rng.normal(0, 0.2)), 20.0)
            parts.append((end, start, rng.uniform(6.5, 11), _vary(rng, skin, 0.06)))
        if rng.uniform() < 0.4:
            start = tip + np.append(_polar(40, angle), 35.0)
            end = start + np.append(_polar(150, angle), 60.0)
            parts.append((start, end, rng.uniform(20, 42), skin))
        return parts

    def cast(self, camera: HoleCamera, height: int, width: int) -> tuple[np.ndarray, float]:
        """The light (h, w, 3), and the visible share of the hole's mouth."""
        rays = camera.rays(height, width)
        seen, mouth = self._cast_ground(camera.centre, rays)
        for index, disc in enumerate(self.discs):
            self._cast_disc(seen, camera.centre, rays, disc, index)
        for finger in self.fingers:
            self._cast_finger(seen, camera.centre, rays, finger)
        own = seen.owner == _GROUND
        for index, disc in enumerate(self.discs):
            is_near = np.linalg.norm(disc.base[:2]) < self.hole_radius + disc.radius
            if is_near or disc.spin[2, 2] < 0.99:
                own |= seen.owner == index
        share = float((own & mouth).sum()) / max(int(mouth.sum()), 1)
        return self._shade(seen, rays), share

    def _cast_ground(self, centre: np.ndarray, rays: np.ndarray) -> tuple[Surface, np.ndarray]:
        rng = self.rng
        t = (-centre[2] / np.minimum(rays[..., 2], -1e-4)).astype(np.float32)
        xy = centre[:2].astype(np.float32) + t[..., None] * rays[..., :2]
        away = np.hypot(xy[..., 0], xy[..., 1])
        mouth = away < self.hole_radius
        shape = (*away.shape, 3)
        place = np.zeros(shape, np.float32)
        place[..., :2] = xy
        normal = np.zeros(shape, np.float32)
        normal[..., 2] = 1
        albedo = self._paint_surface(xy, away)
        ambient = np.ones(away.shape, np.float32)
        gloss = np.full(away.shape, rng.uniform(0, 0.4) * (rng.uniform() < 0.6), np.float32)
        # the rounded or bevelled edge, often bare or worn
        edge = rng.choice((0.0, 1.0), p=(0.2, 0.8)) * rng.uniform(0.2, 1.8)
        steep = rng.uniform(0.3, 0.95)
        if edge > 0:
            ring = (away >= self.hole_radius) & (away < self.hole_radius + edge)
            down = ((self.hole_radius + edge - away[ring]) / edge) * steep
            if rng.uniform() < 0.5:
                down = np.full_like(down, steep * 0.8)
            normal[ring, :2] = -xy[ring] / away[ring][:, None] * down[:, None]
            normal[ring, 2] = np.sqrt(1 - down**2)
            if rng.uniform() < 0.45:
                bare = SURFACE_RGB[rng.integers(4)] if rng.uniform() < 0.7 else _any_rgb(rng)
                albedo[ring] = _vary(rng, bare, 0.2)
            gloss[ring] = rng.uniform(0, 0.7)
        self._cast_hole(centre, rays, mouth, place, normal, albedo, ambient, gloss)
        surface = Surface(
            place=place, normal=normal, albedo=albedo, ambient=ambient, gloss=gloss,
            owner=np.full(away.shape, _GROUND), depth=t.copy(),
        )  # fmt: skip
        return surface, mouth

    def _paint_surface(self, xy: np.ndarray, away: np.ndarray) -> np.ndarray:
        rng, drawer = self.rng, self.drawer
        wood = drawer.woods[rng.integers(len(drawer.woods))]
        grain = _look_up(wood, xy, rng, math.exp(rng.uniform(math.log(90), math.log(350))))
        contrast = math.exp(rng.normal(-0.1, 0.6))
        albedo = self.surface_rgb.astype(np.float32) * np.power(np.maximum(grain, 1e-3), contrast)
        if rng.uniform() < 0.7:
            marks = drawer.marks[rng.integers(len(drawer.marks))]
            turn = rng.uniform(0, 2 * math.pi)
            got = _look_up(marks, xy, rng, _MARK_MM, turn=turn, shift=False, folds=False)
            ink = _any_rgb(rng) if rng.uniform() < 0.4 else rng.uniform(0.01, 0.06, 3)
            if self.surface_rgb.mean() < 0.12 and rng.uniform() < 0.8:
                ink = rng.uniform(0.3, 0.8, 3)
            cover = got[..., None] * rng.uniform(0.3, 1)
            albedo = albedo * (1 - cover) + ink.astype(np.float32) * cover
        if rng.uniform() < 0.3:
            wide, start = rng.uniform(0.6, 6), rng.uniform(0, 2) * (rng.uniform() < 0.5)
            off = np.abs(away - self.hole_radius - start - wide / 2)
            cover = _soft_step(wide / 2 - off, 0.5)[..., None] * rng.uniform(0.3, 1)
            tone = _any_rgb(rng) if rng.uniform() < 0.6 else self.surface_rgb * rng.uniform(0.3, 1)
            albedo = albedo * (1 - cover) + tone.astype(np.float32) * cover
        return np.asarray(albedo, np.float32)

    def _floor_rgb(self) -> tuple[np.ndarray, float]:
        """The floor's colour, and how much of the wood's grain it shows."""
        rng = self.rng
        if self.is_through:
            return rng.uniform(0.01, 0.6, 3), 1.0
        kind = rng.choice(4, p=(0.26, 0.1, 0.34, 0.3))
        if kind == 0:
            return self.surface_rgb * math.exp(rng.normal(-0.15, 0.35)), 1.5
        if kind == 1:
            return _vary(rng, SURFACE_RGB[rng.integers(len(SURFACE_RGB))], 0.3), 1.5
        if kind == 2:  # felt, cloth or paint
            return _any_rgb(rng), 0.4
        return _vary(rng, self.teams[rng.integers(2)], 0.15), rng.uniform(0, 1.5)

    def _cast_hole(
        self, centre: np.ndarray, rays: np.ndarray, mouth: np.ndarray, place: np.ndarray,
        normal: np.ndarray, albedo: np.ndarray, ambient: np.ndarray, gloss: np.ndarray,
    ) -> None:  # fmt: skip
        """Write wall and floor where rays enter the mouth."""
        if not mouth.any():
            return
        rng, drawer, hole, depth = self.rng, self.drawer, self.hole_radius, max(self.depth, 0.05)
        d = rays[mouth]
        t = (-depth - centre[2]) / d[:, 2]
        at = (centre + t[:, None] * d).astype(np.float32)
        away = np.hypot(at[:, 0], at[:, 1])
        on_floor = away < hole
        rgb, grain = self._floor_rgb()
        tone = np.broadcast_to(rgb.astype(np.float32), at.shape)
        wood = drawer.woods[rng.integers(len(drawer.woods))]
        lines = _look_up(wood, at[:, :2], rng, math.exp(rng.uniform(math.log(60), math.log(300))))
        tone = tone * np.power(np.maximum(lines, 1e-3), grain)
        if rng.uniform() < 0.6:
            felt = drawer.floors[rng.integers(len(drawer.floors))]
            weave = _look_up(felt, at[:, :2], rng, _FLOOR_MM * math.exp(rng.uniform(-0.6, 0.6)))
            tone = tone * np.exp(weave * rng.uniform(0.03, 0.45))[:, None]
        if rng.uniform() < 0.12:  # turned rings and the drill's point
            tone = tone * (1 + 0.1 * np.sin(away * rng.uniform(1.5, 5)))[:, None]
        if rng.uniform() < 0.15:
            mark = rng.uniform(0.06, 0.75) * hole
            is_marked = away < mark if rng.uniform() < 0.6 else np.abs(away - mark) < 1.5
            tone = np.where(is_marked[:, None], _any_rgb(rng), tone)
        if rng.uniform() < 0.1:  # a print
            got = _look_up(drawer.marks[rng.integers(len(drawer.marks))], at[:, :2] + 22, rng, 70)
            tone = tone * (1 - got[:, None]) + _any_rgb(rng) * got[:, None]
        if rng.uniform() < 0.03:  # a felt or paper cut smaller than the hole
            inside = hole - rng.uniform(0.4, 2.5)
            off = _polar(rng.uniform(0, hole - inside), rng.uniform(0, 2 * math.pi))
            beyond = np.hypot(at[:, 0] - off[0], at[:, 1] - off[1]) > inside
            tone = np.where(beyond[:, None], self.surface_rgb * rng.uniform(0.1, 1.0), tone)
        # the wall
        a = (d[:, :2] ** 2).sum(1)
        b = d[:, :2] @ centre[:2]
        c = float(centre[:2] @ centre[:2]) - hole**2
        t_wall = (-b + np.sqrt(np.maximum(b * b - a * c, 0))) / np.maximum(a, 1e-9)
        on_wall = (centre + t_wall[:, None] * d).astype(np.float32)
        is_same = rng.uniform() < 0.65
        wall = self.surface_rgb * rng.uniform(0.4, 1.2) if is_same else rgb * rng.uniform(0.4, 1.2)
        if rng.uniform() < 0.12:
            wall = _any_rgb(rng)
        bands = 1 + 0.25 * np.sin(on_wall[:, 2] * rng.uniform(1, 5)) * (rng.uniform() < 0.25)
        wall_tone = wall[None] * bands[:, None]
        inward = np.zeros_like(on_wall)
        inward[:, :2] = -on_wall[:, :2] / hole
        # the room's light: less in the corner, less deep down
        corner = np.exp(-(hole - away) / (0.35 * depth + 0.1))
        dim = rng.uniform(0.25, 0.6)
        lit_floor = (1 - dim * corner) / (1 + 0.7 * (depth / hole) ** 2)
        share = np.clip(-on_wall[:, 2] / depth, 0, 1)
        lit_wall = rng.uniform(0.5, 0.8) * (1 - 0.5 * share)
        if self.is_through:
            lit_floor = lit_floor * rng.uniform(0.03, 0.5)
        if any(disc.base[2] < -1 and disc.spin[2, 2] > 0.99 for disc in self.discs):
            gap = rng.uniform(0.05, 0.5)
            lit_floor, lit_wall = lit_floor * gap, lit_wall * (gap + (1 - gap) * (1 - share) ** 3)
        floor3 = on_floor[:, None]
        place[mouth] = np.where(floor3, at, on_wall)
        normal[mouth] = np.where(floor3, np.array([0, 0, 1], np.float32), inward)
        albedo[mouth] = np.where(floor3, tone, wall_tone)
        ambient[mouth] = np.where(on_floor, lit_floor, lit_wall)
        gloss[mouth] = rng.uniform(0, 0.3) * (rng.uniform() < 0.3)

    def _cast_disc(
        self, seen: Surface, centre: np.ndarray, rays: np.ndarray, disc: DrawnDisc, index: int
    ) -> None:
        rng, looks = self.rng, disc.looks
        spin = disc.spin.astype(np.float32)
        o = ((centre - disc.base) @ disc.spin).astype(np.float32)
        d = rays @ spin
        a = np.maximum(d[..., 0] ** 2 + d[..., 1] ** 2, 1e-9)
        b = o[0] * d[..., 0] + o[1] * d[..., 1]
        square = b * b - a * (o[0] ** 2 + o[1] ** 2 - disc.radius**2)
        wall = (-b - np.sqrt(np.maximum(square, 0))) / a
        z = o[2] + wall * d[..., 2]
        on_wall = (square > 0) & (z >= 0) & (z <= disc.height)
        cap = (disc.height - o[2]) / d[..., 2]
        x, y = o[0] + cap * d[..., 0], o[1] + cap * d[..., 1]
        on_cap = (x * x + y * y <= disc.radius**2) & (cap > 0)
        t = np.where(on_cap, cap, wall)
        hit = (on_cap | on_wall) & (t < self._depth_limit(seen, disc))
        if not hit.any():
            return
        local = o + t[hit][:, None] * d[hit]
        cap_hit = on_cap[hit]
        rho = np.hypot(local[:, 0], local[:, 1])
        share = rho / disc.radius
        radial = np.zeros_like(local)
        radial[:, :2] = local[:, :2] / np.maximum(rho, 1e-3)[:, None]
        past = np.clip((rho - disc.radius + looks["round"]) / looks["round"], 0, 1)
        below = np.clip((disc.height - local[:, 2]) / looks["round"], 0, 1)
        bend = np.where(cap_hit, 0.7 * past, 1 - 0.3 * (1 - below))[:, None]
        normal = radial * (bend + looks["dish"] * share[:, None] * cap_hit[:, None])
        normal[:, 2] += (1 - bend[:, 0]) + 1e-3
        normal /= np.linalg.norm(normal, axis=1, keepdims=True)
        wood = self.drawer.woods[rng.integers(len(self.drawer.woods))]
        grain = 1 + looks["grain"] * (_look_up(wood, local[:, :2], rng, 60.0) - 1)
        tone = disc.rgb.astype(np.float32) * np.maximum(grain, 0.05)
        inlaid = (share > looks["inlay_from"]) & (share < looks["inlay_from"] + looks["inlay_wide"])
        cover = (inlaid & cap_hit)[:, None] * looks["inlay"]
        tone = tone * (1 - cover) + _any_rgb(rng) * cover
        if looks["pip"]:
            tone = np.where((cap_hit & (share < looks["pip"]))[:, None], tone * 0.3, tone)
        tone = np.where(cap_hit[:, None], tone, tone * looks["wall"])
        tone = tone * np.where(past > 0.2, looks["edge"], 1.0)[:, None]
        place = local @ spin.T + disc.base.astype(np.float32)
        ambient = np.where(cap_hit, 1.0, 0.6 + 0.4 * local[:, 2] / disc.height)
        sunk = np.clip(-place[:, 2] / 6, 0, 1)
        seen.place[hit], seen.normal[hit], seen.albedo[hit] = place, normal @ spin.T, tone
        seen.ambient[hit] = ambient * (1 - 0.5 * sunk)
        seen.gloss[hit] = looks["gloss"]
        seen.owner[hit] = index
        seen.depth[hit] = t[hit]

    def _depth_limit(self, seen: Surface, disc: DrawnDisc) -> np.ndarray:
        """The distance along its ray (h, w) up to which a disc is visible: to objects already in
        front, and below the surface only through the hole's mouth.
        """
        if disc.base[2] >= 0 and disc.spin[2, 2] > 0.99:
            return seen.depth
        mouth = np.hypot(seen.place[..., 0], seen.place[..., 1]) <= self.hole_radius + 0.01
        mouth &= seen.owner == _GROUND
        return np.where(mouth, np.float32(1e9), seen.depth)

    def _cast_finger(
        self,
        seen: Surface,
        centre: np.ndarray,
        rays: np.ndarray,
        finger: tuple[np.ndarray, np.ndarray, float, np.ndarray],
    ) -> None:
        """A capsule, as spheres along a segment would cover it."""
        one, two, radius, rgb = finger
        ba, oa = two - one, centre - one
        bard, rdoa = rays @ ba, rays @ oa
        dd = (rays**2).sum(-1)
        baba, baoa, oaoa = float(ba @ ba), float(ba @ oa), float(oa @ oa)
        a = np.maximum(baba * dd - bard**2, 1e-6)
        b = baba * rdoa - baoa * bard
        c = baba * oaoa - baoa**2 - radius**2 * baba
        square = b * b - a * c
        t = (-b - np.sqrt(np.maximum(square, 0))) / a
        y = baoa + t * bard
        body = (square > 0) & (y > 0) & (y < baba)
        end = np.where((y <= 0)[..., None], one, two)
        oc = centre - end
        b2, c2 = (rays * oc).sum(-1), (oc * oc).sum(-1) - radius**2
        square2 = b2 * b2 - dd * c2
        t = np.where(body, t, (-b2 - np.sqrt(np.maximum(square2, 0))) / dd)
        z = centre[2] + t * rays[..., 2]
        hit = (body | (square2 > 0)) & (t > 0) & (z > 0)
        hit &= (t < seen.depth) | (seen.place[..., 2] < 0)
        at = centre + t[hit][:, None] * rays[hit]
        share = np.clip((at - one) @ ba / baba, 0, 1)
        seen.place[hit] = at
        seen.normal[hit] = (at - one - share[:, None] * ba) / radius
        seen.albedo[hit] = rgb
        seen.ambient[hit], seen.gloss[hit], seen.owner[hit] = 0.8, 0.05, _HAND
        seen.depth[hit] = t[hit]

    def _shade(self, seen: Surface, rays: np.ndarray) -> np.ndarray:
        rng = self.rng
        x, y, z = (seen.place[..., k] for k in range(3))
        up = seen.normal[..., 2]
        room = 0.6 + 0.4 * np.clip(up, -1, 1)
        room *= 1 + seen.normal[..., :2] @ self.bias.astype(np.float32)
        room *= seen.ambient
        contact = rng.uniform(0, 0.5)
        below = np.maximum(-z, 0)
        for index, disc in enumerate(self.discs):
            off = np.hypot(x - disc.base[0], y - disc.base[1]) - disc.radius
            near = np.exp(-np.maximum(off, 0) / 5) * (seen.owner != index) * (z <= disc.top[2])
            room = room * (1 - contact * near)
        total = self.ambient.astype(np.float32) * np.maximum(room, 0.02)[..., None]
        ahead = rays / np.sqrt(np.einsum("ijk,ijk->ij", rays, rays))[..., None]
        glint = np.zeros_like(total)
        for way, rgb, soft in self.lamps:
            slope = way[:2] / way[2]
            cosine = np.maximum(seen.normal @ way.astype(np.float32), 0)
            out = np.hypot(x + slope[0] * below, y + slope[1] * below)
            blur = max(0.15, soft * self.depth / 12)
            open_ = np.where(below > 0.02, _soft_step(self.hole_radius - out, blur), 1.0)
            for index, disc in enumerate(self.discs):
                shadow = _cast_shadow(seen.place, (disc.base, disc.top), disc.radius, slope, soft)
                open_ = np.where(seen.owner != index, np.minimum(open_, shadow), open_)
            for one, two, radius, _ in self.fingers:
                shadow = _cast_shadow(seen.place, (one, two), radius, slope, 3 * soft)
                open_ = np.where(seen.owner != _HAND, np.minimum(open_, shadow), open_)
            lit = (cosine * open_)[..., None]
            total = total + rgb.astype(np.float32) * lit
            half = way.astype(np.float32) - ahead
            half *= 1 / np.sqrt(np.einsum("ijk,ijk->ij", half, half))[..., None]
            shine = np.maximum(np.einsum("ijk,ijk->ij", half, seen.normal), 0)
            shine = np.power(shine, np.float32(self.shine)) * open_ * seen.gloss
            glint = glint + shine[..., None] * rgb.astype(np.float32)
        light = seen.albedo * total + glint
        if rng.uniform() < 0.2:  # a window in the varnish
            at, size = rng.normal(0, 35, 2), np.exp(rng.uniform(math.log(8), math.log(60), 2))
            far = ((x - at[0]) / size[0]) ** 2 + ((y - at[1]) / size[1]) ** 2
            gain = rng.uniform(0.05, 1.2) ** 2 * (1 if rng.uniform() < 0.4 else seen.gloss + 0.1)
            light = light + (gain * np.exp(-(far**2)) * (z > -0.5))[..., None]
        if rng.uniform() < 0.15:  # a shadow's edge across
            turn = rng.uniform(0, 2 * math.pi)
            past = x * math.cos(turn) + y * math.sin(turn) - rng.uniform(-30, 30)
            dark = _soft_step(past, math.exp(rng.uniform(0, 4))) * rng.uniform(0.2, 0.8)
            light = light * (1 - dark)[..., None]
        return np.asarray(light, np.float32)


def _cast_shadow(
    place: np.ndarray,
    ends: tuple[np.ndarray, np.ndarray],
    radius: float,
    slope: np.ndarray,
    soft: float,
) -> np.ndarray:
    """A lamp's light (h, w) that passes a cylinder between its ends, at places (h, w, 3)."""
    base, top = (end.astype(np.float32) for end in ends)
    if top[2] < base[2]:
        base, top = top, base
    tilt, lean = slope.astype(np.float32), top - base
    z = place[..., 2]
    high = np.maximum(top[2] - z, 0)
    low = np.maximum(base[2] - z, 0)
    share = np.clip((z - base[2]) / max(float(lean[2]), 1e-3), 0, 1)
    start = [base[k] + share * lean[k] - low * tilt[k] for k in (0, 1)]
    along = [top[k] - high * tilt[k] - start[k] for k in (0, 1)]
    rel = [place[..., k] - start[k] for k in (0, 1)]
    length = np.maximum(along[0] ** 2 + along[1] ** 2, 1e-4)
    at = np.clip((rel[0] * along[0] + rel[1] * along[1]) / length, 0, 1)
    off = np.hypot(rel[0] - at * along[0], rel[1] - at * along[1]) - radius
    width = np.maximum(0.3, soft * (0.2 + high / 10))
    return np.where(high > 0.05, np.clip(off / width + 0.5, 0, 1), 1.0).astype(np.float32)


def _look_up(
    texture: np.ndarray,
    xy: np.ndarray,
    rng: Rng,
    span_mm: float,
    *,
    turn: float | None = None,
    shift: bool = True,
    folds: bool = True,
) -> np.ndarray:
    """A texture's values at places (..., 2), turned and shifted at random."""
    side = texture.shape[0]
    angle = rng.uniform(0, 2 * math.pi) if turn is None else turn
    c, s = math.cos(angle) * side / span_mm, math.sin(angle) * side / span_mm
    off = rng.uniform(0.2 * side, 0.8 * side, 2) if shift else np.full(2, side / 2)
    flat = xy.reshape(-1, 2).astype(np.float32)
    u = (c * flat[:, 0] - s * flat[:, 1] + off[0]).astype(np.float32)
    v = (s * flat[:, 0] + c * flat[:, 1] + off[1]).astype(np.float32)
    border = cv2.BORDER_REFLECT_101 if folds else cv2.BORDER_CONSTANT
    # OpenCV's maps are limited to 32767 columns: one row of pixels is folded into several
    wide = 1024
    rows = -(-len(u) // wide)
    pad = rows * wide - len(u)
    u, v = (np.pad(values, (0, pad)).reshape(rows, wide) for values in (u, v))
    got = cv2.remap(texture, u, v, cv2.INTER_LINEAR, borderMode=border)
    got = got.reshape(rows * wide, -1)[: len(flat)]
    return np.asarray(
        got.reshape(*xy.shape[:-1], -1) if texture.ndim == 3 else got.reshape(xy.shape[:-1])
    )


def _draw_marks(rng: Rng) -> np.ndarray:
    """Cover (s, s) of prints around a hole: digits, lines, arcs, blots."""
    tile = np.zeros((_TILE_PX, _TILE_PX), np.uint8)
    middle = _TILE_PX / 2
    if rng.uniform() < 0.7:
        word, count = _WORDS[rng.integers(len(_WORDS))], int(rng.choice((1, 2, 4, 4, 4, 8)))
        font, scale = int(rng.choice((0, 2, 3, 4, 6, 7))), rng.uniform(0.25, 0.7)
        thick, away = int(rng.integers(1, 4)), rng.uniform(28, 42) * _TILE_PX / _MARK_MM
        faces_in = rng.uniform() < 0.7
        for k in range(count):
            one = np.zeros_like(tile)
            (wide, high), _ = cv2.getTextSize(word, font, scale, thick)
            at = (int(middle - wide / 2), int(middle - away + high / 2))
            cv2.putText(one, word, at, font, scale, 255, thick, cv2.LINE_AA)
            if faces_in or count == 1:
                spin = cv2.getRotationMatrix2D((middle, middle), 360 * k / count, 1)
                one = cv2.warpAffine(one, spin, tile.shape)
            tile = np.maximum(tile, one)
    for _ in range(rng.integers(0, 3)):
        at = rng.normal(middle, 45, 2).astype(int).tolist()
        size = int(rng.uniform(4, 40))
        fill = -1 if rng.uniform() < 0.4 else int(rng.integers(1, 3))
        cv2.circle(tile, at, size, int(rng.uniform(60, 255)), fill, cv2.LINE_AA)
    for _ in range(rng.integers(0, 3)):
        one, two = (rng.uniform(0, _TILE_PX, 2).astype(int).tolist() for _ in range(2))
        cv2.line(tile, one, two, int(rng.uniform(60, 255)), int(rng.integers(1, 4)), cv2.LINE_AA)
    return tile.astype(np.float32) / 255


def _draw_floor(rng: Rng) -> np.ndarray:
    """Felt, cloth, worn paint or dust: log of the brightness (s, s), about zero, unit spread."""
    kind = rng.integers(4)
    noise = rng.normal(0, 1, (_TILE_PX, _TILE_PX)).astype(np.float32)
    if kind == 0:  # fuzz
        tile = cv2.GaussianBlur(noise, (0, 0), float(rng.uniform(0.7, 3)))
    elif kind == 1:  # woven or corded cloth
        y, x = np.mgrid[:_TILE_PX, :_TILE_PX].astype(np.float32)
        pitch = rng.uniform(2.5, 8)
        tile = np.sin(2 * np.pi * x / pitch) + (rng.uniform() < 0.5) * np.sin(2 * np.pi * y / pitch)
        tile = tile + cv2.GaussianBlur(noise, (0, 0), 1.5) * 2
    elif kind == 2:  # blotches
        tile = cv2.GaussianBlur(noise, (0, 0), float(rng.uniform(6, 20)))
    else:  # fibres, and specks of dust
        tile = cv2.GaussianBlur(noise, (0, 0), float(rng.uniform(0.6, 1.2)), sigmaY=6)
        tile = tile / tile.std() + 3 * (noise > 2.8)
    return np.asarray((tile - tile.mean()) / max(float(tile.std()), 1e-6), np.float32)


def _develop(rng: Rng, light: np.ndarray, shrink: int) -> np.ndarray:
    """``light`` (h, w, 3) → a picture (h', w', 3) uint8 RGB."""
    mean = float(np.minimum(light, 2).mean())
    target = math.exp(rng.uniform(math.log(0.05), math.log(0.5)))
    gain = target / max(mean, 1e-3)
    balance = np.exp(0.12 * rng.normal(0, 1, 3)) if rng.uniform() < 0.7 else np.ones(3)
    image = light * (gain * balance).astype(np.float32)
    knee = rng.uniform(0.7, 0.999)
    bright = image > knee
    image[bright] = knee + (1 - knee) * np.tanh((image[bright] - knee) / (1.001 - knee))
    grey = image.mean(-1, keepdims=True)
    colour = max(0.0, 1 + rng.normal(0, 0.25)) if rng.uniform() > 0.03 else 0.05
    image = np.clip(grey + colour * (image - grey), 0, 1) ** np.float32(1 / 2.2)
    if rng.uniform() < 0.3:  # a tone curve of its own
        image = image ** np.float32(math.exp(rng.normal(0, 0.2)))
    soft = shrink * (0.3 + 0.9 * rng.uniform() ** 2)
    if rng.uniform() < 0.25:
        soft += rng.uniform(0, 2.5) * _FINEST
    stretch = math.exp(rng.normal(0, 0.3)) if rng.uniform() < 0.3 else 1.0
    image = cv2.GaussianBlur(image, (0, 0), soft, sigmaY=soft * stretch)
    if shrink > 1:
        size = (image.shape[1] // shrink, image.shape[0] // shrink)
        image = cv2.resize(image, size, interpolation=cv2.INTER_AREA)
    noise = math.exp(rng.uniform(-6.5, -3.3))
    grain = rng.normal(0, noise, image.shape).astype(np.float32)
    if rng.uniform() < 0.5:
        grain = cv2.blur(grain, (3, 3)) * 2
    image = image + grain
    if rng.uniform() < 0.4:
        image = image + rng.uniform(0, 1.5) * (image - cv2.GaussianBlur(image, (0, 0), 1.0))
    photo = np.rint(np.clip(image, 0, 1) * 255).astype(np.uint8)
    if rng.uniform() < 0.8:
        quality = int(100 - math.exp(rng.uniform(math.log(3), math.log(80))))
        code = cv2.imencode(".jpg", photo[..., ::-1], [cv2.IMWRITE_JPEG_QUALITY, quality])[1]
        photo = np.asarray(cv2.imdecode(code, cv2.IMREAD_COLOR))[..., ::-1]
    return np.ascontiguousarray(photo)


def main() -> None:
    """Draw a sheet of holes: E empty, 2 a disc in it, L another disc over it, H hidden."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--columns", type=int, default=8)
    parser.add_argument("--rows", type=int, default=8)
    args = parser.parse_args()
    drawer, rng = HoleDrawer(args.seed, 12), np.random.default_rng(args.seed)
    tiles = []
    for _ in range(args.columns * args.rows):
        sample = drawer.draw(rng)
        pair = np.hstack([sample.planes[k : k + 3].transpose(1, 2, 0) for k in (0, 3)])
        tile = cv2.resize(pair[..., ::-1], None, fx=1.5, fy=1.5)
        cv2.putText(tile, "E2LH"[sample.state], (3, 14), 0, 0.5, (0, 255, 255), 1)
        tiles.append(tile)
    rows = [tiles[k : k + args.columns] for k in range(0, len(tiles), args.columns)]
    cv2.imwrite(args.out, np.vstack([np.hstack(row) for row in rows]))


if __name__ == "__main__":
    main()
