"""Practice and pictures to share in a browser: started with two taps, counted by taps or the
camera.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from axe_playwright_python.sync_playwright import Axe
from paths import STILLS
from PIL import Image
from playwright.sync_api import Page, expect
from screen_sizes import PHONE
from simulated_match import simulate_match
from watch_events import RED, disc, shot_event

from calibration.placed_disc import DiscState
from scorer.match.events import MatchStarted, RoundScored
from scorer.rules.choices import Format
from webapp.server import RunningServer
from webapp.services import services_of


def test_a_practice_takes_two_taps_to_begin_and_counts_taps_and_the_camera(
    server: RunningServer, open_window: Callable[..., Page], show: Callable[[Page, str], None]
) -> None:
    parts = services_of(server.app)
    parts.scoreboard.begin(MatchStarted(rules="nca", format=Format.TWO, players=("Ann", "Bob")))
    page = open_window(scorer=True, device=PHONE)
    page.goto("/practice")
    page.get_by_role("radio", name="Bob").tap()
    page.get_by_role("button", name="Open-board 20s").tap()
    count = page.get_by_role("status")
    expect(count).to_contain_text("0 of 0")
    page.wait_for_load_state()
    page.get_by_role("button", name="20", exact=True).tap()
    expect(count).to_contain_text("1 of 1")
    board = page.locator("svg.can-tap")
    box = board.bounding_box()
    assert box is not None
    board.tap(position={"x": box["width"] / 2 + 50 * box["width"] / 704, "y": box["height"] / 2})
    expect(count).to_contain_text("1 of 2")
    held = parts.practices.get(1)
    assert held is not None
    assert abs((held.state.shots[1].right_mm or 0) - 50) < 2
    assert abs(held.state.shots[1].beyond_mm or 9) < 2
    watcher = open_window()
    watcher.goto("/practice/1")
    parts.recorder.on_event(shot_event(0, RED, disc("shooter", RED, (0, 0), DiscState.IN_HOLE)))
    expect(count).to_contain_text("2 of 3")
    expect(watcher.get_by_role("status")).to_contain_text("2 of 3")
    parts.recorder.on_event(shot_event(0, RED, disc("shooter", RED, (-60, 90))))
    expect(page.get_by_text("Based on the 2 of 2 misses")).to_be_visible()
    assert Axe().run(page).response["violations"] == []
    show(page, "practice")


def test_a_match_s_result_is_saved_as_a_picture(
    server: RunningServer, open_window: Callable[..., Page]
) -> None:
    board = services_of(server.app).scoreboard
    number = board.begin(MatchStarted(rules="nca", format=Format.TWO, players=("Ann", "Bob")))
    board.append(number, RoundScored(points=(60, 20), twenties=(1, 0)))
    page = open_window()
    page.goto(f"/match/{number}")
    page.get_by_text("Share as an image").click()
    with page.expect_download() as saved:
        page.get_by_role("button", name="Save as PNG").click()
    with Image.open(saved.value.path()) as picture:
        assert picture.size == (1200, 630)
        colours = picture.convert("RGB").getcolors(maxcolors=1_000_000)
    assert colours is not None
    assert len(colours) > 50  # letters and a board, not an empty sheet


def test_a_player_is_renamed_and_merged_once_that_is_confirmed(
    server: RunningServer, scorer: Page, show: Callable[[Page, str], None]
) -> None:
    board = services_of(server.app).scoreboard
    for players in (("Ann", "Bob"), ("Anne", "Cid")):
        board.begin(MatchStarted(rules="nca", format=Format.TWO, players=players))
    scorer.goto("/player?name=Anne")
    scorer.get_by_text("Rename this player").click()
    scorer.get_by_label("New name").fill("Ann")
    scorer.get_by_role("button", name="Rename").click()
    expect(scorer.get_by_text("Ann has already played.")).to_be_visible()
    assert Axe().run(scorer).response["violations"] == []
    show(scorer, "player-merge")
    scorer.get_by_role("button", name="Merge with Ann").click()
    expect(scorer.get_by_role("heading", level=1)).to_have_text("Ann")
    expect(scorer.get_by_role("link", name="Ann – Cid")).to_be_visible()
    scorer.get_by_text("Rename this player").click()
    scorer.get_by_label("New name").fill("Anna")
    scorer.get_by_role("button", name="Rename").click()
    expect(scorer.get_by_role("heading", level=1)).to_have_text("Anna")
    assert board.state.match is not None
    assert [side.name for side in board.state.match.sides] == ["Anna", "Cid"]


def test_a_players_picture_is_shown_beside_the_name_on_every_screen_until_it_is_removed(
    server: RunningServer,
    scorer: Page,
    open_window: Callable[..., Page],
    show: Callable[[Page, str], None],
) -> None:
    parts = services_of(server.app)
    parts.boards.add_board("")
    board = parts.scoreboard
    number = board.begin(MatchStarted(rules="nca", format=Format.TWO, players=("Ann", "Bob")))
    screens = [open_window() for _ in range(3)]
    for page, address in zip(screens, ("/boards/1?tv", "/overlay", "/?tv"), strict=True):
        page.goto(address)
        expect(page.get_by_text("Ann", exact=True).first).to_be_visible()
        expect(page.locator(".portrait")).to_have_count(0)
    scorer.goto("/player?name=Ann")
    scorer.get_by_text("Picture of this player").click()
    chosen = scorer.get_by_label("Photo or flag")
    chosen.set_input_files({"name": "a.png", "mimeType": "image/png", "buffer": b"no image"})
    expect(scorer.get_by_text("This image cannot be opened. Choose another.")).to_be_visible()
    chosen.set_input_files(STILLS / "oblique_birch_red_and_blue.jpg")
    shown = scorer.locator("h1 .portrait")
    expect(shown).to_be_visible()
    assert Axe().run(scorer).response["violations"] == []
    show(scorer, "player-picture")
    for page in screens:
        picture = page.locator(".portrait")
        expect(picture).to_be_visible()
        assert picture.evaluate("each => each.decode().then(() => each.naturalWidth)") == 320
    name = screens[2].locator(".fits").first
    assert name.evaluate("each => parseFloat(getComputedStyle(each).fontSize)") > 40
    board.append(number, RoundScored(points=(100, 0), twenties=(5, 0)))
    expect(screens[0].locator("#moment .portrait")).to_be_visible()
    scorer.get_by_text("Picture of this player").click()
    scorer.get_by_role("button", name="Remove the picture").click()
    expect(shown).to_have_count(0)
    for page in screens[1:]:
        expect(page.locator(".portrait")).to_have_count(0)


def test_a_player_s_strengths_by_kind_of_shot_have_their_numbers_and_ranges(
    server: RunningServer, open_window: Callable[..., Page], show: Callable[[Page, str], None]
) -> None:
    setup, *entries = simulate_match(4, discs=8)
    assert isinstance(setup, MatchStarted)
    board = services_of(server.app).scoreboard
    options = (*setup.options, ("game_end", "rounds"), ("game_rounds", 4))
    number = board.begin(replace(setup, options=options))
    for event in entries:
        board.append(number, event)
    for page in (open_window(), open_window(device=PHONE)):
        page.goto("/player?name=Ann")
        card = page.locator("section", has=page.get_by_text("Strengths by kind of shot"))
        expect(card).to_contain_text("open board")
        expect(card).to_contain_text("last shot of a round")
        assert Axe().run(page).response["violations"] == []
    show(page, "strengths")
