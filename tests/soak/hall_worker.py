"""A worker like ``crokinole worker``, whose cameras film boards of ``hall_camera``."""

from __future__ import annotations

import signal
import sys
from pathlib import Path

from hall_camera import film_table


def main(url: str, folder: str, name: str, most: int) -> None:
    """Work until a signal."""
    from scorer.store import Store
    from webapp.live.clip_store import ClipStore
    from webapp.live.workers.camera_worker import CameraWorker

    with Store(url, announces=True) as store:
        shots = ClipStore(Path(folder))
        worker = CameraWorker(store, shots, name, rules="cogitate", most=most, work=film_table)
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, lambda *_: worker.stop())
        worker.run()
        shots.close()


if __name__ == "__main__":
    main(*sys.argv[1:4], int(sys.argv[4]))
