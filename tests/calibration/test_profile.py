"""A profile file: it round-trips, and a fault in it is reported in one sentence."""

from __future__ import annotations

import json
import os
import resource
from pathlib import Path

import pytest

from calibration.board import BoardSpec, EmptyHole
from calibration.disc import DiscSpec
from calibration.profile import (
    VERSION,
    CalibrationProfile,
    ProfileCamera,
    ProfileError,
    format_profile,
    load_profile,
    parse_profile,
    save_profile,
)

CAMERA = ProfileCamera(
    width_px=4000, height_px=3000, fx_px=3000.0, fy_px=3010.0, cx_px=1999.5, cy_px=1499.5, k1=0.02
)
PROFILE = CalibrationProfile(
    board=BoardSpec(
        line_radii_mm=(100.5, 203.0, 306.0),
        line_sigmas_mm=(0.1, 0.1, 0.2),
        line_centres_mm=((0.2, 0.1), (0.0, 0.0), (-0.3, 0.0)),
        ovality=(0.001, -0.002),
        post_count=4,
    ),
    disc=DiscSpec(radius_mm=15.5, height_mm=10.2),
    camera=CAMERA,
)


def file_saying(**parts: object) -> str:
    return json.dumps({"version": 1, **parts})


def test_a_saved_profile_round_trips(tmp_path: Path) -> None:
    path = tmp_path / "home.json"
    save_profile(PROFILE, path)
    assert load_profile(path) == PROFILE


def test_a_profile_without_a_camera_comes_back_without_one() -> None:
    profile = CalibrationProfile(board=BoardSpec(), disc=DiscSpec())
    assert parse_profile(format_profile(profile)) == profile


def test_sizes_missing_from_a_profile_are_nominal() -> None:
    profile = parse_profile(file_saying(disc={"height_mm": 10, "height_sigma_mm": 0.1}))
    assert profile.board == BoardSpec()
    assert profile.disc == DiscSpec(height_mm=10.0, height_sigma_mm=0.1)
    assert profile.camera is None


def test_a_profile_without_a_disc_round_trips() -> None:
    text = format_profile(CalibrationProfile(board=BoardSpec()))
    assert json.loads(text)["disc"] is None
    assert parse_profile(text).disc is None


def test_a_profile_keeps_the_empty_hole() -> None:
    hole = EmptyHole(light_rgb=(0.2, 0.11, 0.05))
    profile = CalibrationProfile(board=BoardSpec(), empty_hole=hole)
    assert parse_profile(format_profile(profile)) == profile


def test_a_profile_that_knows_no_empty_hole_is_written_as_older_programs_read_it() -> None:
    text = format_profile(CalibrationProfile(board=BoardSpec()))
    assert "empty_hole" not in json.loads(text)
    assert parse_profile(text).empty_hole is None


@pytest.mark.parametrize("version", [1, 2])
def test_a_file_without_discs_has_no_disc(version: int) -> None:
    assert parse_profile(json.dumps({"version": version})).disc is None


#: Disc sizes as written in version 2, when a profile could not yet omit them.
ONCE_WRITTEN = {
    "radius_mm": 15.875,
    "radius_sigma_mm": 0.3,
    "height_mm": 9.5,
    "height_sigma_mm": 0.6,
    "contact_inset_mm": 0.45,
    "contact_inset_sigma_mm": 0.15,
}


@pytest.mark.parametrize(
    ("disc", "colours", "is_known"),
    [
        (ONCE_WRITTEN, [], False),
        (ONCE_WRITTEN, ["black"], True),
        ({**ONCE_WRITTEN, "radius_mm": 16.0}, [], True),
        ({"radius_mm": 15.875}, [], True),
    ],
    ids=["nobody measured", "measured so", "another size", "stated"],
)
def test_nominal_sizes_written_by_older_versions_are_not_measured_ones(
    disc: dict[str, float], colours: list[str], is_known: bool
) -> None:
    text = json.dumps({"version": 2, "disc": disc, "origin": {"colours": colours}})
    assert (parse_profile(text).disc is not None) is is_known


def test_a_size_without_a_sigma_gets_a_tape_measures_sigma() -> None:
    disc = parse_profile(file_saying(disc={"radius_mm": 15.9})).disc
    assert disc is not None
    assert disc.radius_sigma_mm == pytest.approx(0.3)
    assert disc.height_sigma_mm == DiscSpec().height_sigma_mm


@pytest.mark.parametrize(
    ("disc", "is_accurate"),
    [
        (None, False),
        (DiscSpec(), False),
        (DiscSpec(height_mm=10.0, height_sigma_mm=0.1), False),
        (DiscSpec(radius_mm=15.9, radius_sigma_mm=0.35), True),
    ],
    ids=["none", "nominal", "height alone", "hardly measured"],
)
def test_a_radius_known_no_better_than_nominal_is_left_to_the_picture(
    disc: DiscSpec | None, is_accurate: bool
) -> None:
    found = CalibrationProfile(board=BoardSpec(), disc=disc).accurate_disc
    assert found == (disc if is_accurate else None)


def test_the_camera_follows_the_size_of_the_picture() -> None:
    camera = PROFILE.camera_for(2000, 1500)
    assert camera is not None
    assert (camera.fx_px, camera.fy_px, camera.k1) == (1500.0, 1505.0, 0.02)
    assert (camera.cx_px, camera.cy_px) == (999.5, 749.5)


@pytest.mark.parametrize("size", [(3000, 4000), (4000, 2250)])
def test_a_picture_of_another_shape_is_of_another_camera(size: tuple[int, int]) -> None:
    assert PROFILE.camera_for(*size) is None


def test_a_profile_without_a_camera_has_none_for_any_picture() -> None:
    assert CalibrationProfile(board=BoardSpec(), disc=DiscSpec()).camera_for(4000, 3000) is None


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("{", "not JSON"),
        ("[]", "one JSON object"),
        ("{}", "version is null"),
        ('{"version": 3}', "version is 3, but this program supports 2"),
        (file_saying(bord={}), "unknown entry 'bord'"),
        (file_saying(board=[]), "'board' must be a JSON object"),
        (file_saying(board={"radius": 3}), "'board' has the unknown entry 'radius'"),
        (file_saying(board={"line_width_mm": "wide"}), "must be a number"),
        (file_saying(board={"line_width_mm": True}), "must be a number"),
        (file_saying(board={"line_width_mm": float("nan")}), "must be a number"),
        (file_saying(board={"line_width_mm": -1}), "line_width_mm must be positive"),
        (file_saying(board={"line_radii_mm": [1, 2]}), "list of 3 numbers"),
        (file_saying(board={"line_radii_mm": [300, 200, 100]}), "must grow outward"),
        (file_saying(board={"line_centres_mm": [[0, 0]]}), "each of the three lines"),
        (file_saying(board={"line_centres_mm": 3}), "list of pairs"),
        (file_saying(board={"post_count": 7.5}), "whole number"),
        (file_saying(disc={"radius_mm": 0.1}), "must exceed its inset"),
        (file_saying(camera={"fx_px": 100}), "'camera' is wrong"),
        (file_saying(empty_hole={"light_rgb": [0.1, 0.2, 0.0]}), "shares between"),
        (file_saying(camera=dict.fromkeys(ProfileCamera.__slots__, 0)), "must be positive"),
    ],
)
def test_a_wrong_profile_is_refused_in_one_sentence(text: str, says: str) -> None:
    with pytest.raises(ProfileError) as refusal:
        parse_profile(text)
    assert says in str(refusal.value)
    assert "\n" not in str(refusal.value)


@pytest.mark.parametrize(
    ("content", "why"),
    [(None, "File not found"), (b"\xff\xfe\x00bytes", "This is not a text file")],
    ids=["missing", "not text"],
)
def test_a_file_that_cannot_be_read_is_refused_by_name(tmp_path: Path, content, why) -> None:
    path = tmp_path / "profile.json"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(ProfileError, match=rf"profile\.json: {why}"):
        load_profile(path)


def test_a_profile_stays_if_the_disk_has_no_room_for_its_successor(tmp_path: Path) -> None:
    path = tmp_path / "board.json"
    save_profile(PROFILE, path)
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (10, limits[1]))
    try:
        with pytest.raises(OSError, match="File too large"):
            save_profile(CalibrationProfile(board=BoardSpec()), path)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert load_profile(path) == PROFILE
    assert list(tmp_path.iterdir()) == [path]


def test_a_profile_can_go_to_a_pipe(tmp_path: Path) -> None:
    os.mkfifo(pipe := tmp_path / "pipe")
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    save_profile(PROFILE, pipe)
    assert json.loads(os.read(reader, 100_000))["version"] == VERSION
    os.close(reader)
