"""Additions to Click: options that take several words, and commands whose code is loaded only when
they run.

An option whose metavar ends in ``...`` takes every word up to the next option. Options may be
abbreviated if only one option begins like that. The work of a command is a function in
``webapp.cli.commands``, which is imported when the command runs, so help does not wait for it.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator, Sequence
from pkgutil import resolve_name
from typing import Any

import click

from scorer.texts import quote

_EXIT_CODES = "Exit codes: 0 success; 1 failure (see standard error); 2 usage error."


class _Explained(click.Command):
    """A command whose help ends with examples, as (command line, its effect), and exit codes."""

    def __init__(
        self, name: str, *, help: str, examples: Sequence[tuple[str, str]], **more: Any
    ) -> None:
        more.setdefault("short_help", help.removesuffix("."))
        super().__init__(name, help=help, **more)
        self.examples = examples

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        """Write the examples and the exit codes."""
        with formatter.section("Examples"):
            formatter.write_dl(self.examples, col_max=48)
        formatter.write_paragraph()
        formatter.write_text(_EXIT_CODES)


class Command(_Explained):
    """A command that runs ``work``, a function given as ``module:name`` below
    ``webapp.cli.commands``.

    Only one of the options in ``exclusive`` may be given.
    """

    ignore_unknown_options = True  # keeps negative numbers; unknown options are refused here

    def __init__(self, name: str, *, work: str, exclusive: Sequence[str] = (), **more: Any) -> None:
        super().__init__(name, **more)
        self.work, self.exclusive = work, exclusive

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Click's parsing, after lists of words and abbreviated options are spelled out."""
        try:
            rest = super().parse_args(ctx, list(_spell_out(args, ctx)))
        except click.UsageError as error:
            error.ctx = error.ctx or ctx  # Click omits it if a value is missing
            raise
        given = [name for name in self.exclusive if ctx.params[name] not in (None, False, ())]
        if len(given) > 1:
            ctx.fail(f"--{given[1]} cannot be used with --{given[0]}. Leave one out.")
        return rest

    def invoke(self, ctx: click.Context) -> object:
        """Load and run the work; returns the errors, one sentence each, or None."""
        work = resolve_name(f"webapp.cli.commands.{self.work}")
        if not gc.isenabled():  # imported code stays in memory, so the collector need not search it
            gc.freeze()
            gc.enable()
        return ctx.invoke(work, **ctx.params)


class Group(_Explained, click.Group):
    """A group of commands, listed in their own order."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        """The names of the commands."""
        return list(self.commands)


def _spell_out(words: Sequence[str], ctx: click.Context) -> Iterator[str]:
    """The words in Click's form: full names of options, before every word of a list.

    Raises ``NoSuchOption``.
    """
    params = ctx.command.get_params(ctx)
    options = {
        name: param for param in params if param.param_type_name == "option" for name in param.opts
    }
    listing = ""
    for place, word in enumerate(words):
        if word == "--":
            yield from words[place:]
            return
        if _is_value(word):
            yield from (listing, word) if listing else (word,)
            continue
        name, sign, value = word.partition("=")
        begun = [option for option in options if option.startswith(name)]
        name = begun[0] if name not in options and len(begun) == 1 else name
        if name not in options and not ctx.resilient_parsing:
            raise click.NoSuchOption(name, possibilities=list(options), ctx=ctx)
        is_list = not sign and name in options and str(options[name].metavar).endswith("...")
        listing = name if is_list else ""
        if not (is_list and any(map(_is_value, words[place + 1 : place + 2]))):
            yield f"{name}{sign}{value}"


def _is_value(word: str) -> bool:
    """Whether a word is not an option: numbers may be negative."""
    return not word.startswith("-") or word == "-" or word[1].isdigit()


class Number(click.ParamType[float]):
    """A number from ``least`` to ``most``, whole unless ``kind`` is float."""

    name = "number"

    def __init__(
        self,
        least: int | None = None,
        most: int | None = None,
        kind: type[int] | type[float] = int,
    ) -> None:
        self.least, self.most, self.kind = least, most, kind

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        """The number in the text."""
        try:
            number = self.kind(value)
        except ValueError:
            wanted = "a whole number" if self.kind is int else "a number"
            self.fail(f"must be {wanted}, not {quote(value)}.", param, ctx)
        if self.least is not None and number < self.least:
            self.fail(f"must be {self.least} or more, not {quote(number)}.", param, ctx)
        if self.most is not None and number > self.most:
            self.fail(f"must be {self.most} or less, not {quote(number)}.", param, ctx)
        return number


class File(click.Path):
    """The name of a file or a source; opening it shows whether it exists."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The name as text, or as a path if ``path_type`` says so."""
        if not value:
            self.fail("must be a file name, but it is empty.", param, ctx)
        return self.coerce_path_result(value)
