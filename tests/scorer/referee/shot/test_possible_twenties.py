"""Discs lost from sight where they may have fallen into the hole."""

from __future__ import annotations

from dataclasses import replace

import cv2
import pytest
from json_referee import JsonReferee
from rest_boards import BLACK, FIT, disc, rested, track, verdicts

from calibration.placed_disc import PlacedDisc
from scorer.rules.sets import rule_set
from vision.track.events import BoardAtRest

#: A black disc on its way over the board at 1 m/s, until it is lost next to the middle.
LOST = [(60.0, -304.0 + 33.0 * i) for i in range(10)]


def darken_hole(at_rest: BoardAtRest) -> BoardAtRest:
    """The board with a hole as dark as a black disc."""
    image, radius_mm = at_rest.image.copy(), FIT.spec.hole_radius_mm
    centre, edge = FIT.view.project_plane([[0.0, 0.0], [radius_mm, 0.0]], 0.0)
    cv2.circle(image, tuple(centre.astype(int)), int(edge[0] - centre[0]), (20, 20, 20), -1)
    return replace(at_rest, image=image)


ROLLED_OUT = [*LOST, *((60.0, 26.0 + 33.0 * i) for i in range(9))]
CAME_TO_REST = [*LOST, (60.0, 2.0), (60.0, 3.0)]


@pytest.mark.parametrize(
    ("way", "is_dark", "opponents", "asks"),
    [
        pytest.param(LOST, True, [], True, id="lost beside a dark hole"),
        pytest.param(LOST, False, [], False, id="the hole is seen to be empty"),
        pytest.param(LOST, True, [disc(160.0, 60.0)], False, id="a foul wherever it lies"),
        pytest.param(ROLLED_OUT, True, [], False, id="it left the board"),
        pytest.param(CAME_TO_REST, True, [], False, id="it lay still beside the hole"),
    ],
)
def test_a_disc_that_is_lost_where_it_can_reach_a_hole_of_its_colour_is_asked_about(
    way: list[tuple[float, float]], is_dark: bool, opponents: list[PlacedDisc], asks: bool
) -> None:
    before = [disc(*way[0], BLACK), *opponents]
    then = rested(before, opponents, [track(way, name="0")])
    (shot,) = verdicts(
        JsonReferee(rule_set("nca")),
        rested([], before),
        darken_hole(then) if is_dark else then,
    )
    asked = "Is it true that black 1 went out of view and fell into the hole?"
    assert (shot["question"] or "").startswith(asked) == asks


def test_a_disc_that_vanishes_on_its_way_over_the_hole_is_asked_about() -> None:
    waiting = disc(0, -304, BLACK)
    way = track([(0.0, -304.0 + 33.0 * i) for i in range(9)], name="0")
    (shot,) = verdicts(
        JsonReferee(rule_set("nca")), rested([], [waiting]), rested([waiting], [], [way])
    )
    assert shot["verdict"] == "needs_review"


def test_of_a_legal_shot_only_the_twenty_is_asked() -> None:
    waiting, lies = disc(*LOST[0], BLACK), disc(60.0, 25.0)
    away = [(60.0, 25.0)] * 10 + [(60.0, 25.0 + 12.0 * i) for i in range(1, 10)]
    struck = disc(*away[-1])
    tracks = [track(LOST, name="0"), track(away, name="1")]
    (shot,) = verdicts(
        JsonReferee(rule_set("nca")),
        rested([], [waiting, lies]),
        darken_hole(rested([waiting, lies], [struck], tracks)),
    )
    assert shot["verdict"] == "needs_review"
    assert shot["question"].endswith("fell into the hole? If so, it is a 20.")
