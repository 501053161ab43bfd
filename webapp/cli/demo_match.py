"""The demo: the sample round starts once a browser opens the page, and its score is reported."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import dataclass

from scorer.match.fold import fold
from webapp.cli.match_report import state_lines
from webapp.jobs.demo_round import begin_sample_match
from webapp.live.live_state import Status
from webapp.server import RunningServer
from webapp.services import Services, services_of

#: Interval at which the demo checks for viewers and for the end of the round.
_POLL_S = 0.1


@dataclass(frozen=True, slots=True, kw_only=True)
class Demo:
    """A running demo, and the number of its match."""

    services: Services
    match: int

    def wait(self) -> str | None:
        """Wait until the clip is no longer watched; returns why it did not reach its end, None if
        it did.
        """
        over = (Status.ENDED, Status.FAILED)
        while (referee := self.services.scoreboard.state.referee).status not in over:
            threading.Event().wait(_POLL_S)
        return referee.reason if referee.status is Status.FAILED else None

    def describe_score(self) -> Iterator[str]:
        """The state of the match, one line each."""
        return state_lines(fold(self.services.store.log(self.match)))


def begin_demo(running: RunningServer, *, wait_s: float = 0.0, is_fast: bool = False) -> Demo:
    """Start the match, and watch the clip once a browser opens the page or the waiting time is
    over.
    """
    services = services_of(running.app)
    number, task = begin_sample_match(services, is_fast=is_fast)

    def begin() -> None:
        waited_s = 0.0
        while waited_s < wait_s and not services.boards.first().broker.listeners:
            threading.Event().wait(_POLL_S)
            waited_s += _POLL_S
        services.supervisor.start(task)

    threading.Thread(target=begin, name="demo", daemon=True).start()
    return Demo(services=services, match=number)
