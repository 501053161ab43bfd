"""``crokinole bench views``: boards drawn at oblique tilts, read, and compared with their truth.

The effects of tilt are listed separately: errors of bases across the line of sight and in depth, in
mm and in the stated sigmas, missed discs, and close calls. Stills are drawn from seeds
(``sample_images.clip_maker.make_still``), the same every time.
"""

from __future__ import annotations

import dataclasses
import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from rich.table import Table

from bench.grading.photo_grade import PhotoGrade, grade_photo, match_bases
from bench.grading.summary import Summary, summarise
from calibration.board import FloatArray
from sample_images.clip_maker.make_still import make_still
from sample_images.renderer.picture_truth import Truth
from scorer.photo.score import Score, score_reading
from vision.io.frame import Frame
from vision.read_photo import read_photo
from webapp.cli.console import make_console
from webapp.cli.progress import show_progress
from webapp.formats.score import score_json

#: Degrees off the board's normal.
TILTS_DEG = (60.0, 66.0, 72.0, 78.0)
#: The first seed; no threshold was chosen on these stills.
_FIRST_SEED = 101
#: Cap as for margins, so that one misplaced disc does not decide alone.
_MOST_Z2 = 9.0


@dataclass(frozen=True, slots=True, kw_only=True)
class BaseErrors:
    """Errors of bases: median and 95% in mm, and mean square in sigmas (1 if those are right)."""

    bases: int
    median_mm: float
    p95_mm: float
    z2: float


@dataclass(frozen=True, slots=True, kw_only=True)
class TiltedViews:
    """Results for the boards of one tilt; ``across`` and ``depth`` are None if there was no
    disc.
    """

    tilt_deg: float
    summary: Summary
    across: BaseErrors | None
    depth: BaseErrors | None


def bench_views(boards: int, *, as_json: bool) -> list[str]:
    """Print the results for a number of boards per tilt; returns the errors, one sentence each."""
    work = [(tilt, seed) for tilt in TILTS_DEG for seed in range(boards)]
    read: dict[float, list[tuple[PhotoGrade, FloatArray]]] = {tilt: [] for tilt in TILTS_DEG}
    for tilt, seed in show_progress(work, "Reading"):
        read[tilt].append(_read_still(_FIRST_SEED + seed, tilt))
    views = [_sum_up(tilt, grades) for tilt, grades in read.items()]
    if as_json:
        sys.stdout.write(json.dumps([dataclasses.asdict(view) for view in views], indent=1) + "\n")
    else:
        make_console().print(_table(views))
    return []


def _read_still(seed: int, tilt_deg: float) -> tuple[PhotoGrade, FloatArray]:
    """A still's grade and the errors of its base centres."""
    still = make_still(seed, tilt_deg)
    height, width = still.image.shape[:2]
    name = f"{tilt_deg:.0f}° {seed}"
    frame = Frame(name=name, image=still.image, scale=1.0, width_px=width, height_px=height)
    score = score_reading(frame, read_photo(frame))
    grade = grade_photo(name, still.truth, score_json(score))
    return grade, measure_base_errors(still.truth, score)


def measure_base_errors(truth: Truth, score: Score) -> FloatArray:
    """Errors (n, 4) of flat discs: across the line of sight and in depth, mm, with their sigmas."""
    rows: list[list[float]] = []
    if score.reading is None or score.reading.board is None:
        return np.zeros((0, 4))
    camera_mm = score.reading.board.view.cam_from_board.camera_board_mm[:2]
    said = np.array([called_disc.disc.centre_mm for called_disc in score.discs]).reshape(-1, 2)
    for true_index, said_index, error_mm in match_bases(truth, said):
        disc = score.discs[said_index].disc
        if not truth.discs[true_index].is_flat or disc.state.value != "flat":
            continue
        away = disc.centre_mm - camera_mm
        depth = away / np.linalg.norm(away)
        axes = np.array([[-depth[1], depth[0]], depth])
        sigma_mm = np.sqrt(np.diag(axes @ disc.covariance_mm2 @ axes.T))
        rows.append([*(axes @ error_mm), *sigma_mm])
    return np.array(rows).reshape(-1, 4)


def _sum_up(tilt_deg: float, read: Sequence[tuple[PhotoGrade, FloatArray]]) -> TiltedViews:
    errors = np.concatenate([grades for _, grades in read]) if read else np.zeros((0, 4))
    return TiltedViews(
        tilt_deg=tilt_deg,
        summary=summarise([grade for grade, _ in read]),
        across=_summarise_bases(errors[:, 0], errors[:, 2]),
        depth=_summarise_bases(errors[:, 1], errors[:, 3]),
    )


def _summarise_bases(error_mm: FloatArray, sigma_mm: FloatArray) -> BaseErrors | None:
    if len(error_mm) == 0:
        return None
    away_mm = np.abs(error_mm)
    return BaseErrors(
        bases=len(error_mm),
        median_mm=float(np.median(away_mm)),
        p95_mm=float(np.percentile(away_mm, 95)),
        z2=float(np.minimum((error_mm / sigma_mm) ** 2, _MOST_Z2).mean()),
    )


def _table(views: Sequence[TiltedViews]) -> Table:
    table = Table(box=None, pad_edge=False, header_style="dim")
    for name in ("tilt", "found", "exact", "silent", "discs", "missed", "extra", "close"):
        table.add_column(name, justify="right")
    for name in ("across, mm", "depth, mm", "z² across", "depth", "margin"):
        table.add_column(name, justify="right")
    for view in views:
        told = view.summary
        table.add_row(
            f"{view.tilt_deg:.0f}°",
            f"{told.boards_found} of {told.images}",
            *(str(count) for count in (told.exact_totals, told.silently_wrong)),
            *(str(count) for count in (told.discs, told.missed, told.extra)),
            "–" if told.close_share is None else f"{told.close_share:.0%}",
            _format_errors(view.across),
            _format_errors(view.depth),
            *("–" if base is None else f"{base.z2:.2f}" for base in (view.across, view.depth)),
            "–" if told.margin_z2 is None else f"{told.margin_z2:.2f}",
        )
    return table


def _format_errors(errors: BaseErrors | None) -> str:
    """Median and 95%."""
    return "–" if errors is None else f"{errors.median_mm:.2f} / {errors.p95_mm:.2f}"
