"""The demo: a match as the sample clip's, and a referee that watches the clip.

Who plays (colours, discs, who begins) is told by the file beside the clip; what happens is seen.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from calibration.trouble import Trouble
from scorer.match.events import MatchStarted, RoundStarted
from scorer.match.fold import fold
from scorer.rules.choices import Format
from scorer.rules.sets import rule_set
from webapp.cli.match_report import state_lines
from webapp.live.live_state import Status
from webapp.live.referee_process import RefereeTask
from webapp.sample_clips import DEMO_CLIP, list_clips
from webapp.server import RunningServer
from webapp.services import Services, services_of

#: Looked for this often: whether somebody watches already, and whether the round is over.
_POLL_S = 0.1


@dataclass(frozen=True, slots=True, kw_only=True)
class Demo:
    """A demo that runs, and the number of its match."""

    services: Services
    match: int

    def wait(self) -> str | None:
        """Wait until nobody watches the clip any more; why not to its end, None where it was."""
        over = (str(Status.ENDED), str(Status.FAILED))
        while (referee := self.services.scoreboard.state["referee"])["status"] not in over:
            threading.Event().wait(_POLL_S)
        reason: str | None = referee["reason"] if referee["status"] == str(Status.FAILED) else None
        return reason

    def describe_score(self) -> Iterator[str]:
        """How the match stands, a line each."""
        return state_lines(fold(self.services.store.log(self.match)))


def begin_demo(running: RunningServer, *, wait_s: float = 0.0, is_fast: bool = False) -> Demo:
    """Begin the match and watch the clip, once somebody looks or the wait is over."""
    clip = list_clips().get(DEMO_CLIP)
    if clip is None:
        raise Trouble("The sample clip did not come along; install crokinole-referee again.")
    services = services_of(running.app)
    setup = _read_match_setup(clip)
    number = services.scoreboard.begin(setup)
    services.scoreboard.append(number, RoundStarted())
    task = RefereeTask(source=str(clip), rules=rule_set(setup.rules), realtime=not is_fast)

    def begin() -> None:
        waited_s = 0.0
        while waited_s < wait_s and not services.broker.listeners:
            threading.Event().wait(_POLL_S)
            waited_s += _POLL_S
        services.supervisor.start(task)

    threading.Thread(target=begin, name="demo", daemon=True).start()
    return Demo(services=services, match=number)


def _read_match_setup(clip: Path) -> MatchStarted:
    """The clip's match: whoever begins sits first, and both have as many discs as in the clip."""
    truth = json.loads(clip.with_suffix(".json").read_text(encoding="utf-8"))
    first = truth["first_player"]
    order = [first, *(each for each in truth["colours"] if each != first)]
    colours = tuple(truth["colours"][each] for each in order)
    return MatchStarted(
        rules=truth["rules"],
        format=Format.TWO,
        players=tuple(each.capitalize() for each in colours),
        options=(("discs_singles", truth["discs_per_side"]),),
        colours=colours,
    )
