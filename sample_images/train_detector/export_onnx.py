"""Exports weights as the ONNX files shipped in ``vision/detector``: ``… export_onnx IN_DIR
OUT_DIR``.

Those of ``board.pt`` and ``hole.pt`` are exported, as many as IN_DIR has. Opset 13 by torch's first
exporter, with a fixed size, which OpenCV 4.9 and later read. Batch normalisation is folded into the
convolutions, and all files are compared with torch.
"""

from __future__ import annotations

import argparse
import warnings
from pathlib import Path

import cv2
import numpy as np
import torch
from torch import Tensor, nn

from sample_images.train_detector.crops import DISC_SIDE_PX, HOLE_SIDE_PX
from sample_images.train_detector.network import CHANNELS_IN, BoardNetwork, HoleNetwork

#: Largest difference between torch and OpenCV that rounding explains.
_ROUNDING = 1e-4


class _Probabilities(nn.Module):
    """Logits as probabilities: of the board per channel, of the hole together."""

    def __init__(self, network: nn.Module, temperature: float) -> None:
        super().__init__()
        self.network, self.temperature = network, temperature

    def forward(self, x: Tensor) -> Tensor:
        out = self.network(x)
        if out.dim() == 2:
            return torch.softmax(out / self.temperature, 1)
        return torch.cat([torch.sigmoid(out[:, :1]), out[:, 1:3], torch.sigmoid(out[:, 3:])], 1)


def _read(weights: Path) -> dict[str, Tensor]:
    stored: dict[str, Tensor] = torch.load(weights, map_location="cpu")
    return stored


def make_hole_network(weights: Path) -> HoleNetwork:
    """The hole network, with batch normalisation if its weights have it."""
    is_folded = not any("running_mean" in name for name in _read(weights))
    return HoleNetwork(folded=is_folded)


def export(
    network: nn.Module, weights: Path, side: int, out: Path, temperature: float = 1.0
) -> float:
    """Write ``out``; returns the largest difference between OpenCV's output and torch's."""
    network.load_state_dict(_read(weights))
    whole = _Probabilities(network, temperature).eval()
    example = torch.rand(1, CHANNELS_IN, side, side, generator=torch.Generator().manual_seed(1))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.onnx.export(
            whole,
            (example,),
            str(out),
            opset_version=13,
            input_names=["x"],
            output_names=["y"],
            dynamo=False,
        )
    net = cv2.dnn.readNetFromONNX(str(out))
    net.setInput(example.numpy())
    with torch.no_grad():
        expected = whole(example).numpy()
    return float(np.abs(net.forward().reshape(expected.shape) - expected).max())


def main() -> None:
    """Export the networks."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("weights", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument(
        "--temperature", type=float, default=1.0, help="of the hole's probabilities"
    )
    args = parser.parse_args()
    args.out.mkdir(parents=True, exist_ok=True)
    for make, name, side in (
        (lambda _: BoardNetwork(), "board", DISC_SIDE_PX),
        (make_hole_network, "hole", HOLE_SIDE_PX),
    ):
        weights = args.weights / f"{name}.pt"
        if not weights.exists():
            continue
        temperature = args.temperature if name == "hole" else 1.0
        error = export(make(weights), weights, side, args.out / f"{name}.onnx", temperature)
        print(f"{name}: OpenCV agrees to {error:.1e}")
        if error > _ROUNDING:
            raise SystemExit(f"{name}.onnx disagrees with torch")


if __name__ == "__main__":
    main()
