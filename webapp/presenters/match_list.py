"""A page of the list of matches: those in which somebody of that name plays, the newest first."""

from __future__ import annotations

from dataclasses import dataclass

from scorer.match.events import MatchStarted
from scorer.store import ListedMatch, Store, StoredMatch

#: Matches of a page: what a phone shows in a few swipes.
PAGE_SIZE = 25


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchPage:
    """Some of the matches that were found.

    page, pages  this page's number, from 1, and how many there are
    total        how many matches were found
    """

    matches: tuple[ListedMatch, ...]
    page: int
    pages: int
    total: int


def find_matches(store: Store, words: str, page: int) -> MatchPage:
    """The matches whose players' names hold every word, or all; a page past the end is the last."""
    wanted = words.casefold().split()
    found = [stored for stored, setup in store.setups() if _is_found(stored, setup, wanted)]
    pages = max(1, -(-len(found) // PAGE_SIZE))
    page = min(max(page, 1), pages)
    shown = found[PAGE_SIZE * (page - 1) : PAGE_SIZE * page]
    return MatchPage(matches=store.list_states_of(shown), page=page, pages=pages, total=len(found))


def _is_found(stored: StoredMatch, setup: MatchStarted | None, wanted: list[str]) -> bool:
    """Whether a match has all the words in its names, its number or its date."""
    names = " ".join(setup.players).casefold() if setup else ""
    text = f"{names} {stored.id} {stored.created[:10]}"
    return all(each in text for each in wanted)
