"""Workers that a server starts here end with it, however it ends."""

from __future__ import annotations

import subprocess
import sys

_INTERRUPTED = """
import sys
from webapp.live.workers.local_workers import LocalWorkers

local = LocalWorkers(1, [])
local._command = [sys.executable, "-c", "import time; time.sleep(60)"]
local.start()
raise KeyboardInterrupt  # before anybody could call close
"""


def test_a_server_that_is_stopped_while_it_starts_leaves_no_workers() -> None:
    done = subprocess.run(
        [sys.executable, "-c", _INTERRUPTED],
        capture_output=True,
        text=True,
        timeout=30,
        check=False,
    )
    assert done.returncode != 0
    assert "worker ended" not in done.stderr
