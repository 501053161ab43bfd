"""The tables of the accuracy page, from what ``crokinole bench --json`` printed.

``python docs/make_accuracy.py NAME=bench.json ...`` puts each table between the comments
``<!-- NAME -->`` and ``<!-- /NAME -->`` of ``docs/accuracy.md``; tables that are not named stay.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from scorer.wilson import wilson_interval

PAGE = Path(__file__).parent / "accuracy.md"
#: Angles off the board's normal, deg, by which pictures are told apart.
_TILTS = ((0, 30), (30, 50), (50, 65), (65, 90))


def main(arguments: Sequence[str]) -> None:
    """Put the named tables into the page."""
    text = PAGE.read_text(encoding="utf-8")
    for argument in arguments:
        name, _, path = argument.partition("=")
        figures = json.loads(Path(path).read_text(encoding="utf-8"))
        lines = tell_pictures(figures["images"]) if "images" in figures else tell_clips(figures)
        pattern = re.compile(f"(<!-- {name} -->\n).*?(<!-- /{name} -->)", re.DOTALL)
        if not pattern.search(text):
            raise SystemExit(f"{PAGE} has no place for {name}.")
        table = "\n".join(["", *lines, "", ""])
        text = pattern.sub(lambda found, table=table: found[1] + table + found[2], text)
    PAGE.write_text(text, encoding="utf-8")


def tell_pictures(grades: Sequence[Mapping[str, Any]]) -> Iterable[str]:
    """A row an angle, and one of all: boards, totals, discs and feet."""
    boards = [each for each in grades if each["discs"] or each["is_found"] or not each["is_exact"]]
    yield (
        "| tilt | boards | found | totals exact | asked about | wrong without asking "
        "| discs: there / missed / invented | called close | foot, median / 95% |"
    )
    yield "|---|---|---|---|---|---|---|---|---|"
    for low, high in _TILTS:
        some = [each for each in boards if low <= (each.get("tilt_deg") or -1) < high]
        if some:
            yield _row(f"{low} to {high}°", some)
    lost = [each for each in boards if not each["is_found"]]
    if lost:
        yield _row("no board found", lost)
    yield _row("**all**", boards)
    others = len(grades) - len(boards)
    if others:
        yield ""
        yield f"In {others} more pictures there is no board, and none was found."


def _row(words: str, some: Sequence[Mapping[str, Any]]) -> str:
    """One line of the table."""
    count = len(some)
    exact = sum(each["is_exact"] for each in some)
    silent = sum(each["is_silently_wrong"] for each in some)
    feet = [error for each in some for error in each["foot_errors_mm"]]
    shown = f"{np.median(feet):.2f} / {np.percentile(feet, 95):.2f} mm" if feet else "–"
    discs = " / ".join(str(sum(each[key] for each in some)) for key in ("discs", "missed", "extra"))
    found = sum(each["is_found"] for each in some)
    called = sum(each["discs"] - each["missed"] for each in some)
    close = sum(each["close"] for each in some)
    cells = (
        words,
        str(count),
        str(found),
        _share(exact, count),
        str(count - exact - silent),
        _share(silent, count),
        discs,
        _share(close, called) if called else "–",
        shown,
    )
    return f"| {' | '.join(cells)} |"


def tell_clips(figures: Mapping[str, Any]) -> Iterable[str]:
    """Shots, verdicts and final scores of all clips together."""
    total = figures["together"]
    yield "| shots | found | invented | verdicts right | asked of a person | wrong | finals exact |"
    yield "|---|---|---|---|---|---|---|"
    shots = total["shots"]
    cells = (
        str(shots),
        _share(total["found"], shots),
        str(total["invented"]),
        _share(total["right"], shots),
        str(total["needs_review"]),
        _share(total["wrong"], shots),
        f"{total['finals_exact']} of {total['finals']}",
    )
    yield f"| {' | '.join(cells)} |"


def _share(part: int, whole: int) -> str:
    """A count with its 95% Wilson interval."""
    low, high = wilson_interval(part, whole)
    return f"{part} ({100 * low:.0f}–{100 * high:.0f}%)"


if __name__ == "__main__":
    main(sys.argv[1:])
