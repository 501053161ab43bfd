"""Seeds in the form used on the command lines of the programs that make pictures and clips."""

from __future__ import annotations

import argparse


def parse_seeds(text: str) -> list[int]:
    """Seeds of a list such as ``1-40`` or ``3,7,20-22``. Raises ``ArgumentTypeError``."""
    found: list[int] = []
    for part in text.split(","):
        first, _, last = part.partition("-")
        try:
            found += range(int(first), int(last or first) + 1)
        except ValueError as error:
            raise argparse.ArgumentTypeError(
                f"seeds are written 1-4 or 3,7,20-22, not {text!r}"
            ) from error
    return found
