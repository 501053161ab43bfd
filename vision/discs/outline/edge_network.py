"""The place of an outline on short lines across it, by a small network (a multilayer perceptron).

Rounded edges, glints, contact shadows and blur shift the strongest step across a rim by half a
millimetre. Light from one side shifts all discs of a picture in one direction. The network was
trained on several thousand rims, traced with their truth under all kinds of light
(``sample_images.train_rims``). ``sample_images.train_rims.train_edge_network`` trains it again. It
sees 3.2 mm on both sides of a guess. For an outline farther away, or hidden, it usually gives a
large sigma.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np

from calibration.camera import FloatArray
from calibration.pose import View
from vision.discs.outline.contour import Contour
from vision.discs.outline.edge_profiles import sample_profiles

# The features' inputs are not parameters, because the stored weights are valid only for these
# features.

#: Where the lines are sampled, mm out along the outline's normal.
_OFFSETS_MM = np.arange(-8, 9) * 0.4
#: Every so many samples of the opposite side's line are features, too, because they show the light.
_OPPOSITE_EVERY = 2
#: Number of samples at either end that show the face, and the disc's surroundings.
_END_SAMPLES = 3
#: Colours further away than this, in units of the difference between face and surroundings, are
#: treated alike.
_MAX_COORDINATE = 3.0
#: A face and its surroundings differ by at least this, of 1: noise alone makes such a difference.
_MIN_CONTRAST = np.float32(0.01)
#: Unit vector along which a colour becomes brighter.
_GREY = np.full(3, 3**-0.5, np.float32)

_WEIGHTS = Path(__file__).with_name("outline_edges.npz")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class OutlineEdges:
    """Places of the outlines of n discs in k directions.

    offset_mm  outward along the guessed outline's normal: (n, k)
    sigma_mm   scale of the error's Student distribution: (n, k)
    """

    offset_mm: FloatArray
    sigma_mm: FloatArray


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class EdgeNetwork:
    """Two hidden layers of tanh over features scaled to unit spread.

    middle, spread  of the features (f,)
    layers          weights and biases: (f, a), (a,), (a, b), (b,), (b, 2), (2,)
    """

    middle: np.ndarray
    spread: np.ndarray
    layers: tuple[np.ndarray, ...]

    def __call__(self, features: np.ndarray) -> np.ndarray:
        """Offset, mm, and the logarithm of its sigma, of features (m, f): (m, 2) float32."""
        first, first_bias, second, second_bias, last, last_bias = self.layers
        hidden = np.tanh((features - self.middle) / self.spread @ first + first_bias)
        return np.asarray(np.tanh(hidden @ second + second_bias) @ last + last_bias)

    def save(self, path: Path) -> None:
        """Write the weights to an ``.npz`` file. Raises ``OSError``."""
        np.savez(path, self.middle, self.spread, *self.layers)

    @staticmethod
    def load(path: Path) -> EdgeNetwork:
        """The network that ``save`` wrote. Raises ``OSError`` or ``ValueError``."""
        with np.load(path) as stored:
            middle, spread, *layers = (stored[name] for name in stored.files)
        return EdgeNetwork(middle=middle, spread=spread, layers=tuple(layers))


@cache
def _load_trained_network() -> EdgeNetwork:
    return EdgeNetwork.load(_WEIGHTS)


def predict_outline_edges(image: np.ndarray, view: View, outline: Contour) -> OutlineEdges:
    """Positions of the true outlines near a guess of them, on ``image`` (h, w, 3) BGR uint8."""
    shape = outline.point_mm.shape[:2]
    prediction = _load_trained_network()(compute_edge_features(image, view, outline)).astype(
        np.float64
    )
    offset, log_sigma = prediction.reshape(*shape, 2)[..., 0], prediction.reshape(*shape, 2)[..., 1]
    return OutlineEdges(offset_mm=offset, sigma_mm=np.exp(log_sigma))


def compute_edge_features(image: np.ndarray, view: View, outline: Contour) -> np.ndarray:
    """The network's features: (n k, f) float32.

    For every line and the opposite one, two coordinates of the colour: its position between that of
    the face (0) and that of the surroundings (1), and its extra brightness, in the same unit. Then
    that unit, whether the surroundings are brighter, the brightness of face and surroundings, the
    slope of the outline's normal, and the picture's scale.
    """
    n, k = outline.point_mm.shape[:2]
    colours = sample_profiles(image, view, outline, _OFFSETS_MM).astype(np.float32) / 255
    colours = colours.reshape(n, k, len(_OFFSETS_MM), 3)
    face = np.median(colours[:, :, :_END_SAMPLES].reshape(n, -1, 3), axis=1)
    around = np.median(colours[:, :, -_END_SAMPLES:].reshape(n, -1, 3), axis=1)
    contrast = np.maximum(np.linalg.norm(around - face, axis=-1, keepdims=True), _MIN_CONTRAST)
    direction = (around - face) / contrast
    brighter = _GREY - (direction @ _GREY)[:, None] * direction
    brighter /= np.maximum(np.linalg.norm(brighter, axis=-1, keepdims=True), _MIN_CONTRAST)
    axes = np.stack([direction, brighter], axis=-1) / contrast[..., None]
    coordinates = (colours.reshape(n, -1, 3) - face[:, None]) @ axes
    coordinates = np.clip(coordinates, -_MAX_COORDINATE, _MAX_COORDINATE).reshape(n, k, -1, 2)
    opposite = np.roll(coordinates, k // 2, axis=1)[:, :, ::_OPPOSITE_EVERY]
    disc = np.stack(
        [np.log(contrast[:, 0]), direction @ _GREY, face @ _GREY, around @ _GREY], axis=-1
    )
    rise = outline.normal[..., 2:]
    parts = (
        coordinates.reshape(n, k, -1),
        opposite.reshape(n, k, -1),
        np.broadcast_to(disc[:, None], (n, k, disc.shape[-1])),
        rise,
        np.abs(rise),
        np.full_like(rise, np.log(view.mm_per_px())),
    )
    return np.concatenate(parts, axis=-1, dtype=np.float32, casting="same_kind").reshape(n * k, -1)
