"""Accuracy of reading a folder's pictures and of refereeing a clip, without their times.

A picture is read once into a ``PictureReading``, which can be graded any number of times.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.grading.clip_grade import ClipGrade, clips_with_truth, grade_clip, sum_grades
from bench.grading.photo_grade import grade_photo
from bench.grading.summary import Summary, summarise
from bench.timing import referee_clip
from sample_images.renderer.picture_truth import Truth, load_pictures_with_truth
from scorer.photo.score_file import score_file
from webapp.formats.form import InputFileError
from webapp.formats.score import score_json


@dataclass(frozen=True, slots=True, kw_only=True)
class PictureReading:
    """A picture's entry in the JSON of ``crokinole score``, and its truth."""

    image: str
    truth: Truth
    entry: dict[str, Any]


def read_pictures(folder: Path, step: int = 1) -> list[PictureReading]:
    """A folder's pictures with truth, or every nth of them by name, each read once. Raises the
    errors of ``load_pictures_with_truth``.
    """
    return [
        PictureReading(image=path.name, truth=truth, entry=score_json(score_file(path)))
        for path, truth in load_pictures_with_truth(folder)[::step]
    ]


def grade_readings(readings: Sequence[PictureReading]) -> Summary:
    """The figures of some readings together."""
    return summarise(
        [grade_photo(reading.image, reading.truth, reading.entry) for reading in readings]
    )


def measure_clip(clip: Path, truth_file: Path) -> ClipGrade:
    """A clip's grade, refereed by the NCA rules. Raises ``SourceError``."""
    return grade_clip(truth_file, referee_clip(clip)[0], clip.name)


def find_folder_problem(folder: Path) -> str | None:
    """The reason why a folder cannot be graded, in one sentence; None if it can."""
    if not folder.is_dir():
        return f"{folder}: Folder not found. Choose one with photos and truth files."
    if clips_with_truth(folder):
        return None
    try:
        work = load_pictures_with_truth(folder)
    except InputFileError as error:
        return str(error)
    if not work:
        return f"No picture in {folder} has a truth file of the same name beside it."
    return None


def measure_folder(folder: Path) -> Summary | ClipGrade:
    """The figures of a folder's clips, added up, or of its pictures if it has no clip."""
    clips = clips_with_truth(folder)
    if clips:
        return sum_grades([measure_clip(clip, truth) for clip, truth in clips])
    return grade_readings(read_pictures(folder))
