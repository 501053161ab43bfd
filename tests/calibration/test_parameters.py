"""Stage parameters: frozen, listed with unit and source, and varied by the environment alone."""

from __future__ import annotations

from typing import ClassVar

import pytest

from calibration.parameters import (
    VARIABLE,
    ParameterError,
    StageParameters,
    check_variation,
    declared_stages,
    parameter,
    parse_variations,
)


class ExampleParameters(StageParameters):
    stage: ClassVar[str] = "tests.example"

    reach_mm: float = parameter(2.5, unit="mm", source="chosen for this test")
    turns: tuple[int, int] = parameter((3, 4), unit="", source="chosen for this test")


def test_defaults_hold_where_nothing_is_varied(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(VARIABLE, raising=False)
    active = ExampleParameters.active()
    assert (active.reach_mm, active.turns) == (2.5, (3, 4))


def test_the_environment_varies_a_field(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, '{"tests.example.reach_mm": 4, "tests.example.turns": [1, 2]}')
    active = ExampleParameters.active()
    assert (active.reach_mm, active.turns) == (4, (1, 2))
    assert (ExampleParameters().reach_mm, ExampleParameters(turns=(5, 6)).turns) == (2.5, (5, 6))


def test_other_stages_are_not_varied(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, '{"tests.other.reach_mm": 4}')
    assert ExampleParameters.active().reach_mm == 2.5


def test_an_unknown_field_in_the_environment_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, '{"tests.example.nothing": 4}')
    with pytest.raises(ParameterError, match="has no 'nothing'"):
        ExampleParameters.active()


def test_a_parameter_cannot_be_changed() -> None:
    with pytest.raises(AttributeError, match="reach_mm cannot be set"):
        ExampleParameters().reach_mm = 3.0


def test_a_parameter_that_a_stage_does_not_declare_is_refused() -> None:
    with pytest.raises(TypeError, match="ExampleParameters has no parameter 'reach'"):
        ExampleParameters(reach=3.0)


def test_a_stage_is_declared_with_unit_and_source() -> None:
    reach = declared_stages()["tests.example"].declared["reach_mm"]
    assert reach == (2.5, "mm", "chosen for this test")


@pytest.mark.parametrize("text", ["{", "[1]"])
def test_variations_that_are_no_object_are_refused(text: str) -> None:
    with pytest.raises(ParameterError, match="JSON"):
        parse_variations(text)


@pytest.mark.parametrize("name", ["tests.nowhere.reach_mm", "tests.example.nothing", "reach_mm"])
def test_a_parameter_that_does_not_exist_is_refused(name: str) -> None:
    with pytest.raises(ParameterError, match=r"no (stage|')|has no"):
        check_variation(name)
    check_variation("tests.example.reach_mm")
