"""The store of matches and tournaments: an appended entry reaches the disk wholly or not at all.

The sole owner of SQL, with its tables, their versions and their durability. The meaning of an event
belongs to scorer.match and scorer.tournament; here it is only checked that the log still folds.
"""

from scorer.store.database_url import DatabasePlace, database_place
from scorer.store.errors import DamagedMatchError, StoreError
from scorer.store.match_store import (
    FoundMatches,
    ListedMatch,
    MakeEntries,
    MakeEntry,
    Store,
    StoredMatch,
)
from scorer.store.schema import MIGRATIONS

__all__ = [
    "MIGRATIONS",
    "DamagedMatchError",
    "DatabasePlace",
    "FoundMatches",
    "ListedMatch",
    "MakeEntries",
    "MakeEntry",
    "Store",
    "StoreError",
    "StoredMatch",
    "database_place",
]
