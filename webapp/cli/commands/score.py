"""``crokinole score``: pictures of finished rounds to scores."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

from calibration.json_text import format_json
from calibration.profile import CalibrationProfile, load_profile
from scorer.photo.fused_score import fuse_scores, score_in_picture
from scorer.photo.score import Score, ScoreStatus
from scorer.photo.score_file import score_file
from webapp.cli.argument_values import check_outputs, expand_patterns, refuse_if
from webapp.cli.console import make_console
from webapp.cli.many_sources import ManySources
from webapp.cli.overlay_folder import OverlayFolder
from webapp.cli.progress import show_progress
from webapp.cli.score_table import print_fused_score, print_score
from webapp.process_limits import keep_freed_memory


def score_pictures(
    images: Sequence[str],
    profile: Path | None,
    as_json: bool,
    overlay: Path | None,
    beside: str | None,
    **jobs: Any,
) -> list[str]:
    """Score the pictures and print the results; returns the errors, one sentence each.

    Raises ``UsageError`` for arguments that cannot be combined.
    """
    keep_freed_memory()
    many, names = ManySources(**jobs), expand_patterns(images)
    refuse_if(
        (
            beside is not None and (len(names) > 1 or many.is_wanted),
            "--second-camera takes one photo. Leave out the others, --jobs and --lines.",
        ),
        (
            many.is_wanted and overlay,
            "--overlay cannot be used with --jobs. Leave one out.",
        ),
    )
    sizes = load_profile(profile) if profile else None
    check_outputs([many.lines], names)
    if many.is_wanted:
        return many.run(names, partial(make_score_line, profile=sizes))
    folder = OverlayFolder(overlay) if overlay else None
    if beside is not None:
        return _score_two((names[0], beside), sizes, folder, as_json=as_json)
    return _score_all(names, sizes, folder, as_json=as_json)


def make_score_line(image: str, profile: CalibrationProfile | None) -> dict[str, object]:
    """The ``--json`` form of one picture."""
    from webapp.formats.score import score_json  # pydantic takes a tenth of a second to load

    return score_json(score_file(image, profile))


def _score_all(
    images: Sequence[str],
    profile: CalibrationProfile | None,
    folder: OverlayFolder | None,
    *,
    as_json: bool,
) -> list[str]:
    """Score picture after picture, keeping only the data to be printed."""
    console = make_console()
    entries: list[dict[str, object]] = []
    problems: list[str] = []
    with console.capture() as capture:
        for image in show_progress(images, "Scoring"):
            score = score_file(image, profile)
            problems += _list_failures(score)
            drawn = _draw(score, folder, image, problems)
            if as_json:
                from webapp.formats.score import score_json

                entries.append(score_json(score))
            elif score.status is ScoreStatus.SCORED:
                print_score(console, score, drawn)
    sys.stdout.write(format_json(entries, indent=1) + "\n" if as_json else capture.get())
    return problems


def _score_two(
    images: tuple[str, str],
    profile: CalibrationProfile | None,
    folder: OverlayFolder | None,
    *,
    as_json: bool,
) -> list[str]:
    """Score two pictures as one board."""
    first, second = (score_file(image, profile) for image in show_progress(images, "Scoring"))
    fused = fuse_scores(first, second)
    problems = [*_list_failures(first), *_list_failures(second)]
    drawn = [
        _draw(score_in_picture(fused, camera), folder, images[camera], problems)
        for camera in (0, 1)
    ]
    if as_json:
        from webapp.formats.score import fused_score_json

        sys.stdout.write(format_json(fused_score_json(fused), indent=1) + "\n")
    elif fused.score.status is ScoreStatus.SCORED:
        print_fused_score(make_console(), fused, [path for path in drawn if path])
    return problems


def _list_failures(score: Score) -> list[str]:
    return [f"{score.image}: {score.reason}"] if score.status is not ScoreStatus.SCORED else []


def _draw(
    score: Score, folder: OverlayFolder | None, image: str, problems: list[str]
) -> Path | None:
    """Write the picture; returns its path, None if there is none. An error is added to
    ``problems``.
    """
    try:
        return None if folder is None else folder.write_score(score)
    except OSError as error:
        problems.append(
            f"{image}: its overlay cannot be written ({error.strerror}). Choose another folder."
        )
        return None
