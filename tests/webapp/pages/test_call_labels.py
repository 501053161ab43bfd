"""Calls in players' words: a disc's position at its line, without figures unless requested."""

from __future__ import annotations

import numpy as np
import pytest

from calibration.board import BoardSpec
from calibration.placed_disc import DiscState, PlacedDisc, Team
from scorer.photo.called_disc import CalledDisc
from scorer.zones import Boundary, CallCertainty, ZoneCall
from webapp.pages.snapshot.call_labels import describe_place

FOOT_MM = 15.475


def called(
    margin_mm: float,
    *,
    boundary: Boundary = Boundary.LINE_10,
    state: DiscState = DiscState.FLAT,
    other: int | None = None,
    is_close: bool = False,
    has_clear_team: bool = True,
) -> CalledDisc:
    return CalledDisc(
        disc=PlacedDisc(
            centre_mm=np.zeros(2),
            covariance_mm2=np.eye(2),
            team=0,
            state=state,
            has_clear_team=has_clear_team,
        ),
        team=Team(number=0, colour_rgb=(0, 0, 0), colour_name="black"),
        call=ZoneCall(
            zone=10,
            margin_mm=margin_mm,
            sigma_mm=0.3,
            boundary=boundary,
            call=CallCertainty.CLOSE if is_close else CallCertainty.CERTAIN,
            alternative=other,
        ),
    )


@pytest.mark.parametrize(
    ("read", "words"),
    [
        (called(1.23), "1.2 mm clear of the 10 line"),
        (called(35.2, boundary=Boundary.LINE_15), "35 mm clear of the 15 line"),
        (called(-0.9), "touches the 10 line"),
        (called(-32.4), "touches the 10 line"),
        (called(-34.2, boundary=Boundary.LINE_5), "1.7 mm outside the 5 line"),
        (called(-0.2, other=5, is_close=True), "10 or 5: too close to call"),
        (called(9.0, is_close=True), "hard to see"),
        (called(9.0, is_close=True, has_clear_team=False), "hard to see whose disc it is"),
        (called(1.0, boundary=Boundary.HOLE, state=DiscState.IN_HOLE), "in the hole"),
        (called(-9.0, boundary=Boundary.HOLE, state=DiscState.LEANING), "leans on the hole's edge"),
        (called(-20.0, state=DiscState.OVERHANGING), "hangs over the edge"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_call_is_told_in_players_words(read: CalledDisc, words: str) -> None:
    assert describe_place(read, BoardSpec(line_width_mm=1.6), FOOT_MM) == words
