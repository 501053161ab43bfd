"""The profile store: a folder with a file and a picture per calibrated board.

``calibration.profile`` defines the content of a profile. Names come from people; a file's name
contains only letters, digits and dashes. A file that is not a profile, or of a later version, is
ignored.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from pathlib import Path

from calibration.phrase import Phrase
from calibration.profile import CalibrationProfile, ProfileError, load_profile, save_profile
from scorer.texts import describe_text_fault

_KEY = re.compile(r"[a-z0-9][a-z0-9-]{0,59}")
#: Longest name of a board (club, hall and table), and longest name in a file from elsewhere.
_MAX_NAME_LETTERS, _MAX_FILE_LETTERS = 60, 500
#: Largest number of profiles: one per board and camera is plenty.
_MAX_SAME_NAME = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredProfile:
    """A profile in the folder."""

    key: str
    profile: CalibrationProfile
    has_picture: bool

    @property
    def name(self) -> str:
        """The name that people gave it."""
        return self.profile.origin.name or self.key


class ProfileStore:
    """A folder of profiles, made when the first one is saved."""

    def __init__(self, folder: Path) -> None:
        """Keep profiles there."""
        self._folder = folder

    def all(self) -> tuple[StoredProfile, ...]:
        """All readable profiles, the newest first."""
        kept = [self._kept(path) for path in sorted(self._folder.glob("*.json"))]
        found = [profile for profile in kept if profile is not None]
        return tuple(sorted(found, key=lambda profile: profile.profile.origin.made, reverse=True))

    def get(self, key: str) -> StoredProfile | None:
        """The profile of that key."""
        return self._kept(self._folder / f"{key}.json") if _KEY.fullmatch(key) else None

    def file(self, key: str) -> Path | None:
        """The file of a profile; None for no choice. Raises ``ProfileError``."""
        if not key:
            return None
        if self.get(key) is None:
            raise ProfileError(Phrase("Profile not found. Choose one from the list."))
        return self._folder / f"{key}.json"

    def picture(self, key: str) -> Path | None:
        """The file of a profile's picture."""
        path = self._folder / f"{key}.jpg"
        return path if _KEY.fullmatch(key) and path.is_file() else None

    def keep(self, profile: CalibrationProfile, picture: bytes | None = None) -> str:
        """The key of a newly saved profile, with its JPEG. Raises ``ProfileError``."""
        fault = describe_text_fault(profile.origin.name, _MAX_NAME_LETTERS)
        if fault is not None:
            raise ProfileError(Phrase("The board's name %(fault)s.", fault=fault))
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            key = self._free_key(profile.origin.name)
            save_profile(profile, self._folder / f"{key}.json")
            if picture is not None:
                (self._folder / f"{key}.jpg").write_bytes(picture)
        except OSError as error:
            raise ProfileError(
                Phrase(
                    "The profile cannot be saved in %(folder)s (%(strerror)s). Free up "
                    "some space, or make the folder writable.",
                    folder=self._folder,
                    strerror=error.strerror,
                )
            ) from error
        return key

    def drop(self, key: str) -> None:
        """Delete a profile and its picture."""
        if _KEY.fullmatch(key):
            for ending in ("json", "jpg"):
                (self._folder / f"{key}.{ending}").unlink(missing_ok=True)

    def _free_key(self, name: str) -> str:
        plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().lower()
        stem = re.sub(r"[^a-z0-9]+", "-", plain).strip("-")[:50] or "board"
        for number in range(1, _MAX_SAME_NAME + 1):
            key = stem if number == 1 else f"{stem}-{number}"
            if not (self._folder / f"{key}.json").exists():
                return key
        raise ProfileError(
            Phrase(
                "There are %(most)s profiles called %(name)s. Delete some.",
                most=_MAX_SAME_NAME,
                name=repr(name),
            )
        )

    def _kept(self, path: Path) -> StoredProfile | None:
        if not path.is_file():
            return None
        try:
            profile = load_profile(path)
        except ProfileError:
            return None  # a foreign file, or one of a later version: it is not offered
        if describe_text_fault(profile.origin.name + profile.origin.made, _MAX_FILE_LETTERS):
            return None  # no page could show it
        return StoredProfile(
            key=path.stem, profile=profile, has_picture=path.with_suffix(".jpg").is_file()
        )
