"""The referee's task on the server: its source, its rules, its board.

It judges by the rules of the current match, and by the server's without one.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from calibration.phrase import Phrase
from scorer.match.events import MatchError
from scorer.rules.sets import RuleSet
from webapp.live.board_rules import find_rules
from webapp.live.live_board import LiveBoard
from webapp.live.referee_process import RefereeTask
from webapp.live.workers.camera_worker import MOST_CAMERAS
from webapp.services import Services


def make_task(
    parts: Services,
    board: LiveBoard,
    source: str | None,
    profile: Path | None = None,
    beside: str | None = None,
) -> RefereeTask:
    """The task of watching a source, or a phone's frames if none is named, and a second camera
    ``beside`` it if there is one.

    Raises ``MatchError`` if this server already referees as many boards as its computer can.
    """
    others = [live_board for live_board in parts.boards.all() if live_board.number != board.number]
    running = sum(other.supervisor.is_running for other in others)
    if parts.config.workers is None and running >= MOST_CAMERAS:
        raise MatchError(
            Phrase(
                "This computer is already refereeing %(running)s boards. To add "
                "more, start the server with --workers.",
                running=running,
            )
        )
    own = profile or parts.config.profile
    rules = current_rules(parts, board)
    return RefereeTask(source=source, rules=rules, profile=own, beside=beside)


def apply_match_rules(parts: Services, board: LiveBoard) -> None:
    """Restart a board's live referee with the rules of a match that has since begun there."""
    task, rules = board.supervisor.task, current_rules(parts, board)
    if task is not None and board.supervisor.is_running and task.is_live and task.rules != rules:
        board.supervisor.start(replace(task, rules=rules))


def current_rules(parts: Services, board: LiveBoard) -> RuleSet:
    """The rules of the board's match, or the server's."""
    return find_rules(parts.store, board.number, parts.config.rules)
