"""The status for somebody who waits for a job: its place in the queue or its stage."""

from __future__ import annotations

from webapp.jobs.worker import Task


def describe_progress(task: Task | None, before: int) -> str:
    """The current stage; ``before`` is the number of jobs before it while it has not begun."""
    if task is not None and task.is_started:
        return task.progress.capitalize() or "Getting ready"
    if before:
        return f"{before} ahead in the queue"
    return "Getting ready" if task is None else "Next in the queue"
