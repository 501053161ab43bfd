"""The size of the shipped code is counted in statements, and no room outgrows its budget."""

from __future__ import annotations

import json

import pytest

from tests.size.count_statements import BUDGET_FILE, count_by_room, count_statements


@pytest.mark.parametrize(
    ("source", "statements"),
    [
        ("", 0),
        ('"""A docstring."""\nimport ast\nfrom pathlib import Path\n', 0),
        ("x = (\n    1\n)\n", 1),
        ('def f():\n    """A docstring."""\n    if x:\n        return 1\n    return 2\n', 4),
    ],
    ids=["nothing", "docstring and imports", "one over three lines", "a function's body"],
)
def test_statements_are_counted_whatever_the_format(source: str, statements: int) -> None:
    assert count_statements(source) == statements


def test_no_room_outgrows_its_budget() -> None:
    budget = json.loads(BUDGET_FILE.read_text(encoding="utf-8"))
    over = {room: n for room, n in count_by_room().items() if n > budget.get(room, 0)}
    assert over == {}
