"""A side with unpainted dark discs plays *dark wood*, whatever a picture calls its colour."""

from __future__ import annotations

import pytest

from calibration.placed_disc import Team
from scorer.match.colours import DARK_WOOD, find_sides, list_colours, name_as_match
from scorer.match.events import MatchStarted
from scorer.match.fold import fold
from scorer.match.sighting import Sighting, SightingKind
from scorer.photo.kept_round import guess_owners
from scorer.rules.choices import Format

_LIGHT_AND_DARK = ("natural", DARK_WOOD)


def begin(*colours: str) -> MatchStarted:
    return MatchStarted(rules="nca", format=Format.TWO, players=("Ann", "Bob"), colours=colours)


@pytest.mark.parametrize(
    ("colours", "seen", "sides"),
    [
        pytest.param(_LIGHT_AND_DARK, ("natural", "brown"), (0, 1), id="maple-and-walnut"),
        pytest.param(_LIGHT_AND_DARK, ("cream", "natural"), (0, 1), id="pale-and-middling"),
        pytest.param(_LIGHT_AND_DARK, ("cream", "brown"), (0, 1), id="pale-and-walnut"),
        pytest.param((DARK_WOOD, "natural"), ("natural", "brown"), (1, 0), id="dark-first"),
        pytest.param((DARK_WOOD, "black"), ("natural", "black"), (0, 1), id="one-wood-and-paint"),
        pytest.param((DARK_WOOD, "black"), ("brown", "black"), (0, 1), id="walnut-and-paint"),
        pytest.param((DARK_WOOD, "brown"), ("natural", "brown"), (0, 1), id="wood-and-brown-paint"),
        pytest.param((DARK_WOOD, ""), ("brown", "red"), (0, 1), id="the-other-is-not-known"),
        pytest.param((DARK_WOOD, ""), ("natural", "red"), None, id="a-wood-that-may-be-either's"),
        pytest.param((DARK_WOOD, "red"), ("blue", "green"), None, id="no-wood-at-all"),
        pytest.param(("natural", "brown"), ("natural", "brown"), (0, 1), id="nobody-said-dark"),
    ],
)
def test_a_camera_s_woods_are_the_match_s(
    colours: tuple[str, str], seen: tuple[str, str], sides: tuple[int, int] | None
) -> None:
    setup = fold([begin(*colours)]).setup
    for colour in seen:
        sighting = Sighting(what=SightingKind.TWENTY, teams=seen, colour=colour)
        found = find_sides(setup, sighting)
        assert found == (None if sides is None else dict(zip(seen, sides, strict=True)))
    teams = [Team(number=k, colour_rgb=(0, 0, 0), colour_name=name) for k, name in enumerate(seen)]
    if sides is not None:
        owners = guess_owners(setup, teams)
        assert owners == (sides.index(0), sides.index(1))


def test_the_match_keeps_saying_dark_wood() -> None:
    assert list_colours(fold([begin(*_LIGHT_AND_DARK)]).setup) == _LIGHT_AND_DARK
    named = name_as_match(_LIGHT_AND_DARK, ("natural", "brown"))
    assert named == {"natural": "natural", "brown": DARK_WOOD}
