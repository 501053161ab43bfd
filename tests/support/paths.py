"""Where the repository's own files are, for tests in any folder."""

from pathlib import Path

ROOT = Path(__file__).parents[2]
STILLS = ROOT / "sample_images" / "stills"
CLIPS = ROOT / "sample_images" / "clips"
SCHEMAS = ROOT / "webapp" / "formats" / "schemas"
SCREENS = ROOT / "out" / "screens"
