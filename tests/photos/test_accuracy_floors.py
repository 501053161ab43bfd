"""Accuracy on a collection of pictures outside the project never falls below its floor."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from paths import ROOT

from webapp.bench.accuracy_floors import (
    COLLECTIONS,
    LESS_IS_BETTER,
    MORE_IS_BETTER,
    collection_folder,
    find_regressions,
    measure_counts,
    raise_floors,
    read_floors,
)

counts = st.fixed_dictionaries(
    {name: st.integers(0, 50) for name in (*MORE_IS_BETTER, *LESS_IS_BETTER)}
)


@pytest.mark.parametrize("name", COLLECTIONS)
def test_no_count_is_worse_than_its_floor(name: str) -> None:
    folder = collection_folder(ROOT, name)
    if folder is None:
        pytest.skip("the collection is not present")
    assert find_regressions(read_floors(ROOT)[name], measure_counts(folder)) == []


@given(counts, counts)
def test_raising_never_lowers_a_floor(floors, now) -> None:
    assert find_regressions(floors, raise_floors(floors, now)) == []


@given(counts, counts)
def test_raising_takes_up_every_gain(floors, now) -> None:
    assert find_regressions(now, raise_floors(floors, now)) == []


@given(counts)
def test_standing_still_worsens_nothing(floors) -> None:
    assert find_regressions(floors, floors) == []
    assert raise_floors(floors, floors) == floors


@pytest.mark.parametrize("name", MORE_IS_BETTER)
def test_a_lower_count_of_good_things_is_worse(name: str) -> None:
    floors = dict.fromkeys((*MORE_IS_BETTER, *LESS_IS_BETTER), 5)
    assert find_regressions(floors, floors | {name: 4}) == [f"{name} fell from 5 to 4."]
    assert find_regressions(floors, floors | {name: 6}) == []


@pytest.mark.parametrize("name", LESS_IS_BETTER)
def test_a_higher_count_of_bad_things_is_worse(name: str) -> None:
    floors = dict.fromkeys((*MORE_IS_BETTER, *LESS_IS_BETTER), 5)
    assert find_regressions(floors, floors | {name: 6}) == [f"{name} grew from 5 to 6."]
    assert find_regressions(floors, floors | {name: 4}) == []
