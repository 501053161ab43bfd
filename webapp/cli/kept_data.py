"""The place of matches and all their data, by the options ``--db`` and ``--data``."""

from __future__ import annotations

from pathlib import Path

from webapp.data_folder import DataFolder, find_data_folder


def data_folder_of(db: str | None, data: Path | None) -> DataFolder:
    """The data folder, ready to be written. Raises ``DataFolderError`` and ``StoreError``."""
    found = find_data_folder(db, data)
    found.make()
    return found


def database_of(db: str | None, data: Path | None) -> str:
    """The database of the matches; the data folder is made if the database belongs there.

    Raises ``DataFolderError``.
    """
    if db is not None:
        return db
    found = find_data_folder(db, data)
    if found.holds_database:
        found.make()
    return found.database
