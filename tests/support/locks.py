"""Lock files: versions and hashes of all installed packages, for every Python and platform at once.

``requirements.lock`` has the packages that the program needs, and those that build it;
``requirements-NAME.lock`` has the additional ones of the extra NAME, and ``requirements-uv.lock``
the installer. uv resolves all of them together, so no two files name different versions. ``python
tests/support/locks.py write`` rewrites them with the newest allowed versions; ``differences``
prints where the installed versions differ from them, and exits with 1 if any does.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import distributions
from pathlib import Path

from packaging.markers import Marker
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from paths import ROOT

#: The extras that a Makefile target or the container installs.
LOCKED_EXTRAS = ("dev", "docs", "postgres")
_OLDEST_PYTHON = "3.11"
_HEADER = "# Written by `make lock`: versions and hashes for every Python and platform at once.\n"
_HASH = re.compile(r"--hash=(sha256:[0-9a-f]{64})")


@dataclass(frozen=True, slots=True, kw_only=True)
class LockedPackage:
    """A version of a package; ``marker`` restricts it to some Pythons and platforms, None for
    all.
    """

    name: str
    version: str
    marker: Marker | None
    hashes: tuple[str, ...]

    def applies(self, environment: Mapping[str, str] | None = None) -> bool:
        """Whether it is installed in an environment with these markers, by default the current
        one.
        """
        return self.marker is None or self.marker.evaluate(dict(environment or {}))


def lock_path(section: str) -> Path:
    """The lock file of an extra, of ``uv``, or of the program ("")."""
    return ROOT / (f"requirements-{section}.lock" if section else "requirements.lock")


def read_lock(section: str) -> list[LockedPackage]:
    """The packages of a lock file, in its order."""
    return parse_lock(lock_path(section).read_text(encoding="utf-8"))


def parse_lock(text: str) -> list[LockedPackage]:
    """The packages in a lock file's text. Raises ``ValueError`` for a package without exactly one
    version.
    """
    whole_lines = text.replace("\\\n", " ").splitlines()
    return [_parse_package(line) for line in whole_lines if line and not line.startswith("#")]


def _parse_package(line: str) -> LockedPackage:
    needed = Requirement(line.split("--hash")[0].strip())
    pins = [pin.version for pin in needed.specifier if pin.operator == "=="]
    if len(needed.specifier) != 1 or len(pins) != 1:
        raise ValueError(f"{line.split()[0]} is not one version.")
    return LockedPackage(
        name=canonicalize_name(needed.name),
        version=pins[0],
        marker=needed.marker,
        hashes=tuple(_HASH.findall(line)),
    )


def list_requirements() -> dict[str, list[str]]:
    """The project's requirements, by lock file."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    extras = project["project"]["optional-dependencies"]
    return {
        "": [*project["project"]["dependencies"], *project["build-system"]["requires"]],
        **{name: extras[name] for name in LOCKED_EXTRAS},
        "uv": ["uv"],
    }


def write_locks() -> None:
    """Rewrite every lock file with the newest versions that the project allows."""
    sections = list_requirements()
    versions = _resolve([line for lines in sections.values() for line in lines])
    program: set[str] = set()
    for section, lines in sections.items():
        packages = _resolve(lines, "--generate-hashes", constraints="".join(versions))
        own = [package for package in packages if package not in program]
        lock_path(section).write_text(_HEADER + "".join(own), encoding="utf-8")
        program |= set() if section else set(packages)


def _resolve(requirements: Iterable[str], *options: str, constraints: str = "") -> list[str]:
    """The lines of a lock file for some requirements; the lines of a package stay together."""
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as file:
        file.write(constraints)
        file.flush()
        done = subprocess.run(
            [
                str(Path(sys.executable).with_name("uv")),
                *("pip", "compile", "-", "--quiet", "--system-certs", "--universal"),
                *("--no-header", "--no-annotate", "--fork-strategy", "fewest"),
                *("--python-version", _OLDEST_PYTHON, "--constraints", file.name, *options),
            ],
            input="\n".join(requirements),
            stdout=subprocess.PIPE,
            text=True,
            check=True,
        )
    return re.findall(r"^\S.*\n(?:\s.*\n)*", done.stdout, re.MULTILINE)


def list_differences(locked: Iterable[LockedPackage], installed: Mapping[str, str]) -> list[str]:
    """A line for every locked package of which another version is installed."""
    return [
        f"{package.name}: {installed[package.name]}, and the lock says {package.version}"
        for package in locked
        if package.applies() and installed.get(package.name, package.version) != package.version
    ]


def list_installed() -> dict[str, str]:
    """The version of every package installed for this Python."""
    return {
        canonicalize_name(distribution.name): distribution.version
        for distribution in distributions()
    }


def main(arguments: Sequence[str]) -> int:
    """Run the command in the module's docstring; returns the exit code."""
    match arguments:
        case ["write"]:
            write_locks()
            return 0
        case ["differences"]:
            locked = [package for name in ("", "dev") for package in read_lock(name)]
            lines = list_differences(locked, list_installed())
            print("\n".join(lines) or "Every version is the lock's.")
            return int(bool(lines))
    print("usage: locks.py write|differences", file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
