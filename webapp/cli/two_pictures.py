"""``crokinole score ABOVE --beside BESIDE``: two pictures of one board to one score."""

from __future__ import annotations

import sys
from pathlib import Path

from rich.console import Console
from rich.text import Text

from calibration.json_text import format_json
from calibration.profile import CalibrationProfile
from scorer.photo.fused_score import FusedScore, fuse_scores, score_in_picture
from scorer.photo.score import ScoreStatus
from scorer.photo.score_file import score_file
from webapp.cli.overlay_folder import OverlayFolder
from webapp.terminal.console import make_console
from webapp.terminal.progress import show_progress
from webapp.terminal.score_table import format_totals, print_score


def score_two_pictures(
    images: tuple[str, str],
    profile: CalibrationProfile | None,
    pictures: OverlayFolder | None,
    *,
    as_json: bool,
) -> list[str]:
    """Score both pictures as one board and print what they say; returns what went wrong."""
    first, second = (score_file(image, profile) for image in show_progress(images, "Scoring"))
    fused = fuse_scores(first, second)
    problems = [
        f"{each.image}: {each.reason}"
        for each in fused.each
        if each.status is not ScoreStatus.SCORED
    ]
    written = []
    for camera in (0, 1):
        try:
            written.append(
                pictures.write_score(score_in_picture(fused, camera)) if pictures else None
            )
        except OSError as error:
            problems.append(f"{images[camera]}: its overlay cannot be written ({error.strerror}).")
    if as_json:
        from webapp.formats.score import (
            fused_score_json,
        )  # pydantic takes a tenth of a second to load

        sys.stdout.write(format_json(fused_score_json(fused), indent=1) + "\n")
    elif fused.score.status is ScoreStatus.SCORED:
        console = make_console()
        with console.capture() as capture:
            _print_fused(console, fused, [each for each in written if each is not None])
        sys.stdout.write(capture.get())
    return problems


def _print_fused(console: Console, fused: FusedScore, written: list[Path]) -> None:
    """What a person reads: the score of both, and what each gave alone."""
    print_score(console, fused.score)
    for each in fused.each:
        if each.status is ScoreStatus.SCORED:
            console.print(Text(f"{each.image} alone: {format_totals(each)}", style="dim"))
    if fused.note is not None:
        console.print(Text(fused.note, style="yellow"))
    for path in written:
        console.print(Text(f"Drawn in {path}", style="dim"), soft_wrap=True)
