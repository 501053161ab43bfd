"""The grades of many pictures, summarised in a few figures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from bench.grading.photo_grade import PhotoGrade

#: A squared error in sigmas counts as at most this, three sigmas: one disc on a wrong place, or
#: one picture whose scale is off, does not decide alone. Errors with honest sigmas then have the
#: mean 0.995 (chi-square with one degree of freedom).
_MOST_Z2 = 9.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """Sums over pictures; shares and errors are None if there was nothing to count.

    settled           exact, and nobody was asked
    asked             left to a person
    asked_needlessly  of these, exact and without a disc that a person would call close
    margin_z2         mean squared error of the margins in sigmas, each counted as at most 9: 1
                      where sigmas are honest, more where they are too small
    """

    images: int
    boards_found: int
    exact_totals: int
    settled: int
    asked: int
    asked_needlessly: int
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
    margin_z2: float | None


def summarise(grades: Sequence[PhotoGrade]) -> Summary:
    """The summary of some grades."""
    errors = [error for grade in grades for error in grade.foot_errors_mm]
    z2 = [value for grade in grades for value in grade.margin_z2]
    discs = sum(grade.discs for grade in grades)
    missed = sum(grade.missed for grade in grades)
    return Summary(
        images=len(grades),
        boards_found=sum(grade.is_found for grade in grades),
        exact_totals=sum(grade.is_exact for grade in grades),
        settled=sum(grade.is_settled for grade in grades),
        asked=sum(grade.is_asked for grade in grades),
        asked_needlessly=sum(grade.is_needless for grade in grades),
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
        margin_z2=float(np.minimum(z2, _MOST_Z2).mean()) if z2 else None,
    )


def list_outcomes(summary: Summary) -> list[tuple[str, int]]:
    """The four possible outcomes of a picture, in words, with their counts.

    A board that was not found counts as asked about, because a person must add up the points.
    """
    right = summary.exact_totals - summary.settled
    wrong = summary.images - summary.exact_totals - summary.silently_wrong
    return [
        ("settled", summary.settled),
        ("right, but asked", right),
        ("wrong, but asked", wrong),
        ("wrong without asking", summary.silently_wrong),
    ]


def _share(part: int, whole: int) -> float | None:
    return part / whole if whole else None
