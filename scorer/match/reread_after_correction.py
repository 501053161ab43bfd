"""Reads a match again after its colours or a starter were corrected, so that earlier rounds follow
the correction.

The last correction divides the log. Before it, from the corrected round on, a camera's sightings
are entered again, and people's entries stay if they still fit. A shot counted by a person belongs
to the player whose turn it is. A score entered by a person replaces the camera's score of its
round. A ruling follows its question, even if the question has a new number.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from scorer.match.endings import settle_questions
from scorer.match.events import (
    BoardCorrected,
    CameraSaw,
    ColoursChosen,
    Disputed,
    Event,
    RoundScored,
    Ruled,
    ShotPlayed,
    StarterCorrected,
    StarterSeen,
    TwentyCounted,
)
from scorer.match.state import DisputeState, MatchState, new_round

#: Events that can contain the sighting from which they follow.
SIGHTED = (ShotPlayed, TwentyCounted, RoundScored, BoardCorrected)


@dataclass(frozen=True, slots=True, kw_only=True)
class LogReading:
    """The way to read a log.

    place        index in the log before which it is read again; 0 without a correction
    first_round  the first round, from 1, that is read again
    colours      statements about colours, with their places
    starters     corrected starters by round
    rulings      the subjects of the rulings before ``place``, by their places
    """

    place: int = 0
    first_round: int = 1
    colours: tuple[tuple[int, ColoursChosen], ...] = ()
    starters: Mapping[int, int] = field(default_factory=dict)
    rulings: Mapping[int, DisputeState] = field(default_factory=dict)

    def is_anew(self, place: int, state: MatchState) -> bool:
        """Whether the event at a place is read again, given the match before it."""
        return place < self.place and len(state.rounds) + 1 >= self.first_round

    def is_overruled(self, place: int, state: MatchState) -> bool:
        """Whether the colours that the event at a place introduces were corrected later."""
        chosen = self._find_colours(len(state.rounds) + 1)
        return chosen is not None and chosen[0] > place

    def prepare(self, state: MatchState, before: MatchState | None) -> MatchState:
        """The state with the corrections of its round, if they have changed."""
        number = len(state.rounds) + 1
        old = None if before is None else len(before.rounds) + 1
        if number == old:
            return state
        chosen = self._find_colours(number)
        if chosen is not None and (old is None or chosen != self._find_colours(old)):
            state = replace(state, setup=replace(state.setup, colours=chosen[1].colours))
        if number in self.starters:
            play = replace(state.round, starter=self.starters[number], is_starter_set=True)
            state = replace(state, round=play)
        return state

    def _find_colours(self, number: int) -> tuple[int, ColoursChosen] | None:
        return next((colour for colour in self.colours[::-1] if colour[1].round <= number), None)


def plan_reading(
    log: Sequence[Event],
    places: Sequence[int],
    list_rulings: Callable[[Sequence[Event]], Mapping[int, DisputeState]],
) -> LogReading:
    """The way to read a log with events in force at ``places``; ``list_rulings`` is that of an
    earlier log.
    """
    right = [
        (place, event)
        for place in places
        if isinstance(event := log[place], ColoursChosen | StarterCorrected)
    ]
    if not right:
        return LogReading()
    last = right[-1][0]
    has_rulings = any(isinstance(log[place], Ruled) for place in places if place < last)
    return LogReading(
        place=last,
        first_round=min(event.round for _, event in right),
        colours=tuple((place, event) for place, event in right if isinstance(event, ColoursChosen)),
        starters={
            event.round: event.player for _, event in right if isinstance(event, StarterCorrected)
        },
        rulings=list_rulings(log[:last]) if has_rulings else {},
    )


def as_seen(event: Event) -> Event | None:
    """An entry as the camera's observation that is read again; None if another entry causes it."""
    if isinstance(event, SIGHTED) and event.sighting is not None:
        return CameraSaw(sighting=event.sighting)
    is_of_camera = isinstance(event, BoardCorrected | Disputed) and event.by_camera
    return None if is_of_camera or isinstance(event, StarterSeen) else event


def map_ruling(event: Ruled, about: DisputeState | None, state: MatchState) -> Ruled | None:
    """A ruling with the current number of its question; None if the question no longer exists."""
    asked = enumerate(state.disputes, start=1)
    number = next(
        (k for k, dispute_state in asked if dispute_state.is_open and dispute_state == about), None
    )
    return None if number is None else replace(event, dispute=number)


def fit_anew(event: Event, state: MatchState) -> tuple[Event, MatchState]:
    """A person's entry changed to fit, and the state that it fits; both unchanged if it cannot."""
    if isinstance(event, ShotPlayed) and state.turn is not None:
        return replace(event, player=state.turn, board=state.round.board), state
    if isinstance(event, RoundScored) and event.points is None:
        return replace(event, waits=True), state
    if isinstance(event, RoundScored):
        play = state.round
        fresh = replace(new_round(state.setup, play.starter), seen_shots=play.seen_shots)
        return event, settle_questions(replace(state, round=fresh), of_people=True)
    return event, state
