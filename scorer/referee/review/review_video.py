"""The film of a review: a quarter of its speed, the original beside the view from above (MP4).

It shows the shot with a moment before and after it, and freezes for a while at the closest moment.
Frames that could not be registered are skipped.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
from PIL import ImageColor

from scorer.referee.review.film_drawing import DrawnShot, draw_review_frame
from scorer.referee.review.nearest_moment import describe_nearest
from scorer.referee.review.review_film import FilmReview, ReviewedShot
from vision.draw.canvas import Rgb
from vision.io.encode_video import VideoFormat, encode_video

#: Speed relative to the film, and how long the closest moment is frozen, s of the video.
SPEED, _HOLD_S = 0.25, 2.0
#: Time shown before the flick and after the discs have stopped, s of the film.
_BEFORE_S, _AFTER_S = 0.5, 0.5
_QUALITY = 24
_VERDICTS: dict[str, tuple[str, Rgb]] = {
    "legal": ("Legal", (110, 230, 120)),
    "foul": ("Foul", (255, 90, 90)),
    "needs_review": ("A person must decide", (255, 190, 60)),
}


def write_review_video(review: FilmReview, path: Path) -> None:
    """Write the film of a review that has a shot. Raises ``OSError`` and ``SourceError``."""
    assert review.shot is not None
    assert review.registered is not None
    times = np.array(review.registered.times_s)
    fps = 1.0 / float(np.median(np.diff(times))) if len(times) > 1 else 30.0
    frames = _draw_frames(review, review.shot, fps * SPEED)
    first = next(frames, None)
    if first is None:
        return
    size = (first.shape[1], first.shape[0])

    def all_frames() -> Iterator[np.ndarray]:
        yield first
        yield from frames

    encode_video(
        all_frames(), path, VideoFormat(size=size, stored=size, fps=fps * SPEED, quality=_QUALITY)
    )


def _draw_frames(review: FilmReview, shot: ReviewedShot, fps: float) -> Iterator[np.ndarray]:
    """The video's frames; the closest moment's frame is repeated."""
    assert review.registered is not None
    drawn = _prepare(shot)
    from_s, to_s = shot.event.t_start_s - _BEFORE_S, shot.event.t_rest_s + _AFTER_S
    shown = [t for t in review.registered.times_s if from_s <= t <= to_s]
    moment_s = _find_moment_frame(shown, shot)
    for frame, pose in review.registered.frames():
        if not from_s <= frame.t_s <= to_s:
            continue
        is_moment = frame.t_s == moment_s
        picture = draw_review_frame(frame.image, pose.view, frame.t_s, drawn, is_moment=is_moment)
        for _ in range(max(1, round(_HOLD_S * fps)) if is_moment else 1):
            yield picture


def _prepare(shot: ReviewedShot) -> DrawnShot:
    """The drawing on every frame of a shot."""
    event, evidence = shot.event, shot.ruled.evidence
    words, colour = _VERDICTS[event.verdict]
    faults = ", ".join(fault.code.replace("_", " ") for fault in event.faults)
    colours = {team.team: team.colour for team in event.teams}
    return DrawnShot(
        spec=evidence.at_rest.fit.spec,
        radius_mm=evidence.at_rest.board.disc.radius_mm,
        motions=shot.motions,
        colours={
            disc.id: ImageColor.getrgb(colours[disc.team])[:3]
            for disc in (*event.before, *event.after)
            if disc.team in colours
        },
        nearest=shot.nearest,
        verdict=words + (f": {faults}" if faults else ""),
        verdict_rgb=colour,
        moment_words="" if shot.nearest is None else describe_nearest(shot.nearest),
    )


def _find_moment_frame(times_s: Sequence[float], shot: ReviewedShot) -> float | None:
    """The time of the frame nearest to the closest moment."""
    if shot.nearest is None or not times_s:
        return None
    at_s = shot.nearest.t_s
    return min(times_s, key=lambda t_s: abs(t_s - at_s))
