"""Photos that people sent to be scored, while they are in use, with corrections.

The match saves a round (see ``scorer.match.fold``).
"""

from __future__ import annotations

from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from threading import RLock

from calibration.placed_disc import Team
from calibration.profile import CalibrationProfile
from scorer.photo.corrections import Correction, apply_corrections
from scorer.photo.kept_round import KeptRound
from webapp.jobs.held_uploads import HeldUpload, HeldUploads
from webapp.jobs.snapshot_job import SnapshotResult, read_snapshot
from webapp.jobs.worker import Worker

#: Number of photos kept; the one unused for longest is dropped first.
_MAX_SESSIONS = 48


@dataclass(eq=False, kw_only=True)
class SnapshotSession(HeldUpload):
    """One photo.

    corrections  a person's corrections, in order
    kept         the round saved from it; None before
    lock         held while it is corrected or saved
    """

    corrections: list[Correction] = field(default_factory=list)
    kept: KeptRound | None = None
    lock: AbstractContextManager[bool] = field(default_factory=RLock)

    @property
    def seen(self) -> SnapshotResult | None:
        """Its result; None while it waits, and if the reading failed."""
        result: SnapshotResult | None = self.task.result
        return result


class SnapshotSessions(HeldUploads[SnapshotSession]):
    """The photos in use now."""

    def __init__(self, worker: Worker) -> None:
        """Let this worker read them."""
        super().__init__(worker, SnapshotSession, read_snapshot, most=_MAX_SESSIONS)

    def take(
        self,
        content: bytes,
        name: str,
        profile: CalibrationProfile | None,
        sender: str | None = None,
        match: int | None = None,
    ) -> SnapshotSession:
        """A new photo to read. Raises ``BusyError``.

        sender  the address of a spectator who sent it; None for the scorer
        match   the number of its match, if one is being played
        """
        teams = self.find_teams(match)
        return self.read(content, profile, teams, name=name, sender=sender)

    def find_teams(self, match: int | None) -> tuple[Team, ...]:
        """The teams in the newest photo saved as a round of a match; () for none."""
        with self._lock:
            held = list(self._entries.values())[::-1]
        kept = (
            session.seen
            for session in held
            if session.kept is not None and session.kept.match == match
        )
        readings = (seen.score.reading for seen in kept if seen is not None)
        return next((reading.teams for reading in readings if reading is not None), ())

    def correct(self, snapshot: SnapshotSession, correction: Correction) -> None:
        """Add a correction to the reading. Raises ``CorrectionError``."""
        assert snapshot.seen is not None
        with self._lock:
            trial = [*snapshot.corrections, correction]
            apply_corrections(snapshot.seen.score, trial)
            snapshot.corrections = trial

    def undo(self, snapshot: SnapshotSession) -> None:
        """Undo the last correction."""
        with self._lock:
            snapshot.corrections = snapshot.corrections[:-1]
