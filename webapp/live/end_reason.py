"""Why a referee's process ended: a code that decides the next step, and the sentence for people."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from calibration.phrase import Phrase


class EndCode(StrEnum):
    """The cause of the end."""

    SILENT = "silent"
    DIED = "died"
    DIED_IN_CLIP = "died_in_clip"
    PHONE_GONE = "phone_gone"
    SOURCE_FAILED = "source_failed"
    NOT_STARTED = "not_started"
    WORKER_GONE = "worker_gone"


#: The sentence for each code; for a failed source or a worker, the detail is the whole sentence.
_SENTENCES = {
    EndCode.SILENT: Phrase("The camera stopped responding. The referee is restarting."),
    EndCode.DIED: Phrase("The referee stopped unexpectedly and is restarting."),
    EndCode.DIED_IN_CLIP: (
        Phrase(
            "The referee stopped unexpectedly during the video. Start a new "
            "match and play the video again."
        )
    ),
    EndCode.PHONE_GONE: Phrase("The phone has stopped filming."),
    EndCode.NOT_STARTED: (
        Phrase("The referee cannot be started (%(strerror)s). Try again, or restart the server.")
    ),
    EndCode.SOURCE_FAILED: Phrase("%(strerror)s"),
    EndCode.WORKER_GONE: Phrase("%(strerror)s"),
}


@dataclass(frozen=True, slots=True)
class EndReason:
    """Why it ended; ``detail`` fills the gap in the sentence of the code."""

    code: EndCode
    detail: str = ""

    @property
    def has_broken_off(self) -> bool:
        """Whether the process failed rather than its source."""
        return self.code in (EndCode.SILENT, EndCode.DIED)

    def __str__(self) -> str:
        return _SENTENCES[self.code].put(strerror=self.detail)
