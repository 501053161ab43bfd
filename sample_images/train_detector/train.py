"""Train the detector: ``python -m sample_images.train_detector.train OUT_DIR --seconds 28000``.

Boards are drawn while the networks train, into a buffer whose entries are used a few times. Drawing
and training share a GPU, and take turns on a processor. Nothing is downloaded and no photo is used.
Learning rates fall along a cosine over the given time. Running means of the weights are saved
(``OUT_DIR/board.pt``, ``hole.pt``), once a minute and at the end.
"""

from __future__ import annotations

import argparse
import math
import time
from collections.abc import Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import numpy as np
import torch
from torch import Tensor, nn

from sample_images.train_detector.crops import DISC_MM_PER_PX, HOLE_MM_PER_PX
from sample_images.train_detector.draw_boards import (
    choose_development,
    draw_boards,
    draw_holes,
    make_bank,
)
from sample_images.train_detector.network import BoardNetwork, HoleNetwork, add_shift, board_loss
from sample_images.train_detector.scenes import Scenes, draw_scenes

#: Number of times a board is used; number of steps over which a running mean forgets.
_USES, _MEAN_STEPS = 5, 400


class Buffer:
    """The last samples, for random draws: tensors that share their first axis."""

    def __init__(self, size: int) -> None:
        self.size, self.count, self.next = size, 0, 0
        self.parts: list[Tensor] = []

    def add(self, parts: list[Tensor]) -> None:
        """Add samples; the oldest are dropped."""
        if not self.parts:
            self.parts = [
                torch.zeros(self.size, *p.shape[1:], dtype=p.dtype, device=p.device) for p in parts
            ]
        n = len(parts[0])
        at = (torch.arange(n, device=parts[0].device) + self.next) % self.size
        for kept, part in zip(self.parts, parts, strict=True):
            kept[at] = part
        self.next, self.count = (self.next + n) % self.size, min(self.count + n, self.size)

    def sample(self, n: int) -> list[Tensor]:
        """``n`` random samples."""
        at = torch.randint(0, self.count, (n,), device=self.parts[0].device)
        return [p[at] for p in self.parts]


class Learner:
    """A network, its optimiser, and the running mean of its weights."""

    def __init__(self, network: nn.Module, device: str, rate: float) -> None:
        self.network = network.to(device).to(memory_format=torch.channels_last)
        self.mean = {k: v.detach().clone().float() for k, v in network.state_dict().items()}
        self.rate, self.steps, self.losses = rate, 0, 0.0
        self.optimiser = torch.optim.AdamW(network.parameters(), lr=rate, weight_decay=0.02)
        self.run = self.network

    def step(self, loss: Tensor, share: float) -> None:
        """One step, at ``share`` of the time."""
        rate = (
            self.rate
            * min(1.0, (self.steps + 1) / 200)
            * (0.5 + 0.5 * math.cos(math.pi * min(share, 1.0)))
            + 1e-6
        )
        for group in self.optimiser.param_groups:
            group["lr"] = rate
        self.optimiser.zero_grad(set_to_none=True)
        loss.backward()
        nn.utils.clip_grad_norm_(self.network.parameters(), 5.0)
        self.optimiser.step()
        self.steps += 1
        keep = min(1 - 1 / _MEAN_STEPS, 1 - 1 / (self.steps / 4 + 1))
        names = list(self.mean)
        now = self.network.state_dict()
        torch._foreach_lerp_(
            [self.mean[k] for k in names], [now[k].float() for k in names], 1 - keep
        )
        if self.steps % 50 == 0:
            self.losses = float(loss.detach())

    def load(self, path: Path) -> None:
        """Continue from stored weights."""
        stored = torch.load(path, map_location="cpu")
        self.network.load_state_dict(stored)
        for name, value in stored.items():
            self.mean[name].copy_(value)

    def save(self, path: Path) -> None:
        """Write the running mean."""
        torch.save({k: v.cpu() for k, v in self.mean.items()}, path)


def generate(seed: int, boards: int, holes: int) -> tuple[Scenes, Scenes]:
    """Scenes of one chunk."""
    rng = np.random.default_rng(seed)
    return draw_scenes(rng, boards), draw_scenes(rng, holes, about_hole=True)


def stream_scenes(
    seed: int, boards: int, holes: int, processes: int
) -> Iterator[tuple[Scenes, Scenes]]:
    """Endless chunks, made ahead by other processes if there are any."""
    if processes == 0:
        while True:
            yield generate(seed, boards, holes)
            seed += 1
    with ProcessPoolExecutor(processes, get_context("spawn")) as pool:
        ahead: list[Future[tuple[Scenes, Scenes]]] = []
        try:
            while True:
                while len(ahead) < 3 * processes:
                    ahead.append(pool.submit(generate, seed, boards, holes))
                    seed += 1
                yield ahead.pop(0).result()
        finally:
            pool.shutdown(cancel_futures=True)


def _mix_colours(planes: Tensor) -> Tensor:
    """A fifth of the pictures with swapped colours, so that no colour belongs to one kind of object
    only.
    """
    order = torch.randperm(3, device=planes.device)
    swapped = planes[:, torch.cat([order, order + 3])]
    chosen = torch.rand(len(planes), device=planes.device) < 0.2
    return torch.where(chosen[:, None, None, None], swapped, planes)


def _mirror(planes: Tensor, rest: list[Tensor]) -> tuple[Tensor, list[Tensor]]:
    return planes.flip(-1), [part.flip(-1) for part in rest]


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
    torch.manual_seed(seed)
    torch.backends.cudnn.benchmark = True
    torch.set_float32_matmul_precision("high")
    begun = time.monotonic()
    rng, draw = np.random.default_rng(seed), torch.Generator(device).manual_seed(seed)
    scenes = stream_scenes(seed * 1_000_003, chunk, chunk, processes)
    banks = [
        make_bank(seed + k, device, 64 if device == "cuda" else 12)
        for k in range(2 if device == "cuda" else 1)
    ]
    print(f"textures after {time.monotonic() - begun:.0f} s", flush=True)
    boards, holes = Learner(BoardNetwork(), device, rate), Learner(HoleNetwork(), device, rate)
    if start is not None:
        boards.load(start / "board.pt")
        holes.load(start / "hole.pt")
    size = 16384 if device == "cuda" else 512
    board_buffer, hole_buffer = Buffer(size), Buffer(2 * size)
    warm, drawn, saved, told = 1 if device == "cpu" else 8, 0, begun, begun
    spent = {"draw": 0.0, "train": 0.0}
    chunks = 0
    while (now := time.monotonic()) - begun < seconds:
        share = (now - begun) / seconds
        board_scenes, hole_scenes = next(scenes)
        bank = banks[chunks % len(banks)]
        with torch.no_grad():
            b = draw_boards(board_scenes, bank, choose_development(rng, 2.8), draw)
            h = draw_holes(hole_scenes, bank, choose_development(rng, 4.8), draw)
        board_buffer.add([b.planes, b.camera_mm, b.heat, b.offset, b.near, b.objects, b.weight])
        hole_buffer.add([h.planes, h.camera_mm, h.state, h.weight])
        drawn, chunks = drawn + chunk, chunks + 1
        if device == "cuda":
            torch.cuda.synchronize()
        spent["draw"] += time.monotonic() - now
        now = time.monotonic()
        if chunks > warm:
            for _ in range(max(_USES * chunk // batch, 1)):
                step_boards(boards, board_buffer, batch, share, device)
            for _ in range(max(6 * _USES * chunk // (5 * batch), 1)):
                step_holes(holes, hole_buffer, 3 * batch, share, device)
            if device == "cuda":
                torch.cuda.synchronize()
        spent["train"] += time.monotonic() - now
        if (now := time.monotonic()) - told > 20:
            told = now
            print(
                f"{now - begun:.0f} s: {drawn} boards, {boards.steps} steps, "
                f"loss {boards.losses:.3f}, hole {holes.losses:.3f}, "
                f"drawing {spent['draw']:.0f} s, training {spent['train']:.0f} s",
                flush=True,
            )
        if now - saved > 60:
            saved = now
            boards.save(out / "board.pt")
            holes.save(out / "hole.pt")
    boards.save(out / "board.pt")
    holes.save(out / "hole.pt")
    scenes.close()
    print(
        f"{drawn} boards, {boards.steps} steps, loss {boards.losses:.3f}, hole {holes.losses:.3f}"
    )


def step_boards(learner: Learner, buffer: Buffer, batch: int, share: float, device: str) -> None:
    """One step of the board network."""
    planes, camera, *rest = buffer.sample(batch)
    heat, offset, near, objects, weight = rest
    if torch.rand(()) < 0.5:
        planes, (heat, offset, near, objects, weight) = _mirror(planes, rest)
        offset = offset * torch.tensor([-1.0, 1.0], device=offset.device)[:, None, None].to(
            offset.dtype
        )
        camera = camera * torch.tensor([-1.0, 1.0, 1.0], device=camera.device)
    x = add_shift(_mix_colours(planes), camera, DISC_MM_PER_PX).contiguous(
        memory_format=torch.channels_last
    )
    learner.network.train()
    with torch.autocast(device, torch.bfloat16, enabled=device == "cuda"):
        out = learner.run(x)
    learner.step(
        board_loss(
            out, heat.float(), offset.float(), near.float(), objects.float(), weight.float()
        ),
        share,
    )


def step_holes(learner: Learner, buffer: Buffer, batch: int, share: float, device: str) -> None:
    """One step of the hole network."""
    planes, camera, state, weight = buffer.sample(batch)
    if torch.rand(()) < 0.5:
        planes = planes.flip(-1)
        camera = camera * torch.tensor([-1.0, 1.0, 1.0], device=camera.device)
    x = add_shift(_mix_colours(planes), camera, HOLE_MM_PER_PX).contiguous(
        memory_format=torch.channels_last
    )
    learner.network.train()
    with torch.autocast(device, torch.bfloat16, enabled=device == "cuda"):
        out = learner.run(x)
    loss = nn.functional.cross_entropy(out.float(), state, reduction="none", label_smoothing=0.02)
    learner.step((loss * weight).sum() / weight.sum().clamp(min=1), share)


def main() -> None:
    """Train from the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path)
    parser.add_argument("--seconds", type=float, default=28_000.0)
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
    processes = args.processes if args.processes >= 0 else (10 if device == "cuda" else 0)
    train(args.out, args.seconds, args.seed, device, chunk, batch, processes, args.rate, args.start)


if __name__ == "__main__":
    main()
