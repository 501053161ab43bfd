"""One board while a server runs: its state, its spectators, and its referee."""

from __future__ import annotations

from dataclasses import dataclass

from calibration.phrase import Phrase
from scorer.match.events import MatchError
from webapp.http.event_broker import EventBroker
from webapp.live.live_state import Status
from webapp.live.match_recorder import MatchRecorder
from webapp.live.practice_recorder import PracticeRecorder
from webapp.live.scoreboard import Scoreboard
from webapp.live.supervisor import RefereeSupervisor


@dataclass(frozen=True, slots=True, kw_only=True)
class LiveBoard:
    """The parts of one board; ``broker`` publishes the state of ``scoreboard``."""

    number: int
    broker: EventBroker
    scoreboard: Scoreboard
    recorder: MatchRecorder
    practice: PracticeRecorder
    supervisor: RefereeSupervisor

    def resume(self) -> None:
        """Continue with the last source. Raises ``MatchError`` if none was chosen."""
        task = self.supervisor.task
        if task is None:
            raise MatchError(Phrase("First choose a camera or video for the referee."))
        self.supervisor.start(task)

    def stop_watching(self, status: Status) -> None:
        """Stop watching; the referee then has this status."""
        self.supervisor.stop()
        self.recorder.on_stop(status)

    def close(self) -> None:
        """Disconnect its listeners, and end its referee."""
        self.broker.close()
        self.supervisor.close()
