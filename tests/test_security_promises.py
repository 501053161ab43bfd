"""Every promise of SECURITY.md names the tests that check it, and these exist."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PROMISES = (ROOT / "SECURITY.md").read_text("utf-8").partition("## What the program promises")[2]
PROMISES = PROMISES.partition("## What it does not promise")[0]
NAMED = sorted(set(re.findall(r"`(tests/[^`]+)`", PROMISES)))


def test_every_promise_names_a_test() -> None:
    promises = [" ".join(text.split()) for text in re.split(r"\n- ", PROMISES)[1:]]
    assert len(promises) >= 10
    assert [promise[:60] for promise in promises if "test" not in promise] == []


@pytest.mark.parametrize("path", NAMED)
def test_a_named_test_is_there(path: str) -> None:
    found = ROOT / path
    files = [found] if found.is_file() else sorted(found.rglob("test_*.py"))
    assert any("def test_" in file.read_text("utf-8") for file in files)
