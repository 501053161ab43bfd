"""The store of matches and tournaments: an entry reaches the disk completely or not at all.

Only this package contains SQL, tables, their versions and their durability. `scorer.match` and
`scorer.tournament` define the meaning of events; the store only checks that the log can still be
folded.
"""

from scorer.store.database_url import DatabasePlace, database_place
from scorer.store.errors import DamagedMatchError, StoreError
from scorer.store.match_store import (
    FoundMatches,
    ListedMatch,
    MakeEntries,
    MakeEntry,
    Store,
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
    "database_place",
]
