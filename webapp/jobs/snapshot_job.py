"""An uploaded photo, read in the worker's process: its score and pictures to show.

The pictures are the photo at a screen's size, and the rectified image of the board. For a file that
is not a picture, or too large, the score states this. ``webapp.jobs.snapshot_sessions`` keeps the
sessions.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from calibration.board import FloatArray
from calibration.circle import circle_mm
from calibration.phrase import Phrase
from calibration.placed_disc import Team
from calibration.pose import View
from calibration.profile import CalibrationProfile
from scorer.photo.rectified_image import encode_rectified_image
from scorer.photo.score import Score, score_reading, score_unreadable
from vision.draw.fit_overlay import downscale_for_screen
from vision.io.encode_picture import encode_jpeg
from vision.io.frame import UnreadablePicture, decode_frame, read_frame
from vision.read_photo import read_photo
from webapp.formats.score import score_json
from webapp.process_limits import limit_decoding

#: Larger pictures are refused before they are decoded, except JPEGs, which are reduced while
#: decoding.
MAX_PIXELS = 64_000_000
#: The board is shown with some of its surroundings.
SHOWN_RADII = 1.1
_JPEG_QUALITY = 85

#: The stages of ``read_photo``, as pages show them.
_STAGES = {"board": Phrase("looking for the board"), "discs": Phrase("looking for the discs")}
#: Names of the picture files beside the upload.
PHOTO, PLAN = "photo.jpg", "plan.jpg"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SnapshotResult:
    """The result of a photo.

    score         without its frame, which stays in the worker
    form          the score as JSON; None without one
    size_px       (width, height) of the photo as shown
    view          of that photo; None without a board
    window_px     (left, top, width, height) of the board in it
    plan_half_mm  half the side of the view from above
    """

    score: Score
    form: dict[str, object] | None = None
    size_px: tuple[int, int] | None = None
    view: View | None = None
    window_px: tuple[int, int, int, int] | None = None
    plan_half_mm: float = 0.0


def preload(_report_progress: Callable[[str], None]) -> None:
    """Does nothing: loading this module is the purpose."""


def read_snapshot(
    report_progress: Callable[[str], None],
    upload: Path,
    profile: CalibrationProfile | None,
    match_teams: tuple[Team, ...] = (),
) -> SnapshotResult:
    """Read the photo in a file, delete it, and write its pictures beside it.

    match_teams  the teams of an earlier photo of the same match
    """
    report_progress(Phrase("opening the photo"))
    with limit_decoding():
        frame = read_frame(upload, max_pixels=MAX_PIXELS)
    upload.unlink()  # it has up to 80 MB, and is not read again
    if isinstance(frame, UnreadablePicture):
        return SnapshotResult(score=score_unreadable(frame))
    shown, factor = downscale_for_screen(frame)
    upload.with_name(PHOTO).write_bytes(encode_jpeg(shown, _JPEG_QUALITY))
    reading = read_photo(
        frame,
        profile,
        progress=lambda stage: report_progress(_STAGES[stage]),
        match_teams=match_teams,
    )
    whole = score_reading(frame, reading)
    score = replace(whole, frame=None)
    size_px = (shown.shape[1], shown.shape[0])
    if reading.board is None:
        return SnapshotResult(score=score, size_px=size_px)
    view = reading.board.view.rescale(factor)
    plan, half_mm = encode_rectified_image(frame.image, reading.board)
    upload.with_name(PLAN).write_bytes(plan)
    return SnapshotResult(
        score=score,
        form=score_json(whole),
        size_px=size_px,
        view=view,
        window_px=find_window(view, SHOWN_RADII * reading.board.spec.surface_radius_mm, size_px),
        plan_half_mm=half_mm,
    )


def score_photo(
    report_progress: Callable[[str], None], upload: Path, profile: CalibrationProfile | None
) -> dict[str, object]:
    """A photo's score, the same as from ``crokinole score --json``."""
    content = upload.read_bytes()
    upload.unlink()
    with limit_decoding():
        frame = decode_frame(content, "photo", max_pixels=MAX_PIXELS)
    if isinstance(frame, UnreadablePicture):
        return score_json(score_unreadable(frame))
    reading = read_photo(
        frame,
        profile,
        progress=lambda stage: report_progress(_STAGES[stage]),
    )
    return score_json(score_reading(frame, reading))


def find_window(
    view: View, radius_mm: float, size_px: tuple[int, int]
) -> tuple[int, int, int, int]:
    """The part of a picture with the board and some of its surroundings: left, top, width,
    height.
    """
    seen: FloatArray = view.project_plane(circle_mm((0.0, 0.0), radius_mm, 90))
    limit = np.array(size_px)
    low = np.clip(np.floor(seen.min(axis=0)), 0, limit - 1).astype(int)
    high = np.clip(np.ceil(seen.max(axis=0)), low + 1, limit).astype(int)
    return int(low[0]), int(low[1]), int(high[0] - low[0]), int(high[1] - low[1])
