"""Discs that were seen to fall into the hole, and not to lie in it."""

from __future__ import annotations

from dataclasses import replace

import cv2
import pytest
from json_referee import JsonReferee
from rest_boards import BLACK, FIT, INWARD, disc, ready, rested, track, verdicts

from calibration.placed_disc import PlacedDisc
from scorer.referee.shot.recovered_twenties import add_recovered_twenty
from scorer.rules.sets import rule_set
from vision.track.events import BoardAtRest


@pytest.mark.parametrize(("lies", "count"), [((-6.0, 14.0), 1), ((-60.0, 14.0), 2)])
def test_no_disc_falls_into_a_hole_over_which_another_lies(
    lies: tuple[float, float], count: int
) -> None:
    other, shot = disc(*lies, BLACK), ready(0.0, -306.0)
    into_hole = track([*INWARD, (0.0, -6.0)], name="0")
    seen = add_recovered_twenty(
        rested([other], [other], [into_hole]), [shot], {shot.name: into_hole}
    )
    assert len(seen.board.discs) == count


def test_a_disc_that_vanishes_on_its_way_over_the_hole_is_a_twenty() -> None:
    waiting = disc(0, -304, BLACK)
    way = [(0.0, -304.0 + 33.0 * i) for i in range(9)]
    first = rested([], [waiting])
    then = rested([waiting], [], [track(way, name="0")])
    referee = JsonReferee(rule_set("nca"))
    events = [e for rest in (first, then) for e in referee.handle_event(rest)]
    assert [e["verdict"] for e in events if e["type"] == "shot"] == ["legal"]
    assert [e["disc"] for e in events if e["type"] == "twenty"] == ["black 1"]


@pytest.mark.parametrize("lies", [[disc(22.0, 22.0, BLACK)], []], ids=["read", "overlooked"])
def test_a_disc_that_trembles_beside_the_hole_did_not_fall_in(lies: list[PlacedDisc]) -> None:
    trembles = track([(22.1, 20.0), (22.0, 19.9), (21.9, 19.8)], name="0")
    seen = add_recovered_twenty(
        rested(lies, lies, [trembles]),
        [replace(ready(22.0, 22.0, BLACK), name="black 1")],
        {"black 1": trembles},
    )
    assert list(seen.board.discs) == lies


#: A black disc on its way over the board at 1 m/s, up to where it is lost beside the middle.
LOST = [(60.0, -304.0 + 33.0 * i) for i in range(10)]


def darken_hole(at_rest: BoardAtRest) -> BoardAtRest:
    """The board with a hole as dark as a black disc."""
    image, radius_mm = at_rest.image.copy(), FIT.spec.hole_radius_mm
    centre, edge = FIT.view.project_plane([[0.0, 0.0], [radius_mm, 0.0]], 0.0)
    cv2.circle(image, tuple(centre.astype(int)), int(edge[0] - centre[0]), (20, 20, 20), -1)
    return replace(at_rest, image=image)


@pytest.mark.parametrize(("is_dark", "fell"), [(True, True), (False, False)])
def test_a_disc_that_was_lost_on_its_way_is_followed_into_a_hole_of_its_colour(
    is_dark: bool, fell: bool
) -> None:
    into_hole = track([(45.0 - 8.0 * i, 0.0) for i in range(4)], t_s=1.37)
    lost = track(LOST, name="0")
    at_rest = rested([disc(*LOST[0], BLACK)], [], [lost, into_hole])
    at_rest = darken_hole(at_rest) if is_dark else at_rest
    seen = add_recovered_twenty(at_rest, [ready(*LOST[0], BLACK)], {"white 1": lost})
    assert bool(seen.board.discs) == fell


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
    asked = "Is this right: black 1 went out of view and fell into the hole?"
    assert (shot["question"] or "").startswith(asked) == asks


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
    assert shot["question"].endswith("fell into the hole? If so, it scores 20.")


@pytest.mark.parametrize(("way_mm", "count"), [(32.0, 0), (0.0, 1)], ids=["slid away", "stayed"])
def test_a_disc_over_the_hole_that_slid_away_in_another_colour_did_not_fall_in(
    way_mm: float, count: int
) -> None:
    leaner, shot = ready(-6.0, 3.0), ready(0.0, -306.0)
    other_colour = track([(-10.0 + way_mm * i, 11.0) for i in range(8)], t_s=1.03)
    unseen = track([(-6.0, 3.0)], name="0")
    passing = track(INWARD, name="1")
    at_rest = rested([leaner.disc, shot.disc], [], [unseen, passing, other_colour])
    seen = add_recovered_twenty(at_rest, [leaner, shot], {leaner.name: unseen})
    assert len(seen.board.discs) == count
