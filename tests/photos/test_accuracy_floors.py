"""Accuracy on the samples, and on a part of the collections outside the project, is not below its
floors.

`make floors` checks whole collections. The sample pictures are read in one test only, which checks
everything that needs their readings: reading them costs more than all other tests of this file
without the other collections.
"""

from __future__ import annotations

import itertools
import json
import subprocess
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from paths import ROOT

from bench.accuracy_floors import (
    FLOORS_FILE,
    HONEST_SIGMA,
    LESS_IS_BETTER,
    LOWERED_COLUMNS,
    MORE_IS_BETTER,
    SAMPLES,
    SHARED_VARIABLE,
    find_dishonest_sigmas,
    find_faults,
    find_regressions,
    is_quick,
    list_cases,
    list_rows,
    lower_floors,
    measure_case,
    parse_lowered,
    raise_floors,
    read_floors,
    read_lowered,
    read_records,
    select_figures,
)
from bench.grading.accuracy import PictureReading, grade_readings, read_pictures
from bench.photos import stills_folder

FLOORS = read_floors(ROOT)
TOLERANCES = MORE_IS_BETTER | LESS_IS_BETTER
COUNTS = [name for name, tolerance in TOLERANCES.items() if not tolerance]
SHARES_AND_ERRORS = [name for name, tolerance in TOLERANCES.items() if tolerance]

figures = st.fixed_dictionaries(
    {name: st.integers(0, 50) for name in COUNTS}
    | {name: st.integers(0, 50_000).map(lambda n: n / 10_000) for name in SHARES_AND_ERRORS}
)


@pytest.mark.parametrize("case", sorted(filter(is_quick, FLOORS.keys() - {SAMPLES})))
def test_no_figure_is_worse_than_its_floor(case: str) -> None:
    now = measure_case(ROOT, case)
    if now is None:
        pytest.skip("the collection is not present")
    assert find_faults(FLOORS[case], now) == []


def test_everything_that_is_present_has_floors() -> None:
    assert set(list_cases(ROOT)) - FLOORS.keys() == set()


def test_a_part_of_every_collection_is_held_on_every_change() -> None:
    assert {name for name in FLOORS if is_quick(name)} == {
        SAMPLES,
        "photos/every_fifth",
        "renders/every_fifth",
        "films/dev_owen",
    }


def test_where_nothing_is_shared_only_the_samples_are_graded(monkeypatch, tmp_path) -> None:
    monkeypatch.setenv(SHARED_VARIABLE, str(tmp_path))
    assert list_cases(ROOT) == [SAMPLES]
    assert measure_case(ROOT, "photos") is None
    assert measure_case(ROOT, "clips/any") is None
    (tmp_path / "clips").mkdir()
    assert measure_case(ROOT, "clips/any") is None


def change_discs(readings: list[PictureReading], change: Any) -> list[PictureReading]:
    """The readings with every disc's entry changed; the pictures are not read again."""
    return [
        replace(
            reading,
            entry=reading.entry | {"discs": [d | change(d) for d in reading.entry["discs"]]},
        )
        for reading in readings
    ]


def scale_sigmas(readings: list[PictureReading], factor: float) -> list[PictureReading]:
    return change_discs(readings, lambda disc: {"sigma_mm": factor * disc["sigma_mm"]})


def call_all_close(readings: list[PictureReading]) -> list[PictureReading]:
    asked = [replace(reading, entry=reading.entry | {"needs_review": True}) for reading in readings]
    return change_discs(asked, lambda _disc: {"call": "close"})


def shift_all(readings: list[PictureReading], x_mm: float) -> list[PictureReading]:
    return change_discs(readings, lambda disc: {"x_mm": disc["x_mm"] + x_mm})


def leave_out_first_discs(readings: list[PictureReading]) -> list[PictureReading]:
    return [
        replace(reading, entry=reading.entry | {"discs": reading.entry["discs"][1:]})
        for reading in readings
    ]


def test_samples_hold_their_floors_and_no_dishonest_copy_of_them_does() -> None:
    readings = read_pictures(stills_folder())

    def faults(copy: list[PictureReading]) -> str:
        return " ".join(find_faults(FLOORS[SAMPLES], select_figures(grade_readings(copy))))

    assert faults(readings) == ""
    assert "close_share grew" in faults(call_all_close(readings))
    for factor in (5.0, 3.0):
        assert "Sigmas are too large" in faults(scale_sigmas(readings, factor))
    for factor in (0.5, 0.3):
        assert "Sigmas are too small" in faults(scale_sigmas(readings, factor))
    assert "foot_median_mm grew" in faults(shift_all(readings, 0.5))
    assert "missed grew" in faults(leave_out_first_discs(readings))


def lowered_page(*rows: str) -> str:
    head = [" | ".join(LOWERED_COLUMNS), " | ".join("---" for _ in LOWERED_COLUMNS)]
    lines = "\n".join(f"| {line} |" for line in (*head, *rows))
    return f"# Accuracy\n\n<!-- lowered -->\n\n{lines}\n\n<!-- /lowered -->\n"


ROW = "photos | close_share | 0.02 | 0.03 | a pale board | glare is seen | 3 photographs right"


def test_every_floor_below_its_record_is_explained_on_the_page() -> None:
    records, floors = read_records(ROOT), read_floors(ROOT)
    below = {
        (case, name)
        for case, figures in floors.items()
        for name, value in figures.items()
        if records[case][name] != value
    }
    assert below == {(row.case, row.figure) for row in read_lowered(ROOT)}


def test_no_record_was_ever_lowered() -> None:
    """Checked as far back as the local history goes, from the records that contain the steep stills
    on.
    """
    versions = [*read_versions(FLOORS_FILE), read_records(ROOT)]
    held = [version for version in versions if "steep" in version]
    for before, after in itertools.pairwise(held):
        assert before.keys() <= after.keys()
        for case, records in before.items():
            assert raise_floors(records, after[case]) == after[case], case


def read_versions(path: Path) -> list[dict[str, dict[str, float]]]:
    """The versions of a JSON file after every available commit, oldest first."""
    if not (ROOT / ".git").exists():
        return []

    def git(*arguments: str) -> str:
        done = subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, check=True)
        return done.stdout.decode()

    commits = git("log", "--reverse", "--first-parent", "--format=%H", "--", str(path)).split()
    return [json.loads(git("show", f"{commit}:{path.as_posix()}")) for commit in commits]


def test_a_row_lowers_one_floor_and_no_record() -> None:
    records = {"photos": {"close_share": 0.02, "missed": 1}, "steep": {"close_share": 0.02}}
    floors = lower_floors(records, parse_lowered(lowered_page(ROW)))
    assert floors == records | {"photos": {"close_share": 0.03, "missed": 1}}
    assert records["photos"]["close_share"] == 0.02
    assert find_regressions(floors["photos"], {"close_share": 0.03, "missed": 1}) == []
    assert find_regressions(floors["photos"], {"close_share": 0.031, "missed": 1}) != []


@pytest.mark.parametrize(
    ("row", "fault"),
    [
        (ROW.replace("a pale board", ""), "every column"),
        (ROW.replace("glare is seen", ""), "every column"),
        (ROW.replace("3 photographs right", ""), "every column"),
        (ROW + " | more", "every column"),
        (ROW.replace("0.02", "0.01"), r"record of close_share is 0\.02"),
        (ROW.replace("photos", "phones"), "record of close_share is None"),
        (ROW.replace("0.03", "0.02"), "not lowered"),
        (ROW.replace("0.03", "0.01"), "not lowered"),
        (ROW.replace("0.03", "much"), "could not convert"),
    ],
)
def test_a_row_that_explains_nothing_or_lowers_nothing_is_refused(row: str, fault: str) -> None:
    with pytest.raises(ValueError, match=fault):
        lower_floors({"photos": {"close_share": 0.02}}, parse_lowered(lowered_page(row)))


@pytest.mark.parametrize("page", ["# Accuracy", lowered_page().replace("picture", "image")])
def test_a_page_without_the_table_is_refused(page: str) -> None:
    with pytest.raises(ValueError, match="lowered floors"):
        parse_lowered(page)


def test_what_fell_comes_as_a_row_to_be_filled_in() -> None:
    floors = {"close_share": 0.03, "missed": 1}
    (row,) = list_rows("photos", {"close_share": 0.02, "missed": 1}, floors, {"close_share": 0.05})
    assert row == "| photos | close_share | 0.02 | 0.05 | | | |"
    with pytest.raises(ValueError, match="every column"):
        parse_lowered(lowered_page(row.strip("| ")))


@given(figures, figures)
def test_raising_never_lowers_a_floor(floors, now) -> None:
    assert find_regressions(floors, raise_floors(floors, now)) == []


@given(figures, figures)
def test_raising_takes_up_every_gain(floors, now) -> None:
    assert find_regressions(now, raise_floors(floors, now)) == []


@given(figures)
def test_standing_still_worsens_nothing(floors) -> None:
    assert find_regressions(floors, floors) == []
    assert raise_floors(floors, floors) == floors


@pytest.mark.parametrize("name", MORE_IS_BETTER)
def test_a_lower_count_of_good_things_is_worse(name: str) -> None:
    floors = dict.fromkeys(TOLERANCES, 5)
    assert find_regressions(floors, floors | {name: 4}) == [f"{name} fell from 5 to 4."]
    assert find_regressions(floors, floors | {name: 6}) == []


@pytest.mark.parametrize("name", LESS_IS_BETTER)
def test_a_higher_count_of_bad_things_is_worse(name: str) -> None:
    floors = dict.fromkeys(TOLERANCES, 5)
    assert find_regressions(floors, floors | {name: 6}) == [f"{name} grew from 5 to 6."]
    assert find_regressions(floors, floors | {name: 4}) == []


@pytest.mark.parametrize("name", SHARES_AND_ERRORS)
def test_shares_and_errors_may_differ_by_their_rounding_and_no_more(name: str) -> None:
    floors, tolerance = {name: 0.3}, LESS_IS_BETTER[name]
    assert find_regressions(floors, {name: 0.3 + 0.9 * tolerance}) == []
    assert find_regressions(floors, {name: 0.3 + 1.1 * tolerance}) != []


def test_tolerances_do_not_add_up_over_several_ratchets() -> None:
    floors = {"foot_median_mm": 0.3}
    for _ in range(9):
        floors = raise_floors(floors, {"foot_median_mm": floors["foot_median_mm"] + 0.004})
    assert floors == {"foot_median_mm": 0.3}


def test_a_figure_that_is_not_measured_any_more_is_a_fault() -> None:
    assert find_faults({"close_share": 0.1}, {}) == ["close_share is not measured any more."]


@pytest.mark.parametrize(
    ("z2", "is_honest"), [(0.49, False), (0.5, True), (1.0, True), (2.0, True), (2.01, False)]
)
def test_sigmas_are_honest_inside_a_band_around_one(z2: float, is_honest: bool) -> None:
    assert (find_dishonest_sigmas({HONEST_SIGMA: z2}) == []) is is_honest


def test_the_band_is_no_floor_that_a_ratchet_could_move() -> None:
    assert raise_floors({}, {HONEST_SIGMA: 1.4, "missed": 2}) == {"missed": 2}
