"""All parameters can be a little off at once, and totals show what that does."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest
from paths import STILLS

from bench.shake import SHARE, list_shaken, main, shake
from calibration.parameters import check_value


@pytest.mark.parametrize("seed", range(1, 11))
def test_every_parameter_is_off_by_its_share_at_most_and_stays_in_its_range(seed: int) -> None:
    values = shake(seed)
    assert values.keys() == {declared.name for declared in list_shaken()}
    off = []
    for declared in list_shaken():
        usual, now = (np.ravel(value) for value in (declared.default, values[declared.name]))
        check_value(declared.name, values[declared.name])
        rounding = 0.5 if isinstance(usual[0], np.integer) else 1e-9
        assert (np.abs(now - usual) <= SHARE * np.abs(usual) + rounding).all(), declared.name
        off += list((now - usual)[usual != 0])
    assert np.count_nonzero(off) > 0.9 * len(off)


def test_a_seed_shakes_a_parameter_alike_whichever_others_are_shaken() -> None:
    some = shake(3, "discs.hole.")
    assert 0 < len(some) < len(shake(3))
    assert some == {name: value for name, value in shake(3).items() if name in some}
    assert some != shake(4, "discs.hole.")


def test_totals_are_shown_with_the_usual_values_and_for_every_seed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for suffix in (".jpg", ".json"):
        shutil.copy(STILLS / f"empty_cherry_board{suffix}", tmp_path)
    main([str(tmp_path), "--seeds", "1", "--only", "detector."])
    header, usual, seed = capsys.readouterr().out.splitlines()
    assert header == "exact, settled, asked needlessly, silently wrong"
    assert usual == "1 1 0 0 with the usual values"
    assert seed.split()[-2:] == ["seed", "1"]
    assert [int(word) for word in seed.split()[:4]][3] == 0
