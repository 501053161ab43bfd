"""``crokinole bench``: pictures with known truth, scored, graded and timed on one thread."""

from __future__ import annotations

import dataclasses
import json
import sys
import tempfile
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np

import sample_images
from bench.grading.accuracy import find_folder_problem
from bench.grading.photo_grade import PhotoGrade, grade_photo
from bench.grading.reliability import measure_risk
from bench.grading.summary import summarise
from bench.rules import RulesSpeed, measure_rules_speed
from bench.tables import picture_table, rules_table, summary_table
from bench.timing import PhotoSpeed, TimedScore, enlarged_copy, peak_memory_mb, time_score
from sample_images.renderer.picture_truth import Truth, load_pictures_with_truth
from webapp.cli.console import make_console
from webapp.cli.progress import show_progress
from webapp.formats.score import score_json

#: Width of a phone's 12-megapixel picture, for which the time is stated.
_PHONE_WIDTH_PX = 4032
#: Number of runs, of which the fastest counts.
_PHONE_RUNS = 7


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PhotoFigures:
    """Accuracy and speed of scoring pictures, individually and in total."""

    grades: list[PhotoGrade]
    times: list[TimedScore]
    speed: PhotoSpeed
    rules: RulesSpeed


def stills_folder() -> Path:
    """The folder of the project's own pictures with truth."""
    return Path(sample_images.__file__).parent / "stills"


def bench_photos(folder: Path, *, as_json: bool) -> list[str]:
    """Print the results for a folder's pictures; returns the errors, one sentence each."""
    with tempfile.TemporaryDirectory(prefix="crokinole-reports-") as unpacked:
        if unpack_reports(folder, Path(unpacked)):
            folder = Path(unpacked)
        problem = find_folder_problem(folder)
        if problem:
            return [problem]
        work = load_pictures_with_truth(folder)
        if not work:
            clips = f"`crokinole bench watch --truth {folder}`"
            return [f"{folder} holds clips; grade them by {clips}."]
        print_figures(measure_photos(work), as_json=as_json)
    return []


def unpack_reports(place: Path, folder: Path) -> int:
    """Unpack reports of wrong calls (a zip, or a folder of them) into a folder; returns their
    number.
    """
    reports = [place] if place.suffix == ".zip" else sorted(place.glob("*.zip"))
    for report in reports:
        with zipfile.ZipFile(report) as archive:
            for name in ("photo.jpg", "photo.json"):
                target = folder / f"{report.stem}{Path(name).suffix}"
                target.write_bytes(archive.read(name))
    return len(reports)


def measure_photos(
    work: Sequence[tuple[Path, Truth]], phone_runs: int = _PHONE_RUNS
) -> PhotoFigures:
    """Every picture's grade and times, on one thread; a phone's picture is timed in several
    runs.
    """
    threads = cv2.getNumThreads()
    cv2.setNumThreads(1)
    try:
        grades, times = grade_all(work)
        speed = _measure_speed(work, times, phone_runs)
    finally:
        cv2.setNumThreads(threads)
    return PhotoFigures(grades=grades, times=times, speed=speed, rules=measure_rules_speed())


def grade_all(work: Sequence[tuple[Path, Truth]]) -> tuple[list[PhotoGrade], list[TimedScore]]:
    """The grade and the times of every picture."""
    grades, times = [], []
    for path, truth in show_progress(work, "Grading"):
        timed = time_score(path)
        grades.append(grade_photo(path.name, truth, score_json(timed.score)))
        # the pixels are no longer needed, and a folder of pictures does not fit into memory
        without_pixels = dataclasses.replace(timed.score, frame=None, reading=None)
        times.append(dataclasses.replace(timed, score=without_pixels))
    return grades, times


def print_figures(told: PhotoFigures, *, as_json: bool) -> None:
    """Print the measurements, as JSON or as tables."""
    summary = summarise(told.grades)
    if as_json:
        figures = {
            "images": [dataclasses.asdict(grade) for grade in told.grades],
            "summary": dataclasses.asdict(summary),
            "speed": dataclasses.asdict(told.speed),
            "rules": dataclasses.asdict(told.rules),
            "risk": [dataclasses.asdict(level) for level in measure_risk(_list_forecasts(told))],
        }
        sys.stdout.write(json.dumps(figures, indent=1) + "\n")
        return
    console = make_console()
    console.print(picture_table(told.grades, told.times))
    console.print(summary_table(summary, told.speed))
    console.print(rules_table(told.rules))
    for risk in measure_risk(_list_forecasts(told)):
        console.print(
            f"settled from {risk.level:.0%} on: {risk.settled}, {risk.wrong} of them wrong"
        )


def _list_forecasts(told: PhotoFigures) -> list[tuple[float, bool]]:
    """The stated probability of right totals, and whether they were, of every scored picture."""
    scored = [grade for grade in told.grades if grade.status == "scored"]
    return [(grade.probability_right, grade.is_exact) for grade in scored]


def _measure_speed(
    work: Sequence[tuple[Path, Truth]], times: Sequence[TimedScore], phone_runs: int
) -> PhotoSpeed:
    stages: dict[str, list[float]] = {}
    for timed in times:
        for name, seconds in timed.score.stage_s.items():
            stages.setdefault(name, []).append(1e3 * seconds)
    phone = _time_phone_picture(work, phone_runs)
    return PhotoSpeed(
        median_ms=1e3 * float(np.median([timed.score_s for timed in times])),
        median_ratio=float(np.median([timed.ratio for timed in times])),
        stage_median_ms={name: float(np.median(stage)) for name, stage in stages.items()},
        phone_ms=None if phone is None else 1e3 * phone.score_s,
        phone_ratio=None if phone is None else phone.ratio,
        peak_memory_mb=peak_memory_mb(),
    )


def _time_phone_picture(work: Sequence[tuple[Path, Truth]], runs: int) -> TimedScore | None:
    """The time for the fullest board, at the size of phones' pictures."""
    boards = [task for task in work if task[1].has_board]
    if not boards:
        return None
    picture, _ = max(boards, key=lambda board: len(board[1].discs))
    with tempfile.TemporaryDirectory() as folder:
        return time_score(enlarged_copy(picture, Path(folder), _PHONE_WIDTH_PX), runs)
