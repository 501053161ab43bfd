"""Train the board network: ``python -m sample_images.train_detector.train OUT_DIR``.

Boards are drawn while the network trains, into a buffer whose entries are used a few times. Drawing
and training share a GPU, and take turns on a processor. Nothing is downloaded and no photo is used.
The learning rate falls along a cosine over the given time. Running means of the weights are saved
as ``OUT_DIR/board.pt``, once a minute and at the end.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from sample_images.train_detector.crops import DISC_MM_PER_PX
from sample_images.train_detector.draw_boards import choose_development, draw_boards, make_bank
from sample_images.train_detector.learner import Buffer, Learner, prepare_torch
from sample_images.train_detector.network import BoardNetwork, add_shift, board_loss
from sample_images.train_detector.scenes import Scenes, draw_scenes

#: Number of times a board is used.
_USES = 5


def generate(seed: int, boards: int) -> Scenes:
    """Scenes of one chunk."""
    return draw_scenes(np.random.default_rng(seed), boards)


def stream_scenes(seed: int, boards: int, processes: int) -> Iterator[Scenes]:
    """Endless chunks, made ahead by other processes if there are any."""
    if processes == 0:
        while True:
            yield generate(seed, boards)
            seed += 1
    with ProcessPoolExecutor(processes, get_context("spawn")) as pool:
        ahead: list[Future[Scenes]] = []
        try:
            while True:
                while len(ahead) < 3 * processes:
                    ahead.append(pool.submit(generate, seed, boards))
                    seed += 1
                yield ahead.pop(0).result()
        finally:
            pool.shutdown(cancel_futures=True)


def mix_colours(planes: Tensor) -> Tensor:
    """A fifth of the pictures with swapped colours, so no colour belongs to one thing only."""
    order = torch.randperm(3, device=planes.device)
    swapped = planes[:, torch.cat([order, order + 3])]
    chosen = torch.rand(len(planes), device=planes.device) < 0.2
    return torch.where(chosen[:, None, None, None], swapped, planes)


def train(
    out: Path,
    seconds: float,
    seed: int,
    device: str,
    chunk: int,
    batch: int,
    processes: int,
    rate: float,
    start: Path | None,
) -> None:
    """Draw and train until the time is over."""
    prepare_torch(seed)
    begun = time.monotonic()
    rng, draw = np.random.default_rng(seed), torch.Generator(device).manual_seed(seed)
    scenes = stream_scenes(seed * 1_000_003, chunk, processes)
    banks = [
        make_bank(seed + k, device, 64 if device == "cuda" else 12)
        for k in range(2 if device == "cuda" else 1)
    ]
    print(f"textures after {time.monotonic() - begun:.0f} s", flush=True)
    learner = Learner(BoardNetwork(), device, rate)
    if start is not None:
        learner.load(start / "board.pt")
    buffer = Buffer(16384 if device == "cuda" else 512)
    warm, drawn, saved, told = 1 if device == "cpu" else 8, 0, begun, begun
    spent = {"draw": 0.0, "train": 0.0}
    chunks = 0
    while (now := time.monotonic()) - begun < seconds:
        share = (now - begun) / seconds
        bank = banks[chunks % len(banks)]
        with torch.no_grad():
            b = draw_boards(next(scenes), bank, choose_development(rng, 2.8), draw)
        buffer.add([b.planes, b.camera_mm, b.heat, b.offset, b.near, b.objects, b.weight])
        drawn, chunks = drawn + chunk, chunks + 1
        if device == "cuda":
            torch.cuda.synchronize()
        spent["draw"] += time.monotonic() - now
        now = time.monotonic()
        if chunks > warm:
            for _ in range(max(_USES * chunk // batch, 1)):
                step_boards(learner, buffer, batch, share, device)
            if device == "cuda":
                torch.cuda.synchronize()
        spent["train"] += time.monotonic() - now
        if (now := time.monotonic()) - told > 20:
            told = now
            print(
                f"{now - begun:.0f} s: {drawn} boards, {learner.steps} steps, "
                f"loss {learner.losses:.3f}, "
                f"drawing {spent['draw']:.0f} s, training {spent['train']:.0f} s",
                flush=True,
            )
        if now - saved > 60:
            saved = now
            learner.save(out / "board.pt")
    learner.save(out / "board.pt")
    scenes.close()
    print(f"{drawn} boards, {learner.steps} steps, loss {learner.losses:.3f}")


def step_boards(learner: Learner, buffer: Buffer, batch: int, share: float, device: str) -> None:
    """One step of the board network."""
    planes, camera, *rest = buffer.sample(batch)
    if torch.rand(()) < 0.5:
        planes, rest = planes.flip(-1), [part.flip(-1) for part in rest]
        rest[1] = rest[1] * torch.tensor([-1.0, 1.0], device=device)[:, None, None].half()
        camera = camera * torch.tensor([-1.0, 1.0, 1.0], device=camera.device)
    x = add_shift(mix_colours(planes), camera, DISC_MM_PER_PX)
    learner.network.train()
    with torch.autocast(device, torch.bfloat16, enabled=device == "cuda"):
        out = learner.network(x.contiguous(memory_format=torch.channels_last))
    heat, offset, near, objects, weight = (part.float() for part in rest)
    learner.step(board_loss(out, heat, offset, near, objects, weight), share)


def main() -> None:
    """Train from the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path)
    parser.add_argument("--seconds", type=float, default=14_000.0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--chunk", type=int, default=0, help="boards drawn at a time")
    parser.add_argument("--batch", type=int, default=0)
    parser.add_argument("--processes", type=int, default=-1, help="that make up scenes")
    parser.add_argument("--rate", type=float, default=2.5e-3, help="highest learning rate")
    parser.add_argument("--start", type=Path, help="a folder with weights to go on from")
    args = parser.parse_args()
    device = "cuda" if torch.cuda.is_available() else "cpu"
    args.out.mkdir(parents=True, exist_ok=True)
    chunk = args.chunk or (64 if device == "cuda" else 4)
    batch = args.batch or (64 if device == "cuda" else 16)
    processes = args.processes if args.processes >= 0 else (2 if device == "cuda" else 0)
    train(args.out, args.seconds, args.seed, device, chunk, batch, processes, args.rate, args.start)


if __name__ == "__main__":
    main()
