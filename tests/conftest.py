"""What all tests share: the same examples on every run, matrices worked on as users work, and a
data folder of their own, so that none writes into the user's.
"""

import gc
import os
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

#: Objects from one search for garbage to the next: tests make many, and hold few for long.
_COLLECTED_AFTER = 10_000

# Modules and tests are made by the ten thousand now, and all of them stay: there is no garbage.
gc.disable()
# Tests are spread over the cores themselves: OpenCV, which is not loaded yet, leaves them alone.
os.environ.setdefault("OPENCV_FOR_THREADS_NUM", "1")
# No limit on time: what a busy machine takes says nothing of what is tested.
settings.register_profile(
    "repeatable",
    derandomize=True,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("repeatable")


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """One more than there are cores: many tests wait for a browser or a process.

    A worker costs about 4 s of processor time before its first test: it loads everything.
    """
    return (os.cpu_count() or 1) + 1


def pytest_collection_finish() -> None:
    """What was loaded so far stays: no garbage collection looks through it again."""
    gc.freeze()
    gc.set_threshold(_COLLECTED_AFTER)
    gc.enable()


class CompiledTemplates(BytecodeCache):
    """Templates as they were compiled for the first server of this process."""

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
