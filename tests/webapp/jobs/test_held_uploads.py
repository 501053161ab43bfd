"""Files that people sent are dropped once they have not been used for some hours."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from webapp.jobs import held_uploads
from webapp.jobs.held_uploads import HeldUpload, HeldUploads
from webapp.jobs.worker import Task, Worker


def test_a_file_that_nobody_asks_for_is_dropped_and_one_that_is_looked_at_stays(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(held_uploads, "SWEEP_S", 0.02)
    uploads = HeldUploads(Worker(), HeldUpload, most=4, kept_s=0.5)

    def submit(_upload: Path, _folder: Path) -> Task:
        return Task(job=print, arguments=(), is_done=True)

    left, looked_at = (uploads.hold(b"x", "a.jpg", submit) for _ in range(2))
    until_s = time.monotonic() + 20.0
    while left.folder.exists() and time.monotonic() < until_s:
        assert uploads.get(looked_at.key) is looked_at
        time.sleep(0.02)
    assert not left.folder.exists()
    assert uploads.get(left.key) is None
    assert (looked_at.folder / "upload").read_bytes() == b"x"
    uploads.close()
    assert not looked_at.folder.exists()
