"""Round robins: the circle method (Kirkman 1847), in groups of similar strength."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from scorer.tournament.matching import match_entries


def deal_groups(entries: Sequence[int], count: int) -> tuple[tuple[int, ...], ...]:
    """The entries, strongest first, dealt into groups of similar strength: in turn, then back."""
    groups: list[list[int]] = [[] for _ in range(count)]
    for place, entry in enumerate(entries):
        lap, step = divmod(place, count)
        groups[step if lap % 2 == 0 else count - 1 - step].append(entry)
    return tuple(tuple(group) for group in groups)


def count_rounds(entries: int) -> int:
    """Number of rounds until all entries have met."""
    return entries - 1 + entries % 2


def pair_round_robin(
    group: Sequence[int], round_number: int
) -> tuple[tuple[tuple[int, int], ...], int | None]:
    """The pairings of a round, from 0 on, and the bye of an odd group.

    One seat stays fixed and the others rotate by one every round; facing seats play. Nobody is
    named first twice in a row, except at the fixed seat, which changes sides every round.
    """
    seats: list[int | None] = list(group) + ([None] if len(group) % 2 else [])
    turning = seats[1:]
    shift = round_number % len(turning)
    ring = [seats[0], *turning[len(turning) - shift :], *turning[: len(turning) - shift]]
    facing = list(zip(ring[: len(ring) // 2], reversed(ring[len(ring) // 2 :]), strict=True))
    if round_number % 2:
        facing[0] = facing[0][::-1]
    pairs = tuple((a, b) for a, b in facing if a is not None and b is not None)
    bye = next((a if b is None else b for a, b in facing if a is None or b is None), None)
    return pairs, bye


def pair_unmet(unmet: Iterable[frozenset[int]]) -> tuple[tuple[int, int], ...]:
    """The largest set of outstanding pairs that can play at once.

    A maximum-weight matching (``networkx``) gives priority to entries with the most matches left,
    so few rounds are needed.
    """
    pairs = [sorted(pair) for pair in unmet]
    to_come = Counter(entry for pair in pairs for entry in pair)
    weights = {(a, b): to_come[a] ** 2 + to_come[b] ** 2 for a, b in pairs}
    return tuple(sorted((min(pair), max(pair)) for pair in match_entries(weights)))
