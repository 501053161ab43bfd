"""Where a server keeps its files: database, token, shots, webhooks, profiles, photos, TLS key.

The folder is the platform's for user data (``platformdirs``) unless ``CROKINOLE_DATA`` or an option
names another. Files of a database contain that database's name, so two databases never share
anything.
"""

from __future__ import annotations

import hashlib
import os
import re
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from platformdirs import user_data_path

from calibration.user_error import Trouble

if TYPE_CHECKING:  # SQLAlchemy takes a third of a second to load, and help needs none of it
    from scorer.store import DatabasePlace

#: The environment variable that names the folder if no option does.
VARIABLE = "CROKINOLE_DATA"

_DATABASE = "crokinole.db"
_APPLICATION = "crokinole"
#: Length of the digest that distinguishes databases of one name: 32 bits, enough for a handful.
_DIGEST_CHARACTERS = 8
#: Largest part of a database's name in its files' names, which systems limit to 255 bytes.
_NAME_CHARACTERS = 60


class DataFolderError(Trouble):
    """A folder that cannot hold data; the text is one sentence with the remedy."""


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptFiles:
    """The places of all data; None for data that ends with the program.

    database  a file or a database URL for the matches
    secret    the file of the scorer's token
    shots     the folder of the clip store
    hooks     the file of the webhooks
    profiles  the folder of the boards' profiles
    cases     the folder of photos for *Accuracy on your boards*
    """

    database: str
    secret: Path | None = None
    shots: Path | None = None
    hooks: Path | None = None
    profiles: Path | None = None
    cases: Path | None = None
    tls_certificate: Path | None = None
    tls_key: Path | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class DataFolder(KeptFiles):
    """The folder of all data, and the places in it."""

    folder: Path

    @property
    def holds_database(self) -> bool:
        """Whether the database is a file in this folder."""
        return "://" not in self.database and Path(self.database).parent == self.folder

    def make(self) -> None:
        """Make the folder, readable only by its owner, if it does not exist. Raises
        ``DataFolderError``.
        """
        try:
            self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        except OSError as error:
            raise self._trouble("cannot be created", error.strerror, "choose a folder") from None
        if not os.access(self.folder, os.W_OK | os.X_OK):
            raise self._trouble(
                "cannot be written",
                "permission denied",
                "change its permissions, or choose another folder",
            )

    def _trouble(self, what: str, reason: str | None, remedy: str) -> DataFolderError:
        return DataFolderError(
            f"The data folder {self.folder} {what} ({reason}); {remedy} with --data or {VARIABLE}."
        )


def find_data_folder(database: str | None = None, folder: Path | None = None) -> DataFolder:
    """The data folder, with the files of a database; no folder is made, and no file is opened.

    ``database`` is a file or a URL; None for the folder's own. Raises ``StoreError`` for a text
    that is not a database.
    """
    from scorer.store import database_place

    data = (folder or _usual_folder()).absolute()
    database = database or str(data / _DATABASE)
    name = _name_of_files(database_place(database), data)
    return DataFolder(
        folder=data,
        database=database,
        secret=data / f"{name}.secret",
        shots=data / f"{name}.shots",
        hooks=data / f"{name}.hooks",
        profiles=data / f"{name}.profiles",
        cases=data / f"{name}.cases",
        tls_key=data / "crokinole-tls.key",
        tls_certificate=data / "crokinole-tls.pem",
    )


class TemporaryFolder:
    """A folder that ends with the server, made when it is first needed."""

    def __init__(self, name: str) -> None:
        """``name`` is its purpose."""
        self._name = name
        self._made: tempfile.TemporaryDirectory[str] | None = None

    def folder(self) -> Path:
        """Its path."""
        self._made = self._made or tempfile.TemporaryDirectory(prefix=f"crokinole-{self._name}-")
        return Path(self._made.name)

    def close(self) -> None:
        """Delete it."""
        if self._made is not None:
            self._made.cleanup()


def _usual_folder() -> Path:
    named = os.environ.get(VARIABLE)
    return Path(named) if named else user_data_path(_APPLICATION, appauthor=False)


def _name_of_files(place: DatabasePlace, data: Path) -> str:
    """The name of a database's files in the data folder, without their endings.

    It is the database's own name if that is in the folder too; otherwise it has a digest of the
    database's place.
    """
    if place.file is not None and place.file.parent == data.resolve():
        return place.name
    plain = re.sub(r"[^\w.-]+", "-", place.name)[:_NAME_CHARACTERS]
    digest = hashlib.sha256(os.fsencode(place.address)).hexdigest()[:_DIGEST_CHARACTERS]
    return f"{plain}-{digest}"
