"""Shared by all tests: the same examples on every run, the same matrix settings as for users, and a
separate data folder, so that no test writes into the user's.
"""

import gc
import os
import time
from collections.abc import Iterator
from typing import Any

import pytest
from flask import Flask
from flask.templating import Environment
from hypothesis import HealthCheck, settings
from jinja2 import BytecodeCache
from jinja2.bccache import Bucket

import webapp  # noqa: F401  it settles threads, before numpy is loaded
from webapp.data_folder import VARIABLE

#: Number of objects between garbage collections: tests create many objects and keep few for long.
_COLLECTED_AFTER = 10_000

# Modules and tests create tens of thousands of objects that all stay, so there is no garbage.
gc.disable()
# Tests are spread over the cores, so OpenCV, which is not loaded yet, must use one thread.
os.environ.setdefault("OPENCV_FOR_THREADS_NUM", "1")
# Matches are found by their local days, which must be the same on every computer.
os.environ["TZ"] = "UTC"
time.tzset()
# No time limit: the duration on a busy computer says nothing about the code.
settings.register_profile(
    "repeatable",
    derandomize=True,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("repeatable")


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """One more worker than there are cores, because many tests wait for a browser or a process.

    A worker costs about 4 s of processor time before its first test: it loads everything.
    """
    return (os.cpu_count() or 1) + 1


def pytest_collection_finish() -> None:
    """Exclude everything loaded so far from garbage collection."""
    gc.freeze()
    gc.set_threshold(_COLLECTED_AFTER)
    gc.enable()


class CompiledTemplates(BytecodeCache):
    """Templates, compiled once for all servers of this process."""

    def __init__(self) -> None:
        self._kept: dict[str, bytes] = {}

    def load_bytecode(self, bucket: Bucket) -> None:
        if bucket.key in self._kept:
            bucket.bytecode_from_string(self._kept[bucket.key])

    def dump_bytecode(self, bucket: Bucket) -> None:
        self._kept[bucket.key] = bucket.bytecode_to_string()


@pytest.fixture(scope="session", autouse=True)
def _templates_compiled_once() -> Iterator[None]:
    kept = CompiledTemplates()

    class SharingEnvironment(Environment):
        def __init__(self, app: Flask, **options: Any) -> None:
            super().__init__(app, bytecode_cache=kept, **options)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Flask, "jinja_environment", SharingEnvironment)
        yield


@pytest.fixture(scope="session", autouse=True)
def _own_data_folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(VARIABLE, str(tmp_path_factory.mktemp("data")))
        yield
