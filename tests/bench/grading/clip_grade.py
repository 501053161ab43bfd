"""A clip's events compared with its truth: shots found and invented, verdicts, delays, the final
score.

Shots are paired with the true ones by the Hungarian method on their times. The truth file has the
form of ``sample_images/clips/*.json``, or is one ``truth.json`` for the real films of a folder, in
which a person noted the frames of all events.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
from scipy.optimize import linear_sum_assignment

from bench.grading.reliability import read_forecast

#: A shot event belongs to the true shot that was released within this of its start, s.
_SAME_SHOT_S = 0.8
#: The truth of all films in a folder, by file name under ``clips``.
_SHARED_TRUTH = "truth.json"


@dataclass(frozen=True, slots=True, kw_only=True)
class ClipGrade:
    """The grade of one clip, or of several together: counts, and a delay.

    finals, finals_exact   last scores, and those whose points are right
    finals_settled         of these, those about which nobody was asked
    finals_silently_wrong  last scores that are wrong, and about which nobody was asked
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
    finals_settled: int
    finals_silently_wrong: int
    delay_s: float | None = None
    forecasts: tuple[tuple[float, bool], ...] = ()


def clips_with_truth(folder: Path) -> list[tuple[Path, Path]]:
    """The clips of a folder that have a truth file."""
    clips = sorted(folder.glob("*.mp4"))
    own = [(clip, clip.with_suffix(".json")) for clip in clips]
    shared = folder / _SHARED_TRUTH
    named = json.loads(shared.read_text(encoding="utf-8"))["clips"] if shared.is_file() else {}
    return [
        *((clip, truth) for clip, truth in own if truth.is_file()),
        *((clip, shared) for clip in clips if clip.name in named),
    ]


def grade_clip(truth_file: Path, events: Sequence[Mapping[str, Any]], name: str = "") -> ClipGrade:
    """A clip's events compared with its truth; ``name`` is its file's, if many share a truth
    file.
    """
    truth = json.loads(truth_file.read_text(encoding="utf-8"))
    if "clips" in truth:
        truth = _read_frames(truth["clips"][name])
    shots = [event for event in events if event["type"] == "shot"]
    pairs = _match_shots(truth["shots"], shots)
    verdicts = [
        (shot["verdict"], "legal" if true_shot["valid"] else "foul") for true_shot, shot in pairs
    ]
    review = sum(said == "needs_review" for said, _ in verdicts)
    right = sum(said == true for said, true in verdicts)
    is_exact = _is_exact(truth["final"], events, pairs)
    is_asked = any(last_round["needs_review"] for last_round in _last_rounds(events))
    delays = [shot["t_s"] - true_shot["t_rest"] for true_shot, shot in pairs]
    return ClipGrade(
        shots=len(truth["shots"]),
        found=len(pairs),
        invented=len(shots) - len(pairs),
        right=right,
        needs_review=review,
        wrong=len(pairs) - right - review,
        finals=1,
        finals_exact=int(is_exact),
        finals_settled=int(is_exact and not is_asked),
        finals_silently_wrong=int(not is_exact and not is_asked),
        delay_s=median(delays) if delays else None,
        forecasts=tuple(
            forecast
            for true_shot, shot in pairs
            if (forecast := read_forecast(true_shot, shot)) is not None
        ),
    )


def _read_frames(noted: Mapping[str, Any]) -> dict[str, Any]:
    """A real film's truth in the form of a generated one, from a person's notes about frames.

    A shot that changed the other side's discs touched one, and was legal; no film here shows a
    miss.
    """
    shots = []
    for shot in noted["shots"]:
        others = [_count_others(shot[when], shot["shooter"]) for when in ("before", "after")]
        if others[0] == others[1]:
            raise ValueError(f"{shot['id']} does not show whether it was legal.")
        shots.append(
            {
                "t_release": shot["flick_frame"] / noted["fps"],
                "t_rest": shot["all_at_rest_frame"] / noted["fps"],
                "colour": shot["shooter"],
                "valid": True,
            }
        )
    points: Counter[str] = Counter()
    for disc in noted["shots"][-1]["after"]["discs"]:
        points[disc["c"]] += disc["zone"]
    return {"shots": shots, "final": {"per_colour": {c: {"total": n} for c, n in points.items()}}}


def _count_others(board: Mapping[str, Any], shooter: str) -> int:
    return sum(disc["c"] != shooter for disc in board["discs"])


def sum_grades(grades: Sequence[ClipGrade]) -> ClipGrade:
    """Several clips' counts added up; the delay is the median of theirs."""
    counts = {
        field.name: sum(getattr(grade, field.name) for grade in grades)
        for field in fields(ClipGrade)
        if field.name not in ("delay_s", "forecasts")
    }
    delays = [grade.delay_s for grade in grades if grade.delay_s is not None]
    return ClipGrade(
        **counts,
        delay_s=median(delays) if delays else None,
        forecasts=tuple(pair for grade in grades for pair in grade.forecasts),
    )


def _match_shots(
    true_shots: Sequence[Mapping[str, Any]], shots: Sequence[Mapping[str, Any]]
) -> list[tuple[Mapping[str, Any], Mapping[str, Any]]]:
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


def _last_rounds(events: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """The last events of rounds' scores, if there are any."""
    return [event for event in events if event["type"] == "round"][-1:]


def _is_exact(
    final: Mapping[str, Any],
    events: Sequence[Mapping[str, Any]],
    pairs: Sequence[tuple[Mapping[str, Any], Mapping[str, Any]]],
) -> bool:
    """Whether the last round's points are the truth's; sides are identified by their shots."""
    rounds = _last_rounds(events)
    if not rounds:
        return False
    points = {total["team"]: total["points"] for total in rounds[0]["totals"]}
    for colour, side in final["per_colour"].items():
        teams = [shot["team"] for true_shot, shot in pairs if true_shot["colour"] == colour]
        team = max(set(teams), key=teams.count) if teams else None
        if points.get(team, 0) != side["total"]:
            return False
    return True
