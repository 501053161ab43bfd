"""A flick in a coach's words: the place of the disc, the aim, and the strength."""

from __future__ import annotations

import pytest

from scorer.physics.engine import simulate
from scorer.physics.flick_labels import describe_flick, find_aimed_disc
from scorer.physics.scene import FlickSpec, PhysicsScene, SceneDisc

TEAMS = {"s": "ours", "o": "theirs"}
LINE_MM = -304.8


def play(*, x_mm: float = 0.0, speed: float = 1200.0, direction: float = 90.0, target=None):
    discs = () if target is None else (SceneDisc(id="o", x_mm=target[0], y_mm=target[1]),)
    flick = FlickSpec(id="s", x_mm=x_mm, y_mm=LINE_MM, speed_mm_s=speed, direction_deg=direction)
    scene = PhysicsScene(discs=discs, shot=flick)
    outcome = simulate(scene)
    return describe_flick(scene, outcome, TEAMS), find_aimed_disc(scene, outcome)


def test_a_full_hit_names_the_disc_and_its_side() -> None:
    (place, aim, strength), aimed = play(target=(0.0, -100.0))
    assert aimed == "o"
    assert "in the middle of your quadrant" in place
    assert "at o (theirs), full, straight at the centre" in aim
    assert "1.2 m/s" in strength
    assert "it hits o (theirs)" in strength


@pytest.mark.parametrize(("aside_mm", "side"), [(12.0, "left"), (-12.0, "right")])
def test_a_thick_hit_names_the_side_as_the_shooter_sees_it(aside_mm: float, side: str) -> None:
    (_, aim, _), _ = play(target=(aside_mm, -100.0))
    assert f"on its {side}" in aim


def test_right_is_the_shooters() -> None:
    (place, aim, _), _ = play(x_mm=40.0, direction=90.0)
    assert "mm right of your quadrant's middle" in place
    assert "right of the centre" in aim


@pytest.mark.parametrize(
    ("speed", "words"),
    [(700, "gently"), (1300, "at medium pace"), (2000, "firmly"), (3000, "hard")],
)
def test_a_speed_has_a_players_word(speed: float, words: str) -> None:
    assert words in play(speed=speed)[0][2]
