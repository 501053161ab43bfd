"""The library for programs: its documented examples run, and its answers are the published ones."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import numpy as np
import pytest
from paths import CLIPS, ROOT, STILLS
from written_clip import cut_clip

from vision.io.array_frame import make_frame
from webapp.library import judge_shot, read_image, simulate_shot

PAGE = (ROOT / "docs" / "reference" / "python.md").read_text(encoding="utf-8")
FILES = re.findall(r'^```json title="(.+?)"\n(.*?)^```', PAGE, flags=re.DOTALL | re.MULTILINE)
EXAMPLES = re.findall(r"^```python\n(.*?)^```", PAGE, flags=re.DOTALL | re.MULTILINE)
#: Time by which the first shot of the sample round is over.
FIRST_SHOT_S = 4.4


@pytest.fixture
def folder_with_samples(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A current folder that holds the files that the examples name."""
    shutil.copy(STILLS / "twenty_in_the_hole.jpg", tmp_path / "photo.jpg")
    cut_clip(CLIPS / "round.mp4", tmp_path / "game.mp4", FIRST_SHOT_S)
    for name, text in FILES:
        (tmp_path / name).write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


TOLD = ["certain", "legal", "no_contact", "flat", "True"]


@pytest.mark.usefixtures("folder_with_samples")
@pytest.mark.parametrize(
    ("example", "told"),
    list(zip(EXAMPLES, TOLD, strict=True)),
    ids=["read", "follow", "judge", "simulate", "explain"],
)
def test_a_documented_example_runs(example: str, told: str, capsys) -> None:
    assert len(example.strip().splitlines()) < 10
    exec(compile(example, "example", "exec"), {})
    assert told in capsys.readouterr().out


@pytest.mark.parametrize(
    "image",
    [np.zeros((100, 100, 4), np.uint8), np.zeros((100, 100, 3)), np.zeros((4, 100), np.uint8)],
    ids=["four channels", "floats", "a strip"],
)
def test_an_array_that_is_no_picture_is_refused(image: np.ndarray) -> None:
    with pytest.raises(ValueError, match="image"):
        read_image(image)


def test_a_plain_picture_has_no_board_and_says_so() -> None:
    score = read_image(np.full((240, 320), 90, np.uint8))
    assert score.status == "no_board"
    assert score.reason


def test_a_large_array_is_reduced_and_keeps_its_grid() -> None:
    frame = make_frame(np.zeros((3001, 4000, 3), np.uint8))
    assert frame.image.shape[1] / 4000 == pytest.approx(frame.scale)
    assert (frame.width_px, frame.height_px) == (4000, 3001)


@pytest.mark.parametrize("ask", [judge_shot, simulate_shot])
def test_what_cannot_be_read_is_one_sentence(ask) -> None:
    with pytest.raises(ValueError, match=r"^[^\n]+$"):
        ask({"discs": 3})
