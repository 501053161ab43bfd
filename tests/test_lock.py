"""requirements.lock names a fitting version of everything that the program and its tests need."""

from __future__ import annotations

import re
import tomllib

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from paths import ROOT

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def test_the_lock_fits_what_the_project_needs() -> None:
    lines = (ROOT / "requirements.lock").read_text(encoding="utf-8").splitlines()
    locked = dict(line.split("==") for line in lines if not line.startswith("#"))
    needed = [*PROJECT["dependencies"], *PROJECT["optional-dependencies"]["dev"]]
    for each in map(Requirement, needed):
        if each.marker is None or each.marker.evaluate():
            version = locked[canonicalize_name(each.name)]
            assert each.specifier.contains(version), f"{each.name} {version}"
    assert all("://" not in line for line in lines)


def test_the_matrix_and_the_readme_name_the_versions_of_the_project() -> None:
    named = re.findall(r":: Python :: (3\.\d+)$", "\n".join(PROJECT["classifiers"]), re.MULTILINE)
    (matrix,) = re.findall(
        r"for version in (.+); do", (ROOT / "Makefile").read_text(encoding="utf-8")
    )
    assert matrix.split() == named
    assert PROJECT["requires-python"] == f">={named[0]}"
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert f"Python {', '.join(named[:-1])} or {named[-1]}" in readme
