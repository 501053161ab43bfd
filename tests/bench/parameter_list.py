"""``crokinole bench --parameters``: every stage's parameters, with default, unit and source."""

from __future__ import annotations

import json
from typing import Any

from rich.table import Table

from calibration.parameters import (
    ParameterError,
    StageParameters,
    describe_missing_stage,
)
from webapp.cli.console import make_console
from webapp.varied_parameters import import_stages


def print_parameters(stage: str, *, as_json: bool) -> list[str]:
    """Print the parameters of a stage, of all under its name ("discs"), or of all stages ("").

    Returns no problems. Raises ``ParameterError`` for an unknown name.
    """
    chosen = select_stages(stage)
    if as_json:
        print(json.dumps({name: _describe_stage(kind) for name, kind in chosen.items()}, indent=1))
        return []
    console = make_console()
    for name, kind in chosen.items():
        console.print(_stage_table(name, kind))
    return []


def select_stages(stage: str) -> dict[str, type[StageParameters]]:
    """The stages of that name or under it; all for "". Raises ``ParameterError`` for none."""
    every = import_stages()
    chosen = {
        name: kind
        for name, kind in every.items()
        if stage in ("", name) or name.startswith(f"{stage}.")
    }
    if not chosen:
        raise ParameterError(describe_missing_stage(stage))
    return chosen


def _describe_stage(kind: type[StageParameters]) -> dict[str, dict[str, Any]]:
    return {
        name: {"default": row.default, "unit": row.unit, "source": row.source}
        for name, row in kind.declared.items()
    }


def _stage_table(name: str, kind: type[StageParameters]) -> Table:
    table = Table(title=name, title_justify="left", box=None, pad_edge=False, header_style="dim")
    table.add_column("field", no_wrap=True)
    table.add_column("default", justify="right")
    table.add_column("unit")
    table.add_column("source", overflow="fold")
    for field, described in _describe_stage(kind).items():
        table.add_row(field, _shorten(described["default"]), described["unit"], described["source"])
    return table


def _shorten(default: Any) -> str:
    if isinstance(default, float):
        return f"{default:.6g}"
    if isinstance(default, tuple):
        return "[" + ",".join(_shorten(value) for value in default) + "]"
    return str(default)
