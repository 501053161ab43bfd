"""Accuracy floors: ``python -m bench.accuracy_floors`` raises them, and lowers none.

A case is a collection of pictures, every fifth of its pictures, or one clip of a collection of
clips. ``--check`` checks all cases before a change is merged; the tests check those that take
seconds. ``accuracy_floors.json`` records the best figures that every case ever reached: counts, the
share of calls marked close, and errors of the bases. A record is the floor unless the table of
lowered floors in ``docs/accuracy.md`` names a lower one, with the picture that it costs, why, and
the gain.

Sigmas have a band instead of a floor, because they can be too large or too small: a program that
calls everything close, or doubles its sigmas, would otherwise look careful. Only the sample
pictures are part of the project; if the other collections are absent, only these are checked.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from bench.grading.accuracy import grade_readings, measure_clip, read_pictures
from bench.grading.clip_grade import ClipGrade, clips_with_truth
from bench.grading.summary import Summary
from bench.photos import stills_folder
from webapp.cli.progress import show_progress

#: The folder of the other collections, unless the environment names another one.
SHARED_VARIABLE, SHARED_DEFAULT = "CROKINOLE_SHARED", "../shared"
SAMPLES = "samples"
PICTURE_COLLECTIONS = (SAMPLES, "photos", "renders", "steep", "stills")
#: Parts of collections that the tests check: every fifth picture of these, by name, and one clip.
SPOT_CHECK, _SPOT_STEP = "every_fifth", 5
_SPOT_COLLECTIONS = ("photos", "renders")
SPOT_CLIP = "films/dev_owen"
CLIP_COLLECTIONS = ("clips", "films", "real_film")
FLOORS_FILE = Path("tests") / "photos" / "accuracy_floors.json"
#: The page that explains floors below their records, and the columns of its table.
LOWERED_PAGE, _LOWERED_MARK = Path("docs") / "accuracy.md", "lowered"
LOWERED_COLUMNS = ("case", "figure", "record", "floor", "picture", "why", "gained")

#: Figures that must not fall, and figures that must not grow, of pictures and of clips. The values
#: are tolerances: counts are exact; shares and errors are stored rounded, and the last bits of a
#: sum differ between processors.
MORE_IS_BETTER = {
    "boards_found": 0.0,
    "exact_totals": 0.0,
    "settled": 0.0,
    "found": 0.0,
    "right": 0.0,
    "finals_exact": 0.0,
    "finals_settled": 0.0,
}
LESS_IS_BETTER = {
    "silently_wrong": 0.0,
    "asked_needlessly": 0.0,
    "missed": 0.0,
    "extra": 0.0,
    "zone_wrong": 0.0,
    "certain_wrong": 0.0,
    "team_wrong": 0.0,
    "invented": 0.0,
    "needs_review": 0.0,
    "wrong": 0.0,
    "finals_silently_wrong": 0.0,
    "close_share": 0.0005,
    "foot_median_mm": 0.005,
    "foot_p95_mm": 0.005,
}
#: Decimals to which a figure is stored: finer than every tolerance.
_DECIMALS = 4
#: The mean squared error of margins in sigmas (``Summary.margin_z2``) that counts as honest. One
#: picture's errors share their cause (its scale, its pose), so a collection is worth about as many
#: independent values as pictures with discs, a dozen: sigma of the mean 0.4, rounded up to a factor
#: of two on either side. Sigmas of twice or half the right size are outside.
HONEST_SIGMA, HONEST_Z2 = "margin_z2", (0.5, 2.0)

Figures = dict[str, float]


def collection_folder(root: Path, name: str) -> Path | None:
    """The folder of a collection; None if it is not present."""
    if name == SAMPLES:
        return stills_folder()
    folder = root / os.environ.get(SHARED_VARIABLE, SHARED_DEFAULT) / name
    return folder if folder.is_dir() else None


def list_cases(root: Path) -> list[str]:
    """The cases that can be graded here: collections of pictures, and ``COLLECTION/CLIP`` for every
    clip.
    """
    pictures = [name for name in PICTURE_COLLECTIONS if collection_folder(root, name) is not None]
    spots = [f"{name}/{SPOT_CHECK}" for name in pictures if name in _SPOT_COLLECTIONS]
    return [*pictures, *spots, *_list_clips(root)]


def is_quick(case: str) -> bool:
    """Whether a case takes only seconds, so that every change can be checked with it."""
    return case in (SAMPLES, SPOT_CLIP) or case.endswith(f"/{SPOT_CHECK}")


def _list_clips(root: Path) -> Iterator[str]:
    for name in CLIP_COLLECTIONS:
        folder = collection_folder(root, name)
        if folder is not None:
            yield from (f"{name}/{clip.stem}" for clip, _ in clips_with_truth(folder))


def measure_case(root: Path, case: str) -> Figures | None:
    """The current figures of a case; None if it is not present."""
    name, _, clip = case.partition("/")
    folder = collection_folder(root, name)
    if folder is None:
        return None
    if not clip:
        return select_figures(grade_readings(read_pictures(folder)))
    if clip == SPOT_CHECK:
        figures = select_figures(grade_readings(read_pictures(folder, _SPOT_STEP)))
        figures.pop(HONEST_SIGMA, None)  # a mean over so few pictures is meaningless
        return figures
    found = {path.stem: (path, truth) for path, truth in clips_with_truth(folder)}
    return select_figures(measure_clip(*found[clip])) if clip in found else None


def select_figures(summary: Summary | ClipGrade) -> Figures:
    """The figures that have floors and the band, as far as they could be measured."""
    names = (*MORE_IS_BETTER, *LESS_IS_BETTER, HONEST_SIGMA)
    measured = {name: asdict(summary).get(name) for name in names}
    return {name: value for name, value in measured.items() if value is not None}


def find_faults(floors: Mapping[str, float], now: Mapping[str, float]) -> list[str]:
    """All reasons why the gate refuses these figures, one sentence each."""
    return [*find_regressions(floors, now), *find_dishonest_sigmas(now)]


def find_regressions(floors: Mapping[str, float], now: Mapping[str, float]) -> list[str]:
    """Figures that fell below their floor by more than the tolerance, one sentence each."""
    lost = [f"{name} is not measured any more." for name in floors if name not in now]
    both = [name for name in floors if name in now]
    fallen = [
        f"{name} fell from {floors[name]:g} to {now[name]:g}."
        for name in both
        if name in MORE_IS_BETTER and now[name] < floors[name] - MORE_IS_BETTER[name]
    ]
    grown = [
        f"{name} grew from {floors[name]:g} to {now[name]:g}."
        for name in both
        if name in LESS_IS_BETTER and now[name] > floors[name] + LESS_IS_BETTER[name]
    ]
    return [*lost, *fallen, *grown]


def find_dishonest_sigmas(now: Mapping[str, float]) -> list[str]:
    """A sentence if margins err by far more or far less than their sigmas."""
    if HONEST_SIGMA not in now:
        return []
    z2, (least, most) = now[HONEST_SIGMA], HONEST_Z2
    if least <= z2 <= most:
        return []
    fault = "small" if z2 > most else "large"
    return [f"Sigmas are too {fault}: margins err by {z2:.2f} sigma², not {least:g} to {most:g}."]


def raise_floors(floors: Mapping[str, float], now: Mapping[str, float]) -> Figures:
    """The records after a gain: the better of both for every figure, so none is ever lowered."""
    best = {name: max(floors.get(name, now[name]), now[name]) for name in now}
    least = {name: min(floors.get(name, now[name]), now[name]) for name in now}
    raised = {name: best[name] for name in MORE_IS_BETTER if name in now}
    raised |= {name: least[name] for name in LESS_IS_BETTER if name in now}
    return {**floors, **{name: round(value, _DECIMALS) for name, value in raised.items()}}


@dataclass(frozen=True, slots=True, kw_only=True)
class LoweredFloor:
    """A row of the table of lowered floors: a floor below its record, and the reason."""

    case: str
    figure: str
    record: float
    floor: float
    picture: str
    why: str
    gained: str


def read_records(root: Path) -> dict[str, Figures]:
    """The best figures that every case ever reached."""
    records: dict[str, Figures] = json.loads((root / FLOORS_FILE).read_text(encoding="utf-8"))
    return records


def read_lowered(root: Path) -> list[LoweredFloor]:
    """The rows of the table of lowered floors. Raises ``ValueError`` for an invalid row."""
    return parse_lowered((root / LOWERED_PAGE).read_text(encoding="utf-8"))


def parse_lowered(page: str) -> list[LoweredFloor]:
    """The rows between the marks of the table of lowered floors. Raises ``ValueError``."""
    found = re.search(f"<!-- {_LOWERED_MARK} -->(.*)<!-- /{_LOWERED_MARK} -->", page, re.DOTALL)
    if found is None:
        raise ValueError(f"{LOWERED_PAGE} has no table of lowered floors.")
    lines = [line.strip("| ") for line in found[1].splitlines() if line.startswith("|")]
    rows = [[cell.strip() for cell in line.split("|")] for line in lines]
    if not rows or tuple(rows[0]) != LOWERED_COLUMNS:
        raise ValueError(f"The columns of lowered floors are {', '.join(LOWERED_COLUMNS)}.")
    return [_parse_row(row) for row in rows[2:]]


def _parse_row(cells: Sequence[str]) -> LoweredFloor:
    if len(cells) != len(LOWERED_COLUMNS) or not all(cells):
        raise ValueError(f"A lowered floor needs every column filled: {' | '.join(cells)}")
    case, figure, record, floor, *words = cells
    picture, why, gained = words
    return LoweredFloor(
        case=case,
        figure=figure,
        record=float(record),
        floor=float(floor),
        picture=picture,
        why=why,
        gained=gained,
    )


def lower_floors(
    records: Mapping[str, Figures], rows: Iterable[LoweredFloor]
) -> dict[str, Figures]:
    """The floors: the records, as lowered by rows.

    Raises ``ValueError`` for a row whose record has changed, or that lowers nothing.
    """
    floors = {case: dict(figures) for case, figures in records.items()}
    for row in rows:
        record = records.get(row.case, {}).get(row.figure)
        if record != row.record:
            raise ValueError(
                f"{row.case}: the record of {row.figure} is {record}, not {row.record}."
            )
        if not find_regressions({row.figure: row.record}, {row.figure: row.floor}):
            raise ValueError(f"{row.case}: {row.figure} is not lowered; take its row out.")
        floors[row.case][row.figure] = row.floor
    return floors


def read_floors(root: Path) -> dict[str, Figures]:
    """The floors of every case. Raises ``ValueError`` for rows that lower nothing."""
    return lower_floors(read_records(root), read_lowered(root))


def list_rows(
    case: str,
    records: Mapping[str, float],
    floors: Mapping[str, float],
    now: Mapping[str, float],
) -> list[str]:
    """Rows for the table of lowered floors, to be filled in, for all figures that are now below
    their floor.
    """
    fallen = [
        name
        for name in floors
        if name in now and find_regressions({name: floors[name]}, {name: now[name]})
    ]
    return [
        f"| {case} | {name} | {records[name]:g} | {round(now[name], _DECIMALS):g} | | | |"
        for name in fallen
    ]


def main() -> int:
    """Raise or check the floors of the repository in the current folder; returns the exit code."""
    parser = argparse.ArgumentParser(prog="python -m bench.accuracy_floors")
    parser.add_argument("--check", action="store_true", help="say what fell; raise nothing")
    parser.add_argument("--only", metavar="CASE", help="this case, and those under its name")
    given = parser.parse_args()
    root = Path.cwd()
    records, rows = read_records(root), list[str]()
    try:
        floors = lower_floors(records, read_lowered(root))
    except ValueError as error:
        print(error, file=sys.stderr)
        return 2
    has_fallen = False
    present = list_cases(root)
    for absent in sorted(floors.keys() - set(present)):
        print(f"{absent} is not present; its floors stay.", file=sys.stderr)
    cases = [case for case in present if given.only in (None, case, case.partition("/")[0])]
    for case in show_progress(cases, "Grading"):
        now = measure_case(root, case) or {}
        for sentence in find_faults(floors.get(case, {}), now):
            print(f"{case}: {sentence} The floor stays.", file=sys.stderr)
            has_fallen = True
        rows += list_rows(case, records.get(case, {}), floors.get(case, {}), now)
        records[case] = raise_floors(records.get(case, {}), now)
    if rows:
        print(
            f"{LOWERED_PAGE} lowers a floor by a row, filled in:", *rows, sep="\n", file=sys.stderr
        )
    if given.check:
        return int(has_fallen)
    ordered = {case: records[case] for case in sorted(records, key=_order_cases)}
    (root / FLOORS_FILE).write_text(json.dumps(ordered, indent=1) + "\n", encoding="utf-8")
    return 0


def _order_cases(case: str) -> tuple[int, str]:
    """Collections of pictures as they are listed, each with its part, then clips by name."""
    name, pictures = case.removesuffix(f"/{SPOT_CHECK}"), PICTURE_COLLECTIONS
    return (pictures.index(name) if name in pictures else len(pictures), case)


if __name__ == "__main__":
    sys.exit(main())
