"""Training boards: random scenes rendered, photographed and rectified, with the networks' target
output.

``python -m sample_images.train_detector.draw_boards OUT.png`` draws a sheet of them to look at.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from sample_images.train_detector.crops import (
    CELL_PX,
    DISC_MM_PER_PX,
    DISC_SIDE_PX,
    DISC_TOP_MM,
    HEAT_MM,
    HOLE_FLOOR_MM,
    HOLE_MM_PER_PX,
    HOLE_SIDE_PX,
)
from sample_images.train_detector.photograph import Development, develop, misplace, rectify
from sample_images.train_detector.ray_caster import (
    CastScenes,
    DrawnCamera,
    TextureBank,
    aim_camera,
    cast,
)
from sample_images.train_detector.scenes import (
    FLAT_SLOTS,
    HOLE_HIDDEN,
    LEAN_SLOT,
    Scenes,
    draw_scenes,
)
from sample_images.train_detector.textures import draw_textures

#: Canvas, height and width, on which a board is drawn, and the patch that holds any of its discs.
_BOARD_CANVAS, _BOARD_PATCH = (416, 560), (90, 52)
_HOLE_CANVAS, _HOLE_REACH_MM = (160, 160), 52.0
#: A disc must be found if at least this share of it is visible; with a smaller share, the network
#: may find it or miss it.
_FOUND_SHARE = 0.3
#: A hole with a smaller visible share counts as hidden; between the two shares it is not used for
#: training.
_HIDDEN_SHARE, _SEEN_SHARE = 0.3, 0.5
_OFFSET_MM = 11.0


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class BoardSamples:
    """Boards and targets, on torch's device.

    planes  (b, 6, s, s) uint8 RGB: the surface's plane, then that of discs' tops
    camera_mm (b, 3) its centre in the turned board frame
    heat    (b, c, c) float16; offset (b, 2, c, c) in cells; near (b, c, c) where offsets count
    objects (b, c, c) share covered; weight (b, c, c) of the heat's loss
    """

    planes: Tensor
    camera_mm: Tensor
    heat: Tensor
    offset: Tensor
    near: Tensor
    objects: Tensor
    weight: Tensor


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class HoleSamples:
    """Holes: planes (b, 6, s, s) uint8, camera_mm (b, 3), state (b,), and its weight (b,)."""

    planes: Tensor
    camera_mm: Tensor
    state: Tensor
    weight: Tensor


def make_bank(seed: int, device: str, count: int = 48) -> TextureBank:
    """Textures on the device."""
    drawn = draw_textures(seed, count)
    woods, clutters, prints = (
        torch.from_numpy(t).to(device).to(torch.float16)
        for t in (drawn.woods, drawn.clutters, drawn.prints)
    )
    return TextureBank(woods=woods / 128, clutters=clutters / 255, prints=prints / 255)


def to_device(scenes: Scenes, device: str) -> dict[str, Tensor]:
    """The scenes as tensors; whole numbers remain whole."""
    found = {}
    for name, value in scenes.items():
        whole = np.issubdtype(value.dtype, np.integer)
        found[name] = torch.from_numpy(value if whole else value.astype(np.float32)).to(device)
    return found


def choose_development(rng: np.random.Generator, most: float) -> Development:
    """Resolution and compression of one chunk."""
    shrink = float(np.exp(rng.uniform(np.log(1.15), np.log(most))))
    quality = (
        97.0 if rng.uniform() < 0.15 else float(100 - np.exp(rng.uniform(np.log(4), np.log(78))))
    )
    return Development(shrink=shrink, quality=quality)


def draw_boards(
    scenes: Scenes, bank: TextureBank, how: Development, draw: torch.Generator
) -> BoardSamples:
    """The whole boards of the scenes."""
    device = bank.woods.device
    s = to_device(scenes, str(device))
    camera = aim_camera(s, *_BOARD_CANVAS)
    seen = cast(s, bank, camera, *_BOARD_CANVAS, _BOARD_PATCH)
    photo = develop(seen.light, how, draw)
    found = misplace(camera, draw)
    home = torch.zeros(len(photo), 2, device=device)
    planes = torch.cat(
        [
            rectify(photo, found, how.shrink, home, z, DISC_SIDE_PX, DISC_MM_PER_PX)
            for z in (0.0, DISC_TOP_MM)
        ],
        1,
    )
    return _answer(s, camera, seen, found, planes)


def _answer(
    s: dict[str, Tensor], camera: DrawnCamera, seen: CastScenes, found: DrawnCamera, planes: Tensor
) -> BoardSamples:
    device = planes.device
    cells = DISC_SIDE_PX // CELL_PX
    cell_mm = CELL_PX * DISC_MM_PER_PX
    home = torch.zeros(len(planes), 2, device=device)
    step = (torch.arange(cells, device=device) - (cells - 1) / 2) * cell_mm
    y, x = torch.meshgrid(-step, step, indexing="ij")
    place = torch.stack([x, y], -1)
    base = s["disc_mm"][:, :FLAT_SLOTS]
    flat = s["disc_spin"][:, :FLAT_SLOTS, 2, 2] > 0.999
    there = base[..., 0] < 8e4
    inside = camera.project(base)
    canvas = torch.tensor([_BOARD_CANVAS[1], _BOARD_CANVAS[0]], device=device)
    in_picture = ((inside > 0) & (inside < canvas)).all(-1)
    shows = there & flat & (seen.disc_visible >= _FOUND_SHARE) & in_picture
    unclear = there & ~shows
    gap = (place[None, None] - base[..., None, None, :2]).norm(dim=-1)
    far = torch.full_like(gap, 1e4)
    away = torch.where(shows[..., None, None], gap, far)
    nearest, which = away.min(1)
    heat = torch.exp(-(nearest**2) / (2 * HEAT_MM**2))
    own = torch.gather(base[..., :2], 1, which.flatten(1)[..., None].expand(-1, -1, 2))
    offset = ((own.reshape(*heat.shape, 2) - place) / cell_mm).permute(0, 3, 1, 2)
    near = nearest < _OFFSET_MM
    r = place.norm(dim=-1)
    weight = (r[None] < (s["line_radii"][:, 2] + s["disc_radius"] + 2)[:, None, None]).float()
    weight = torch.maximum(weight, near.float())
    weight = torch.where(
        (torch.where(unclear[..., None, None], gap, far).amin(1) < 15) & ~near, 0.0, weight
    )
    leaner = s["disc_mm"][:, LEAN_SLOT, :2]
    from_leaner = (place[None] - leaner[:, None, None]).norm(dim=-1)
    from_hole = (place[None] - s["hole_centre"][:, None, None]).norm(dim=-1)
    weight = torch.where(((from_leaner < 30) | (from_hole < 17)) & ~near, 0.0, weight)
    covered = seen.is_object.float()[:, None]
    covered = rectify(covered, found, 1.0, home, 0.0, DISC_SIDE_PX, DISC_MM_PER_PX)
    objects = torch.nn.functional.avg_pool2d(covered, CELL_PX)[:, 0]
    return BoardSamples(
        planes=planes.to(torch.uint8),
        camera_mm=found.centre_mm,
        heat=heat.half(),
        offset=offset.clamp(-2, 2).half(),
        near=near,
        objects=objects.half(),
        weight=weight.half(),
    )


def draw_holes(
    scenes: Scenes, bank: TextureBank, how: Development, draw: torch.Generator
) -> HoleSamples:
    """The scenes' holes, with the objects around them."""
    device = bank.woods.device
    s = to_device(scenes, str(device))
    camera = aim_camera(s, *_HOLE_CANVAS, _HOLE_REACH_MM)
    seen = cast(s, bank, camera, *_HOLE_CANVAS, None, 2.5 * _HOLE_REACH_MM)
    photo = develop(seen.light, how, draw)
    found = misplace(camera, draw)
    planes = torch.cat(
        [
            rectify(photo, found, how.shrink, s["hole_centre"], z, HOLE_SIDE_PX, HOLE_MM_PER_PX)
            for z in (0.0, HOLE_FLOOR_MM)
        ],
        1,
    )
    hidden = seen.hole_visible < _HIDDEN_SHARE
    state = torch.where(hidden, HOLE_HIDDEN, s["hole_state"])
    counts = hidden | (seen.hole_visible > _SEEN_SHARE)
    return HoleSamples(
        planes=planes.to(torch.uint8), camera_mm=found.centre_mm, state=state, weight=counts.float()
    )


def main() -> None:
    """Draw a sheet of boards and holes."""
    import cv2

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--boards", type=int, default=12)
    args = parser.parse_args()
    rng, draw = np.random.default_rng(args.seed), torch.Generator().manual_seed(args.seed)
    bank = make_bank(args.seed, "cpu", 12)
    rows = []
    for _ in range(args.boards // 4):
        boards = draw_boards(draw_scenes(rng, 4), bank, choose_development(rng, 3.0), draw)
        images = boards.planes[:, :3].permute(0, 2, 3, 1).numpy()[..., ::-1].copy()
        for image, heat, objects, weight in zip(
            images, boards.heat, boards.objects, boards.weight, strict=True
        ):
            side = (DISC_SIDE_PX, DISC_SIDE_PX)
            peak = torch.nn.functional.max_pool2d(heat[None].float(), 3, 1, 1)[0]
            for y, x in ((heat.float() == peak) & (heat > 0.4)).nonzero().tolist():
                cv2.circle(image, (x * CELL_PX + 2, y * CELL_PX + 2), 8, (0, 255, 0), 1)
            mask = cv2.resize(objects.float().numpy(), side)
            image[..., 2] = np.maximum(image[..., 2], (mask * 160).astype(np.uint8))
            image[cv2.resize(weight.float().numpy(), side) < 0.5] //= 2
        rows.append(np.hstack(list(images)))
    holes = draw_holes(
        draw_scenes(rng, 28, about_hole=True), bank, choose_development(rng, 6.0), draw
    )
    images = holes.planes[:, :3].permute(0, 2, 3, 1).numpy()[..., ::-1].copy()
    for image, state in zip(images, holes.state.tolist(), strict=True):
        cv2.putText(image, "E2LH"[state], (2, 12), 0, 0.4, (0, 255, 255), 1)
    wide = rows[0].shape[1]
    for k in range(2):
        row = np.hstack(list(images[14 * k : 14 * k + 14]))
        rows.append(cv2.copyMakeBorder(row, 0, 0, 0, wide - row.shape[1], cv2.BORDER_CONSTANT))
    cv2.imwrite(args.out, np.vstack(rows))


if __name__ == "__main__":
    main()
