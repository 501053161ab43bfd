"""The state of a match: its setup, the current round, finished rounds, and the results.

States are values that never change; ``fold`` applies an event to one. Amounts by player or by side
are in the order of the players or the sides.
"""

from __future__ import annotations

from dataclasses import dataclass

from calibration.phrase import Phrase, join
from scorer.match.events import DiscInZone, Event, FoulCalled, MatchError, ScoreSource
from scorer.match.scoring import Amounts
from scorer.match.sighting import Sighting
from scorer.match.turns import discs_of_sides, player_to_shoot, shots_of_round, sides_of
from scorer.rules.choices import Format
from scorer.rules.options import RuleOptions
from scorer.rules.sets import RuleSet


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchSetup:
    """The settings of a whole match.

    at_board    the number of the board where it is played, from 1
    tournament  the numbers of the tournament and of this match in it; or empty
    teams       the names of two pairs; "" for a pair known by its players' names; or empty
    """

    rules: RuleSet
    format: Format
    players: tuple[str, ...]
    games: int
    colours: tuple[str, ...] = ()
    at_board: int = 1
    tournament: tuple[int, ...] = ()
    teams: tuple[str, ...] = ()

    @property
    def options(self) -> RuleOptions:
        """The rules in force."""
        return self.rules.options

    @property
    def sides(self) -> tuple[str, ...]:
        """Names of the sides."""
        sides = sides_of(self.format)
        return tuple(
            name or " & ".join(self.players[player] for player in side)
            for side, name in zip(sides, self.teams or ("",) * len(sides), strict=True)
        )

    @property
    def discs(self) -> Amounts:
        """Numbers of the sides' discs."""
        return discs_of_sides(self.format, self.options)


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundResult:
    """A finished round: points including 20s, 20s, and its value, by side.

    board    the discs at its end, if shots were logged
    is_open  whether a question about it is open, so that it does not count yet
    is_seen  whether a camera saw a shot of it
    cut_after  discs per side after which a recording ended it before all were shot; otherwise 0
    """

    points: Amounts
    twenties: Amounts
    value: Amounts
    starter: int
    source: ScoreSource
    board: tuple[DiscInZone, ...] = ()
    is_open: bool = False
    is_seen: bool = False
    cut_after: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class ShootoutResult:
    """A tie-break: the sides' 20s, and the number of rounds before it."""

    after_round: int
    twenties: Amounts


@dataclass(frozen=True, slots=True, kw_only=True)
class GameResult:
    """A finished game: its winners, and the totals, by side."""

    winners: tuple[int, ...]
    totals: Amounts


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundState:
    """The round in play.

    shots          discs shot, by player
    last_shot      number of its shots, which running out of time may reduce
    minutes        its time limit, None without one
    is_starter_set whether a person chose its starter, whatever a camera saw
    expected       the player who should have started, if another shot first
    seen           the discs on the board as a camera saw them last
    seen_shots     shots that it saw
    seen_twenties  20s that it saw, by side; empty for none
    ended          the last round end that it saw with discs still to be shot; or None
    is_board_known whether the board after the last shot is known; false if that was only counted
    """

    starter: int
    shots: Amounts
    last_shot: int
    twenties: Amounts
    reshoots: Amounts
    board: tuple[DiscInZone, ...] = ()
    is_timed_out: bool = False
    has_started: bool = False
    minutes: int | None = None
    is_starter_set: bool = False
    expected: int | None = None
    seen: tuple[DiscInZone, ...] = ()
    seen_shots: int = 0
    seen_twenties: Amounts = ()
    ended: Sighting | None = None
    is_board_known: bool = True

    @property
    def shot_count(self) -> int:
        """The number of discs shot."""
        return sum(self.shots)


@dataclass(frozen=True, slots=True, kw_only=True)
class DisputeState:
    """A dispute, and its ruling; None while open.

    round      number of the round that it is about, from 1
    missed     number of its unseen shots, if that is the question
    missed_by  those shots by side; empty for other questions
    is_first   whether nothing was shot in its round before those shots
    by_camera  whether a camera raised it rather than a person
    """

    about: str
    disc: str | None
    shot: str | None = None
    decision: str | None = None
    round: int = 1
    missed: int = 0
    missed_by: Amounts = ()
    is_first: bool = False
    by_camera: bool = False

    @property
    def is_open(self) -> bool:
        """Whether there is no ruling on it yet."""
        return self.decision is None


@dataclass(frozen=True, slots=True, kw_only=True)
class LeftOutEntry:
    """A log entry that does not fit the match as it is read now, and the reason."""

    event: Event
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchState:
    """The state of a match.

    game_start     the number of rounds before the current game
    shootout       the sides that are tied and play a tie-break; empty without one
    shootouts      those that were played, in order
    winners        the sides that won the match; empty while it is being played
    waiting        a camera's shots that wait until somebody says who plays a colour
    left_out       entries that do not fit
    is_scored_ahead  whether a person scored the round that a camera is still watching
    """

    setup: MatchSetup
    round: RoundState
    rounds: tuple[RoundResult, ...] = ()
    games: tuple[GameResult, ...] = ()
    game_start: int = 0
    totals: Amounts = ()
    shootout: tuple[int, ...] = ()
    shootouts: tuple[ShootoutResult, ...] = ()
    winners: tuple[int, ...] = ()
    disputes: tuple[DisputeState, ...] = ()
    fouls: tuple[FoulCalled, ...] = ()
    waiting: tuple[Sighting, ...] = ()
    left_out: tuple[LeftOutEntry, ...] = ()
    is_scored_ahead: bool = False

    @property
    def is_over(self) -> bool:
        """Whether the match has ended."""
        return bool(self.winners)

    @property
    def is_tied(self) -> bool:
        """Whether the match has ended with several sides tied at the top."""
        return len(self.winners) > 1

    @property
    def twenties(self) -> Amounts:
        """20s of the whole match by side, only finished rounds."""
        count = len(self.setup.sides)
        return tuple(sum(result.twenties[side] for result in self.rounds) for side in range(count))

    @property
    def has_open_round(self) -> bool:
        """Whether a round of the current game waits for an answer."""
        return any(result.is_open for result in self.rounds[self.game_start :])

    def find_open_dispute(self, round_number: int) -> int | None:
        """The number of the first open dispute about a round; None if there is none."""
        numbered = enumerate(self.disputes, start=1)
        return next((k for k, e in numbered if e.round == round_number and e.is_open), None)

    @property
    def turn(self) -> int | None:
        """The player whose turn it is; None if no shot is left."""
        if self.is_over or self.shootout or self.round.shot_count >= self.round.last_shot:
            return None
        return player_to_shoot(self.setup.format, self.round.starter, self.round.shot_count)

    @property
    def hammer(self) -> int:
        """The player with the round's last shot; in a round without a shot, the player who would
        have had it.
        """
        shots = self.round.last_shot or shots_of_round(self.setup.format, self.setup.options)
        return player_to_shoot(self.setup.format, self.round.starter, shots - 1)

    @property
    def discs_left(self) -> Amounts:
        """Discs that the players still have to shoot, as far as time allows."""
        left = [0] * len(self.setup.players)
        for shot in range(self.round.shot_count, self.round.last_shot):
            left[player_to_shoot(self.setup.format, self.round.starter, shot)] += 1
        return tuple(left)


def new_round(setup: MatchSetup, starter: int) -> RoundState:
    """A round that has not begun."""
    return RoundState(
        starter=starter,
        shots=(0,) * len(setup.players),
        last_shot=shots_of_round(setup.format, setup.options),
        twenties=(0,) * len(setup.sides),
        reshoots=(0,) * len(setup.players),
    )


def check_round_in_play(state: MatchState) -> None:
    """Raise ``MatchError`` if no round is in play."""
    if state.is_over:
        raise MatchError(Phrase("The match is over. Undo its last round, or create a new match."))
    if state.shootout:
        names = join(Phrase(" and "), (state.setup.sides[side] for side in state.shootout))
        raise MatchError(
            Phrase("%(names)s are tied. Next, enter the 20s from the shoot-out.", names=names)
        )


def describe_full_round(state: MatchState) -> str:
    """The reason why no shot is left in the current round, and the remedy."""
    if state.round.is_timed_out:
        return Phrase(
            "Time is up and both sides have had the same number of shots. "
            "Score the round, or undo “Time ran out”."
        )
    return Phrase("All discs in this round have been shot. Score the round.")
