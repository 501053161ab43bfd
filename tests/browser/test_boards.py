"""Several boards in the browser: the wall follows all, and each keeps its scoreboard."""

from __future__ import annotations

import re
from collections.abc import Callable

from playwright.sync_api import Page, expect
from screen_sizes import PHONE

from calibration.json_text import to_plain
from scorer.match.events import Disputed, MatchStarted, RoundScored
from scorer.rules.choices import Format
from webapp.live.live_state import LiveState, NotEntered, Status
from webapp.server import RunningServer
from webapp.services import services_of


def test_the_wall_shows_every_board_and_leads_to_each_scoreboard(
    open_window: Callable[..., Page], server: RunningServer
) -> None:
    boards = services_of(server.app).boards
    boards.add_board("")
    boards.add_board("Stage")
    wall = open_window()
    wall.goto("/")
    cards = wall.locator("a.wall-board")
    expect(cards).to_have_count(3)
    expect(cards.nth(1)).to_contain_text("free")
    for number, players in ((1, ("Ann", "Bob")), (2, ("Cleo", "Dan"))):
        setup = MatchStarted(rules="nca", format=Format.TWO, players=players)
        boards.get(number).scoreboard.begin(setup)
    expect(cards.nth(1)).to_contain_text("Cleo")
    boards.get(2).scoreboard.append(2, RoundScored(points=(65, 20)))
    expect(cards.nth(1).locator(".wall-side").first).to_contain_text("45")
    boards.get(1).scoreboard.append(1, Disputed(about="Was it legal?"))
    expect(cards.nth(0)).to_contain_text("Needs a decision")
    cards.nth(1).click()
    expect(wall.locator("h1")).to_have_text("Board 2")
    expect(wall.locator("#sides")).to_contain_text("Cleo")
    boards.get(3).scoreboard.begin(
        MatchStarted(rules="nca", format=Format.TWO, players=("Eve", "Fay"))
    )
    boards.get(2).scoreboard.append(2, RoundScored(points=(20, 30)))
    expect(wall.locator("#sides")).to_contain_text("Dan")
    expect(wall.locator("#sides")).not_to_contain_text("Eve")


def test_a_board_s_scorer_joins_by_its_code_and_begins_the_tournament_s_match(
    open_window: Callable[..., Page], server: RunningServer
) -> None:
    parts = services_of(server.app)
    organiser = open_window(scorer=True)
    organiser.goto("/tournaments/new")
    organiser.locator("[name=name]").fill("Club night")
    organiser.locator("[name=boards]").fill("2")
    organiser.locator("[name=entries]").fill("Ann\nBob\nCleo\nDan")
    organiser.get_by_role("button", name="Start without pairing").click()
    organiser.get_by_role("button", name="Pair the first round").click()
    expect(organiser.locator(".pairing")).to_have_count(2)
    expect(organiser.get_by_role("heading", level=2).first).to_have_text(
        re.compile("^Swiss, round")
    )

    phone = open_window()
    phone.goto(f"/boards/2/join#{parts.secret.board_code(2)}")
    phone.wait_for_url(f"{server.address}/boards/2")
    pairing = to_plain(parts.boards.get(2).scoreboard.state)["pairing"]
    expect(phone.locator("#pairing h2")).to_have_text(" – ".join(pairing["sides"]))
    phone.get_by_role("button", name="Keep score here").click()
    expect(phone.locator("h1")).to_have_text(" – ".join(pairing["sides"]))
    match = parts.boards.get(2).scoreboard.state.match
    assert match is not None
    assert match.tournament == (1, pairing["match"])


def test_what_was_not_entered_leads_the_scorer_to_the_match(
    open_window: Callable[..., Page], server: RunningServer
) -> None:
    board = services_of(server.app).scoreboard
    board.begin(MatchStarted(rules="nca", format=Format.TWO, players=("Ann", "Bob")))
    hall, phone = open_window(), open_window(scorer=True)
    for window in (hall, phone):
        window.goto("/")
    words = "Not added to the match: Shot 3 does not fit."
    left_out = NotEntered(notice=words, match=None)
    live = LiveState(status=Status.REFEREEING, notice=words, left_out=left_out)
    board.publish_live(None, live)
    expect(hall.locator("#next")).to_contain_text("Not added to the match")
    expect(hall.locator("#next a")).to_have_count(0)
    phone.locator("#next").get_by_role("link", name="Keep score").click()
    expect(phone.locator("h1")).to_have_text("Ann – Bob")


def test_a_television_s_wall_leaves_no_place_empty(
    server: RunningServer, open_window: Callable[..., Page]
) -> None:
    boards = services_of(server.app).boards
    wall = open_window()
    for count in (2, 3, 5, 7):
        while len(boards.names) < count:
            boards.add_board("")
        wall.goto("/?tv")
        expect(wall.locator("a.wall-board")).to_have_count(count)
        covered = wall.locator("#boards").evaluate(
            "(box) => [...box.children].map((card) => card.getBoundingClientRect())"
            ".reduce((sum, card) => sum + card.width * card.height, 0)"
            " / (box.clientWidth * box.clientHeight)"
        )
        assert covered > 0.9, f"{count} boards"


def test_sixteen_boards_fill_a_television_and_show_names_of_40_letters_whole(
    server: RunningServer, open_window: Callable[..., Page]
) -> None:
    boards = services_of(server.app).boards
    while len(boards.names) < 16:
        boards.add_board("")
    long = ("Bartholomew Featherstonehaugh-Smythe III", "Maximiliana von Hohenzollern-Sigmaringen")
    for number, players in ((1, long), (2, ("Ann", long[0])), (3, ("Ann", "Bob"))):
        setup = MatchStarted(rules="nca", format=Format.TWO, players=players, at_board=number)
        boards.get(number).scoreboard.begin(setup)
    wall = open_window(device={"viewport": {"width": 1920, "height": 1080}})
    widths = "(cards) => new Set(cards.map((card) => Math.round(card.offsetWidth))).size"
    cut = "(names) => names.filter((name) => name.scrollHeight > name.clientHeight + 1).length"
    below = """(cards) => cards.filter((card) => [...card.children].some((part) =>
      part.getBoundingClientRect().bottom > card.getBoundingClientRect().bottom + 1)).length"""
    for address in ("/?tv", "/"):
        wall.goto(address)
        expect(wall.locator("a.wall-board")).to_have_count(16)
        assert wall.locator("a.wall-board").evaluate_all(widths) == 1
        assert wall.locator(".wall-side > span").evaluate_all(cut) == 0
        assert wall.locator("a.wall-board").evaluate_all(below) == 0


def test_a_phone_shows_the_heading_of_all_boards_whole(
    open_window: Callable[..., Page], server: RunningServer
) -> None:
    services_of(server.app).boards.add_board("")
    phone = open_window(scorer=True, device=PHONE)
    phone.goto("/")
    heading = phone.locator("h1")
    expect(heading).to_have_text("Boards")
    title, button = (
        heading.bounding_box(),
        phone.get_by_role("link", name="For a TV").bounding_box(),
    )
    assert title is not None
    assert button is not None
    assert title["width"] > 60
    assert title["y"] + title["height"] <= button["y"] or title["x"] + title["width"] <= button["x"]
