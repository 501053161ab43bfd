"""Completion in tcsh, which Click does not know: the shell runs a command and reads its words."""

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
    """Completions of the line that tcsh puts into ``COMMAND_LINE``, one a line."""

    name = "tcsh"
    source_template = (
        "complete %(prog_name)s 'p@*@`env %(complete_var)s=tcsh_complete %(prog_name)s`@'\n"
    )

    def get_completion_args(self) -> tuple[list[str], str]:
        """The words before the one that is being typed, and its first letters."""
        line = os.environ.get("COMMAND_LINE", "")
        words = split_arg_string(line)[1:]
        incomplete = "" if not words or line[-1:].isspace() else words.pop()
        return words, incomplete

    def format_completion(self, item: CompletionItem) -> str:
        """The word alone."""
        return str(item.value)
