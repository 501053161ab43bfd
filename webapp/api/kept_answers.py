"""The API's answers about practices and measured boards, as pydantic models."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel

from scorer.practice.events import Drill, Outcome
from scorer.practice.figures import RestSpread
from webapp.api.made_answers import make_answer


class Share(BaseModel):
    """So many successes of so many shots; ``interval`` holds the true share 95 times in 100."""

    successes: int
    shots: int
    share: float
    interval: list[float]


Spread: Any = make_answer(
    "Spread",
    RestSpread,
    "Where misses came to rest, mm as the player sees it: their mean and standard deviation.",
)


class PracticeRow(BaseModel):
    """One practice; ``outcomes`` tells it shot by shot."""

    id: int
    created: str
    player: str
    drill: Drill
    shots: int
    outcomes: list[Outcome]
    successes: int
    is_over: bool


class Practices(BaseModel):
    """Practices, the newest first, with which page of how many they are.

    ``next`` is the address of those that follow; null after the last.
    """

    practices: list[PracticeRow]
    page: int
    pages: int
    total: int
    next: str | None


class Practice(PracticeRow):
    """A practice with its figures, those of all of the player's of this drill, and the best."""

    rate: Share
    whole: Share
    practices: int
    spread: Spread | None
    best: int | None
    to_beat: int | None
    is_record: bool


class ProfileRow(BaseModel):
    """A board that was calibrated."""

    key: str
    name: str
    made: str


class Profiles(BaseModel):
    """The boards that were calibrated, the newest first."""

    profiles: list[ProfileRow]


class Profile(BaseModel):
    """A profile as the wizard wrote it."""

    key: str
    profile: dict[str, Any]


class Calibration(BaseModel):
    """A board that is measured in a photograph: its profile once it is, or why there is none.

    ``words`` say how well the board lies on its lines and what else a person should know.
    """

    key: str
    is_done: bool
    progress: str
    problem: str | None
    words: list[str]
    profile: dict[str, Any] | None
