"""``crokinole review``: a film of one disputed shot becomes its verdict and a slow-motion video."""

from __future__ import annotations

import sys
from pathlib import Path

from calibration.json_text import format_json
from calibration.profile import load_profile
from calibration.user_error import Trouble
from scorer.rules.sets import rule_set
from webapp.cli.argument_values import check_outputs, refuse_if
from webapp.cli.compile_notice import announce_compilation
from webapp.cli.console import warn
from webapp.process_limits import keep_freed_memory


def review(
    film: str, rules: str, profile: Path | None, as_json: bool, video: Path | None, no_video: bool
) -> list[str]:
    """Review the film and print the result; returns the errors, one sentence each.

    Raises ``UsageError`` for a slow-motion video that cannot be written under its name.
    """
    keep_freed_memory()
    slow = _choose_video(film, video, no_video)
    check_outputs([slow], [film])
    sizes = None if profile is None else load_profile(profile)
    with announce_compilation():
        # Imported late: the compiler takes a while to load, and reports progress.
        from scorer.referee.review.review_film import review_film
        from scorer.referee.review.review_video import write_review_video
        from webapp.formats.review_report import describe_review, review_json

        found = review_film(film, rule_set(rules), sizes, _report_progress)
    written = None
    if found.shot is not None and slow is not None:
        _report_progress("drawing the video")
        try:
            write_review_video(found, slow)
        except OSError as error:
            reason = f"{slow} cannot be written ({error.strerror}). Choose another place."
            raise Trouble(reason) from None
        written = str(slow)
    if as_json:
        print(format_json(review_json(found, written), indent=1))
    else:
        print(*describe_review(found), *([f"  Written: {written}"] if written else ()), sep="\n")
    for sentence in found.trouble:
        warn(sentence)
    problems = [] if found.shot is not None else [f"{found.name}: {found.reason}"]
    return [*problems, *filter(None, [found.broken_off])]


def _choose_video(film: str, video: Path | None, no_video: bool) -> Path | None:
    """The file of the slow-motion video; None if none is wanted.

    Raises ``UsageError``, and ``Trouble`` if its folder does not exist.
    """
    refuse_if(
        (no_video and video, "--no-video and --video cannot be used together. Leave one out."),
        (
            video is not None and video.suffix.lower() != ".mp4",
            f"{video} is not an MP4 file name; it must end in .mp4.",
        ),
    )
    if no_video:
        return None
    if video is not None and not video.parent.is_dir():
        raise Trouble(f"Folder {video.parent} not found. Create it, or choose another file.")
    return video or Path(f"{Path(film).stem}_review.mp4")


def _report_progress(step: str) -> None:
    print(f"{step.capitalize()} …", file=sys.stderr, flush=True)
