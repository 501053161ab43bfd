"""``python -m bench.ablate FOLDER [STAGE...]``: the totals of a folder's pictures without a stage.

A stage is disabled by values of its parameters under which it does nothing. A stage that improves
only the pictures that it was made for should be removed, with its parameters.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from bench.grading.accuracy import measure_folder
from calibration.parameters import using
from webapp.varied_parameters import import_stages

#: The values that disable a stage, by its name.
ABLATIONS: Mapping[str, Mapping[str, Any]] = {
    "flat_field": {
        "rectify.even_light.uneven_ratio": 1e9,
        "rectify.even_light.dim_grey": 0.0,
    },
    "voted_places": {"discs.region.voted_regions.max_places": 0},
    "restarted_fits": {"discs.disc_hypotheses.restart_lead": 1e9},
    "clear_teams": {
        "discs.classification.far_from_team_lab": 1e9,
        "discs.classification.team_lead_lab": 1e-9,
    },
    "reflections": {
        "discs.unseen_surface.hidden_share": 1.0,
        "discs.unseen_surface.saturated_share": 1.0,
    },
    "faint_side": {"discs.classification.faint_team_lab": 1e-9},
    "noise": {"read_photo.noise_grey": 255.0},
    "proposals": {"detector.arbitrate.most_log_odds": 0.0},
    "second_opinion": {
        "detector.arbitrate.most_log_odds": 0.0,
        "detector.arbitrate.possible_disc": 0.0,
        "detector.arbitrate.certain_disc": 1.0,
        "detector.arbitrate.absent_disc": 0.0,
        "detector.arbitrate.between_rows_mm": 1e9,
        "detector.arbitrate.empty_hole": 1.0,
        "detector.arbitrate.certain_hole": 1.0,
    },
}
_FIGURES = ("exact_totals", "settled", "asked_needlessly", "silently_wrong")


def measure_without(folder: Path, values: Mapping[str, Any]) -> tuple[int, ...]:
    """The numbers of totals in a folder that are exact, settled, asked needlessly and silently
    wrong under these parameters.
    """
    import_stages()
    with using(values):
        figures = measure_folder(folder)
    return tuple(getattr(figures, name) for name in _FIGURES)


def main(arguments: list[str] | None = None) -> None:
    """Print a line for all stages, and one without each named stage (by default every stage)."""
    parser = argparse.ArgumentParser(prog="python -m bench.ablate", description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("stages", nargs="*", choices=[[], *ABLATIONS], metavar="STAGE")
    chosen = parser.parse_args(arguments)
    print("exact, settled, asked needlessly, silently wrong")
    print(*measure_without(chosen.folder, {}), "with all stages")
    for name in chosen.stages or ABLATIONS:
        print(*measure_without(chosen.folder, ABLATIONS[name]), "without", name, flush=True)


if __name__ == "__main__":
    main()
