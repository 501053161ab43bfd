"""Many grades as the few figures that say how well pictures are scored."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from webapp.bench.photo_grade import PhotoGrade


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """Sums over pictures; shares and errors are None where nothing was there to count."""

    images: int
    boards_found: int
    exact_totals: int
    silently_wrong: int
    discs: int
    missed: int
    extra: int
    team_wrong: int
    zone_wrong: int
    certain_wrong: int
    close_share: float | None
    safe_zone_share: float | None
    foot_median_mm: float | None
    foot_p95_mm: float | None


def summarise(grades: Sequence[PhotoGrade]) -> Summary:
    """The summary of some grades."""
    errors = [error for grade in grades for error in grade.foot_errors_mm]
    discs = sum(grade.discs for grade in grades)
    missed = sum(grade.missed for grade in grades)
    return Summary(
        images=len(grades),
        boards_found=sum(grade.is_found for grade in grades),
        exact_totals=sum(grade.is_exact for grade in grades),
        silently_wrong=sum(grade.is_silently_wrong for grade in grades),
        discs=discs,
        missed=missed,
        extra=sum(grade.extra for grade in grades),
        team_wrong=sum(grade.team_wrong for grade in grades),
        zone_wrong=sum(grade.zone_wrong for grade in grades),
        certain_wrong=sum(grade.certain_wrong for grade in grades),
        close_share=_share(sum(grade.close for grade in grades), discs - missed),
        safe_zone_share=_share(
            sum(grade.safe_right for grade in grades), sum(grade.safe for grade in grades)
        ),
        foot_median_mm=float(np.median(errors)) if errors else None,
        foot_p95_mm=float(np.percentile(errors, 95)) if errors else None,
    )


def _share(part: int, whole: int) -> float | None:
    return part / whole if whole else None
