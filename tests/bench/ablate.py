"""``crokinole bench --ablate STAGE``: the totals of a folder's pictures without a stage.

A stage is disabled by values of its parameters under which it does nothing. A stage that improves
only the pictures that it was made for should be removed, with its parameters.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from bench.grading.accuracy import find_folder_problem, measure_folder
from bench.photos import stills_folder
from calibration.parameters import ParameterError, using
from webapp.varied_parameters import import_stages

#: The values that disable a stage, by its name.
ABLATIONS: Mapping[str, Mapping[str, Any]] = {
    "flat_field": {
        "rectify.even_light.uneven_ratio": 1e9,
        "rectify.even_light.dim_grey": 0.0,
    },
    "clear_teams": {
        "discs.classification.far_from_team_lab": 1e9,
        "discs.classification.team_lead_lab": 1e-9,
    },
    "reflections": {
        "discs.unseen_surface.hidden_share": 1.0,
        "discs.unseen_surface.saturated_share": 1.0,
    },
    "faint_side": {"discs.classification.faint_team_lab": 1e-9},
    "proposals": {"detector.arbitrate.most_log_odds": 0.0},
    "second_opinion": {
        "detector.arbitrate.most_log_odds": 0.0,
        "detector.arbitrate.possible_disc": 0.0,
        "detector.arbitrate.between_rows_mm": 1e9,
        "detector.arbitrate.empty_hole": 1.0,
        "discs.hole.hole_classifier.certain_state": 1.0,
    },
}
#: Names of the figures that are shown.
FIGURES = ("exact_totals", "settled", "asked_needlessly", "silently_wrong")


def measure_without(folder: Path, values: Mapping[str, Any]) -> tuple[int, ...]:
    """The numbers of totals in a folder that are exact, settled, needlessly asked about, and
    silently wrong, under these parameters.
    """
    import_stages()
    with using(values):
        figures = measure_folder(folder)
    return tuple(getattr(figures, name) for name in FIGURES)


def bench_ablate(stage: str, folder: Path | None, *, as_json: bool) -> list[str]:
    """Print the totals of a folder with all stages, and without one, or without every one in turn.

    Returns the errors, one sentence each. Raises ``ParameterError`` if no stage has that name.
    """
    if stage and stage not in ABLATIONS:
        raise ParameterError(f"There is no stage {stage!r}. Choose from {', '.join(ABLATIONS)}.")
    place = folder or stills_folder()
    if problem := find_folder_problem(place):
        return [problem]
    if not as_json:
        print(", ".join(FIGURES).replace("_", " "))
    rows = []
    for name in ("", stage) if stage else ("", *ABLATIONS):
        figures = measure_without(place, ABLATIONS.get(name, {}))
        rows.append({"without": name, **dict(zip(FIGURES, figures, strict=True))})
        if not as_json:
            print(*figures, f"without {name}" if name else "with all stages", flush=True)
    if as_json:
        print(json.dumps(rows, indent=1))
    return []
