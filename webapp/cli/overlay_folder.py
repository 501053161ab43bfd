"""The folder for scored pictures with their calls drawn on them."""

from __future__ import annotations

from itertools import chain, count
from pathlib import Path

from calibration.user_error import Trouble
from scorer.photo.score import Score
from scorer.photo.score_overlay import draw_score
from vision.io.encode_picture import encode_jpeg

#: JPEG quality: clear enough for letters and lines, at a third of a PNG's size.
_JPEG_QUALITY = 92


class OverlayFolder:
    """A folder for pictures with calls, with unique names."""

    def __init__(self, folder: Path) -> None:
        """Make ``folder`` if it does not exist. Raises ``Trouble``."""
        self._folder = folder
        self._taken: set[str] = set()
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            reason = f"The folder {folder} cannot be created ({error.strerror}). Choose another."
            raise Trouble(reason) from None

    def write_score(self, score: Score) -> Path | None:
        """Draw and write a score's picture; None if there is none. Raises ``OSError``."""
        picture = draw_score(score)
        if picture is None:
            return None
        path = self._folder / self._free_name(Path(score.image).stem)
        path.write_bytes(encode_jpeg(picture, _JPEG_QUALITY))
        return path

    def _free_name(self, stem: str) -> str:
        """A name that no other picture of this run has: images in two folders may share a name."""
        names = chain([f"{stem}_scored.jpg"], (f"{stem}_{n}_scored.jpg" for n in count(2)))
        free = next(name for name in names if name not in self._taken)
        self._taken.add(free)
        return free
