"""The state of a tournament: its entries, its stages, and its matches with their reports."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from itertools import combinations

from calibration.phrase import Phrase
from scorer.tournament.events import (
    Criterion,
    LeaverResults,
    MatchPlan,
    ResultReported,
    StageKind,
    TieBreakPlayed,
    TournamentError,
    TournamentStarted,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """A player, a pair or a team. An entry that withdrew is no longer paired.

    left_as  how its matches count in a round robin from which it withdrew; None if there is none
    rests    whether it sits out the next round
    """

    players: tuple[str, ...]
    has_left: bool = False
    is_disqualified: bool = False
    left_as: LeaverResults | None = None
    rests: bool = False

    @property
    def is_settled(self) -> bool:
        """Whether it withdrew and no opponent still has to play it."""
        return self.has_left and self.left_as is not None

    @property
    def name(self) -> str:
        """The name under which it plays."""
        return " & ".join(self.players)


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchResult:
    """Match points and 20s of both entries; a walkover was not played.

    is_annulled  whether it counts for nobody, because one of the two left
    """

    points: tuple[int, int]
    twenties: tuple[int, int] = (0, 0)
    is_walkover: bool = False
    is_annulled: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class TournamentMatch:
    """A match between two entries in a round of a stage; a bye has no second entry.

    reports     the two sides' reports, while they differ or one is missing
    is_refused  whether the other side refused the report
    """

    stage: int
    round: int
    first: int
    second: int | None
    board: int | None = None
    reports: tuple[ResultReported, ...] = ()
    is_refused: bool = False
    result: MatchResult | None = None

    @property
    def is_bye(self) -> bool:
        """Whether the first entry has no opponent."""
        return self.second is None

    @property
    def entries(self) -> tuple[int, ...]:
        """The entries that play it; just one for a bye."""
        return (self.first,) if self.second is None else (self.first, self.second)

    @property
    def winner(self) -> int | None:
        """The winner; None while it is open, and after a tie."""
        if self.result is None:
            return None
        first, second = self.result.points
        if self.second is None or first > second:
            return self.first
        return self.second if second > first else None

    @property
    def loser(self) -> int | None:
        """The entry that lost; None for a bye, an open match or a tie."""
        return None if self.winner is None else self.opponent_of(self.winner)

    @property
    def is_disputed(self) -> bool:
        """Whether its sides report different results."""
        return self.result is None and (self.is_refused or len(self.reports) > 1)

    def points_of(self, entry: int) -> int:
        """Match points of one of its entries; 0 while it is open."""
        return self.result.points[self._side(entry)] if self.result else 0

    def twenties_of(self, entry: int) -> int:
        """20s of one of its entries; 0 while it is open."""
        return self.result.twenties[self._side(entry)] if self.result else 0

    def opponent_of(self, entry: int) -> int | None:
        """The opponent of one of its entries; None in a bye."""
        return self.second if entry == self.first else self.first

    def _side(self, entry: int) -> int:
        return 0 if entry == self.first else 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Stage:
    """A part of the tournament with one pairing system.

    entries  strongest first; for a ladder, in the order at the start of the stage
    groups   for a round robin, the entries of its groups; otherwise one group with all
    paired   rounds paired so far
    is_irregular  for a round robin that no longer follows its plan: entries meet those they have
                  not met, and byes count for nobody
    """

    kind: StageKind
    name: str
    entries: tuple[int, ...]
    groups: tuple[tuple[int, ...], ...]
    rounds: int | None
    criteria: tuple[Criterion, ...] = ()
    paired: int = 0
    is_irregular: bool = False
    has_third_place: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class TournamentState:
    """The state of a tournament.

    rounds_begun  how often a round's clock was started
    minutes       the time of the round whose clock was started last
    """

    setup: TournamentStarted
    entries: tuple[Entry, ...] = ()
    stages: tuple[Stage, ...] = ()
    matches: tuple[TournamentMatch, ...] = ()
    shootouts: tuple[TieBreakPlayed, ...] = ()
    rounds_begun: int = 0
    minutes: int | None = None

    @property
    def plan(self) -> MatchPlan:
        """The length of a match."""
        return self.setup.plan

    @property
    def bye_points(self) -> int:
        """Match points for a bye, and for a win by walkover."""
        if self.setup.bye is not None:
            return self.setup.bye
        return self.plan.points or 2 * (self.plan.rounds or 1) * 3 // 4

    @property
    def open_matches(self) -> tuple[int, ...]:
        """Numbers of the matches without a known result."""
        return tuple(k for k, match in enumerate(self.matches) if match.result is None)

    def matches_of_stage(self, stage: int) -> tuple[TournamentMatch, ...]:
        """A stage's matches, including byes, in the order of pairing."""
        return tuple(match for match in self.matches if match.stage == stage)

    def stage_at(self, number: int) -> Stage:
        """A stage by its number. Raises ``TournamentError``."""
        if number not in range(len(self.stages)):
            raise TournamentError(Phrase("There is no stage %(number)s.", number=number + 1))
        return self.stages[number]

    def match_at(self, number: int) -> TournamentMatch:
        """A match by its number. Raises ``TournamentError``."""
        if number not in range(len(self.matches)):
            raise TournamentError(Phrase("There is no match %(number)s.", number=number + 1))
        return self.matches[number]

    def is_stage_over(self, number: int) -> bool:
        """Whether a stage has no more matches: all rounds are paired and played."""
        stage = self.stages[number]
        played = [match for match in self.matches if match.stage == number]
        if not played or any(match.result is None for match in played):
            return False
        if stage.kind.is_knockout:
            return len(entries_alive(self, number)) < 2
        if stage.kind is StageKind.ROUND_ROBIN and not find_unmet(self, number):
            return True
        is_planned = stage.rounds is not None and not stage.is_irregular
        return is_planned and stage.paired >= (stage.rounds or 0)


def find_unmet(state: TournamentState, number: int) -> tuple[frozenset[int], ...]:
    """The pairs of a round robin's entries that still have to play."""
    stage = state.stages[number]
    met = {
        frozenset(match.entries)
        for match in state.matches_of_stage(number)
        if not (match.result and match.result.is_annulled and match.result.is_walkover)
    }
    return tuple(
        pair
        for group in stage.groups
        for pair in map(frozenset, combinations(group, 2))
        if pair not in met and not any(state.entries[entry].is_settled for entry in pair)
    )


def entries_alive(state: TournamentState, number: int) -> tuple[int, ...]:
    """The entries that can still win a knock-out, strongest first."""
    lives = 2 if state.stages[number].kind is StageKind.DOUBLE_KNOCKOUT else 1
    lost = count_losses(state, number)
    return tuple(
        entry
        for entry in state.stages[number].entries
        if lost[entry] < lives and not state.entries[entry].has_left
    )


def count_losses(state: TournamentState, number: int) -> dict[int, int]:
    """Number of matches lost by each entry of a stage."""
    lost = Counter(match.loser for match in state.matches_of_stage(number))
    return {entry: lost[entry] for entry in state.stages[number].entries}
