"""The state of a practice, computed from its log."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from calibration.phrase import Phrase
from scorer.practice.events import (
    PracticeEnded,
    PracticeError,
    PracticeEvent,
    PracticeShot,
    PracticeShotUndone,
    PracticeStarted,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class PracticeState:
    """State of a practice: its setup, the shots that count, and whether it was ended early."""

    setup: PracticeStarted
    shots: tuple[PracticeShot, ...] = ()
    is_ended: bool = False

    @property
    def is_whole(self) -> bool:
        """Whether all its shots were taken."""
        return len(self.shots) >= self.setup.shots

    @property
    def is_over(self) -> bool:
        """Whether no further shot counts."""
        return self.is_ended or self.is_whole

    @property
    def successes(self) -> int:
        """The number of successful shots."""
        return sum(self.setup.drill.is_success(shot.outcome) for shot in self.shots)


def fold_practice(log: Sequence[PracticeEvent]) -> PracticeState:
    """The state after a log. Raises ``PracticeError`` for an impossible event."""
    if not log or not isinstance(log[0], PracticeStarted):
        raise PracticeError(Phrase("A practice session needs a player and a drill."))
    state = PracticeState(setup=log[0])
    for event in log[1:]:
        state = _apply_event(state, event)
    return state


def _apply_event(state: PracticeState, event: PracticeEvent) -> PracticeState:
    match event:
        case PracticeStarted():
            raise PracticeError(Phrase("The practice session has already started."))
        case PracticeShotUndone():
            if not state.shots or state.is_ended:
                raise PracticeError(Phrase("There is no shot to undo."))
            return replace(state, shots=state.shots[:-1])
        case PracticeEnded():
            if state.is_over:
                raise PracticeError(Phrase("This practice session is already over."))
            return replace(state, is_ended=True)
        case PracticeShot():
            return _add_shot(state, event)


def _add_shot(state: PracticeState, shot: PracticeShot) -> PracticeState:
    if state.is_over:
        raise PracticeError(Phrase("This practice session is over. Start another."))
    if shot.outcome not in state.setup.drill.outcomes:
        raise PracticeError(
            Phrase("“%(outcome)s” is not a possible result in this drill.", outcome=shot.outcome)
        )
    if (shot.right_mm is None) != (shot.beyond_mm is None):
        raise PracticeError(
            Phrase("Enter both distances for a disc: to the right of the hole, and beyond it.")
        )
    return replace(state, shots=(*state.shots, shot))
