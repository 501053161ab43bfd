"""A reading's score: every disc's zone, each team's points, and why a person should look."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum

import numpy as np

from calibration.circle import circle_mm
from calibration.fit import BoardFit
from calibration.placed_disc import PlacedDisc, Team
from scorer.photo.aim_help import AimAdvice, advise_camera, advise_without_board
from scorer.photo.place_labels import describe_place
from scorer.zones import CallCertainty, TeamTotal, ZoneCall, call_zone, total_by_team
from vision.board.find_board import compute_visible_share
from vision.io.frame import Frame, UnreadablePicture
from vision.reading import Reading, UnexplainedCode, UnexplainedReason

#: A place is out of the picture where more than this share of what may score is.
_OUTSIDE_SHARE = 0.005
#: Points on the playing surface's edge that are looked at, one every 3 cm.
_RIM_POINTS = 72


class ScoreStatus(StrEnum):
    """What became of a picture."""

    SCORED = "scored"
    NO_BOARD = "no_board"
    UNREADABLE = "unreadable"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class CalledDisc:
    """A disc, whose it is, and what it scores."""

    disc: PlacedDisc
    team: Team
    call: ZoneCall


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Score:
    """A picture's score, or the reason why it has none.

    frame     None when the picture was unreadable
    reading   None when no board was found in it either
    discs     by team, then from the highest zone down
    notes     sentences about the picture as a whole, such as that its file is truncated
    concerns  sentences that a person should read before trusting the totals, notes first
    advice    where the view is the trouble: the move of the camera that would help most
    stage_s   seconds that each stage took, in order
    """

    image: str
    status: ScoreStatus
    reason: str | None = None
    frame: Frame | None = None
    reading: Reading | None = None
    discs: tuple[CalledDisc, ...] = ()
    totals: tuple[TeamTotal, ...] = ()
    notes: tuple[str, ...] = ()
    concerns: tuple[str, ...] = ()
    advice: AimAdvice | None = None
    stage_s: Mapping[str, float] = field(default_factory=dict)

    @property
    def needs_review(self) -> bool:
        """Whether a person should look: something is close or unexplained, or nothing is scored."""
        return self.status is not ScoreStatus.SCORED or bool(self.concerns)


def score_unreadable(picture: UnreadablePicture) -> Score:
    """The score of a picture that cannot be read: none, with the reason."""
    return Score(image=picture.name, status=ScoreStatus.UNREADABLE, reason=picture.reason)


def score_reading(frame: Frame, reading: Reading) -> Score:
    """The score of a reading: none, with the reason, unless the whole board was found."""
    if reading.board is None:
        reason = reading.reason or "No crokinole board was found in the picture."
        return _make_boardless_score(frame, " ".join((*frame.notes, format_sentence(reason))))
    if _is_cut_off(frame, reading.board):
        return _make_boardless_score(frame, " ".join((*frame.notes, "The board is not whole.")))
    discs = _call_discs(reading)
    notes = tuple(format_sentence(note) for note in (*frame.notes, *reading.notes))
    teams = [team.number for team in reading.teams]
    concerns = (*notes, *_list_doubts(frame, reading, discs))
    return Score(
        image=frame.name,
        status=ScoreStatus.SCORED,
        frame=frame,
        reading=reading,
        discs=discs,
        totals=total_by_team(((each.team.number, each.call) for each in discs), teams),
        notes=notes,
        concerns=concerns,
        advice=advise_camera(frame, reading.board) if concerns else None,
    )


def _make_boardless_score(frame: Frame, reason: str) -> Score:
    return Score(
        image=frame.name,
        status=ScoreStatus.NO_BOARD,
        reason=reason,
        frame=frame,
        advice=advise_without_board(frame),
    )


def _is_cut_off(frame: Frame, board: BoardFit) -> bool:
    """Whether the playing surface reaches into the part that a truncated file does not hold."""
    if frame.missing_px is None:
        return False
    left, top, right, bottom = frame.missing_px
    rim_mm = circle_mm((0.0, 0.0), board.spec.surface_radius_mm, _RIM_POINTS)
    x, y = board.view.project_plane(rim_mm).T
    return bool(np.any((left <= x) & (x < right) & (top <= y) & (y < bottom)))


def _call_discs(reading: Reading) -> tuple[CalledDisc, ...]:
    assert reading.board is not None
    edge = reading.disc.contact_edge
    teams = {team.number: team for team in reading.teams}
    called = [
        CalledDisc(disc=disc, team=teams[disc.team], call=call_zone(disc, reading.board.spec, edge))
        for disc in reading.discs
    ]
    called.sort(key=lambda each: (each.team.number, -each.call.zone, -each.call.margin_mm))
    return tuple(called)


def _list_doubts(frame: Frame, reading: Reading, discs: tuple[CalledDisc, ...]) -> tuple[str, ...]:
    """What a person should look at, one sentence each."""
    assert reading.board is not None
    close = sum(each.call.call is CallCertainty.CLOSE for each in discs)
    calls = "1 close call" if close == 1 else f"{close} close calls"
    told = (f"{calls}: look at the board.",) if close else ()
    owners = _ask_owners(reading, discs)
    return (*_list_outside(frame, reading), *told, *owners, *describe_unexplained(reading))


def _ask_owners(reading: Reading, discs: tuple[CalledDisc, ...]) -> tuple[str, ...]:
    """A sentence for every disc that may be another side's, with its colour and its place."""
    assert reading.board is not None
    return tuple(
        format_sentence(
            f"check whose disc is {describe_place(each.disc.centre_mm, reading.board)}: "
            f"it was read as {each.team.colour_name}"
        )
        for each in discs
        if not each.disc.has_clear_team
    )


def describe_unexplained(reading: Reading) -> tuple[str, ...]:
    """What is unexplained and where, by the clock of the picture that was read.

    One sentence; that of several places lists them by reason. Several things in one place, with one
    reason, are one.
    """
    board = reading.board
    assert board is not None
    named = ((item, describe_place(item.centre_mm, board)) for item in reading.unexplained)
    items = dict.fromkeys((item.reason, place) for item, place in named)
    if len(items) > 1:
        listed = "; ".join(_list_places(items))
        return (format_sentence(f"look at {len(items)} places: {listed}"),)
    return tuple(_describe_place(*item) for item in items)


def _describe_place(reason: UnexplainedReason, place: str) -> str:
    if reason.code is UnexplainedCode.NOT_SEEN:
        return format_sentence(f"not seen {place}: {reason}")
    return format_sentence(f"check the place {place}: {reason}")


def _list_places(items: Iterable[tuple[UnexplainedReason, str]]) -> Iterator[str]:
    """The places of every reason, with it behind them."""
    places: dict[UnexplainedReason, list[str]] = {}
    for reason, place in items:
        places.setdefault(reason, []).append(place)
    for reason, same in places.items():
        yield f"{', '.join(same)} ({reason})"


def _list_outside(frame: Frame, reading: Reading) -> tuple[str, ...]:
    """That part of the board is outside the picture, where discs that count may lie there."""
    assert reading.board is not None
    view, radius_mm = reading.board.view, reading.board.spec.line_radii_mm[2]
    outside = 1 - compute_visible_share(view, radius_mm, frame.image.shape)
    if outside < _OUTSIDE_SHARE:
        return ()
    return (
        f"{max(outside, 0.01):.0%} of the board within the 5-line is outside the picture: "
        "discs that lie there are not counted.",
    )


def format_sentence(words: str) -> str:
    """The words with a capital letter and a full stop."""
    words = words.strip().rstrip(".")
    return f"{words[:1].upper()}{words[1:]}."
