"""What the search for boards does quickly gives what its plain definition gives."""

from __future__ import annotations

import numpy as np
import pytest

from calibration.camera import Camera
from vision.search import _misalignments, _plane

CAMERA = Camera(fx_px=900.0, fy_px=900.0, cx_px=511.5, cy_px=383.5, k1=-0.05)


@pytest.mark.parametrize("tilt", [(0.0, 0.0), (0.3, -0.4), (-0.9, 0.2)])
def test_views_looked_at_together_are_seen_as_each_alone(tilt: tuple[float, float]) -> None:
    rng = np.random.default_rng(0)
    rays = CAMERA.rays(rng.uniform(0, 1000, (50, 2)))
    gradients = rng.normal(size=(50, 2))
    place = np.array([*tilt, 480.0, 350.0])
    others = place + rng.normal(0, 0.01, (2, 4))
    sines, arms = _misalignments(np.stack([place, *others]), rays.T, gradients.T, CAMERA)

    plane = _plane(*tilt)
    points, seen = plane.lay(rays)
    arm = points - plane.lay(CAMERA.rays(place[None, 2:]))[0]
    turned = plane.turn(rays, gradients)
    sine = (turned[:, 0] * arm[:, 1] - turned[:, 1] * arm[:, 0]) / np.linalg.norm(arm, axis=-1)
    assert np.allclose(arms[0].T[seen], arm[seen])
    assert np.allclose(sines[0], np.where(seen, sine, 1.0))
