"""Makes the tables of the accuracy page and of README from measurements: ``make accuracy``.

A table is between the comments ``<!-- NAME -->`` and ``<!-- /NAME -->``. Without arguments, every
available collection is measured, as by ``crokinole bench``, and the results are stored in
``out/accuracy``; ``NAME ...`` measures only these collections and uses the stored results of the
others. Tables of collections that are not available stay unchanged. ``ablation``
takes a quarter of an hour, and is measured only if it is named.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from datetime import date
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from bench.ablate import ABLATIONS
from bench.accuracy_floors import CLIP_COLLECTIONS, PICTURE_COLLECTIONS, SAMPLES, collection_folder
from bench.clips import clips_folder
from bench.grading.accuracy import measure_clip, read_pictures
from bench.grading.clip_grade import clips_with_truth, sum_grades
from bench.grading.photo_grade import grade_photo
from bench.grading.reliability import LEVELS, TOTAL_EDGES, bin_reliability, measure_risk
from bench.shake import measure_with
from scorer.wilson import wilson_interval
from webapp.cli.progress import show_progress

ROOT = Path(__file__).parents[1]
PAGE, README = ROOT / "docs" / "accuracy.md", ROOT / "README.md"
KEPT = ROOT / "out" / "accuracy"
SAMPLE_CLIPS = "sample_clips"
#: Angles off the board's normal, deg, by which pictures are grouped.
_TILTS = ((0, 30), (30, 50), (50, 65), (65, 90))
#: README's rows, by collection: the measured collection, with gaps for counts.
_PICTURE_ROWS = {
    "photos": "{boards} photos of real boards",
    "steep": "{boards} tournament stills from the side, used for tuning",
    "stills": "{boards} more stills, thumbnails and catalogue pictures",
}
_CLIP_ROWS = {"films": "{shots} shots in {finals} rounds made from videos of real boards"}
#: The table of totals without a stage.
ABLATION = "ablation"
OUTCOMES = ("settled", "right, but asked", "wrong, but asked", "wrong without asking")


def main(names: Sequence[str]) -> None:
    """Measure the named collections, or all, and update the tables."""
    cv2.setNumThreads(1)
    usual = (*PICTURE_COLLECTIONS, SAMPLE_CLIPS, *CLIP_COLLECTIONS)
    known = (*usual, ABLATION)
    if unknown := set(names) - set(known):
        raise SystemExit(f"There is no collection {', '.join(unknown)}; name {', '.join(known)}.")
    KEPT.mkdir(parents=True, exist_ok=True)
    chosen = [name for name in known if name in (names or usual)]
    for name in show_progress(chosen, "Measuring"):
        if (figures := measure(name)) is not None:
            (KEPT / f"{name}.json").write_text(json.dumps(figures), encoding="utf-8")
    kept = {path.stem: json.loads(path.read_text("utf-8")) for path in KEPT.glob("*.json")}
    page, readme = PAGE.read_text(encoding="utf-8"), README.read_text(encoding="utf-8")
    for name, figures in kept.items():
        page = put_table(page, name, describe(figures))
    page = put_table(page, "certainty", describe_certainty(kept))
    page = put_table(page, "measured", [describe_measurement()])
    if not {*_PICTURE_ROWS, *_CLIP_ROWS, "renders"} - kept.keys():
        readme = put_table(readme, "accuracy", describe_outcomes(kept))
        readme = put_table(readme, "feet", [describe_bases(kept["renders"])])
    PAGE.write_text(page, encoding="utf-8")
    README.write_text(readme, encoding="utf-8")


def describe_certainty(kept: Mapping[str, Any]) -> Iterator[str]:
    """Risk against coverage by collection, then the reliability of all collections together."""
    levels = " | ".join(f"{level:.0%}" for level in LEVELS)
    yield f"| settled, and of these wrong, from | {levels} |"
    yield "|---" * (len(LEVELS) + 1) + "|"
    forecasts = []
    for name in PICTURE_COLLECTIONS:
        boards = [board for board in list_boards(kept.get(name) or ()) if board["is_found"]]
        said = [(board["probability_right"], board["is_exact"]) for board in boards]
        if said:
            forecasts += said
            cells = (f"{risk.settled}, {risk.wrong}" for risk in measure_risk(said))
            yield f"| {name}, {len(said)} boards | {' | '.join(cells)} |"
    yield ""
    yield "| stated probability | boards | mean stated | right |"
    yield "|---|---|---|---|"
    for row in bin_reliability(forecasts, TOTAL_EDGES):
        right = _share(round(row.happened * row.shots), row.shots)
        span = f"{row.low:.0%} to {min(row.high, 1):.0%}"
        yield f"| {span} | {row.shots} | {row.said:.1%} | {right} |"


def describe_measurement() -> str:
    """The date and the versions with which the tables were made."""
    day = f"{date.today():%-d %B %Y}"
    python = ".".join(map(str, sys.version_info[:3]))
    return (
        f"The tables between here and *Harder clips of ours* were made by `make accuracy` on {day} "
        f"(Python {python}, OpenCV {cv2.__version__}, NumPy {np.__version__})."
    )


def measure(name: str) -> Any:
    """The grades of a collection's pictures, or the sum of its clips; None if it is not
    available.
    """
    if name == ABLATION:
        return measure_ablation()
    folder = clips_folder() if name == SAMPLE_CLIPS else collection_folder(ROOT, name)
    if folder is None:
        return None
    if name in PICTURE_COLLECTIONS:
        readings = read_pictures(folder)
        return [
            asdict(grade_photo(reading.image, reading.truth, reading.entry)) for reading in readings
        ]
    return asdict(sum_grades([measure_clip(*clip) for clip in clips_with_truth(folder)]))


def measure_ablation() -> dict[str, Sequence[int]] | None:
    """The totals of the given pictures with all stages and without one; None where a collection is
    not at hand.
    """
    given = [collection_folder(ROOT, kind) for kind in PICTURE_COLLECTIONS if kind != SAMPLES]
    folders = [folder for folder in given if folder is not None]
    if len(folders) < len(given):
        return None
    without = {f"without {stage.replace('_', ' ')}": ABLATIONS[stage] for stage in ABLATIONS}
    varied: dict[str, Mapping[str, Any]] = {"all stages": {}} | without
    return {row: measure_with(values, folders, 1) for row, values in varied.items()}


def describe_ablation(rows: Mapping[str, Sequence[int]]) -> Iterator[str]:
    """The table of totals, a row for every stage."""
    yield "| | exact | settled | asked without need | wrong without asking |"
    yield "|---|---|---|---|---|"
    for row, figures in rows.items():
        yield f"| {' | '.join([row, *map(str, figures)])} |"


def put_table(text: str, name: str, lines: Iterable[str]) -> str:
    """The text with these lines between a table's comments."""
    pattern = re.compile(f"(<!-- {name} -->\n).*?(<!-- /{name} -->)", re.DOTALL)
    if not pattern.search(text):
        raise SystemExit(f"There is no place for {name}.")
    table = "\n".join(["", *lines, "", ""])
    return pattern.sub(lambda found: found[1] + table + found[2], text)


def describe(figures: Any) -> Iterator[str]:
    """A collection's table on the accuracy page, or that of totals without a stage."""
    if isinstance(figures, list):
        return describe_pictures(figures)
    return describe_clips(figures) if "shots" in figures else describe_ablation(figures)


def describe_pictures(grades: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """One row per range of angles, and one for all: boards, totals, discs and bases."""
    boards = list_boards(grades)
    yield (
        f"| tilt | boards | found | {' | '.join(OUTCOMES)} "
        "| discs: there / missed / invented | called close | base centre, median / 95% |"
    )
    yield "|---" * (len(OUTCOMES) + 6) + "|"
    for low, high in _TILTS:
        some = [board for board in boards if low <= (board["tilt_deg"] or -1) < high]
        if some:
            yield _row(f"{low} to {high}°", some)
    lost = [board for board in boards if not board["is_found"]]
    if lost:
        yield _row("no board found", lost)
    yield _row("**all**", boards)
    needless = sum(board["is_needless"] for board in boards)
    yield ""
    yield (
        f"In {needless} of the boards that were *right, but asked*, a person would call no disc "
        "close."
    )
    others = len(grades) - len(boards)
    if others:
        yield f"In {others} more pictures there is no board, and none was found."


def list_boards(grades: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """The pictures, without those in which there is no board and none was found."""
    return [
        grade for grade in grades if grade["discs"] or grade["is_found"] or not grade["is_exact"]
    ]


def count_outcomes(boards: Sequence[Mapping[str, Any]]) -> list[int]:
    """Numbers of pictures by the ``OUTCOMES``; a refused picture counts as asked about."""
    exact = sum(board["is_exact"] for board in boards)
    settled = sum(board["is_settled"] for board in boards)
    silent = sum(board["is_silently_wrong"] for board in boards)
    return [settled, exact - settled, len(boards) - exact - silent, silent]


def _row(words: str, some: Sequence[Mapping[str, Any]]) -> str:
    """One line of the table."""
    discs = " / ".join(str(sum(each[key] for each in some)) for key in ("discs", "missed", "extra"))
    called = sum(each["discs"] - each["missed"] for each in some)
    close = sum(each["close"] for each in some)
    cells = (
        words,
        str(len(some)),
        str(sum(each["is_found"] for each in some)),
        *(_share(count, len(some)) for count in count_outcomes(some)),
        discs,
        _share(close, called) if called else "–",
        _bases(some),
    )
    return f"| {' | '.join(cells)} |"


def _bases(some: Sequence[Mapping[str, Any]]) -> str:
    bases = [error for each in some for error in each["foot_errors_mm"]]
    return f"{np.median(bases):.2f} / {np.percentile(bases, 95):.2f} mm" if bases else "–"


def describe_clips(total: Mapping[str, Any]) -> Iterator[str]:
    """Shots, verdicts and final scores of all clips together."""
    yield (
        "| shots | found | invented | verdicts right | left to a person | wrong "
        f"| rounds | {' | '.join(OUTCOMES)} |"
    )
    yield "|---" * (len(OUTCOMES) + 7) + "|"
    shots = total["shots"]
    cells = (
        str(shots),
        _share(total["found"], shots),
        str(total["invented"]),
        _share(total["right"], shots),
        _share(total["needs_review"], shots),
        _share(total["wrong"], shots),
        str(total["finals"]),
        *(_share(count, total["finals"]) for count in count_finals(total)),
    )
    yield f"| {' | '.join(cells)} |"


def count_finals(total: Mapping[str, Any]) -> list[int]:
    """Numbers of final scores by the ``OUTCOMES``."""
    exact, settled = total["finals_exact"], total["finals_settled"]
    silent = total["finals_silently_wrong"]
    return [settled, exact - settled, total["finals"] - exact - silent, silent]


def describe_outcomes(kept: Mapping[str, Any]) -> Iterator[str]:
    """README's table: how often a person is asked, and how often a wrong total leads to no
    question.
    """
    yield f"| measured on | {' | '.join(OUTCOMES)} |"
    yield "|---" * (len(OUTCOMES) + 1) + "|"
    for name, words in _PICTURE_ROWS.items():
        boards = list_boards(kept[name])
        shares = (_share(count, len(boards)) for count in count_outcomes(boards))
        yield f"| {words.format(boards=len(boards))} | {' | '.join(shares)} |"
    for name, words in _CLIP_ROWS.items():
        total, shots = kept[name], kept[name]["shots"]
        missed = shots - total["found"]
        yield (
            f"| {words.format(**total)} | {_share(total['right'], shots)} | – "
            f"| {_share(total['needs_review'], shots)} | {_share(total['wrong'] + missed, shots)} |"
        )


def describe_bases(grades: Sequence[Mapping[str, Any]]) -> str:
    """README's sentence about the accuracy of base centres."""
    median, most = _bases(grades).removesuffix(" mm").split(" / ")
    return (
        f"In {len(grades)} renders with exact truth, base centres are off by {median} mm "
        f"(median) and {most} mm (95%)."
    )


def _share(part: int, whole: int) -> str:
    """A count with its 95% Wilson interval."""
    low, high = wilson_interval(part, whole)
    return f"{part} ({100 * low:.0f}–{100 * high:.0f}%)"


if __name__ == "__main__":
    main(sys.argv[1:])
