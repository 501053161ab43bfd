"""A clip's events beside its truth: shots found and invented, verdicts, delays, the final score.

Shots are paired with the true ones by the Hungarian method on their times. The truth file is that
of ``sample_images/clips/*.json``.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
from scipy.optimize import linear_sum_assignment

from webapp.bench.grading.reliability import read_forecast
from webapp.referee.events import Event

#: A shot event belongs to the true shot that was released within this of its start, s.
_SAME_SHOT_S = 0.8


@dataclass(frozen=True, slots=True, kw_only=True)
class ClipGrade:
    """What was right and wrong of one clip, or of several together; counts but for the delay.

    delay_s    median time from the true rest to the verdict; None without a shot
    forecasts  of shots that truth says passed a disc closely: the stated chance of a contact, and
               whether there was one
    """

    shots: int
    found: int
    invented: int
    right: int
    needs_review: int
    wrong: int
    finals: int
    finals_exact: int
    delay_s: float | None = None
    forecasts: tuple[tuple[float, bool], ...] = ()


def clips_with_truth(folder: Path) -> list[tuple[Path, Path]]:
    """The clips of a folder that have their truth beside them."""
    found = ((clip, clip.with_suffix(".json")) for clip in sorted(folder.glob("*.mp4")))
    return [(clip, truth) for clip, truth in found if truth.is_file()]


def grade_clip(truth_file: Path, events: Sequence[Event]) -> ClipGrade:
    """One clip's events beside its truth."""
    truth = json.loads(truth_file.read_text(encoding="utf-8"))
    shots = [each for each in events if each["type"] == "shot"]
    pairs = _match_shots(truth["shots"], shots)
    verdicts = [
        (shot["verdict"], "legal" if true_shot["valid"] else "foul") for true_shot, shot in pairs
    ]
    review = sum(said == "needs_review" for said, _ in verdicts)
    right = sum(said == true for said, true in verdicts)
    delays = [shot["t_s"] - true_shot["t_rest"] for true_shot, shot in pairs]
    return ClipGrade(
        shots=len(truth["shots"]),
        found=len(pairs),
        invented=len(shots) - len(pairs),
        right=right,
        needs_review=review,
        wrong=len(pairs) - right - review,
        finals=1,
        finals_exact=int(_is_exact(truth["final"], events, pairs)),
        delay_s=median(delays) if delays else None,
        forecasts=tuple(
            each
            for true_shot, shot in pairs
            if (each := read_forecast(true_shot, shot)) is not None
        ),
    )


def sum_grades(grades: Sequence[ClipGrade]) -> ClipGrade:
    """Several clips' counts added up; the delay is the median of theirs."""
    counts = {
        field.name: sum(getattr(each, field.name) for each in grades)
        for field in fields(ClipGrade)
        if field.name not in ("delay_s", "forecasts")
    }
    delays = [each.delay_s for each in grades if each.delay_s is not None]
    return ClipGrade(
        **counts,
        delay_s=median(delays) if delays else None,
        forecasts=tuple(pair for each in grades for pair in each.forecasts),
    )


def _match_shots(
    true_shots: Sequence[Mapping[str, Any]], shots: Sequence[Event]
) -> list[tuple[Mapping[str, Any], Event]]:
    """True shots paired with the events that report them."""
    if not true_shots or not shots:
        return []
    apart = np.array([[abs(s["t_start_s"] - t["t_release"]) for s in shots] for t in true_shots])
    rows, columns = linear_sum_assignment(np.minimum(apart, _SAME_SHOT_S))
    return [
        (true_shots[row], shots[column])
        for row, column in zip(rows, columns, strict=True)
        if apart[row, column] < _SAME_SHOT_S
    ]


def _is_exact(
    final: Mapping[str, Any],
    events: Sequence[Event],
    pairs: Sequence[tuple[Mapping[str, Any], Event]],
) -> bool:
    """Whether the last round's points are the truth's; sides are known by their shots."""
    rounds = [each for each in events if each["type"] == "round"]
    if not rounds:
        return False
    points = {each["team"]: each["points"] for each in rounds[-1]["totals"]}
    for colour, side in final["per_colour"].items():
        teams = [shot["team"] for true_shot, shot in pairs if true_shot["colour"] == colour]
        team = max(set(teams), key=teams.count) if teams else None
        if points.get(team, 0) != side["total"]:
            return False
    return True
