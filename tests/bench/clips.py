"""``crokinole bench watch``: accuracy and speed of refereeing clips with truth, on one core."""

from __future__ import annotations

import json
import sys
from dataclasses import asdict
from pathlib import Path

from rich.table import Table

import sample_images
from bench.grading.clip_grade import ClipGrade, clips_with_truth, grade_clip, sum_grades
from bench.grading.reliability import bin_reliability, describe_reliability
from bench.timing import ClipTiming, peak_memory_mb, referee_clip
from webapp.cli.console import make_console


def clips_folder() -> Path:
    """The project's own clips."""
    return Path(sample_images.__file__).parent / "clips"


def bench_watch(folder: Path, *, as_json: bool) -> list[str]:
    """Grade and time a folder's clips and print the result; returns the errors, one sentence
    each.
    """
    clips = clips_with_truth(folder)
    if not clips:
        return [f"{folder} holds no .mp4 clip with a .json truth beside it."]
    grades, timings = [], []
    for clip, truth in clips:
        print(f"watching {clip.name}", file=sys.stderr)
        events, timing = referee_clip(clip)
        grades.append(grade_clip(truth, events, clip.name))
        timings.append(timing)
    megabytes = peak_memory_mb()
    if as_json:
        print(json.dumps(_as_json(grades, timings, megabytes), indent=1))
    else:
        make_console().print(_table(grades, timings))
        for line in describe_reliability("passes", bin_reliability(sum_grades(grades).forecasts)):
            print(line)
        if megabytes is not None:
            print(f"peak memory {megabytes:.0f} MB")
    return []


def _as_json(
    grades: list[ClipGrade], timings: list[ClipTiming], megabytes: float | None
) -> dict[str, object]:
    clips = [
        {**asdict(pace), "times_real_time": round(pace.times_real_time, 2), **asdict(grade)}
        for grade, pace in zip(grades, timings, strict=True)
    ]
    return {"clips": clips, "together": asdict(sum_grades(grades)), "peak_memory_mb": megabytes}


def _describe_final(grade: ClipGrade) -> str:
    """A clip's last score, in the terms of the pictures' table."""
    if grade.finals_silently_wrong:
        return "SILENTLY WRONG"
    is_asked = grade.finals_exact != grade.finals_settled or not grade.finals_exact
    return ("exact" if grade.finals_exact else "wrong") + (", asked" if is_asked else "")


def _table(grades: list[ClipGrade], timings: list[ClipTiming]) -> Table:
    table = Table()
    for name in ("clip", "shots", "found", "invented", "right", "review", "wrong", "final"):
        table.add_column(name)
    for name in ("delay s", "decode ms", "watch ms", "× real time at 30 fps"):
        table.add_column(name, justify="right")
    for grade, timing in zip(grades, timings, strict=True):
        table.add_row(
            timing.name,
            *(str(getattr(grade, name)) for name in ("shots", "found", "invented", "right")),
            str(grade.needs_review),
            str(grade.wrong),
            _describe_final(grade),
            "–" if grade.delay_s is None else f"{grade.delay_s:.2f}",
            f"{1000 * timing.decode_s / timing.frames:.1f}",
            f"{1000 * timing.watch_s / timing.frames:.1f}",
            f"{timing.times_real_time:.1f}",
        )
    return table
