"""`crokinole calibrate`: from pictures to a profile and its picture."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import cv2
import pytest
from plain_wall import write_wall

from calibration.profile import ProfileCamera, load_profile, save_profile
from sample_images import __file__ as _samples
from webapp.cli.main import main

STILLS = Path(_samples).parent / "stills"
BOARD = str(STILLS / "near_lines_on_both_sides.jpg")


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A profile made from a sample picture."""
    path = tmp_path_factory.mktemp("profiles") / "club.json"
    assert main(["calibrate", BOARD, "--out", str(path), "--name", "Club board"]) == 0
    return path


def test_a_picture_becomes_a_profile_with_a_picture(kept: Path) -> None:
    profile = load_profile(kept)
    assert profile.origin.name == "Club board"
    assert len(profile.origin.colours) == 2
    assert profile.camera is not None
    assert (profile.camera.width_px, profile.camera.height_px) == (1280, 960)
    assert cv2.imread(str(kept.with_suffix(".jpg"))).shape[:2] == (960, 1280)


def test_a_profile_named_as_its_photograph_leaves_the_photograph(kept: Path) -> None:
    photo = kept.with_name("board.jpg")
    photo.write_bytes(Path(BOARD).read_bytes())
    assert main(["calibrate", str(photo), "--out", str(photo.with_suffix(".json"))]) == 0
    assert photo.read_bytes() == Path(BOARD).read_bytes()
    assert photo.with_name("board_fit.jpg").exists()


def test_the_profile_scores_its_own_picture(kept: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["score", BOARD, "--profile", str(kept), "--json"]) == 0
    (score,) = json.loads(capsys.readouterr().out)
    radii = load_profile(kept).board.line_radii_mm
    assert score["board"]["line_radii_mm"] == pytest.approx(radii, abs=0.01)
    assert "profile" not in (score["reason"] or "")


def test_a_lens_of_another_resolution_or_zoom_is_said_and_not_used(
    kept: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    profile = load_profile(kept)
    assert profile.camera is not None
    wide = replace(profile.camera, height_px=720)
    zoomed = replace(profile.camera, fx_px=2000.0, fy_px=2000.0, focal_log_sigma=0.01)
    for camera, words in ((wide, "1280 × 720"), (zoomed, "camera or zoom does not match")):
        assert words in _reason_with(camera, kept, tmp_path, capsys)


def _reason_with(
    camera: ProfileCamera, kept: Path, folder: Path, capsys: pytest.CaptureFixture[str]
) -> str:
    save_profile(replace(load_profile(kept), camera=camera), folder / "other.json")
    assert main(["score", BOARD, "--profile", str(folder / "other.json"), "--json"]) == 0
    (score,) = json.loads(capsys.readouterr().out)
    assert score["camera"]["fx_px"] == pytest.approx(911.0, rel=0.1)
    return str(score["reason"])


def test_no_board_is_one_sentence_and_no_file(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "none.json"
    assert main(["calibrate", str(write_wall(tmp_path)), "--out", str(out)]) == 1
    assert len(capsys.readouterr().err.strip().splitlines()) == 1
    assert not out.exists()


def test_a_folder_that_cannot_be_written_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["calibrate", BOARD, "--out", "/nowhere/at/all.json"]) == 1
    assert "cannot be written" in capsys.readouterr().err


def test_a_clip_gives_a_sharp_picture(tmp_path: Path) -> None:
    clip = str(STILLS.parent / "clips" / "round.mp4")
    assert main(["calibrate", clip, "--out", str(tmp_path / "clip.json")]) == 0
    assert load_profile(tmp_path / "clip.json").origin.residual_mm < 0.3


@pytest.mark.parametrize("source", ["99", "nowhere.mp4"], ids=["no camera", "no file"])
def test_a_source_that_is_not_there_is_said(
    source: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["calibrate", source, "--out", str(tmp_path / "x.json")]) == 1
    assert "check" in capsys.readouterr().err.lower()


def answers(monkeypatch: pytest.MonkeyPatch, *lines: str) -> Callable[[], int]:
    """Type these lines for a person; returns how many are left."""
    left = list(lines)

    def typed(_question: str) -> str:
        if not left:
            raise EOFError
        return left.pop(0)

    monkeypatch.setattr("builtins.input", typed)
    return lambda: len(left)


def test_a_person_can_place_the_handles_and_point_at_discs(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "mine.json"
    places = "770,244 328,386 480,866 1008,641"
    left = answers(monkeypatch, "no", places, "yes", "no", "", "")
    assert main(["calibrate", BOARD, "--out", str(out), "--confirm"]) == 0
    assert left() == 0
    told = capsys.readouterr().out
    assert "where a quadrant line meets the outer ring" in told
    assert "disc sizes will be measured in every photo" in told
    assert load_profile(out).origin.colours == ()
    assert load_profile(out).disc is None


def test_a_person_who_stops_keeps_nothing(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for typed in (("quit",), ()):
        answers(monkeypatch, *typed)
        assert main(["calibrate", BOARD, "--out", str(tmp_path / "x.json"), "--confirm"]) == 1
        assert "saved" in capsys.readouterr().err
    assert not (tmp_path / "x.json").exists()
