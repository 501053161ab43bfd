"""A page of the list of matches: those in which somebody of that name plays, the newest first."""

from __future__ import annotations

from scorer.store import FoundMatches, Store

#: Matches of a page: what a phone shows in a few swipes.
PAGE_SIZE = 25


def find_matches(store: Store, words: str, page: int) -> FoundMatches:
    """The matches with every word in names, number or date; a page past the end is the last."""
    return store.search(words.casefold().split(), page=page, size=PAGE_SIZE)
