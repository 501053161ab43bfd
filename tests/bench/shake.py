"""``python -m bench.shake FOLDER...``: the totals of pictures while all parameters are a bit off.

For every seed, all parameters of ``vision`` are multiplied by random factors at the same time. If
totals fall, the reader depends on exact values, which were then fitted to some pictures. ``--only``
shakes the parameters whose names begin so, which finds the cause of a loss.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from bench.ablate import FIGURES
from bench.grading.accuracy import grade_readings, read_pictures
from calibration.parameters import StageParameter, using
from webapp.varied_parameters import import_stages

#: Largest change of a parameter, as a share of its value.
SHARE = 0.2
#: Largest values of units: of a value above half of it, the part that is missing is changed.
_LARGEST = {"share": 1.0, "probability": 1.0, "cosine": 1.0, "grey value": 255.0}


def list_shaken(only: str = "") -> Iterator[StageParameter]:
    """The parameters of ``vision`` whose names begin with ``only``."""
    for stage in import_stages().values():
        if stage.__module__.startswith("vision."):
            for declared in stage.declared.values():
                if declared.name.startswith(only) and not isinstance(declared.default, int | str):
                    yield declared


def shake(seed: int, only: str = "") -> dict[str, Any]:
    """Values by name, each changed by a random share of its own. Seeds with the same number change
    a parameter alike, whichever others are shaken.
    """
    rng = np.random.default_rng(seed)
    factors = {declared.name: rng.uniform(1 - SHARE, 1 + SHARE) for declared in list_shaken()}
    return {
        declared.name: _multiply(declared.default, factors[declared.name], declared.unit)
        for declared in list_shaken(only)
    }


def _multiply(value: Any, factor: float, unit: str) -> Any:
    if isinstance(value, tuple):
        return tuple(_multiply(one, factor, unit) for one in value)
    largest = _LARGEST.get(unit, math.inf)
    changed = value * factor if value < largest / 2 else largest - (largest - value) * factor
    return round(changed) if isinstance(value, int) else changed


def measure_with(values: Mapping[str, Any], folders: Sequence[Path], step: int) -> tuple[int, ...]:
    """The numbers of totals that are exact, settled, asked needlessly and silently wrong under
    these parameters, of every nth picture of the folders.
    """
    import_stages()
    with using(values):
        readings = [reading for folder in folders for reading in read_pictures(folder, step)]
    figures = grade_readings(readings)
    return tuple(getattr(figures, name) for name in FIGURES)


def main(arguments: list[str] | None = None) -> None:
    """Print a line for the usual values, and one for every seed."""
    parser = argparse.ArgumentParser(prog="python -m bench.shake", description=__doc__)
    parser.add_argument("folders", nargs="+", type=Path, metavar="FOLDER")
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--every", type=int, default=1, metavar="N", help="only every nth picture")
    parser.add_argument("--only", default="", metavar="NAME", help="parameters that begin so")
    chosen = parser.parse_args(arguments)
    print("exact, settled, asked needlessly, silently wrong")
    print(*measure_with({}, chosen.folders, chosen.every), "with the usual values")
    for seed in range(1, chosen.seeds + 1):
        values = shake(seed, chosen.only)
        try:
            figures = measure_with(values, chosen.folders, chosen.every)
        except ValueError as error:
            print(f"seed {seed}: a picture could not be read: {error}", flush=True)
        else:
            print(*figures, "seed", seed, flush=True)


if __name__ == "__main__":
    main()
