"""Waiting for an upload: its place in the queue or its stage, and its cancellation."""

from __future__ import annotations

from flask import redirect, url_for
from flask.typing import ResponseReturnValue

from calibration.phrase import Phrase
from webapp.jobs.held_uploads import Held, HeldUpload, HeldUploads
from webapp.pages.form_errors import show_note


def describe_progress(held: HeldUpload) -> str:
    """Its current stage, or the number of jobs before it."""
    if held.task.is_started:
        return Phrase("%(stage)S", stage=held.task.progress or Phrase("Getting ready"))
    before = held.worker.place(held.task)
    return (
        Phrase("%(before)s ahead of you in the queue", before=before)
        if before
        else Phrase("Next in the queue")
    )


def report_progress(uploads: HeldUploads[Held], key: str) -> dict[str, object]:
    """JSON: whether it is done, and its stage."""
    held = uploads.get(key)
    if held is None:
        return {"is_done": True, "words": ""}  # the page then reports that it no longer exists
    return {"is_done": held.task.is_done, "words": describe_progress(held)}


def cancel_upload(uploads: HeldUploads[Held], key: str) -> ResponseReturnValue:
    """Cancel an upload, before, during or after reading; only its sender has the key."""
    held = uploads.get(key)
    if held is not None:
        uploads.cancel(held)
        show_note(Phrase("Cancelled. Nothing was saved."), "done")
    return redirect(url_for("snapshot.choose"), 303)
