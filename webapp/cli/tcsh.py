"""Completion in tcsh, which Click does not support: the shell runs a command and reads its
words.
"""

from __future__ import annotations

import os

from click.shell_completion import (
    CompletionItem,
    ShellComplete,
    add_completion_class,
    split_arg_string,
)


@add_completion_class
class TcshComplete(ShellComplete):
    """Completions of the line in ``COMMAND_LINE`` from tcsh, one per line."""

    name = "tcsh"
    source_template = (
        "complete %(prog_name)s 'p@*@`env %(complete_var)s=tcsh_complete %(prog_name)s`@'\n"
    )

    def get_completion_args(self) -> tuple[list[str], str]:
        """The words before the current one, and its first letters."""
        line = os.environ.get("COMMAND_LINE", "")
        words = split_arg_string(line)[1:]
        incomplete = "" if not words or line[-1:].isspace() else words.pop()
        return words, incomplete

    def format_completion(self, item: CompletionItem) -> str:
        """Only the word."""
        return str(item.value)
