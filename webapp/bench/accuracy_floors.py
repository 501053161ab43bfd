"""Accuracy floors that only rise; ``python -m webapp.bench.accuracy_floors`` raises them.

Knows the file of floors, and where the collections of pictures are that they are about. Only the
sample pictures are part of the project; where the others are absent there is nothing to hold.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Mapping
from pathlib import Path

from webapp.bench.clip_grade import ClipGrade, clips_with_truth, grade_clip
from webapp.bench.clips import referee_clip
from webapp.bench.photos import grade_all, stills_folder
from webapp.bench.summary import Summary, summarise
from webapp.formats.truth import load_pictures_with_truth

#: Where the other collections are, unless the environment names another place.
SHARED_VARIABLE, SHARED_DEFAULT = "CROKINOLE_SHARED", "../shared"
SAMPLES = "samples"
COLLECTIONS = (SAMPLES, "photos", "renders", "clips")
FLOORS_FILE = Path("tests") / "photos" / "accuracy_floors.json"

#: Counts that must not fall, and counts that must not grow; the first ones are of pictures, the
#: others of clips.
MORE_IS_BETTER = ("boards_found", "exact_totals", "found", "right", "finals_exact")
LESS_IS_BETTER = (
    "silently_wrong",
    "missed",
    "extra",
    "zone_wrong",
    "certain_wrong",
    "team_wrong",
    "invented",
    "needs_review",
    "wrong",
)

Counts = dict[str, int]


def collection_folder(root: Path, name: str) -> Path | None:
    """The folder of a collection of pictures, None where it is not present."""
    if name == SAMPLES:
        return stills_folder()
    folder = root / os.environ.get(SHARED_VARIABLE, SHARED_DEFAULT) / name
    return folder if folder.is_dir() else None


def measure_counts(folder: Path) -> Counts:
    """What the pictures in a folder reach now, or the first of its clips, which stands for all."""
    clips = clips_with_truth(folder)
    if clips:
        clip, truth = clips[0]
        return select_counts(grade_clip(truth, referee_clip(clip)[0]))
    grades, _ = grade_all(load_pictures_with_truth(folder))
    return select_counts(summarise(grades))


def select_counts(summary: Summary | ClipGrade) -> Counts:
    """The counts that floors are about."""
    names = (*MORE_IS_BETTER, *LESS_IS_BETTER)
    return {name: getattr(summary, name) for name in names if hasattr(summary, name)}


def find_regressions(floors: Mapping[str, int], now: Mapping[str, int]) -> list[str]:
    """What got worse than its floor, one sentence each."""
    fallen = [
        f"{name} fell from {floors[name]} to {now[name]}."
        for name in MORE_IS_BETTER
        if name in floors and now[name] < floors[name]
    ]
    grown = [
        f"{name} grew from {floors[name]} to {now[name]}."
        for name in LESS_IS_BETTER
        if name in floors and now[name] > floors[name]
    ]
    return fallen + grown


def raise_floors(floors: Mapping[str, int], now: Mapping[str, int]) -> Counts:
    """Floors after a gain: each count the better of both, so that none is ever lowered."""
    best = {name: max(floors.get(name, count), count) for name, count in now.items()}
    least = {name: min(floors.get(name, count), count) for name, count in now.items()}
    return {name: (best if name in MORE_IS_BETTER else least)[name] for name in now}


def read_floors(root: Path) -> dict[str, Counts]:
    """The floors of every collection."""
    floors: dict[str, Counts] = json.loads((root / FLOORS_FILE).read_text(encoding="utf-8"))
    return floors


def main() -> int:
    """Raise the floors of the repository in the current folder; returns the exit code."""
    root = Path.cwd()
    floors = read_floors(root)
    for name in COLLECTIONS:
        folder = collection_folder(root, name)
        if folder is None:
            print(f"The collection {name} is not present; its floors stay.", file=sys.stderr)
            continue
        now = measure_counts(folder)
        for sentence in find_regressions(floors.get(name, {}), now):
            print(f"{name}: {sentence} The floor stays.", file=sys.stderr)
        floors[name] = raise_floors(floors.get(name, {}), now)
    (root / FLOORS_FILE).write_text(json.dumps(floors, indent=1) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
