"""Exports weights as the ONNX files shipped in ``vision/detector``: ``… export_onnx IN_DIR
OUT_DIR``.

Those of ``board.pt`` and ``hole.pt`` are exported, as many as IN_DIR has. Opset 13 by torch's first
exporter, with a fixed size, which OpenCV 4.9 and later read. Batch normalisation is folded into the
convolutions, weights are stored with 16 bits, and all files are compared with torch.
"""

from __future__ import annotations

import argparse
import warnings
from pathlib import Path

import cv2
import numpy as np
import onnx
import torch
from onnx import TensorProto, helper, numpy_helper
from torch import Tensor, nn

from sample_images.train_detector.crops import DISC_SIDE_PX, HOLE_SIDE_PX
from sample_images.train_detector.network import CHANNELS_IN, BoardNetwork, HoleNetwork

#: Largest difference between torch and OpenCV that rounding to 16 bits explains.
_ROUNDING = 1e-2


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


def halve_weights(path: Path) -> None:
    """Store the weights of an ONNX file with 16 bits. The program still computes with 32."""
    model = onnx.load(path)
    graph, casts = model.graph, []
    for stored in list(graph.initializer):
        values = numpy_helper.to_array(stored)
        if values.dtype == np.float32 and values.size > 1:
            short = f"{stored.name}.half"
            graph.initializer.remove(stored)
            graph.initializer.append(numpy_helper.from_array(values.astype(np.float16), short))
            casts.append(helper.make_node("Cast", [short], [stored.name], to=TensorProto.FLOAT))
    nodes = [*casts, *graph.node]
    del graph.node[:]
    graph.node.extend(nodes)
    onnx.checker.check_model(model)
    onnx.save(model, path)


def export(
    network: nn.Module, weights: Path, side: int, out: Path, temperature: float = 1.0
) -> float:
    """Write ``out``; returns the largest difference between OpenCV's output and torch's."""
    network.load_state_dict(torch.load(weights, map_location="cpu"))
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
    halve_weights(out)
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
    for network, name, side in (
        (BoardNetwork(), "board", DISC_SIDE_PX),
        (HoleNetwork(), "hole", HOLE_SIDE_PX),
    ):
        weights = args.weights / f"{name}.pt"
        if not weights.exists():
            continue
        temperature = args.temperature if name == "hole" else 1.0
        error = export(network, weights, side, args.out / f"{name}.onnx", temperature)
        print(f"{name}: OpenCV agrees to {error:.1e}")
        if error > _ROUNDING:
            raise SystemExit(f"{name}.onnx disagrees with torch")


if __name__ == "__main__":
    main()
