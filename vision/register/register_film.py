"""A film's frames, each with how it sees the board: what everything after registration starts from.

The frames themselves are not held: they are decoded again and joined with their poses.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from calibration.board import FloatArray
from vision.io.sources import TimedFrame
from vision.register.film import Film
from vision.register.frame_registrar import FrameRegistrar
from vision.register.pose_fit import FramePose
from vision.register.reference import Reference


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RegisteredFilm:
    """A film and the pose of each of its frames; None of those that could not be registered."""

    film: Film
    reference: Reference
    times_s: tuple[float, ...]
    poses: tuple[FramePose | None, ...]

    def frames(self) -> Iterator[tuple[TimedFrame, FramePose]]:
        """The frames that were registered, in order."""
        for frame, pose in zip(self.film.frames(), self.poses, strict=False):
            if pose is not None and frame.image.shape == self.reference.image.shape:
                yield frame, pose

    @property
    def registered_share(self) -> float:
        """Share of the frames that were registered."""
        return sum(each is not None for each in self.poses) / max(len(self.poses), 1)

    @property
    def residual_mm(self) -> float:
        """What the poses leave unexplained, mm on the board: the median of one sigma."""
        return _median(
            [each.residual_px * each.view.mm_per_px() for each in self.poses if each is not None]
        )

    @property
    def sigma_mm(self) -> float:
        """One sigma of a point of the outer line, mm: the median over the frames."""
        return _median([each.sigma_mm for each in self.poses if each is not None])

    @property
    def speed_px_s(self) -> float:
        """How fast the board's middle moves through the picture, root mean square."""
        seen = [
            (t_s, each.view.project_plane(np.zeros((1, 2)))[0])
            for t_s, each in zip(self.times_s, self.poses, strict=True)
            if each is not None
        ]
        if len(seen) < 2:
            return 0.0
        times = np.array([t_s for t_s, _ in seen])
        steps = np.diff(np.array([place for _, place in seen]), axis=0)
        speed = np.linalg.norm(steps, axis=-1) / np.maximum(np.diff(times), 1e-3)
        return float(np.sqrt(np.mean(speed**2)))


def register_film(film: Film, reference: Reference, discs_mm: FloatArray) -> RegisteredFilm:
    """The film with its poses; ``discs_mm`` (n, 2) lie on the reference's board.

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


def _median(values: list[float]) -> float:
    return float(np.median(values)) if values else 0.0
