"""Ten known situations: the advised shot is legal, and is the one that the situation calls for."""

from __future__ import annotations

import pytest
from draw_situations import SITUATIONS, advise_situation

#: The least chance of a 20, and the least lead at the round's end, that the advice must reach.
LEAST = {
    "open 20": (0.5, -8.0),
    "take-out, straight": (0.0, -10.0),
    "take-out behind a post": (0.0, -20.0),
    "20 off a disc": (0.2, -10.0),
    "hide": (0.0, 3.0),
    "two at once": (0.0, -10.0),
    "last shot, 5 needed": (0.0, 10.0),
    "last shot, 15 needed": (0.0, 15.0),
    "last shot, 20 needed": (0.4, 0.0),
    "guard": (0.0, -10.0),
}


@pytest.mark.parametrize("name", SITUATIONS)
def test_the_advised_shot_of_a_known_situation_is_legal_and_good(name: str) -> None:
    best = advise_situation(name).shots[0]
    least_twenty, least_lead = LEAST[name]
    assert not best.is_foul
    assert best.foul < 0.25
    assert best.twenty >= least_twenty
    assert best.lead >= least_lead
