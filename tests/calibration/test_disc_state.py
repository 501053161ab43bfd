"""The states of a disc have the same names in readings, rules, simulations and files."""

from __future__ import annotations

import json
from typing import get_type_hints

import pytest
from example_reading import disc
from paths import SCHEMAS

from calibration.placed_disc import DiscState, PlacedDisc
from scorer.physics.engine import RestingDisc
from scorer.rules.shot import FinalPosition

PUBLISHED = ["flat", "in_hole", "leaning", "overhanging", "ditch"]


def test_state_names_are_the_published_ones() -> None:
    assert [state.value for state in DiscState] == PUBLISHED


@pytest.mark.parametrize("name", ["scenario", "pair"])
def test_a_shots_file_takes_these_state_names_and_no_others(name: str) -> None:
    schema = json.loads((SCHEMAS / f"{name}.schema.json").read_text(encoding="utf-8"))
    forms = [
        reference["$ref"].rsplit("/", 1)[-1]
        for reference in schema["properties"]["after"]["items"]["oneOf"]
    ]
    states = [schema["$defs"][form]["properties"]["state"] for form in forms]
    words = [word for state in states for word in state.get("enum", [state.get("const")])]
    assert sorted(words) == sorted(PUBLISHED)


@pytest.mark.parametrize("kind", [PlacedDisc, FinalPosition, RestingDisc])
def test_every_package_uses_the_same_disc_states(kind: type) -> None:
    assert get_type_hints(kind)["state"] is DiscState


def test_a_disc_in_the_ditch_has_no_place_on_the_board() -> None:
    with pytest.raises(ValueError, match="no place"):
        disc(100.0, 0.0, state=DiscState.DITCH)
