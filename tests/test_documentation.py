"""README and documentation: links lead somewhere, pictures are small."""

from __future__ import annotations

import importlib.util
import re
import subprocess
from pathlib import Path

import pytest
from command_lines import parse
from paths import PAGES, ROOT, SCHEMAS

from scorer.match.events import MatchStarted
from scorer.match.fold import fold
from scorer.rules.choices import Format
from webapp.cli.command_line import CROKINOLE
from webapp.cli.main import main
from webapp.cli.match_report import state_json
from webapp.pages.overlay import overlay

#: A README with larger pictures is slow to open on a phone.
MOST_PICTURE_BYTES = 300_000
LINK = re.compile(r"\]\(([^)\s]+)\)")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_link_leads_to_a_file(page: Path) -> None:
    text = re.sub(r"```.*?```|`[^`]*`", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
    links = [link for link in LINK.findall(text) if "://" not in link and link[0] != "#"]
    missing = [link for link in links if not (page.parent / link.partition("#")[0]).exists()]
    assert missing == []


def test_every_target_of_make_that_a_page_names_exists() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    targets = set(re.findall(r"^([a-z-]+):", makefile, flags=re.MULTILINE))
    named = {
        (path.name, target)
        for path in PAGES
        for target in re.findall(r"`(?:\w+=\w+ )*make ([a-z-]+)", path.read_text(encoding="utf-8"))
    }
    assert len(named) > 20
    assert [name for name in sorted(named) if name[1] not in targets] == []


def test_make_help_lists_targets_that_exist() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    told = subprocess.run(["make", "help"], cwd=ROOT, capture_output=True, text=True, check=True)
    listed = re.findall(r"^make ([a-z-]+) ", told.stdout, flags=re.MULTILINE)
    assert len(listed) > 4
    assert set(listed) <= set(re.findall(r"^([a-z-]+):", makefile, flags=re.MULTILINE))


def test_the_readme_is_one_screen_and_a_half() -> None:
    assert len((ROOT / "README.md").read_text(encoding="utf-8").split()) < 650


def test_the_readme_tells_the_figures_of_the_accuracy_page() -> None:
    page = (ROOT / "docs" / "accuracy.md").read_text(encoding="utf-8")
    readme = (ROOT / "README.md").read_text(encoding="utf-8")

    def last_row(name: str) -> list[str]:
        table = page.partition(f"<!-- {name} -->")[2].partition(f"<!-- /{name} -->")[0]
        row = [line for line in table.splitlines() if line.startswith(("| **all**", "| 1", "| 2"))]
        return [cell.strip() for cell in row[-1].strip("|").split("|")]

    boards = [last_row(name) for name in ("photos", "steep", "stills")]
    shots = [last_row("films")]
    wanted = [(row[1], *row[3:7]) for row in boards]
    row_of_readme = r"^\| (\d+) .+? \| (.+?) \| (.+?) \| (.+?) \| (.+?) \|$"
    told = re.findall(row_of_readme, readme, flags=re.MULTILINE)
    assert told[: len(boards)] == wanted
    assert [(row[0], row[1], row[3]) for row in told[len(boards) :]] == [
        (row[0], row[3], row[4]) for row in shots
    ]
    median, highest = last_row("renders")[-1].removesuffix(" mm").split(" / ")
    assert f"off by {median} mm (median) and {highest} mm (95%)" in readme


def test_messages_of_the_troubleshooting_page_are_the_programs_own() -> None:
    page = (ROOT / "docs" / "guide" / "troubleshooting.md").read_text(encoding="utf-8")
    catalogue = ROOT / "webapp" / "translations" / "fr" / "LC_MESSAGES" / "messages.po"
    texts = catalogue.read_text(encoding="utf-8").replace('"\n"', "")
    texts += (ROOT / "webapp" / "server.py").read_text(encoding="utf-8")
    quotes = re.findall("“(.+?)”", page)
    assert len(quotes) > 25
    pieces = [piece.strip() for quote in quotes for piece in quote.split("…")]
    assert [piece for piece in pieces if piece not in texts] == []


def test_every_value_of_an_overlays_address_stands_on_the_streaming_page() -> None:
    page = (ROOT / "docs" / "guide" / "streaming.md").read_text(encoding="utf-8")
    values = {*overlay.PARTS, *overlay.CORNERS, *overlay.LAYOUTS, *overlay.LOOKS}
    assert [value for value in sorted(values) if f"`{value}`" not in page] == []


def test_the_match_of_the_photo_tutorial_takes_its_photo(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    page = (ROOT / "docs" / "tutorials" / "photo.md").read_text(encoding="utf-8")
    commands = re.findall(r"^crokinole (match .+)$", page, flags=re.MULTILINE)
    assert len(commands) == 2
    monkeypatch.chdir(ROOT)
    for command in commands:
        group, action, *rest = command.split()
        assert main([group, action, "--db", str(tmp_path / "m.db"), *rest]) == 0
    assert "round 1" in capsys.readouterr().out


def test_pictures_of_the_documentation_are_small() -> None:
    pictures = list((ROOT / "docs" / "pictures").iterdir())
    assert pictures
    assert [
        picture.name for picture in pictures if picture.stat().st_size > MOST_PICTURE_BYTES
    ] == []


def test_pages_are_filled_from_the_code() -> None:
    spec = importlib.util.spec_from_file_location("hooks", ROOT / "docs" / "hooks.py")
    assert spec is not None
    assert spec.loader is not None
    hooks = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(hooks)
    filled = hooks.on_page_markdown(
        "<!-- commands --> <!-- options --> <!-- rules --> <!-- sources -->"
        "<!-- physics --> <!-- news -->"
    )
    assert [name for name in CROKINOLE.commands if f"### {name}\n" not in filled] == []
    assert "| `contact` |" in filled
    assert "| `best_of` | rounds in a best-of game" in filled
    assert "### nca: NCA reference manual" in filled
    assert "| `friction` | 0.1 |" in filled
    assert "### Fixed" in filled


def test_every_published_schema_stands_among_the_json_forms() -> None:
    page = (ROOT / "docs" / "reference" / "formats.md").read_text(encoding="utf-8")
    names = sorted(path.name for path in SCHEMAS.glob("*.schema.json"))
    assert names
    assert [name for name in names if name not in page] == []


def test_every_key_of_a_match_stands_among_the_json_forms() -> None:
    page = (ROOT / "docs" / "reference" / "formats.md").read_text(encoding="utf-8")
    begun = MatchStarted(rules="nca", format=Format.TWO, players=("Ann", "Bob"))
    assert [key for key in state_json(fold([begun])) if f"`{key}`" not in page] == []


@pytest.mark.parametrize("command", ["serve", "worker"])
def test_every_option_of_a_server_and_its_workers_stands_among_the_settings(command: str) -> None:
    page = (ROOT / "docs" / "reference" / "settings.md").read_text(encoding="utf-8")
    options = {name for param in CROKINOLE.commands[command].params for name in param.opts}
    missing = [name for name in sorted(options) if f"`{name}" not in page]
    assert missing == []


def test_the_large_form_runs_commands_that_there_are() -> None:
    yaml = pytest.importorskip("yaml")
    parts = yaml.safe_load((ROOT / "compose.yaml").read_text(encoding="utf-8"))["services"]
    told = [parse(parts[part]["command"]) for part in ("server", "worker")]
    assert len({options["db"] for options in told}) == 1
    assert (told[0]["workers"], told[0]["proxies"]) == (0, 1)
