"""``crokinole bench``: accuracy and speed on pictures, clips, shots and event streams.

The benches are next to the tests and are not installed; outside a copy of the repository, the
command prints a note.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from calibration.user_error import Trouble

_BENCHES_FOLDER = Path(__file__).parents[3] / "tests"
_NOT_INSTALLED = (
    "`bench` is not installed with the program. Run `make bench` in a copy of the repository, "
    "where `.venv/bin/crokinole bench` then works too."
)


def run_bench(**options: Any) -> list[str]:
    """Measure the requested stages; returns the errors, one sentence each.

    Raises ``ParameterError`` for a parameter that does not exist.
    """
    if not (_BENCHES_FOLDER / "bench").is_dir():
        raise Trouble(_NOT_INSTALLED)
    sys.path.insert(0, str(_BENCHES_FOLDER))
    from bench.dispatch import dispatch

    return dispatch(**options)
