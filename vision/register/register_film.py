"""Registers a film: its frames with their poses, on which all later steps build.

The frames themselves are not kept; they are decoded again and joined with their poses.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import numpy as np

from calibration.board import SCALE_RADIUS_MM, FloatArray
from calibration.pose import Pose, View
from vision.io.sources import TimedFrame
from vision.register.film import Film
from vision.register.frame_registrar import FrameRegistrar
from vision.register.pose_fit import FramePose
from vision.register.reference import Reference


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RegisteredFilm:
    """A film and its frames' poses; the pose is None if a frame could not be registered."""

    film: Film
    reference: Reference
    times_s: tuple[float, ...]
    poses: tuple[FramePose | None, ...]

    def frames(self) -> Iterator[tuple[TimedFrame, FramePose]]:
        """The frames that were registered, in order."""
        for frame, pose in zip(self.film.frames(), self.poses, strict=False):
            if pose is not None and frame.image.shape == self.reference.image.shape:
                yield frame, pose

    def express_in(self, view: View) -> RegisteredFilm:
        """The same film in the board frame of ``view``, a view of the reference frame's picture.

        Two fits of one picture may have slightly different axes, or axes that differ by quarter
        turns.
        """
        change = _find_frame_change(self.reference.fit.view, view)
        fit = replace(self.reference.fit, view=change(self.reference.fit.view))
        return replace(
            self,
            reference=replace(self.reference, fit=fit),
            poses=tuple(
                None if pose is None else replace(pose, view=change(pose.view))
                for pose in self.poses
            ),
        )

    @property
    def registered_share(self) -> float:
        """Share of the frames that were registered."""
        return sum(pose is not None for pose in self.poses) / max(len(self.poses), 1)

    @property
    def residual_mm(self) -> float:
        """The poses' misfit, mm on the board: the median of one sigma."""
        return _median(
            [pose.residual_px * pose.view.mm_per_px() for pose in self.poses if pose is not None]
        )

    @property
    def sigma_mm(self) -> float:
        """One sigma of a point of the outer line, mm: the median over the frames."""
        return _median([pose.sigma_mm for pose in self.poses if pose is not None])

    @property
    def speed_px_s(self) -> float:
        """Speed of the board's middle in the picture, root mean square."""
        seen = [
            (t_s, pose.view.project_plane(np.zeros((1, 2)))[0])
            for t_s, pose in zip(self.times_s, self.poses, strict=True)
            if pose is not None
        ]
        if len(seen) < 2:
            return 0.0
        times = np.array([t_s for t_s, _ in seen])
        steps = np.diff(np.array([place for _, place in seen]), axis=0)
        speed = np.linalg.norm(steps, axis=-1) / np.maximum(np.diff(times), 1e-3)
        return float(np.sqrt(np.mean(speed**2)))


def register_film(film: Film, reference: Reference, discs_mm: FloatArray) -> RegisteredFilm:
    """The film with its poses; ``discs_mm`` (n, 2) are places on the reference's board.

    Raises ``SourceError``.
    """
    registrar = FrameRegistrar(reference.image, reference.fit, discs_mm)
    times_s: list[float] = []
    poses: list[FramePose | None] = []
    for frame in film.frames():
        times_s.append(frame.t_s)
        fits = frame.image.shape == reference.image.shape
        poses.append(registrar.register(frame.image, frame.t_s) if fits else None)
    return RegisteredFilm(
        film=film, reference=reference, times_s=tuple(times_s), poses=tuple(poses)
    )


def _find_frame_change(old: View, new: View) -> Callable[[View], View]:
    """The transform from views in the board frame of ``old`` to views in that of ``new``.

    Both are fits of one picture. Apart from the errors of the fits, their board frames can only
    differ by a rotation about the normal and a shift, which the points of the 10-line determine
    (Kabsch 1976).
    """
    from scipy.spatial.transform import Rotation  # slow to import

    angles = np.arange(16) * (np.pi / 8)
    places = SCALE_RADIUS_MM * np.stack([np.cos(angles), np.sin(angles)], axis=-1)
    seen = old.unproject_plane(new.project_plane(places))
    shift_mm = np.append(seen.mean(axis=0) - places.mean(axis=0), 0.0)
    along = (seen[:, 0] + 1j * seen[:, 1]) * (places[:, 0] - 1j * places[:, 1])
    turn = Rotation.from_rotvec([0.0, 0.0, float(np.angle(along.sum()))]).as_matrix()

    def change(view: View) -> View:
        pose = view.cam_from_board
        return View(
            camera=view.camera,
            cam_from_board=Pose(
                rotation=pose.rotation @ turn,
                translation_mm=pose.translation_mm + pose.rotation @ shift_mm,
            ),
        )

    return change


def _median(values: list[float]) -> float:
    return float(np.median(values)) if values else 0.0
