"""``crokinole worker``: referees cameras of a server's boards, on this computer or another."""

from __future__ import annotations

import os
import socket
from pathlib import Path

from scorer.store import Store
from webapp.cli.console import warn
from webapp.cli.kept_data import data_folder_of
from webapp.end_signals import at_end_signal
from webapp.http.logs import log_to_stderr
from webapp.live.clip_store import ClipStore
from webapp.live.workers.camera_worker import CameraWorker


def work(db: str | None, data: Path | None, name: str | None, most: int, rules: str) -> None:
    """Referee cameras until a signal ends it."""
    log_to_stderr()
    name = name or f"{socket.gethostname()}-{os.getpid()}"
    kept = data_folder_of(db, data)
    with Store(kept.database, announces=True) as store:
        shots = ClipStore(kept.shots)
        worker = CameraWorker(store, shots, name, rules=rules, most=most)
        warn(f"Worker {name} is waiting for cameras. Press Ctrl+C to stop.")
        with at_end_signal(lambda *_: worker.stop()):
            worker.run()
        shots.close()
