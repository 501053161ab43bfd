"""The case store: a folder of photos that a club allows its server to keep, one zip per photo.

Nothing is kept without consent, or for longer than agreed. ``webapp.jobs.photo_case`` defines the
content of a case; other files are ignored.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from pathlib import Path
from time import time

from calibration.json_text import format_json
from calibration.phrase import Phrase
from calibration.user_error import Trouble
from webapp.http.private_file import write_private_file
from webapp.jobs.photo_case import PhotoCase, read_case

_KEY = re.compile(r"[\w-]{8,40}")
_SETTINGS = "settings.json"
_DAY_S = 86_400.0
MOST_DAYS = 3_650


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseSettings:
    """The consent: whether photos are kept, and for how long; None if nobody was asked."""

    is_kept: bool | None = None
    days: int = 90


class CaseStore:
    """A folder of cases, made when a case is first kept. All threads may use it."""

    def __init__(self, folder: Path) -> None:
        """Keep cases there."""
        self._folder = folder

    @property
    def settings(self) -> CaseSettings:
        """The consent."""
        try:
            return CaseSettings(**json.loads((self._folder / _SETTINGS).read_text("utf-8")))
        except (OSError, ValueError, TypeError):
            return CaseSettings()

    def agree(self, settings: CaseSettings) -> None:
        """Store the consent. Raises ``Trouble``."""
        self._write(_SETTINGS, format_json(settings).encode())

    def keep(self, key: str, packed: bytes) -> None:
        """Keep a case, replacing an earlier one of its photo. Raises ``Trouble``."""
        self._write(f"{key}.zip", packed)

    def list_cases(self) -> list[PhotoCase]:
        """All cases, the newest first; expired ones are deleted."""
        first_s, cases = time() - _DAY_S * self.settings.days, []
        for path in self._folder.glob("*.zip"):
            try:
                if path.stat().st_mtime < first_s:
                    path.unlink()
                else:
                    cases.append(read_case(path.read_bytes()))
            except (OSError, ValueError):
                continue
        return sorted(cases, key=lambda case: case.at, reverse=True)

    def read(self, key: str) -> bytes | None:
        """The zip of a case; None if it is not kept."""
        path = self._folder / f"{key}.zip"
        return path.read_bytes() if _KEY.fullmatch(key) and path.is_file() else None

    def delete(self, key: str) -> None:
        """Delete a case."""
        if _KEY.fullmatch(key):
            (self._folder / f"{key}.zip").unlink(missing_ok=True)

    def delete_all(self) -> None:
        """Delete every case."""
        for path in self._folder.glob("*.zip"):
            path.unlink(missing_ok=True)

    def _write(self, name: str, content: bytes) -> None:
        try:
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            write_private_file(self._folder / name, content)
        except OSError as error:
            raise Trouble(
                Phrase(
                    "Nothing can be saved in %(folder)s (%(strerror)s). Free some space there.",
                    folder=self._folder,
                    strerror=error.strerror,
                )
            ) from error
