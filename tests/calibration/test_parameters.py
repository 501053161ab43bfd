"""Stage parameters: listed with unit, range and source; varied for a context, never in place."""

from __future__ import annotations

import subprocess
import sys
import threading
from contextvars import copy_context
from typing import Any, ClassVar

import pytest
from paths import ROOT, STILLS

from calibration.parameters import (
    ParameterError,
    StageParameters,
    cached_by_settings,
    check_value,
    declared_stages,
    find_parameter,
    parameter,
    using,
)
from vision.io.frame import read_frame
from vision.read_photo import read_photo
from webapp.varied_parameters import VARIABLE, import_stages, vary_by_environment


class ExampleParameters(StageParameters):
    stage: ClassVar[str] = "tests.example"

    reach_mm: float = parameter(2.5, unit="mm", source="chosen for this test")
    turns: tuple[int, int] = parameter((3, 4), unit="", source="chosen for this test")
    part: float = parameter(0.9, unit="share", source="chosen for this test")
    tilt_deg: float = parameter(-12.0, unit="°", source="chosen for this test")
    below_mm: float = parameter(-3.0, unit="mm", source="chosen for this test")
    log_odds: float = parameter(1.0, unit="log odds", source="chosen for this test")


PARAMS = ExampleParameters()
REACH, TURNS = "tests.example.reach_mm", "tests.example.turns"


def test_defaults_hold_where_nothing_is_varied() -> None:
    assert (PARAMS.reach_mm, PARAMS.turns) == (2.5, (3, 4))


def test_values_hold_inside_using_alone_and_over_those_around() -> None:
    with using({REACH: 4, TURNS: [1, 2]}):
        with using({REACH: 5.0}):
            assert (PARAMS.reach_mm, PARAMS.turns) == (5.0, (1, 2))
        assert (PARAMS.reach_mm, type(PARAMS.reach_mm)) == (4.0, float)
    assert (PARAMS.reach_mm, PARAMS.turns) == (2.5, (3, 4))


def test_two_settings_live_in_one_process() -> None:
    found: dict[str, float] = {}
    first, second = threading.Event(), threading.Event()

    def read(name: str, reach_mm: float, mine: threading.Event, other: threading.Event) -> None:
        with using({REACH: reach_mm}):
            mine.set()
            assert other.wait(10)
            found[name] = PARAMS.reach_mm

    threads = [
        threading.Thread(target=read, args=("a", 1.0, first, second)),
        threading.Thread(target=read, args=("b", 2.0, second, first)),
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == {"a": 1.0, "b": 2.0}


def test_two_settings_read_one_picture_twice() -> None:
    import_stages()
    frame = read_frame(STILLS / "twenty_in_the_hole.jpg")
    usual = len(read_photo(frame).discs)
    with using({"discs.vote_peaks.min_vote_share": 0.7, "detector.arbitrate.most_log_odds": 0.0}):
        fewer = len(read_photo(frame).discs)
    assert fewer < usual == len(read_photo(frame).discs)


def test_a_thread_has_the_settings_of_the_context_that_it_runs_in() -> None:
    found: list[float] = []
    with using({REACH: 4.0}):
        run = copy_context().run
    for target in (run, lambda work: work()):
        thread = threading.Thread(target=target, args=(lambda: found.append(PARAMS.reach_mm),))
        thread.start()
        thread.join()
    assert found == [4.0, 2.5]


def test_a_cached_value_belongs_to_its_settings() -> None:
    calls: list[float] = []

    @cached_by_settings()
    def double(times: int) -> float:
        calls.append(PARAMS.reach_mm)
        return times * PARAMS.reach_mm

    for _ in range(2):
        assert double(2) == 5.0
        with using({REACH: 4.0}):
            assert double(2) == 8.0
    assert calls == [2.5, 4.0]


def test_no_parameter_is_read_at_import() -> None:
    program = (
        "from calibration.parameters import StageParameter\n"
        "def refuse(parameter, *_): raise AssertionError(f'{parameter.name} is read at import')\n"
        "StageParameter.__get__ = refuse\n"
        "from webapp.varied_parameters import import_stages\n"
        "import webapp.cli.main, webapp.factory\n"
        "assert len(import_stages()) > 100\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True, cwd=ROOT)


def test_every_default_is_in_the_range_of_its_unit() -> None:
    for stage, kind in import_stages().items():
        for name, declared in kind.declared.items():
            assert check_value(f"{stage}.{name}", declared.default) == declared.default


@pytest.mark.parametrize(
    ("name", "value", "sentence"),
    [
        ("reach_mm", 0, "tests.example.reach_mm must be above 0 mm, not 0."),
        ("reach_mm", "wide", "tests.example.reach_mm takes numbers, not 'wide'."),
        ("part", 1.08, "tests.example.part (share) must be from 0 to 1, not 1.08."),
        ("part", -0.1, "tests.example.part (share) must be from 0 to 1, not -0.1."),
        ("turns", [-1, 4], "tests.example.turns must be at least 0, not -1."),
        ("turns", [1], "tests.example.turns takes lists of 2 numbers, such as [1,2]."),
        ("turns", [1.5, 4], "tests.example.turns takes whole numbers, not 1.5."),
        ("tilt_deg", 400, "tests.example.tilt_deg (°) must be from -360 to 360, not 400."),
        ("below_mm", 3, "tests.example.below_mm must be below 0 mm, not 3."),
        ("log_odds", float("nan"), "tests.example.log_odds takes numbers, not nan."),
    ],
)
def test_an_impossible_value_is_one_clear_sentence(name: str, value: Any, sentence: str) -> None:
    with pytest.raises(ParameterError) as caught, using({f"tests.example.{name}": value}):
        pytest.fail("an impossible value was put in force")
    assert str(caught.value) == sentence


@pytest.mark.parametrize(
    ("name", "value"), [("part", 1), ("turns", [0, 1]), ("tilt_deg", 12), ("log_odds", -3)]
)
def test_a_value_at_the_end_of_its_range_is_taken(name: str, value: Any) -> None:
    check_value(f"tests.example.{name}", value)


def test_a_share_larger_by_a_fifth_is_refused_before_anything_is_read() -> None:
    share = find_parameter("tests.example.part")
    with (
        pytest.raises(ParameterError, match="from 0 to 1"),
        using({share.name: 1.2 * share.default}),
    ):
        pytest.fail("a share above 1 was put in force")


def test_a_parameter_cannot_be_changed_in_place() -> None:
    with pytest.raises(AttributeError, match="reach_mm cannot be set"):
        PARAMS.reach_mm = 3.0


def test_a_stage_is_declared_with_unit_and_source() -> None:
    reach = declared_stages()["tests.example"].declared["reach_mm"]
    assert (reach.default, reach.unit, reach.source) == (2.5, "mm", "chosen for this test")


def test_a_stage_is_named_after_its_module_unless_it_sets_a_name() -> None:
    class NamelessParameters(StageParameters):
        reach_mm: float = parameter(2.5, unit="mm", source="chosen for this test")

    name = __name__.partition(".")[2]
    assert NamelessParameters.stage == name
    assert NamelessParameters.declared["reach_mm"].name == f"{name}.reach_mm"
    assert ExampleParameters.declared["reach_mm"].name == REACH


@pytest.mark.parametrize("name", ["tests.nowhere.reach_mm", "tests.example.nothing", "reach_mm"])
def test_a_parameter_that_does_not_exist_is_refused(name: str) -> None:
    with pytest.raises(ParameterError, match=r"no (stage|')|has no"):
        find_parameter(name)


def test_the_environment_varies_what_runs_inside(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, '{"tests.example.reach_mm": 4, "tests.example.turns": [1, 2]}')
    with vary_by_environment():
        assert (PARAMS.reach_mm, PARAMS.turns) == (4.0, (1, 2))
    assert PARAMS.reach_mm == 2.5


@pytest.mark.parametrize("text", ["{", "[1]", '{"tests.example.nothing": 4}'])
def test_an_invalid_environment_is_refused(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, text)
    with pytest.raises(ParameterError, match=r"JSON|has no 'nothing'"), vary_by_environment():
        pytest.fail("it was put in force")
