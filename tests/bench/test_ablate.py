"""A stage can be left out by the values of its parameters, and totals show what that does."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from paths import STILLS

from bench import ablate
from bench.parameter_list import import_stages
from calibration.parameters import check_variation


@pytest.mark.parametrize("stage", ablate.ABLATIONS)
def test_a_stage_is_left_out_by_values_that_its_parameters_may_have(stage: str) -> None:
    stages = import_stages()
    for name, value in ablate.ABLATIONS[stage].items():
        check_variation(name)
        owner, _, field = name.rpartition(".")
        default = stages[owner].declared[field].default
        assert type(value) is (list if isinstance(default, tuple) else type(default))


def test_without_its_search_a_side_of_the_boards_colour_is_not_read(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for suffix in (".jpg", ".json"):
        shutil.copy(STILLS / f"overhead_maple_black_and_natural{suffix}", tmp_path)
    ablate.main([str(tmp_path), "second_search"])
    _, usual, without = capsys.readouterr().out.splitlines()
    assert usual == "1 0 1 0 with all stages"
    assert without == "0 0 0 0 without second_search"
