"""The review of a film of one shot: the output of ``crokinole review --json``."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from webapp.formats.event import PhysicsForm, ShotForm
from webapp.formats.form import Form

_Share = Annotated[float, Field(ge=0, le=1)]


class RegistrationForm(Form):
    """The quality of the registration of the film's frames to the board."""

    frames: int = Field(ge=0)
    registered_share: _Share = Field(description="Share of the frames; the others were skipped.")
    camera_px_s: float = Field(
        ge=0, description="How fast the board moves through the picture, root mean square."
    )
    residual_mm: float = Field(
        ge=0, description="Remaining error of the frames' poses, one standard deviation."
    )
    sigma_mm: float = Field(
        ge=0, description="One standard deviation of a point of the 5-line, the worst direction."
    )


class NearestForm(Form):
    """The moment that decides the verdict."""

    kind: Literal["touch", "gap", "line"] = Field(
        description=(
            "An opponent's disc was touched; or none was touched, with the smallest gap; or there "
            "was none, with where the best disc stopped beside the 15-line."
        )
    )
    t_s: float
    disc: str
    other: str | None = Field(description="The opponent's disc; null beside a line.")
    gap_mm: float = Field(
        description=(
            "Measured gap between the two; below zero if they overlap, or if the disc is inside "
            "or touching the line."
        )
    )
    sigma_mm: float = Field(ge=0, description="One standard deviation of the gap.")
    x_mm: float
    y_mm: float


class ReviewForm(Form):
    """The review of one film."""

    film: str
    status: Literal["reviewed", "no_shot", "no_board"]
    reason: str | None = Field(description="The reason for a missing verdict.")
    registration: RegistrationForm | None
    shots: int = Field(ge=0, description="Number of shots seen; the last is reviewed.")
    shot: ShotForm | None  # type: ignore[valid-type]
    nearest: NearestForm | None
    physics: PhysicsForm | None = Field(  # type: ignore[valid-type]
        description=(
            "The physics engine's finding for the whole motion; null for a board it does not "
            "support."
        )
    )
    video: str | None = Field(description="The quarter-speed video with drawings.")
    notes: list[str]
