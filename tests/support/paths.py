"""Paths of the repository's own files, for tests in any folder."""

from pathlib import Path

ROOT = Path(__file__).parents[2]
STILLS = ROOT / "sample_images" / "stills"
CLIPS = ROOT / "sample_images" / "clips"
SCHEMAS = ROOT / "webapp" / "formats" / "schemas"
SCREENS = ROOT / "out" / "screens"
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


def read_documentation() -> str:
    """The text of README and of every page of the documentation."""
    return "\n".join(page.read_text(encoding="utf-8") for page in PAGES)
