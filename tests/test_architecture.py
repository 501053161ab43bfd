"""ARCHITECTURE.md names files that exist, in rooms that a newcomer can grasp at a glance."""

from __future__ import annotations

import ast
import re
from collections import Counter
from functools import cache
from pathlib import Path

import pytest
from paths import ROOT

TEXT = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
FLOORS = ("calibration", "vision", "scorer", "webapp", "sample_images")
SOURCES = [path for floor in FLOORS for path in sorted((ROOT / floor).rglob("*.py"))]
#: Steps of the figures name files in lists: one whole path, then files of the same folder.
STEP = re.compile(r'\["[^"]*<br>([^"]+)"\]')


def _named_files() -> list[str]:
    """Every path in the figures, in full, and every path in the tables and sentences."""
    named = []
    for step in STEP.findall(TEXT):
        folder = ""
        for word in step.split(" · "):
            folder = word.rpartition("/")[0] if word.split("/")[0] in FLOORS else folder
            named.append(word if word.split("/")[0] in FLOORS else f"{folder}/{word}")
    prose = re.findall(r"`((?:{})/[\w/.]*)`".format("|".join(FLOORS)), TEXT)
    return sorted({*named, *prose})


@pytest.mark.parametrize("name", _named_files())
def test_a_named_file_exists(name: str) -> None:
    assert (ROOT / name).exists()


def test_both_figures_name_the_file_of_every_step() -> None:
    figures = TEXT.split("```mermaid")[1:]
    assert [len(STEP.findall(figure.split("```")[0])) >= 12 for figure in figures] == [True, True]


@cache
def _parse(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def test_no_class_name_occurs_twice() -> None:
    names = Counter(
        node.name
        for path in SOURCES
        for node in _parse(path).body
        if isinstance(node, ast.ClassDef)
    )
    assert [name for name, count in names.items() if count > 1] == []
