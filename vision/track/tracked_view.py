"""A view of the board, the data learned about it, and its current motion interval.

Both change from frame to frame; the tracker's state (``states``) decides which of them exist.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from calibration.fit import BoardFit
from calibration.parameters import StageParameters, parameter
from calibration.placed_disc import PlacedDisc, Team
from vision.discs.teams.team_colours import get_team_colours_lab
from vision.io.timed_frame import CameraImage
from vision.rectify.frame_rectifier import FrameRectifier, make_rectifier
from vision.track.at_rest.still_board import StillBoard
from vision.track.background.background_model import (
    BackgroundModel,
    NormalisedFrame,
    create_background,
    measure_noise,
    normalise_frame,
)
from vision.track.background.illumination import IlluminationAdapter
from vision.track.motion.motion_gate import MotionGate, SceneState
from vision.track.motion.occlusion import Occlusion
from vision.track.motion.same_picture import SamePicture
from vision.track.recent_frames import CameraFrame
from vision.track.tracks.disc_tracker import DiscTracker


class TrackedViewParameters(StageParameters):
    """Parameters of ``tracked_view``."""

    #: Share of the surface that differs in a completely different picture.
    other_picture_share: float = parameter(
        0.4, unit="share", source="chosen: hands and arms of two players cover less"
    )
    #: Where bands of light were removed, compression leaves larger differences at edges than
    #: elsewhere.
    evened_noise: float = parameter(
        1.5,
        unit="",
        source="measured in films with bands: the 99th percentile has 1.8 times the sigma of "
        "the 90th",
    )
    #: A board this far from its old place has been moved.
    moved_mm: float = parameter(
        1.0, unit="mm", source="chosen: five times the error of registration, 0.2 mm"
    )


PARAMS = TrackedViewParameters()
#: Every nth pixel, in x and y, is used to measure the share that differs, for speed: a disc still
#: covers 20 of the pixels examined.
_SHARE_EVERY = 3
#: Noise is measured between a frame and the previous one.
_KEPT_RECTIFIED = 2


@dataclass(slots=True, kw_only=True, eq=False)
class MotionInterval:
    """The observations since the board was last at rest.

    t_from_s       the last frame at rest
    t_changed_s    time of the last change
    saw_hand       an object other than a disc covered part of the surface
    has_jumped     the picture jumped: a bump, a cut, darkness
    longest_gap_s  longest time between two frames during motion
    newest         the last frame that showed the board, normalised, and as decoded
    """

    t_from_s: float
    t_changed_s: float
    tracker: DiscTracker
    saw_hand: bool = False
    was_interrupted: bool = False
    longest_gap_s: float = 0.0
    newest: tuple[NormalisedFrame, CameraFrame] | None = None


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class LastReading:
    """The frame of the last reading, normalised, its hidden part (side, side uint8; None for
    nothing), and the board that was read.
    """

    frame: NormalisedFrame
    hidden: np.ndarray | None
    board: StillBoard


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ClassifiedFrame:
    """A frame as decoded, rectified and normalised, and the result of the motion gate."""

    frame: CameraFrame
    normalised: NormalisedFrame
    scene: SceneState

    @property
    def t_s(self) -> float:
        """Time of the frame."""
        return self.frame.t_s


@dataclass(slots=True, kw_only=True, eq=False)
class TrackedView:
    """A fitted view of the board in frames of one ``shape``, and the learned data about it.

    is_shaded         soft shadows were on the last frame
    occlusion         the object over the board in the last frame that showed it
    restless          (side, side) uint8: where hands reached in; motion there is not a disc's
    last_shift_mm     shift of the board at the last check
    check_shift_at_s  time of the next check; ``adapt_at_s``: of the next check for patches of light
    share_indices     (n,) flat indices of the surface's pixels used to measure the share that
                      differs
    looked_at         the last fully checked frame of the board at rest
    last_reading      the board of the last full reading
    """

    fit: BoardFit
    rectifier: FrameRectifier
    shape: tuple[int, ...]
    background: BackgroundModel
    motion_gate: MotionGate
    share_indices: np.ndarray
    looked_at: SamePicture
    illumination: IlluminationAdapter = field(default_factory=IlluminationAdapter)
    is_shaded: bool = False
    occlusion: Occlusion | None = None
    restless: np.ndarray | None = None
    last_shift_mm: float = 0.0
    check_shift_at_s: float = -np.inf
    adapt_at_s: float = -np.inf
    last_reading: LastReading | None = None
    rectified: deque[tuple[CameraImage, np.ndarray]] = field(
        default_factory=lambda: deque(maxlen=_KEPT_RECTIFIED)
    )

    @property
    def hidden(self) -> np.ndarray | None:
        """Covered parts (side, side uint8) of the board; None if there are none."""
        return None if self.occlusion is None else self.occlusion.hidden

    def classify(self, frame: CameraFrame) -> ClassifiedFrame:
        """The next frame, normalised, and the motion gate's result."""
        normalised = self.normalise(frame)
        self.is_shaded = normalised.is_shaded
        threshold = self.background.threshold
        scene = self.motion_gate.classify(frame.t_s, normalised, threshold, self.restless)
        return ClassifiedFrame(frame=frame, normalised=normalised, scene=scene)

    def normalise(self, frame: CameraFrame) -> NormalisedFrame:
        """The frame rectified, in the background's light."""
        flat = self._rectify(frame.picture)
        return normalise_frame(self.background, self.rectifier, flat, was_shaded=self.is_shaded)

    def _rectify(self, picture: CameraImage) -> np.ndarray:
        """The picture rectified: (side, side, 3) uint8, which must not be changed."""
        for seen, flat in self.rectified:
            if seen is picture:
                return flat
        flat = picture.resample(self.rectifier.x_px, self.rectifier.y_px)
        self.rectified.append((picture, flat))
        return flat

    def remember_still(self, frame: CameraFrame) -> None:
        """Compare the next frames with this one, in which the board is as it was read.

        If nothing covers the board, motion where hands reach in is not a disc's.
        """
        watched = self.rectifier.inside
        if self.occlusion is None:
            watched = self.motion_gate.find_watched(self.restless)
        self.looked_at.remember(frame.picture, frame.t_s, watched)

    def measure_noise(self, frame: CameraFrame, *, is_still: bool = True) -> float:
        """Grey levels of noise between a frame and the one before it."""
        flat = [self._rectify(picture) for picture in frame.pictures[-2:]]
        noise = measure_noise(self.rectifier, flat[0], flat[-1], is_still=is_still)
        return PARAMS.evened_noise * noise if frame.is_evened else noise

    def relight(
        self, frame: NormalisedFrame, discs_mm: Sequence[np.ndarray], radius_mm: float
    ) -> bool:
        """Adapt the background if a patch of light came or went beside the discs; returns whether
        it did.
        """
        places = np.array(discs_mm).reshape(-1, 2)
        background = self.illumination.adapt(
            self.background, self.rectifier, frame, places, radius_mm
        )
        if background is None:
            return False
        self.background = background
        return True


def create_view(fit: BoardFit, image: CameraImage) -> TrackedView:
    """The view of ``fit``, with a frame's ``image`` as a background that is not yet known
    anywhere.
    """
    rectifier = make_rectifier(fit.view, fit.spec, image.shape)
    everywhere = np.ones(rectifier.radius_mm.shape, dtype=bool)
    every = np.zeros_like(everywhere)
    every[::_SHARE_EVERY, ::_SHARE_EVERY] = True
    return TrackedView(
        fit=fit,
        rectifier=rectifier,
        shape=image.shape,
        background=create_background(
            rectifier, image.resample(rectifier.x_px, rectifier.y_px), everywhere
        ),
        motion_gate=MotionGate(rectifier),
        share_indices=np.flatnonzero(every & rectifier.surface),
        looked_at=SamePicture(rectifier),
    )


def start_interval(
    frame: CameraFrame,
    discs: Sequence[PlacedDisc] = (),
    teams: Sequence[Team] = (),
) -> MotionInterval:
    """The motion interval that begins with ``frame``, from ``discs`` at rest, named by index."""
    colour_lab = {team.number: get_team_colours_lab([team])[0] for team in teams}
    start = [(str(i), disc.centre_mm, colour_lab[disc.team]) for i, disc in enumerate(discs)]
    return MotionInterval(
        t_from_s=frame.previous_s,
        t_changed_s=frame.t_s,
        tracker=DiscTracker(start, frame.previous_s),
    )


def measure_changed_share(view: TrackedView, frame: NormalisedFrame) -> float:
    """The share of the surface that differs from the background."""
    seen = frame.difference.ravel().take(view.share_indices)
    return float(np.count_nonzero(seen > view.background.threshold) / max(len(seen), 1))


def shows_other_picture(view: TrackedView, frame: NormalisedFrame) -> bool:
    """Whether the frame shows something other than this view of the board."""
    return measure_changed_share(view, frame) > PARAMS.other_picture_share


def is_moved(shift_mm: float) -> bool:
    """Whether a board this far from its old place has been moved, or whether its position was only
    measured differently.
    """
    return shift_mm > PARAMS.moved_mm
