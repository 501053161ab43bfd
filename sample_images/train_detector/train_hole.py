"""Train the hole network: ``python -m sample_images.train_detector.train_hole OUT_DIR``.

Holes come from two drawers: ``hole_drawer`` works on processors, and ``draw_boards`` on the GPU if
there is one, with the hands and objects of whole boards. They go into a buffer while the network
trains; a hole is used a few times, every time in another light and colour. The learning rate falls
along a cosine over the given time. Running means of the weights are saved as ``OUT_DIR/hole.pt``.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import cv2
import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from sample_images.train_detector.crops import HOLE_MM_PER_PX
from sample_images.train_detector.draw_boards import choose_development, draw_holes, make_bank
from sample_images.train_detector.hole_drawer import HoleDrawer
from sample_images.train_detector.learner import Buffer, Learner, prepare_torch
from sample_images.train_detector.network import HoleNetwork, add_shift
from sample_images.train_detector.scenes import draw_scenes

#: Holes of ``hole_drawer`` drawn at a time with the same textures.
CHUNK = 400
#: Number of times a hole is used.
_USES = 8
#: Number of holes of ``hole_drawer`` per hole of ``draw_boards``.
_SHARE = 3


def draw_chunk(seed: int, chunk: int, count: int) -> list[np.ndarray]:
    """``count`` holes of ``hole_drawer``: planes, cameras, states and weights."""
    cv2.setNumThreads(1)
    drawer, rng = HoleDrawer(seed + chunk // 4, 20), np.random.default_rng((seed, chunk))
    samples = [drawer.draw(rng) for _ in range(count)]
    return [
        np.stack([sample.planes for sample in samples]),
        np.stack([sample.camera_mm for sample in samples]),
        np.array([sample.state for sample in samples]),
        np.array([sample.weight for sample in samples], np.float32),
    ]


def stream_chunks(seed: int, count: int, processes: int) -> Iterator[list[np.ndarray]]:
    """Endless chunks, drawn ahead by other processes if there are any."""
    chunk = 0
    if processes == 0:
        while True:
            yield draw_chunk(seed, chunk, count)
            chunk += 1
    with ProcessPoolExecutor(processes, get_context("spawn")) as pool:
        ahead: list[Future[list[np.ndarray]]] = []
        try:
            while True:
                while len(ahead) < 2 * processes:
                    ahead.append(pool.submit(draw_chunk, seed, chunk, count))
                    chunk += 1
                yield ahead.pop(0).result()
        finally:
            pool.shutdown(cancel_futures=True)


def vary(planes: Tensor, camera_mm: Tensor) -> Tensor:
    """The network's input (b, 8, s, s) of planes (b, 6, s, s) uint8: mirrored, with colours
    swapped, in another light, blurred and noisy at random.
    """
    n, device = len(planes), planes.device

    def chosen(share: float) -> Tensor:
        return (torch.rand(n, device=device) < share)[:, None, None, None]

    def normal(*shape: int) -> Tensor:
        return torch.randn(n, *shape, device=device)

    image = planes.float() / 255
    flip = chosen(0.5)
    image = torch.where(flip, image.flip(-1), image)
    mirrored = camera_mm * torch.tensor([-1.0, 1.0, 1.0], device=device)
    camera_mm = torch.where(flip[..., 0, 0], mirrored, camera_mm)
    order = torch.randperm(3, device=device)
    image = torch.where(chosen(0.2), image[:, torch.cat([order, order + 3])], image)
    gain = torch.exp(0.15 * normal(1) + 0.05 * normal(3)).repeat(1, 2)
    image = image.clamp(min=1e-3) ** torch.exp(0.2 * normal(1, 1, 1)) * gain[..., None, None]
    blurred = functional.avg_pool2d(functional.pad(image, (1, 1, 1, 1), "replicate"), 3, 1)
    image = torch.where(chosen(0.2), blurred, image)
    noise = 0.03 * torch.rand(n, 1, 1, 1, device=device) ** 2
    image = (image + noise * torch.randn_like(image)).clamp(0, 1)
    return add_shift(255 * image, camera_mm, HOLE_MM_PER_PX)


def train(
    out: Path,
    seconds: float,
    seed: int,
    device: str,
    count: int,
    batch: int,
    processes: int,
    rate: float,
    start: Path | None,
) -> None:
    """Draw and train until the time is over."""
    prepare_torch(seed)
    begun = time.monotonic()
    chunks = stream_chunks(seed * 1_000_003, count, processes)
    rng, draw = np.random.default_rng(seed), torch.Generator(device).manual_seed(seed)
    bank = make_bank(seed, device, 64 if device == "cuda" else 4)
    learner = Learner(HoleNetwork(), device, rate)
    if start is not None:
        learner.load(start / "hole.pt")
    buffer = Buffer(1 << 18 if device == "cuda" else 1 << 14)
    told = begun
    while (now := time.monotonic()) - begun < seconds:
        share = (now - begun) / seconds
        buffer.add([torch.from_numpy(part).to(device) for part in next(chunks)])
        with torch.no_grad():
            scenes = draw_scenes(rng, max(count // _SHARE, 1), about_hole=True)
            holes = draw_holes(scenes, bank, choose_development(rng, 4.8), draw)
        buffer.add([holes.planes, holes.camera_mm, holes.state, holes.weight])
        for _ in range(_USES * (count + count // _SHARE) // batch + 1):
            step_holes(learner, buffer, batch, share, device)
        if (now := time.monotonic()) - told > 20:
            told = now
            print(
                f"{now - begun:.0f} s: {buffer.count} holes, {learner.steps} steps, "
                f"loss {learner.losses:.3f}",
                flush=True,
            )
            learner.save(out / "hole.pt")
    learner.save(out / "hole.pt")
    chunks.close()
    print(f"{buffer.count} holes, {learner.steps} steps, loss {learner.losses:.3f}")


def step_holes(learner: Learner, buffer: Buffer, batch: int, share: float, device: str) -> None:
    """One step of the hole network."""
    planes, camera_mm, state, weight = buffer.sample(batch)
    x = vary(planes, camera_mm).contiguous(memory_format=torch.channels_last)
    learner.network.train()
    with torch.autocast(device, torch.bfloat16, enabled=device == "cuda"):
        out = learner.network(x)
    loss = functional.cross_entropy(out.float(), state, reduction="none", label_smoothing=0.02)
    learner.step((loss * weight).sum() / weight.sum().clamp(min=1), share)


def main() -> None:
    """Train from the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path)
    parser.add_argument("--seconds", type=float, default=14_000.0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--batch", type=int, default=0)
    parser.add_argument("--processes", type=int, default=-1, help="that draw holes")
    parser.add_argument("--rate", type=float, default=2.5e-3, help="highest learning rate")
    parser.add_argument("--start", type=Path, help="a folder with weights to go on from")
    args = parser.parse_args()
    device = "cuda" if torch.cuda.is_available() else "cpu"
    args.out.mkdir(parents=True, exist_ok=True)
    batch = args.batch or (256 if device == "cuda" else 64)
    processes = args.processes if args.processes >= 0 else (12 if device == "cuda" else 0)
    train(args.out, args.seconds, args.seed, device, CHUNK, batch, processes, args.rate, args.start)


if __name__ == "__main__":
    main()
