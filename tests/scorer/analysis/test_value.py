"""The value of a position: its features, and the network's output."""

from __future__ import annotations

import math
from importlib.resources import files

import numpy as np
import pytest

from scorer.analysis.positions import (
    FEATURE_COUNT,
    NOWHERE_MM,
    Positions,
    board_points,
    features,
    find_open_shares,
    skill_rows,
    turn_places,
)
from scorer.analysis.value import GAINS, value_network
from scorer.physics.scene import TableSpec
from scorer.physics.skills import SKILLS, Skill, SkillName
from scorer.rules.sets import RULE_SETS, RuleSet

TABLE = TableSpec()
NCA = RULE_SETS["nca"]  # type: ignore[index]
HIDDEN = (8.0, 130.0)  # behind the posts, for the player at the bottom
IN_SIGHT = (0.0, -60.0)


def position(
    *discs: tuple[float, float, bool],
    left: tuple[int, int] = (4, 4),
    own: Skill | None = None,
    other: Skill | None = None,
) -> Positions:
    """A position of discs (x, y, whether the side's to shoot), with an empty row."""
    places = [[x, y] for x, y, _ in discs] + [[NOWHERE_MM, NOWHERE_MM]]
    return Positions(
        places_mm=np.array([places]),
        own=np.array([[mine for _, _, mine in discs] + [False]]),
        left=np.array([left], dtype=np.float64),
        skills=skill_rows(own or Skill(), other or Skill(), 1),
    )


def gain(at: Positions, rules: RuleSet = NCA) -> float:
    return float(value_network().gain(features(TABLE, rules.options, at))[0])


def test_discs_are_worth_what_their_zone_is_and_no_disc_nothing() -> None:
    places = np.array([[0.0, 60.0], [150.0, 0.0], [0.0, -250.0], [0.0, 300.0], [NOWHERE_MM, 0.0]])
    assert board_points(TABLE, places).tolist() == [15, 10, 5, 0, 0]


@pytest.mark.parametrize("rules", RULE_SETS.values(), ids=list(RULE_SETS))
def test_features_are_finite_and_do_not_depend_on_the_order_of_discs(rules: RuleSet) -> None:
    discs = [(0.0, 60.0, True), (120.0, -80.0, False), (-60.0, 200.0, False), (10.0, -250.0, True)]
    numbers = features(TABLE, rules.options, position(*discs))
    assert numbers.shape == (1, FEATURE_COUNT)
    assert np.isfinite(numbers).all()
    other = features(TABLE, rules.options, position(*discs[::-1]))
    np.testing.assert_allclose(numbers, other, atol=1e-12)


def test_the_board_s_symmetry_holds() -> None:
    """After half a turn with swapped seats, own discs become the other side's."""
    discs = [(0.0, 60.0, True), (120.0, -80.0, False)]
    at = position(*discs)
    turned = Positions(
        places_mm=np.where(at.places_mm < 1e3, turn_places(at.places_mm, math.pi), NOWHERE_MM),
        own=~at.own,
        left=at.left,
        skills=at.skills,
    )
    numbers = features(TABLE, NCA.options, at)[0]
    swapped = features(TABLE, NCA.options, turned)[0]
    np.testing.assert_allclose(numbers[:11], swapped[11:22], atol=1e-6)
    np.testing.assert_allclose(numbers[11:22], swapped[:11], atol=1e-6)


def test_the_chances_of_all_gains_add_up_to_one() -> None:
    chances = value_network().chances(features(TABLE, NCA.options, position((*IN_SIGHT, False))))
    assert chances.shape == (1, len(GAINS))
    assert chances.sum() == pytest.approx(1.0)
    assert (chances >= 0).all()


def test_the_last_shot_gains_and_a_better_hand_gains_more() -> None:
    novice, champion = SKILLS[SkillName.NOVICE], SKILLS[SkillName.CHAMPION]
    assert gain(position()) < 0 < gain(position(left=(4, 3)))
    assert gain(position(own=champion, other=novice)) > gain(position()) + 5
    assert gain(position(own=novice, other=champion)) < gain(position()) - 5


def test_a_last_shot_at_a_disc_in_sight_gains_more_than_at_a_hidden_one() -> None:
    seen, hidden = ((*place, False) for place in (IN_SIGHT, HIDDEN))
    assert gain(position(seen, left=(1, 0))) > gain(position(hidden, left=(1, 0))) + 1


def test_an_opponent_with_shots_left_will_remove_an_exposed_disc() -> None:
    mine = (0.0, 60.0, True)  # in front of the other side
    assert gain(position(mine, left=(4, 4))) < gain(position(left=(4, 4)))


def test_the_weights_are_small_and_have_a_version() -> None:
    stored = files("scorer.analysis") / "value.npz"
    assert len(stored.read_bytes()) < 100_000
    assert value_network().version


def test_lines_are_drawn_from_the_side_that_may_remove_a_disc_however_many_boards_there_are() -> (
    None
):
    """A wall of discs in front of one quadrant hides a disc only from that side, on every board."""
    wall = [(x, -230.0) for x in np.arange(-280.0, 281.0, 30.0)]
    places = np.array([[(0.0, 60.0), *wall]]).repeat(300, axis=0)
    is_there = np.ones(places.shape[:2], dtype=np.bool_)
    for is_own, is_seen in ((False, False), (True, True)):
        own = np.zeros_like(is_there)
        own[:, 0] = is_own
        shares = find_open_shares(TableSpec(), places, is_there, own, math.pi)
        assert ((shares[:, 0] > 0) == is_seen).all()
        assert (shares[:, -1] == 0).all()
        assert (shares[:, -2] > 0).all()
