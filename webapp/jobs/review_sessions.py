"""Films of shots that people sent for review, while they are in use.

A review takes a minute or two, so films have their own worker, and photos need not wait for them.
Films are large, so only a few are held.
"""

from __future__ import annotations

from dataclasses import dataclass

from calibration.profile import CalibrationProfile
from scorer.rules.sets import RuleSet
from webapp.jobs.held_uploads import HeldUpload, HeldUploads
from webapp.jobs.review_job import ReviewResult, review_upload
from webapp.jobs.worker import Worker

#: Films that are held, and that may wait, and how long one may take.
_MAX_SESSIONS, _MOST_WAITING, _LIMIT_S = 12, 3, 600.0


@dataclass(eq=False, kw_only=True)
class ReviewSession(HeldUpload):
    """One film."""

    @property
    def outcome(self) -> ReviewResult | None:
        """Its result; None while it waits, and if the review failed."""
        result: ReviewResult | None = self.task.result
        return result


class ReviewSessions(HeldUploads[ReviewSession]):
    """The films in use now."""

    def __init__(self) -> None:
        """Nothing is started yet."""
        worker = Worker(limit_s=_LIMIT_S, most_waiting=_MOST_WAITING)
        super().__init__(worker, ReviewSession, most=_MAX_SESSIONS)

    def take(
        self,
        content: bytes,
        name: str,
        rules: RuleSet,
        profile: CalibrationProfile | None,
        sender: str | None = None,
    ) -> ReviewSession:
        """A new film to review. Raises ``BusyError``.

        sender  the address of a spectator who sent it; None for the scorer
        """
        return self.hold(
            content,
            name,
            lambda upload, _: self._worker.submit(
                review_upload, upload, name, rules, profile, sender=sender
            ),
        )

    def wait(self, session: ReviewSession, timeout_s: float) -> bool:
        """Whether it is done, after at most this time."""
        return self._worker.wait(session.task, timeout_s)

    def close(self) -> None:
        """Stop, and delete the held state."""
        self._worker.close()
        super().close()
