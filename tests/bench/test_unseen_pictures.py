"""Pictures that no threshold was chosen on: changed as stated, with a truth that follows."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import cv2
import numpy as np
import pytest
from paths import STILLS

from bench import unseen_pictures as unseen

GREY = np.full((400, 600, 3), 128, np.uint8)
GREY[150:250, 200:400] = (40, 90, 200)


@pytest.mark.parametrize("name", unseen.ALTERATIONS)
def test_an_alteration_changes_a_picture_and_hardly_its_size(name: str) -> None:
    altered = unseen.ALTERATIONS[name](GREY, np.random.default_rng(3))
    assert altered.dtype == np.uint8
    assert altered.shape != GREY.shape or (altered != GREY).any()
    assert 0.4 <= altered.shape[1] / GREY.shape[1] <= 1.0


def test_a_smaller_picture_has_its_labels_where_they_are_now(tmp_path: Path) -> None:
    cv2.imwrite(str(tmp_path / "a.png"), GREY)
    disc = {"px": [45, 30], "r_px": 10, "zone": 5, "team": "red", "state": "flat"}
    truth = {"discs": [disc], "totals": {"red": 5}, "ignore": [{"px": [80, 10]}]}
    (tmp_path / "a.json").write_text(json.dumps(truth))
    pictures = list(unseen.alter_pictures([tmp_path], len(unseen.ALTERATIONS), 1))
    (smaller,) = (picture for picture in pictures if picture.kind == "smaller")
    share = smaller.image.shape[1] / 600
    assert share < 0.8
    assert smaller.truth.discs[0].place == (45 * share, 30 * share)
    assert (smaller.truth.gate, smaller.truth.ignored_within) == (15 * share, 20 * share)
    assert smaller.truth.ignored == ((80 * share, 10 * share),)


def test_renders_have_all_tilts_and_discs_of_their_own() -> None:
    first, last = sorted(unseen.draw_renders(2, 901), key=lambda board: board.truth.tilt_deg or 0.0)
    assert first.truth.tilt_deg == pytest.approx(0.0, abs=1.0)
    assert last.truth.tilt_deg == pytest.approx(78.0, abs=1.0)
    assert first.truth.discs != last.truth.discs


def test_silently_wrong_pictures_are_listed_and_kept(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder, out = tmp_path / "in", tmp_path / "out"
    folder.mkdir()
    shutil.copy(STILLS / "octagon_blue_board_with_digits.jpg", folder)
    truth = json.loads((STILLS / "octagon_blue_board_with_digits.json").read_text())
    truth["totals"] = {team: points + 5 for team, points in truth["totals"].items()}
    (folder / "octagon_blue_board_with_digits.json").write_text(json.dumps(truth))
    unseen.main(["altered", str(folder), "--pictures", "1", "--out", str(out)])
    listed, of_kind, of_all = capsys.readouterr().out.splitlines()
    assert listed.startswith("silently wrong: octagon_blue_board_with_digits darker")
    assert of_kind == f"darker: {of_all}"
    assert of_all.endswith("1 boards, 0 exact, 0 settled, 0 asked needlessly, 1 silently wrong")
    assert [path.name for path in out.iterdir()] == ["octagon_blue_board_with_digits darker.png"]
