"""``crokinole bench --sweep STAGE.FIELD=V1,V2``: the effect of one parameter on accuracy.

The folder is read once with every value (``calibration.parameters.using``). The default is always
measured too, for comparison. If a reading fails, the row shows the failure.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from rich.table import Table

from bench.clips import clips_folder
from bench.grading.accuracy import find_folder_problem, measure_folder
from bench.grading.clip_grade import clips_with_truth
from bench.photos import stills_folder
from calibration.parameters import (
    ParameterError,
    StageParameters,
    check_value,
    find_parameter,
    using,
)
from webapp.cli.console import make_console
from webapp.cli.progress import show_progress
from webapp.varied_parameters import import_stages

#: Packages whose stages work on clips; all others work on pictures and clips.
_CLIP_PACKAGES = ("vision.track.", "scorer.referee.")

#: Columns of the table: the figure's name, its heading, and how it is written.
_PICTURE_COLUMNS = (
    ("boards_found", "boards", "{:d}"),
    ("exact_totals", "exact", "{:d}"),
    ("silently_wrong", "silently wrong", "{:d}"),
    ("missed", "missed", "{:d}"),
    ("extra", "extra", "{:d}"),
    ("close_share", "close", "{:.1%}"),
    ("foot_median_mm", "foot, mm", "{:.2f}"),
    ("foot_p95_mm", "95%", "{:.2f}"),
    ("margin_z2", "z²", "{:.2f}"),
)
_CLIP_COLUMNS = (
    ("shots", "shots", "{:d}"),
    ("found", "found", "{:d}"),
    ("invented", "invented", "{:d}"),
    ("right", "right", "{:d}"),
    ("needs_review", "review", "{:d}"),
    ("wrong", "wrong", "{:d}"),
    ("finals", "finals", "{:d}"),
    ("finals_exact", "exact", "{:d}"),
    ("delay_s", "delay, s", "{:.2f}"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Sweep:
    """A parameter, the values to try (including its default), and whether it concerns clips."""

    name: str
    values: tuple[Any, ...]
    default: Any
    is_about_clips: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class SweepRow:
    """The result of a value: figures by name, or the sentence with the failure."""

    value: Any
    is_default: bool
    figures: dict[str, Any]
    failure: str | None = None


def parse_sweep(text: str) -> Sweep:
    """The sweep that ``STAGE.FIELD=V1,V2`` asks for; values are JSON, such as 2.5 or [3,4].

    Raises ``ParameterError`` for an unknown name and for a value of the wrong type.
    """
    name, equals, said = text.partition("=")
    if not equals:
        raise ParameterError(f"A sweep is written STAGE.FIELD=V1,V2, not {text!r}.")
    stages = import_stages()
    default = find_parameter(name).default
    values = [check_value(name, value) for value in _parse_list(name, said)]
    return Sweep(
        name=name,
        values=tuple(dict.fromkeys([default, *values])),
        default=default,
        is_about_clips=_is_about_clips(stages[name.rpartition(".")[0]]),
    )


def _parse_list(name: str, text: str) -> list[Any]:
    try:
        values = json.loads(f"[{text}]")
    except ValueError:
        values = []
    if not values:
        raise ParameterError(f"The values of {name} must be numbers with commas, not {text!r}.")
    return list(values)


def _is_about_clips(stage: type[StageParameters]) -> bool:
    return stage.__module__.startswith(_CLIP_PACKAGES)


def bench_sweep(sweep: Sweep, folder: Path | None, *, as_json: bool) -> list[str]:
    """Measure every value on a folder and print a table; returns the errors, one sentence each.

    Without a folder, the project's own pictures, or its clips if the stage works on clips.
    """
    place = folder or (clips_folder() if sweep.is_about_clips else stills_folder())
    problem = find_folder_problem(place)
    if problem:
        return [problem]
    is_of_clips = bool(clips_with_truth(place))
    if sweep.is_about_clips and not is_of_clips:
        return [f"{sweep.name} is about clips; {place} holds none with its truth beside it."]
    rows = [measure_value(sweep, value, place) for value in show_progress(sweep.values, sweep.name)]
    if as_json:
        print(
            json.dumps({"parameter": sweep.name, "rows": [asdict(row) for row in rows]}, indent=1)
        )
    else:
        columns = _CLIP_COLUMNS if is_of_clips else _PICTURE_COLUMNS
        make_console().print(_sweep_table(sweep.name, rows, columns))
    return [f"{sweep.name}={row.value}: {row.failure}" for row in rows if row.failure]


def measure_value(sweep: Sweep, value: Any, folder: Path) -> SweepRow:
    """The figures of a folder under one value."""
    figures, failure = {}, None
    try:
        with using({sweep.name: value}):
            figures = asdict(measure_folder(folder))
    except Exception as error:  # noqa: BLE001  # whatever a value breaks, the others are measured
        failure = f"Nothing could be read: {type(error).__name__}: {error}"
    is_default = value == sweep.default
    return SweepRow(value=value, is_default=is_default, figures=figures, failure=failure)


def _sweep_table(
    name: str, rows: Sequence[SweepRow], columns: Sequence[tuple[str, str, str]]
) -> Table:
    table = Table(box=None, pad_edge=False, header_style="dim")
    table.add_column(name, no_wrap=True)
    for _, heading, _ in columns:
        table.add_column(heading, justify="right")
    for row in rows:
        value = json.dumps(row.value)
        table.add_row(
            f"{value} (default)" if row.is_default else value,
            *(_write_figure(row.figures.get(figure), form) for figure, _, form in columns),
            style="yellow" if row.failure else None,
        )
    return table


def _write_figure(value: float | None, form: str) -> str:
    return "–" if value is None else form.format(value)
