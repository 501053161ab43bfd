"""The review of a film of one shot: the output of ``crokinole review --json``."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from webapp.formats.event import PhysicsForm, ShotForm
from webapp.formats.form import Form

_Share = Annotated[float, Field(ge=0, le=1)]


class RegistrationForm(Form):
    """How the film's frames were registered to the board."""

    frames: int = Field(ge=0)
    registered_share: _Share = Field(description="Of the frames; the others were left out.")
    camera_px_s: float = Field(
        ge=0, description="How fast the board moves through the picture, root mean square."
    )
    residual_mm: float = Field(
        ge=0, description="What the frames' poses leave unexplained, one standard deviation."
    )
    sigma_mm: float = Field(
        ge=0, description="One standard deviation of a point of the 5-line, the worst direction."
    )


class NearestForm(Form):
    """The moment on which the verdict hangs."""

    kind: Literal["touch", "gap", "line"] = Field(
        description="An opponent's disc was touched; none was, and this is the smallest gap to "
        "one; or there was none, and this is the best disc's end beside the 15-line."
    )
    t_s: float
    disc: str
    other: str | None = Field(description="The opponent's disc; null beside a line.")
    gap_mm: float = Field(
        description="Air between the two as measured; below zero where they overlap, or where the "
        "disc lies inside the line or touches it."
    )
    sigma_mm: float = Field(ge=0, description="One standard deviation of the gap.")
    x_mm: float
    y_mm: float


class ReviewForm(Form):
    """The review of one film."""

    film: str
    status: Literal["reviewed", "no_shot", "no_board"]
    reason: str | None = Field(description="Why there is no verdict.")
    registration: RegistrationForm | None
    shots: int = Field(ge=0, description="How many were seen; the last is reviewed.")
    shot: ShotForm | None  # type: ignore[valid-type]
    nearest: NearestForm | None
    physics: PhysicsForm | None = Field(  # type: ignore[valid-type]
        description="What physics say of the whole motion; null where they know no such board."
    )
    video: str | None = Field(description="The film at a quarter of its speed, drawn on.")
    notes: list[str]
