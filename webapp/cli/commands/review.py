"""``crokinole review``: a film of one disputed shot to its verdict, and a slow film of it."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

from calibration.json_text import format_json
from calibration.profile import CalibrationProfile, ProfileError, load_profile
from scorer.rules.sets import rule_set
from vision.io.sources import SourceError
from webapp.cli.argument_values import UsageError, check_outputs
from webapp.cli.rules_argument import add_rules
from webapp.process_limits import keep_freed_memory


def add_to(commands: Any, summary: str) -> None:
    """Add this command to argparse's subparsers."""
    parser = commands.add_parser(
        "review",
        help=summary,
        description="Judge one disputed shot from a film of up to half a minute. The camera may "
        "move. A film at a quarter of its speed is written, straightened beside the original, with "
        "the discs' ways and the nearest moment drawn on it.",
    )
    parser.add_argument("film", metavar="CLIP", help="a film of one shot, or a folder of pictures")
    add_rules(parser)
    parser.add_argument("--profile", type=Path, metavar="FILE", help="a board's and discs' sizes")
    parser.add_argument("--json", action="store_true", help="print JSON and nothing else")
    parser.add_argument(
        "--video",
        type=Path,
        metavar="FILE.mp4",
        help="where the slow film goes (default: CLIP's name with _review.mp4, in this folder)",
    )
    parser.add_argument("--no-video", action="store_true", help="write no film")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> list[str]:
    """Review the film and print what it shows; returns what went wrong, one sentence each.

    Raises ``UsageError`` for a slow film that cannot be written under its name.
    """
    keep_freed_memory()
    video = _choose_video(arguments)
    if video is not None and not video.parent.is_dir():
        return [f"There is no folder {video.parent}; make it, or name another file."]
    lost = check_outputs([video], [arguments.film])
    if lost:
        return lost
    try:
        profile = None if arguments.profile is None else load_profile(arguments.profile)
        return _review(arguments, profile, video)
    except (SourceError, ProfileError) as error:
        return [str(error)]
    except OSError as error:
        return [f"{video} cannot be written ({error.strerror}); name another place."]


def _choose_video(arguments: argparse.Namespace) -> Path | None:
    """The file of the slow film; None where none is wanted. Raises ``UsageError``."""
    video: Path | None = arguments.video
    if arguments.no_video:
        if video is not None:
            raise UsageError("--no-video writes no film; leave it out, or --video.")
        return None
    if video is not None and video.suffix.lower() != ".mp4":
        raise UsageError(f"{video} is no name for an MP4 film; end it in .mp4.")
    return video or Path(f"{Path(arguments.film).stem}_review.mp4")


def _review(
    arguments: argparse.Namespace, profile: CalibrationProfile | None, video: Path | None
) -> list[str]:
    # The compiler and the video encoder take a while to load, and no other command needs both.
    from scorer.referee.review.review_film import review_film
    from scorer.referee.review.review_video import write_review_video
    from webapp.formats.review_report import describe_review, review_json
    from webapp.terminal.compile_notice import announce_compilation

    def report_progress(words: str) -> None:
        print(f"{words.capitalize()} …", file=sys.stderr, flush=True)

    with announce_compilation():
        review = review_film(arguments.film, rule_set(arguments.rules), profile, report_progress)
    written = None
    if review.shot is not None and video is not None:
        report_progress("drawing the film")
        write_review_video(review, video)
        written = str(video)
    if arguments.json:
        print(format_json(review_json(review, written), indent=1))
    else:
        for line in describe_review(review):
            print(line)
        if written is not None:
            print(f"  Written: {written}")
    for sentence in review.trouble:
        print(f"crokinole: {sentence}", file=sys.stderr)
    problems = [] if review.shot is not None else [f"{review.name}: {review.reason}"]
    return [*problems, *filter(None, [review.broken_off])]
