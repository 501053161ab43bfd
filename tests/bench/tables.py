"""Grades and times of pictures as tables for a terminal."""

from __future__ import annotations

from collections.abc import Sequence

from rich.table import Table

from bench.grading.photo_grade import PhotoGrade
from bench.grading.summary import Summary, list_outcomes
from bench.rules import RulesSpeed
from bench.timing import PhotoSpeed, TimedScore
from scorer.wilson import wilson_interval


def picture_table(grades: Sequence[PhotoGrade], times: Sequence[TimedScore]) -> Table:
    """One row per picture: its grade, and its time."""
    table = Table(box=None, pad_edge=False, header_style="dim")
    table.add_column("picture", overflow="fold")
    for name in ("status", "totals"):
        table.add_column(name)
    for name in ("discs", "missed", "extra", "zone", "certain", "team", "close", "ms", "×"):
        table.add_column(name, justify="right")
    for grade, timed in zip(grades, times, strict=True):
        counts = (grade.discs, grade.missed, grade.extra, grade.zone_wrong, grade.certain_wrong)
        table.add_row(
            grade.image,
            grade.status,
            _totals_text(grade),
            *(str(count) for count in (*counts, grade.team_wrong, grade.close)),
            f"{1e3 * timed.score_s:.0f}",
            f"{timed.ratio:.1f}",
            style=None if grade.is_exact else "yellow",
        )
    return table


def _totals_text(grade: PhotoGrade) -> str:
    if grade.is_exact:
        return "exact, asked" if grade.is_asked else "exact"
    return "SILENTLY WRONG" if grade.is_silently_wrong else "wrong, asked"


def summary_table(summary: Summary, speed: PhotoSpeed) -> Table:
    """All pictures together."""
    return _figures_table([*_accuracy_rows(summary), *_speed_rows(speed)])


def rules_table(speed: RulesSpeed) -> Table:
    """Judging and folding."""
    return _figures_table(
        [
            ("", ""),
            ("a shot judged, 23 discs", _figure(speed.judge_seen_ms, "ms")),
            ("the same, contacts unseen", _figure(speed.judge_unseen_ms, "ms")),
            ("a match of 1,000 events folded", _figure(speed.fold_ms, "ms")),
        ]
    )


def _figures_table(rows: list[tuple[str, str]]) -> Table:
    table = Table(box=None, pad_edge=False, show_header=False)
    table.add_column()
    table.add_column(justify="right")
    for name, figure in rows:
        table.add_row(name, figure)
    return table


def _accuracy_rows(summary: Summary) -> list[tuple[str, str]]:
    return [
        ("", ""),
        ("pictures", str(summary.images)),
        ("boards found", str(summary.boards_found)),
        ("exact totals, or rightly no board", _counted(summary.exact_totals, summary.images)),
        *((words, _counted(count, summary.images)) for words, count in list_outcomes(summary)),
        ("asked, with no disc that a person would call close", str(summary.asked_needlessly)),
        ("discs: there, missed, extra", f"{summary.discs}, {summary.missed}, {summary.extra}"),
        ("team wrong", str(summary.team_wrong)),
        ("zone wrong", str(summary.zone_wrong)),
        ("zone wrong though called certain", str(summary.certain_wrong)),
        ("called close", _percent(summary.close_share)),
        ("zone right where the margin is over 1 mm", _percent(summary.safe_zone_share)),
        ("foot position, median", _figure(summary.foot_median_mm, "mm")),
        ("foot position, 95%", _figure(summary.foot_p95_mm, "mm")),
        ("margin errors squared, in sigmas (1 is honest)", _figure(summary.margin_z2, "")),
    ]


def _speed_rows(speed: PhotoSpeed) -> list[tuple[str, str]]:
    return [
        ("", ""),
        *((f"stage {name}, median", f"{ms:.1f} ms") for name, ms in speed.stage_median_ms.items()),
        ("a picture, median", f"{speed.median_ms:.0f} ms"),
        ("times decoding the same file, median", f"{speed.median_ratio:.2f}"),
        ("a 12-megapixel JPEG of the fullest board", _figure(speed.phone_ms, "ms", 0)),
        ("times decoding it", _figure(speed.phone_ratio, "")),
        ("peak memory", _figure(speed.peak_memory_mb, "MB", 0)),
    ]


def _counted(part: int, whole: int) -> str:
    """A count with the share's 95% interval."""
    low, high = wilson_interval(part, whole)
    return f"{part} of {whole} ({100 * low:.0f} to {100 * high:.0f}%)"


def _percent(share: float | None) -> str:
    return "–" if share is None else f"{100 * share:.1f}%"


def _figure(value: float | None, unit: str, places: int = 2) -> str:
    return "–" if value is None else f"{value:.{places}f} {unit}".strip()
