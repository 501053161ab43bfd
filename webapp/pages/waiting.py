"""The status for somebody who waits for a job: its place in the queue or its stage."""

from __future__ import annotations

from webapp.jobs.held_uploads import Held, HeldUploads


def describe_progress(uploads: HeldUploads[Held], held: Held) -> str:
    """What is being done with it now, or how many jobs come first while it has not begun."""
    if held.task.is_started:
        return held.task.progress.capitalize() or "Getting ready"
    before = uploads.waiting(held)
    return f"{before} ahead in the queue" if before else "Next in the queue"
