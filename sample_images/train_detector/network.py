"""The two networks: discs and objects on a whole board, and the state of its hole.

Both see the surface's plane and a second one, with the shift of standing objects as two channels
(``add_shift``). They have plain 3x3 convolutions with batch normalisation, which the export folds
away, so ``cv2.dnn`` runs them at full speed on one core.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional

from sample_images.train_detector.crops import SHIFT_HEIGHT_MM, SHIFT_SCALE_MM

#: Channels in: two planes of colour, and the shift in x and y.
CHANNELS_IN = 8


def add_shift(planes: Tensor, camera_mm: Tensor, mm_per_px: float) -> Tensor:
    """Planes (b, 6, s, s) uint8 → (b, 8, s, s), 0 to 1, with the shift of a point at a disc's
    height.
    """
    side = planes.shape[-1]
    step = (torch.arange(side, device=planes.device) - (side - 1) / 2) * mm_per_px
    factor = SHIFT_HEIGHT_MM / SHIFT_SCALE_MM / camera_mm[:, 2:]
    x = (step[None] - camera_mm[:, :1]) * factor
    y = (-step[None] - camera_mm[:, 1:2]) * factor
    across = x[:, None, None, :].expand(-1, 1, side, side)
    along = y[:, None, :, None].expand(-1, 1, side, side)
    return torch.cat([planes.float() / 255, across, along], 1)


def _conv(into: int, out: int, stride: int = 1, dilation: int = 1) -> nn.Sequential:
    return nn.Sequential(
        nn.Conv2d(into, out, 3, stride, dilation, dilation, bias=False),
        nn.BatchNorm2d(out),
        nn.ReLU(inplace=True),
    )


class _Residual(nn.Module):
    """Two convolutions added to their input."""

    def __init__(self, channels: int, dilation: int = 1) -> None:
        super().__init__()
        self.first = _conv(channels, channels, dilation=dilation)
        self.second = _conv(channels, channels)[:2]

    def forward(self, x: Tensor) -> Tensor:
        return functional.relu(x + self.second(self.first(x)))


class BoardNetwork(nn.Module):
    """(b, 8, 336, 336) → (b, 4, 84, 84): a disc's base centre here, its offset in cells (x, y),
    and an object over the board; the first and last as logits."""

    def __init__(self, wide: int = 40, wider: int = 80, widest: int = 116) -> None:
        super().__init__()
        self.stem = nn.Sequential(
            _conv(CHANNELS_IN, 24, 2), _conv(24, wide, 2), _Residual(wide), _Residual(wide)
        )
        self.middle = nn.Sequential(_conv(wide, wider, 2), _Residual(wider), _Residual(wider))
        self.deep = nn.Sequential(
            _conv(wider, widest, 2), _Residual(widest, 2), _Residual(widest, 3)
        )
        self.up_half = nn.Sequential(nn.Conv2d(widest, wider, 1, bias=False), nn.BatchNorm2d(wider))
        self.join_half = _conv(wider, wider)
        self.up_whole = nn.Sequential(nn.Conv2d(wider, wide, 1, bias=False), nn.BatchNorm2d(wide))
        self.join_whole = nn.Sequential(_conv(wide, wide), _conv(wide, 56))
        self.head = nn.Conv2d(56, 4, 1)
        nn.init.constant_(self.head.bias, 0.0)
        with torch.no_grad():
            self.head.bias[0] = -4.0
            self.head.bias[3] = -2.0

    def forward(self, x: Tensor) -> Tensor:
        whole = self.stem(x)
        half = self.middle(whole)
        quarter = self.deep(half)
        half = self.join_half(
            functional.relu(
                half + functional.interpolate(self.up_half(quarter), scale_factor=2, mode="nearest")
            )
        )
        whole = self.join_whole(
            functional.relu(
                whole + functional.interpolate(self.up_whole(half), scale_factor=2, mode="nearest")
            )
        )
        return self.head(whole)


class HoleNetwork(nn.Module):
    """(b, 8, 96, 96) → (b, 4) logits: empty, a disc in it, another object over it, hidden."""

    def __init__(self, narrow: int = 32, wide: int = 56, wider: int = 104) -> None:
        super().__init__()
        self.body = nn.Sequential(
            _conv(CHANNELS_IN, narrow, 2),
            _conv(narrow, wide, 2),
            _Residual(wide),
            _conv(wide, wider, 2),
            _Residual(wider),
            _conv(wider, wider, 2),
        )
        self.head = nn.Conv2d(wider, 4, 6)

    def forward(self, x: Tensor) -> Tensor:
        return self.head(self.body(x)).flatten(1)


def board_loss(
    out: Tensor, heat: Tensor, offset: Tensor, near: Tensor, objects: Tensor, weight: Tensor
) -> Tensor:
    """Quality focal loss (Li et al. 2020) of centres, L1 of offsets, cross entropy of objects."""
    logit = out[:, 0].float()
    entropy = functional.binary_cross_entropy_with_logits(logit, heat, reduction="none")
    count = (heat > 0.5).sum().clamp(min=1)
    centres = 2.0 * ((logit.sigmoid() - heat).abs() ** 2 * entropy * weight).sum() / count
    away = ((out[:, 1:3].float() - offset).abs().sum(1) * near).sum() / near.sum().clamp(min=1)
    object_loss = functional.binary_cross_entropy_with_logits(out[:, 3].float(), objects)
    return centres + 0.7 * away + 3.0 * object_loss
