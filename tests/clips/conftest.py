"""Shared by tests of whole clips: a picture's board is searched for once."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from kept_boards import keep_boards


@pytest.fixture(scope="module", autouse=True)
def _boards_searched_once() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        keep_boards(patch)
        yield
