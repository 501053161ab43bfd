"""A page of the list of matches: those with a player of that name, the newest first."""

from __future__ import annotations

import re

from scorer.store import FoundMatches, Store

#: Matches per page: as many as a phone shows with a few swipes.
PAGE_SIZE = 25
#: Names of the months in English, French and German, in small letters.
_MONTHS = {
    name: month
    for month, names in enumerate(
        (
            "jan|january|janvier|januar",
            "feb|february|fév|févr|février|februar",
            "mar|march|mars|mär|märz",
            "apr|april|avr|avril",
            "may|mai",
            "jun|june|juin|juni",
            "jul|july|juil|juillet|juli",
            "aug|august|août",
            "sep|sept|september|septembre",
            "oct|october|octobre|okt|oktober",
            "nov|november|novembre",
            "dec|december|déc|décembre|dez|dezember",
        ),
        start=1,
    )
    for name in names.split("|")
}
_MONTH = f"({'|'.join(_MONTHS)})"
#: A day: "26.11.2026", "26/11", "26 nov", "26th November" and "nov 26".
_IN_DIGITS = re.compile(r"(?<!\S)(\d\d?)[./](\d\d?)(?:[./](\d{4})?)?(?!\S)")
_DAY_FIRST = re.compile(rf"(?<!\S)(\d\d?)(?:\.|st|nd|rd|th)? ?{_MONTH}\.?(?!\S)")
_MONTH_FIRST = re.compile(rf"(?<!\S){_MONTH}\.? (\d\d?)(?:st|nd|rd|th)?,?(?!\S)")


def find_matches(store: Store, words: str, page: int) -> FoundMatches:
    """The matches with every word in names, number or date; a page past the end is the last.

    A month's name is read as a month only if no player's name contains it.
    """
    wanted = read_days(words.casefold()).split()
    found = store.search(wanted, page=page, size=PAGE_SIZE)
    if not found.total and not _MONTHS.keys().isdisjoint(wanted):
        dated = [f"-{_MONTHS[word]:02}-" if word in _MONTHS else word for word in wanted]
        found = store.search(dated, page=page, size=PAGE_SIZE)
    return found


def read_days(words: str) -> str:
    """Words in lower case, with days in the form of stored dates: "2026-11-26", "-11-26"."""
    words = _IN_DIGITS.sub(
        lambda found: f"{found[3] or ''}-{int(found[2]):02}-{int(found[1]):02}", words
    )
    words = _DAY_FIRST.sub(lambda found: f"-{_MONTHS[found[2]]:02}-{int(found[1]):02}", words)
    return _MONTH_FIRST.sub(lambda found: f"-{_MONTHS[found[1]]:02}-{int(found[2]):02}", words)
