"""Two readings fused: agreement lowers sigmas, differences are flagged, no disc is lost."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from example_reading import BLACK, WHITE, disc
from hypothesis import given, settings
from hypothesis import strategies as st
from two_readings import from_above, from_beside

from calibration.placed_disc import DiscState, PlacedDisc
from vision.fuse.fuse_readings import Difference, FusedReading, fuse_readings, turn_disc
from vision.reading import Reading, UnexplainedObject, UnexplainedReason

#: No quarter turn maps these onto one another.
PLACES = ((60.0, 20.0), (-160.0, -180.0), (0.0, 150.0))


def spread(sigma_mm: float = 0.3) -> tuple[PlacedDisc, ...]:
    teams = (WHITE, WHITE, BLACK)
    return tuple(disc(*at, team, sigma_mm=sigma_mm) for at, team in zip(PLACES, teams, strict=True))


def fused(first: Reading, second: Reading) -> FusedReading:
    found = fuse_readings(first, second)
    assert found is not None
    return found


def as_state(reading: Reading) -> list[tuple]:
    return [
        (*np.round(disc.centre_mm, 6), disc.team, disc.state, round(disc.confidence, 6))
        for disc in sorted(reading.discs, key=lambda disc: tuple(np.round(disc.centre_mm, 3)))
    ]


@pytest.mark.parametrize("quarters", range(4))
def test_the_turn_between_two_cameras_is_found(quarters) -> None:
    found = fused(from_above(*spread()), from_beside(*spread(), quarters=quarters))
    away = found.turns_rad[1] - quarters * math.pi / 2
    assert math.cos(away) == pytest.approx(1.0, abs=1e-9)
    assert as_state(found.reading) == as_state(from_above(*spread()))


places = st.tuples(st.floats(60, 280), st.floats(0.0, 2 * math.pi))


@settings(max_examples=12, deadline=None)
@given(st.lists(places, min_size=1, max_size=6), st.integers(0, 3), st.floats(0.2, 2.0))
def test_a_reading_fused_with_itself_turned_is_the_same_and_surer(
    drawn, quarters, sigma_mm
) -> None:
    discs: list[PlacedDisc] = []
    for index, (reach, angle) in enumerate(drawn):
        at = reach * math.cos(angle), reach * math.sin(angle)
        if all(np.linalg.norm(disc.centre_mm - at) > 32.0 for disc in discs):
            discs.append(disc(*at, (WHITE, BLACK)[index % 2], sigma_mm=sigma_mm))
    alone = from_above(*discs)
    found = fused(alone, from_beside(*discs, quarters=quarters))
    assert len(found.discs) == len(discs)
    for before, after in zip(alone.discs, found.discs, strict=True):
        assert after.differences == ()
        assert np.linalg.norm(after.disc.centre_mm - before.centre_mm) < 1e-6
        assert np.trace(after.disc.covariance_mm2) < np.trace(before.covariance_mm2)


@settings(max_examples=12, deadline=None)
@given(st.lists(st.floats(-1.0, 1.0), min_size=6, max_size=6), st.integers(0, 3))
def test_which_camera_is_named_first_changes_nothing(errors, quarters) -> None:
    moved = [
        replace(disc, centre_mm=disc.centre_mm + error)
        for disc, error in zip(spread(), np.reshape(errors, (3, 2)), strict=True)
    ]
    above, beside = from_above(*spread()), from_beside(*moved, quarters=quarters)
    one, other = fused(above, beside), fused(beside, above)
    assert as_state(one.reading) == as_state(other.reading)
    assert one.turns_rad == other.turns_rad[::-1]
    for one_disc, same in zip(one.discs, other.discs, strict=True):
        for seen, seen_too in zip(one_disc.seen, same.seen[::-1], strict=True):
            assert seen is not None
            assert seen_too is not None
            assert np.array_equal(seen.centre_mm, seen_too.centre_mm)


def test_a_disc_hidden_from_one_camera_comes_from_the_other() -> None:
    found = fused(from_above(*spread()), from_beside(*spread()[:2]))
    assert as_state(found.reading) == as_state(from_above(*spread()))
    assert found.discs[2].seen[1] is None
    assert found.discs[2].differences == ()


def test_a_disc_seen_by_the_lower_camera_alone_is_flagged_for_review() -> None:
    found = fused(from_above(*spread()), from_beside(*spread(), disc(200.0, 90.0)))
    assert as_state(found.reading) == as_state(from_above(*spread()))
    assert found.discs[-1].is_left_out
    assert found.discs[-1].differences == (Difference.PRESENCE,)
    assert len(found.reading.unexplained) == 1


def test_a_twenty_seen_by_the_lower_camera_alone_counts_and_is_flagged() -> None:
    twenty = disc(0.0, 0.0, BLACK, DiscState.IN_HOLE)
    found = fused(from_above(*spread()), from_beside(*spread(), twenty))
    assert found.discs[-1].differences == (Difference.PRESENCE,)
    assert found.discs[-1].disc.confidence < 0.9
    assert DiscState.IN_HOLE in [disc.state for disc in found.reading.discs]


def test_feet_that_disagree_are_shown_and_their_covariance_covers_both() -> None:
    off = replace(spread()[0], centre_mm=np.array([66.0, 20.0]))
    found = fused(from_above(*spread()), from_beside(off, *spread()[1:])).discs[0]
    assert found.differences == (Difference.PLACE,)
    sigma_mm = math.sqrt(found.disc.covariance_mm2[0, 0])
    for seen in found.seen:
        assert seen is not None
        assert abs(found.disc.centre_mm[0] - seen.centre_mm[0]) < 1.5 * sigma_mm


@pytest.mark.parametrize(
    ("above", "beside", "state", "is_shown"),
    [
        pytest.param(0.6, 0.98, "leaning", False, id="the side is sure"),
        pytest.param(0.98, 0.6, "flat", False, id="the other is sure"),
        pytest.param(0.98, 0.97, "flat", True, id="both are sure"),
    ],
)
def test_a_discs_state_comes_from_the_confident_camera(above, beside, state, is_shown) -> None:
    flat = disc(80.0, -70.0, BLACK, confidence=above)
    leaner = disc(80.0, -70.0, BLACK, DiscState.LEANING, confidence=beside)
    found = fused(from_above(*spread(), flat), from_beside(*spread(), leaner)).discs[3]
    assert found.disc.state == state
    assert (Difference.STATE in found.differences) is is_shown
    assert (found.disc.confidence < 0.9) is is_shown


@pytest.mark.parametrize("sure", [0.6, 0.98])
def test_a_twenty_that_leans_for_the_other_camera_is_always_flagged(sure) -> None:
    twenty = disc(0.0, 0.0, BLACK, DiscState.IN_HOLE, confidence=1.0)
    leaner = disc(0.0, 0.0, BLACK, DiscState.LEANING, confidence=sure)
    found = fused(from_above(*spread(), twenty), from_beside(*spread(), leaner)).discs[3]
    assert found.differences == (Difference.STATE,)
    assert found.disc.confidence < 0.9


def test_an_uncertain_leaner_is_certain_where_the_other_camera_is() -> None:
    seen = [disc(0.0, 0.0, BLACK, DiscState.LEANING, confidence=sure) for sure in (0.6, 0.98)]
    found = fused(from_above(*spread(), seen[0]), from_beside(*spread(), seen[1])).discs[3]
    assert found.differences == ()
    assert found.disc.confidence == 0.98


def test_teams_are_matched_by_their_discs_whatever_their_numbers() -> None:
    found = fused(from_above(*spread()), from_beside(*spread(), teams=(1, 0)))
    assert as_state(found.reading) == as_state(from_above(*spread()))


def test_a_disc_of_different_teams_in_two_cameras_is_flagged() -> None:
    other_side = replace(spread()[0], team=BLACK.number)
    discs = (*spread(), disc(-90.0, 200.0, WHITE))
    found = fused(from_above(*discs), from_beside(other_side, *discs[1:])).discs[0]
    assert found.differences == (Difference.TEAM,)
    assert found.disc.confidence < 0.9


def test_a_team_that_only_one_camera_sees_is_kept() -> None:
    above = replace(from_above(*spread()[:2]), teams=(WHITE,))
    found = fused(above, from_beside(*spread()))
    assert [team.colour_name for team in found.reading.teams] == ["white", "black"]


def test_the_turn_is_unknown_where_no_disc_is_seen_twice() -> None:
    assert fuse_readings(from_above(spread()[0]), from_beside(spread()[1])) is None
    assert fuse_readings(from_above(), from_beside(spread()[1])) is None


def test_an_empty_board_needs_no_turn() -> None:
    assert fused(from_above(), from_beside()).reading.discs == ()


def test_an_unexplained_place_of_the_lower_camera_is_dropped_where_the_other_has_a_clear_view() -> (
    None
):
    thing = UnexplainedObject(centre_mm=np.array([120.0, -40.0]), reason=UnexplainedReason.REGION)
    beside = replace(from_beside(*spread(), quarters=0), unexplained=(thing,))
    assert fused(from_above(*spread()), beside).reading.unexplained == ()
    flat = from_beside(*spread(), quarters=0, tilt_deg=60.0)
    kept = fused(flat, beside).reading.unexplained
    assert [item.reason for item in kept] == [thing.reason]


@pytest.mark.parametrize(("tilt_deg", "asked"), [(40.0, 0), (68.0, 1)], ids=["plainly", "flatly"])
def test_a_place_hidden_by_a_reflection_is_flagged_unless_the_other_camera_has_a_clear_view(
    tilt_deg: float, asked: int
) -> None:
    unseen = UnexplainedObject(
        centre_mm=np.array([0.0, 250.0]), reason=UnexplainedReason.REFLECTION
    )
    above = replace(from_above(*spread()), unexplained=(unseen,))
    beside = from_beside(*spread(), quarters=0, tilt_deg=tilt_deg)
    assert len(fused(above, beside).reading.unexplained) == asked


def test_two_boards_are_needed() -> None:
    with pytest.raises(ValueError, match="two boards"):
        fuse_readings(from_above(), replace(from_above(), board=None))


def test_a_disc_turned_there_and_back_is_the_same() -> None:
    lopsided = replace(spread()[1], covariance_mm2=np.array([[1.0, 0.3], [0.3, 4.0]]))
    back = turn_disc(turn_disc(lopsided, 0.7), -0.7)
    assert np.allclose(back.centre_mm, lopsided.centre_mm)
    assert np.allclose(back.covariance_mm2, lopsided.covariance_mm2)


def test_a_disc_over_the_edge_in_one_picture_and_flat_in_the_other_is_no_difference() -> None:
    over = disc(-211.0, 247.0, state=DiscState.OVERHANGING)
    flat = replace(over, state=DiscState.FLAT)
    found = fused(from_above(*spread(), over), from_beside(*spread(), flat))
    assert found.discs[3].differences == ()
