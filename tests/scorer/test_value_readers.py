"""JSON values are read as the types that dataclasses declare, and anything else is refused."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated, Any

import pytest

from scorer.value_readers import read_fields, read_int, read_options


class Colour(StrEnum):
    RED = "red"
    BLACK = "black"


def read_doubled(value: Any) -> int:
    return 2 * read_int(value)


@dataclass(frozen=True)
class Inner:
    zone: int


@dataclass(frozen=True)
class Outer:
    name: str
    colour: Colour = Colour.RED
    inner: Inner | None = None
    zones: tuple[int, ...] = ()
    doubled: Annotated[int, read_doubled] = 0
    is_over: bool = False


def test_every_kind_of_field_is_read_and_absent_ones_keep_their_defaults() -> None:
    value = {"name": "a", "colour": "black", "inner": {"zone": 5}, "zones": [1, 2], "doubled": 3}
    assert read_fields(Outer, value) == Outer("a", Colour.BLACK, Inner(5), (1, 2), 6)
    assert read_fields(Outer, {"name": "a", "inner": None}) == Outer("a")


@pytest.mark.parametrize(
    "value",
    [
        None,
        [],
        {},
        {"name": "a", "more": 1},
        {"name": 1},
        {"name": "\ud800"},
        {"name": "a", "colour": "green"},
        {"name": "a", "colour": ["red"]},
        {"name": "a", "inner": {}},
        {"name": "a", "inner": {"zone": True}},
        {"name": "a", "zones": 5},
        {"name": "a", "zones": [1.0]},
        {"name": "a", "doubled": "2"},
        {"name": "a", "is_over": 1},
    ],
    ids=str,
)
def test_what_a_field_cannot_be_is_refused(value: Any) -> None:
    with pytest.raises(ValueError):
        read_fields(Outer, value)


def test_options_are_read_from_an_object_and_from_pairs() -> None:
    wanted = (("game_rounds", 3), ("contact", ("a", "b")), ("rated", True))
    given = {"game_rounds": 3, "contact": ["a", "b"], "rated": True}
    assert read_options(given) == read_options(list(given.items())) == wanted


@pytest.mark.parametrize("value", [5, [["a"]], {"a": 1.5}, {"a": None}, {"a": [1]}, [[1, 2]]])
def test_options_of_other_kinds_are_refused(value: Any) -> None:
    with pytest.raises(ValueError):
        read_options(value)
