"""From linear light to the picture of a phone or a broadcast, and its rectified crops.

Exposure, white balance, blur, fewer pixels, noise, sharpening and JPEG are applied on torch's
device. Then the planes of the surface and of the discs' tops are rectified by a pose with a
realistic error.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn import functional

from sample_images.train_detector.ray_caster import DrawnCamera

_LUMA_QUANTISER = torch.tensor(
    [16, 11, 10, 16, 24, 40, 51, 61, 12, 12, 14, 19, 26, 58, 60, 55, 14, 13, 16, 24, 40, 57, 69, 56,
     14, 17, 22, 29, 51, 87, 80, 62, 18, 22, 37, 56, 68, 109, 103, 77, 24, 35, 55, 64, 81, 104, 113,
     92, 49, 64, 78, 87, 103, 121, 120, 101, 72, 92, 95, 98, 112, 100, 103, 99]
).reshape(8, 8).float()  # fmt: skip
_YCC = torch.tensor(
    [[0.299, 0.587, 0.114], [-0.168736, -0.331264, 0.5], [0.5, -0.418688, -0.081312]]
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Development:
    """The common settings of a whole chunk of photos.

    shrink   canvas pixels per pixel of the photo
    quality  of JPEG, 0 to 100; above 96 none
    """

    shrink: float
    quality: float


def _blur(image: Tensor, sigma: Tensor, reach: int = 5) -> Tensor:
    """Gaussian blur (b, c, h, w) by sigmas (b, 2) of y and x, in pixels.

    It is a sum of shifted pictures, because convolutions of new sizes start slowly on a GPU.
    """
    at = torch.arange(-reach, reach + 1, device=image.device).float()
    kernel = torch.exp(-0.5 * (at / sigma[..., None].clamp(min=0.05)) ** 2)
    kernel = (kernel / kernel.sum(-1, keepdim=True))[..., None, None, None]
    for axis, pad in ((0, (0, 0, reach, reach)), (1, (reach, reach, 0, 0))):
        padded = functional.pad(image, pad, "replicate")
        size = image.shape[2 + axis]
        total = kernel[:, axis, 0] * padded.narrow(2 + axis, 0, size)
        for k in range(1, 2 * reach + 1):
            total.addcmul_(kernel[:, axis, k], padded.narrow(2 + axis, k, size))
        image = total
    return image


def _jpeg(image: Tensor, quality: float) -> Tensor:
    """``image`` (b, 3, h, w), 0 to 255, with JPEG's loss; colours at half the resolution."""
    device = image.device
    scale = (5000 / quality if quality < 50 else 200 - 2 * quality) / 100
    quant = (_LUMA_QUANTISER.to(device) * scale).clamp(min=1)
    u = torch.arange(8, device=device).float()
    dct = torch.cos((2 * u[None] + 1) * u[:, None] * math.pi / 16) / 2
    dct[0] /= math.sqrt(2)
    ycc = torch.einsum("ij,bjhw->bihw", _YCC.to(device), image)

    def lose(plane: Tensor, table: Tensor) -> Tensor:
        n, c, h, w = plane.shape
        padded = functional.pad(plane, (0, -w % 8, 0, -h % 8), "replicate")
        blocks = padded.reshape(n, c, padded.shape[2] // 8, 8, padded.shape[3] // 8, 8)
        freq = torch.einsum("ux,ncaxby,vy->ncaubv", dct, blocks - 128, dct)
        freq = (freq / table[:, None]).round() * table[:, None]
        back = torch.einsum("ux,ncaubv,vy->ncaxby", dct, freq, dct) + 128
        return back.reshape(padded.shape)[..., :h, :w]

    luma = lose(ycc[:, :1], quant)
    small = functional.interpolate(ycc[:, 1:] + 128, scale_factor=0.5, mode="area")
    chroma = lose(small, (quant * 1.4 + 4 * scale).clamp(min=1)) - 128
    chroma = functional.interpolate(chroma, size=luma.shape[-2:], mode="bilinear")
    whole = torch.cat([luma, chroma], 1)
    return torch.einsum("ij,bjhw->bihw", torch.linalg.inv(_YCC).to(device), whole).clamp(0, 255)


def develop(light: Tensor, how: Development, draw: torch.Generator) -> Tensor:
    """``light`` (b, h, w, 3) → a photo (b, 3, h', w'), 0 to 255, whole numbers."""
    device = light.device

    def uniform(*shape: int) -> Tensor:
        return torch.rand(*shape, generator=draw, device=device)

    def normal(*shape: int) -> Tensor:
        return torch.randn(*shape, generator=draw, device=device)

    n = len(light)
    image = light.permute(0, 3, 1, 2).clamp(0, 50)
    mean = image.clamp(max=2).flatten(1).mean(1)
    target = torch.exp(math.log(0.07) + uniform(n) * math.log(7.5))
    target = target * torch.exp(0.9 * uniform(n) * (uniform(n) < 0.15))
    balance = torch.exp(0.12 * normal(n, 3) * (uniform(n, 1) < 0.7))
    image = image * (target / mean.clamp(min=1e-3))[:, None, None, None] * balance[..., None, None]
    knee = 0.7 + 0.3 * uniform(n)[:, None, None, None]
    image = torch.where(
        image > knee, knee + (1 - knee) * torch.tanh((image - knee) / (1.001 - knee)), image
    )
    grey = image.mean(1, keepdim=True)
    colour = (1 + 0.25 * normal(n) - 0.95 * (uniform(n) < 0.02).float())[:, None, None, None].clamp(
        0, 1.8
    )
    image = (grey + colour * (image - grey)).clamp(0, 1) ** (1 / 2.2)
    soft = how.shrink * (0.35 + 0.9 * uniform(n, 1) ** 2) + (uniform(n, 1) < 0.15) * 2.0 * uniform(
        n, 1
    )
    soft = soft * torch.exp(0.25 * normal(n, 2) * (uniform(n, 1) < 0.3))
    image = _blur(image, soft.clamp(max=2.5))
    size = [max(int(v / how.shrink), 16) for v in image.shape[-2:]]
    image = functional.interpolate(
        image, size=size, mode="bilinear", antialias=True, align_corners=False
    )
    noise = torch.exp(-6.0 + 2.4 * uniform(n))[:, None, None, None]
    grain = normal(*image.shape)
    smooth = functional.avg_pool2d(functional.pad(grain, (1, 1, 1, 1), "replicate"), 3, 1) * 2
    mix = (uniform(n) < 0.5).float()[:, None, None, None]
    image = image + noise * (mix * smooth + (1 - mix) * grain)
    sharp = (uniform(n) < 0.4).float() * uniform(n) * 1.2
    image = image + sharp[:, None, None, None] * (
        image - _blur(image, torch.full((n, 2), 1.0, device=device), 2)
    )
    image = image.clamp(0, 1) * 255
    if how.quality < 96:
        image = _jpeg(image, how.quality)
    return image.round()


def rectify(
    photo: Tensor,
    camera: DrawnCamera,
    shrink: float,
    centre_mm: Tensor,
    z_mm: float,
    side_px: int,
    mm_per_px: float,
) -> Tensor:
    """The plane at ``z_mm`` around ``centre_mm`` (b, 2): (b, c, side, side), +y up; black
    beyond.
    """
    step = (torch.arange(side_px, device=photo.device) - (side_px - 1) / 2) * mm_per_px
    y, x = torch.meshgrid(-step, step, indexing="ij")
    plane = torch.stack([x, y], -1)[None] + centre_mm[:, None, None]
    plane = torch.cat([plane, torch.full_like(plane[..., :1], z_mm)], -1)
    px = (camera.project(plane) + 0.5) / shrink
    size = torch.tensor([photo.shape[-1], photo.shape[-2]], device=photo.device)
    return functional.grid_sample(photo, px / size * 2 - 1, align_corners=False)


def misplace(camera: DrawnCamera, draw: torch.Generator, spread: float = 1.0) -> DrawnCamera:
    """The camera with a fit's error: turned, lifted and magnified a little."""
    n, device = len(camera.centre_mm), camera.centre_mm.device
    error = torch.randn(n, 5, generator=draw, device=device) * spread
    heavy = 1 + 2 * (torch.rand(n, 1, generator=draw, device=device) < 0.1)
    error = error * heavy
    scale = torch.exp(error[:, :2] * 0.002)
    shift = (
        error[:, 2:4] * 0.0012 * camera.focal_px * 700 / camera.centre_mm.norm(dim=-1, keepdim=True)
    )
    middle = camera.middle_px + shift
    # the board's middle stays at its place in the picture when the magnification is wrong
    home = camera.project(torch.zeros(n, 1, 3, device=device))[:, 0]
    middle = home + (middle - home) * scale
    turn = error[:, 4] * 0.008
    c, s, z, one = turn.cos(), turn.sin(), torch.zeros_like(turn), torch.ones_like(turn)
    about_x = torch.stack([one, z, z, z, c, -s, z, s, c], -1).reshape(n, 3, 3)
    return DrawnCamera(
        centre_mm=torch.einsum("bij,bj->bi", about_x, camera.centre_mm),
        axes=about_x @ camera.axes,
        focal_px=camera.focal_px * scale,
        middle_px=middle,
    )
