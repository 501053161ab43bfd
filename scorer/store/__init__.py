"""Where matches are kept: a database that an append either reaches wholly or not at all.

The sole owner of SQL, with its tables, their versions and their durability. What an event means
belongs to scorer.match; here it is only checked that the log still folds with it.
"""

from scorer.store.database_url import DatabasePlace, database_place
from scorer.store.errors import DamagedMatchError, StoreError
from scorer.store.match_store import ListedMatch, MakeEntry, Store, StoredMatch
from scorer.store.schema import MIGRATIONS

__all__ = [
    "MIGRATIONS",
    "DamagedMatchError",
    "DatabasePlace",
    "ListedMatch",
    "MakeEntry",
    "Store",
    "StoreError",
    "StoredMatch",
    "database_place",
]
