"""A buffer of samples, and an optimiser with running means, for training both networks."""

from __future__ import annotations

import math
from pathlib import Path

import torch
from torch import Tensor, nn

#: Number of steps over which a running mean of the weights forgets.
_MEAN_STEPS = 400


def prepare_torch(seed: int) -> None:
    """Seed torch, and let it choose fast kernels."""
    torch.manual_seed(seed)
    torch.backends.cudnn.benchmark = True
    torch.set_float32_matmul_precision("high")


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
