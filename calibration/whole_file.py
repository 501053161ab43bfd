"""A file that is written completely or not at all: through a second file, renamed at the end."""

from __future__ import annotations

import os
from pathlib import Path

#: Ending of a file that is still being written.
PARTIAL_SUFFIX = ".part"


def write_whole_file(path: Path, content: bytes) -> None:
    """Put content into a file. Raises ``OSError``; a file that was there then stays as it was."""
    path = path.resolve()
    if path.exists() and not path.is_file():  # such as /dev/stdout
        path.write_bytes(content)
        return
    unfinished = path.with_name(path.name + PARTIAL_SUFFIX)
    try:
        with unfinished.open("wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        unfinished.replace(path)
    finally:
        unfinished.unlink(missing_ok=True)
