"""The lock files name one suitable version of every installed package, with its hashes."""

from __future__ import annotations

import re
import subprocess
import tomllib
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, requires

import pytest
from locks import (
    LOCKED_EXTRAS,
    LockedPackage,
    list_differences,
    list_requirements,
    lock_path,
    parse_lock,
    read_lock,
)
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from paths import ROOT

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
MAKEFILE = (ROOT / "Makefile").read_text(encoding="utf-8")
SECTIONS = ("", *LOCKED_EXTRAS, "uv")
PYTHONS = ("3.11", "3.12", "3.13")
PLATFORMS = {
    "linux": {"sys_platform": "linux", "platform_system": "Linux", "os_name": "posix"},
    "macos": {"sys_platform": "darwin", "platform_system": "Darwin", "os_name": "posix"},
    "windows": {"sys_platform": "win32", "platform_system": "Windows", "os_name": "nt"},
}
HASH = "--hash=sha256:" + 64 * "0"


def list_needed(lines: list[str], environment: dict[str, str]) -> Iterator[Requirement]:
    """The packages that some requirements need in an environment, directly or indirectly; the needs
    of packages that are not installed are unknown.
    """
    known, waiting = set[str](), [Requirement(line) for line in lines]
    while waiting:
        needed = waiting.pop()
        if str(needed) in known:
            continue
        known.add(str(needed))
        yield needed
        try:
            behind = map(Requirement, requires(needed.name) or [])
        except PackageNotFoundError:
            continue
        waiting += [package for package in behind if is_needed(package, needed.extras, environment)]


def is_needed(needed: Requirement, extras: set[str], environment: dict[str, str]) -> bool:
    """Whether a package needs another, given the extras with which it is required."""
    if needed.marker is None:
        return True
    return any(needed.marker.evaluate(environment | {"extra": name}) for name in ("", *extras))


@pytest.mark.parametrize("platform", PLATFORMS)
@pytest.mark.parametrize("python", PYTHONS)
@pytest.mark.parametrize("section", SECTIONS)
def test_lock_holds_all_that_is_needed(section: str, python: str, platform: str) -> None:
    environment = PLATFORMS[platform] | {
        "python_version": python,
        "python_full_version": f"{python}.0",
    }
    packages = [*(read_lock("") if section != "uv" else []), *(read_lock(section))]
    locked = {package.name: package.version for package in packages if package.applies(environment)}
    for needed in list_needed(list_requirements()[section], environment):
        if needed.marker is None or is_needed(needed, set(), environment):
            version = locked[canonicalize_name(needed.name)]
            assert needed.specifier.contains(version), f"{needed} is not {version}"


@pytest.mark.parametrize("section", SECTIONS)
def test_every_locked_package_has_hashes_and_no_file_names_a_host(section: str) -> None:
    assert [package.name for package in read_lock(section) if not package.hashes] == []
    assert "://" not in lock_path(section).read_text(encoding="utf-8")
    assert "index" not in lock_path(section).read_text(encoding="utf-8")


def test_lock_files_agree_on_every_version() -> None:
    versions: dict[str, set[str]] = {}
    for section in SECTIONS:
        for package in read_lock(section):
            versions.setdefault(package.name, set()).add(package.version)
    assert {name: version for name, version in versions.items() if len(version) > 1} == {}


def test_what_the_program_needs_is_locked_without_what_tests_need() -> None:
    names = {package.name for package in read_lock("")}
    assert {"numpy", "setuptools"} <= names
    assert not names & {"pytest", "hypothesis", "mypy", "ruff", "playwright"}


def test_everything_is_installed_by_hash_but_the_project_and_what_is_tried() -> None:
    latest = MAKEFILE[MAKEFILE.index("\nlatest:") : MAKEFILE.index("\n# Which of the locked")]
    commands = re.findall(r"^\s*(?:-?\$\((?:UV|PIP)\)|.*\bpip install\b).*$", MAKEFILE, re.M)
    definitions = [line for line in commands if re.match(r"(UV|PIP) :=", line)]
    others = [line for line in commands if line not in definitions and line not in latest]
    assert len(definitions) == 2
    assert len(others) >= 3
    for line in others:
        for command in line.split("||"):
            assert "--require-hashes" in command or "--no-deps --no-build-isolation" in command


@pytest.mark.parametrize("target", ["hall", "kills DB=postgresql"])
def test_a_target_with_a_database_server_installs_its_driver(target: str) -> None:
    done = subprocess.run(
        ["make", "--dry-run", *target.split()], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert "-r requirements-postgres.lock" in done.stdout


@pytest.mark.parametrize("line", ["numpy>=2", "numpy", "numpy==2,<3", "numpy==1.*,==1.2"])
def test_a_lock_without_one_version_is_refused(line: str) -> None:
    with pytest.raises(ValueError, match="is not one version"):
        parse_lock(f"{line} {HASH}\n")


def test_lock_is_read_with_markers_and_hashes_over_several_lines() -> None:
    text = (
        f"# by make lock\nColorama==0.4.6 ; sys_platform == 'win32' \\\n    {HASH} \\\n    {HASH}\n"
    )
    (package,) = parse_lock(text)
    assert (package.name, package.version) == ("colorama", "0.4.6")
    assert package.hashes == ("sha256:" + 64 * "0",) * 2
    assert package.applies({"sys_platform": "win32"})
    assert not package.applies({"sys_platform": "linux"})


def test_differences_name_every_package_of_another_version() -> None:
    def lock(name: str) -> LockedPackage:
        return LockedPackage(name=name, version="1.0", marker=None, hashes=())

    installed = {"newer": "1.1", "same": "1.0", "unlocked": "3"}
    assert list_differences(map(lock, ("newer", "same", "absent")), installed) == [
        "newer: 1.1, and the lock says 1.0"
    ]


def test_matrix_workflow_and_readme_name_the_versions_of_the_project() -> None:
    named = re.findall(r":: Python :: (3\.\d+)$", "\n".join(PROJECT["classifiers"]), re.MULTILINE)
    (matrix,) = re.findall(r"for version in (.+); do", MAKEFILE)
    assert matrix.split() == named == list(PYTHONS)
    workflow = (ROOT / ".github" / "workflows" / "tests.yml").read_text(encoding="utf-8")
    (in_workflow,) = re.findall(r"python: \[(.+)\]", workflow)
    assert in_workflow == ", ".join(f'"{version}"' for version in named)
    assert PROJECT["requires-python"] == f">={named[0]}"
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert f"Python {', '.join(named[:-1])} or {named[-1]}" in readme


def test_the_checks_before_a_commit_see_the_folders_of_the_gate() -> None:
    hooks = (ROOT / ".pre-commit-config.yaml").read_text(encoding="utf-8")
    (folders,) = re.findall(r"&sources \^\((.+)\)/", hooks)
    (sources,) = re.findall(r"^SOURCES := (.+)$", MAKEFILE, re.MULTILINE)
    assert folders.split("|") == sources.split()
