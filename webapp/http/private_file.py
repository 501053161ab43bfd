"""Files that only their owner can read, written completely or not at all. Raises ``OSError``."""

from __future__ import annotations

import os
from pathlib import Path


def write_private_file(path: Path, content: bytes) -> None:
    """Put content into a file, replacing any earlier one."""
    _write_beside(path, content).replace(path)


def create_private_file(path: Path, content: bytes) -> bool:
    """Create a file with this content; returns False if another process created it first."""
    fresh = _write_beside(path, content)
    try:
        path.hardlink_to(fresh)
    except FileExistsError:
        return False
    except OSError:  # a file system without links
        fresh.replace(path)
    finally:
        fresh.unlink(missing_ok=True)
    return True


def _write_beside(path: Path, content: bytes) -> Path:
    """A file with the content, in the same folder."""
    fresh = path.with_name(f"{path.name}.{os.getpid()}.new")
    fresh.unlink(missing_ok=True)
    with os.fdopen(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
        file.write(content)
    return fresh
