"""The referee's task, as the server has it: what is watched, by which rules, on which board.

It judges by the rules of the match at hand, and by the server's while there is none.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from scorer.match.fold import fold
from scorer.rules.sets import RuleSet, rule_set
from webapp.boards.live_board import LiveBoard
from webapp.runtime.referee_process import RefereeTask
from webapp.services import Services


def make_task(
    parts: Services, board: LiveBoard, source: str | None, profile: Path | None = None
) -> RefereeTask:
    """The task of watching a source, or a phone's frames where none is named."""
    own = profile or parts.config.profile
    return RefereeTask(source=source, rules=current_rules(parts, board), profile=own)


def apply_match_rules(parts: Services, board: LiveBoard) -> None:
    """Restart a board's live referee by the rules of a match that began there meanwhile."""
    task, rules = board.supervisor.task, current_rules(parts, board)
    if task is not None and board.supervisor.is_running and task.is_live and task.rules != rules:
        board.supervisor.start(replace(task, rules=rules))


def current_rules(parts: Services, board: LiveBoard) -> RuleSet:
    """The rules of the board's match, or the server's."""
    match_id = board.scoreboard.match_id()
    state = None if match_id is None else fold(parts.store.log(match_id))
    if state is None or state.is_over:
        return rule_set(parts.config.rules)
    return state.setup.rules
