"""An uploaded film, reviewed in the worker's process: its review, and the slow-motion video.

For a file that is not a film, is too long, or shows no board, the review states this.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from calibration.phrase import swap
from calibration.profile import CalibrationProfile
from scorer.referee.events import ShotEvent
from scorer.referee.review.review_stage import ReviewStage
from scorer.rules.sets import RuleSet

#: Names of files beside the upload: the slow-motion film, and the first look's verdict.
VIDEO, FIRST_LOOK = "review.mp4", "first_look.txt"


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewResult:
    """The result of a film: JSON (``webapp.formats.review``), or why there is none."""

    review: dict[str, object] | None = None
    problem: str = ""


def review_upload(
    report_progress: Callable[[str], None],
    upload: Path,
    name: str,
    rules: RuleSet,
    profile: CalibrationProfile | None,
) -> ReviewResult:
    """Review the film in a file, and write the slow-motion video next to it."""
    # The compiler and the encoder take seconds to load, and photos need neither.
    from scorer.referee.review.review_film import review_film
    from scorer.referee.review.review_video import write_review_video
    from vision.io.sources import SourceError
    from webapp.formats.review_report import list_notes, review_json

    def keep_first_look(shot: ShotEvent) -> None:
        (upload.parent / FIRST_LOOK).write_text(shot.verdict)

    try:
        review = review_film(str(upload), rules, profile, report_progress, keep_first_look)
        written = None
        if review.shot is not None:
            report_progress(ReviewStage.MAKE_VIDEO)
            write_review_video(review, upload.parent / VIDEO)
            written = VIDEO
    except SourceError as error:
        return ReviewResult(problem=swap(str(error), str(upload), name))
    made = review_json(review, written)
    notes = [swap(note, str(upload), name) for note in list_notes(review)]
    return ReviewResult(review={**made, "film": name, "notes": notes})
