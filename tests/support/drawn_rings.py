"""Ring points as a camera would see them: exact, or with noise and outliers."""

from __future__ import annotations

import numpy as np

from calibration.board import BoardSpec
from calibration.pose import Pose, View
from calibration.ring_residuals import RingPoints


def ring_points(
    view: View, spec: BoardSpec, *, noise_px: float = 0.0, outliers: float = 0.0, seed: int = 1
) -> RingPoints:
    rng = np.random.default_rng(seed)
    azimuths = np.arange(120) * (2 * np.pi / 120)
    ring = np.repeat(np.arange(3), len(azimuths))
    px = np.concatenate([view.project_plane(spec.line_points_mm(k, azimuths)) for k in range(3)])
    px = px + rng.normal(0.0, noise_px, px.shape) if noise_px else px
    wrong = rng.random(len(px)) < outliers
    px[wrong] += rng.uniform(-25, 25, (int(wrong.sum()), 2))
    return RingPoints(points_px=px, ring=ring, px_per_mm=np.full(len(px), 0.8))


def moved(view: View, shift_mm: float) -> View:
    pose = view.cam_from_board
    shifted = Pose(rotation=pose.rotation, translation_mm=pose.translation_mm + shift_mm)
    return View(camera=view.camera, cam_from_board=shifted)
