"""Statements of the shipped code by room, with the rooms' budgets; ``make size`` prints them.

A statement is an ``ast.stmt`` that is neither an import nor a docstring, so that no formatting
counts. A room is a folder right below a floor, and a floor's own files are a room too. Budgets are
stored in ``budget.json``: a room may be smaller than its budget, never larger. Raising a budget
takes a line in ARCHITECTURE.md that says what a user gets for it.
"""

from __future__ import annotations

import ast
import json
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).parents[2]
SHIPPED_FLOORS = ("calibration", "vision", "scorer", "webapp")
BUDGET_FILE = Path(__file__).with_name("budget.json")


def count_statements(source: str) -> int:
    """Number of statements in a module's source, without imports and docstrings."""
    return sum(
        isinstance(node, ast.stmt)
        and not isinstance(node, (ast.Import, ast.ImportFrom))
        and not (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant))
        for node in ast.walk(ast.parse(source))
    )


def count_by_room(root: Path = ROOT) -> dict[str, int]:
    """Statements of each room that is shipped, the largest first."""
    rooms: Counter[str] = Counter()
    for floor in SHIPPED_FLOORS:
        for path in (root / floor).rglob("*.py"):
            parts = path.relative_to(root).parts
            room = "/".join(parts[:2]) if len(parts) > 2 else floor
            rooms[room] += count_statements(path.read_text(encoding="utf-8"))
    return dict(rooms.most_common())


def main() -> None:
    """Print the table, and write the sizes as the new budget if ``--set`` is given."""
    import sys

    rooms = count_by_room()
    if "--set" in sys.argv[1:]:
        BUDGET_FILE.write_text(json.dumps(rooms, indent=2, sort_keys=True) + "\n", encoding="utf-8")
    budget = json.loads(BUDGET_FILE.read_text(encoding="utf-8"))
    print(f"{'room':28}{'statements':>12}{'budget':>10}")
    for room, count in rooms.items():
        print(f"{room:28}{count:12,}{budget.get(room, 0):10,}")
    print(f"{'all that is shipped':28}{sum(rooms.values()):12,}{sum(budget.values()):10,}")


if __name__ == "__main__":
    main()
