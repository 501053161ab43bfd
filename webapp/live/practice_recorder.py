"""Enters shots into practices, by hand or from the referee, and publishes them.

During a practice at a board, its camera's shots belong to it and not to the match. The database
stores which practice that is, for the server and for the worker that referees the board. The
practice stops taking shots when it is over, when a match begins, or after a while without entries.
So an abandoned practice takes no shot of a match.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta

from calibration.phrase import Phrase
from scorer.match.events import MatchStarted
from scorer.practice.events import PracticeError, PracticeEvent, PracticeStarted
from scorer.practice.fold import PracticeState
from scorer.referee.events import Event, ShotEvent
from scorer.store import StoreError
from scorer.store.practice_store import PracticeStore
from webapp.http.logs import LOG
from webapp.live.practice_shot import read_practice_shot
from webapp.live.scoreboard import Published, Scoreboard, now

#: Longest break during a practice.
_IDLE = timedelta(minutes=20)
_NO_TARGET = Phrase("The shot does not count: there was no opponent's disc to remove.")


class PracticeRecorder:
    """The practices at one board. All threads may use it."""

    def __init__(
        self,
        scoreboard: Scoreboard,
        store: PracticeStore,
        clock: Callable[[], str] = now,
    ) -> None:
        """``clock`` returns the time of day."""
        self._scoreboard, self._store, self._clock = scoreboard, store, clock
        scoreboard.add_listener(self._leave_to_match)

    @property
    def number(self) -> int | None:
        """The practice whose shots the camera counts now; None if there is none.

        Raises ``StoreError``.
        """
        counted = self._store.find_counted(self._scoreboard.board)
        if counted is None:
            return None
        number, entered = counted
        idle = datetime.fromisoformat(self._clock()) - datetime.fromisoformat(entered)
        return number if idle <= _IDLE else None

    def begin(self, setup: PracticeStarted, key: str | None = None) -> int:
        """The number of a new practice, which the camera counts from now on; a key starts only
        one.
        """
        number = self._store.find_begun(key)
        if number is None:
            number = self._store.create(setup, now=self._clock(), key=key)
            self.resume(number)
        return number

    def resume(self, number: int) -> None:
        """Let the camera count the shots of a practice from now on."""
        self._store.count_at(self._scoreboard.board, number, now=self._clock())
        self._scoreboard.publish_practice(number)

    def append(
        self,
        number: int,
        event: PracticeEvent,
        expected: int | None = None,
        key: str | None = None,
    ) -> PracticeState:
        """The state after an event, which is published. Raises the errors of
        ``PracticeStore.append``.
        """
        now = self._clock()
        state = self._store.append(number, event, now=now, expected=expected, key=key)
        if state.is_ended and number == self.number:
            self._store.stop_counting_at(self._scoreboard.board)
        self._scoreboard.publish_practice(number)
        return state

    def record(self, event: Event, shot_key: str | None) -> str | None:
        """Enter the referee's observation into the practice; returns a sentence if that is
        impossible.
        """
        try:
            number = self.number
            if number is None or not isinstance(event, ShotEvent):
                return None
            held = self._store.get(number)
            if held is None or held.state.is_over:
                return None
            shot = read_practice_shot(event, held.state.setup.drill, shot_key)
            if shot is None:
                return _NO_TARGET
            self.append(number, shot)
        except (PracticeError, StoreError) as error:
            return Phrase("Not added to the practice session: %(error)s", error=error)
        return None

    def _leave_to_match(self, event: Published) -> None:
        """Leave the camera's shots to a match that begins."""
        match event:
            case {"type": "match", "match": {"type": MatchStarted.type}}:
                try:
                    self._store.stop_counting_at(self._scoreboard.board)
                except StoreError as error:
                    LOG.warning("practice still counting", extra={"what": str(error)})
