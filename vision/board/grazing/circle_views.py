"""The views in which a circle about the board's centre is a given ellipse in the picture.

Two families of planes cut the cone of rays through the ellipse to a circle (Chen, Huang and Wu,
'Camera calibration with two arbitrary coplanar circles', ECCV 2004). Seen from a table's side, only
one of them faces upwards. The lens's distortion is ignored.
"""

from __future__ import annotations

import numpy as np

from calibration.camera import Camera, FloatArray
from calibration.pose import Pose, View
from vision.board.grazing.ellipses import ImageEllipse

#: A surface faces down if its normal points down by more than this (sine).
_MAX_DOWN = 0.2


def compute_circle_views(
    ellipse: ImageEllipse, camera: Camera, radius_mm: float
) -> tuple[View, ...]:
    """The views, none to two, in which a circle about the board's centre is the ellipse.

    Views of a surface that faces down are left out.
    """
    intrinsics = np.array(
        [[camera.fx_px, 0.0, camera.cx_px], [0.0, camera.fy_px, camera.cy_px], [0.0, 0.0, 1.0]]
    )
    cone = intrinsics.T @ ellipse.conic @ intrinsics
    values, vectors = np.linalg.eigh(cone)  # rising: inside the cone is negative
    low, middle, high = values
    if not low < 0.0 < middle:
        return ()
    edge_ray = np.linalg.solve(intrinsics, np.append(ellipse.end_px, 1.0))
    across = np.sqrt((high - middle) / (high - low)) * vectors[:, 2]
    along = np.sqrt((middle - low) / (high - low)) * vectors[:, 0]
    views = []
    for normal in (along + across, along - across):
        centre = np.linalg.solve(cone, normal)
        centre /= centre[2]
        if normal @ centre > 0:  # the face is turned to the camera
            normal = -normal
        if normal[1] > _MAX_DOWN or normal[2] >= 0:
            continue
        edge = edge_ray * (normal @ centre) / (normal @ edge_ray)
        scale = radius_mm / float(np.linalg.norm(edge - centre))
        views.append(_make_view(camera, normal, centre * scale))
    return tuple(views)


def _make_view(camera: Camera, normal: FloatArray, centre_mm: FloatArray) -> View:
    """The view of a board at a place and with a normal, its x axis to the picture's right."""
    right = np.array([1.0, 0.0, 0.0]) - normal[0] * normal
    right /= np.linalg.norm(right)
    rotation = np.column_stack([right, np.cross(normal, right), normal])
    return View(camera=camera, cam_from_board=Pose(rotation=rotation, translation_mm=centre_mm))
