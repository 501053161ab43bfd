"""Pictures with known truth, scored, graded and timed on one thread.

Knows the order of the work. Refuses to know how a figure is measured or shown.
"""

from __future__ import annotations

import dataclasses
import json
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

import cv2
import numpy as np

import sample_images
from webapp.bench_table import picture_table, rules_table, summary_table
from webapp.grading import Grade, grade
from webapp.measuring import Speed, Timed, enlarged_copy, peak_memory_mb, score_timed
from webapp.progress import followed
from webapp.report import score_json
from webapp.rules_speed import rules_speed
from webapp.summary import summed
from webapp.terminal import table_console
from webapp.truth import Truth, pictures_with_truth

#: Width of a 12-megapixel picture of a phone, for which the time is stated.
_PHONE_WIDTH_PX = 4032
#: Runs of which the quickest counts.
_PHONE_RUNS = 7


def sample_folder() -> Path:
    """Where the project's own pictures with truth are."""
    return Path(sample_images.__file__).parent / "stills"


def bench(folder: Path, *, as_json: bool) -> list[str]:
    """Print how a folder's pictures fare; returns what went wrong, one sentence each."""
    if not folder.is_dir():
        return [f"There is no folder {folder}; name one with pictures and truth files."]
    try:
        work = pictures_with_truth(folder)
    except (OSError, ValueError, KeyError) as error:
        return [f"A truth file in {folder} cannot be read ({error}); mend it or take it away."]
    if not work:
        return [f"No picture in {folder} has a truth file of the same name beside it."]
    _bench(work, as_json=as_json)
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
        figures = {
            "images": [dataclasses.asdict(each) for each in grades],
            "summary": dataclasses.asdict(summed(grades)),
            "speed": dataclasses.asdict(speed),
            "rules": dataclasses.asdict(rules_speed()),
        }
        sys.stdout.write(json.dumps(figures, indent=1) + "\n")
        return
    console = table_console()
    console.print(picture_table(grades, times))
    console.print(summary_table(summed(grades), speed))
    console.print(rules_table(rules_speed()))


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
        return score_timed(enlarged_copy(picture, Path(folder), _PHONE_WIDTH_PX), _PHONE_RUNS)
