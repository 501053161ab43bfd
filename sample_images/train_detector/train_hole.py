"""Train the hole network further: ``python -m sample_images.train_detector.train_hole OUT_DIR``.

It continues from shipped weights (``--start``, an ONNX file), on crops of ``hole_drawer``, with one
processor core and without a GPU. Crops are drawn while it trains; a crop is used a few times, every
time in another light and colour. The running mean of the weights is saved as ``OUT_DIR/hole.pt``.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
import onnx
import torch
from onnx import numpy_helper
from torch import Tensor, nn
from torch.nn import functional

from sample_images.train_detector.crops import HOLE_MM_PER_PX
from sample_images.train_detector.hole_drawer import HoleDrawer
from sample_images.train_detector.network import HoleNetwork, add_shift
from sample_images.train_detector.train import Buffer, Learner

#: Crops drawn at a time with the same textures, and crops of a step.
CHUNK, BATCH = 250, 64


def read_onnx(path: Path) -> HoleNetwork:
    """The hole network, folded, with the weights of an ONNX file."""
    graph = onnx.load(path).graph
    stored = {item.name: numpy_helper.to_array(item) for item in graph.initializer}
    network = HoleNetwork(folded=True)
    layers = [part for part in network.modules() if isinstance(part, nn.Conv2d)]
    nodes = [node for node in graph.node if node.op_type == "Conv"]
    with torch.no_grad():
        for layer, node in zip(layers, nodes, strict=True):
            layer.weight.copy_(torch.tensor(stored[node.input[1]]))
            if layer.bias is not None:
                layer.bias.copy_(torch.tensor(stored[node.input[2]]))
    return network


def vary(planes: Tensor, camera_mm: Tensor) -> Tensor:
    """The network's input (b, 8, s, s) of planes (b, 6, s, s) uint8: mirrored, with colours
    swapped, in another light, blurred and noisy at random.
    """
    n = len(planes)

    def chosen(share: float) -> Tensor:
        return (torch.rand(n) < share)[:, None, None, None]

    image = planes.float() / 255
    flip = chosen(0.5)
    image = torch.where(flip, image.flip(-1), image)
    mirrored = camera_mm * torch.tensor([-1.0, 1.0, 1.0])
    camera_mm = torch.where(flip[..., 0, 0], mirrored, camera_mm)
    order = torch.randperm(3)
    image = torch.where(chosen(0.2), image[:, torch.cat([order, order + 3])], image)
    gamma = torch.exp(0.2 * torch.randn(n))[:, None, None, None]
    gain = torch.exp(0.15 * torch.randn(n, 1) + 0.05 * torch.randn(n, 3)).repeat(1, 2)
    image = image.clamp(min=1e-3) ** gamma * gain[..., None, None]
    blurred = functional.avg_pool2d(functional.pad(image, (1, 1, 1, 1), "replicate"), 3, 1)
    image = torch.where(chosen(0.2), blurred, image)
    noise = 0.03 * torch.rand(n)[:, None, None, None] ** 2
    image = (image + noise * torch.randn_like(image)).clamp(0, 1)
    return add_shift(255 * image, camera_mm, HOLE_MM_PER_PX)


def draw_chunk(seed: int, chunk: int, count: int) -> list[Tensor]:
    """``count`` crops: planes, cameras, states and weights. Four chunks share their textures."""
    drawer, rng = HoleDrawer(seed + chunk // 4, 20), np.random.default_rng((seed, chunk))
    samples = [drawer.draw(rng) for _ in range(count)]
    return [
        torch.from_numpy(np.stack([sample.planes for sample in samples])),
        torch.from_numpy(np.stack([sample.camera_mm for sample in samples])),
        torch.tensor([sample.state for sample in samples]),
        torch.tensor([sample.weight for sample in samples]),
    ]


def train(
    start: Path, out: Path, *, chunks: int, count: int, uses: int, seed: int, rate: float
) -> None:
    """Draw ``chunks`` times ``count`` crops, and train in turns."""
    torch.manual_seed(seed)
    torch.set_num_threads(1)
    learner, buffer = Learner(read_onnx(start), "cpu", rate), Buffer(chunks * count)
    steps = max(uses * count // BATCH, 1)
    for chunk in range(chunks):
        buffer.add(draw_chunk(seed, chunk, count))
        for k in range(steps):
            planes, camera_mm, state, weight = buffer.sample(BATCH)
            x = vary(planes, camera_mm).contiguous(memory_format=torch.channels_last)
            loss = functional.cross_entropy(
                learner.run(x), state, reduction="none", label_smoothing=0.02
            )
            share = (chunk + k / steps) / chunks
            learner.step((loss * weight).sum() / weight.sum().clamp(min=1), share)
        print(f"{buffer.count} crops, {learner.steps} steps, loss {learner.losses:.3f}", flush=True)
        learner.save(out / "hole.pt")


def main() -> None:
    """Train from the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path)
    parser.add_argument("--start", type=Path, default=Path("vision/detector/hole.onnx"))
    parser.add_argument("--chunks", type=int, default=30, help=f"of {CHUNK} crops")
    parser.add_argument("--uses", type=int, default=6, help="of a crop")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--rate", type=float, default=6e-4, help="highest learning rate")
    args = parser.parse_args()
    args.out.mkdir(parents=True, exist_ok=True)
    train(
        args.start,
        args.out,
        chunks=args.chunks,
        count=CHUNK,
        uses=args.uses,
        seed=args.seed,
        rate=args.rate,
    )


if __name__ == "__main__":
    main()
