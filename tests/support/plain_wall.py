"""A picture without a board that needs no search, like the sample pictures of that kind."""

from __future__ import annotations

from pathlib import Path

from PIL import Image


def write_wall(folder: Path, name: str = "wall.png") -> Path:
    """The path of a new picture of a plain wall."""
    path = folder / name
    Image.new("RGB", (320, 240), (120, 130, 125)).save(path)
    return path
