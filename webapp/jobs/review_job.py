"""A film that somebody sent, reviewed in the worker's process: its review, and the slow film.

A file that is no film, too long, or shows no board is a review that says so. Sessions are
``webapp.jobs.review_sessions``'s.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from calibration.profile import CalibrationProfile
from scorer.rules.sets import RuleSet

#: The slow film's name beside the upload.
VIDEO = "review.mp4"
#: MP4 and MOV name their first box after its length; photographs in such boxes name their brand.
_BOXES = (b"ftyp", b"moov", b"mdat", b"wide", b"free", b"skip")
_PICTURE_BRANDS = (b"heic", b"heix", b"heim", b"heis", b"mif1", b"msf1", b"avif", b"avis")


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewResult:
    """What came of a film: JSON (``webapp.formats.review``), or why there is none."""

    review: dict[str, Any] | None = None
    problem: str = ""


def is_film(content: bytes) -> bool:
    """Whether a file begins as a film does; a phone's photograph may be in boxes like MP4's."""
    if content[4:8] in _BOXES:
        return not (content[4:8] == b"ftyp" and content[8:12] in _PICTURE_BRANDS)
    is_avi = content[:4] == b"RIFF" and content[8:12] == b"AVI "
    is_stream = len(content) > 376 and all(content[at] == 0x47 for at in (0, 188, 376))
    return content[:4] == b"\x1aE\xdf\xa3" or is_avi or is_stream


def review_upload(
    report_progress: Callable[[str], None],
    upload: Path,
    name: str,
    rules: RuleSet,
    profile: CalibrationProfile | None,
) -> ReviewResult:
    """Review the film in a file, and write the slow film beside it."""
    # The compiler and the encoder take seconds to load, and photographs need neither.
    from vision.io.sources import SourceError
    from webapp.review.report import review_json
    from webapp.review.review_film import review_film
    from webapp.review.review_video import write_review_video

    try:
        review = review_film(str(upload), rules, profile, report_progress)
        written = None
        if review.shot is not None:
            report_progress("drawing the film")
            write_review_video(review, upload.parent / VIDEO)
            written = VIDEO
    except SourceError as error:
        return ReviewResult(problem=str(error).replace(str(upload), "The film"))
    return ReviewResult(review={**review_json(review, written), "film": name})
