"""The rules of a board's referee: those of its match, or the default ones without a match."""

from __future__ import annotations

from scorer.match.fold import fold
from scorer.rules.sets import RuleSet, rule_set
from scorer.store import Store


def find_rules(store: Store, board: int, usual: str) -> RuleSet:
    """The rules of the match played at a board, or the ``usual`` set."""
    newest = store.read_newest(board)
    state = None if newest is None else fold(newest[1])
    return rule_set(usual) if state is None or state.is_over else state.setup.rules
