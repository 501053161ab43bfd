"""The place of all data: one folder, and nothing in the current folder."""

from __future__ import annotations

from fnmatch import fnmatch
from pathlib import Path

import pytest
from paths import ROOT

from scorer.store import StoreError
from webapp import data_folder
from webapp.cli.main import main
from webapp.data_folder import VARIABLE, DataFolder, DataFolderError, find_data_folder
from webapp.http.token import Secret

URL = "postgresql://ann:opensesame@host:5433/club"


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder, which is empty; the data folder is another one and does not exist yet."""
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    monkeypatch.setenv(VARIABLE, str(tmp_path / "data"))
    return tmp_path / "here"


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return tmp_path / "data"


def companions(found: DataFolder) -> tuple[Path, ...]:
    """The files that belong to a database."""
    return (found.secret, found.shots, found.hooks, found.profiles, found.cases)


def test_everything_lies_in_one_folder_that_is_its_owners_alone(data: Path, here: Path) -> None:
    found = find_data_folder()
    found.make()
    Secret(found.secret)
    everything = (*companions(found), found.tls_key, found.tls_certificate)
    assert {path.parent for path in (Path(found.database), *everything)} == {data}
    assert data.stat().st_mode & 0o777 == 0o700
    assert found.secret.stat().st_mode & 0o777 == 0o600
    assert list(here.iterdir()) == []


def test_the_option_goes_before_the_variable_and_that_before_the_platform(
    data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    usual = tmp_path / "usual"
    monkeypatch.setattr(data_folder, "user_data_path", lambda *_, **__: usual)
    assert find_data_folder(folder=Path("kept")).folder == Path("kept").absolute()
    assert find_data_folder().folder == data
    monkeypatch.delenv(VARIABLE)
    assert find_data_folder().folder == usual


def test_the_platform_names_a_folder_of_the_users_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(VARIABLE)
    assert find_data_folder().folder.name == "crokinole"
    assert find_data_folder().folder.is_absolute()


def test_a_server_on_a_database_url_writes_nothing_into_the_current_folder(
    data: Path, here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    url = "postgresql://ann:opensesame@127.0.0.1:1/club"
    assert main(["serve", "--port", "0", "--db", url]) == 1
    assert "opensesame" not in capsys.readouterr().err
    assert list(here.iterdir()) == []
    assert all(fnmatch(path.name, "club-*.secret") for path in data.iterdir())


def test_files_of_a_url_have_its_databases_name_and_nothing_of_its_password(data: Path) -> None:
    found = companions(find_data_folder(URL))
    assert {path.parent for path in found} == {data}
    assert all(path.name.startswith("club-") and "opensesame" not in path.name for path in found)
    others = ("ann", "ann:changed", "ann:open%2Fsesame")
    for url in (*(URL.replace("ann:opensesame", other) for other in others), f"{URL}?sslmode=no"):
        assert companions(find_data_folder(url)) == found
    assert companions(find_data_folder(URL.replace(":", "+psycopg:", 1))) == found


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (URL, URL.replace("club", "league")),
        (URL, URL.replace("host", "elsewhere")),
        (URL, URL.replace("5433", "5434")),
        (URL, f"{URL}?options=-csearch_path%3Dleague"),
        ("a/m.db", "b/m.db"),
        ("m.db", "../data/m.db"),
        ("m.db", None),
    ],
)
def test_two_databases_share_nothing_but_the_certificate(one: str, other: str | None) -> None:
    first, second = find_data_folder(one), find_data_folder(other)
    assert set(companions(first)).isdisjoint(companions(second))
    assert first.tls_key == second.tls_key


def test_one_database_has_the_same_files_however_it_is_named(here: Path, data: Path) -> None:
    found = companions(find_data_folder("m.db"))
    for path in (str(here / "m.db"), "../here/m.db", f"sqlite:///{here}/m.db"):
        assert companions(find_data_folder(path)) == found
    within = companions(find_data_folder(str(data / "club.db")))
    assert [path.name for path in within] == [
        f"club.db.{kind}" for kind in ("secret", "shots", "hooks", "profiles", "cases")
    ]


def test_a_token_that_somebody_puts_beside_a_shared_database_changes_nothing(here: Path) -> None:
    found = find_data_folder("club.db")
    found.make()
    token = Secret(found.secret).token
    Secret(here / "club.db.secret")
    assert Secret(find_data_folder("club.db").secret).token == token


def test_matches_are_kept_in_the_data_folder_from_anywhere(
    here: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["match", "new", "Ann", "Bob"]) == 0
    monkeypatch.chdir(tmp_path)
    assert main(["match", "list"]) == 0
    assert "Ann" in capsys.readouterr().out
    assert list(here.iterdir()) == []


@pytest.mark.parametrize("command", ["serve", "match list", "watch clip.mp4 --serve"])
def test_a_data_folder_that_cannot_be_written_is_told_in_one_sentence(
    command: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").touch()
    name, *rest = command.split()
    assert main([name, "--data", str(tmp_path / "file" / "data"), *rest]) == 1
    told = capsys.readouterr()
    assert (told.out, told.err.count("\n")) == ("", 1)
    assert "--data" in told.err
    assert VARIABLE in told.err


def test_a_file_as_data_folder_is_answered_with_advice_to_choose_a_folder(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(DataFolderError, match=r"; choose a folder with --data") as told:
        find_data_folder(folder=tmp_path / "file").make()
    assert "permissions" not in str(told.value)


def test_a_folder_without_permission_to_write_is_told(
    data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data.mkdir()
    monkeypatch.setattr(data_folder.os, "access", lambda *_: False)  # as for every user but root
    with pytest.raises(DataFolderError, match="cannot be written"):
        find_data_folder().make()


@pytest.mark.parametrize("url", ["sqlite://", "mysql://x/y", "://", "postgresql://x:port/y"])
def test_a_url_that_names_no_database_is_told(url: str, here: Path, data: Path) -> None:
    with pytest.raises(StoreError):
        find_data_folder(url)
    assert main(["serve", "--db", url]) == 1
    assert [*here.iterdir(), data.exists()] == [False]


@pytest.mark.parametrize("database", ["club.db", "crokinole.db", URL])
def test_git_ignores_whatever_may_lie_in_the_current_folder(database: str, here: Path) -> None:
    ignored = (ROOT / ".gitignore").read_text("utf-8").splitlines()
    found = find_data_folder(database, here)
    for companion in (*companions(found), found.tls_key, found.tls_certificate):
        assert any(fnmatch(companion.name, line.rstrip("/")) for line in ignored), companion.name


def test_the_documentation_says_where_everything_is_kept() -> None:
    page = (ROOT / "docs" / "guide" / "server.md").read_text("utf-8")
    for word in (
        VARIABLE,
        "--data",
        ".secret",
        ".shots",
        ".hooks",
        ".profiles",
        ".cases",
        "crokinole-tls",
    ):
        assert word in page
