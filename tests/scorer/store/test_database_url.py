"""A database is named by a file or a URL, and its password stays hidden."""

from __future__ import annotations

from pathlib import Path

import pytest

from scorer.store.database_url import database_place, mask_password, parse_url
from scorer.store.errors import StoreError

SERVER = "postgresql://club:secret@hall.example:5433/matches"


def test_a_password_is_in_no_name_and_no_address() -> None:
    place = database_place(f"{SERVER}?options=-csearch_path%3Dmay&application_name=me")
    assert "secret" not in mask_password(SERVER) + place.address
    assert (place.name, place.file) == ("matches", None)
    assert "search_path" in place.address  # it chooses a database,
    assert "application_name" not in place.address  # and this does not


def test_a_file_and_its_url_are_one_place(tmp_path: Path) -> None:
    file = tmp_path / "club.db"
    assert database_place(str(file)) == database_place(f"sqlite:///{file}")
    assert database_place(str(file)).file == file.resolve()


@pytest.mark.parametrize(
    "url", ["sqlite://", "sqlite:///:memory:", "mysql://a/b", "postgresql://a:b:c/d", "://"]
)
def test_what_cannot_keep_matches_is_refused_without_its_password(url: str) -> None:
    with pytest.raises(StoreError):
        parse_url(url)
    assert mask_password("postgresql://me:secret@x:port/d") == "This URL"
