"""The Swiss system: entries with equal scores meet, without rematches; with an odd number, one
entry has a bye.

A round is a maximum-weight perfect matching (Edmonds 1965; ``networkx``) of all active entries,
plus the bye if their number is odd. Weights are whole numbers that rank the aims: first no rematch
and no second bye, and if some are unavoidable, of those who had fewest; then meetings of entries
that have won all, and of entries that have lost none; then scores as close as possible; then upper
half against lower half within a score.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum
from itertools import combinations

from scorer.tournament.matching import match_entries

#: Represents the bye; entries are numbered from 0.
_BYE = -1


class Record(IntEnum):
    """The record of an entry that has been in every round so far."""

    LOST = 0
    NONE_LOST = 1
    ALL_WON = 2


def pair_swiss(
    ranking: Sequence[int],
    scores: Mapping[int, int],
    met: Counter[frozenset[int]],
    byes: Counter[int],
    records: Mapping[int, Record] | None = None,
) -> tuple[tuple[tuple[int, int], ...], int | None]:
    """The pairings, the best first, and the bye if the number is odd.

    ranking  the active entries, best first
    scores   the entries' scores so far, in the first ranking criterion
    met      how often pairs have played each other
    byes     how often entries had a bye or a win by walkover
    records  records of the entries that have lost none
    """
    costs = _Costs.of(ranking, scores, records or {})
    weights = {
        (first, second): -costs.of_pair(first, second, met[frozenset((first, second))])
        for first, second in combinations(ranking, 2)
    }
    if len(ranking) % 2:
        weights |= {(entry, _BYE): -costs.of_bye(entry, byes[entry]) for entry in ranking}
    place = {_BYE: -1, **costs.place}
    pairs = (sorted(pair, key=lambda entry: place[entry]) for pair in match_entries(weights))
    ordered = sorted(pairs, key=lambda pair: place[pair[0]])
    bye = next((b for a, b in ordered if a == _BYE), None)
    return tuple((a, b) for a, b in ordered if a != _BYE), bye


@dataclass(frozen=True, slots=True, kw_only=True)
class _Costs:
    """The cost of a pairing, in whole numbers.

    Differences are squared, so two small ones cost less than one large one.

    place      of the entries in the ranking
    halves     half the number of entries with a score, by score
    step       cost of a difference of one score: more than any order within equal scores
    unbeaten   cost of one missed meeting of unbeaten entries: more than all score differences
    forbidden  cost of one rematch: more than all other costs together
    """

    scores: Mapping[int, int]
    records: Mapping[int, Record]
    place: Mapping[int, int]
    halves: Mapping[int, int]
    lowest: int
    step: int
    unbeaten: int
    forbidden: int

    @classmethod
    def of(
        cls, ranking: Sequence[int], scores: Mapping[int, int], records: Mapping[int, Record]
    ) -> _Costs:
        present = [scores[entry] for entry in ranking]
        spread = max(present) - min(present)
        step = len(ranking) ** 3 + 1
        unbeaten = (spread**2 + 1) * step * (len(ranking) + 1)
        return cls(
            scores=scores,
            records=records,
            place={entry: k for k, entry in enumerate(ranking)},
            halves={score: count // 2 for score, count in Counter(present).items()},
            lowest=min(present),
            step=step,
            unbeaten=unbeaten,
            forbidden=unbeaten * (len(ranking) + 1) ** 2,
        )

    def of_pair(self, first: int, second: int, meetings: int) -> int:
        """The cost of a pairing: for a difference in scores and, at equal scores, for a distance in
        rank other than that between the upper and the lower half.
        """
        apart = self.scores[first] - self.scores[second]
        fold = abs(self.place[second] - self.place[first]) - max(1, self.halves[self.scores[first]])
        ideal = apart**2 * self.step + fold**2 - self._meeting(first, second) * self.unbeaten
        return ideal + meetings * self.forbidden

    def _meeting(self, first: int, second: int) -> int:
        """The value of a meeting of two entries; a meeting of two that have won all outweighs the
        others.
        """
        weaker = min(self.records.get(entry, Record.LOST) for entry in (first, second))
        return {Record.ALL_WON: len(self.place), Record.NONE_LOST: 1, Record.LOST: 0}[weaker]

    def of_bye(self, entry: int, earlier: int) -> int:
        """The cost of a bye; it goes to the lowest-ranked entry if possible."""
        above = self.scores[entry] - self.lowest
        from_last = len(self.place) - 1 - self.place[entry]
        return above**2 * self.step + from_last**2 + earlier * self.forbidden
