"""A player's strengths: the points by which shots exceeded an average player's, by kind of shot.

A shot's gain is the change of the expected lead at the round's end. The newest finished matches
count in which a camera knew every disc's place.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from scorer.store import ListedMatch, Store
from webapp.formats.analysis import KindOfShot, average_gains

#: Number of the newest matches that count, so that the page loads quickly.
MATCHES = 20


def list_strengths(name: str, listed: Sequence[ListedMatch], store: Store) -> list[KindOfShot]:
    """Rows of a kind, its number of shots, and their average gain with its sigma.

    listed  the player's matches, the newest first; the last shots of rounds have their own row
    """
    seen = [
        (match.id, match.summary.players.index(name))
        for match in listed
        if match.summary and match.summary.is_over and match.summary.has_seen_shots
        if name in match.summary.players
    ]
    gains = [
        (kind, gain)
        for number, player in seen[:MATCHES]
        for shooter, kind, gain in _list_gains(store, number, len(store.log(number)))
        if shooter == player
    ]
    return average_gains(name, gains)


@lru_cache(maxsize=500)
def _list_gains(store: Store, number: int, count: int) -> tuple[tuple[int, str, float], ...]:
    """The gains of players by kind of shot, in a match of that many events."""
    from scorer.analysis.match_analysis import analyse_match  # importing it loads NumPy

    known = [
        (shot, shot.gain)
        for shot in analyse_match(store.log(number)[:count]).shots
        if shot.gain is not None
    ]
    return tuple(
        (shot.player, kind, gain)
        for shot, gain in known
        for kind in (str(shot.kind), *(("last",) if shot.is_last else ()))
    )
