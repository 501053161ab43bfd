"""A picture's score as JSON: the output of ``crokinole score``, which the pages keep."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import TYPE_CHECKING, Annotated, Literal, cast

import numpy as np
from pydantic import Field, TypeAdapter

from calibration.board import FloatArray
from calibration.placed_disc import PlacedDisc
from calibration.pose import View
from scorer.photo.called_disc import CalledDisc
from scorer.photo.score import Score, ScoreStatus
from webapp.formats.form import BoardState, Form, Point

if TYPE_CHECKING:  # both are slow to load, and scoring one picture needs neither
    from scorer.photo.fused_score import FusedScore
    from vision.fuse.fuse_readings import FusedReading

#: Places after the point: a micrometre, a hundredth of a pixel.
_MM_DECIMALS, _PX_DECIMALS, _RATIO_DECIMALS = 3, 2, 6
_CHANCE_DECIMALS = 4

_Positive = Annotated[float, Field(gt=0)]
_Probability = Annotated[float, Field(ge=0, le=1)]
_Count = Annotated[int, Field(ge=0)]
_Three = Annotated[list[float], Field(min_length=3, max_length=3)]
_Distortion = Annotated[float, Field(description="Radial distortion, as in OpenCV's model.")]
_Centre = Annotated[float, Field(description="Centre of the bottom face.")]
Zone = Literal[0, 5, 10, 15, 20]
ColourHex = Annotated[str, Field(pattern="^#[0-9a-f]{6}$")]


class CameraForm(Form):
    """The camera and its place."""

    fx_px: _Positive
    fy_px: _Positive
    cx_px: float
    cy_px: float
    k1: _Distortion
    k2: _Distortion
    tilt_deg: float = Field(
        ge=0,
        le=90,
        description="Angle between the board's normal and the line from its centre to the camera.",
    )


class PoseForm(Form):
    """p_cam = R p_board + t_mm; camera x right, y down, z forward."""

    R: list[_Three] = Field(min_length=3, max_length=3)
    t_mm: _Three


class BoardForm(Form):
    """The board's place, and its measured sizes."""

    cam_from_board: PoseForm
    residual_px: float = Field(
        ge=0, description="Robust standard deviation of the ring evidence about the fit."
    )
    line_radii_mm: _Three = Field(
        description="Measured radii of the 15-, 10- and 5-line, to the middle of the paint."
    )
    hole_px: Point


class ScoredDiscForm(Form):
    """A disc and its zone."""

    team: _Count
    colour: ColourHex
    colour_name: str = Field(min_length=1)
    x_mm: _Centre
    y_mm: _Centre
    foot_px: Point = Field(description="The same centre in the picture.")
    state: BoardState
    zone: Zone
    margin_mm: float = Field(
        description=(
            "How far the contact edge is inside the inner edge of the deciding line; negative if "
            "it touches the line or is outside. In or on the hole: inside the hole's edge."
        )
    )
    sigma_mm: float = Field(gt=0, description="One standard deviation of the margin.")
    call: Literal["certain", "close"]


class TotalForm(Form):
    """A team's points."""

    team: _Count
    colour_name: str = Field(min_length=1)
    points: int = Field(ge=0, description="Points, including 20s.")
    twenties: _Count


class QuestionForm(Form):
    """One possible reason for a wrong total."""

    code: Literal[
        "line_call",
        "disc",
        "team",
        "outside",
        "note",
        "object",
        "maybe_disc",
        "hole",
        "place",
        "not_seen",
    ] = Field(
        description=(
            "line_call: a disc may be on the other side of a line. disc: it may not be a disc, or "
            "may lean. team: it may belong to another side. outside: discs may be outside the "
            "picture. note: about the picture as a whole. hole: a 20, a leaner or neither. "
            "object, maybe_disc, place, not_seen: something unexplained at a place."
        )
    )
    chance: _Probability = Field(description="Probability that a total is wrong because of it.")
    points: int = Field(ge=0, description="By how many points one team's total would then change.")
    sentence: str = Field(min_length=1, description="The question in a sentence.")
    x_mm: float | None = Field(description="The place to check; null: the whole picture.")
    y_mm: float | None
    disc: int | None = Field(ge=0, description="The index in ``discs`` of the disc in question.")
    asked: bool = Field(description="Whether a person should answer it before the totals count.")


class CameraAdviceForm(Form):
    """The change that would help a picture most."""

    trouble: Literal["cut_off", "flat", "small", "dark", "glare", "blurred"]
    sentence: str = Field(min_length=1, description="The tip, and its benefit.")
    raise_mm: float = Field(ge=0, description="How far to raise the camera; 0 for not at all.")
    nearer_mm: float = Field(
        description="How far to move it towards the board's centre; negative means away."
    )
    sigma_mm: float | None = Field(
        description=(
            "Predicted standard deviation of a margin on the far side of the worst line; null for "
            "another kind of tip."
        )
    )
    then_sigma_mm: float | None = Field(description="The same after the move.")


class _PictureForm(Form):
    """The fields of every entry.

    Pixels are (x, y) of the picture as stored after EXIF rotation, the centre of the top-left pixel
    at (0, 0). Millimetres are in the board frame: origin at the rings' centre, +y towards the
    quadrant centre that is most "up" in the image, scale set by the 10-line (203.2 mm unless a
    profile says otherwise).
    """

    image: str = Field(description="The name as given on the command line.")
    status: Literal["scored", "no_board", "unreadable"] = Field(
        description="no_board: the picture was read, but no whole board was found in it."
    )
    reason: str | None = Field(
        description="The reason for a missing score, or the checks to make before it counts."
    )
    needs_review: bool = Field(
        description="True if the totals are less than 96% likely to be right, or there is no score."
    )
    probability_right: _Probability = Field(
        default=0.0,
        description="The probability that every total is right; 0 without a score.",
    )
    questions: list[QuestionForm] = Field(
        default_factory=list,
        description="Possible errors of a total, the largest first.",
    )
    camera_advice: CameraAdviceForm | None = Field(
        default=None,
        description=(
            "A tip for the next picture, if the view caused a question or a missing score."
        ),
    )
    camera: CameraForm | None
    board: BoardForm | None
    discs: list[ScoredDiscForm] = Field(
        description="Discs on the playing surface; those in the ditch are not listed."
    )
    totals: list[TotalForm] = Field(
        description="One entry per team, even without points. Teams are sorted from light to dark."
    )


class ScoredForm(_PictureForm):
    """A picture with a board."""

    status: Literal["scored"]
    camera: CameraForm
    board: BoardForm


class UnscoredForm(_PictureForm):
    """A picture without a score."""

    status: Literal["no_board", "unreadable"]
    reason: str
    needs_review: Literal[True]
    camera: None
    board: None
    discs: list[ScoredDiscForm] = Field(max_length=0)
    totals: list[TotalForm] = Field(max_length=0)


AnyScore = Annotated[ScoredForm | UnscoredForm, Field(discriminator="status")]
#: The output of ``crokinole score --json``: one entry per image.
Scores = TypeAdapter(list[AnyScore])


class SeenDiscForm(Form):
    """A disc as one of the pictures shows it, in the fused board frame."""

    team: _Count
    x_mm: _Centre
    y_mm: _Centre
    state: BoardState
    confidence: float = Field(ge=0, le=1, description="How certain that picture is about it.")


class DiscEvidenceForm(Form):
    """Both pictures' evidence about one disc."""

    disc: int | None = Field(
        ge=0, description="The index of the disc in the score; null if it was left out."
    )
    seen: list[SeenDiscForm | None] = Field(
        min_length=2, max_length=2, description="By picture; null if a picture does not show it."
    )
    differences: list[Literal["place", "state", "team", "presence"]] = Field(
        description="The differences between the pictures that a person must decide."
    )


class FusedScoreForm(Form):
    """One board's score from two pictures."""

    score: AnyScore = Field(description="In the leading camera's picture.")
    lead: Literal[0, 1] = Field(description="The leading picture: the one taken from higher up.")
    note: str | None = Field(
        description="The reason if only one picture's score counts; otherwise null."
    )
    turns_deg: list[float] | None = Field(
        min_length=2,
        max_length=2,
        description=(
            "From each picture's own board frame to the score's, counter-clockwise; null if only "
            "one picture's score counts."
        ),
    )
    evidence: list[DiscEvidenceForm]
    pictures: list[AnyScore] = Field(
        min_length=2, max_length=2, description="Each picture's score by itself."
    )


def score_json(score: Score) -> dict[str, object]:
    """One image's entry of the list printed by ``crokinole score --json``."""
    reason, view = score.reason or " ".join(score.concerns) or None, _full_size_view(score)
    if view is None or score.status is not ScoreStatus.SCORED:
        unscored: dict[str, object] = {
            "image": score.image,
            "status": score.status.value,
            "reason": reason,
            "needs_review": score.needs_review,
            "camera_advice": _make_advice(score),
            "camera": None,
            "board": None,
            "discs": [],
            "totals": [],
        }
        return UnscoredForm.model_validate(unscored).model_dump()
    return ScoredForm(
        image=score.image,
        status="scored",
        reason=reason,
        needs_review=score.needs_review,
        probability_right=round(score.probability_right, _CHANCE_DECIMALS),
        questions=_make_questions(score),
        camera_advice=_make_advice(score),
        camera=_make_camera(view),
        board=_make_board(score, view),
        discs=[_make_disc(disc, view) for disc in score.discs],
        totals=_make_totals(score),
    ).model_dump()


def fused_score_json(fused: FusedScore) -> dict[str, object]:
    """The output of ``crokinole score ABOVE --beside BESIDE --json``."""
    turns = (
        None
        if fused.fusion is None
        else [math.degrees(turn_rad) for turn_rad in fused.fusion.turns_rad]
    )
    content = {
        "score": score_json(fused.score),
        "lead": fused.lead,
        "note": fused.note,
        "turns_deg": None if turns is None else _round_all(turns, 3),
        "evidence": [] if fused.fusion is None else _make_evidence(fused.score, fused.fusion),
        "pictures": [score_json(score) for score in fused.single_scores],
    }
    return FusedScoreForm.model_validate(content).model_dump()


def _make_evidence(score: Score, fusion: FusedReading) -> list[DiscEvidenceForm]:
    """Both pictures' evidence about the discs, in the order of the score's discs."""
    number = {id(disc.disc): index for index, disc in enumerate(score.discs)}
    rows = [
        DiscEvidenceForm(
            disc=number.get(id(disc.disc)),
            seen=[_make_seen(seen) for seen in disc.seen],
            differences=[difference.value for difference in disc.differences],
        )
        for disc in fusion.discs
    ]
    return sorted(rows, key=lambda row: len(number) if row.disc is None else row.disc)


def _make_seen(seen: PlacedDisc | None) -> SeenDiscForm | None:
    if seen is None:
        return None
    return SeenDiscForm(
        team=seen.team,
        x_mm=_round_mm(seen.centre_mm[0]),
        y_mm=_round_mm(seen.centre_mm[1]),
        state=cast(BoardState, seen.state.value),
        confidence=round(min(max(seen.confidence, 0.0), 1.0), 3),
    )


def _make_advice(score: Score) -> CameraAdviceForm | None:
    advice = score.advice
    if advice is None:
        return None
    sigma_mm, then_mm = advice.sigma_mm, advice.then_sigma_mm
    return CameraAdviceForm(
        trouble=advice.trouble.value,
        sentence=advice.sentence,
        raise_mm=round(advice.raise_mm),
        nearer_mm=round(advice.nearer_mm),
        sigma_mm=None if sigma_mm is None else round(sigma_mm, _MM_DECIMALS),
        then_sigma_mm=None if then_mm is None else round(then_mm, _MM_DECIMALS),
    )


def _make_questions(score: Score) -> list[QuestionForm]:
    asked = score.asked
    return [
        QuestionForm(
            code=question.code.value,
            chance=round(question.chance, _CHANCE_DECIMALS),
            points=question.points,
            sentence=question.sentence,
            x_mm=None if question.centre_mm is None else _round_mm(question.centre_mm[0]),
            y_mm=None if question.centre_mm is None else _round_mm(question.centre_mm[1]),
            disc=question.disc,
            asked=question in asked,
        )
        for question in score.questions
    ]


def _full_size_view(score: Score) -> View | None:
    """The view in pixels of the stored picture, None if no board was found."""
    if score.frame is None or score.reading is None or score.reading.board is None:
        return None
    return score.reading.board.view.rescale(1.0 / score.frame.scale)


def _make_camera(view: View) -> CameraForm:
    camera = view.camera
    return CameraForm(
        fx_px=round(camera.fx_px, _PX_DECIMALS),
        fy_px=round(camera.fy_px, _PX_DECIMALS),
        cx_px=round(camera.cx_px, _PX_DECIMALS),
        cy_px=round(camera.cy_px, _PX_DECIMALS),
        k1=round(camera.k1, _RATIO_DECIMALS),
        k2=round(camera.k2, _RATIO_DECIMALS),
        tilt_deg=round(view.cam_from_board.tilt_deg, 3),
    )


def _make_board(score: Score, view: View) -> BoardForm:
    assert score.frame is not None
    assert score.reading is not None
    assert score.reading.board is not None
    fit = score.reading.board
    pose = view.cam_from_board
    return BoardForm(
        cam_from_board=PoseForm(
            R=[[round(float(value), 9) for value in row] for row in pose.rotation],
            t_mm=_round_all(pose.translation_mm, _MM_DECIMALS),
        ),
        residual_px=round(fit.residual_px / score.frame.scale, 3),
        line_radii_mm=_round_all(fit.spec.line_radii_mm, _MM_DECIMALS),
        hole_px=_round_pixel(view, fit.spec.hole_centre_mm),
    )


def _make_disc(disc: CalledDisc, view: View) -> ScoredDiscForm:
    centre_mm = disc.disc.centre_mm
    return ScoredDiscForm(
        team=disc.team.number,
        colour=disc.team.colour_hex,
        colour_name=disc.team.colour_name,
        x_mm=round(float(centre_mm[0]), _MM_DECIMALS),
        y_mm=round(float(centre_mm[1]), _MM_DECIMALS),
        foot_px=_round_pixel(view, centre_mm),
        state=cast(BoardState, disc.disc.state.value),
        zone=cast(Zone, disc.call.zone),
        margin_mm=round(disc.call.margin_mm, _MM_DECIMALS),
        sigma_mm=round(disc.call.sigma_mm, _MM_DECIMALS),
        call=disc.call.call.value,
    )


def _make_totals(score: Score) -> list[TotalForm]:
    assert score.reading is not None
    names = {team.number: team.colour_name for team in score.reading.teams}
    return [
        TotalForm(
            team=total.team,
            colour_name=names[total.team],
            points=total.points,
            twenties=total.twenties,
        )
        for total in score.totals
    ]


def _round_pixel(view: View, point_mm: FloatArray | tuple[float, float]) -> list[float]:
    point = np.asarray(point_mm, dtype=np.float64)[None]
    return _round_all(view.project_plane(point)[0], _PX_DECIMALS)


def _round_mm(value: float) -> float:
    return round(float(value), _MM_DECIMALS)


def _round_all(values: Iterable[float], places: int) -> list[float]:
    return [round(float(value), places) for value in values]
