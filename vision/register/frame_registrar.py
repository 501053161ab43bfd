"""Registers a film's frames to one board while the camera moves.

A frame's pose is fitted to the reference's texture and to the ring lines, so errors do not
accumulate. The previous frame only determines the search area. A frame that cannot be registered
(blurred, covered, another scene) is skipped, and the board is then searched for from time to time.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from calibration.board import BoardSpec, FloatArray
from calibration.fit import BoardFit
from calibration.parameters import StageParameters, parameter
from calibration.pose import Pose, View
from calibration.ring_residuals import RingPoints
from vision.board.channels import CHANNELS
from vision.board.compare_views import rotate_to_match
from vision.board.find_board import PARAMS as FIND_BOARD
from vision.board.find_board import NoBoard, find_board
from vision.board.rings import TraceSettings, measure_ring_support, trace_rings
from vision.io.frame import Frame
from vision.register.board_texture import learn_texture
from vision.register.pose_fit import FramePose, fit_pose


class FrameRegistrarParameters(StageParameters):
    """Parameters of ``frame_registrar``."""

    #: The texture is matched again from the better view until the frame moves by less than this, at
    #: most this often.
    settled_px: float = parameter(
        4.0, unit="px", source="chosen: images resampled from views this near look alike"
    )
    #: A pose with a larger residual than this is rejected.
    max_residual_mm: float = parameter(
        0.8, unit="mm", source="chosen: five times the residual of registered frames"
    )


PARAMS = FrameRegistrarParameters()
#: After a frame that could not be registered, the board is searched for at most at this interval: a
#: search takes most of a second of processor time.
_SEARCH_EVERY_S = 0.3
#: Places of a line that are traced: every 3.75°.
_AZIMUTHS = 96
#: Most rounds of matching: the second is nearly always the last.
_MAX_ROUNDS = 3


class FrameRegistrar:
    """Registers the frames of one film, in order."""

    def __init__(self, reference: np.ndarray, fit: BoardFit, discs_mm: FloatArray) -> None:
        """``reference`` (h, w, 3) uint8 BGR shows the board of ``fit``, with discs at (n, 2).

        The lens of ``fit`` is the film's.
        """
        self._fit = fit
        self._lines = _choose_lines(reference, fit)
        self._texture = learn_texture(reference, fit.view, fit.spec, discs_mm)
        self._last: View | None = fit.view
        self._search_at_s = -np.inf

    @property
    def spec(self) -> BoardSpec:
        """The board's sizes."""
        return self._fit.spec

    def start_from(self, view: View) -> None:
        """Look for the next frame's board near ``view``."""
        self._last = view

    def register(self, image: np.ndarray, t_s: float) -> FramePose | None:
        """The view of the board in the frame ``image`` (h, w, 3) uint8 BGR; None if it is not
        visible.
        """
        pose = None if self._last is None else self._refine(image, self._last)
        if pose is None and t_s >= self._search_at_s:
            self._search_at_s = t_s + _SEARCH_EVERY_S
            found = self._search(image)
            pose = None if found is None else self._refine(image, found)
        if pose is not None:
            self._last = pose.view
        return pose

    def _refine(self, image: np.ndarray, view: View) -> FramePose | None:
        """The pose near a rough view; None if the board is not visible."""
        pose: FramePose | None = None
        for _ in range(_MAX_ROUNDS):
            places = self._texture.match(image, view)
            by_texture = fit_pose(view, places, _NO_RINGS, self.spec)
            rough = view if by_texture is None else by_texture.view
            rings = trace_rings(
                self._lines.channel(image),
                rough,
                self.spec.line_radii_mm,
                TraceSettings(
                    dark=self._lines.dark,
                    reach_mm=FIND_BOARD.refine_reaches_mm[-1],
                    azimuths=_AZIMUTHS,
                ),
            )
            pose = fit_pose(rough, places, rings, self.spec)
            if pose is None:
                return None
            moved_px = _measure_shift_px(view, pose.view, self.spec)
            view = pose.view
            if moved_px < PARAMS.settled_px:
                break
        if pose is None or pose.residual_px * view.mm_per_px() > PARAMS.max_residual_mm:
            return None
        return pose

    def _search(self, image: np.ndarray) -> View | None:
        """Search for the board as in a photo, with the film's lens, and turn it like the
        reference's.
        """
        height, width = image.shape[:2]
        frame = Frame(name="frame", image=image, scale=1.0, width_px=width, height_px=height)
        found = find_board(frame)
        if isinstance(found, NoBoard):
            return None
        pose = rotate_to_match(found.fit, self._fit).view.cam_from_board
        camera, own = self._fit.view.camera, found.fit.view.camera
        nearer = np.array([1.0, 1.0, camera.fx_px / own.fx_px])
        return View(
            camera=camera,
            cam_from_board=Pose(
                rotation=pose.rotation, translation_mm=pose.translation_mm * nearer
            ),
        )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Lines:
    """The picture channel in which the lines show, and whether they are darker than the wood."""

    channel: Callable[[np.ndarray], np.ndarray]
    dark: bool


#: The data to which a pose is fitted before the lines are traced.
_NO_RINGS = RingPoints(
    points_px=np.zeros((0, 2)), ring=np.zeros(0, dtype=np.intp), px_per_mm=np.zeros(0)
)


def _choose_lines(image: np.ndarray, fit: BoardFit) -> _Lines:
    """The channel and sign in which the reference's lines show most clearly."""
    ways = [_Lines(channel=channel, dark=dark) for channel in CHANNELS for dark in (True, False)]

    def support(way: _Lines) -> float:
        grey = way.channel(image)
        return float(measure_ring_support(grey, fit.view, fit.spec, dark=way.dark)[0].mean())

    return max(ways, key=support)


def _measure_shift_px(one: View, other: View, spec: BoardSpec) -> float:
    """The largest movement of any point of the outer line between two views."""
    line_mm = spec.line_points_mm(2, np.arange(8) * (np.pi / 4))
    apart = one.project_plane(line_mm) - other.project_plane(line_mm)
    return float(np.linalg.norm(apart, axis=-1).max())
