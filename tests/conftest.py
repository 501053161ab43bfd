"""What all tests share: the same examples on every run, matrices worked on as users work, and a
data folder of their own, so that none writes into the user's.
"""

import os
from collections.abc import Iterator

import pytest
from hypothesis import settings

import webapp  # noqa: F401  it settles threads, before numpy is loaded
from webapp.data_folder import VARIABLE

settings.register_profile("repeatable", derandomize=True, deadline=None)
settings.load_profile("repeatable")


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """One more than there are cores: a third of the time, tests wait for a browser or a process."""
    return (os.cpu_count() or 1) + 1


@pytest.fixture(scope="session", autouse=True)
def _own_data_folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(VARIABLE, str(tmp_path_factory.mktemp("data")))
        yield
