"""An invented picture and its reading, for tests of the steps that follow a reading."""

from __future__ import annotations

from dataclasses import replace

import cv2
import numpy as np

from calibration.board import BoardSpec
from calibration.camera import Camera
from calibration.circle import circle_mm
from calibration.disc import DiscSpec
from calibration.fit import BoardFit
from calibration.placed_disc import DiscState, PlacedDisc, Team
from calibration.pose import Pose, View
from vision.io.frame import Frame
from vision.reading import Reading, UnexplainedObject, UnexplainedReason

#: Sizes that many other discs determined.
DISC = DiscSpec(radius_mm=15.8, radius_sigma_mm=0.1, height_sigma_mm=0.3)
WHITE = Team(number=0, colour_rgb=(235, 232, 220), colour_name="white")
BLACK = Team(number=1, colour_rgb=(28, 26, 30), colour_name="black")


def view(width_px: int, height_px: int, tilt_deg: float = 30.0) -> View:
    """A camera 1.1 m from the board's centre, looking at it, upright."""
    tilt = np.radians(tilt_deg)
    rotation = np.array(
        [
            [1.0, 0.0, 0.0],
            [0.0, -np.cos(tilt), -np.sin(tilt)],
            [0.0, np.sin(tilt), -np.cos(tilt)],
        ]
    )
    focal_px = 1.25 * min(width_px, height_px)
    camera = Camera(
        fx_px=focal_px,
        fy_px=focal_px,
        cx_px=(width_px - 1) / 2,
        cy_px=(height_px - 1) / 2,
        k1=0.02,
    )
    pose = Pose(rotation=rotation, translation_mm=np.array([4.0, -6.0, 1100.0]))
    return View(camera=camera, cam_from_board=pose)


def frame(width_px: int = 1200, height_px: int = 900, scale: float = 1.0) -> Frame:
    """A plain table with a plain board on it."""
    image = np.full((height_px, width_px, 3), (70, 80, 90), np.uint8)
    seen = view(width_px, height_px)
    surface = seen.project_plane(circle_mm((0.0, 0.0), 330.2, 90))
    cv2.fillConvexPoly(image, np.round(surface).astype(np.int32), (140, 190, 225), cv2.LINE_AA)
    return Frame(
        name="example.jpg",
        image=image,
        scale=scale,
        width_px=round(width_px / scale),
        height_px=round(height_px / scale),
    )


def disc(
    x_mm: float,
    y_mm: float,
    team: Team = WHITE,
    state: DiscState = DiscState.FLAT,
    *,
    sigma_mm: float = 0.1,
    confidence: float = 1.0,
) -> PlacedDisc:
    return PlacedDisc(
        centre_mm=np.array([x_mm, y_mm]),
        covariance_mm2=np.eye(2) * sigma_mm**2,
        team=team.number,
        state=state,
        confidence=confidence,
    )


def reading(of: Frame, discs: tuple[PlacedDisc, ...] = ()) -> Reading:
    """A reading with a board and these discs."""
    height_px, width_px = of.image.shape[:2]
    return Reading(
        board=BoardFit(
            view=view(width_px, height_px),
            spec=BoardSpec(line_radii_mm=(100.9, 203.2, 305.3), hole_centre_mm=(0.6, -0.4)),
            residual_px=0.31,
            covariance=np.eye(10),
        ),
        teams=(WHITE, BLACK),
        discs=discs,
        disc=DISC,
        stage_s={"board": 0.02, "discs": 0.01},
    )


#: A disc of every kind: certain, close, a twenty, a leaner, one on the rim.
EVERYTHING = (
    disc(0.5, -0.3, BLACK, DiscState.IN_HOLE),
    disc(-9.0, 12.0, WHITE, DiscState.LEANING, confidence=0.8),
    disc(60.0, 20.0, WHITE),
    disc(-84.6, 0.0, BLACK),
    disc(0.0, 150.0, BLACK),
    disc(-160.0, -180.0, WHITE),
    disc(0.0, -322.0, WHITE, DiscState.OVERHANGING),
)


def with_something_unexplained(read: Reading) -> Reading:
    thing = UnexplainedObject(centre_mm=np.array([120.0, -40.0]), reason=UnexplainedReason.REGION)
    return replace(read, unexplained=(thing,))
