"""A match, shot by shot: both sides' chances before and after, and the change by every shot.

A position is known if the log has the places of all discs on the board. Then the value network
gives the chances of the round, and ``match_chances`` those of the match. Both sides are treated as
players of one skill, so the figures are the expectation of an average player of that skill. The
sigma covers only the uncertainty of the positions. An unseen shot, or one that awaits a ruling, has
no figures.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

import numpy as np

from calibration.numerics.arrays import FloatArray
from scorer.analysis.match_chances import Chances, MatchChances, RoundGains
from scorer.analysis.positions import (
    NOWHERE_MM,
    Positions,
    features,
    find_open_shares,
    skill_rows,
    turn_places,
)
from scorer.analysis.value import GAINS, value_network
from scorer.match.events import Event, RoundScored, ShotPlayed
from scorer.match.fold import replay_log
from scorer.match.state import MatchSetup, MatchState
from scorer.match.turns import player_to_shoot, side_of, sides_of
from scorer.physics.scene import TableSpec
from scorer.physics.skills import SKILLS, SkillName
from scorer.rules.board_geometry import nearest_quadrant
from scorer.rules.choices import Format
from scorer.zone_values import TWENTY

#: Number of random draws of places within their sigmas.
_DRAWS = 16
_LOWEST_QUADRANT, _FOUR_SEATS = 3, 4
_TABLE = TableSpec()


class ShotKind(StrEnum):
    """The purpose of a shot, from the discs on the board and the result."""

    OPEN = "open"
    TAKE_OUT = "take_out"
    FOLLOW_TWENTY = "follow_twenty"
    HIDE = "hide"
    OTHER = "other"


@dataclass(frozen=True, slots=True, kw_only=True)
class Outlook:
    """The expectations of both sides at one moment.

    chances  of the match; None if unknown
    sigma    one standard deviation of side 0's chance, due to the places of discs
    lead     side 0's expected points minus side 1's at the round's end
    """

    chances: Chances | None
    sigma: float
    lead: float


@dataclass(frozen=True, slots=True, kw_only=True)
class AnalysedShot:
    """A shot, and both sides' expectations before and after it; None if unknown.

    round, number  from 1; clip: the name of its replay, or ""
    """

    round: int
    number: int
    player: int
    side: int
    verdict: str
    kind: ShotKind
    is_last: bool
    clip: str
    before: Outlook | None
    after: Outlook | None

    @property
    def change(self) -> float | None:
        """The shot's change of its side's chance of the match."""
        if not (self.before and self.before.chances and self.after and self.after.chances):
            return None
        return self.after.chances.of_side(self.side) - self.before.chances.of_side(self.side)

    @property
    def change_sigma(self) -> float:
        """One standard deviation of ``change``."""
        return math.hypot(*(end.sigma for end in (self.before, self.after) if end))

    @property
    def gain(self) -> float | None:
        """The shot's change of its side's expected lead at the round's end, in points."""
        if not (self.before and self.after):
            return None
        return (self.after.lead - self.before.lead) * (-1 if self.side else 1)


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchAnalysis:
    """A match's shots in order; ``now`` is the current outlook, None if unknown."""

    shots: tuple[AnalysedShot, ...]
    now: Outlook | None
    skill: SkillName
    version: str

    @property
    def swings(self) -> tuple[AnalysedShot, ...]:
        """The three shots with the largest changes."""
        known = [shot for shot in self.shots if shot.change is not None]
        return tuple(sorted(known, key=lambda shot: -abs(shot.change or 0.0))[:3])


def analyse_match(log: Sequence[Event], skill: SkillName = SkillName.CLUB) -> MatchAnalysis:
    """The analysis of a match's log. Raises ``MatchError`` for a log that is not a match."""
    replayed = list(replay_log(log))
    analyst = _Analyst(replayed[0].state, [played.event for played in replayed], skill)
    shots: list[AnalysedShot] = []
    state, ahead = replayed[0].state, None
    for _, event, after in replayed[1:]:
        if isinstance(event, ShotPlayed) and not event.reshoot:
            before, ahead = ahead or analyst.look(state), analyst.look(after)
            is_known = event.verdict != "needs_review" and not event.is_unseen
            shots.append(
                AnalysedShot(
                    round=len(state.rounds) + 1,
                    number=after.round.shot_count,
                    player=event.player,
                    side=side_of(state.setup.format, event.player),
                    verdict=event.verdict,
                    kind=analyst.find_kind(event, state, after),
                    is_last=after.round.shot_count >= after.round.last_shot,
                    clip=event.sighting.clip if event.sighting else "",
                    before=before if is_known else None,
                    after=ahead if is_known else None,
                )
            )
        else:
            # A 20 that is counted after its shot belongs to the shot.
            ahead = None
            if shots and not isinstance(event, RoundScored) and after.round.shot_count:
                shots[-1] = replace(shots[-1], after=shots[-1].after and analyst.look(after))
        state = after
    return MatchAnalysis(
        shots=tuple(shots),
        now=analyst.look(state),
        skill=skill,
        version=value_network().version,
    )


def find_outlook(log: Sequence[Event], skill: SkillName = SkillName.CLUB) -> Outlook | None:
    """The current outlook of a match; None if unknown, or while a question about it is open."""
    replayed = list(replay_log(log))
    state = replayed[-1].state
    if state.is_over or state.waiting or any(dispute.is_open for dispute in state.disputes):
        return None
    return _Analyst(replayed[0].state, [played.event for played in replayed], skill).look(state)


class _Analyst:
    """Evaluates states of one match."""

    def __init__(self, start: MatchState, events: Sequence[Event], skill: SkillName) -> None:
        """For a match with this start and these events, between players of the given skill."""
        self._setup, self._skill = start.setup, SKILLS[skill]
        self._seats = _find_seats(start, events)
        self._is_duel = len(start.setup.sides) == 2
        self._chances = MatchChances(start.setup, self._find_round_gains())

    def look(self, state: MatchState) -> Outlook | None:
        """Both sides' expectations; None if a disc's position is unknown, or if there are not
        exactly two sides.
        """
        play = state.round
        if not self._is_duel or not play.is_board_known:
            return None
        if state.is_over or state.shootout:
            won = tuple(float(state.winners == (side,)) for side in (0, 1))
            chances = Chances(won[0], float(state.is_tied), won[1]) if state.is_over else None
            return Outlook(chances=chances, sigma=0.0, lead=0.0)
        if any(disc.place_mm is None for disc in play.board):
            return None
        sign = np.array([1.0 if disc.side == 0 else -1.0 for disc in play.board])
        on_board = float((sign * [disc.zone for disc in play.board]).sum())
        now = on_board + TWENTY * (play.twenties[0] - play.twenties[1])
        if play.shot_count >= play.last_shot:
            ends, odds = np.array([now]), np.ones((1, 1))
        else:
            ends, odds = self._find_ends(state, now)
        lead, by_end = float(odds.mean(axis=0) @ ends), self._chances.find(state, ends)
        if by_end is None:
            return Outlook(chances=None, sigma=0.0, lead=lead)
        chances = Chances(*(odds.mean(axis=0) @ by_end).tolist())
        sides = odds @ (by_end[:, 0] + by_end[:, 1] / 2)
        return Outlook(chances=chances, sigma=float(sides.std()), lead=lead)

    def find_kind(self, event: ShotPlayed, before: MatchState, after: MatchState) -> ShotKind:
        """The purpose of a shot; a hidden disc is one that the next shooter cannot hit directly."""
        side = side_of(before.setup.format, event.player)
        others = {disc.id for disc in before.round.board if disc.side != side}
        if not others:
            return ShotKind.OPEN
        if event.made_twenty(side):
            return ShotKind.FOLLOW_TWENTY
        if others - {disc.id for disc in after.round.board}:
            return ShotKind.TAKE_OUT
        return ShotKind.HIDE if self._is_hidden(before, after) else ShotKind.OTHER

    def _is_hidden(self, before: MatchState, after: MatchState) -> bool:
        known = {disc.id for disc in before.round.board}
        board = after.round.board
        fresh = [k for k, disc in enumerate(board) if disc.id not in known]
        if not fresh or after.turn is None or any(disc.place_mm is None for disc in board):
            return False
        places_mm = np.array([[disc.place_mm for disc in board]], dtype=float)
        azimuth = self._seats[after.turn] * math.pi / 2
        places = turn_places(places_mm, -math.pi / 2 - azimuth)
        is_there = np.ones((1, len(board)), dtype=np.bool_)
        shares = find_open_shares(_TABLE, places, is_there, ~is_there, 0.0)
        return not shares[0, fresh[-1]]

    def _find_ends(self, state: MatchState, now: float) -> tuple[FloatArray, FloatArray]:
        """Side 0's possible leads at the round's end (k,), and their chances (draws, k)."""
        play, form = state.round, self._setup.format
        mover = player_to_shoot(form, play.starter, play.shot_count)
        side = side_of(form, mover)
        rng = np.random.default_rng(0)
        places_mm = np.array([disc.place_mm for disc in play.board], dtype=float).reshape(-1, 2)
        sigmas = np.array([disc.sigma_mm or 0.0 for disc in play.board])
        places = np.full((_DRAWS, len(places_mm) + 1, 2), NOWHERE_MM)
        noise = rng.normal(size=(_DRAWS, len(places_mm), 2)) * sigmas[:, None]
        azimuth = self._seats[mover] * math.pi / 2
        places[:, :-1] = turn_places(places_mm + noise, -math.pi / 2 - azimuth)
        own = np.array([disc.side == side for disc in play.board] + [False])
        left = _count_left(state)
        numbers = features(
            _TABLE,
            self._setup.options,
            Positions(
                places_mm=places,
                own=np.tile(own, (_DRAWS, 1)),
                left=np.tile([left[side], left[1 - side]], (_DRAWS, 1)),
                skills=skill_rows(self._skill, self._skill, _DRAWS),
                turn_rad=_find_turn_rad(self._setup),
            ),
        )
        chances = value_network().chances(numbers)
        return now + (GAINS if side == 0 else -GAINS), chances

    def _find_round_gains(self) -> RoundGains:
        """Chances of side 0's gains in a whole round, by the side that starts it."""
        empty = Positions(
            places_mm=np.full((1, 1, 2), NOWHERE_MM),
            own=np.zeros((1, 1), dtype=np.bool_),
            left=np.array([self._setup.discs[:2]], dtype=np.float64),
            skills=skill_rows(self._skill, self._skill, 1),
            turn_rad=_find_turn_rad(self._setup),
        )
        chances = value_network().chances(features(_TABLE, self._setup.options, empty))[0]
        by_starter = tuple(
            {
                sign * int(gain): float(chance)
                for gain, chance in zip(GAINS, chances, strict=True)
                if chance > _LEAST_CHANCE
            }
            for sign in (1, -1)
        )
        return by_starter.__getitem__


#: Gains that are rarer than this are left out of a round's.
_LEAST_CHANCE = 1e-3


def find_round_ahead(log: Sequence[Event], clip: str) -> tuple[tuple[int, int], float] | None:
    """The remaining discs before a replay's shot, of its side (with that disc) and of the other
    side; and the rotation of the next shooter's quadrant from this one's. None if unknown.
    """
    before = None
    for _, event, after in replay_log(log):
        if isinstance(event, ShotPlayed) and event.sighting and event.sighting.clip == clip:
            if before is None or len(before.setup.sides) != 2:
                return None
            left, side = _count_left(before), side_of(before.setup.format, event.player)
            return (left[side], left[1 - side]), _find_turn_rad(before.setup)
        before = after
    return None


def _count_left(state: MatchState) -> list[int]:
    """Discs that the sides still have to shoot."""
    return [
        sum(state.discs_left[player] for player in side) for side in sides_of(state.setup.format)
    ]


def _find_turn_rad(setup: MatchSetup) -> float:
    return -math.pi / 2 if len(setup.players) == _FOUR_SEATS else math.pi


def _find_seats(start: MatchState, events: Sequence[Event]) -> dict[int, int]:
    """The quadrants of the players, by the first seen shot; without one, the first player sits
    below.
    """
    count = len(start.setup.players)
    step = -1 if count == _FOUR_SEATS else 2
    player, quadrant = 0, _LOWEST_QUADRANT
    for event in events:
        if isinstance(event, ShotPlayed) and event.seen is not None:
            player, quadrant = event.player, nearest_quadrant(*event.seen.start_mm)
            break
    if start.setup.format is Format.TWO_V_ONE:
        return {k: (quadrant + (0 if (k == 0) == (player == 0) else 2)) % 4 for k in range(count)}
    return {k: (quadrant + (k - player) * step) % 4 for k in range(count)}
