"""The arguments that say where matches and everything about them are kept, for several commands."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from webapp.data_folder import VARIABLE, DataFolder, find_data_folder


def add_database(parser: argparse.ArgumentParser, *, is_repeated: bool = False) -> None:
    """The arguments that say where matches are kept.

    is_repeated   the parser is an action's, and they may have been given before the action
    """
    default = argparse.SUPPRESS if is_repeated else None
    parser.add_argument(
        "--db",
        metavar="URL",
        default=default,
        help="a file or a database URL for the matches; crokinole.db in the data folder",
    )
    add_data_folder(parser, default)


def add_data_folder(parser: argparse.ArgumentParser, default: str | None = None) -> None:
    """The argument that names the data folder."""
    parser.add_argument(
        "--data",
        type=Path,
        default=default,
        metavar="DIR",
        help=f"the data folder; ${VARIABLE}, or your platform's folder for such data",
    )


def data_folder_of(arguments: argparse.Namespace) -> DataFolder:
    """The data folder, ready to be written. Raises ``DataFolderError`` and ``StoreError``."""
    found = _found(arguments)
    found.make()
    return found


def database_of(arguments: argparse.Namespace) -> str:
    """The database of the matches, and the data folder made where it is to lie there.

    Raises ``DataFolderError``.
    """
    if arguments.db is not None:
        return str(arguments.db)
    found = _found(arguments)
    if found.holds_database:
        found.make()
    return found.database


def _found(arguments: argparse.Namespace) -> DataFolder:
    found = find_data_folder(getattr(arguments, "db", None), arguments.data)
    if found.notice:
        print(f"crokinole: {found.notice}", file=sys.stderr)
    return found
