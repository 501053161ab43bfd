"""The folder of saved profiles: names from people, and permanent files."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from calibration.board import BoardSpec
from calibration.disc import DiscSpec
from calibration.profile import CalibrationProfile, Origin, ProfileError
from webapp.profile_store import ProfileStore

PROFILE = CalibrationProfile(board=BoardSpec(), disc=DiscSpec())


def named(name: str, made: str = "2020-01-01") -> CalibrationProfile:
    return replace(PROFILE, origin=Origin(name=name, made=made))


@pytest.fixture
def profiles(tmp_path: Path) -> ProfileStore:
    return ProfileStore(tmp_path / "profiles")


def test_what_is_kept_is_found_the_newest_first(profiles: ProfileStore) -> None:
    assert profiles.all() == ()
    old = profiles.keep(named("Old"), b"picture")
    new = profiles.keep(named("New", "2021-01-01"), b"picture")
    assert [record.key for record in profiles.all()] == [new, old]
    kept = profiles.get(old)
    assert kept is not None
    assert (kept.name, kept.has_picture) == ("Old", True)
    assert profiles.picture(old) is not None


def test_two_of_one_name_are_two(profiles: ProfileStore) -> None:
    keys = [profiles.keep(named("Club"), b"") for _ in range(3)]
    assert keys == ["club", "club-2", "club-3"]


@pytest.mark.parametrize(
    ("name", "key"),
    [("Zoë's Bräu 3", "zoe-s-brau-3"), ("../../etc/passwd", "etc-passwd"), ("中文", "board")],
    ids=str,
)
def test_a_name_becomes_a_plain_file_name(profiles: ProfileStore, name: str, key: str) -> None:
    assert profiles.keep(named(name), b"") == key
    kept = profiles.get(key)
    assert kept is not None
    assert kept.name == name


@pytest.mark.parametrize("key", ["../club", "club/..", "", ".", "Club", "none"])
def test_a_key_that_is_none_finds_nothing(profiles: ProfileStore, key: str) -> None:
    profiles.keep(named("Club"), b"")
    assert profiles.get(key) is None
    assert profiles.picture(key) is None
    profiles.drop(key)
    assert len(profiles.all()) == 1


def test_what_is_dropped_is_gone(profiles: ProfileStore) -> None:
    key = profiles.keep(named("Club"), b"")
    profiles.drop(key)
    assert profiles.all() == ()


def test_a_file_that_is_no_profile_is_not_offered(profiles: ProfileStore, tmp_path: Path) -> None:
    profiles.keep(named("Club"), b"")
    (tmp_path / "profiles" / "notes.json").write_text("{}")
    assert [record.key for record in profiles.all()] == ["club"]


def test_a_folder_that_cannot_be_made_is_said(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(ProfileError, match="cannot be saved"):
        ProfileStore(tmp_path / "file" / "profiles").keep(named("Club"), b"")


def test_a_name_that_no_page_can_show_is_refused_and_not_offered(
    profiles: ProfileStore, tmp_path: Path
) -> None:
    with pytest.raises(ProfileError, match="cannot be shown"):
        profiles.keep(named("A\ud800"), b"")
    profiles.keep(named("Club"), b"")
    whole = (tmp_path / "profiles" / "club.json").read_text()
    (tmp_path / "profiles" / "odd.json").write_text(whole.replace("Club", r"A\ud800"))
    assert [record.key for record in profiles.all()] == ["club"]
