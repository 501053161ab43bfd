"""Discs inside and outside their players' quadrants."""

from __future__ import annotations

import numpy as np
from json_referee import JsonReferee
from rest_boards import BLACK, FIT, LINE_MM, WHITE, disc, rested, track, verdicts

from calibration.disc import DiscSpec
from calibration.placed_disc import Team
from scorer.referee.seating import min_inside_mm
from scorer.rules.board_geometry import BoardGeometry
from scorer.rules.sets import rule_set


def warnings_of(rules: str, place: tuple[float, float], team: Team = WHITE) -> list[str]:
    """The warnings about a white disc placed ready after white's legal shot from the near side."""
    waiting, lying, placed = disc(0, -304), disc(0, 20), disc(*place, team)
    way = track([(0.0, -304.0 + 33.0 * i) for i in range(10)], name="0")
    referee = JsonReferee(rule_set(rules))
    events = [
        e
        for rest in (
            rested([], [waiting]),
            rested([waiting], [lying], [way]),
            rested([lying], [lying, placed]),
        )
        for e in referee.handle_event(rest)
    ]
    return [words for words in events[-1]["warnings"] if "quadrant" in words]


def on_line(degrees: float) -> tuple[float, float]:
    return LINE_MM * np.cos(np.radians(degrees)), LINE_MM * np.sin(np.radians(degrees))


def test_a_disc_outside_its_players_quadrant_is_warned_of() -> None:
    assert warnings_of("nca", on_line(-30.0)) == ["white 2 is outside its player's quadrant."]


def test_a_disc_in_its_players_or_the_partners_quadrant_is_not_warned_of() -> None:
    assert warnings_of("nca", on_line(-60.0)) == warnings_of("nca", on_line(100.0)) == []


def test_a_side_whose_seat_is_not_known_is_not_warned_of() -> None:
    assert warnings_of("nca", on_line(-30.0), BLACK) == []


def test_a_place_over_the_quadrants_line_by_less_than_it_is_known_is_no_fault() -> None:
    sizes = BoardGeometry(board=FIT.spec, disc=DiscSpec())
    least = min_inside_mm(rule_set("traditional"), sizes)
    over = np.degrees((least - 1.0) / LINE_MM)  # a millimetre over the line
    waiting, lying = disc(*on_line(-45.0 - over)), disc(0, 20)
    way = np.linspace(np.array(on_line(-45.0 - over)), np.array([0.0, 20.0]), 10)
    referee = JsonReferee(rule_set("traditional"))
    first, then = rested([], [waiting]), rested([waiting], [lying], [track(way, name="0")])
    (shot,) = verdicts(referee, first, then)
    assert "placement" not in [fault["code"] for fault in shot["faults"]]
