"""``crokinole bench``: how well and how fast pictures with known truth are scored.

Knows the command's arguments and its tables.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from rich.console import Console
from rich.table import Table

import sample_images
from webapp.grading import Grade, grade
from webapp.measuring import Timed, enlarged_copy, peak_memory_mb, score_timed
from webapp.progress import followed
from webapp.report import score_json
from webapp.summary import Summary, summed
from webapp.truth import Truth, pictures_with_truth

#: Width of a 12-megapixel picture of a phone, for which the time is stated.
_PHONE_WIDTH_PX = 4032


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Speed:
    """Times of some pictures. Milliseconds; ratios are to a plain decode of the same file."""

    median_ms: float
    median_ratio: float
    stage_median_ms: dict[str, float]
    phone_ms: float | None
    phone_ratio: float | None
    peak_memory_mb: float


def add_to(commands: Any) -> None:
    """Add this command to argparse's subparsers."""
    parser = commands.add_parser(
        "bench",
        help="say how well and how fast pictures with known truth are scored",
        description="Score pictures that have truth files beside them and say how well it went.",
    )
    parser.add_argument(
        "--truth",
        type=Path,
        metavar="DIR",
        help="a folder of pictures, each with its truth as .json; the sample pictures if left out",
    )
    parser.add_argument("--json", action="store_true", help="print JSON and nothing else")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> list[str]:
    """Grade and time a folder's pictures; returns what went wrong, one sentence each."""
    folder = arguments.truth or Path(sample_images.__file__).parent / "stills"
    if not folder.is_dir():
        return [f"There is no folder {folder}; name one with pictures and truth files."]
    try:
        work = pictures_with_truth(folder)
    except (OSError, ValueError, KeyError) as error:
        return [f"A truth file in {folder} cannot be read ({error}); mend it or take it away."]
    if not work:
        return [f"No picture in {folder} has a truth file of the same name beside it."]
    _bench(work, as_json=arguments.json)
    return []


def grade_all(work: Sequence[tuple[Path, Truth]]) -> tuple[list[Grade], list[Timed]]:
    """The grade and the times of every picture."""
    grades, times = [], []
    for path, truth in followed(work, "Grading"):
        timed = score_timed(path)
        grades.append(grade(path.name, truth, score_json(timed.score)))
        # The pixels are not needed any more, and a folder of pictures does not fit the memory.
        bare = dataclasses.replace(timed.score, frame=None, reading=None)
        times.append(dataclasses.replace(timed, score=bare))
    return grades, times


def _bench(work: Sequence[tuple[Path, Truth]], *, as_json: bool) -> None:
    threads = cv2.getNumThreads()
    cv2.setNumThreads(1)
    try:
        grades, times = grade_all(work)
        speed = _speed(work, times)
    finally:
        cv2.setNumThreads(threads)
    if as_json:
        sys.stdout.write(json.dumps(_json(grades, speed), indent=1) + "\n")
        return
    console = Console(highlight=False)
    console.print(_picture_table(grades, times))
    console.print(_summary_table(summed(grades), speed))


def _speed(work: Sequence[tuple[Path, Truth]], times: Sequence[Timed]) -> Speed:
    stages: dict[str, list[float]] = {}
    for timed in times:
        for name, seconds in timed.score.stage_s.items():
            stages.setdefault(name, []).append(1e3 * seconds)
    phone = _phone_sized(work)
    return Speed(
        median_ms=1e3 * float(np.median([timed.score_s for timed in times])),
        median_ratio=float(np.median([timed.ratio for timed in times])),
        stage_median_ms={name: float(np.median(each)) for name, each in stages.items()},
        phone_ms=None if phone is None else 1e3 * phone.score_s,
        phone_ratio=None if phone is None else phone.ratio,
        peak_memory_mb=peak_memory_mb(),
    )


def _phone_sized(work: Sequence[tuple[Path, Truth]]) -> Timed | None:
    """The time of the fullest board, at the size that phones take."""
    boards = [each for each in work if each[1].has_board]
    if not boards:
        return None
    picture, _ = max(boards, key=lambda each: len(each[1].discs))
    with tempfile.TemporaryDirectory() as folder:
        return score_timed(enlarged_copy(picture, Path(folder), _PHONE_WIDTH_PX))


def _json(grades: Sequence[Grade], speed: Speed) -> dict[str, Any]:
    return {
        "images": [dataclasses.asdict(each) for each in grades],
        "summary": dataclasses.asdict(summed(grades)),
        "speed": dataclasses.asdict(speed),
    }


def _picture_table(grades: Sequence[Grade], times: Sequence[Timed]) -> Table:
    table = Table(box=None, pad_edge=False, header_style="dim")
    table.add_column("picture", overflow="fold")
    for name in ("status", "totals"):
        table.add_column(name)
    for name in ("discs", "missed", "extra", "zone", "certain", "team", "close", "ms", "×"):
        table.add_column(name, justify="right")
    for each, timed in zip(grades, times, strict=True):
        counts = (each.discs, each.missed, each.extra, each.zone_wrong, each.certain_wrong)
        table.add_row(
            each.image,
            each.status,
            _totals_words(each),
            *(str(count) for count in (*counts, each.team_wrong, each.close)),
            f"{1e3 * timed.score_s:.0f}",
            f"{timed.ratio:.1f}",
            style=None if each.is_exact else "yellow",
        )
    return table


def _totals_words(each: Grade) -> str:
    if each.is_exact:
        return "exact"
    return "SILENTLY WRONG" if each.is_silently_wrong else "wrong, said so"


def _summary_table(summary: Summary, speed: Speed) -> Table:
    table = Table(box=None, pad_edge=False, show_header=False)
    table.add_column()
    table.add_column(justify="right")
    for name, figure in (*_accuracy_rows(summary), *_speed_rows(speed)):
        table.add_row(name, figure)
    return table


def _accuracy_rows(summary: Summary) -> list[tuple[str, str]]:
    return [
        ("", ""),
        ("pictures", str(summary.images)),
        ("boards found", str(summary.boards_found)),
        ("exact totals", str(summary.exact_totals)),
        ("wrong totals without needs_review", str(summary.silently_wrong)),
        ("discs: there, missed, extra", f"{summary.discs}, {summary.missed}, {summary.extra}"),
        ("team wrong", str(summary.team_wrong)),
        ("zone wrong", str(summary.zone_wrong)),
        ("zone wrong though called certain", str(summary.certain_wrong)),
        ("called close", _percent(summary.close_share)),
        ("zone right where the margin is over 1 mm", _percent(summary.safe_zone_share)),
        ("foot position, median", _figure(summary.foot_median_mm, "mm")),
        ("foot position, 95%", _figure(summary.foot_p95_mm, "mm")),
    ]


def _speed_rows(speed: Speed) -> list[tuple[str, str]]:
    return [
        ("", ""),
        *((f"stage {name}, median", f"{ms:.1f} ms") for name, ms in speed.stage_median_ms.items()),
        ("a picture, median", f"{speed.median_ms:.0f} ms"),
        ("times decoding the same file, median", f"{speed.median_ratio:.2f}"),
        ("a 12-megapixel JPEG of the fullest board", _figure(speed.phone_ms, "ms", 0)),
        ("times decoding it", _figure(speed.phone_ratio, "")),
        ("peak memory", f"{speed.peak_memory_mb:.0f} MB"),
    ]


def _percent(share: float | None) -> str:
    return "–" if share is None else f"{100 * share:.1f}%"


def _figure(value: float | None, unit: str, places: int = 2) -> str:
    return "–" if value is None else f"{value:.{places}f} {unit}".strip()
