"""Observed shots, the input of ``crokinole speed``, and the board's speed, its output.

The form is a list of boards before and after, as for ``crokinole explain`` without teams, with
points in between or with the known flick.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated

from pydantic import Field, model_validator

from scorer.physics.inverse.board_speed_fit import (
    KnownFlick,
    PredictionErrors,
    RestitutionLoss,
    SpeedFit,
    SpeedFitShot,
    evaluate_prediction,
    fit_speed,
)
from scorer.physics.inverse.observations import Spreads, derive_spreads
from scorer.physics.parameters import apply_board_speed
from scorer.physics.scene import TableSpec
from webapp.formats.form import Form, FormError, Omitted, check_form, fault
from webapp.formats.scene import TableForm, make_table
from webapp.formats.shot_boards import BoardsForm, make_pair

#: One sigma of a known flick if the file does not state it: 1% of its speed, and degrees.
_SPEED_SIGMA, _DIRECTION_SIGMA_DEG = 0.01, 0.2
#: Fewer shots cannot be halved, and more do not improve the fit.
_MIN_SHOTS, _MAX_SHOTS = 4, 1_000


class KnownFlickForm(Form):
    """The flick, if it was measured."""

    speed_mm_s: float = Field(gt=0)
    direction_deg: float = Field(description="Counter-clockwise from +x.")
    speed_sigma_mm_s: Annotated[float, Field(gt=0)] | Omitted = Field(
        default=None, description="One sigma; by default 1% of the speed."
    )
    direction_sigma_deg: float = Field(default=_DIRECTION_SIGMA_DEG, gt=0, description="One sigma.")


class ShotForm(BoardsForm):
    """An observed shot: with a track, a known flick, or both."""

    flick: KnownFlickForm | Omitted = None

    @model_validator(mode="after")
    def _check_evidence(self) -> ShotForm:
        if self.flick is None and self.track is None:
            raise fault("needs a track or a known flick")
        return self


class ShotsForm(TableForm):
    """Shots on one board."""

    shots: list[ShotForm] = Field(
        min_length=_MIN_SHOTS,
        max_length=_MAX_SHOTS,
        description="12 shots with few contacts help more than 40 with many.",
    )


_Three = Annotated[list[float], Field(min_length=3, max_length=3)]


class PredictionForm(Form):
    """Every second shot, predicted from its known flick or the first third of its track.

    Once with the speed fitted to the other shots, and once with the values known before.
    """

    shots: int
    median_error_mm: float | None = Field(
        description="For the worst disc of every shot whose discs all end in the predicted state."
    )
    median_error_before_mm: float | None
    elsewhere: int = Field(
        description="Shots in which a disc ends in a different state: surface, hole or ditch."
    )
    elsewhere_before: int


class RestitutionLossForm(Form):
    """Fall of the discs' restitution per m/s of closing speed, s/m."""

    value: float
    sigma: float = Field(ge=0, description="One standard deviation.")
    is_found: bool = Field(
        description="Whether the decrease is certain; if not, restitution is constant."
    )


class SpeedForm(Form):
    """A board's friction and bounce."""

    friction: float = Field(description="Disc on board.")
    restitution: float = Field(description="Disc on disc, at a closing speed of 1 m/s.")
    post_restitution: float = Field(
        description="Disc on post; the default with a wide sigma if no post was hit."
    )
    sigmas: list[Annotated[float, Field(ge=0)]] = Field(
        min_length=3, max_length=3, description="One sigma of the three."
    )
    covariance: list[_Three] = Field(min_length=3, max_length=3)
    used: list[int] = Field(description="The shots used, by their position in the file, from 0.")
    left_out: list[int] = Field(description="Shots that no flick explains well.")
    prediction: PredictionForm
    restitution_loss: RestitutionLossForm | Omitted = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SpeedReport:
    """A board's speed, and the errors with which one half of the shots predicts the other.

    before, after  errors with the speed known before, and with the one fitted to the other half
    """

    fit: SpeedFit
    before: PredictionErrors
    after: PredictionErrors
    predicted_shots: int


def parse_shots(
    content: Mapping[str, object], known: TableSpec
) -> tuple[TableSpec, list[SpeedFitShot]]:
    """The shots of a file. Raises ``ValueError``, naming field and value."""
    form = check_form(ShotsForm, content)
    table = make_table(form, known)
    return table, [_make_shot(shot, index, table) for index, shot in enumerate(form.shots)]


def make_speed_report(table: TableSpec, shots: list[SpeedFitShot], spreads: Spreads) -> SpeedReport:
    """A board's speed from all shots, tested on half of them. Raises ``ValueError``."""
    training, test_shots = shots[::2], shots[1::2]
    half = fit_speed(table, training).speed
    fitted_table = TableSpec(
        board=table.board, disc=table.disc, physics=apply_board_speed(table.physics, half)
    )
    return SpeedReport(
        fit=fit_speed(table, shots),
        before=evaluate_prediction(table, test_shots, spreads=spreads),
        after=evaluate_prediction(fitted_table, test_shots, spreads=derive_spreads(half)),
        predicted_shots=len(test_shots),
    )


def report_json(report: SpeedReport) -> dict[str, object]:
    """The output of ``crokinole speed --json``."""
    speed = report.fit.speed
    return SpeedForm(
        friction=round(speed.friction, 5),
        restitution=round(speed.restitution, 4),
        post_restitution=round(speed.post_restitution, 4),
        sigmas=[round(float(sigma), 6) for sigma in speed.sigmas],
        covariance=speed.covariance.tolist(),
        used=list(report.fit.used),
        left_out=list(report.fit.left_out),
        prediction=PredictionForm(
            shots=report.predicted_shots,
            median_error_mm=_round_median(report.after),
            median_error_before_mm=_round_median(report.before),
            elsewhere=report.after.state_mismatches,
            elsewhere_before=report.before.state_mismatches,
        ),
        restitution_loss=RestitutionLossForm(
            value=round(report.fit.loss.value_s_m, 4),
            sigma=round(report.fit.loss.sigma_s_m, 4),
            is_found=report.fit.loss.is_found,
        ),
    ).model_dump()


def report_lines(report: SpeedReport) -> list[str]:
    """The report for people."""
    speed = report.fit.speed
    rows = zip(
        ("friction", "restitution of discs", "restitution of posts"),
        (speed.friction, speed.restitution, speed.post_restitution),
        speed.sigmas.tolist(),
        strict=True,
    )
    lines = [f"{name:22}{value:.4f} ± {sigma:.4f}" for name, value, sigma in rows]
    lines.insert(2, _describe_loss(report.fit.loss))
    lines.append(f"from {len(report.fit.used)} shots" + _describe_left_out(report))
    lines.append(
        f"Half of the shots predict the worst disc of each other shot to within "
        f"{_describe_prediction(report.after)}. Before this fit: "
        f"{_describe_prediction(report.before)}."
    )
    return lines


def _describe_loss(loss: RestitutionLoss) -> str:
    fall = f"{loss.value_s_m:.3f} ± {loss.sigma_s_m:.3f} for every m/s"
    if loss.is_found:
        return f"  at 1 m/s; it falls by {fall}"
    return f"  at every speed; a fall of {fall} is not certain"


def _describe_left_out(report: SpeedReport) -> str:
    if not report.fit.left_out:
        return ""
    named = ", ".join(str(index) for index in report.fit.left_out)
    return f"; no flick explains shots[{named}] well, so they were left out"


def _describe_prediction(prediction: PredictionErrors) -> str:
    seen = _round_median(prediction)
    middle = "no known distance" if seen is None else f"{seen:.1f} mm (median)"
    return f"{middle}, {prediction.state_mismatches} with a wrong ending"


def _round_median(prediction: PredictionErrors) -> float | None:
    return round(prediction.median_mm, 2) if prediction.errors_mm else None


def _make_shot(form: ShotForm, index: int, table: TableSpec) -> SpeedFitShot:
    try:
        pair = make_pair(form, table).pair
    except ValueError as error:
        raise FormError(f"shots[{index}]: {error}") from error
    flick = None if form.flick is None else _make_flick(form.flick)
    return SpeedFitShot(pair=pair, flick=flick)


def _make_flick(form: KnownFlickForm) -> KnownFlick:
    sigma = form.speed_sigma_mm_s
    return KnownFlick(
        speed_mm_s=form.speed_mm_s,
        direction_rad=math.radians(form.direction_deg),
        speed_sigma_mm_s=_SPEED_SIGMA * form.speed_mm_s if sigma is None else sigma,
        direction_sigma_rad=math.radians(form.direction_sigma_deg),
    )
