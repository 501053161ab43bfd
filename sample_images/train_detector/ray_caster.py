"""Scenes become photos in linear light, with one ray per pixel on torch's device.

The board is analytic (planes, a cavity for the hole, ditch and rail). Discs, posts and cups are
cylinders in any attitude, hands are capsules, phones and papers boxes. Discs are rendered in their
own patches of pixels and composited by depth. Shadows are distances to segments, kept in two maps
over the board; lamps' reflections are shapes around mirrored rays.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn import functional

from sample_images.train_detector.scenes import DISC_SLOTS, FLAT_SLOTS, HOLE_SLOT, LEAN_SLOT, POSTS

Scene = dict[str, Tensor]
#: Pixels of a shadow map.
_SHADOW_PX = 224
_FAR = 1e6


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class TextureBank:
    """Textures on the device, float16, 0 to 1 (woods: 1 is the surface's own colour)."""

    woods: Tensor
    clutters: Tensor
    prints: Tensor


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class DrawnCamera:
    """A pinhole without roll above -y; the columns of ``axes`` are right, down and ahead.

    centre_mm (b, 3), axes (b, 3, 3), focal_px (b, 2), middle_px (b, 2)
    """

    centre_mm: Tensor
    axes: Tensor
    focal_px: Tensor
    middle_px: Tensor

    def project(self, points_mm: Tensor) -> Tensor:
        """Pixels (b, ..., 2) of points (b, ..., 3)."""
        shape = points_mm.shape
        away = points_mm.reshape(shape[0], -1, 3) - self.centre_mm[:, None]
        x, y, z = (away @ self.axes).unbind(-1)
        z = z.clamp(min=1.0)
        px = torch.stack([x / z, y / z], -1) * self.focal_px[:, None] + self.middle_px[:, None]
        return px.reshape(*shape[:-1], 2)

    def rays(self, height: int, width: int) -> Tensor:
        """Directions (b, h, w, 3), one long along the axis."""
        device = self.centre_mm.device
        y, x = torch.meshgrid(
            torch.arange(height, device=device).float(),
            torch.arange(width, device=device).float(),
            indexing="ij",
        )
        px = torch.stack([x, y], -1)[None]
        uv = (px - self.middle_px[:, None, None]) / self.focal_px[:, None, None]
        local = torch.cat([uv, torch.ones_like(uv[..., :1])], -1)
        return local @ self.axes.transpose(1, 2)[:, None]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class CastScenes:
    """The rays' result: light (b, h, w, 3), and the labels.

    is_object       (b, h, w): a hand, a cup, a phone, or a disc in a hand or tipped
    disc_visible    (b, FLAT_SLOTS) visible share of a disc's pixels
    hole_visible    (b,) share of the hole's mouth that shows the hole, or a disc in it
    """

    light: Tensor
    is_object: Tensor
    disc_visible: Tensor
    hole_visible: Tensor


def aim_camera(s: Scene, height: int, width: int, reach_mm: float = 352.0) -> DrawnCamera:
    """A camera whose canvas contains the disc of ``reach_mm`` around the middle, stretched upwards
    as finer pixels would.
    """
    tilt, away = s["tilt_rad"], s["camera_mm"]
    zero = torch.zeros_like(tilt)
    sin, cos = torch.sin(tilt), torch.cos(tilt)
    centre = torch.stack([zero, -away * sin, away * cos], -1)
    right = torch.stack([zero + 1, zero, zero], -1)
    ahead = torch.stack([zero, sin, -cos], -1)
    down = torch.linalg.cross(ahead, right)
    axes = torch.stack([right, down, ahead], -1)
    turn = torch.linspace(0, 2 * torch.pi, 65, device=tilt.device)[:-1]
    ring = reach_mm * torch.stack([turn.cos(), turn.sin(), 0 * turn], -1)
    one = torch.ones(len(tilt), 2, device=tilt.device)
    plain = DrawnCamera(centre_mm=centre, axes=axes, focal_px=one, middle_px=0 * one)
    seen = plain.project(ring.expand(len(tilt), -1, -1))
    low, high = seen.amin(1), seen.amax(1)
    span = high - low
    size = torch.tensor([width, height], device=tilt.device) * s["fill"][:, None]
    across = torch.minimum(size[:, 0] / span[:, 0], size[:, 1] / span[:, 1])
    tallest = torch.minimum(size[:, 1] / span[:, 1], across * 0.6 / cos.clamp(max=0.6))
    up = across + (tallest - across).clamp(min=0) * s["stretch"]
    focal = torch.stack([across, up], -1)
    middle = torch.tensor([width / 2, height / 2], device=tilt.device) - focal * (low + high) / 2
    return DrawnCamera(
        centre_mm=centre,
        axes=axes,
        focal_px=focal,
        middle_px=middle + s["shift"] * torch.tensor([width, height], device=tilt.device),
    )


def _b(value: Tensor, dims: int) -> Tensor:
    """(b, ...) with ``dims`` ones after the first axis."""
    return value.reshape(value.shape[0], *([1] * dims), *value.shape[1:])


def _texture(bank: Tensor, index: Tensor, place: Tensor) -> Tensor:
    """Texture ``index`` (b,) at ``place`` (b, h, w, 2), -1 to 1 per side and mirrored beyond."""
    chosen = bank[index % len(bank)]
    # reflection by hand: grid_sample's own is slow for far places
    folded = 1 - (torch.remainder(place + 1, 4) - 2).abs()
    return functional.grid_sample(chosen.float(), folded, align_corners=True).permute(0, 2, 3, 1)


def _rotate(xy: Tensor, turn: Tensor) -> Tensor:
    c, s = _b(turn.cos(), xy.dim() - 2), _b(turn.sin(), xy.dim() - 2)
    x, y = xy.unbind(-1)
    return torch.stack([c * x - s * y, s * x + c * y], -1)


def _segment_distance(at: Tensor, start: Tensor, end: Tensor) -> Tensor:
    """Distance of places (b, h, w, 2) to segments (b, 2), (b, 2)."""
    along = _b(end - start, 2)
    rel = at - _b(start, 2)
    share = ((rel * along).sum(-1) / (along * along).sum(-1).clamp(min=1e-3)).clamp(0, 1)
    return (rel - share[..., None] * along).norm(dim=-1)


def _cylinder(
    o: Tensor, d: Tensor, radius: Tensor, low: Tensor | float, high: Tensor
) -> tuple[Tensor, Tensor, Tensor]:
    """First intersections of rays with upright cylinders: t (far: none), z, and whether on a
    cap.
    """
    a = (d[..., :2] ** 2).sum(-1).clamp(min=1e-9)
    b = (o[..., :2] * d[..., :2]).sum(-1)
    c = (o[..., :2] ** 2).sum(-1) - radius**2
    square = b * b - a * c
    wall = (-b - square.clamp(min=0).sqrt()) / a
    z = o[..., 2] + wall * d[..., 2]
    on_wall = (square > 0) & (wall > 0) & (z >= low) & (z <= high)
    dz = torch.where(d[..., 2].abs() < 1e-6, torch.full_like(z, -1e-6), d[..., 2])
    cap_z = torch.where(dz < 0, high + torch.zeros_like(z), low + torch.zeros_like(z))
    cap = (cap_z - o[..., 2]) / dz
    place = o[..., :2] + cap[..., None] * d[..., :2]
    on_cap = (cap > 0) & ((place**2).sum(-1) <= radius**2)
    far = torch.full_like(z, _FAR)
    t = torch.where(on_cap, cap, torch.where(on_wall, wall, far))
    return t, torch.where(on_cap, cap_z, z), on_cap


def _capsule(
    o: Tensor, d: Tensor, start: Tensor, end: Tensor, radius: Tensor
) -> tuple[Tensor, Tensor]:
    """Intersections of rays o (b, 1, 1, 3), d (b, h, w, 3) with capsules: t and normals."""
    start, end, r = _b(start, 2), _b(end, 2), _b(radius, 2)
    ba, oa = end - start, o - start
    baba, bard, baoa = (ba * ba).sum(-1), (ba * d).sum(-1), (ba * oa).sum(-1)
    rdoa, oaoa, dd = (d * oa).sum(-1), (oa * oa).sum(-1), (d * d).sum(-1)
    a = (baba * dd - bard * bard).clamp(min=1e-6)
    b = baba * rdoa - baoa * bard
    c = baba * oaoa - baoa * baoa - r * r * baba
    h = b * b - a * c
    t = (-b - h.clamp(min=0).sqrt()) / a
    y = baoa + t * bard
    body = (h > 0) & (y > 0) & (y < baba)
    oc = torch.where((y <= 0)[..., None], oa, o - end)
    b2, c2 = (d * oc).sum(-1), (oc * oc).sum(-1) - r * r
    h2 = b2 * b2 - dd * c2
    t2 = (-b2 - h2.clamp(min=0).sqrt()) / dd
    t = torch.where(body, t, torch.where((h2 > 0) & ~body, t2, torch.full_like(t, _FAR)))
    t = torch.where(t > 0, t, torch.full_like(t, _FAR))
    hit = o + t[..., None] * d
    share = (((hit - start) * ba).sum(-1) / baba).clamp(0, 1)
    return t, (hit - start - share[..., None] * ba) / r[..., None]


def _box(
    o: Tensor, d: Tensor, at: Tensor, half: Tensor, turn: Tensor
) -> tuple[Tensor, Tensor, Tensor]:
    """Intersections of rays with boxes on the board: t, normals, and the place on them, -1 to 1."""
    rel, d2 = o - _b(at, 2), d
    rel = torch.cat([_rotate(rel[..., :2], -turn), rel[..., 2:]], -1)
    d2 = torch.cat([_rotate(d[..., :2], -turn), d[..., 2:]], -1)
    inv = 1 / torch.where(d2.abs() < 1e-6, torch.full_like(d2, 1e-6), d2)
    mid, span = -rel * inv, _b(half, 2) * inv.abs()
    near, far = (mid - span).amax(-1), (mid + span).amin(-1)
    ok = (near < far) & (near > 0)
    axis = (mid - span).argmax(-1)
    normal = functional.one_hot(axis, 3).float() * -torch.sign(d2)
    normal = torch.cat([_rotate(normal[..., :2], turn), normal[..., 2:]], -1)
    t = torch.where(ok, near, torch.full_like(near, _FAR))
    place = (rel + t[..., None] * d2) / _b(half, 2)
    return t, normal, place[..., :2] + place[..., 2:] * 0.3


class _Lighting:
    """The lamps of a batch, and the maps of their shadows."""

    def __init__(self, s: Scene, reach_mm: float) -> None:
        self.s, self.reach_mm = s, reach_mm
        device = s["turn"].device
        line = torch.linspace(-reach_mm, reach_mm, _SHADOW_PX, device=device)
        y, x = torch.meshgrid(line, line, indexing="ij")
        grid = torch.stack([x, y], -1)[None]
        self.small = self._cast(grid, is_object=False)
        self.large = self._cast(grid, is_object=True)

    def _cast(self, grid: Tensor, *, is_object: bool) -> Tensor:
        """Transmitted light (b, 3, p, p): of both lamps, and of the room (contact)."""
        s = self.s
        n = len(s["turn"])
        out = torch.ones(n, 3, *grid.shape[1:3], device=grid.device)
        for low, high, radius in self._list_objects() if is_object else self._list_discs():
            rows = (low[:, 0] < 8e4).nonzero()[:, 0]
            if len(rows) == 0:
                continue
            low, high, radius = low[rows], high[rows], radius[rows]
            past = out[rows]
            for k in range(2):
                slope = s["lamp"][rows, k, :2] / s["lamp"][rows, k, 2:]
                one, two = (p[:, :2] - p[:, 2:] * slope for p in (low, high))
                reach = _segment_distance(grid, one, two) - _b(radius, 2)
                width = s["softness_mm"][rows, k] * (1 + (high[:, 2].clamp(0, 150) / 12))
                past[:, k] = torch.minimum(
                    past[:, k], (reach / _b(width, 2) * 0.5 + 0.5).clamp(0, 1)
                )
            reach = (grid - _b(low[:, :2], 2)).norm(dim=-1) - _b(radius, 2)
            near = torch.exp(-reach.clamp(min=0) / (25.0 if is_object else 5.0))
            past[:, 2] = torch.minimum(past[:, 2], 1 - _b(s["contact"][rows], 2) * near)
            out[rows] = past
        return out

    def _list_discs(self) -> Iterator[tuple[Tensor, Tensor, Tensor]]:
        s = self.s
        up = torch.zeros_like(s["disc_mm"][:, 0])
        up[:, 2] = s["disc_height"]
        for k in [*range(FLAT_SLOTS), LEAN_SLOT]:
            base = s["disc_mm"][:, k]
            if self.reach_mm < 200:
                base = torch.where(
                    base[:, :2].norm(dim=-1, keepdim=True) < self.reach_mm, base, 9e4
                )
            yield base, base + up, s["disc_radius"]
        for k in range(POSTS):
            base = torch.cat([s["post_mm"][:, k], 0 * up[:, :1]], -1)
            base = torch.where(s["posts"][:, None] > 0, base, 9e4)
            up2 = torch.zeros_like(up)
            up2[:, 2] = s["post_height"]
            yield base, base + up2, s["post_radius"]

    def _list_objects(self) -> Iterator[tuple[Tensor, Tensor, Tensor]]:
        s = self.s
        for k in range(s["capsule_mm"].shape[1]):
            yield s["capsule_mm"][:, k, 0], s["capsule_mm"][:, k, 1], s["capsule_radius"][:, k]
        for k in range(s["cup_mm"].shape[1]):
            top = s["cup_mm"][:, k].clone()
            top[:, 2] += s["cup_height"][:, k]
            yield s["cup_mm"][:, k], top, s["cup_radius"][:, k]
        for k in range(s["box_mm"].shape[1]):
            at, half = s["box_mm"][:, k], s["box_half"][:, k]
            arm = torch.zeros_like(at)
            long = (half[:, 0] - half[:, 1]).clamp(min=0)
            arm[:, 0] = long * s["box_turn"][:, k].cos()
            arm[:, 1] = long * s["box_turn"][:, k].sin()
            yield at - arm, at + arm, half[:, 1]

    def _look_up(self, shadow: Tensor, xy: Tensor) -> Tensor:
        got = functional.grid_sample(
            shadow, xy / self.reach_mm, align_corners=True, padding_mode="border"
        )
        return got.permute(0, 2, 3, 1)

    def shade(
        self, at: Tensor, normal: Tensor, ahead: Tensor, gloss: Tensor, *, flat: bool
    ) -> tuple[Tensor, Tensor]:
        """Light (b, h, w, 3) on places, and lamps' glints; ``flat`` ones get discs' shadows."""
        s = self.s
        large = self._look_up(self.large, at[..., :2])
        small = self._look_up(self.small, at[..., :2]) if flat else torch.ones_like(large)
        room = small[..., 2:] * large[..., 2:]
        total = _b(s["ambient"], 2) * room * (0.65 + 0.35 * normal[..., 2:].clamp(-1, 1))
        glint = torch.zeros_like(total)
        field = self._field(at[..., :2])
        for k in range(2):
            lamp = _b(s["lamp"][:, k], 2)
            cosine = (normal * lamp).sum(-1, keepdim=True).clamp(min=0)
            seen = small[..., k : k + 1] * large[..., k : k + 1] * field
            rgb = _b(s["lamp_rgb"][:, k], 2)
            total = total + rgb * cosine * seen
            half = functional.normalize(lamp - ahead, dim=-1)
            shine = (half * normal).sum(-1, keepdim=True).clamp(0, 1) ** _b(s["disc_shine"], 3)
            glint = glint + gloss * shine * rgb * seen
        return total * (1 + 0.35 * (field - 1)), glint

    def _field(self, xy: Tensor) -> Tensor:
        s = self.s
        field = 1 + (xy * _b(s["gradient"], 2)).sum(-1, keepdim=True)
        spot = ((xy - _b(s["spot"], 2)) ** 2).sum(-1, keepdim=True)
        field = field + _b(s["spot_gain"], 3) * torch.exp(-spot / (2 * _b(s["spot_mm"] ** 2, 3)))
        for k in range(2):
            turn = s["edge_azimuth"][:, k]
            way = torch.stack([turn.cos(), turn.sin()], -1)
            past = (xy * _b(way, 2)).sum(-1, keepdim=True) - _b(s["edge_mm"][:, k], 3)
            dark = torch.sigmoid(past / _b(s["edge_width"][:, k], 3) * 3)
            field = field * (1 - _b(s["edge_gain"][:, k], 3) * dark)
        return field.clamp(min=0.02)

    def reflect(self, centre: Tensor, ahead: Tensor) -> Tensor:
        """Lamps and windows reflected in a horizontal face, (b, h, w, 1)."""
        s = self.s
        mirrored = ahead * torch.tensor([1.0, 1.0, -1.0], device=ahead.device)
        total = torch.zeros_like(ahead[..., :1])
        for k in range(s["glare_at"].shape[1]):
            at = torch.cat([s["glare_at"][:, k], torch.zeros_like(centre[:, :1])], -1)
            to = functional.normalize(at - centre, dim=-1) * torch.tensor(
                [1.0, 1.0, -1.0], device=ahead.device
            )
            side = functional.normalize(
                torch.stack([-to[:, 1], to[:, 0], 0 * to[:, 0]], -1), dim=-1
            )
            rise = torch.linalg.cross(to, side)
            u, v = ((mirrored * _b(axis, 2)).sum(-1, keepdim=True) for axis in (side, rise))
            wide, high = (_b(s["glare_size"][:, k, axis], 3) for axis in (0, 1))
            blur = _b(s["glare_blur"][:, k], 3)
            edge = torch.sigmoid((wide - u.abs()) / blur * 2) * torch.sigmoid(
                (high - v.abs()) / blur * 2
            )
            bars = 1 - _b(s["glare_bars"][:, k], 3) * torch.exp(-((u / (0.12 * wide)) ** 2))
            total = total + _b(s["glare_gain"][:, k], 3) * edge * bars
        return total


def cast(
    s: Scene,
    bank: TextureBank,
    camera: DrawnCamera,
    height: int,
    width: int,
    patch: tuple[int, int] | None,
    reach_mm: float = 400.0,
) -> CastScenes:
    """The scenes as the camera sees them; ``patch`` is a height and width sufficient for any disc,
    and shadows are cast up to ``reach_mm`` from the middle.
    """
    lighting = _Lighting(s, reach_mm)
    d = camera.rays(height, width)
    ahead = functional.normalize(d, dim=-1)
    o = _b(camera.centre_mm, 2)
    ground_t, ground, mouth = _cast_ground(s, bank, o, d, ahead, lighting)
    solids = _cast_solids(s, bank, camera, d, lighting, patch, ground)
    objects_t, objects = _cast_objects(s, bank, o, d, ahead, lighting)
    is_object = objects_t < torch.minimum(solids.t, ground_t)
    is_solid = ~is_object & (solids.t < ground_t)
    light = torch.where(is_solid[..., None], solids.light, solids.ground)
    light = torch.where(is_object[..., None], objects, light)
    owner = torch.where(is_solid, solids.owner, torch.full_like(solids.owner, -1))
    shown = torch.stack([(owner == k).flatten(1).sum(1) for k in range(FLAT_SLOTS)], 1)
    visible = shown / solids.pixels[:, :FLAT_SLOTS].clamp(min=1)
    # discs in hands, leaning ones and tipped ones are objects to the disc map
    others = torch.stack([owner == k for k in range(FLAT_SLOTS + 1, FLAT_SLOTS + 3)]).any(0)
    own = (owner == HOLE_SLOT) | (owner == LEAN_SLOT) | (~is_object & ~is_solid)
    # a flat disc that reaches over the hole belongs to the hole's appearance
    near = (s["disc_mm"][:, :FLAT_SLOTS, :2] - s["hole_centre"][:, None]).norm(dim=-1)
    reaches = near < (s["hole_radius"] + s["disc_radius"])[:, None]
    flat = (owner >= 0) & (owner < FLAT_SLOTS)
    own = own | (
        flat & reaches.gather(1, owner.clamp(0, FLAT_SLOTS - 1).flatten(1)).reshape(owner.shape)
    )
    hole = (own & mouth).flatten(1).sum(1) / mouth.flatten(1).sum(1).clamp(min=1)
    return CastScenes(
        light=light, is_object=is_object | others, disc_visible=visible, hole_visible=hole
    )


def _cast_ground(
    s: Scene, bank: TextureBank, o: Tensor, d: Tensor, ahead: Tensor, lighting: _Lighting
) -> tuple[Tensor, Tensor, Tensor]:
    """Board, ditch, rail, table and room: t, light, and whether rays enter the hole's mouth."""
    dz = torch.where(d[..., 2] > -1e-4, torch.full_like(d[..., 2], -1e-4), d[..., 2])

    def at_height(z: Tensor) -> tuple[Tensor, Tensor]:
        t = (_b(z, 2) - o[..., 2]) / dz
        return t, o[..., :2] + t[..., None] * d[..., :2]

    def rail_norm(xy: Tensor) -> Tensor:
        r = xy.norm(dim=-1)
        turn = torch.atan2(xy[..., 1], xy[..., 0]) - _b(s["turn"], 2)
        eighth = torch.pi / 4
        off = torch.remainder(turn + eighth / 2, eighth) - eighth / 2
        return torch.where(_b(s["octagon"], 2) > 0, r * torch.cos(off), r)

    zero = torch.zeros_like(s["turn"])
    inner = _b(s["surface_mm"] + s["ditch_mm"], 2)
    outer = inner + _b(s["rail_width"], 2)
    t_top, p_top = at_height(s["rail_height"])
    t_0, p_0 = at_height(zero)
    t_ditch, p_ditch = at_height(-s["ditch_depth"])
    t_table, p_table = at_height(-s["ditch_depth"] - 9)
    t_floor, p_floor = at_height(-s["hole_depth"])
    n_top, n_table = rail_norm(p_top), rail_norm(p_table)
    n_ditch, r_ditch, r_0 = rail_norm(p_ditch), p_ditch.norm(dim=-1), p_0.norm(dim=-1)
    surface_mm = _b(s["surface_mm"], 2)
    on_rail = (n_top >= inner) & (n_top <= outer)
    on_side = (n_top > outer) & (n_table < outer)
    on_table = (n_top > outer) & ~on_side
    on_surface = (n_top < inner) & (r_0 <= surface_mm)
    rest = (n_top < inner) & ~on_surface
    on_edge, on_wall = rest & (r_ditch <= surface_mm), rest & (n_ditch >= inner)
    from_hole = (p_0 - _b(s["hole_centre"], 2)).norm(dim=-1)
    mouth = on_surface & (from_hole < _b(s["hole_radius"], 2))
    floor_away = (p_floor - _b(s["hole_centre"], 2)).norm(dim=-1)
    on_floor = mouth & (floor_away < _b(s["hole_radius"], 2))

    t = torch.where(on_surface, t_0, torch.where(on_rail | on_side, t_top, t_ditch))
    t = torch.where(on_table, t_table, torch.where(mouth, t_floor, t))
    xy = torch.where(on_surface[..., None], p_0, torch.where(on_rail[..., None], p_top, p_ditch))
    xy = torch.where(on_table[..., None], p_table, xy)

    albedo = _surface_albedo(s, bank, p_0, r_0, from_hole, mouth)
    wood2 = _texture(bank.woods, s["wood"][:, 1], _rotate(xy, s["grain_turn"] + 1) / 300)
    albedo = torch.where(
        mouth[..., None], _hole_albedo(s, wood2, p_floor, floor_away, on_floor), albedo
    )
    ditch = _b(s["ditch_rgb"], 2) * (0.5 + 0.5 * wood2)
    rail = _b(s["rail_rgb"], 2) * wood2
    albedo = torch.where((rest & ~on_edge & ~on_wall)[..., None], ditch, albedo)
    albedo = torch.where(on_edge[..., None], _b(s["surface_rgb"], 2) * 0.55, albedo)
    albedo = torch.where((on_rail | on_wall | on_side)[..., None], rail, albedo)
    table = (
        _texture(
            bank.clutters, s["clutter"][:, 0], _rotate(xy, s["grain_turn"]) / _b(s["clutter_mm"], 3)
        )
        ** 2.2
    )
    screen = d[..., :2] / (d.norm(dim=-1, keepdim=True)) * 2.5
    room = _texture(bank.clutters, s["clutter"][:, 1], screen + 0.37) ** 2.2
    beyond = on_table & ((xy.abs().amax(-1) > _b(s["table_mm"], 2)) | (d[..., 2] > -1e-3))
    albedo = torch.where(on_table[..., None], torch.where(beyond[..., None], room, table), albedo)

    normal = torch.zeros_like(d)
    normal[..., 2] = 1.0
    at = torch.cat([xy, torch.zeros_like(xy[..., :1])], -1)
    total, _ = lighting.shade(at, normal, ahead, torch.zeros_like(xy[..., :1]), flat=True)
    side = (on_side | on_wall | on_edge)[..., None]
    total = torch.where(side, total * 0.6, total)
    ditch_shade = (1 - 0.5 * torch.exp(-(r_ditch - surface_mm).clamp(min=0) / 9))[..., None]
    total = torch.where((rest & ~on_edge & ~on_wall)[..., None], total * ditch_shade, total)
    mirrored = lighting.reflect(camera_centre(o), ahead) * (on_surface & ~mouth)[..., None]
    return t, albedo * total + mirrored, mouth


def camera_centre(o: Tensor) -> Tensor:
    """The centre (b, 3) again."""
    return o[:, 0, 0]


def _line(distance: Tensor, width: Tensor) -> Tensor:
    """Cover (…) of a line at that distance, of its width, by pixels as large as the difference
    between neighbours.
    """
    step = torch.zeros_like(distance)
    step[:, :-1] = (distance[:, 1:] - distance[:, :-1]).abs()
    step[:, :, :-1] = torch.maximum(
        step[:, :, :-1], (distance[:, :, 1:] - distance[:, :, :-1]).abs()
    )
    step = step.clamp(0.05, 12.0)
    cover = ((width / 2 + step / 2 - distance.abs()) / step).clamp(0, 1)
    return cover * (width / step).clamp(max=1)


def _surface_albedo(
    s: Scene, bank: TextureBank, xy: Tensor, r: Tensor, from_hole: Tensor, mouth: Tensor
) -> Tensor:
    """The playing surface: wood, print, bands, lines."""
    wood = _texture(bank.woods, s["wood"][:, 0], _rotate(xy, s["grain_turn"]) / 345)
    albedo = _b(s["surface_rgb"], 2) * wood ** _b(s["surface_contrast"] * 2.0, 3)
    radii = s["line_radii"]
    band = _b(s["band"], 2)
    edges = torch.cat([torch.zeros_like(radii[:, :1]), radii], 1)
    for k in (1, 2, 3):
        in_band = (band == k) & (r > _b(edges[:, k - 1], 2)) & (r < _b(edges[:, k], 2))
        albedo = torch.where(in_band[..., None], _b(s["band_rgb"], 2) * wood, albedo)
    printed = _texture(bank.prints, s["print"], _rotate(xy, s["print_turn"]) / 340)
    opacity = printed[..., 3:] * _b(s["print_opacity"], 3) * (xy.abs().amax(-1) < 330)[..., None]
    albedo = albedo * (1 - opacity) + printed[..., :3] ** 2.2 * opacity
    width = _b(s["line_width"], 2)
    cover = torch.zeros_like(r)
    for k in range(3):
        cover = torch.maximum(cover, _line(r - _b(radii[:, k], 2), width))
    across = _rotate(xy, -s["turn"] - torch.pi / 4)
    spoke = torch.minimum(across[..., 0].abs(), across[..., 1].abs())
    on_spoke = (r > _b(s["quadrant_from"], 2)) & (r < _b(radii[:, 2], 2))
    cover = torch.maximum(cover, _line(spoke, width) * on_spoke * _b(s["quadrant_opacity"], 2))
    cover = (cover * _b(s["line_opacity"], 2))[..., None]
    albedo = albedo * (1 - cover) + _b(s["line_rgb"], 2) * cover
    ring_width = _b(s["hole_ring_width"], 2)
    ring = _line(from_hole - _b(s["hole_radius"], 2) - ring_width / 2, ring_width.clamp(min=0.01))
    ring = (ring * (ring_width > 0))[..., None]
    del mouth
    return albedo * (1 - ring) + _b(s["hole_ring_rgb"], 2) * ring


def _hole_albedo(s: Scene, wood: Tensor, xy: Tensor, away: Tensor, on_floor: Tensor) -> Tensor:
    """The hole's floor, with its paint and the wall's shadow, and its wall."""
    mark = _b(s["floor_mark"] * s["hole_radius"], 2)
    is_ring = _b(s["floor_mark_ring"], 2) > 0
    marked = torch.where(is_ring, (away - mark).abs() < 2, away < mark) & (mark > 0)
    floor = torch.where(marked[..., None], _b(s["floor_mark_rgb"], 2), _b(s["floor_rgb"], 2) * wood)
    key = s["lamp"][:, 0]
    slope = key[:, :2] / key[:, 2:] * s["hole_depth"][:, None]
    entry = (xy + _b(slope - s["hole_centre"], 2)).norm(dim=-1) - _b(s["hole_radius"], 2)
    dark = (entry / _b(s["softness_mm"][:, 0], 2) * 0.5 + 0.5).clamp(0, 1)
    strength = (s["lamp_rgb"][:, 0].mean(-1) / (s["lamp_rgb"][:, 0] + s["ambient"]).mean(-1)).clamp(
        0, 1
    )
    lit = 1 - _b(strength, 2) * dark * (_b(s["hole_depth"], 2) > 0.5)
    depth = _b(s["hole_depth"], 2)
    corner = 1 - 0.45 * torch.exp(-(_b(s["hole_radius"], 2) - away).clamp(min=0) / 3) * (
        depth > 0.5
    )
    # the wall faces inwards: the lamp lights its far side
    outward = functional.normalize(xy - _b(s["hole_centre"], 2), dim=-1)
    facing = -(outward * _b(functional.normalize(key[:, :2], dim=-1), 2)).sum(-1)
    wall = _b(s["wall_rgb"], 2) * (0.55 + 0.45 * _b(strength, 2) * facing)[..., None]
    filled = 1 - 0.75 * (s["disc_mm"][:, HOLE_SLOT, 0] < 8e4).float()
    seen = torch.where(on_floor[..., None], floor * (lit * corner)[..., None], wall)
    return seen * _b(filled, 3)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Solids:
    """Discs, posts and cups: t, light, the owner of the pixels; the pixels of every object as if it
    were alone; and the ground with their reflections.
    """

    t: Tensor
    light: Tensor
    owner: Tensor
    pixels: Tensor
    ground: Tensor


def _cast_solids(
    s: Scene,
    bank: TextureBank,
    camera: DrawnCamera,
    d: Tensor,
    lighting: _Lighting,
    patch: tuple[int, int] | None,
    ground: Tensor,
) -> _Solids:
    n, height, width, _ = d.shape
    device = d.device
    post = torch.cat([s["post_mm"], torch.zeros_like(s["post_mm"][..., :1])], -1)
    post = torch.where((s["posts"] > 0)[:, None, None], post, torch.full_like(post, 9e4))
    slots = torch.arange(DISC_SLOTS + POSTS, device=device)
    if patch is None:  # around the hole: neither the ditch nor the last of many discs
        slots = slots[
            (slots < 9) | ((slots >= FLAT_SLOTS) & (slots <= LEAN_SLOT)) | (slots >= DISC_SLOTS)
        ]
    base = torch.cat([s["disc_mm"], post], 1)[:, slots]
    count = base.shape[1]
    high = torch.cat(
        [
            s["disc_height"][:, None].expand(n, DISC_SLOTS),
            s["post_height"][:, None].expand(n, POSTS),
        ],
        1,
    )[:, slots]
    radius = torch.cat(
        [
            s["disc_radius"][:, None].expand(n, DISC_SLOTS),
            s["post_radius"][:, None].expand(n, POSTS),
        ],
        1,
    )[:, slots]
    spin = torch.cat([s["disc_spin"], torch.eye(3, device=device).expand(n, POSTS, 3, 3)], 1)[
        :, slots
    ]
    rgb = torch.cat([s["disc_rgb"], s["post_rgb"][:, None].expand(n, POSTS, 3)], 1)[:, slots]
    ph, pw = patch or (height, width)
    ph, pw = min(ph, height), min(pw, width)
    middle = base.clone()
    middle[..., 2] += high / 2
    px = camera.project(middle)
    is_in = (base[..., 0] < 8e4) & (px[..., 0] > -pw) & (px[..., 0] < width + pw)
    is_in &= (px[..., 1] > -ph) & (px[..., 1] < height + ph)
    left = (px[..., 0] - pw / 2).nan_to_num(0).clamp(0, width - pw).long()
    top = (px[..., 1] - ph / 2).nan_to_num(0).clamp(0, height - ph).long()
    rows = top[..., None] + torch.arange(ph, device=device)
    cols = left[..., None] + torch.arange(pw, device=device)
    index = (rows[..., :, None] * width + cols[..., None, :]).reshape(n, count, -1)
    flat_index = index.reshape(n, -1)
    rays = torch.gather(d.reshape(n, -1, 3), 1, flat_index[..., None].expand(-1, -1, 3))
    rays = rays.reshape(n, count, -1, 3)
    # into every solid's own frame
    local_d = rays @ spin
    local_o = (camera.centre_mm[:, None] - base)[:, :, None] @ spin
    t, z, on_cap = _cylinder(local_o, local_d, radius[..., None], 0.0, high[..., None])
    t = torch.where(is_in[..., None], t, torch.full_like(t, _FAR))
    hit = local_o + t[..., None] * local_d
    light = _shade_solids(
        s, bank, slots, hit, on_cap, z, spin, base, high, radius, rgb, rays, lighting, camera
    )
    pixels = height * width
    flat_t = t.reshape(n, -1)
    depth = torch.full((n, pixels), _FAR, device=device).scatter_reduce(
        1, flat_index, flat_t, "amin"
    )
    won = (flat_t < _FAR) & (flat_t <= depth.gather(1, flat_index))
    batch = torch.arange(n, device=device)[:, None].expand_as(flat_index)
    where = (batch * pixels + flat_index)[won]
    colour = torch.zeros(n * pixels, 3, device=device)
    colour[where] = light.reshape(n, -1, 3)[won]
    owner = torch.full((n * pixels,), -1, device=device, dtype=torch.long)
    who = slots[None, :, None].expand(t.shape).reshape(n, -1)
    owner[where] = who[won]
    # mirror images: the same cylinders below the surface, seen through it
    mirror_o = local_o
    m_t, _, m_cap = _cylinder(
        mirror_o, local_d, radius[..., None], -high[..., None], torch.zeros_like(high[..., None])
    )
    upright = (spin[..., 2, 2] > 0.999) & (base[..., 2].abs() < 1e-3) & is_in
    seen = (m_t < _FAR) & ~m_cap & upright[..., None]
    m_where = (batch * pixels + flat_index)[seen.reshape(n, -1)]
    ground = ground.reshape(-1, 3).clone()
    share = _b(s["mirror"], 2)[..., None].expand(n, height, width, 1).reshape(-1, 1)[m_where]
    tone = (
        (rgb * 0.7)[:, :, None]
        .expand(n, count, index.shape[-1], 3)
        .reshape(n, -1, 3)[seen.reshape(n, -1)]
    )
    ground[m_where] = ground[m_where] * (1 - share) + tone * s["ambient"].mean() * share
    return _Solids(
        t=depth.reshape(n, height, width),
        light=colour.reshape(n, height, width, 3),
        owner=owner.reshape(n, height, width),
        pixels=torch.zeros(n, DISC_SLOTS + POSTS, device=device).index_copy(
            1, slots, (t < _FAR).sum(-1).float()
        ),
        ground=ground.reshape(n, height, width, 3),
    )


def _shade_solids(
    s: Scene,
    bank: TextureBank,
    slots: Tensor,
    hit: Tensor,
    on_cap: Tensor,
    z: Tensor,
    spin: Tensor,
    base: Tensor,
    high: Tensor,
    radius: Tensor,
    rgb: Tensor,
    rays: Tensor,
    lighting: _Lighting,
    camera: DrawnCamera,
) -> Tensor:
    """Faces with dish, rim, inlay and grain, and walls: light (b, k, p, 3)."""
    hit = hit.clamp(-400, 400)
    rho = hit[..., :2].norm(dim=-1)
    share = rho / radius[..., None]
    radial = torch.cat(
        [hit[..., :2] / rho[..., None].clamp(min=1e-3), torch.zeros_like(hit[..., :1])], -1
    )
    up = torch.zeros_like(hit)
    up[..., 2] = 1.0
    rounded = _b(s["round_mm"], 2)
    below_top = (high[..., None] - z).clamp(min=0).minimum(rounded)
    past_edge = (rho - radius[..., None] + rounded).clamp(min=0)
    bend = torch.where(on_cap, past_edge, rounded - below_top) / rounded
    rim = torch.where(on_cap, 0.6 * bend, 1 - 0.4 * bend)[..., None]
    dish = _b(s["dish"], 2)[..., None] * share[..., None] * on_cap[..., None]
    normal = functional.normalize(up * (1 - rim) + radial * (rim + dish), dim=-1)
    # a disc's face: inlay, and grain of the second wood
    tone = rgb[:, :, None].expand_as(hit)
    is_disc = (slots < DISC_SLOTS)[None, :, None]
    inlaid = (share > _b(s["inlay_from"], 2)) & (share < _b(s["inlay_to"], 2)) & on_cap & is_disc
    cover = (inlaid * _b(s["inlay_opacity"], 2))[..., None]
    tone = tone * (1 - cover) + s["inlay_rgb"][:, None, None] * cover
    slot = slots[None, :, None, None] * 0.37
    grain = _texture(bank.woods, s["wood"][:, 2], hit[..., :2] / 60 + slot)
    tone = tone * (1 + _b(s["disc_grain"], 2)[..., None] * (grain - 1) * is_disc[..., None])
    tone = torch.where(on_cap[..., None], tone, tone * _b(s["wall_tone"], 2)[..., None])
    world = hit @ spin.transpose(-1, -2) + base[:, :, None]
    normal = normal @ spin.transpose(-1, -2)
    ahead = functional.normalize(rays, dim=-1)
    # the colour of the surface below, under a lamp's shadow
    key = s["lamp"][:, 0]
    slope = (key[:, :2] / key[:, 2:])[:, None, None]
    below = torch.cat([world[..., :2] - world[..., 2:] * slope, world[..., 2:]], -1)
    gloss = _b(s["disc_gloss"], 2)[..., None].expand_as(rho[..., None])
    total, glint = lighting.shade(below, normal, ahead, gloss, flat=False)
    occluded = (0.55 + 0.45 * (z / high[..., None]).clamp(0, 1))[..., None]
    total = total * torch.where(on_cap[..., None], torch.ones_like(occluded), occluded)
    mirrored = (
        lighting.reflect(camera.centre_mm, ahead)
        * on_cap[..., None]
        * _b(s["disc_gloss"], 2)[..., None]
    )
    return tone * total + glint + mirrored


def _cast_objects(
    s: Scene, bank: TextureBank, o: Tensor, d: Tensor, ahead: Tensor, lighting: _Lighting
) -> tuple[Tensor, Tensor]:
    """Hands, cups, phones and papers: t and light."""
    best = torch.full_like(d[..., 0], _FAR)
    normal, tone = torch.zeros_like(d), torch.zeros_like(d)

    def keep(rows: Tensor, t: Tensor, found: Tensor, rgb: Tensor) -> None:
        near = (t < best[rows])[..., None]
        best[rows] = torch.minimum(t, best[rows])
        normal[rows] = torch.where(near, found, normal[rows])
        tone[rows] = torch.where(near, rgb, tone[rows])

    for k in range(s["capsule_mm"].shape[1]):
        rows = (s["capsule_mm"][:, k, 0, 0] < 8e4).nonzero()[:, 0]
        if len(rows):
            ends, radius = s["capsule_mm"][rows, k], s["capsule_radius"][rows, k]
            t, found = _capsule(o[rows], d[rows], ends[:, 0], ends[:, 1], radius)
            keep(rows, t, found, _b(s["capsule_rgb"][rows, k], 2))
    for k in range(s["cup_mm"].shape[1]):
        rows = (s["cup_mm"][:, k, 0] < 8e4).nonzero()[:, 0]
        if len(rows):
            rel, radius = o[rows] - _b(s["cup_mm"][rows, k], 2), _b(s["cup_radius"][rows, k], 2)
            t, _, cap = _cylinder(rel, d[rows], radius, 0.0, _b(s["cup_height"][rows, k], 2))
            hit = (rel + t[..., None] * d[rows]).clamp(-500, 500)
            wall = functional.normalize(torch.cat([hit[..., :2], 0 * hit[..., :1]], -1), dim=-1)
            up = torch.zeros_like(wall)
            up[..., 2] = 1
            rgb = _b(s["cup_rgb"][rows, k], 2).expand_as(wall)
            inside = (hit[..., :2].norm(dim=-1) < 0.9 * radius) & cap
            rgb = torch.where(inside[..., None], rgb.flip(-1) * 0.5, rgb)
            keep(rows, t, torch.where(cap[..., None], up, wall), rgb)
    for k in range(s["box_mm"].shape[1]):
        rows = (s["box_mm"][:, k, 0] < 8e4).nonzero()[:, 0]
        if len(rows):
            box = (s[name][rows, k] for name in ("box_mm", "box_half", "box_turn"))
            t, found, place = _box(o[rows], d[rows], *box)
            cover = _texture(bank.clutters, s["clutter"][rows, 2] + k, place * 0.4 + k) ** 2.2
            keep(rows, t, found, 0.5 * cover + 0.5 * _b(s["box_rgb"][rows, k], 2))
    at = (o + best[..., None].clamp(max=1e4) * d).clamp(-2000, 2000)
    lift = torch.zeros_like(at)
    lift[..., :2] = 1e4  # not in the shadow maps: an object is not in its own shadow
    total, glint = lighting.shade(
        at + lift, normal, ahead, torch.full_like(best[..., None], 0.03), flat=False
    )
    cloth = _texture(bank.woods, s["wood"][:, 1], (at[..., :2] + at[..., 2:]) / 150)
    return best, tone * cloth * total + glint
