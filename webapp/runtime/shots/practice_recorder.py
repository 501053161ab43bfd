"""Enters shots into practices, by hand or as the referee sees them, and publishes them.

While a practice is under way, what the camera sees is its own and not the match's. It ends taking
shots when it is over, when a match begins, or when nothing was entered for a while, so that a
practice that somebody walked away from takes no shot of a match.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from time import monotonic
from typing import Any

from scorer.match.events import MatchStarted
from scorer.practice.events import PracticeError, PracticeEvent, PracticeStarted
from scorer.practice.fold import PracticeState
from scorer.store import StoreError
from scorer.store.practice_store import PracticeStore
from webapp.runtime.scoreboard import Scoreboard, now
from webapp.runtime.shots.practice_shot import read_practice_shot

#: A pause in practice is shorter: somebody fetches a drink.
_IDLE_S = 20 * 60.0
_NO_TARGET = "That shot is not counted: no opponent's disc lay on the board to be taken out."


class PracticeRecorder:
    """The practices of one server. All threads may use it."""

    def __init__(
        self,
        scoreboard: Scoreboard,
        store: PracticeStore,
        clock: Callable[[], float] = monotonic,
    ) -> None:
        """No practice is under way."""
        self._scoreboard, self._store, self._clock = scoreboard, store, clock
        self._number: int | None = None
        self._entered_s = 0.0
        scoreboard.add_listener(self._leave_to_match)

    @property
    def number(self) -> int | None:
        """The practice whose shots the camera counts now; None where there is none."""
        is_idle = self._clock() - self._entered_s > _IDLE_S
        return None if is_idle else self._number

    def begin(self, setup: PracticeStarted) -> int:
        """The number of a new practice, which the camera counts from now on."""
        number = self._store.create(setup, now=now())
        self.resume(number)
        return number

    def resume(self, number: int) -> None:
        """Let the camera count the shots of a practice from now on."""
        self._number, self._entered_s = number, self._clock()
        self._scoreboard.publish_practice(number)

    def append(
        self, number: int, event: PracticeEvent, expected: int | None = None
    ) -> PracticeState:
        """The state after an event, which is published. Raises as ``PracticeStore.append``."""
        state = self._store.append(number, event, now=now(), expected=expected)
        if number == self._number:
            self._entered_s = self._clock()
            if state.is_ended:
                self._number = None
        self._scoreboard.publish_practice(number)
        return state

    def record(self, event: Mapping[str, Any], shot_key: str | None) -> str | None:
        """Enter what the referee saw into the practice; what to say where that cannot be."""
        number = self.number
        if number is None or event.get("type") != "shot":
            return None
        try:
            held = self._store.get(number)
            if held is None or held.state.is_over:
                return None
            shot = read_practice_shot(event, held.state.setup.drill, shot_key)
            if shot is None:
                return _NO_TARGET
            self.append(number, shot)
        except (PracticeError, StoreError) as error:
            return f"Not entered into the practice: {error}"
        return None

    def _leave_to_match(self, event: Mapping[str, Any]) -> None:
        """A match that begins takes the camera's shots."""
        if event.get("type") == "match" and event["match"]["type"] == MatchStarted.type:
            self._number = None
