"""The command line for tests: all commands, and the parsed form of arguments."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any
from unittest.mock import patch

import click

from webapp.cli.command import Command
from webapp.cli.command_line import CROKINOLE


def list_commands() -> Iterator[click.Context]:
    """The program, all commands and all actions, each in its own context."""
    yield from _list_below(CROKINOLE.make_context("crokinole", [], resilient_parsing=True))


def _list_below(ctx: click.Context) -> Iterator[click.Context]:
    yield ctx
    if isinstance(ctx.command, click.Group):
        for name, command in ctx.command.commands.items():
            yield from _list_below(
                command.make_context(name, [], parent=ctx, resilient_parsing=True)
            )


def parse(words: Sequence[str]) -> dict[str, Any]:
    """The parameters with which a command would run. Raises ``UsageError``."""
    with patch.object(Command, "invoke", autospec=True, side_effect=lambda _, ctx: ctx.params):
        params: dict[str, Any] = CROKINOLE.main(list(words), "crokinole", standalone_mode=False)
    return params
