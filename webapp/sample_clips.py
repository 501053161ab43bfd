"""The sample clips included with the program, by name; no other file can be named."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

#: The clip of the demo: a whole round, with its truth beside it.
DEMO_CLIP = "round"


def list_clips() -> dict[str, Path]:
    """The files of all sample clips, by name; the demo's first."""
    folder = Path(str(files("sample_images"))) / "clips"
    paths = sorted(folder.glob("*.mp4"), key=lambda path: (path.stem != DEMO_CLIP, path.stem))
    return {path.stem: path for path in paths}
