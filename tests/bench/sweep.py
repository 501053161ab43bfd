"""``crokinole bench --sweep STAGE.FIELD=V1,V2``: the effect of one parameter on accuracy.

Stages read their parameters once a process, so each value has a process of its own, told the
value by the environment (see ``calibration.parameters``). The default is always measured, too:
a figure says little without it. A value under which the reading breaks down is a row that says so.
"""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from rich.table import Table

from bench.clips import clips_folder
from bench.grading.accuracy import find_folder_problem
from bench.grading.clip_grade import clips_with_truth
from bench.parameter_list import import_stages
from bench.photos import stills_folder
from calibration.parameters import (
    VARIABLE,
    ParameterError,
    StageParameters,
    check_variation,
)
from webapp.cli.console import make_console
from webapp.cli.progress import show_progress

#: Stages of these packages work on clips; the others on pictures and on clips.
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
    """One parameter, the values to try, its default among them, and whether it is about clips."""

    name: str
    values: tuple[Any, ...]
    default: Any
    is_about_clips: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class SweepRow:
    """What one value led to: figures by name, or the sentence in which the reading broke down."""

    value: Any
    is_default: bool
    figures: dict[str, Any]
    failure: str | None = None


def parse_sweep(text: str) -> Sweep:
    """The sweep that ``STAGE.FIELD=V1,V2`` asks for; values are JSON, such as 2.5 or [3,4].

    Raises ``ParameterError`` for a name that does not exist and a value of another kind.
    """
    name, equals, said = text.partition("=")
    if not equals:
        raise ParameterError(f"A sweep is written STAGE.FIELD=V1,V2, not {text!r}.")
    stages = import_stages()
    check_variation(name)
    stage, _, field_name = name.rpartition(".")
    default = stages[stage].declared[field_name].default
    values = [_parse_value(name, value, default) for value in _parse_list(name, said)]
    return Sweep(
        name=name,
        values=tuple(dict.fromkeys([default, *values])),
        default=default,
        is_about_clips=_is_about_clips(stages[stage]),
    )


def _parse_list(name: str, text: str) -> list[Any]:
    try:
        values = json.loads(f"[{text}]")
    except ValueError:
        values = []
    if not values:
        raise ParameterError(f"The values of {name} must be numbers with commas, not {text!r}.")
    return list(values)


def _parse_value(name: str, value: Any, default: Any) -> Any:
    """The value as the default's type. Raises ``ParameterError``."""
    if isinstance(default, tuple):
        if isinstance(value, list) and len(value) == len(default):
            return tuple(_parse_value(name, *pair) for pair in zip(value, default, strict=True))
        raise ParameterError(f"{name} takes lists of {len(default)} numbers, such as [1,2].")
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if not is_number or not math.isfinite(value):
        raise ParameterError(f"{name} takes numbers, not {json.dumps(value)}.")
    if isinstance(default, int) and not isinstance(value, int):
        raise ParameterError(f"{name} takes whole numbers, not {value}.")
    return type(default)(value)


def _is_about_clips(stage: type[StageParameters]) -> bool:
    return stage.__module__.startswith(_CLIP_PACKAGES)


def bench_sweep(sweep: Sweep, folder: Path | None, *, as_json: bool) -> list[str]:
    """Measure every value on a folder and print a table; what went wrong, one sentence each.

    Without a folder, the project's own pictures, or its clips where the stage works on clips.
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
    """The figures of a folder under one value, measured by another process."""
    varied = json.loads(os.environ.get(VARIABLE) or "{}") | {sweep.name: value}
    done = subprocess.run(
        [sys.executable, "-m", "bench.grading.accuracy", str(folder)],
        env=os.environ | {VARIABLE: json.dumps(varied), "PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        text=True,
        check=False,
    )
    is_default = value == sweep.default
    if done.returncode == 0:
        return SweepRow(value=value, is_default=is_default, figures=json.loads(done.stdout))
    last = (done.stderr.strip().splitlines() or ["it ended without a word."])[-1]
    return SweepRow(
        value=value, is_default=is_default, figures={}, failure=f"Nothing could be read: {last}"
    )


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
